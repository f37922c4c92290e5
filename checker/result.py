"""What a run found: a verdict and a trace for each property, counts, coverage. Data only; printing is `report/`."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any, Final

from fenceproof.model.errors import UsageError, nearest
from fenceproof.model.system import Mistake, TransitionSystem
from fenceproof.model.trace import Trace

from .limits import Stop
from .minimal import Necessity, Stories
from .proof import Cti, Proof
from .verdict import Verdict, combine

if TYPE_CHECKING:
    import networkx


#: What is said of every model, whatever its author says.
STUCK: Final = "No reachable state is stuck, that is, without anything but faults left to happen and yet not terminal."


class Sort(Enum):
    """What a property speaks of."""

    INVARIANT = "invariant"
    STEP = "step property"
    DEADLOCK = "deadlock"
    LIVENESS = "liveness"


@dataclass(frozen=True, slots=True)
class PropertyResult:
    """What was found of one property. `witnesses` counts the violating states, or transitions, that were reached;
    for liveness, the states at which a fair behaviour can stay for ever; None where an engine does not count. `proof`
    is why it holds, where an argument was found; `cti` is what an argument by induction failed on. `remark` says what
    there is to know besides, as why an engine says nothing of this property. `is_cheapest` is False where the trace may
    not be the one with the fewest faults and changes of all that are as short; the explicit engine looks for that one.
    `stories` and `necessity` were asked for."""

    name: str
    sort: Sort
    meaning: str
    verdict: Verdict
    witnesses: int | None
    trace: Trace | None
    proof: Proof | None = None
    cti: Cti | None = None
    remark: str = ""
    is_cheapest: bool = True
    stories: Stories | None = None
    necessity: Necessity | None = None


@dataclass(frozen=True, slots=True)
class Wrong:
    """The model itself went wrong: how, and by which trace."""

    mistake: Mistake
    trace: Trace

    @property
    def text(self) -> str:
        """What went wrong, after the line where it did."""
        where = f"{self.mistake.site}: " if self.mistake.site is not None else ""
        return f"{where}{self.mistake.message}"


@dataclass(frozen=True, slots=True)
class Coverage:
    """How often each transition of the system was taken, by its position, and at which depth first (0: never)."""

    taken: tuple[int, ...]
    first_depth: tuple[int, ...]

    def never_enabled(self, system: TransitionSystem) -> tuple[str, ...]:
        """The actions none of whose transitions was ever enabled, in the model's order."""
        seen = {t.action for t, n in zip(system.transitions, self.taken, strict=True) if n}
        return tuple(dict.fromkeys(t.action for t in system.transitions if t.action not in seen))


@dataclass(frozen=True, slots=True)
class Independence:
    """What was asked of `copies`, as `parameter` counts them, was found by checking one: they share nothing.

    `shown_for` are the numbers with which the model was compared with itself with one copy, by its transition system.
    """

    parameter: str
    copies: int
    shown_for: tuple[int, ...]

    @property
    def any_number(self) -> bool:
        """Whether the model was found to treat one number as another, and not only the number that was asked for."""
        return len(self.shown_for) > 1

    @property
    def statement(self) -> str:
        """What was checked, and what follows from it."""
        name = self.parameter
        numbers = " and with ".join(f"{name}={number}" for number in self.shown_for)
        those = f"any number of {name} that are such copies" if self.any_number else f"{name}={self.copies}"
        return (
            f"{name} share nothing: checked on the transition system, which with {numbers} is that many copies, side "
            f"by side, of the one with {name}=1. What is found of one copy is found of any number of them, so the "
            f"verdict is that for {those}; states and traces are those of {name}=1"
        )


