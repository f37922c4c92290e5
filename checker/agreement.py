"""What several engines say of one property: whether they contradict each other, and what follows if not.

Says nothing of how engines are run. A bounded claim is a claim about its bound and no more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Final

from fenceproof.model.errors import InternalError
from fenceproof.model.trace import Trace

from .engines import CLAIM_SHORTEST
from .limits import Stop
from .result import CheckResult, PropertyResult, Sort, Wrong
from .verdict import Verdict

CONCLUSIVE: Final = (Verdict.VIOLATED, Verdict.PROVED, Verdict.HOLDS)
#: What stands for a property where the claim is whether the model itself goes wrong.
MODEL: Final = "the model itself"


@dataclass(frozen=True, slots=True)
class Said:
    """What an engine says of a property. `bound` is the number of steps up to which it says it, None for any number;
    `steps` is the length of its counterexample, and `shortest` whether it claims that there is no shorter one."""

    engine: str
    verdict: Verdict
    bound: int | None = None
    steps: int | None = None
    shortest: bool = False
    trace: Trace | None = None

    @property
    def text(self) -> str:
        """The claim in words."""
        match self.verdict:
            case Verdict.VIOLATED if self.steps is not None:
                return f"violated in {self.steps} step{'' if self.steps == 1 else 's'}"
            case Verdict.BOUNDED:
                return f"{self.verdict} {self.bound}"
            case Verdict.VACUOUS if self.bound is not None:
                return f"{self.verdict} up to {self.bound}"
            case _:
                return str(self.verdict)


def contradiction(one: Said, other: Said) -> bool:
    """Whether two claims about one property cannot both be true."""
    return _excludes(one, other) or _excludes(other, one)


def _excludes(one: Said, other: Said) -> bool:
    """Whether a claim, as a violation or as vacuous, rules out another."""
    if one.verdict is Verdict.VACUOUS and one.bound is None:
        return other.verdict in (Verdict.HOLDS, Verdict.PROVED)
    if one.verdict is not Verdict.VIOLATED:
        return False
    match other.verdict:
        case Verdict.HOLDS | Verdict.PROVED:
            return True
        case Verdict.VACUOUS | Verdict.BOUNDED:
            return other.bound is None or (one.steps is not None and one.steps <= other.bound)
        case Verdict.VIOLATED:
            return other.shortest and one.steps is not None and other.steps is not None and one.steps < other.steps
        case Verdict.INCONCLUSIVE | Verdict.MODEL_ERROR:
            return False


def strongest(claims: Sequence[Said]) -> Said:
    """The claim that says most, of those that do not contradict each other; of equal ones the first.

    A shorter counterexample says more than a longer one, and a larger bound more than a smaller one. What is vacuous up
    to a bound says less than what was tested and holds up to one.
    """
    return min(claims, key=_rank)


def _rank(said: Said) -> tuple[int, int]:
    match said.verdict:
        case Verdict.VIOLATED:
            return 0, said.steps if said.steps is not None else 0
        case Verdict.PROVED:
            return 1, 0
        case Verdict.HOLDS:
            return 2, 0
        case Verdict.VACUOUS if said.bound is None:
            return 3, 0
        case Verdict.BOUNDED:
            return 4, -(said.bound or 0)
        case Verdict.VACUOUS:
            return 5, -(said.bound or 0)
        case Verdict.INCONCLUSIVE | Verdict.MODEL_ERROR:
            return 6, 0


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Two claims about a property that cannot both be true."""

    name: str
    one: Said
    other: Said

    @property
    def text(self) -> str:
        """Both claims in a sentence."""
        return f"of {self.name}, {self.one.engine} says: {self.one.text}; {self.other.engine} says: {self.other.text}"


class DisagreementError(InternalError):
    """Engines contradict each other, so at least one of them is wrong. `results` is what each of them found."""

    def __init__(self, found: Sequence[Contradiction], results: Sequence[CheckResult]) -> None:
        self.found, self.results = tuple(found), tuple(results)
        claims = ". And ".join(each.text for each in found)
        super().__init__(
            f"the engines disagree: {claims}. At least one of them is wrong, so nothing is decided. "
            "Please report this, with the model and both claims."
        )


