"""What is true of the states that were reached with numbers up to some N: every literal, for every number.

No state is left out of those up to N, save where there are too many, so what is true of all of them is likely to be
true of all there are. Nothing is proved by it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from fenceproof.model.expressions import Expression
from fenceproof.model.rewrite import substituted
from numpy.typing import NDArray

from ..engines.compile import as_mask, compile_roots
from ..engines.cover import cover
from ..engines.explicit import Search, chunks
from ..engines.words import size
from .held import Held
from .obligations import Parametric

#: bool[rows, literals]: each way in which literals are true together of a state and a number, once.
Rows = NDArray[np.bool_]


def rows_of(p: Parametric, held: Held, search: Search, literals: Sequence[Expression]) -> Rows:
    """The rows of every state that a search of the held system has reached, and one number more than there is."""
    if not literals:
        return np.ones((1, 0), dtype=np.bool_)
    numbers = range(held.most + 2) if p.predicates else (0,)
    found: list[NDArray[Any]] = []
    for number in numbers:
        said = {p.number.number: p.x.const(number)}
        program = compile_roots([held.translation.of(substituted(p.x, node, said)) for node in literals])
        for level in search.levels:
            for chunk in chunks(level):
                columns = search.expander.columns(chunk, program.slots)
                values = program.run([columns[i] for i in program.slots])
                masks = np.column_stack([as_mask(value, size(chunk)) for value in values])
                found.append(np.unique(np.packbits(masks, axis=1), axis=0))
    return np.unpackbits(np.unique(np.concatenate(found), axis=0), axis=1, count=len(literals)).astype(np.bool_)


def covering(rows: Rows, false: NDArray[np.bool_]) -> tuple[int, ...] | None:
    """A short clause of literals that are false of something, and of which one is true in each row; None for none.

    Greedily, then without what turns out not to be needed.
    """
    usable: list[int] = np.flatnonzero(false).tolist()
    chosen = cover(~rows, usable)
    if chosen is None:
        return None
    for literal in list(chosen):
        rest = [i for i in chosen if i != literal]
        if rest and rows[:, rest].any(axis=1).all():
            chosen = rest
    return tuple(chosen)
