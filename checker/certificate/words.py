"""Nodes as text in the model's own words, and read back: the grammar of Python's expressions, no more of it than said.

The text is untrusted. Names of slots are found first, since they are no Python (`spent delay[0]`), then a fixed set of
words and signs; what is left over is refused. Only then is it given to Python's parser, never to its evaluator.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from typing import Final

from fenceproof.model.errors import FormatError
from fenceproof.model.expressions import Op
from fenceproof.model.layout import Slot

from ..parametric.obligations import NUMBER
from .nodes import Nodes

#: A text longer than this, or with more brackets around each other, is refused.
MOST_CHARACTERS: Final = 2**20
MOST_NESTED: Final = 150
MOST_DIGITS: Final = 20

_INFIX: Final = {
    Op.AND: "and",
    Op.OR: "or",
    Op.ADD: "+",
    Op.SUB: "-",
    Op.MUL: "*",
    Op.DIV: "//",
    Op.MOD: "%",
    Op.LT: "<",
}
_BINARY: Final[dict[type[ast.operator], Op]] = {
    ast.Add: Op.ADD,
    ast.Sub: Op.SUB,
    ast.Mult: Op.MUL,
    ast.FloorDiv: Op.DIV,
    ast.Mod: Op.MOD,
}


def number_name(slots: Sequence[Slot]) -> str:
    """What the number is called that an invariant speaks of, for every one: `n`, or `n1`, … where a slot is."""
    names = {slot.name for slot in slots}
    return next(name for name in ("n", *(f"n{i}" for i in range(1, len(names) + 2))) if name not in names)


def shown(nodes: Nodes, root: int) -> str:
    """A node as text. A slot after the step has a prime. FormatError where it would be too long to be read.

    What only the steps of a system have, and no invariant, is shown and not read back: `exists` and `with`.
    """
    texts: dict[int, str] = {}
    for number in nodes.below([root]):
        node = nodes[number]
        args = [texts[a] for a in node.args]
        match node.op:
            case Op.CONST:
                text = str(bool(node.value)) if node.is_bool else str(node.value)
            case Op.SLOT:
                text = nodes.slots[node.value].name
            case Op.NEXT:
                text = nodes.slots[node.value].name + "'"
            case Op.OUTCOME:
                text = "outcome"
            case Op.PARAM:
                text = number_name(nodes.slots) if node.value == NUMBER else f"argument{node.value}"
            case Op.BOUND:
                text = f"element{node.value}"
            case Op.SELECT:
                text = f"({args[1]} in {args[0]})"
            case Op.STORE:
                text = f"({args[0]} with {args[1]} if {args[2]})"
            case Op.EXISTS:
                text = f"exists({args[0]}, element{node.value}: {args[1]})"
            case Op.NOT if nodes[node.args[0]].op in (Op.EQ, Op.LT):
                a, b = (_operand(texts[x]) for x in nodes[node.args[0]].args)
                text = f"({a} != {b})" if nodes[node.args[0]].op is Op.EQ else f"({b} <= {a})"
            case Op.NOT:
                text = f"not {args[0]}"
            case Op.EQ:
                text = f"({_operand(args[0])} == {_operand(args[1])})"
            case Op.ITE:
                text = f"({args[1]} if {args[0]} else {args[2]})"
            case _:
                text = "(" + f" {_INFIX[node.op]} ".join(args) + ")"
        if len(text) > MOST_CHARACTERS:  # nodes are shared, and texts are not
            raise FormatError(f"an expression of the model takes more than {MOST_CHARACTERS:,} characters.")
        texts[number] = text
    return texts[root]


def _operand(text: str) -> str:
    return f"({text})" if text.startswith("not ") else text


class Reader:
    """Reads texts over some slots into nodes."""

    def __init__(self, nodes: Nodes) -> None:
        self._nodes = nodes
        slots: Sequence[Slot] = nodes.slots
        self._positions = {slot.name: position for position, slot in enumerate(slots)}
        every = f"|(?P<every>{number_name(slots)}(?!\\w))" if nodes.is_wide else ""
        names = sorted(self._positions, key=len, reverse=True)  # `token` must not hide `token[0]`
        ends = (re.escape(name) + (r"(?!\w)" if re.match(r"\w", name[-1:]) else "") for name in names)
        self._token = re.compile(
            rf"(?P<slot>{'|'.join(ends) or '(?!)'})|(?P<word>(?:and|or|not|if|else|in|True|False)(?!\w))"
            rf"{every}|(?P<number>\d+(?!\w))|(?P<sign>==|!=|<=|<|//|[-+*%()])|(?P<space> +)"
        )

    def read(self, text: str) -> int:
        """The node that a text over one state says. FormatError where it says none, or not as it is written here."""
        if len(text) > MOST_CHARACTERS:
            raise FormatError(f"this is too long for an expression; at most {MOST_CHARACTERS:,} characters are read.")
        try:
            tree = ast.parse(self._as_python(text), mode="eval")
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            raise FormatError(f"this is no expression: {text[:80]!r}.") from error
        root = self._walk(tree.body)
        if shown(self._nodes, root) != text:
            raise FormatError(f"this is not written as a certificate has it: {text[:80]!r}.")
        return root

    def _as_python(self, text: str) -> str:
        parts: list[str] = []
        place = nested = 0
        while place < len(text):
            found = self._token.match(text, place)
            if found is None:
                raise FormatError(f"this is no expression over the model's state: …{text[place : place + 40]!r}.")
            word = found.group()
            nested += (word == "(") - (word == ")")
            if nested > MOST_NESTED or (found.lastgroup == "number" and len(word) > MOST_DIGITS):
                raise FormatError(f"this is nested too deeply, or has too large a number: {text[:40]!r}….")
            if found.lastgroup == "slot":
                word = f" s{self._positions[word]} "
            parts.append(" every " if found.lastgroup == "every" else word)
            place = found.end()
        return "".join(parts).strip()

    def _walk(self, tree: ast.expr) -> int:
        """Post-order with a stack of its own: Python's parser may nest more deeply than we may recurse."""
        made: dict[ast.expr, int] = {}
        stack = [tree]
        while stack:
            node = stack[-1]
            waiting = [child for child in _children(node) if child not in made]
            if waiting:
                stack.extend(reversed(waiting))
                continue
            made[stack.pop()] = self._node(node, [made[child] for child in _children(node)])
        return made[tree]

    def _node(self, node: ast.expr, args: list[int]) -> int:
        add = self._nodes.add
        match node:
            case ast.Name(id="every"):
                return add(Op.PARAM, value=NUMBER)
            case ast.Name(id=name):
                return add(Op.SLOT, value=int(name[1:]))
            case ast.Constant(value=bool(value)):
                return add(Op.CONST, value=int(value), truth=True)
            case ast.Constant(value=int(value)):
                return add(Op.CONST, value=value)
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(value))) if type(value) is int:
                return add(Op.CONST, value=-value)
            case ast.UnaryOp(op=ast.Not()):
                return add(Op.NOT, tuple(args))
            case ast.BoolOp(op=op):
                return add(Op.AND if isinstance(op, ast.And) else Op.OR, tuple(args))
            case ast.BinOp(op=op) if type(op) in _BINARY:
                return add(_BINARY[type(op)], tuple(args))
            case ast.IfExp():
                return add(Op.ITE, tuple(args))
            case ast.Compare(ops=[op]):
                return self._comparison(op, args[0], args[1])
            case _:
                raise FormatError(f"{type(node).__name__} has no place in an expression of a certificate.")

    def _comparison(self, op: ast.cmpop, a: int, b: int) -> int:
        add = self._nodes.add
        match op:
            case ast.Eq():
                return add(Op.EQ, (a, b))
            case ast.NotEq():
                return add(Op.NOT, (add(Op.EQ, (a, b)),))
            case ast.Lt():
                return add(Op.LT, (a, b))
            case ast.LtE():
                return add(Op.NOT, (add(Op.LT, (b, a)),))
            case ast.In():
                return add(Op.SELECT, (b, a))
            case _:
                raise FormatError(f"{type(op).__name__} has no place in an expression of a certificate.")


def _children(node: ast.expr) -> list[ast.expr]:
    match node:
        case ast.UnaryOp(op=ast.USub()):
            return []  # a negative number, and nothing else
        case ast.UnaryOp(operand=operand):
            return [operand]
        case ast.BoolOp(values=values):
            return values
        case ast.BinOp(left=left, right=right):
            return [left, right]
        case ast.IfExp(test=test, body=body, orelse=orelse):
            return [test, body, orelse]
        case ast.Compare(left=left, comparators=comparators):
            return [left, *comparators]
        case _:
            return []
