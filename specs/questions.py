"""The three closing questions as data: what is asked, in which order of actions, and how each answer comes out.

What falls is declared here and nothing is believed of it: whoever reads this runs the exhaustive check of each case.
The planners that give the answers are in `answers.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from fenceproof.model.budgets import Settings, fault_budgets

from . import answers
from .answers import Answering, AnswerName
from .properties import Planner
from .variants import NoOutbox

ALL: Final = frozenset(fault_budgets(Planner(), Settings()))


@dataclass(frozen=True, slots=True)
class Action:
    """An action of call 0, with the arguments that it has besides."""

    name: str
    kind: str | None = None
    epoch: int | None = None

    @property
    def args(self) -> dict[str, object]:
        """All arguments by name, as a trace shows them."""
        given: dict[str, object] = {"call": 0}
        return given | {n: v for n, v in (("kind", self.kind), ("epoch", self.epoch)) if v is not None}


@dataclass(frozen=True, slots=True)
class Case:
    """An answer under an assumption: a planner that gives it, the faults, and exactly the properties that fall then.

    Right is said under all faults that the assumption leaves, wrong under as few as there can be: without any of them
    the question does not come up, or the first property does not fall after it. That one is shown by a trace, which
    begins with the question's order of actions.
    """

    when: str
    planner: type[Answering]
    falls: tuple[str, ...]
    faults: frozenset[str]


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer, what it means to this question, and the assumptions that make it right or wrong."""

    name: AnswerName
    meaning: str
    cases: tuple[Case, ...]


@dataclass(frozen=True, slots=True)
class Question:
    """A question: the design in which it comes up, the order of actions the last of which asks it, and the answers.

    `breach` is the property that has fallen already where the question can be asked, so that no answer mends it; None
    where nothing has. `never_asked` is a planner of which it is never asked, or None.
    """

    name: str
    text: str
    design: tuple[str, type[Planner]]
    order: tuple[Action, ...]
    answers: tuple[Answer, ...]
    breach: str | None = None
    never_asked: tuple[str, type[Answering]] | None = None

    def is_right(self, case: Case) -> bool:
        """Whether nothing is declared to fall in a case but what had fallen before the question was asked."""
        return set(case.falls) <= {self.breach}


#: With these the design breaks by itself, whatever is answered.
_STEADY: Final = ALL - {"crash", "second-planner"}

