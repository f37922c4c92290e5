"""What a truth value that is wrong would need to be right: the clauses that decide it, each the way it has to be."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, TypeAlias, TypeGuard

from fenceproof.model.expressions import Expression, Op, evaluate
from fenceproof.model.rendering import render
from fenceproof.model.system import State, Transition, TransitionSystem

from .named import Names
from .shortened import compared_number, junction, shortened, skeleton

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

    def holds(self, nodes: Sequence[Expression]) -> dict[int, bool]:
        """The truth of some expressions here, by their numbers."""
        values = evaluate(nodes, self.before, self.after, self.outcome)
        return {node.number: bool(value) for node, value in zip(nodes, values, strict=True)}

    def read(self, node: Expression) -> str:
        """A slot, a size or the outcome with the value that it has here."""
        size = self.names.size(node)
        if size is not None:
            return f"{size} = {evaluate([node], self.before, self.after)[0]}"
        if node.op is Op.OUTCOME:
            assert self.transition is not None
            return f"outcome = {self.transition.outcomes[self.outcome]}"
        state = self.after if node.op is Op.NEXT else self.before
        return f"{self._text(node)} = {self.names.value(node.value, state[node.value])}"

    def values(self, nodes: Sequence[Expression]) -> str:
        """Everything that some expressions read, with the values that it has here."""
        read = [self.read(n) for n in self._leaves(nodes)]
        return _listed(list(dict.fromkeys(read)), ", ", "and")

    def _leaves(self, nodes: Sequence[Expression]) -> list[Expression]:
        """What is read of the state, the outcome, and sizes of sets and bags, which are not taken apart."""
        seen: dict[int, Expression] = {}
        stack = list(nodes)
        while stack:
            node = stack.pop()
            if node.number not in seen:
                seen[node.number] = node
                stack.extend(() if self.names.size(node) is not None else node.args)
        leaves = [n for n in seen.values() if n.op in (*_READS, Op.OUTCOME) or self.names.size(n) is not None]
        return sorted(leaves, key=lambda node: node.number)

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
        return text if want else f"not {text}"

    def _side(self, node: Expression, other: Expression) -> str:
        said = self._compared(node, other) if node.is_const else None
        return self._text(node) if said is None else said

    def _compared(self, constant: Expression, other: Expression) -> str | None:
        if other.op is Op.OUTCOME and self.transition is not None:
            return str(self.transition.outcomes[constant.value])
        return self.names.compared(constant, other)

    def _text(self, node: Expression) -> str:
        # A comparison in a comparison, as in `a == (b == c)`, has constants that mean something as well.
        inner = node.args[0] if node.op is Op.NOT else node
        if inner.op in (Op.EQ, Op.LT):
            return f"({self.clause(inner, want=inner is node)})"
        return render(node, self.names.name, compared=self._compared, sized=self.names.size)


@dataclass(frozen=True, slots=True)
class Clause:
    """An expression that has to have a truth value which it has not; what it is worth depends on `given` as well."""

    node: Expression
    want: bool
    given: frozenset[Expression] = field(default=frozenset(), compare=False)


@dataclass(frozen=True, slots=True)
class Junction:
    """All of some needs, or any of them; none of them is a junction of the same sort."""

    is_all: bool
    parts: tuple[Need, ...]
    given: frozenset[Expression] = field(default=frozenset(), compare=False)


Need: TypeAlias = Clause | Junction


@dataclass(frozen=True, slots=True)
class Needed:
    """A part of a false expression, as it would have to be, and in `here` the values that make it false; empty where
    the part says them itself."""

    text: str
    here: str

    @property
    def falsity(self) -> str:
        """That it is false, and why."""
        return f"{self.text} is false{self._here}"

    @property
    def want(self) -> str:
        """What is wanted, and what is there."""
        return f"{self.text}{self._here or ', which is false'}"

    @property
    def _here(self) -> str:
        return f"; here {self.here}" if self.here else ""


def needs(point: Point, node: Expression) -> list[Needed]:
    """What a false expression needs to be true: all of these."""
    need = _change(point, shortened(point.system.expressions, node, point.names.is_count))
    if need is None:
        return []
    together = need.parts if isinstance(need, Junction) and need.is_all else (need,)
    return [_line(point, part, need.given | part.given) for part in together]


def _line(point: Point, need: Need, given: frozenset[Expression]) -> Needed:
    conditions = sorted(given, key=lambda condition: condition.number)
    says_itself = isinstance(need, Clause) and need.node.op in _READS and not conditions
    here = "" if says_itself else point.values([*_nodes(need), *conditions])
    return Needed(_text(point, need, is_inner=True), here)


def _change(point: Point, root: Expression) -> Need | None:
    """What has to change for an expression to have the other truth value; None where nothing can.

    What holds of the parts is known, so each part that has to change at all has to change in one way: to the value
    that it has not. The parts are gone through from below, since properties may be nested deeply.
    """
    parts = skeleton(root)
    holds = point.holds(parts)
    found: dict[int, Need | None] = {}
    for node in parts:
        truth, args = holds[node.number], node.args
        match node.op:
            case Op.CONST:
                found[node.number] = None
            case Op.NOT:
                found[node.number] = found[args[0].number]
            case Op.AND | Op.OR:
                wrong = [found[part.number] for part in args if holds[part.number] is truth]
                found[node.number] = _joined(point, wrong, is_all=(node.op is Op.AND) is not truth)
            case Op.ITE if node.is_bool:
                condition, then, other = args
                taken, left = (then, other) if holds[condition.number] else (other, then)
                ways = [found[taken.number]]
                if holds[left.number] is not truth:
                    ways.insert(0, found[condition.number])
                need = _joined(point, ways, is_all=False)
                found[node.number] = None if need is None else replace(need, given=need.given | {condition})
            case _:
                found[node.number] = Clause(node, not truth)
    return found[root.number]


def _joined(point: Point, given: Iterable[Need | None], *, is_all: bool) -> Need | None:
    """All of some needs, or any of them, without what others of them make superfluous: `a or b` beside `a`,
    `x != 2` beside `x == 1`; and where one of them suffices `a and b` beside `a`, `x == 1` beside `x != 2`."""
    flat: dict[Need, None] = {}
    for need in given:
        if isinstance(need, Junction) and need.is_all is is_all:
            flat.update(dict.fromkeys(replace(part, given=part.given | need.given) for part in need.parts))
        elif need is not None:
            flat.setdefault(need)
    settled = {need.node.args[0] for need in flat if _is_value(need, is_all)}
    parts: list[Need] = []
    for need in flat:
        if isinstance(need, Junction):
            is_superfluous = any(part in flat for part in need.parts)
        else:
            is_superfluous = _is_value(need, not is_all) and need.node.args[0] in settled
        if not is_superfluous:
            parts.append(need)
    parts = _put_together(point, parts, is_all)
    return parts[0] if len(parts) == 1 else Junction(is_all, tuple(parts)) if parts else None


def _put_together(point: Point, parts: list[Need], is_all: bool) -> list[Need]:
    """Some needs, with those that are cases of one number said as one, where the first of them stands."""
    x, names = point.system.expressions, point.names
    together: dict[Expression, list[Clause]] = {}
    for need in parts:
        number = compared_number(need.node) if isinstance(need, Clause) else None
        if number is not None and isinstance(need, Clause):
            together.setdefault(number, []).append(need)
    made: dict[Need, tuple[Need, ...]] = {need: (need,) for need in parts}
    for cases in together.values():
        said = junction(
            x,
            Op.AND if is_all else Op.OR,
            [case.node if case.want else x.negate(case.node) for case in cases],
            names.is_count,
        )
        if compared_number(said) is not None:
            given = frozenset[Expression]().union(*(case.given for case in cases))
            made.update(dict.fromkeys(cases, ()))
            one = Clause(said.args[0], want=False, given=given) if said.op is Op.NOT else Clause(said, True, given)
            made[cases[0]] = (one,)
    return [one for need in parts for one in made[need]]


def _is_value(need: Need, want: bool) -> TypeGuard[Clause]:
    """Whether what is needed is that something has a certain value, or has another one."""
    return isinstance(need, Clause) and need.want is want and need.node.op is Op.EQ and need.node.args[1].is_const


def _nodes(need: Need) -> list[Expression]:
    if isinstance(need, Clause):
        return [need.node]
    return [node for part in need.parts for node in _nodes(part)]


def _text(point: Point, need: Need, *, is_inner: bool = False) -> str:
    if isinstance(need, Clause):
        return point.clause(need.node, need.want)
    parts = [_text(point, part, is_inner=True) for part in need.parts]
    text = _listed(list(dict.fromkeys(parts)), " and " if need.is_all else " or ", "and" if need.is_all else "or")
    return f"({text})" if is_inner else text


def _listed(texts: list[str], by: str, last: str) -> str:
    more = f"{by}{last} {len(texts) - MOST} more" if by == ", " else f" {last} {len(texts) - MOST} more"
    return by.join(texts[:MOST]) + (more if len(texts) > MOST else "")
