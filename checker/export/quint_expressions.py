"""Expressions as Quint writes them. What an expression uses more than once is a value of its own before it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from fenceproof.model.expressions import Expression, Op, reachable

from .plain_names import locals_beside

#: A part that is used again is written once where it has more letters than this, and any part that is nested so deep.
_LONG = 48
_DEEP = 24
_SIGNS = {Op.EQ: "==", Op.LT: "<", Op.ADD: "+", Op.SUB: "-", Op.MUL: "*"}

#: Quint's own division is that of the tool that reads it, for negative numbers one of two; it is used for none.
DIVISIONS = (
    "/// Rounds down, and gives 0 for a division by 0.",
    "pure def FloorDiv(a, b) =",
    "  if (b > 0) (if (a >= 0) a / b else -((b - 1 - a) / b))",
    "  else if (b < 0) (if (a <= 0) (-a) / (-b) else -((a - b - 1) / (-b)))",
    "  else 0",
    "pure def FloorMod(a, b) = if (b == 0) 0 else a - b * FloorDiv(a, b)",
)


class Written:
    """The texts of what one definition is made of, over the names of the slots, and the values that they share."""

    def __init__(self, roots: Sequence[Expression], slots: Sequence[str], taken: set[str]) -> None:
        self._slots = slots
        self._names = locals_beside(taken, "e")
        self._texts: dict[int, str] = {}
        self._depth: dict[int, int] = {}
        self.shared: list[tuple[str, str]] = []
        nodes = reachable(roots)
        uses = Counter(part.number for node in nodes for part in node.args)
        uses.update(root.number for root in roots)
        for node in nodes:
            text = self._text(node)
            depth = 1 + max((self._depth[part.number] for part in node.args), default=0)
            if node.args and ((uses[node.number] > 1 and len(text) > _LONG) or depth > _DEEP):
                name = next(self._names)
                self.shared.append((name, text))
                text, depth = name, 0
            self._texts[node.number] = text
            self._depth[node.number] = depth

    def truth(self, node: Expression) -> str:
        """An expression that is true or false."""
        text = self._texts[node.number]
        return text if node.is_bool else f"({text} != 0)"

    def number(self, node: Expression) -> str:
        """An expression that is a number."""
        text = self._texts[node.number]
        return f"(if ({text}) 1 else 0)" if node.is_bool else text

    def _text(self, node: Expression) -> str:
        args = node.args
        match node.op:
            case Op.CONST if node.is_bool:
                return "true" if node.value else "false"
            case Op.CONST:
                return str(node.value) if node.value >= 0 else f"(-{-node.value})"
            case Op.SLOT:
                return self._slots[node.value]
            case Op.NOT:
                return f"not({self.truth(args[0])})"
            case Op.AND | Op.OR:
                return f"({f' {node.op.name.lower()} '.join(map(self.truth, args))})"
            case Op.EQ if args[0].is_bool and args[1].is_bool:
                return f"({self.truth(args[0])} == {self.truth(args[1])})"
            case Op.EQ | Op.LT | Op.ADD | Op.SUB | Op.MUL:
                return f"({self.number(args[0])} {_SIGNS[node.op]} {self.number(args[1])})"
            case Op.DIV | Op.MOD:
                return self._divided("/" if node.op is Op.DIV else "%", *args)
            case Op.ITE:
                said = self.truth if node.is_bool else self.number
                return f"(if ({self.truth(args[0])}) {said(args[1])} else {said(args[2])})"
            case Op.NEXT | Op.OUTCOME:
                raise AssertionError("everything is said of the state before a step")
            case Op.PARAM | Op.BOUND | Op.SELECT | Op.STORE | Op.EXISTS:
                raise AssertionError(f"{node.op} is only in models without bounds, which are refused")

    def _divided(self, sign: str, a: Expression, b: Expression) -> str:
        if a.lo >= 0 and b.lo > 0:
            return f"({self.number(a)} {sign} {self.number(b)})"
        return f"Floor{'Div' if sign == '/' else 'Mod'}({self.number(a)}, {self.number(b)})"
