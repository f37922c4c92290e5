"""A behaviour of a model found by its states alone, for a trace that says nothing of actions.

The states reachable along the trace are gone through level by level, so whatever behaviour has these states is found.
Not a search of the model: each level holds only states that look as the trace says.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias

from .budgets import SPENT
from .errors import FormatError, nearest
from .itf import plain_values
from .step import enabled, take
from .system import State, TransitionSystem
from .trace import Trace, replay

#: What a trace may leave open are the counters of faults; more states than this that look alike are given up.
_MOST_ALIKE: Final = 10_000
_Wanted: TypeAlias = dict[int, int]


def matched(
    system: TransitionSystem, states: Sequence[Mapping[str, object]], loop: int | None = None
) -> tuple[Trace, bool]:
    """The first behaviour with these states, and whether there are others. Counters of faults need not be given.

    The values are those of the format. Raises FormatError where no behaviour of the model has these states.
    """
    wanted = [_wanted(system, values) for values in states]
    if loop is not None and 0 <= loop < len(wanted) and wanted[loop] != wanted[-1]:
        wanted.append(wanted[loop])  # The step that closes the loop is not written down.
    starts = [state for state in system.initial if _looks(state, wanted[0])]
    if not starts:
        raise FormatError("the trace begins in a state that is not an initial state of the model.")
    levels: list[dict[State, list[tuple[State, int]]]] = [{state: [] for state in starts}]
    for number, want in enumerate(wanted[1:], start=1):
        reached: dict[State, list[tuple[State, int]]] = {}
        for before in levels[-1]:
            for position in enabled(system, before):
                after = take(system.transitions[position], before).state
                if after is not None and _looks(after, want):
                    reached.setdefault(after, []).append((before, position))
        if not reached:
            raise FormatError(f"step {number}: no action of the model leads to the state that the trace gives.")
        if len(reached) > _MOST_ALIKE:
            raise FormatError(f"step {number}: more than {_MOST_ALIKE:,} states of the model look as the trace says.")
        levels.append(reached)
    several = len(levels[-1]) > 1
    found, taken = [next(iter(levels[-1]))], list[int]()
    for level in reversed(levels[1:]):
        ways = level[found[0]]
        several = several or len(ways) > 1
        before, position = ways[0]
        found.insert(0, before)
        taken.insert(0, position)
    trace = Trace(tuple(found), tuple(taken), loop)
    if loop is not None and not 0 <= loop < len(found):
        raise FormatError(f"the loop goes back to state {loop}, and there are {len(found)} states.")
    problem = replay(system, trace)
    if problem is not None:
        raise FormatError(problem)
    return trace, several


def _wanted(system: TransitionSystem, values: Mapping[str, object]) -> _Wanted:
    """Which slot has to hold what."""
    names = [v.name for v in system.variables]
    for name in values:
        if name not in names:
            raise FormatError(nearest(name, names, "The variable"))
    plain = plain_values(system, values)
    wanted: _Wanted = {}
    for variable in system.variables:
        if variable.name in plain:
            found = variable.kind.from_json(plain[variable.name], variable.name)
            wanted.update(enumerate(found, start=variable.first))
        elif not variable.name.startswith(SPENT):
            raise FormatError(f"there is no value of the variable {variable.name}.")
    return wanted


def _looks(state: State, wanted: _Wanted) -> bool:
    return all(state[slot] == value for slot, value in wanted.items())
