"""What a truth value that is wrong would need to be right: the clauses that decide it, each the way it has to be."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from fenceproof.model.expressions import Expression, Op, evaluate, reachable
from fenceproof.model.rendering import render
from fenceproof.model.system import State, Transition, TransitionSystem

from .named import Names

#: Alternatives that are named, and values that are shown; the rest is counted.
MOST: Final = 6

_READS: Final = frozenset({Op.SLOT, Op.NEXT})


@dataclass(slots=True)
class Point:
    """A state, or a step by a transition, at which expressions are looked at."""

    system: TransitionSystem
    before: State
    after: State = ()
    transition: Transition | None = None
    names: Names = field(init=False)

    def __post_init__(self) -> None:
        self.names = Names(self.system)

    @property
    def outcome(self) -> int:
        """The position of the step's outcome."""
        return 0 if self.transition is None else evaluate([self.transition.outcome], self.before)[0]

    def holds(self, nodes: Sequence[Expression]) -> list[bool]:
        """The truth of some expressions here."""
        return [bool(value) for value in evaluate(nodes, self.before, self.after, self.outcome)]

    def read(self, node: Expression) -> str:
        """A slot or the outcome with the value that it has here."""
        if node.op is Op.OUTCOME:
            assert self.transition is not None
            return f"outcome = {self.transition.outcomes[self.outcome]}"
        state = self.after if node.op is Op.NEXT else self.before
        return f"{self._text(node)} = {self.names.value(node.value, state[node.value])}"

    def clause(self, node: Expression, want: bool) -> str:
        """A clause, or its negation, as an author would write it."""
        if node.op in (Op.EQ, Op.LT):
            left, right = node.args
            symbol, negated, turned, turned_negated = (
                ("==", "!=", "==", "!=") if node.op is Op.EQ else ["<", ">=", ">", "<="]
            )
            if left.is_const:
                left, right, symbol, negated = right, left, turned, turned_negated
            return f"{self._side(left, right)} {symbol if want else negated} {self._side(right, left)}"
        text = self._text(node)
        if node.op in _READS:
            return f"{text} == {self.names.value(node.value, int(want))}"
        return text if want else f"not {text}"

    def _side(self, node: Expression, other: Expression) -> str:
        if node.is_const and other.op in _READS:
            return self.names.value(other.value, node.value)
        if node.is_const and other.op is Op.OUTCOME and self.transition is not None:
            return str(self.transition.outcomes[node.value])
        return self._text(node)

    def _text(self, node: Expression) -> str:
        # A comparison in a comparison, as in `a == (b == c)`, has constants that mean something as well.
        inner = node.args[0] if node.op is Op.NOT else node
        if inner.op in (Op.EQ, Op.LT):
            return f"({self.clause(inner, want=inner is node)})"
        return render(node, self.names.name)


def needs(point: Point, node: Expression) -> list[str]:
    """What a false expression needs to be true: lines, all of which are needed, each with the values it has here."""
    lines: list[str] = []
    for part, want in dict.fromkeys(_together(point, node, want=True)):
        leaves: list[Expression] = []
        text = _text(point, part, want, leaves)
        if text:
            read = [n for n in reachable(leaves) if n.op in (*_READS, Op.OUTCOME)]
            lines.append(f"{text}; here {_listed(list(dict.fromkeys(map(point.read, read))), ', ', 'and')}")
    return lines


def _wrong(point: Point, node: Expression, want: bool) -> list[Expression]:
    return [part for part, holds in zip(node.args, point.holds(node.args), strict=True) if holds is not want]


def _together(point: Point, node: Expression, *, want: bool) -> Iterator[tuple[Expression, bool]]:
    """The parts each of which has to change, with the truth that it has to have."""
    match node.op:
        case Op.NOT:
            yield from _together(point, node.args[0], want=not want)
        case Op.AND if want:
            for part in _wrong(point, node, want):
                yield from _together(point, part, want=want)
        case Op.OR if not want:
            for part in _wrong(point, node, want):
                yield from _together(point, part, want=want)
        case _:
            yield node, want


def _text(point: Point, node: Expression, want: bool, leaves: list[Expression], *, is_inner: bool = False) -> str:
    match node.op:
        case Op.CONST:
            return ""
        case Op.NOT:
            return _text(point, node.args[0], not want, leaves, is_inner=is_inner)
        case Op.AND | Op.OR:
            is_joint = (node.op is Op.AND) is want
            parts = [
                text for part in _wrong(point, node, want) if (text := _text(point, part, want, leaves, is_inner=True))
            ]
            text = _listed(list(dict.fromkeys(parts)), " and " if is_joint else " or ", "and" if is_joint else "or")
            return f"({text})" if is_inner and len(parts) > 1 else text
        case Op.ITE if node.is_bool:
            condition, *branches = node.args
            holds = point.holds([condition])[0]
            chosen = branches[0] if holds else branches[1]
            if chosen.is_const:
                return _text(point, condition, not holds, leaves, is_inner=is_inner)
            leaves.append(condition)
            return _text(point, chosen, want, leaves, is_inner=is_inner)
        case _:
            leaves.append(node)
            return point.clause(node, want)


def _listed(texts: list[str], by: str, last: str) -> str:
    more = f"{by}{last} {len(texts) - MOST} more" if by == ", " else f" {last} {len(texts) - MOST} more"
    return by.join(texts[:MOST]) + (more if len(texts) > MOST else "")
