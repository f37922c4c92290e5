"""Expressions as TLA+ writes them: over the variables as their author declared them, with shared parts in a LET.

TLA+ divides by positive numbers only, rounding down as we do; operators at the head of the module do the rest, and
give 0 for a division by zero, as ours does in a branch that is not taken.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from fenceproof.model.expressions import Expression, Op, reachable

from .plain_names import locals_beside
from .tla_shapes import Code, Members, Numbers, Place, Truth, Words, number

#: A part that is used again is written once where it has more letters than this, and any part that is nested so deep.
_LONG = 48
_DEEP = 24
_SIGNS = {Op.EQ: "=", Op.LT: "<", Op.ADD: "+", Op.SUB: "-", Op.MUL: "*"}


@dataclass
class Helpers:
    """The operators that are needed at the head of the module: for division, and between strings and numbers."""

    taken: set[str]
    numbers: dict[Words, str] = field(default_factory=dict[Words, str])
    strings: dict[Words, str] = field(default_factory=dict[Words, str])

    def number_of(self, words: Words) -> str:
        """The operator that gives a string its number."""
        return self._named(self.numbers, words, "NumberOf")

    def string_of(self, words: Words) -> str:
        """The operator that gives a number its string."""
        return self._named(self.strings, words, "StringOf")

    def _named(self, known: dict[Words, str], words: Words, prefix: str) -> str:
        if words not in known:
            known[words] = next(name for name in locals_beside(self.taken, prefix) if name not in known.values())
        return known[words]

    def lines(self, argument: str, other: str, body: str) -> Iterator[str]:
        """The definitions of those that a body uses; the two names are for what they are given."""
        a, b = argument, other
        found = {
            f"FloorDiv({a}, {b})": f"IF {b} > 0 THEN {a} \\div {b} ELSE IF {b} < 0 THEN (-{a}) \\div (-{b}) ELSE 0",
            f"FloorMod({a}, {b})": f"IF {b} > 0 THEN {a} % {b} ELSE IF {b} < 0 THEN -((-{a}) % (-{b})) ELSE 0",
        }
        for words, name in self.numbers.items():
            found[f"{name}({a})"] = _cases(a, [(s, number(n)) for n, s in words.items().items()])
        for words, name in self.strings.items():
            found[f"{name}({a})"] = _cases(a, [(number(n), s) for n, s in words.items().items()])
        return (f"{head} == {text}" for head, text in found.items() if head.partition("(")[0] + "(" in body)


def _cases(name: str, pairs: Sequence[tuple[str, str]]) -> str:
    *first, (_, last) = pairs
    arms = " [] ".join([*(f"{name} = {at} -> {gives}" for at, gives in first), f"OTHER -> {last}"])
    return f"CASE {arms}" if first else last


class Written:
    """The texts of what one definition is made of, and the LET that they share."""

    def __init__(self, roots: Sequence[Expression], places: Sequence[Place], helpers: Helpers) -> None:
        self.places = places
        self.helpers = helpers
        nodes = reachable(roots)
        self._uses = Counter(a.number for node in nodes for a in node.args)
        self._uses.update(root.number for root in roots)
        self._names = locals_beside(helpers.taken, "e")
        self._let: dict[str, str] = {}
        self._depth: dict[str, int] = {}
        self._texts: dict[int, str] = {}
        self._strings: dict[tuple[int, Words], str] = {}
        for node in nodes:
            self._texts[node.number] = self._shared(node, self._text(node))

    def truth(self, node: Expression) -> str:
        """An expression that is TRUE or FALSE."""
        text = self._texts[node.number]
        return text if node.is_bool else f"({text} # 0)"

    def number(self, node: Expression) -> str:
        """An expression that is a number."""
        text = self._texts[node.number]
        return f"(IF {text} THEN 1 ELSE 0)" if node.is_bool else text

    def clauses(self, node: Expression) -> list[str]:
        """A truth value as the parts that must all be true."""
        text = self._texts[node.number]
        return [self.truth(part) for part in node.args] if node.op is Op.AND and text.startswith("(") else [text]

    def coded(self, node: Expression, code: Code) -> str:
        """An expression as a slot holds it."""
        if isinstance(code, Truth):
            return self.truth(node)
        if isinstance(code, Numbers):
            return self.number(node)
        string = self._string(node, code)
        return string if string is not None else f"{self.helpers.string_of(code)}({self.number(node)})"

    def members(self, shape: Members, path: str, updates: Mapping[int, Expression]) -> str:
        """What a set becomes: without what may leave it, and with what is in it then."""
        leave: list[str] = []
        join: list[str] = []
        for element, slot in shape.elements:
            node = updates.get(slot)
            if node is None:
                continue
            keeps = node.op is Op.OR and any(p.op is Op.SLOT and p.value == slot for p in node.args)
            if not keeps and not (node.is_const and node.value):
                leave.append(element)
            if not node.is_const:
                join.append(f"(IF {self.truth(node)} THEN {{{element}}} ELSE {{}})")
            elif node.value:
                join.append(f"{{{element}}}")
        kept = f"({path} \\ {{{', '.join(leave)}}})" if leave and join else path
        if leave and not join:
            return f"{path} \\ {{{', '.join(leave)}}}"
        return " \\cup ".join([kept, *join])

    def let(self, texts: Sequence[str]) -> list[str]:
        """The definitions that some texts need, in order, as lines."""
        needed: set[str] = set()
        stack = list(texts)
        while stack:
            for name in re.findall(r"\be\d+\b", stack.pop()):
                if name in self._let and name not in needed:
                    needed.add(name)
                    stack.append(self._let[name])
        return [f"{name} == {text}" for name, text in self._let.items() if name in needed]

    def _shared(self, node: Expression, text: str) -> str:
        if not node.args:
            return text
        depth = 1 + max((self._depth.get(self._texts[a.number], 0) for a in node.args), default=0)
        if (self._uses[node.number] > 1 and len(text) > _LONG) or depth > _DEEP:
            return self._defined(text)
        self._depth[text] = depth
        return text

    def _defined(self, text: str) -> str:
        (name,) = islice(self._names, 1)
        self._let[name] = text
        return name

    def _text(self, node: Expression) -> str:
        args = node.args
        match node.op:
            case Op.CONST:
                return ("TRUE" if node.value else "FALSE") if node.is_bool else number(node.value)
            case Op.SLOT | Op.NEXT:
                place = self.places[node.value]
                read = place.read("'" if node.op is Op.NEXT else "")
                return f"{self.helpers.number_of(place.code)}({read})" if isinstance(place.code, Words) else read
            case Op.NOT:
                return self._negated(args[0])
            case Op.AND:
                return self._junction(" /\\ ", args)
            case Op.OR:
                return self._junction(" \\/ ", args)
            case Op.EQ:
                return self._compared("=", *args)
            case Op.LT | Op.ADD | Op.SUB | Op.MUL:
                return f"({self.number(args[0])} {_SIGNS[node.op]} {self.number(args[1])})"
            case Op.DIV | Op.MOD:
                return self._divided(node.op is Op.DIV, *args)
            case Op.ITE:
                said = self.truth if node.is_bool else self.number
                return f"(IF {self.truth(args[0])} THEN {said(args[1])} ELSE {said(args[2])})"
            case Op.OUTCOME | Op.PARAM | Op.BOUND | Op.SELECT | Op.STORE | Op.EXISTS:
                raise AssertionError(f"{node.op} is put in place before, or only in models without bounds")

    def _junction(self, sign: str, args: Sequence[Expression]) -> str:
        return f"({sign.join(map(self.truth, args))})"

    def _negated(self, node: Expression) -> str:
        text = self._texts[node.number]
        if node.op is Op.EQ and text.startswith("("):
            return self._compared("#", *node.args)
        if node.op is Op.LT and text.startswith("("):
            return f"({self.number(node.args[0])} >= {self.number(node.args[1])})"
        return f"~{self.truth(node)}"

    def _compared(self, sign: str, a: Expression, b: Expression) -> str:
        words = self._common(a, b)
        if words is not None:
            left, right = self._string(a, words), self._string(b, words)
            if left is not None and right is not None:
                return f"({left} {sign} {right})"
        said = self.truth if a.is_bool and b.is_bool else self.number
        return f"({said(a)} {sign} {said(b)})"

    def _divided(self, is_quotient: bool, a: Expression, b: Expression) -> str:
        if b.lo > 0:
            sign = "\\div" if is_quotient else "%"
            return f"({self.number(a)} {sign} {self.number(b)})"
        return f"{'FloorDiv' if is_quotient else 'FloorMod'}({self.number(a)}, {self.number(b)})"

    def _branches(self, node: Expression) -> list[Expression]:
        """What a choice among values may give, and the choices on the way, those inside before those around them."""
        seen: dict[int, Expression] = {}
        stack = [node]
        while stack:
            n = stack.pop()
            if n.number not in seen:
                seen[n.number] = n
                if n.op is Op.ITE:
                    stack.extend(n.args[1:])
        return [seen[n] for n in sorted(seen)]

    def _common(self, a: Expression, b: Expression) -> Words | None:
        """The strings that both sides of a comparison speak of, or None where they are numbers."""
        found: dict[int, str] = {}
        for node in (*self._branches(a), *self._branches(b)):
            if node.op in (Op.SLOT, Op.NEXT):
                code = self.places[node.value].code
                if not isinstance(code, Words):
                    return None
                for value, string in code.items().items():
                    if found.setdefault(value, string) != string:
                        return None
        if not found or len(set(found.values())) < len(found):
            return None
        lo = min(found)
        return Words(lo, tuple(found[n] for n in range(lo, lo + len(found)))) if max(found) - lo < len(found) else None

    def _string(self, root: Expression, words: Words) -> str | None:
        """An expression as one of some strings; None where it is computed with."""
        known = words.items()
        for node in self._branches(root):
            key = (node.number, words)
            if key in self._strings:
                continue
            if node.op is Op.ITE:
                parts = [self._strings.get((a.number, words)) for a in node.args[1:]]
                if parts[0] is None or parts[1] is None:
                    return None
                text = f"(IF {self.truth(node.args[0])} THEN {parts[0]} ELSE {parts[1]})"
                self._strings[key] = self._defined(text) if len(text) > 4 * _LONG else text
            elif node.op is Op.CONST and node.value in known:
                self._strings[key] = known[node.value]
            elif node.op in (Op.SLOT, Op.NEXT):
                place = self.places[node.value]
                if not isinstance(place.code, Words) or not place.code.items().items() <= known.items():
                    return None
                self._strings[key] = place.read("'" if node.op is Op.NEXT else "")
            else:
                return None
        return self._strings[root.number, words]
