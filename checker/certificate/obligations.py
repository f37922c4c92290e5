"""Obligations: what has to be unsatisfiable for an invariant to prove a system's properties, as SMT-LIB 2 scripts.

Plain induction (Manna and Pnueli, Temporal Verification of Reactive Systems: Safety, rule INV): every initial state is
in the invariant; a step from a state in it goes nowhere else and does not go wrong; in each state of it, and over each
step from one, the properties hold and can be judged. Being within its range belongs to the invariant of every slot.

Our own writer, in the logic QF_BV and without any solver's library, so that what one solver's printer would get wrong
is not what the others read. All numbers of a script are signed bit-vectors of one width, which holds every value that
any node can have with slots in their ranges, so nothing wraps.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from fenceproof.model.expressions import Op

from .core import QUIESCENT, STEP, STUCK, Core, Judgement, Property, Step
from .nodes import Node, Nodes

LOGIC: Final = "QF_BV"


@dataclass(frozen=True, slots=True)
class Obligation:
    """A script that must be unsatisfiable, its name, and what it says in words if it is."""

    name: str
    says: str
    script: str


def obligations(core: Core, conjuncts: Sequence[int]) -> tuple[Obligation, ...]:
    """All obligations, in order; the same for the same system and invariant. `conjuncts` are nodes over states."""
    bits = _width(core)
    found = [_initially(core, conjuncts, bits)]
    found += [_kept(core, conjuncts, bits, number, step) for number, step in enumerate(core.steps)]
    found += [_implied(core, conjuncts, bits, prop) for prop in core.properties]
    return tuple(found)


def _width(core: Core) -> int:
    """As many bits as every value takes, and one more than the difference of the arguments of a division takes."""
    reach = 1
    for node in core.nodes:
        reach = max(reach, abs(node.lo), abs(node.hi))
        if node.op in (Op.DIV, Op.MOD):
            reach = max(reach, sum(max(abs(core.nodes[a].lo), abs(core.nodes[a].hi)) for a in node.args))
    for slot in core.slots:
        reach = max(reach, abs(slot.lo), abs(slot.hi))
    return reach.bit_length() + 1


@dataclass(frozen=True, slots=True)
class _View:
    """What the leaves of an expression read: terms for the slots before and after a step, and for its outcome."""

    before: Sequence[str]
    after: Sequence[str] | None = None
    outcome: str | None = None


class _Script:
    """One script as it is written: a definition for each node that is not a leaf."""

    def __init__(self, core: Core, bits: int, title: str) -> None:
        self._nodes: Nodes = core.nodes
        self._core = core
        self._bits = bits
        self._lines = [f"; {printable(title)}", f"(set-logic {LOGIC})"]
        self._count = 0

    def declare(self) -> _View:
        """A variable for each slot."""
        for number, slot in enumerate(self._core.slots):
            sort = "Bool" if slot.is_bool else f"(_ BitVec {self._bits})"
            self._lines.append(f"(declare-const s{number} {sort}) ; {printable(slot.name)}")
        return _View([f"s{n}" for n in range(len(self._core.slots))])

    def number(self, value: int) -> str:
        """A whole number."""
        return f"(_ bv{value % (1 << self._bits)} {self._bits})"

    def value(self, position: int, value: int) -> str:
        """A slot's value."""
        if self._core.slots[position].is_bool:
            return "true" if value else "false"
        return self.number(value)

    def define(self, text: str, is_bool: bool) -> str:
        """A name for a term."""
        sort = "Bool" if is_bool else f"(_ BitVec {self._bits})"
        name = f"t{self._count}"
        self._count += 1
        self._lines.append(f"(define-fun {name} () {sort} {text})")
        return name

    def terms(self, view: _View, roots: Sequence[int]) -> list[str]:
        """Terms for nodes as seen in a view."""
        made: dict[int, str] = {}
        for number in self._nodes.below(roots):
            node = self._nodes[number]
            made[number] = self._leaf(view, node) or self.define(self._inner(node, made), node.is_bool)
        return [made[root] for root in roots]

    def _leaf(self, view: _View, node: Node) -> str | None:
        match node.op:
            case Op.CONST if node.is_bool:
                return "true" if node.value else "false"
            case Op.CONST:
                return self.number(node.value)
            case Op.SLOT:
                return view.before[node.value]
            case Op.NEXT:
                assert view.after is not None, "what is said of a state reads no state after it"
                return view.after[node.value]
            case Op.OUTCOME:
                assert view.outcome is not None, "a state has no outcome"
                return view.outcome
            case _:
                return None

    def _inner(self, node: Node, made: dict[int, str]) -> str:
        args = " ".join(made[a] for a in node.args)
        match node.op:
            case Op.DIV:
                a, b = (made[x] for x in node.args)
                zero = self.number(0)
                return f"(ite (= {b} {zero}) {zero} (bvsdiv (bvsub {a} (bvsmod {a} {b})) {b}))"
            case Op.MOD:
                a, b = (made[x] for x in node.args)
                zero = self.number(0)
                return f"(ite (= {b} {zero}) {zero} (bvsmod {a} {b}))"
            case _:
                return f"({_SMT[node.op]} {args})"

    def no_mistake(self, view: _View, root: int) -> str:
        """That the code of a mistake is 0."""
        return f"(= {self.terms(view, [root])[0]} {self.number(0)})"

    def in_range(self, terms: Sequence[str], positions: Sequence[int]) -> list[str]:
        """That terms are within the ranges of the slots at these positions."""
        found: list[str] = []
        for position in positions:
            slot, term = self._core.slots[position], terms[position]
            if not slot.is_bool:
                found += [f"(bvsle {self.number(slot.lo)} {term})", f"(bvsle {term} {self.number(slot.hi)})"]
        return found

    def require(self, term: str) -> None:
        """Assert a term."""
        self._lines.append(f"(assert {term})")

    def suppose(self, view: _View, conjuncts: Sequence[int]) -> None:
        """That a state is in the invariant."""
        for term in self.in_range(view.before, range(len(self._core.slots))):
            self.require(term)
        for term in self.terms(view, conjuncts):
            self.require(term)

    def is_right(self, view: _View, judgement: Judgement) -> str:
        """That a property can be judged and holds."""
        holds = self.terms(view, [judgement.holds])[0]
        return _all([self.no_mistake(view, judgement.mistake), holds])

    def after(self, view: _View, step: Step) -> _View:
        """The view over a step; whether its guard is true is another matter."""
        after = list(view.before)
        roots = [value for _, value in step.updates]
        outcome, *values = self.terms(view, [step.outcome, *roots])
        for (position, _), value in zip(step.updates, values, strict=True):
            after[position] = value
        return _View(view.before, after, outcome)

    def text(self) -> str:
        """The whole script."""
        return "\n".join([*self._lines, "(check-sat)"]) + "\n"


