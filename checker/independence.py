"""Independence: whether a system is nothing but some copies, side by side, of the same model with one of them.

What is compared are transition systems, never the Python that they were lifted from. `difference(many, one, copies)`
finds for every slot of `many` its copy and its place in `one`, and then checks that

- each transition reads and writes one copy alone, and is a transition of `one` with its slots renamed: guard, updates,
  outcome, mistakes, every step property's judgement of it; and that each copy has all of them, as often;
- the initial states are all combinations of those of `one`;
- every invariant, `terminal` and every goal is the conjunction over the copies of what it is in `one`, and what an
  invariant was put to the test by the disjunction;
- fairness is demanded of actions of one copy each, and of the same ones in each copy.

Where only some properties are asked about, it is these that are compared: each by itself, as the argument has them.

How slots were paired is a guess that no verdict leans on: a wrong pairing is a difference.

Why then the verdict on `one` is the verdict on any number of copies (write R for what `one` reaches, n ≥ 1):

- The reachable states are exactly the combinations of n members of R: a step moves one copy and leaves the
  others, no guard asks about another copy, and any interleaving of behaviours of the copies is a behaviour.
- Step properties, errors of the model, coverage: the steps are those of `one`, each beside any reachable states of
  the others, and are judged alike. Invariants: a combination violates the conjunction if and only if some copy of it
  violates the conjunct, and that copy is any member of R. The antecedent of an invariant, likewise, is true somewhere.
- Quiescent states and deadlocks: a combination is quiescent if and only if every copy is. If it violates, so does one
  copy of it, which is quiescent in `one`. Conversely let all copies go the way of the one that violates.
- Goals (`eventually`), where a lasso of `one` violates: all copies go round it by turns. That is fair, since each
  demand is about one copy, whose own steps are the lasso's, and no goal is met, since no copy meets its own.
- Goals, where `one` has none: project a fair behaviour of the copies on each of them. The projection is fair: a copy
  that moves for ever meets each demand as the whole does; one that stands still from some point on has no fair action
  enabled there, for it would stay enabled and never be taken. So each copy meets its own goal at some point; and if the
  goal of `one`, once true, stays true (which `reduction.py` checks on R), there is a point at which all have. Without
  that it does not follow: two lamps that blink need never be lit at the same time.
- Properties of the sort `leads_to` are not treated, and neither is what couples copies through a number of faults in
  all: the counter is a slot that is nobody's.

The same argument says nothing about a model whose code does something else for some number: that a number of copies is
such a number has to be looked at, number by number, and reports say for which it was.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final

from fenceproof.model.expressions import Expression, slots_read
from fenceproof.model.kinds import SequenceKind
from fenceproof.model.system import Judgement, LivenessProperty, Mistake, Transition, TransitionSystem, Variable

from .shapes import Named, Naming, Shapes, TooLargeError

#: Initial states of all copies together; beyond it they are not compared.
MOST_INITIAL: Final = 100_000


def difference(
    many: TransitionSystem, one: TransitionSystem, copies: int, asked: Collection[str] | None = None
) -> str | None:
    """None if `many` is exactly so many copies of `one` side by side, else a reason why that was not shown.

    `asked` are the names of the properties that are compared (None: all).
    """
    if asked is not None:
        many, one = _about(many, asked), _about(one, asked)
    try:
        pairing = pair_slots(many, one, copies)
        if isinstance(pairing, str):
            return pairing
        return _Comparison(many, one, copies, pairing).difference()
    except TooLargeError:
        return "a property is too large to be taken apart"


def _about(system: TransitionSystem, asked: Collection[str]) -> TransitionSystem:
    """A system with some of its properties alone."""
    return replace(
        system,
        invariants=tuple(i for i in system.invariants if i.name in asked),
        step_properties=tuple(p for p in system.step_properties if p.name in asked),
        liveness=tuple(p for p in system.liveness if p.name in asked),
    )


def is_shared(variable: Variable, copies: int) -> bool:
    """Whether a variable is something else than so many items in a row."""
    return not isinstance(variable.kind, SequenceKind) or len(variable.kind.keys) != copies


def pair_slots(many: TransitionSystem, one: TransitionSystem, copies: int) -> tuple[Named, ...] | str:
    """For each slot of `many` the copy it is in and the slot of `one` that it is there; or why there is none."""
    if {v.name for v in many.variables} != {v.name for v in one.variables}:
        return "there are other variables where there is one copy"
    places = {v.name: v for v in one.variables}
    found: dict[int, Named] = {}
    for variable in many.variables:
        single = places[variable.name]
        width = single.kind.width
        if is_shared(variable, copies) or is_shared(single, 1) or variable.kind.width != copies * width:
            return f"{variable.name} is not one for each copy"
        for copy in range(copies):
            for offset in range(width):
                here, there = variable.first + copy * width + offset, single.first + offset
                a, b = many.slots[here], one.slots[there]
                if (a.lo, a.hi, a.is_bool) != (b.lo, b.hi, b.is_bool):
                    return f"{a.name} has other values than {b.name} where there is one copy"
                found[here] = (copy, there)
    return tuple(found[position] for position in range(len(many.slots)))


#: What a transition is, over the slots of one copy: the same for two of them only if they do the same.
_Signature = tuple[object, ...]


@dataclass(slots=True)
class _Comparison:
    many: TransitionSystem
    one: TransitionSystem
    copies: int
    pairing: Sequence[Named]
    shapes: Shapes = field(default_factory=Shapes)
    signatures: dict[tuple[int, int], _Signature] = field(default_factory=dict[tuple[int, int], "_Signature"])

    def difference(self) -> str | None:
        return (
            self._frame()
            or self._initial()
            or self._transitions()
            or self._states()
            or next(filter(None, map(self._liveness, self.many.liveness, self.one.liveness)), None)
        )

    def _frame(self) -> str | None:
        """What has to be alike before anything can be compared."""

        def frame(s: TransitionSystem) -> tuple[object, ...]:
            actions = {(t.action, t.fault, t.after_fault) for t in s.transitions}
            off = (set(s.left_out), set(s.switched_off), s.without, dict(s.faults), s.most_faults)
            invariants = [(i.name, i.quiescent) for i in s.invariants]
            return actions, off, invariants, [p.name for p in s.step_properties], [p.name for p in s.liveness]

        return None if frame(self.many) == frame(self.one) else "it has other actions, faults or properties"

    def _initial(self) -> str | None:
        singles = set(self.one.initial)
        if len(singles) ** self.copies > MOST_INITIAL:
            return "there are too many initial states"
        found = set(self.many.initial)
        for state in found:
            parts = [[0] * len(self.one.slots) for _ in range(self.copies)]
            for value, (copy, place) in zip(state, self.pairing, strict=True):
                parts[copy][place] = value
            if any(tuple(part) not in singles for part in parts):
                return "a copy begins in a state in which it does not begin alone"
        # All different, each a combination, and as many as there are combinations: these are all of them.
        return (
            None if len(found) == len(singles) ** self.copies else "the initial states of copies depend on each other"
        )

    def _transitions(self) -> str | None:
        wanted = Counter(_signature(self.shapes, self.one, position, _itself) for position in _possible(self.one))
        found: list[Counter[_Signature]] = [Counter() for _ in range(self.copies)]
        for position in _possible(self.many):
            copy = self._owner([position])
            if copy is None:
                return f"{self.many.transitions[position].called} is not about one copy alone"
            signature = self._signature(position, copy)
            if signature not in wanted:
                return f"{self.many.transitions[position].called} does something else than where there is one copy"
            found[copy][signature] += 1
        return None if all(one == wanted for one in found) else "a copy can do less, or more, than where there is one"

    def _signature(self, position: int, copy: int) -> _Signature:
        """What a transition does, in the slots of `one` as far as it keeps to its copy."""

        # A slot of another copy, in a judgement, is no slot of `one`: what reads it has no counterpart there.
        def seen_from_copy(slot: int) -> Named:
            other, place = self.pairing[slot]
            return (0, place) if other == copy else (1 + other, place)

        if (position, copy) not in self.signatures:
            self.signatures[position, copy] = _signature(self.shapes, self.many, position, seen_from_copy)
        return self.signatures[position, copy]

    def _owner(self, positions: Sequence[int]) -> int | None:
        """The copy that some transitions are about; None if they are about several, or about none."""
        owners = {self.pairing[slot][0] for p in positions for slot in _touched(self.many.transitions[p])}
        return owners.pop() if len(owners) == 1 else None

    def _states(self) -> str | None:
        if not self._is_conjunction(self.many.terminal, self.one.terminal):
            return "where it may end is not shown to be where each copy may"
        for mine, theirs in zip(self.many.invariants, self.one.invariants, strict=True):
            if not self._is_conjunction(mine.judgement, theirs.judgement):
                return f"{mine.name} is not shown to be about each copy alone"
        return None

    def _liveness(self, mine: LivenessProperty, theirs: LivenessProperty) -> str | None:
        if mine.trigger is not None or theirs.trigger is not None:
            return f"{mine.name} is about what leads to what"
        if not self._is_conjunction(mine.goal, theirs.goal):
            return f"{mine.name} is not shown to be about each copy alone"
        wanted = Counter(
            (f.is_strong, self._bag(self.one, _alive(self.one, f.transitions), 0)) for f in theirs.fairness
        )
        found: list[Counter[tuple[bool, frozenset[tuple[_Signature, int]]]]] = [Counter() for _ in range(self.copies)]
        for fairness in mine.fairness:
            positions = _alive(self.many, fairness.transitions)
            if not positions:
                continue
            copy = self._owner(positions)
            if copy is None:
                return f"{mine.name} is fair to {fairness.name}, which is not about one copy alone"
            found[copy][fairness.is_strong, self._bag(self.many, positions, copy)] += 1
        for nothing in (True, False):
            wanted.pop((nothing, frozenset()), None)
        return None if all(one == wanted for one in found) else f"{mine.name} is fair to other actions in some copy"

    def _bag(self, system: TransitionSystem, positions: Sequence[int], copy: int) -> frozenset[tuple[_Signature, int]]:
        """What some transitions do, each with how often it is among them."""
        if system is self.one:
            return frozenset(Counter(_signature(self.shapes, system, p, _itself) for p in positions).items())
        return frozenset(Counter(self._signature(p, copy) for p in positions).items())

    def _is_conjunction(self, mine: Judgement, theirs: Judgement) -> bool:
        """Whether a property of states says of all copies what it says of one, and says it wherever it is asked."""
        # Where judging may go wrong, it depends on the other copies whether it comes to that.
        if any(j.mistakes or not j.mistake.is_const for j in (mine, theirs)):
            return False
        shapes = Shapes()

        def each(root: Expression) -> list[int]:
            return [shapes.diagram(root, partial(_in_copy, copy)) for copy in range(self.copies)]

        def whole(root: Expression) -> int:
            return shapes.diagram(root, self.pairing.__getitem__)

        if whole(mine.holds) != shapes.all_of(each(theirs.holds)):
            return False
        if mine.exercised is None or theirs.exercised is None:
            return mine.exercised is theirs.exercised
        return whole(mine.exercised) == shapes.any_of(each(theirs.exercised))


def _in_copy(copy: int, slot: int) -> Named:
    return (copy, slot)


_itself: Final[Naming] = partial(_in_copy, 0)


def _signature(shapes: Shapes, system: TransitionSystem, position: int, naming: Naming) -> _Signature:
    t = system.transitions[position]

    def shape(root: Expression) -> int:
        return shapes.shape(root, naming)

    judgements = tuple(
        (
            shape(j.holds),
            None if j.exercised is None else shape(j.exercised),
            shape(j.mistake),
            _sites(j.mistakes),
        )
        for j in (p.judgements[position] for p in system.step_properties)
    )
    updates = frozenset((naming(slot), shape(node)) for slot, node in dict(t.updates).items())
    what = (t.action, t.fault, t.after_fault, shape(t.guard), updates)
    return (*what, shape(t.outcome), t.outcomes, shape(t.mistake), _sites(t.mistakes), judgements)


def _sites(mistakes: Sequence[Mistake]) -> tuple[object, ...]:
    # The messages name slots, which differ between copies.
    return tuple(mistake.site for mistake in mistakes)


def _touched(t: Transition) -> set[int]:
    """The slots that a transition reads or writes."""
    read = [t.guard, t.outcome, t.mistake, *(node for _, node in t.updates)]
    return {slot for node in read for slot in slots_read(node)} | {slot for slot, _ in t.updates}


def _possible(system: TransitionSystem) -> list[int]:
    """The transitions but for those that are enabled nowhere, and stand there only to be counted."""
    return _alive(system, range(len(system.transitions)))


def _alive(system: TransitionSystem, positions: Sequence[int]) -> list[int]:
    return [p for p in positions if system.transitions[p].guard is not system.expressions.false]
