"""What certainly happens in an unbounded system, by visiting the states with few numbers: properties that are put to
the test, actions that are taken, and violations, each with a trace that is replayed without the bound."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from fenceproof.model.errors import InternalError
from fenceproof.model.system import DEADLOCK, State, TransitionSystem
from fenceproof.model.trace import Trace, replay

from ..engines.explicit import Search, explore
from ..engines.shortest import Backwards
from ..engines.tally import Tally
from ..limits import Limits, Watch
from ..result import Wrong
from ..smt.backend import new_solver, z3
from ..violation import ends_in_violation
from .held import AT_REST, TESTED, Held, hold, movers
from .integers import Integers

#: The largest number, one search after another; the next one only where the last was small.
NUMBERS: Final = (2, 3, 4, 8, 16)
MOST_STATES: Final = 300_000
_SMALL: Final = 100_000


@dataclass(slots=True)
class Reached:
    """What was found. The traces are `whole`'s, the system with numbers up to the largest written out."""

    whole: TransitionSystem
    tested: set[str] = field(default_factory=lambda: {DEADLOCK})
    taken: set[str] = field(default_factory=set[str])
    violated: dict[str, Trace] = field(default_factory=dict[str, Trace])
    wrong: Wrong | None = None


def reach(system: TransitionSystem, names: Sequence[str], watch: Watch) -> Reached:
    """Look for what happens with numbers up to some, of the properties of these names."""
    found = Reached(system)
    for most in NUMBERS:
        held = hold(system, most)
        asked = [a for name in names for a in _questions(held, name)]
        search, tallies = explore(held.system, asked, limited(watch), None)
        found.taken |= {t.action for t, n in zip(held.system.transitions, search.taken, strict=True) if n}
        _Reader(system, held, search, found).read(tallies)
        if search.stop is not None or search.accidents or search.distinct > _SMALL or watch.stop(0, 0) is not None:
            break
    return found


def limited(watch: Watch) -> Watch:
    """The time that is left, and no more states than are visited in a second or two."""
    limits = watch.limits
    return Watch(Limits(max_states=MOST_STATES, time_s=limits.time_s, clock=limits.clock), watch.began)


def _questions(held: Held, name: str) -> list[str]:
    """The questions to the held system about a property."""
    asked = [name, name + AT_REST, name + TESTED]
    known = {i.name for i in held.system.invariants} | {p.name for p in held.system.step_properties}
    return [one for one in asked if one in known]


@dataclass(frozen=True, slots=True)
class _Reader:
    """Takes what a search of the held system found over to the unbounded one."""

    system: TransitionSystem
    held: Held
    search: Search
    found: Reached

    def read(self, tallies: Sequence[Tally]) -> None:
        """Add what was found. Earlier traces are told again in terms of the larger system."""
        found = self.found
        found.violated = {name: _renamed(found.whole, self.held.whole, t) for name, t in found.violated.items()}
        found.whole = self.held.whole
        backwards = Backwards(self.held.system, self.search.layout, self.search.levels)
        if self.search.accidents:
            wrong = backwards.wrong(self.search.accidents)
            found.wrong = replace(wrong, trace=self._replayed(wrong.trace))
        for tally in tallies:
            name = tally.name.removesuffix(TESTED).removesuffix(AT_REST)
            if tally.name.endswith(TESTED):
                if name not in found.tested and tally.count and self._is_at_rest(backwards.violation(tally)):
                    found.tested.add(name)
                continue
            if tally.exercised and not self._is_quiescent(name):
                found.tested.add(name)
            if tally.count and name not in found.violated:
                trace = backwards.violation(tally)
                if not self._is_quiescent(name) or self._is_at_rest(trace):
                    found.violated[name] = self._confirmed(name, trace)

    def _is_quiescent(self, name: str) -> bool:
        return name == DEADLOCK or any(i.quiescent for i in self.system.invariants if i.name == name)

    def _is_at_rest(self, trace: Trace) -> bool:
        return is_at_rest(self.system, self.held.state(trace.states[-1]))

    def _replayed(self, trace: Trace) -> Trace:
        unbounded = self.held.trace(trace)
        problem = replay(self.held.whole, unbounded)
        if problem is not None:
            raise InternalError(f"a behaviour with few numbers is none without a bound: {problem}")
        return unbounded

    def _confirmed(self, name: str, trace: Trace) -> Trace:
        unbounded = self._replayed(trace)
        if not ends_in_violation(self.held.whole, name, unbounded):
            raise InternalError(f"a violation of {name} with few numbers is none without a bound.")
        return unbounded


def _renamed(before: TransitionSystem, after: TransitionSystem, trace: Trace) -> Trace:
    """A trace of a system with some numbers written out, as one of it with more."""
    places = {(t.action, repr(t.arguments)): i for i, t in enumerate(after.transitions)}
    named = (before.transitions[i] for i in trace.transitions)
    return replace(trace, transitions=tuple(places[t.action, repr(t.arguments)] for t in named))


def is_at_rest(system: TransitionSystem, state: State) -> bool:
    """Whether nothing but a fault can happen in a state, with any number at all; not where z3 does not know."""
    guards = movers(system, state)
    if not guards:
        return True
    integers = Integers(_no_sets)
    terms = [integers.term(guard) for guard in guards]
    solver = new_solver(timeout=5000)
    solver.add(z3.Or(terms), *integers.sides)
    return bool(solver.check() == z3.unsat)


def _no_sets(predicate: int, number: object, term: object) -> object:
    raise AssertionError("the sets of a state are known")
