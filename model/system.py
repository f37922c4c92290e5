"""The transition system: what every engine, export and report works on, whatever the model was written in.

A state is one whole number per slot. An action instance (`Transition`) has a guard, updates for the slots it
changes, and an outcome. Properties are expressions over a state or over a step. Nothing here knows Python classes
of a user's, z3, or numpy. A system is one of: state variables + initial states + transitions + properties.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from .errors import FormatError, Site, nearest
from .expressions import UNBOUNDED, Expression, Expressions, reachable
from .kinds import Kind
from .lanes import Lanes
from .layout import Slot
from .says import Says
from .trail import Trail

#: The name of the property that is checked of every model: that nothing is stuck.
DEADLOCK: Final = "no-deadlock"
State: TypeAlias = tuple[int, ...]
Scalar: TypeAlias = str | int | bool | None


@dataclass(frozen=True, slots=True)
class Variable:
    """A state variable as its author named it: its kind, and the slots `first .. first + kind.width - 1` it takes."""

    name: str
    kind: Kind
    first: int


@dataclass(frozen=True, slots=True)
class Mistake:
    """What a model may do wrong while running (leave a range, raise): a model error, reported with a trace."""

    message: str
    site: Site | None


def called(action: str, args: Mapping[str, object]) -> str:
    """An action with its arguments, as its author would call it: deliver(call=0, kind=success, epoch=1)."""
    return f"{action}({', '.join(f'{name}={value}' for name, value in args.items())})"


@dataclass(frozen=True, slots=True)
class Transition:
    """An action with its arguments, and with each choice it made.

    `updates` are evaluated in the state before the step; a slot without one keeps its value. `outcome` is a position
    in `outcomes`. `mistake` is 0 where all is well, else one more than a position in `mistakes`; where it is not 0
    the step is an error of the model and has no successor. All of them matter only where `guard` is true.
    `arguments` are shown and written to files; `given` are the same as the author's own values. `after_fault` names
    the fault without which it never happens, if its author said so. `params` are the arguments that range over the
    natural numbers, by name: such a transition stands for one with each value. `asked` is where its author's code asks
    for a condition of the guard, by the condition's number. `trails` are the runs of the author's code that it is made
    of, where they were recorded. `lanes` are for drawing it; `meaning` is what its author says
    that the action does, in a sentence; `says` has the sentence of each outcome, with values to be filled in. Reports
    show these, and nothing else depends on them.
    """

    action: str
    arguments: tuple[tuple[str, object], ...]
    guard: Expression
    updates: tuple[tuple[int, Expression], ...]
    outcome: Expression
    outcomes: tuple[str | None, ...]
    mistake: Expression
    mistakes: tuple[Mistake, ...]
    fault: str | None
    site: Site | None
    given: tuple[tuple[str, object], ...] = field(default=(), compare=False, repr=False)
    after_fault: str | None = None
    params: tuple[tuple[str, Expression], ...] = ()
    asked: Mapping[int, Site] = field(default_factory=dict[int, Site], compare=False, repr=False)
    trails: tuple[Trail, ...] = field(default=(), compare=False, repr=False)
    lanes: Lanes | None = field(default=None, compare=False, repr=False)
    meaning: str = field(default="", compare=False, repr=False)
    says: Says | None = field(default=None, compare=False, repr=False)

    def site_of(self, clause: Expression) -> Site | None:
        """Where the action asks for a clause of its guard, or else for a part of it; else where the action is."""
        if clause.number in self.asked:
            return self.asked[clause.number]
        parts = reversed(reachable([clause]))
        return next((self.asked[part.number] for part in parts if part.number in self.asked), self.site)

    @property
    def args(self) -> dict[str, object]:
        """The arguments and choices by name, as traces show them."""
        return dict(self.arguments)

    @property
    def called(self) -> str:
        """The action as its author would call it."""
        return called(self.action, self.args)


@dataclass(frozen=True, slots=True)
class Judgement:
    """A property as expressions: its truth, where it was put to the test, and what went wrong in evaluating it.

    `exercised` is None for a property without `implies` (it is tested wherever it is evaluated). `mistake` as in
    `Transition`.
    """

    holds: Expression
    exercised: Expression | None
    mistake: Expression
    mistakes: tuple[Mistake, ...]


@dataclass(frozen=True, slots=True)
class Invariant:
    """A property of every reachable state, or of every one that is quiescent (where only faults can still happen).

    A lemma (`is_lemma`) is one that its author wrote to help in proving others. `says` tells a violation of it.
    """

    name: str
    judgement: Judgement
    meaning: str
    site: Site | None
    quiescent: bool = False
    is_lemma: bool = False
    says: Says | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class StepProperty:
    """A property of every reachable transition; `judgements[i]` is for the system's transition i."""

    name: str
    judgements: tuple[Judgement, ...]
    meaning: str
    site: Site | None
    says: Says | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Fairness:
    """An action instance that is scheduled fairly: the positions of its transitions, and whether strongly so."""

    name: str
    transitions: tuple[int, ...]
    is_strong: bool


@dataclass(frozen=True, slots=True)
class LivenessProperty:
    """On every fair behaviour: wherever `trigger` holds (None: at its beginning), `goal` holds then or later."""

    name: str
    trigger: Judgement | None
    goal: Judgement
    fairness: tuple[Fairness, ...]
    meaning: str
    site: Site | None


@dataclass(frozen=True, slots=True)
class TransitionSystem:
    """A whole model, lifted. `initial` holds each initial state once, in the model's own order.

    `terminal` is true in the states where having nothing left to do is fine. `faults` gives each fault's budget
    (None: unlimited; 0: switched off, and its transitions left out). `safeguards` names the guards that an author
    marked as such, `without` those of them that were taken away. `left_out` names the actions that have no transition
    because a parameter has no values or their fault is switched off; the latter are `switched_off`. `varied` names the
    safeguards that are there in some initial states and not in others, each by a variable that never changes.
    """

    name: str
    parameters: Mapping[str, Scalar]
    faults: Mapping[str, int | None]
    most_faults: int | None
    variables: tuple[Variable, ...]
    slots: tuple[Slot, ...]
    initial: tuple[State, ...]
    transitions: tuple[Transition, ...]
    invariants: tuple[Invariant, ...]
    step_properties: tuple[StepProperty, ...]
    terminal: Judgement
    expressions: Expressions = field(repr=False, compare=False)
    liveness: tuple[LivenessProperty, ...] = ()
    safeguards: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    switched_off: tuple[str, ...] = ()
    varied: tuple[str, ...] = ()
    meaning: str = ""
    site: Site | None = None

    @property
    def is_unbounded(self) -> bool:
        """Whether there are infinitely many states to tell apart, or transitions, so that only a proof can do."""
        return any(slot.hi >= UNBOUNDED for slot in self.slots) or any(t.params for t in self.transitions)

    def decode(self, state: State) -> dict[str, object]:
        """A state as an author would write it down: JSON values by variable name."""
        return {v.name: v.kind.to_json(state[v.first : v.first + v.kind.width]) for v in self.variables}

    def encode(self, values: Mapping[str, object]) -> State:
        """The state that `decode` shows as values. Raises FormatError where a value does not fit, or is not there."""
        names = [v.name for v in self.variables]
        for name in values:
            if name not in names:
                raise FormatError(nearest(name, names, "The variable"))
        found: list[int] = []
        for v in self.variables:
            if v.name not in values:
                raise FormatError(f"there is no value of the variable {v.name}.")
            found.extend(v.kind.from_json(values[v.name], v.name))
        return tuple(found)
