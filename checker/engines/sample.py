"""Some of the reachable states, from the shallow to the deep: a breadth-first search that goes on, on a level with too
many states, from some of them drawn at random.

What was seen is reachable, with a trace; what was not seen may be reachable all the same, unless the search was
complete, that is, left nothing out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from fenceproof.model.layout import Layout
from fenceproof.model.system import DEADLOCK, State, TransitionSystem
from fenceproof.model.trace import Trace

from ..limits import Limits, Watch
from .expand import Expander
from .explicit import Search
from .shortest import Backwards
from .tally import StateChecks, StepChecks, Tally, Witnesses
from .words import Batch, Run, join, mix, pack, positions, size, take

#: How many states of a level the search goes on from.
WIDTH: Final = 6_000
#: How many states are looked at in all.
BUDGET: Final = 150_000
_SEED: Final = 20


@dataclass(slots=True)
class _Thinned(Search):
    """A search that goes on from `width` states of a level at most."""

    width: int | None = None
    thinned: bool = False
    random: np.random.Generator = field(default_factory=lambda: np.random.default_rng(_SEED))

    def kept(self, fresh: Run) -> Run:
        """Those that are drawn, in order."""
        if self.width is None or len(fresh) <= self.width:
            return fresh
        self.thinned = True
        rows = np.sort(self.random.choice(len(fresh), self.width, replace=False))
        return Run(fresh.keys[rows], take(fresh.batch, rows))


class Sample:
    """Reachable states, level by level, and what was seen of the properties on the way."""

    def __init__(self, system: TransitionSystem, names: Sequence[str], limits: Limits, *, width: int | None) -> None:
        self.system = system
        self.layout = Layout.of(system.slots)
        steps = StepChecks(system, [p for p in system.step_properties if p.name in names])
        states = StateChecks(system, [i for i in system.invariants if i.name in names], DEADLOCK in names)
        self._expander = Expander(system, self.layout, steps.roots)
        watch = Watch.start(limits)
        self._search = _Thinned(system, self.layout, self._expander, states, steps, watch, None, width=width)
        self._search.run()
        self._tallies = {t.name: t for t in (*states.tallies, *steps.tallies)}
        self.states: Batch = join(self._search.levels)
        self.taken = tuple(self._search.taken)
        self.first_depth = tuple(self._search.first_depth)

    @property
    def is_complete(self) -> bool:
        """Whether every reachable state was visited."""
        search = self._search
        return not search.thinned and search.stop is None and not search.accidents

    @property
    def is_interrupted(self) -> bool:
        """Whether somebody ended the search."""
        return self._search.stop is not None and self._search.stop.kind == "interrupted"

    def __len__(self) -> int:
        return size(self.states)

    def tally(self, name: str) -> Tally:
        """What was seen of a property."""
        return self._tallies[name]

    def columns(self) -> dict[int, np.ndarray]:
        """The values of each slot in the states that were seen."""
        return self._expander.columns(self.states, range(len(self.system.slots)))

    def trace_to(self, state: State) -> Trace | None:
        """A behaviour that leads to a state, the shortest where the search was complete; None if it was not seen."""
        wanted = pack(self.layout, [state])
        for level, batch in enumerate(self._search.levels):
            run = Run(mix(batch), batch)
            if positions(run, wanted, mix(wanted))[0] >= 0:
                backwards = Backwards(self.system, self.layout, self._search.levels)
                return backwards.to([Witnesses(level, None, wanted)])
        return None
