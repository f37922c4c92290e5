"""Expressions as numbered nodes: what a certificate holds of them, well typed, each once, with bounds found anew.

Not the model's own table: nothing is folded here, so that what is read is what is checked, and the bounds that say how
wide a number is are worked out again from the slots' ranges.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from fenceproof.model.errors import FormatError
from fenceproof.model.expressions import LARGEST, PREDICATE, UNBOUNDED, Expression, Op
from fenceproof.model.layout import Slot

from ..parametric.obligations import NUMBER

#: Leaves that are numbers from a least one on.
NATURALS: Final = frozenset({Op.PARAM, Op.BOUND})
LEAVES: Final = frozenset({Op.CONST, Op.SLOT, Op.NEXT, Op.OUTCOME}) | NATURALS
#: What only a system whose numbers have no bound is made of.
_WIDE: Final = NATURALS | {Op.SELECT, Op.STORE, Op.EXISTS}
#: How many arguments an inner node has; None: two or more.
_ARITY: Final[dict[Op, int | None]] = {Op.NOT: 1, Op.AND: None, Op.OR: None, Op.ITE: 3, Op.STORE: 3}
#: More positions of parameters than these, or quantifiers within each other, are refused.
MOST_NATURALS: Final = 64


@dataclass(frozen=True, slots=True)
class Node:
    """One node. `value` is the constant, the slot's or the parameter's position, for `OUTCOME` how many outcomes there
    are, and for `BOUND` and `EXISTS` the nesting of the quantifier."""

    op: Op
    args: tuple[int, ...]
    value: int
    is_bool: bool
    lo: int
    hi: int

    @property
    def is_set(self) -> bool:
        """Whether this is a set of natural numbers (a constant one is written as a number)."""
        return self.hi == PREDICATE


class Nodes(Sequence[Node]):
    """A growing list of nodes over some slots, arguments before users. The same node is never listed twice.

    With `is_wide` numbers need no bound; elsewhere there are no sets of them, and each fits into 64 bits.
    """

    def __init__(self, slots: Sequence[Slot], *, is_wide: bool = False) -> None:
        self.slots = tuple(slots)
        self.is_wide = is_wide
        self._nodes: list[Node] = []
        self._numbers: dict[tuple[Op, tuple[int, ...], int, bool, int], int] = {}

    def __len__(self) -> int:
        return len(self._nodes)

    def __getitem__(self, number: int) -> Node:  # type: ignore[override]
        return self._nodes[number]

    def add(self, op: Op, args: tuple[int, ...] = (), value: int = 0, *, truth: bool = False, least: int = 0) -> int:
        """The number of a node, made if it is new; `truth` is for constants, `least` for a number without a bound.

        FormatError for one without meaning.
        """
        key = (op, args, value, truth, least)
        found = self._numbers.get(key)
        if found is None:
            if op in _WIDE and not self.is_wide:
                raise FormatError(f"{op.value!r} is of numbers without a bound, and there are none here.")
            node = self._leaf(op, value, truth, least) if op in LEAVES else self._inner(op, args, value)
            if not self.is_wide and (node.lo < -LARGEST or node.hi > LARGEST):
                raise FormatError("a number may become larger than 64 bits hold.")
            found = self._numbers[key] = len(self._nodes)
            self._nodes.append(node)
        return found

    def _leaf(self, op: Op, value: int, truth: bool, least: int) -> Node:
        if op is Op.CONST:
            if truth and value not in (0, 1):
                raise FormatError(f"{value} is no truth value.")
            return Node(op, (), value, truth, value, value)
        if op is Op.OUTCOME:
            if value < 1:
                raise FormatError("a step has one outcome at the least.")
            return Node(op, (), value, False, 0, value - 1)
        if op in NATURALS:
            if not (0 <= value < MOST_NATURALS or (op is Op.PARAM and value == NUMBER)) or not 0 <= least <= LARGEST:
                raise FormatError(f"there is no such {op.value} as {value}, from {least} on.")
            return Node(op, (), value, False, least, UNBOUNDED)
        if not 0 <= value < len(self.slots):
            raise FormatError(f"there is no slot {value}.")
        slot = self.slots[value]
        return Node(op, (), value, slot.is_bool, slot.lo, slot.hi)

    def _inner(self, op: Op, args: tuple[int, ...], value: int) -> Node:
        if not all(0 <= a < len(self._nodes) for a in args):
            raise FormatError(f"a node reads one that does not come before it: {args}.")
        arity = _ARITY.get(op, 2)
        if len(args) != arity if arity is not None else len(args) < 2:
            raise FormatError(f"{op.value!r} does not take {len(args)} arguments.")
        parts = [self._nodes[a] for a in args]
        if not _fits(op, [p.is_bool for p in parts]) or not _has_sets(op, parts):
            raise FormatError(f"{op.value!r} mixes truth values, numbers and sets.")
        if op is Op.EXISTS and not 0 <= value < MOST_NATURALS:
            raise FormatError(f"there is no nesting {value}.")
        lo, hi = _bounds(op, parts)
        # A product may have any bound, and be no set.
        if self.is_wide and not (hi == PREDICATE and op in (Op.STORE, Op.ITE)):
            lo, hi = max(lo, -UNBOUNDED), min(hi, UNBOUNDED)
        is_bool = op in _TRUTHS or (op is Op.ITE and parts[1].is_bool)
        return Node(op, args, value if op is Op.EXISTS else 0, is_bool, lo, hi)

    def graft(self, root: Expression) -> int:
        """The number of an expression of a system, with all that is below it."""
        made: dict[int, int] = {}
        stack = [root]
        while stack:
            node = stack[-1]
            waiting = [a for a in node.args if a.number not in made]
            if node.number not in made and waiting:
                stack.extend(reversed(waiting))
                continue
            stack.pop()
            if node.number not in made:
                value = node.hi + 1 if node.op is Op.OUTCOME else node.value
                truth = node.op is Op.CONST and node.is_bool
                args = tuple(made[a.number] for a in node.args)
                least = node.lo if node.op in NATURALS else 0
                value = value if node.op in LEAVES or node.op is Op.EXISTS else 0
                made[node.number] = self.add(node.op, args, value, truth=truth, least=least)
        return made[root.number]

    def below(self, roots: Iterable[int]) -> list[int]:
        """The numbers of roots and of all that they read, ascending."""
        seen: set[int] = set()
        stack = list(roots)
        while stack:
            number = stack.pop()
            if number not in seen:
                seen.add(number)
                stack.extend(self._nodes[number].args)
        return sorted(seen)

    def slots_read(self, root: int) -> Iterator[int]:
        """The positions of the slots that a node depends on in the state before the step."""
        return (self._nodes[n].value for n in self.below([root]) if self._nodes[n].op is Op.SLOT)


_TRUTHS: Final = frozenset({Op.NOT, Op.AND, Op.OR, Op.EQ, Op.LT, Op.SELECT, Op.EXISTS})


def _has_sets(op: Op, parts: Sequence[Node]) -> bool:
    """Whether sets are where they belong, and only there."""
    are_sets = [p.is_set for p in parts]
    match op:
        case Op.SELECT | Op.STORE | Op.EXISTS:
            return _may_be_set(parts[0]) and not any(are_sets[1:])
        case Op.ITE:
            return not any(are_sets[1:]) or all(_may_be_set(p) for p in parts[1:])
        case _:
            return not any(are_sets)


def _may_be_set(node: Node) -> bool:
    return node.is_set or (node.op is Op.CONST and not node.is_bool and node.value >= 0)


def _fits(op: Op, are_bool: list[bool]) -> bool:
    match op:
        case Op.STORE:
            return are_bool == [False, False, True]
        case Op.EXISTS:
            return are_bool == [False, True]
        case Op.NOT | Op.AND | Op.OR:
            return all(are_bool)
        case Op.EQ:
            return are_bool[0] == are_bool[1]
        case Op.ITE:
            return are_bool[0] and are_bool[1] == are_bool[2]
        case _:
            return not any(are_bool)


def _bounds(op: Op, parts: Sequence[Node]) -> tuple[int, int]:
    """The least and the greatest value of an inner node, from those of its arguments."""
    a, b = parts[0], parts[-1]
    match op:
        case Op.ADD:
            return a.lo + b.lo, a.hi + b.hi
        case Op.SUB:
            return a.lo - b.hi, a.hi - b.lo
        case Op.MUL:
            corners = [x * y for x in (a.lo, a.hi) for y in (b.lo, b.hi)]
            return min(corners), max(corners)
        case Op.DIV:
            reach = max(abs(a.lo), abs(a.hi))
            return -reach, reach
        case Op.MOD:
            # Between 0 and the divisor, whose sign it has; 0 where the divisor is 0.
            return min(0, b.lo + 1), max(0, b.hi - 1)
        case Op.ITE:
            return min(parts[1].lo, b.lo), max(parts[1].hi, b.hi)
        case Op.STORE:
            return 0, PREDICATE
        case _:
            return 0, 1