def said(result: CheckResult, found: PropertyResult) -> Said:
    """What a result says of a property, as a claim."""
    steps = None if found.trace is None else len(found.trace)
    bounded = found.proof is None and found.verdict in (Verdict.BOUNDED, Verdict.VACUOUS)
    bound = result.bound if bounded else None
    shortest = found.sort is not Sort.LIVENESS and result.engine in CLAIM_SHORTEST
    return Said(result.engine, found.verdict, bound, steps, shortest and steps is not None, found.trace)


def said_of_model(result: CheckResult) -> Said:
    """What a result says of whether the model goes wrong, as a claim about a property that says it does not.

    Of judging properties of whole behaviours it says nothing here: those are what some engines do not look at.
    """
    if result.wrong is not None:
        judged = [each for p in result.system.liveness for each in (p.trigger, p.goal) if each is not None]
        lively = [mistake for each in judged for mistake in each.mistakes]
        if result.wrong.mistake in lively:
            return Said(result.engine, Verdict.INCONCLUSIVE)
        steps, trace = _length(result.wrong), result.wrong.trace
        return Said(result.engine, Verdict.VIOLATED, None, steps, result.engine in CLAIM_SHORTEST, trace)
    if result.complete or any(p.verdict in (Verdict.HOLDS, Verdict.PROVED) for p in result.properties):
        return Said(result.engine, Verdict.HOLDS)
    if result.bound is not None and result.bound >= 0:
        return Said(result.engine, Verdict.BOUNDED, result.bound)
    return Said(result.engine, Verdict.INCONCLUSIVE)


def _length(wrong: Wrong) -> int:
    """Steps to where the model goes wrong, the one that does so included."""
    return len(wrong.trace) + (wrong.trace.mistake is not None)


def contradictions(results: Sequence[CheckResult]) -> list[Contradiction]:
    """Every pair of claims that cannot both be true."""
    claims: dict[str, list[Said]] = {}
    for result in results:
        claims.setdefault(MODEL, []).append(said_of_model(result))
        for found in result.properties:
            claims.setdefault(found.name, []).append(said(result, found))
    return [
        Contradiction(name, one, other)
        for name, of_it in claims.items()
        for one, other in combinations(of_it, 2)
        if contradiction(one, other)
    ]


def merged(engine: str, results: Sequence[CheckResult]) -> CheckResult:
    """One result of several engines on one system, all asked for the same properties. Raises DisagreementError.

    Counts and coverage are those of the first that was complete, or of the first; a property's verdict is the
    strongest, and the bound the least of those that a verdict depends on.
    """
    found = contradictions(results)
    if found:
        raise DisagreementError(found, results)
    base = next((result for result in results if result.complete), _shown(results))
    properties: list[PropertyResult] = []
    bounds: list[int] = []
    for prop in base.properties:
        of_it = [(r, p) for r in results for p in r.properties if p.name == prop.name]
        claims = [said(*each) for each in of_it]
        best = strongest(claims)
        properties.append(of_it[claims.index(best)][1])
        bounds += [] if best.bound is None else [best.bound]
    wrongs = [r.wrong for r in results if r.wrong is not None]
    return replace(
        base,
        engine=engine,
        properties=tuple(properties),
        stop=_stop(base, results),
        wrong=min(wrongs, key=_length, default=None),
        bound=min(bounds, default=None),
        engines=tuple(results),
        unsure=() if base.complete else tuple(dict.fromkeys(name for result in results for name in result.unsure)),
    )


def _shown(results: Sequence[CheckResult]) -> CheckResult:
    """The first; or, where one shows its traces on a system of its own (one without bounds, some numbers written out),
    that one, as traces are of the system that the result names."""
    if all(result.system is results[0].system for result in results):
        return results[0]
    traced = (r for r in results if r.wrong is not None or any(p.trace is not None for p in r.properties))
    return next(traced, results[0])


def _stop(base: CheckResult, results: Sequence[CheckResult]) -> Stop | None:
    """Why no engine came to its end: what each says, and an interrupt before all, whoever was through by then."""
    stops = [(result.engine, result.stop) for result in results if result.stop is not None]
    for _, stop in stops:
        if stop.kind == "interrupted":
            return stop
    if base.complete:
        return None
    return Stop(stops[0][1].kind, "; ".join(f"{engine}: {stop.reason}" for engine, stop in stops)) if stops else None
