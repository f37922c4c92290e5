"""An unbounded system held to the numbers up to some N: a finite one, every behaviour of which is one of the unbounded.

A set of natural numbers becomes a truth value for each number, and a step after which a number is larger than N is left
out. So what is reached, put to the test or violated there is so without a bound; what is not says nothing. Where a
state is at rest is decided with the steps that were left out, so that being held does not make one look at rest.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from fenceproof.model.expressions import PREDICATE, UNBOUNDED, Expression, Expressions, Op, digits, reachable
from fenceproof.model.instances import with_numbers
from fenceproof.model.layout import Slot
from fenceproof.model.rewrite import built, substituted
from fenceproof.model.system import (
    DEADLOCK,
    Invariant,
    Judgement,
    State,
    StepProperty,
    Transition,
    TransitionSystem,
)
from fenceproof.model.trace import Trace

#: What is added to a property's name in the question where it is put to the test.
TESTED = " is put to the test"


@dataclass(frozen=True, slots=True)
class Held:
    """`system` is finite; `whole` is the unbounded one with its parameters' numbers written out, whose transitions are
    `system`'s at the same positions. A slot of the whole has `places` in a state of the system.
    """

    system: TransitionSystem
    whole: TransitionSystem
    places: tuple[range, ...]
    translation: _Translation
    most: int

    def state(self, held: State) -> State:
        """A state as the unbounded system has it."""
        return tuple(
            sum(held[place] << i for i, place in enumerate(places)) if slot.hi == PREDICATE else held[places[0]]
            for slot, places in zip(self.whole.slots, self.places, strict=True)
        )

    def trace(self, held: Trace) -> Trace:
        """A trace of the whole system."""
        return replace(held, states=tuple(map(self.state, held.states)))


def hold(system: TransitionSystem, most: int, ignored: frozenset[int] = frozenset()) -> Held:
    """The system held to numbers up to `most`, slots that are `ignored` never changing. It has no liveness, and what it
    asks of states at rest are plain invariants, no-deadlock among them."""
    most = max(most, *(_largest(slot, state[p]) for state in system.initial for p, slot in enumerate(system.slots)), 0)
    whole = with_numbers(system, range(most + 1))
    slots, places = _slots(system, most)
    translation = _Translation(system.expressions, whole, most, places)
    t = translation
    asked = _at_rest(system, with_numbers(system, range(most + 2)))
    held = TransitionSystem(
        name=system.name,
        parameters=system.parameters,
        faults=system.faults,
        most_faults=system.most_faults,
        variables=(),
        slots=slots,
        initial=tuple(_packed(system, places, state) for state in system.initial),
        transitions=tuple(t.transition(one, ignored) for one in whole.transitions),
        invariants=tuple(replace(i, judgement=t.judgement(i.judgement), quiescent=False) for i in asked),
        step_properties=tuple(t.step_property(p) for p in whole.step_properties),
        terminal=Judgement(t.made.true, None, t.made.const(0), ()),
        expressions=t.made,
    )
    return Held(held, whole, places, translation, most)


def _largest(slot: Slot, value: int) -> int:
    return value.bit_length() - 1 if slot.hi == PREDICATE else value if slot.hi >= UNBOUNDED else 0


def _slots(system: TransitionSystem, most: int) -> tuple[tuple[Slot, ...], tuple[range, ...]]:
    slots: list[Slot] = []
    places: list[range] = []
    for slot in system.slots:
        first = len(slots)
        if slot.hi == PREDICATE:
            slots += [Slot(f"{slot.name}[{n}]", 0, 1, is_bool=True) for n in range(most + 1)]
        else:
            slots.append(replace(slot, hi=max(most, slot.lo)) if slot.hi >= UNBOUNDED else slot)
        places.append(range(first, len(slots)))
    return tuple(slots), tuple(places)


def _packed(system: TransitionSystem, places: tuple[range, ...], state: State) -> State:
    found: list[int] = []
    for slot, here, value in zip(system.slots, places, state, strict=True):
        found += [value >> n & 1 for n in range(len(here))] if slot.hi == PREDICATE else [value]
    return tuple(found)


def _at_rest(system: TransitionSystem, whole: TransitionSystem) -> list[Invariant]:
    """The invariants, those about rest said of every state: it moves, or the property holds. `whole` moves with one
    number more than there is, which stands for all that are larger."""
    x = system.expressions
    moves = x.disjoin(t.guard for t in whole.transitions if t.fault is None)
    stuck = Invariant(DEADLOCK, system.terminal, "", None, quiescent=True)
    found: list[Invariant] = []
    for one in (*system.invariants, stuck):
        judgement = one.judgement
        if one.quiescent:
            tested = x.true if judgement.exercised is None or one is stuck else judgement.exercised
            judgement = Judgement(
                x.disjoin((moves, judgement.holds)),
                x.conjoin((x.negate(moves), tested)),
                x.choose(moves, x.const(0), judgement.mistake),
                judgement.mistakes,
            )
            never = x.negate(judgement.exercised or x.true)
            found.append(Invariant(one.name + TESTED, Judgement(never, None, x.const(0), ()), "", None))
        found.append(replace(one, judgement=judgement, name=one.name + (AT_REST if one is stuck else "")))
    return found


#: The deadlock as a plain invariant: the name of its own belongs to what the engines ask of every system.
AT_REST = " at rest"


class _Translation:
    """Expressions of the whole system as ones of the held, in a table of their own."""

    def __init__(self, x: Expressions, whole: TransitionSystem, most: int, places: tuple[range, ...]) -> None:
        self.made = Expressions(x.locate)
        self._x, self._whole, self._most, self._places = x, whole, most, places
        self._known: dict[int, Expression] = {}

    def transition(self, t: Transition, ignored: frozenset[int]) -> Transition:
        """A step as one of the held system: without it where a number becomes too large."""
        x, updates = self._x, [(p, node) for p, node in t.updates if p not in ignored]
        fits = x.conjoin(self._fit(p, node) for p, node in updates)
        wrong = x.negate(x.equal(t.mistake, x.const(0)))
        return replace(
            t,
            guard=self.of(x.conjoin((t.guard, x.disjoin((wrong, fits))))),
            updates=tuple(pair for p, node in updates for pair in self._update(p, node)),
            outcome=self.of(t.outcome),
            mistake=self.of(t.mistake),
        )

    def _fit(self, position: int, node: Expression) -> Expression:
        x, slot, most = self._x, self._whole.slots[position], self._x.const(self._most)
        if slot.hi == PREDICATE:
            stores = (n for n in reachable([node]) if n.op is Op.STORE)
            return x.conjoin(x.disjoin((x.negate(n.args[2]), x.negate(x.less(most, n.args[1])))) for n in stores)
        return x.negate(x.less(most, node)) if slot.hi >= UNBOUNDED else x.true

    def _update(self, position: int, node: Expression) -> Iterable[tuple[int, Expression]]:
        here = self._places[position]
        if self._whole.slots[position].hi != PREDICATE:
            return [(here[0], self.of(node))]
        return [(place, self.of(self._x.select(node, self._x.const(n)))) for n, place in enumerate(here)]

    def step_property(self, prop: StepProperty) -> StepProperty:
        """A step property over the held system's steps."""
        return replace(prop, judgements=tuple(map(self.judgement, prop.judgements)))

    def judgement(self, judgement: Judgement) -> Judgement:
        """A judgement of the held system."""
        tested = judgement.exercised
        return replace(
            judgement,
            holds=self.of(judgement.holds),
            exercised=None if tested is None else self.of(tested),
            mistake=self.of(judgement.mistake),
        )

    def of(self, root: Expression) -> Expression:
        """An expression about numbers that are all written out."""
        flat = self._without_quantifiers(root)
        for node in reachable([flat]):
            if node.number not in self._known and not node.is_predicate:
                self._known[node.number] = self._node(node)
        return self._known[flat.number]

    def _without_quantifiers(self, root: Expression) -> Expression:
        x = self._x
        while (node := _quantifier(root)) is not None:
            root = substituted(x, root, {node.number: x.disjoin(opened(x, node, range(self._most + 1)))})
        return root

    def _node(self, node: Expression) -> Expression:
        y = self.made
        if node.op is Op.SELECT:
            return self._select(node)
        if node.op in (Op.SLOT, Op.NEXT):
            place = self._places[node.value][0]
            slot = self._slot(node.value)
            make = y.slot if node.op is Op.SLOT else y.next_slot
            return make(place, slot[0], slot[1], is_bool=node.is_bool)
        if node.op is Op.CONST:
            return y.truth(bool(node.value)) if node.is_bool else y.const(node.value)
        if node.op is Op.OUTCOME:
            return y.outcome(node.hi + 1)
        return built(y, node.op, [self._known[a.number] for a in node.args], node.value)

    def _slot(self, position: int) -> tuple[int, int]:
        slot = self._whole.slots[position]
        return slot.lo, max(self._most, slot.lo) if slot.hi >= UNBOUNDED else slot.hi

    def _select(self, node: Expression) -> Expression:
        y, (elements, number) = self.made, node.args
        assert elements.op in (Op.SLOT, Op.NEXT), "what is asked of a set is asked of the state's own"
        make = y.slot if elements.op is Op.SLOT else y.next_slot
        asked = self._known[number.number]
        return y.disjoin(
            y.conjoin((y.equal(asked, y.const(n)), make(place, 0, 1, is_bool=True)))
            for n, place in enumerate(self._places[elements.value])
        )


