"""Quint: a variable for each part of the state, an action for each transition, a value for each property.

(https://quint-lang.org, the language reference.) A behaviour of the module is one of the system, from `init` by `step`.

Quint's invariants are of states. A property of steps is one here of the state before them: that no step that can be
taken there violates it. So where it does not hold, Quint's counterexample is a step shorter than ours.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from fenceproof.model.expressions import Expression
from fenceproof.model.layout import Slot
from fenceproof.model.system import DEADLOCK, Transition, TransitionSystem

from ..report.named import Names
from .build import safety_names
from .header import about
from .machine import Errors, Machine
from .plain_names import fresh, in_comment
from .questions import Questions
from .quint_expressions import DIVISIONS, Written

#: Words of Quint, what it has built in, and what is defined in every module of ours.
_RESERVED: Final = """
    Bool FloorDiv FloorMod Int List Map Nat Rec Set Tup action all allLists allListsUpTo always and any apalache
    append as assert assign assume bool chooseSome concat const contains def else enabled eq eventually exclude exists
    expect export fail false field fieldNames filter flatten fold foldl foldr forall from get getOnlyElement head iadd
    idiv if iff igt igte ilt ilte imod implies import imul in indices init int intersect ipow isFinite isub ite item
    iuminus keys leadsTo length list map mapBy match matchVariant module mustChange neq next nondet not nth oneOf or
    orKeep powerset pure put q quiet range replaceAt reps run select set setBy setOfMaps setToMap size slice step str
    strongFair subseteq tail temporal then to true tuples type union unionMatch val var variant weakFair with
"""
#: Values of one variable that are explained beside it.
_MOST_VALUES: Final = 12


def write(target: str, machine: Machine, depth: int | None) -> str:
    """The file."""
    assert depth is None, "what is asked is about any number of steps"
    module = _Module(machine)
    body = list(module.lines())
    if any("Floor" in line for line in body):
        body = [*DIVISIONS, "", *body]
    head = [f"// {in_comment(line)}".rstrip() for line in _header(target, module)]
    lines = [*head, f"module {module.name} {{", *(f"  {line}".rstrip() for line in body), "}"]
    return "".join(f"{line}\n" for line in lines)


class _Module:
    """A machine with the names of everything in its module."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.system: TransitionSystem = machine.system
        self.questions = Questions(self.system)
        self.taken: set[str] = {*_RESERVED.split()}
        self.name = self._word(self.system.name)
        self.slots = [self._word(slot.name) for slot in self.system.slots]
        self.properties = {bad.name: self._word(bad.name) for bad in machine.bads}
        self.transitions = [self._word(t.called) for t in self.system.transitions]
        self.can = [self._word(name, "can_") for name in self.transitions]
        many = len(self.system.initial) > 1
        self.starts = [self._word(f"init {n}") for n in range(1, len(self.system.initial) + 1)] if many else ["init"]
        #: A behaviour needs a state, if only one that never changes.
        self.nothing = [] if self.slots else [self._word("nothing")]

    def _word(self, name: str, prefix: str = "") -> str:
        letters = [c for c in name if c.isascii() and c.isalnum()]
        return fresh(prefix if prefix or (letters and letters[0].isalpha()) else "v_", name, self.taken)

    def lines(self) -> Iterator[str]:
        """The definitions."""
        names = Names(self.system)
        for position, slot in enumerate(self.system.slots):
            yield f"// {in_comment(slot.name)}: {in_comment(_values(names, position, slot))}"
            yield f"var {self.slots[position]}: {'bool' if slot.is_bool else 'int'}"
        yield from (f"var {name}: bool" for name in self.nothing)
        yield ""
        yield from self._beginnings()
        for position, transition in enumerate(self.system.transitions):
            yield ""
            yield from self._transition(position, transition)
        yield ""
        yield "/// Anything that can happen, faults as well."
        kept = ["false", *self._assigned({})]
        yield from _block("action step =", "any" if self.transitions else "all", self.transitions or kept)
        yield ""
        yield "/// Nothing but faults is left to happen."
        on = [f"not({self.can[i]})" for i, t in enumerate(self.system.transitions) if t.fault is None]
        yield from _block("val quiet =", "and", on or ["true"])
        yield from self._properties()

    def _beginnings(self) -> Iterator[str]:
        for name, state in zip(self.starts, self.system.initial, strict=True):
            pairs = zip(self.system.slots, state, strict=True)
            values = [_literal(slot, value) for slot, value in pairs]
            yield from _block(f"action {name} =", "all", self._assigned(dict(enumerate(values)), first="false"))
        if len(self.starts) > 1:
            yield from _block("action init =", "any", self.starts)

    def _assigned(self, values: dict[int, str], first: str | None = None) -> list[str]:
        """Every variable after a step, those that get no value as they were; `first` is for one that never changes."""
        kept = [f"{name}' = {values.get(n, name)}" for n, name in enumerate(self.slots)]
        return [*kept, *(f"{name}' = {first or name}" for name in self.nothing)]

    def _transition(self, position: int, t: Transition) -> Iterator[str]:
        told = f"{t.called}{f', fault {t.fault}' if t.fault is not None else ''}"
        yield f"/// {in_comment(told)}"
        wrong = self.questions.wrong(t.mistake)
        guard = self._written([t.guard])
        yield from _defined(f"val {self.can[position]} =", guard, guard.truth(t.guard))
        written = self._written([wrong, *(value for _, value in t.updates)])
        values = {
            n: written.truth(value) if self.system.slots[n].is_bool else written.number(value) for n, value in t.updates
        }
        parts = [self.can[position]]
        if wrong is not self.system.expressions.false:
            parts.append(f"not({written.truth(wrong)})")
        yield from _defined(f"action {self.transitions[position]} =", written, "all", [*parts, *self._assigned(values)])

    def _properties(self) -> Iterator[str]:
        for prop in self.system.step_properties:
            if prop.name in self.properties:
                asked = [node for _, node in self.questions.ahead(prop)]
                yield from self._property(prop.name, "of any step from here", [(False, node) for node in asked])
        for name, judgement, is_quiescent in (
            *((i.name, i.judgement, i.quiescent) for i in self.system.invariants),
            (DEADLOCK, self.system.terminal, True),
        ):
            if name in self.properties:
                yield from self._property(name, "", [(is_quiescent, self.questions.fine(judgement))])
        if self.machine.errors is Errors.ASKED:
            (name,) = (name for name in self.properties if name not in safety_names(self.system))
            steps = [(False, well) for well in self.questions.steps_go_well()]
            yield from self._property(name, "", [*steps, *self.questions.states_go_well()])

    def _property(self, name: str, of: str, asked: Sequence[tuple[bool, Expression]]) -> Iterator[str]:
        """A property as all of some expressions, each with whether it is asked only where no action is left."""
        written = self._written([node for _, node in asked])
        clauses = [f"(quiet implies {written.truth(n)})" if quiet else written.truth(n) for quiet, n in asked]
        yield ""
        yield f"/// {in_comment(name)}{f', {of}' if of else ''}"
        yield from _defined(f"val {self.properties[name]} =", written, "and", clauses or ["true"])

    def _written(self, roots: Sequence[Expression]) -> Written:
        return Written(roots, self.slots, self.taken)