_SMT: Final = {
    Op.NOT: "not",
    Op.AND: "and",
    Op.OR: "or",
    Op.EQ: "=",
    Op.LT: "bvslt",
    Op.ADD: "bvadd",
    Op.SUB: "bvsub",
    Op.MUL: "bvmul",
    Op.ITE: "ite",
}


def _initially(core: Core, conjuncts: Sequence[int], bits: int) -> Obligation:
    says = "every initial state is in the invariant"
    script = _Script(core, bits, says)
    view = script.declare()
    here = [_all([f"(= s{n} {script.value(n, value)})" for n, value in enumerate(state)]) for state in core.initial]
    script.require(_any(here))
    within = script.in_range(view.before, range(len(core.slots)))
    script.require(f"(not {_all([*within, *script.terms(view, conjuncts)])})")
    return Obligation("initial", says, script.text())


def _kept(core: Core, conjuncts: Sequence[int], bits: int, number: int, step: Step) -> Obligation:
    says = f"{step.name} goes from the invariant into it, and does not go wrong"
    script = _Script(core, bits, says)
    view = script.declare()
    script.suppose(view, conjuncts)
    script.require(script.terms(view, [step.guard])[0])
    changed = [position for position, _ in step.updates]
    over = script.after(view, step)
    assert over.after is not None, "a step has a state after it"
    then = _View(over.after)
    # What reads nothing that the step changes is as true after it as it was before.
    touched = [c for c in conjuncts if not set(changed).isdisjoint(core.nodes.slots_read(c))]
    kept = [*script.in_range(over.after, changed), *script.terms(then, touched)]
    script.require(f"(not {_all([script.no_mistake(view, step.mistake), *kept])})")
    return Obligation(f"step {number}", says, script.text())


def _implied(core: Core, conjuncts: Sequence[int], bits: int, prop: Property) -> Obligation:
    where = {
        STEP: "over every step from the invariant",
        QUIESCENT: "in every state of the invariant where only faults can still happen",
        STUCK: "in every state of the invariant where only faults can still happen",
    }.get(prop.sort, "in every state of the invariant")
    says = f"{prop.name} holds {where}, and can be judged there"
    script = _Script(core, bits, says)
    view = script.declare()
    script.suppose(view, conjuncts)
    if prop.sort == STEP:
        script.require(_any(list(_broken_steps(core, script, view, prop))))
    else:
        if prop.sort in (QUIESCENT, STUCK):
            for guard in script.terms(view, [step.guard for step in core.steps if step.fault is None]):
                script.require(f"(not {guard})")
        script.require(f"(not {script.is_right(view, prop.judgements[0])})")
    return Obligation(f"property {prop.name}", says, script.text())


def _broken_steps(core: Core, script: _Script, view: _View, prop: Property) -> Iterator[str]:
    """For each step, that it is taken and the property does not hold over it."""
    for step, judgement in zip(core.steps, prop.judgements, strict=True):
        guard = script.terms(view, [step.guard])[0]
        right = script.is_right(script.after(view, step), judgement)
        yield script.define(_all([guard, script.no_mistake(view, step.mistake), f"(not {right})"]), is_bool=True)


def _all(terms: Sequence[str]) -> str:
    return f"(and {' '.join(terms)})" if len(terms) > 1 else terms[0] if terms else "true"


def _any(terms: Sequence[str]) -> str:
    return f"(or {' '.join(terms)})" if len(terms) > 1 else terms[0] if terms else "false"


def printable(text: str) -> str:
    """Text that cannot end the comment that it stands in."""
    return "".join(c if c.isprintable() else "?" for c in text)