def _quantifier(root: Expression) -> Expression | None:
    """A quantifier that is inside no other."""
    return next((n for n in reachable([root]) if n.op is Op.EXISTS and n.free <= 1), None)


def opened(x: Expressions, quantifier: Expression, numbers: Iterable[int]) -> list[Expression]:
    """What a quantifier says of each of some numbers: that it is an element, and the body true of it."""
    elements, body = quantifier.args
    bound = [n.number for n in reachable([body]) if n.op is Op.BOUND and n.value == quantifier.value]
    return [
        x.conjoin((x.select(elements, x.const(i)), substituted(x, body, dict.fromkeys(bound, x.const(i)))))
        for i in numbers
    ]


def movers(system: TransitionSystem, state: State) -> list[Expression]:
    """What would move a state of an unbounded system: guards of what is no fault, over their parameters alone."""
    x = system.expressions
    known: dict[int, Expression] = {}
    for p, slot in enumerate(system.slots):
        node = x.slot(p, slot.lo, slot.hi, is_bool=slot.is_bool)
        known[node.number] = x.truth(bool(state[p])) if slot.is_bool else x.const(state[p])
    found: list[Expression] = []
    for t in system.transitions:
        guard = substituted(x, t.guard, known) if t.fault is None else x.false
        while (quantifier := _quantifier(guard)) is not None:
            elements = digits(quantifier.args[0].value)
            guard = substituted(x, guard, {quantifier.number: x.disjoin(opened(x, quantifier, elements))})
        if guard is not x.false:
            found.append(guard)
    return found
