"""Terms as SMT-LIB 2 text: symbols, sorts, and terms in which what is used more than once is written once.

Names are simple symbols, so that no reader has to get quoting right. Not here: scripts (`export/`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Final
from urllib.parse import quote

from .bitvectors import TRUTH, Op, Term, reachable

#: Beside letters and digits what may stand in a name: simple symbols have some more, which we need for ourselves.
_PLAIN: Final = "_.-+*/!?=^&~[]"
_ANGLED: Final = str.maketrans("[]", "<>")
_HEADS: Final = {
    Op.NOT: "not",
    Op.AND: "and",
    Op.OR: "or",
    Op.EQ: "=",
    Op.SLT: "bvslt",
    Op.ADD: "bvadd",
    Op.SUB: "bvsub",
    Op.MUL: "bvmul",
    Op.SDIV: "bvsdiv",
    Op.SMOD: "bvsmod",
    Op.ITE: "ite",
}


def mangled(name: str) -> str:
    """A name as part of a symbol: `cells[0]` becomes `cells<0>`, what no symbol may hold %XX for each byte.

    Two names never become one, and no name comes out with `@` or `$` in it, which are for us to tell ours apart.
    """
    plain = quote(name, safe=_PLAIN).translate(_ANGLED)
    # What begins with a digit is no symbol, and what begins with a point is for solvers.
    return f"%{ord(plain[0]):02X}{plain[1:]}" if plain[:1].isdigit() or plain[:1] == "." else plain


def sort(bits: int) -> str:
    """The sort of terms of a width."""
    return "Bool" if bits == TRUTH else f"(_ BitVec {bits})"


def literal(term: Term) -> str:
    """A constant."""
    return ("true" if term.value else "false") if term.bits == TRUTH else f"#b{term.value:0{term.bits}b}"


def applied(head: str, arguments: Iterable[str]) -> str:
    """A function applied to arguments, of which there may be none."""
    text = " ".join(arguments)
    return f"({head} {text})" if text else head


def junction(head: str, parts: Sequence[str]) -> str:
    """`and` or `or` of any number of parts."""
    if len(parts) == 1:
        return parts[0]
    return applied(head, parts) if parts else ("true" if head == "and" else "false")


def _written(term: Term, args: Sequence[str]) -> str:
    match term.op:
        case Op.CONST:
            return literal(term)
        case Op.VARIABLE:
            return term.name
        case Op.ZEXT | Op.SEXT:
            head = f"(_ {'zero' if term.op is Op.ZEXT else 'sign'}_extend {term.bits - term.args[0].bits})"
        case Op.LOW:
            head = f"(_ extract {term.bits - 1} 0)"
        case _:
            head = _HEADS[term.op]
    return applied(head, args)


class Definitions:
    """Terms as text, where those with several uses get names: `shared` holds each with its text, in order.

    `name` makes the name of the next one. Terms that were asked for before keep their names.
    """

    def __init__(self, roots: Sequence[Term], name: Callable[[int], str]) -> None:
        uses = Counter(a for term in reachable(roots) for a in term.args)
        uses.update(roots)
        self.shared: list[tuple[str, Term, str]] = []
        self.levels: list[int] = []
        self._texts: dict[Term, str] = {}
        level: dict[Term, int] = {}
        for term in reachable(roots):
            text = _written(term, [self._texts[a] for a in term.args])
            level[term] = max((level[a] for a in term.args), default=0)
            if uses[term] > 1 and not term.is_leaf:
                symbol = name(len(self.shared))
                self.shared.append((symbol, term, text))
                level[term] += 1
                self.levels.append(level[term])
                text = symbol
            self._texts[term] = text

    def text(self, root: Term) -> str:
        """One of the roots."""
        return self._texts[root]


def with_let(roots: Sequence[Term], body: Callable[[Sequence[str]], str]) -> str:
    """A text made from those of `roots`, inside of a `let` for what they share.

    What depends on nothing shared is bound first, together; then what depends on that alone, and so on: a `let` for
    each term would be nested as deep as there are shared terms, more than a reader that recurses can take.
    """
    made = Definitions(roots, lambda number: f"${number}")
    by_level: dict[int, list[str]] = {}
    for (symbol, _, text), level in zip(made.shared, made.levels, strict=True):
        by_level.setdefault(level, []).append(f"({symbol} {text})")
    text = body([made.text(root) for root in roots])
    for level in sorted(by_level, reverse=True):
        text = f"(let ({' '.join(by_level[level])})\n  {text})"
    return text
