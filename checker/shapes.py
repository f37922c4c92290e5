"""Shapes: expressions of several systems in one table, so that what is written alike over renamed slots is one shape.

A shape is a number. Two expressions have the same one only if they have the same value in every state, once their
slots are renamed: operators and arguments are compared one by one, in any order where order does not matter. Truth
values also have a `diagram`, a reduced ordered binary decision diagram (Bryant, "Graph-based algorithms for Boolean
function manipulation", IEEE Trans. Computers 35(8), 1986) over whatever is not built by `and`, `or`, `not`: with it
two conditions are told to be one however their connectives are arranged. What the table says is the same is the same;
what it tells apart may still be (arithmetic is not its business).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from fenceproof.model.expressions import Expression, Op, reachable

#: Where a slot is after renaming: in which copy, and at which place of it.
Named: TypeAlias = tuple[int, int]
Naming: TypeAlias = Callable[[int], Named]

#: Nodes and atoms of diagrams; with more it is not said whether two conditions are one. Diagrams are as deep as they
#: have atoms, and are made by recursion.
MOST_NODES: Final = 200_000
MOST_ATOMS: Final = 400

_COMMUTATIVE: Final = (Op.AND, Op.OR, Op.EQ, Op.ADD, Op.MUL)


class TooLargeError(Exception):
    """The diagrams grew beyond what they are allowed; nothing is known of the conditions that were compared."""


class Shapes:
    """The shapes and diagrams of expressions that are to be compared."""

    def __init__(self) -> None:
        self._shapes: dict[tuple[object, ...], int] = {}
        self._diagrams = _Diagrams()

    def shape(self, root: Expression, naming: Naming) -> int:
        """The shape of an expression with its slots renamed."""
        return self._all([root], naming)[root.number]

    def _all(self, roots: Sequence[Expression], naming: Naming) -> dict[int, int]:
        found: dict[int, int] = {}
        for node in reachable(roots):
            args = [found[a.number] for a in node.args]
            key: tuple[object, ...]
            match node.op:
                case Op.SLOT | Op.NEXT:
                    key = (node.op, *naming(node.value))
                case Op.CONST:
                    key = (node.op, node.is_bool, node.value)
                case _:
                    key = (node.op, node.value, *(sorted(args) if node.op in _COMMUTATIVE else args))
            found[node.number] = self._shapes.setdefault(key, len(self._shapes))
        return found

    def diagram(self, root: Expression, naming: Naming) -> int:
        """The diagram of a truth value with its slots renamed. Raises TooLargeError."""
        assert root.is_bool, "numbers have no diagram"
        d = self._diagrams
        shapes = self._all([root], naming)
        found: dict[int, int] = {}
        for node in reachable([root]):
            if not node.is_bool:
                continue
            args = [found.get(a.number, 0) for a in node.args]
            match node.op:
                case Op.CONST:
                    made = d.true if node.value else d.false
                case Op.NOT:
                    made = d.choose(args[0], d.false, d.true)
                case Op.AND:
                    made = self.all_of(args)
                case Op.OR:
                    made = self.any_of(args)
                case Op.ITE:
                    made = d.choose(args[0], args[1], args[2])
                case Op.EQ if node.args[0].is_bool and node.args[1].is_bool:
                    made = d.choose(args[0], args[1], d.choose(args[1], d.false, d.true))
                case _:
                    made = d.atom(_copy_of(node, naming), shapes[node.number])
            found[node.number] = made
        return found[root.number]

    def all_of(self, diagrams: Sequence[int]) -> int:
        """The diagram of a conjunction."""
        made = self._diagrams.true
        for one in reversed(diagrams):
            made = self._diagrams.choose(one, made, self._diagrams.false)
        return made

    def any_of(self, diagrams: Sequence[int]) -> int:
        """The diagram of a disjunction."""
        made = self._diagrams.false
        for one in reversed(diagrams):
            made = self._diagrams.choose(one, self._diagrams.true, made)
        return made


def _copy_of(node: Expression, naming: Naming) -> int:
    """The copy that an atom is about: its place in the order of variables, which changes no meaning."""
    low = (node.support & -node.support).bit_length() - 1
    return naming(low // 2)[0] if node.support else 0


class _Diagrams:
    """Reduced ordered decision diagrams; one is the number of its uppermost node, and equal ones are the same number.

    Atoms are ordered by copy first, so that a conjunction over copies is as long as they are, and no longer. One that
    comes later may lie between others, which leaves their order as it was.
    """

    false: Final = 0
    true: Final = 1

    def __init__(self) -> None:
        self._nodes: list[tuple[Named, int, int]] = [((0, 0), 0, 0), ((0, 0), 1, 1)]
        self._numbers: dict[tuple[Named, int, int], int] = {}
        self._made: dict[tuple[int, int, int], int] = {}
        self._atoms: dict[Named, Named] = {}

    def atom(self, copy: int, shape: int) -> int:
        """The diagram of something that is true or not."""
        order = self._atoms.setdefault((copy, shape), (copy, len(self._atoms)))
        if len(self._atoms) > MOST_ATOMS:
            raise TooLargeError
        return self._node(order, self.true, self.false)

    def _node(self, order: Named, then: int, other: int) -> int:
        if then == other:
            return then
        key = (order, then, other)
        found = self._numbers.get(key)
        if found is None:
            if len(self._nodes) >= MOST_NODES:
                raise TooLargeError
            found = self._numbers[key] = len(self._nodes)
            self._nodes.append(key)
        return found

    def choose(self, condition: int, then: int, other: int) -> int:
        """`then` if `condition` else `other`."""
        if condition <= 1:
            return then if condition else other
        if then == other:
            return then
        if then == self.true and other == self.false:
            return condition
        key = (condition, then, other)
        found = self._made.get(key)
        if found is None:
            top = min(self._nodes[part][0] for part in key if part > 1)
            yes = self.choose(*[self._side(part, top, 1) for part in key])
            no = self.choose(*[self._side(part, top, 2) for part in key])
            found = self._made[key] = self._node(top, yes, no)
        return found

    def _side(self, diagram: int, top: Named, side: int) -> int:
        node = self._nodes[diagram]
        if diagram <= 1 or node[0] != top:
            return diagram
        return node[1] if side == 1 else node[2]
