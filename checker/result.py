"""What a run found: a verdict and a trace for each property, counts, coverage. Data only; printing is `report/`."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any

from fenceproof.model.system import Mistake, TransitionSystem
from fenceproof.model.trace import Trace

from .limits import Stop
from .verdict import Verdict, combine

if TYPE_CHECKING:
    import networkx


class Sort(Enum):
    """What a property speaks of."""

    INVARIANT = "invariant"
    STEP = "step property"
    DEADLOCK = "deadlock"
    LIVENESS = "liveness"


@dataclass(frozen=True, slots=True)
class PropertyResult:
    """What was found of one property. `witnesses` counts the violating states, or transitions, that were reached;
    for liveness, the states at which a fair behaviour can stay for ever."""

    name: str
    sort: Sort
    meaning: str
    verdict: Verdict
    witnesses: int
    trace: Trace | None


@dataclass(frozen=True, slots=True)
class Wrong:
    """The model itself went wrong: how, and by which trace."""

    mistake: Mistake
    trace: Trace


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
class CheckResult:
    """One run of an engine on a system."""

    system: TransitionSystem
    engine: str
    properties: tuple[PropertyResult, ...]
    distinct: int
    generated: int
    depth: int
    stop: Stop | None
    wrong: Wrong | None
    coverage: Coverage
    seconds: float = field(compare=False)

    @property
    def complete(self) -> bool:
        """Whether every reachable state was visited."""
        return self.stop is None and self.wrong is None

    @property
    def never_enabled(self) -> tuple[str, ...]:
        """The actions that never became enabled, where the search was complete."""
        return self.coverage.never_enabled(self.system) if self.complete else ()

    @property
    def verdict(self) -> Verdict:
        """What can be said of the whole run."""
        if self.wrong is not None:
            return Verdict.MODEL_ERROR
        found = [p.verdict for p in self.properties]
        return combine([*found, Verdict.VACUOUS] if self.never_enabled else found)

    def graph(self) -> networkx.MultiDiGraph[Any]:
        """The reachable states and transitions as a labelled graph; raises UsageError where they are too many."""
        from .graph import explored_graph

        return explored_graph(self.system)
