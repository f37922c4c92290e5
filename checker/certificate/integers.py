"""Obligations over the integers: what has to be unsatisfiable for an invariant of every natural number to prove a
system's properties, as SMT-LIB 2 scripts.

Which facts are asked about is `parametric/obligations.py`'s business; here they are written, in the logic QF_UFLIA
(QF_UFNIA where numbers are multiplied) and without any solver's library. A set of numbers is an uninterpreted function,
a quantifier is gone: what is left of it are its cases at the numbers at hand, which can but make a script satisfiable.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import Final

from fenceproof.model.expressions import PREDICATE, UNBOUNDED, Expression, Op, reachable

from ..parametric.obligations import Obligation as Asked
from ..parametric.obligations import Parametric
from ..parametric.verify import refutation
from .core import Core
from .obligations import Obligation, printable
from .system import to_json
from .unbounded import expressions_of, system_of

LOGIC: Final = "QF_UFLIA"
_NONLINEAR: Final = "QF_UFNIA"


def obligations(core: Core, conjuncts: Sequence[int], faults: Collection[str]) -> tuple[Obligation, ...]:
    """All obligations, in order; the same for the same system and invariant. `conjuncts` are nodes over states and the
    number that an invariant speaks of; `faults` names the faults, whose counters are left out."""
    x, made = expressions_of(core.nodes)
    p = Parametric(system_of(core, faults, x, made))
    invariant = [made[conjunct] for conjunct in conjuncts]
    known: dict[tuple[int, int], Expression] = {}
    found: list[Obligation] = []

    def ask(name: str, says: str, asked: Sequence[Asked]) -> None:
        for place, each in enumerate(asked):
            facts = refutation(p, invariant, each, known)
            number = f" {place}" if len(asked) > 1 else ""
            where = each.name.replace(")()", ")")
            found.append(Obligation(f"{name}{number}", f"{where}: {says}", _script(f"{where}: {says}", facts)))
        if not asked:
            found.append(Obligation(name, f"{says}, by its form", _script(says, [x.false])))

    # A script here reads less than the whole system, as no counter of faults; so that of the beginning names it.
    whole = hashlib.sha256(json.dumps(to_json(core)).encode()).hexdigest()
    steps = p.induction()
    ask(
        "initial", f"it is in the invariant, in the system with the SHA-256 {whole}", [o for o in steps if o.is_initial]
    )
    ask("step", "it goes from the invariant into it", [o for o in steps if not o.is_initial])
    ask("mistake", "no step from the invariant goes wrong", p.mistakes())
    for prop in core.properties:
        ask(f"property {prop.name}", f"{prop.name} is not violated in the invariant", p.violations(prop.name))
    return tuple(found)


def _script(title: str, facts: Sequence[Expression]) -> str:
    """A script that all of these are true, of numbers within their bounds."""
    nodes = [node for node in reachable(facts) if not node.is_predicate]
    uses = Counter(a.number for node in nodes for a in node.args)
    texts: dict[int, str] = {}
    lines: list[str] = []
    for node in nodes:
        if not node.args:
            texts[node.number] = _leaf(node)
            lines += _declared(node, texts[node.number])
            continue
        text = _inner(node, texts)
        if uses[node.number] > 1:
            name = f"t{len(lines)}"
            lines.append(f"(define-fun {name} () {'Bool' if node.is_bool else 'Int'} {text})")
            text = name
        texts[node.number] = text
    sets = sorted({node.args[0].value for node in nodes if node.op is Op.SELECT})
    logic = _NONLINEAR if any(_is_nonlinear(node) for node in nodes) else LOGIC
    head = [f"; {printable(title)}", f"(set-logic {logic})", *(f"(declare-fun in{s} (Int) Bool)" for s in sets)]
    return "\n".join([*head, *lines, *(f"(assert {texts[f.number]})" for f in facts), "(check-sat)"]) + "\n"


def _leaf(node: Expression) -> str:
    match node.op:
        case Op.CONST if node.is_bool:
            return "true" if node.value else "false"
        case Op.CONST:
            return _number(node.value)
        case Op.SLOT:
            return f"s{node.value}"
        case Op.PARAM:
            return f"p{node.value}_{node.lo}"
        case _:
            raise AssertionError(f"{node.op} has no place in an obligation")


def _declared(node: Expression, name: str) -> Iterator[str]:
    """A variable, and that it is within its bounds."""
    if node.op is Op.CONST:
        return
    assert node.hi < PREDICATE, "a set is no variable"
    yield f"(declare-const {name} {'Bool' if node.is_bool else 'Int'})"
    if not node.is_bool:
        yield f"(assert (<= {_number(node.lo)} {name}))"
        if node.hi < UNBOUNDED:
            yield f"(assert (<= {name} {_number(node.hi)}))"


def _number(value: int) -> str:
    return str(value) if value >= 0 else f"(- {-value})"


def _inner(node: Expression, texts: dict[int, str]) -> str:
    if node.op is Op.SELECT:
        elements, number = node.args
        assert elements.op is Op.SLOT, "what is asked of a set is asked of the state's own"
        return f"(in{elements.value} {texts[number.number]})"
    if node.op in (Op.DIV, Op.MOD):
        return _divided(node, *(texts[a.number] for a in node.args))
    return f"({_SMT[node.op]} {' '.join(texts[a.number] for a in node.args)})"


def _divided(node: Expression, a: str, b: str) -> str:
    """Rounded down, as in Python; SMT-LIB rounds so that the rest is not negative. 0 where the divisor is 0."""
    whole = node.op is Op.DIV
    up = f"({'div' if whole else 'mod'} {a} {b})"
    down = f"(div (- {a}) (- {b}))" if whole else f"(- (mod (- {a}) (- {b})))"
    divisor = node.args[1]
    if divisor.is_const:
        return up if divisor.value > 0 else down.replace(f"(- {b})", _number(-divisor.value)) if divisor.value else "0"
    return f"(ite (< 0 {b}) {up} (ite (< {b} 0) {down} 0))"


def _is_nonlinear(node: Expression) -> bool:
    match node.op:
        case Op.MUL:
            return not any(a.is_const for a in node.args)
        case Op.DIV | Op.MOD:
            return not node.args[1].is_const
        case _:
            return False


_SMT: Final = {
    Op.NOT: "not",
    Op.AND: "and",
    Op.OR: "or",
    Op.EQ: "=",
    Op.LT: "<",
    Op.ADD: "+",
    Op.SUB: "-",
    Op.MUL: "*",
    Op.ITE: "ite",
}