QUESTIONS: Final = (
    Question(
        "result-before-bump",
        "The compensation's result arrives before the timeout's bump is durable.",
        ("no-outbox", NoOutbox),
        (
            Action("dispatch"),
            Action("execute", epoch=1),
            Action("deadline_early"),
            Action("compensate", epoch=2),
            Action("deliver_compensation", epoch=2),
        ),
        (
            Answer(
                "reject",
                "it is stale until its epoch is live in the record as well, and is asked for again",
                (
                    Case(
                        "the planner does not crash and is the only one",
                        answers.RejectUnsaved,
                        ("write-ahead",),
                        _STEADY,
                    ),
                    Case(
                        "the planner may crash before the bump is durable",
                        answers.RejectUnsaved,
                        ("no-ghost", "effect-matches-record", "write-ahead"),
                        frozenset({"delay", "crash"}),
                    ),
                    Case(
                        "there may be a second planner, which knows of the record only",
                        answers.RejectUnsaved,
                        (
                            "no-ghost",
                            "single-commit",
                            "commit-durable",
                            "no-bump-after-commit",
                            "effect-matches-record",
                            "settles",
                            "write-ahead",
                        ),
                        frozenset({"delay", "second-planner"}),
                    ),
                ),
            ),
            Answer(
                "replay",
                "it is rejected, and the next epoch opened for the original call, with its idempotency key",
                (
                    Case(
                        "the planner does not crash and is the only one, and the tool honours its idempotency key",
                        answers.ReplayUnsaved,
                        ("no-ghost", "effect-matches-record", "write-ahead"),
                        frozenset({"delay"}),
                    ),
                ),
            ),
            Answer(
                "compensate-again",
                "it is rejected, and the next epoch opened for another compensation",
                (
                    Case(
                        "the planner does not crash and is the only one, and the compensator's key is the call",
                        answers.CompensateUnsaved,
                        ("write-ahead",),
                        _STEADY,
                    ),
                    Case(
                        "the compensator's key is the call with its epoch",
                        answers.CompensateUnsavedByEpoch,
                        ("compensate-once", "write-ahead"),
                        frozenset({"delay"}),
                    ),
                    Case(
                        "the planner may crash before the bump is durable",
                        answers.CompensateUnsaved,
                        ("no-ghost", "effect-matches-record", "write-ahead"),
                        frozenset({"delay", "crash"}),
                    ),
                ),
            ),
        ),
        breach="write-ahead",
        never_asked=("fenced", answers.ResultBeforeBump),
    ),
    Question(
        "success-without-epoch",
        "A success echoes no epoch, and may be the answer to any request that was ever sent.",
        ("fenced", Planner),
        (
            Action("dispatch"),
            Action("execute_anonymous", epoch=1),
            Action("deadline_early"),
            Action("dispatch"),
            Action("deliver", "no-echo", 1),
        ),
        (
            Answer(
                "reject",
                "it is malformed, and answers nothing",
                (
                    Case(
                        "the call stays open: its intent is sent again, and its deadline runs",
                        answers.SuccessWithoutEpoch,
                        (),
                        ALL,
                    ),
                    Case(
                        "the rejection closes the call",
                        answers.RejectAndForget,
                        ("settles", "no-deadlock"),
                        frozenset({"delay", "no-echo", "comp-loss"}),
                    ),
                ),
            ),
            Answer(
                "replay",
                "it is rejected, and the next epoch opened for the original call",
                (
                    Case(
                        "the call is never compensated, and the tool honours its idempotency key",
                        answers.ReplayUnlabelled,
                        (),
                        ALL,
                    ),
                    Case(
                        "the tool takes what is sent again for a new call",
                        answers.ReplayUnlabelledNoKey,
                        ("apply-once",),
                        frozenset({"delay", "no-echo"}),
                    ),
                    Case(
                        "a timeout compensates the call",
                        answers.ReplayUnlabelledCompensating,
                        ("no-ghost", "effect-matches-record"),
                        frozenset({"delay", "no-echo"}),
                    ),
                ),
            ),
            Answer(
                "compensate-again",
                "it is rejected, and the next epoch opened for a compensation, without waiting for a deadline",
                (
                    Case(
                        "the compensator's key is the call",
                        answers.CompensateUnlabelled,
                        (),
                        ALL,
                    ),
                    Case(
                        "the compensator's key is the call with its epoch",
                        answers.CompensateUnlabelledByEpoch,
                        ("compensate-once",),
                        frozenset({"delay", "no-echo"}),
                    ),
                ),
            ),
        ),
    ),
    Question(
        "second-timeout",
        "A second timeout is to open epoch 3 while what was sent in epoch 2 is still in flight.",
        ("fenced", Planner),
        (
            Action("dispatch"),
            Action("execute", epoch=1),
            Action("deadline_early"),
            Action("dispatch"),
            Action("clock_jump"),
        ),
        (
            Answer(
                "reject",
                "the timeout is refused: there is no epoch 3, and epoch 2 goes on",
                (
                    Case(
                        "what epoch 2 holds is sent again until it is answered, even with a compensator's key that "
                        "holds the epoch",
                        answers.RefuseSecondTimeout,
                        (),
                        ALL,
                    ),
                    Case(
                        "nothing is sent again after it",
                        answers.RefuseAndGiveUp,
                        ("settles", "no-deadlock"),
                        frozenset({"delay", "clock-jump", "comp-loss"}),
                    ),
                    Case(
                        "it is the result of epoch 2 that is rejected, by an epoch 3 in which nothing is sent",
                        answers.EmptyEpoch,
                        ("settles", "no-deadlock"),
                        frozenset({"delay", "clock-jump"}),
                    ),
                ),
            ),
            Answer(
                "replay",
                "epoch 3 is opened for the original call",
                (
                    Case(
                        "epoch 2 was a replay too, and the tool honours its idempotency key",
                        answers.ReplaySecond,
                        (),
                        ALL,
                    ),
                    Case(
                        "the tool takes what is sent again for a new call",
                        answers.ReplaySecondNoKey,
                        ("apply-once",),
                        frozenset({"delay", "clock-jump"}),
                    ),
                    Case(
                        "epoch 2 compensates the call",
                        answers.ReplaySecondCompensating,
                        ("no-ghost", "effect-matches-record"),
                        frozenset({"delay", "clock-jump"}),
                    ),
                ),
            ),
            Answer(
                "compensate-again",
                "epoch 3 is opened for another compensation, and what epoch 2 brings is stale",
                (
                    Case(
                        "the compensator's key is the call",
                        answers.SecondTimeout,
                        (),
                        ALL,
                    ),
                    Case(
                        "the compensator's key is the call with its epoch",
                        answers.CompensateInEveryEpoch,
                        ("compensate-once",),
                        frozenset({"delay", "clock-jump"}),
                    ),
                ),
            ),
        ),
    ),
)
