"""Expressions as text, as an author would write them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from .expressions import Expression, Op, reachable

_BOUND_NAMES = ("i", "j", "k")
_INFIX = {Op.AND: "and", Op.OR: "or", Op.SUB: "-", Op.MUL: "*", Op.DIV: "//", Op.MOD: "%", Op.LT: "<"}


def _slot_number(position: int, primed: bool) -> str:
    return f"s{position}'" if primed else f"s{position}"


def _operand(text: str) -> str:
    # `a == not b` is no Python, and `not a == b` reads as the negation of the whole.
    return f"({text})" if text.startswith("not ") else text


def _no_argument(position: int) -> str:
    return f"p{position}"


def _no_size(_: Expression) -> str | None:
    return None


def counted(node: Expression) -> tuple[Expression, bool] | None:
    """Of a number that is 1 where something is true, or false, and else 0: what, and which; None of any other."""
    values = [part.value if part.is_const else None for part in node.args[1:]] if node.op is Op.ITE else []
    return (node.args[0], values == [1, 0]) if values in ([1, 0], [0, 1]) else None


def terms(node: Expression) -> list[Expression]:
    """What a sum adds up, in order; of anything else the thing itself."""
    found: list[Expression] = []
    stack = [node]
    while stack:
        term = stack.pop()
        if term.op is Op.ADD:
            stack.extend(reversed(term.args))
        else:
            found.append(term)
    return found


def render(
    root: Expression,
    name: Callable[[int, bool], str] = _slot_number,
    argument: Callable[[int], str] = _no_argument,
    compared: Callable[[Expression, Expression], str | None] | None = None,
    sized: Callable[[Expression], str | None] = _no_size,
) -> str:
    """An expression as text; `name(position, primed)` names a slot, `argument(position)` a transition's argument,
    `compared(constant, other)` a constant by what it is compared with, where it means something, and `sized(sum)` a
    sum that is the size of something."""
    texts: dict[int, str] = {}

    def sides(node: Expression) -> tuple[str, str]:
        left, right = node.args
        return side(left, right), side(right, left)

    def side(node: Expression, other: Expression) -> str:
        said = compared(node, other) if compared is not None and node.is_const else None
        return _operand(texts[node.number] if said is None else said)

    for node in reachable([root]):
        args = [texts[a.number] for a in node.args]
        match node.op:
            case Op.CONST:
                text = str(bool(node.value)) if node.is_bool else str(node.value)
            case Op.SLOT | Op.NEXT:
                text = name(node.value, node.op is Op.NEXT)
            case Op.OUTCOME:
                text = "outcome"
            case Op.NOT if node.args[0].op is Op.EQ:
                left, right = sides(node.args[0])
                text = f"({left} != {right})"
            case Op.NOT:
                text = f"not {args[0]}"
            case Op.EQ:
                left, right = sides(node)
                text = f"({left} == {right})"
            case Op.ITE:
                text = f"({args[1]} if {args[0]} else {args[2]})"
            case Op.ADD:
                text = sized(node) or _sum(node, texts)
            case Op.PARAM:
                text = argument(node.value)
            case Op.BOUND:
                text = _BOUND_NAMES[node.value % len(_BOUND_NAMES)]
            case Op.SELECT:
                text = f"({args[1]} in {args[0]})"
            case Op.STORE:
                text = f"{args[0]}[{args[1]}: {args[2]}]"
            case Op.EXISTS:
                text = f"exists({_BOUND_NAMES[node.value % len(_BOUND_NAMES)]} in {args[0]}: {args[1]})"
            case _:
                text = "(" + f" {_INFIX[node.op]} ".join(args) + ")"
        texts[node.number] = text
    return texts[root.number]


def _sum(node: Expression, texts: Mapping[int, str]) -> str:
    each = [counted(term) for term in terms(node)]
    items = [_item(texts[one[0].number], one[1]) for one in each if one is not None]
    if len(items) == len(each):
        return f"count([{', '.join(items)}])"
    left, right = node.args
    text = texts[left.number]
    return f"({_bare(text) if left.op is Op.ADD else text} + {texts[right.number]})"


def _item(text: str, want: bool) -> str:
    return _bare(text) if want else f"not {text}"


def _bare(text: str) -> str:
    """Without the parentheses around the whole, if it has any: in brackets, or at the beginning of a sum, it needs
    none."""
    return text[1:-1] if text.startswith("(") and text.endswith(")") else text
