"""How a trace begins, where a model has several initial states: what is particular about the one it begins in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fenceproof.model.constants import choice_json
from fenceproof.model.kinds import Kind, RecordKind, SequenceKind
from fenceproof.model.system import State, TransitionSystem

from .changes import shown


def beginning(system: TransitionSystem, state: State) -> tuple[str, ...]:
    """The parts of an initial state that are not alike in all of them, as `turn = 0`; none where there is only one.

    Nor of a state that is none: what an argument by induction fails on begins anywhere.
    """
    if state not in system.initial:
        return ()
    return tuple(
        text
        for variable in system.variables
        for text in _particular(variable.kind, variable.name, variable.first, state, system.initial)
    )


def _particular(kind: Kind, name: str, first: int, state: State, starts: Sequence[State]) -> Iterator[str]:
    part = slice(first, first + kind.width)
    if all(start[part] == state[part] for start in starts):
        return
    match kind:
        case RecordKind():
            for field, inner in kind.fields.items():
                yield from _particular(inner, f"{name}.{field}", first + kind.offsets[field], state, starts)
        case SequenceKind():
            for number, key in enumerate(kind.keys):
                at = first + number * kind.item.width
                yield from _particular(kind.item, f"{name}[{choice_json(key)}]", at, state, starts)
        case _:
            yield f"{name} = {shown(kind.to_json(state[part]))}"