def _defined(head: str, written: Written, joined: str, parts: Sequence[str] | None = None) -> Iterator[str]:
    """A definition, after what it shares: a text, or parts joined by a word."""
    if not written.shared:
        yield from [f"{head} {joined}"] if parts is None else _block(head, joined, parts)
        return
    yield f"{head} {{"
    yield from (f"  val {name} = {text}" for name, text in written.shared)
    yield from (f"  {line}" for line in ([joined] if parts is None else _block("", joined, parts)))
    yield "}"


def _block(head: str, word: str, parts: Iterable[str]) -> Iterator[str]:
    yield f"{head} {word} {{".strip()
    yield from (f"  {part}," for part in parts)
    yield "}"


def _literal(slot: Slot, value: int) -> str:
    return ("true" if value else "false") if slot.is_bool else str(value)


def _values(names: Names, position: int, slot: Slot) -> str:
    """The range of a slot, and what its numbers stand for where that is something else."""
    some = range(slot.lo, min(slot.hi, slot.lo + _MOST_VALUES - 1) + 1)
    said = {value: names.value(position, value) for value in some}
    meant = [] if slot.is_bool else [f"{v} is {text}" for v, text in said.items() if text != str(v)]
    return "; ".join([f"{slot.lo}..{slot.hi}", *([", ".join(meant)] if meant else [])])


def _header(target: str, m: _Module) -> Iterator[str]:
    machine, system = m.machine, m.system
    yield from about("Quint", target, system)
    yield ""
    for name in list(m.properties.values())[:1]:
        yield f"quint run --invariant={name} FILE     # at random, so it finds violations and proves nothing"
        yield f"quint verify --invariant={name} FILE  # every behaviour of up to ten steps, by Apalache"
    yield ""
    for bad in machine.bads:
        yield f"property {bad.name}, here {m.properties[bad.name]}: {bad.meaning}"
    if machine.not_named:
        yield f"left out, since others were named: {', '.join(machine.not_named)}"
    if machine.left_out:
        yield f"left out, since no bad state decides it: {', '.join(machine.left_out)}"
    if machine.errors is Errors.LEFT_OUT:
        yield "steps in which the model goes wrong are left out, and nothing comes after them"
