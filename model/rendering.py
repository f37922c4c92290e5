"""Expressions as text, as an author would write them."""

from __future__ import annotations

from collections.abc import Callable

from .expressions import Expression, Op, reachable

_BOUND_NAMES = ("i", "j", "k")
_INFIX = {Op.AND: "and", Op.OR: "or", Op.ADD: "+", Op.SUB: "-", Op.MUL: "*", Op.DIV: "//", Op.MOD: "%", Op.LT: "<"}


def _slot_number(position: int, primed: bool) -> str:
    return f"s{position}'" if primed else f"s{position}"


def _operand(text: str) -> str:
    # `a == not b` is no Python, and `not a == b` reads as the negation of the whole.
    return f"({text})" if text.startswith("not ") else text


def _no_argument(position: int) -> str:
    return f"p{position}"


def render(
    root: Expression,
    name: Callable[[int, bool], str] = _slot_number,
    argument: Callable[[int], str] = _no_argument,
    compared: Callable[[Expression, Expression], str | None] | None = None,
) -> str:
    """An expression as text; `name(position, primed)` names a slot, `argument(position)` a transition's argument, and
    `compared(constant, other)` a constant by what it is compared with, where it means something."""
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
