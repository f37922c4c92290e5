"""What clauses of an invariant are made of, for the number that it speaks of.

Literals are truths of the state, values of small slots, orders between numbers, and membership of the number.
"""

from __future__ import annotations

from itertools import combinations
from typing import Final

from fenceproof.model.expressions import UNBOUNDED, Expression

from .obligations import Parametric

#: Slots with more values than this are no cases to tell apart.
_MOST_VALUES: Final = 4


def literals(p: Parametric) -> list[Expression]:
    """What clauses are made of."""
    x = p.x
    atoms: list[Expression] = [x.select(p.slot(s), p.number) for s in p.predicates]
    numbers = [p.number] if p.predicates else []
    for s in p.scalars:
        slot, node = p.system.slots[s], p.slot(s)
        if slot.is_bool:
            atoms.append(node)
        elif slot.hi - slot.lo < _MOST_VALUES:
            atoms += [x.equal(node, x.const(v)) for v in range(slot.lo, slot.hi + 1)]
        elif slot.hi >= UNBOUNDED:
            numbers.append(node)
            atoms += [x.less(node, x.const(slot.lo + 1)), x.less(node, x.const(slot.lo + 2))]
        else:
            atoms.append(x.equal(node, x.const(slot.lo)))
    for a, b in combinations(numbers, 2):
        atoms += [x.less(a, b), x.less(b, a)]
    found = {n.number: n for atom in atoms for n in (atom, x.negate(atom)) if not n.is_const}
    return list(found.values())