@dataclass(frozen=True, slots=True)
class CheckResult:
    """One run of an engine on a system. With `independence`, the system is one copy of what was asked for; `beside`
    says why it is not, where that was looked into. `distinct` and `generated` are None for an engine that does not
    visit states one by one. `bound` is the number of steps up to which a bounded search asked everything; None for one
    that is not bounded. `engines` is what each one found where several were asked. `unsure` are the actions of which it
    was not found out whether they are ever enabled, which keeps the whole from being proved.
    `lifted` is the system that proofs are of, where `system` is that one with some numbers written out for its traces.
    `unbounded` is what was proved of the same model without its bounds, and `unsaid` why nothing was looked into there.
    Without `is_counted` it was interrupted after the search, before the shortest counterexamples were counted.
    """

    system: TransitionSystem
    engine: str
    properties: tuple[PropertyResult, ...]
    distinct: int | None
    generated: int | None
    depth: int
    stop: Stop | None
    wrong: Wrong | None
    coverage: Coverage
    seconds: float = field(compare=False)
    independence: Independence | None = None
    beside: str = ""
    bound: int | None = None
    engines: tuple[CheckResult, ...] = field(default=(), compare=False)
    unsure: tuple[str, ...] = ()
    unbounded: CheckResult | None = field(default=None, compare=False)
    unsaid: str = field(default="", compare=False)
    lifted: TransitionSystem | None = field(default=None, compare=False)
    is_counted: bool = True

    def said(self, verdict: Verdict) -> str:
        """A verdict in words, a bounded one with its bound: what is vacuous so far may be put to the test later."""
        if self.bound is not None and verdict is Verdict.VACUOUS:
            return f"{verdict} up to {self.bound}"
        return f"{verdict} {self.bound}" if verdict is Verdict.BOUNDED else str(verdict)

    def said_of(self, found: PropertyResult) -> str:
        """The verdict of one property in words; one that rests on a proof has no bound."""
        return str(found.verdict) if found.proof is not None else self.said(found.verdict)

    @property
    def proved_of(self) -> TransitionSystem:
        """The system that proofs are of: with every number, though traces may be of one with a few."""
        return self.lifted or self.system

    @property
    def visited(self) -> int:
        """How many distinct states were visited, by an engine that counts them."""
        assert self.distinct is not None, f"{self.engine} does not count states"
        return self.distinct

    @property
    def complete(self) -> bool:
        """Whether every reachable state was visited."""
        return self.stop is None and self.wrong is None

    @property
    def never_enabled(self) -> tuple[str, ...]:
        """The actions that never became enabled, where the search was complete."""
        return self.coverage.never_enabled(self.system) if self.complete else ()

    @property
    def missing(self) -> tuple[str, ...]:
        """Those of them that count: not a fault where faults are limited, which may leave no room for it."""
        if self.system.most_faults is None and not self.system.switched_off:
            return self.never_enabled
        faults = {t.action for t in self.system.transitions if t.fault is not None or t.after_fault is not None}
        return tuple(name for name in self.never_enabled if name not in faults)

    @property
    def verdict(self) -> Verdict:
        """What can be said of the whole run."""
        if self.wrong is not None:
            return Verdict.MODEL_ERROR
        found = [p.verdict for p in self.properties]
        if self.unsure:
            found.append(Verdict.INCONCLUSIVE)
        if self.bound is not None and set(found) == {Verdict.VACUOUS}:
            # So far: that is as far as anything is known.
            return Verdict.BOUNDED
        return combine([*found, Verdict.VACUOUS] if self.missing else found)

    @property
    def holds(self) -> bool:
        """Whether every property holds: after a complete search in which each was put to the test, or by proof."""
        return self.verdict in (Verdict.HOLDS, Verdict.PROVED)

    @property
    def proved(self) -> tuple[PropertyResult, ...]:
        """The properties that an argument was found for: those that a certificate is of."""
        return tuple(p for p in self.properties if p.verdict is Verdict.PROVED and p.proof is not None)

    def trace(self, name: str) -> Trace | None:
        """The trace of a violated property, None for another; `-` and `_` alike. UsageError for an unknown name."""
        for found in self.properties:
            if found.name.replace("_", "-") == name.replace("_", "-"):
                return found.trace
        raise UsageError(nearest(name, (p.name for p in self.properties), "The property"))

    def __repr__(self) -> str:
        parameters = ", ".join(f"{name}={value}" for name, value in self.system.parameters.items())
        lines = [f"<CheckResult of {self.system.name}({parameters}): {self.verdict}>"]
        if self.independence is not None:
            lines.append(f"    {self.independence.statement}")
        for found in self.properties:
            steps = "" if found.trace is None else f" in {len(found.trace)} step{'' if len(found.trace) == 1 else 's'}"
            lines.append(f"    {found.name}: {found.verdict}{steps}")
        return "\n".join(lines)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        """What a notebook shows: the verdicts as a table, and the first counterexample as a sequence diagram.

        All that there is, whatever is asked for: a notebook chooses.
        """
        from .export.traces import Shown
        from .report.notebook import Row, bundle

        rows = [
            Row(p.name, self.said_of(p), None if p.trace is None else len(p.trace), p.meaning) for p in self.properties
        ]
        told = [(p.trace, p.name) for p in self.properties if p.verdict is Verdict.VIOLATED and p.trace is not None]
        named: list[tuple[Trace, str | None]] = [*([] if self.wrong is None else [(self.wrong.trace, None)]), *told]
        shown = next((Shown(self.system.name, self.system, trace, name) for trace, name in named), None)
        return bundle(repr(self), repr(self).partition("\n")[0].strip("<>"), rows, shown)

    def _repr_html_(self) -> str:
        """The same, where only HTML is asked for."""
        return self._repr_mimebundle_()["text/html"]

    def graph(self) -> networkx.MultiDiGraph[Any]:
        """The reachable states and transitions as a labelled graph; raises UsageError where they are too many."""
        from .graph import explored_graph

        return explored_graph(self.system)
