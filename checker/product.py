"""Two systems side by side as one: each event is done by both at once, and they are to agree on what can happen.

For systems of which the events done so far leave one state only: one initial state, nothing hidden, and no action
twice with the same arguments. Their sequences of events are the same exactly if the invariant `AGREE` holds in every
reachable pair of states: by induction over the sequence, as a pair is all that is to be known of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from fenceproof.model.expressions import Expression, Expressions
from fenceproof.model.layout import Slot
from fenceproof.model.substitution import substitute
from fenceproof.model.system import Invariant, Judgement, Mistake, Transition, TransitionSystem, Variable

from .events import Seen, Side, name_of

AGREE: Final = "agree"


@dataclass(frozen=True, slots=True)
class Moved:
    """A transition over the pair's slots."""

    origin: Transition
    guard: Expression
    outcome: Expression
    mistake: Expression
    updates: tuple[tuple[int, Expression], ...]


def is_deterministic(side: Side, seen: Seen) -> bool:
    """Whether the events done so far, and their outcomes, leave one state only, so that a product decides."""
    names = [name_of(t) for t in side.system.transitions]
    hidden = any(t.action in seen.hidden for t in side.system.transitions)
    return len(side.system.initial) == 1 and not hidden and len(set(names)) == len(names)


def product(left: Side, right: Side, seen: Seen) -> TransitionSystem:
    """The pair of two deterministic systems, with the invariant that says that they can do the same."""
    x = Expressions()
    first = len(left.system.slots)
    ours = {name_of(m.origin): m for m in moved(x, left.system, 0)}
    theirs = {name_of(m.origin): m for m in moved(x, right.system, first)}
    together: list[Transition] = []
    agree: list[Expression] = []
    for name in dict.fromkeys((*ours, *theirs)):
        a, b = ours.get(name), theirs.get(name)
        if a is None or b is None:
            only = a or b
            assert only is not None, "one of them has it"
            agree.append(x.negate(only.guard))
            continue
        same = x.true if seen.ignore_outcomes else same_outcome(x, a, b)
        both = x.conjoin((a.guard, b.guard))
        agree.append(x.conjoin((x.equal(a.guard, b.guard), x.disjoin((x.negate(both), same)))))
        together.append(_joint(x, (left, a), (right, b), x.conjoin((both, same))))
    return TransitionSystem(
        name="pair",
        parameters={},
        faults={},
        most_faults=None,
        variables=(*_named(left, 0, 0), *_named(right, 1, first)),
        slots=tuple(
            Slot(f"{number} {s.name}", s.lo, s.hi, s.is_bool)
            for number, side in enumerate((left, right), start=1)
            for s in side.system.slots
        ),
        initial=((*left.system.initial[0], *right.system.initial[0]),),
        transitions=tuple(together),
        invariants=(Invariant(AGREE, Judgement(x.conjoin(agree), None, x.const(0), ()), "both can do the same", None),),
        step_properties=(),
        terminal=Judgement(x.false, None, x.const(0), ()),
        expressions=x,
    )


def moved(x: Expressions, system: TransitionSystem, first: int) -> list[Moved]:
    """The transitions of a system, rebuilt in a table with its slots moved on by `first`."""
    slots = [x.slot(first + i, s.lo, s.hi, is_bool=s.is_bool) for i, s in enumerate(system.slots)]
    roots: list[Expression] = []
    for t in system.transitions:
        roots += [t.guard, t.outcome, t.mistake, *(node for _, node in t.updates)]
    rebuilt = iter(substitute(x, roots, slots))
    found: list[Moved] = []
    for t in system.transitions:
        guard, outcome, mistake = next(rebuilt), next(rebuilt), next(rebuilt)
        found.append(Moved(t, guard, outcome, mistake, tuple((first + p, next(rebuilt)) for p, _ in t.updates)))
    return found


def same_outcome(x: Expressions, a: Moved, b: Moved) -> Expression:
    """Where two transitions have the same outcome. (An outcome may stand among a transition's twice.)"""
    return x.disjoin(
        x.conjoin((x.equal(a.outcome, x.const(i)), x.equal(b.outcome, x.const(j))))
        for i, mine in enumerate(a.origin.outcomes)
        for j, other in enumerate(b.origin.outcomes)
        if mine == other
    )


def _joint(x: Expressions, ours: tuple[Side, Moved], theirs: tuple[Side, Moved], guard: Expression) -> Transition:
    (left, a), (right, b) = ours, theirs
    before = len(a.origin.mistakes)
    # The first of the two to go wrong is named; where neither does this is 0, as it is to be.
    later = x.choose(x.equal(b.mistake, x.const(0)), x.const(0), x.add(b.mistake, x.const(before)))
    return Transition(
        action=a.origin.action,
        arguments=a.origin.arguments,
        guard=guard,
        updates=(*a.updates, *b.updates),
        outcome=a.outcome,
        outcomes=a.origin.outcomes,
        mistake=x.choose(x.equal(a.mistake, x.const(0)), later, a.mistake),
        mistakes=(*_mistakes(left, a), *_mistakes(right, b)),
        fault=a.origin.fault or b.origin.fault,
        site=a.origin.site,
    )


def _mistakes(side: Side, m: Moved) -> Sequence[Mistake]:
    return [Mistake(f"{side.target}: {mistake.message}", mistake.site) for mistake in m.origin.mistakes]


def _named(side: Side, number: int, first: int) -> list[Variable]:
    return [Variable(f"{number + 1} {v.name}", v.kind, first + v.first) for v in side.system.variables]
