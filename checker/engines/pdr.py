"""Property-directed reachability: z3's Spacer looks for an inductive invariant, property by property.

Bounded model checking runs beside it, in rounds that grow.

Spacer is not believed: an invariant counts when a solver of its own finds that it is true at first, kept by every step
and excludes what is bad; and where Spacer says that a bad state can be reached, bounded model checking has to find the
trace. Spacer was seen to take 50 seconds over an unsafe model where that takes a third of one. What one property's
proof found is given to the next. A few states are explored first: they show what is tested, what is enabled and what
is violated soon, and are no part of any proof.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Final

from fenceproof.model.expressions import Expression
from fenceproof.model.system import TransitionSystem

from ..limits import SEARCH_INTERRUPTED, Limits, Progress, Stop, Watch
from ..obligations import Claim, claims, goes_wrong, taken
from ..proof import Proof
from ..result import CheckResult, Coverage, PropertyResult, Wrong
from ..smt.horn import Answer, ask_spacer
from ..smt.induction import Induction, UndecidedError, inductive_part
from ..smt.watched import StoppedError
from ..unsaid import liveness_unsaid
from ..verdict import Verdict
from . import bmc, unbounded
from .explicit import explore, judged
from .shortest import Backwards

#: States that are explored first.
PROBE: Final = 20_000
#: Seconds for each question in the first round and in the last, and steps that are unrolled more in each.
FIRST_S, LAST_S, MORE_STEPS = 1.0, 32.0, 8


class About(Enum):
    """What it would mean that a state can be reached."""

    VIOLATED = "a property is violated"
    WRONG = "the model goes wrong"
    TESTED = "a property is put to the test"
    ENABLED = "an action is enabled"


@dataclass(slots=True)
class Question:
    """Whether a state can be reached: proved that not (`invariant`), said by Spacer that it can, or still open."""

    about: About
    name: str
    bad: Expression
    invariant: tuple[Expression, ...] | None = None
    is_reachable: bool = False

    @property
    def is_open(self) -> bool:
        """Whether there is no answer yet, or one that only bounded model checking can confirm."""
        return self.invariant is None and not (self.is_reachable and self.about is About.ENABLED)


def check(
    system: TransitionSystem,
    *,
    properties: Sequence[str] | None = None,
    limits: Limits | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> CheckResult:
    """Prove or refute safety properties (by name; None: all). Liveness is left inconclusive."""
    if system.is_unbounded:
        return unbounded.check(system, properties=properties, limits=limits, progress=progress)
    watch = Watch.start(limits or Limits())
    run = Run(system, claims(system, properties), watch, progress)
    try:
        run.probe()
        run.search()
    except StoppedError as error:
        run.stop = error.stop
    except KeyboardInterrupt:
        run.stop = SEARCH_INTERRUPTED
    found = [run.result(claim) for claim in run.claims]
    return CheckResult(
        system=system,
        engine="pdr",
        properties=(*found, *liveness_unsaid(system, properties, "pdr")),
        distinct=None,
        generated=None,
        depth=0,
        stop=run.stop,
        wrong=run.wrong,
        coverage=run.coverage(),
        seconds=watch.seconds,
    )


@dataclass(slots=True)
class Run:
    """A search under way."""

    system: TransitionSystem
    claims: list[Claim]
    watch: Watch
    progress: Callable[[Progress], None] | None
    stop: Stop | None = None
    wrong: Wrong | None = None
    violated: dict[str, PropertyResult] = field(default_factory=dict[str, PropertyResult])
    tested: set[str] = field(default_factory=set[str])
    enabled: set[str] = field(default_factory=set[str])
    questions: list[Question] = field(default_factory=list[Question])
    lemmas: list[Expression] = field(default_factory=list[Expression])
    _depth: int = 0

    def probe(self) -> None:
        """Explore a few states, and then ask what they leave open."""
        most = self.watch.limits.max_states
        few = replace(self.watch.rest(0), max_states=PROBE if most is None else min(PROBE, most))
        names = [claim.name for claim in self.claims]
        search, tallies = explore(self.system, names, Watch.start(few), None)
        backwards = Backwards(self.system, search.layout, search.levels)
        for tally in tallies:
            if tally.exercised:
                self.tested.add(tally.name)
            if tally.count:
                self.violated[tally.name] = judged(tally, search, backwards)
        if search.accidents:
            self.wrong = backwards.wrong(search.accidents)
        self.enabled = {t.action for t, n in zip(self.system.transitions, search.taken, strict=True) if n}
        if search.stop is not None and search.stop.kind == "interrupted":
            raise KeyboardInterrupt
        self.questions = list(self._asked())

    def _asked(self) -> list[Question]:
        x = self.system.expressions
        names = [claim.name for claim in self.claims]
        found = [Question(About.WRONG, "", goes_wrong(self.system, names))]
        found += [Question(About.VIOLATED, c.name, c.bad) for c in self.claims]
        found += [Question(About.TESTED, c.name, c.tested) for c in self.claims if c.name not in self.tested]
        for action in dict.fromkeys(t.action for t in self.system.transitions if t.action not in self.enabled):
            guards = [taken(x, t) for t in self.system.transitions if t.action == action]
            found.append(Question(About.ENABLED, action, x.disjoin(guards)))
        return found

    def search(self) -> None:
        """Ask in rounds until everything is answered, the model goes wrong, or there is no more time."""
        seconds = FIRST_S
        while self.wrong is None and self._open():
            for question in self._open():
                if not question.is_reachable:
                    self._ask(question, seconds)
            if self._open():
                self._unroll(seconds)
            if self.progress is not None:
                self.progress(Progress(self._depth, 0, 0, self.watch.seconds))
            if self.stop is None and seconds >= LAST_S and self._open():
                self.stop = Stop("solver", f"z3 was given {LAST_S:g} seconds for each question and left some open")
            if self.stop is not None:
                return
            seconds *= 2

    def _open(self) -> list[Question]:
        """What there is still to ask; nothing of what is violated anyway."""
        if len(self.violated) == len(self.claims):
            return []
        return [
            q
            for q in self.questions
            if q.is_open
            and not (q.about in (About.VIOLATED, About.TESTED) and q.name in self.violated)
            and not (q.about is About.TESTED and q.name in self.tested)
        ]

    def _ask(self, question: Question, seconds: float) -> None:
        try:
            answer = ask_spacer(self.system, question.bad, self.lemmas, seconds, self.watch)
            if isinstance(answer, Answer):
                question.is_reachable = True
                return
            induction = Induction(self.system, self.watch)
            question.invariant = inductive_part(induction, [*self.lemmas, *answer], question.bad)
        except UndecidedError:
            # It is asked again in the next round, with more time, or what is open is said to be so.
            return
        if question.invariant is not None:
            self.lemmas += [c for c in question.invariant if c not in self.lemmas]

    def _unroll(self, seconds: float) -> None:
        names = [c.name for c in self.claims if c.name not in self.violated]
        self.stop = self.stop or self.watch.stop(0, 0)
        if self.stop is not None or not names:
            return
        self._depth += MORE_STEPS
        until = self.watch.seconds + 2 * seconds
        most = self.watch.limits.time_s
        time_s = until if most is None else min(until, most)
        limits = replace(self.watch.rest(0), depth=self._depth, time_s=time_s)
        found = bmc.check(self.system, properties=names, limits=limits)
        self.wrong = found.wrong
        for prop in found.properties:
            if prop.verdict is Verdict.VIOLATED:
                self.violated[prop.name] = prop
            elif prop.verdict is Verdict.BOUNDED:
                self.tested.add(prop.name)
        if found.stop is not None and found.stop.kind == "interrupted":
            raise KeyboardInterrupt

    def result(self, claim: Claim) -> PropertyResult:
        """What was found of a property."""
        violated = self.violated.get(claim.name)
        if violated is not None:
            return violated
        answers = {q.about: q.invariant for q in self.questions if q.name in (claim.name, "")}
        invariant, sound = answers.get(About.VIOLATED), answers.get(About.WRONG)
        verdict, proof = Verdict.INCONCLUSIVE, None
        if invariant is not None and sound is not None and self.wrong is None:
            if claim.name in self.tested:
                verdict = Verdict.PROVED
                proof = Proof("pdr", tuple(dict.fromkeys((*invariant, *sound))))
            elif answers.get(About.TESTED) is not None:
                verdict = Verdict.VACUOUS
        return PropertyResult(claim.name, claim.sort, claim.meaning, verdict, 0, None, proof)

    def coverage(self) -> Coverage:
        """1 for a transition whose action is enabled somewhere, 0 where it was proved that it is not; not counted."""
        never = {q.name for q in self.questions if q.about is About.ENABLED and q.invariant is not None}
        counts = tuple(int(t.action not in never) for t in self.system.transitions)
        return Coverage(counts, counts)
