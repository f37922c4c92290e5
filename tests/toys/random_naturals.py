"""Random models of numbers without a bound, and of sets of them; and the same with numbers up to a largest one.

Beside `random_kinds.py`, whose models have finitely many states. Here are counters that only grow, and some that also
shrink, sets that numbers are put into and taken out of, actions with any number as an argument, quantifiers over sets,
and faults. What is drawn does not depend on whether there is a largest number.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, TypeAlias

from fenceproof.model import (
    Bool,
    Model,
    Natural,
    Range,
    Set,
    Step,
    action,
    exists,
    fault,
    greatest,
    implies,
    invariant,
    naturals,
    quiescent,
    require,
    step_property,
    terminal,
)

#: Asked of a model, and done to it, with the number that its action is called with (None: with none).
Ask: TypeAlias = Callable[[Any, Any], Any]
Do: TypeAlias = Callable[[Any, Any], None]

_COUNTERS = ("first", "second")


class Drawing:
    """Draws the parts of one model: two counters, perhaps a set, and a flag."""

    def __init__(self, r: Random) -> None:
        self.r = r
        self.has_set = r.random() < 0.7
        #: How often what may go wrong is drawn.
        self.carelessness = r.choice([0.0, 0.0, 0.0, 0.1])

    def term(self, has_number: bool) -> Ask:
        """A number: one of the state's, or the argument, and perhaps a little more."""
        r = self.r
        name, more = r.choice(_COUNTERS), r.choice([0, 0, 1, 2])
        if has_number and r.random() < 0.6:
            return lambda m, number: number + more
        if r.random() < 0.2:
            return lambda m, number: more
        return lambda m, number: getattr(m, name) + more

    def ask(self, has_number: bool = False, depth: int = 1) -> Ask:
        r = self.r
        if depth > 0 and r.random() < 0.5:
            one, other = self.ask(has_number, depth - 1), self.ask(has_number, depth - 1)
            if r.random() < 0.5:
                return lambda m, number: one(m, number) and other(m, number)
            return lambda m, number: one(m, number) or other(m, number)
        a, b = self.term(has_number), self.term(has_number)
        asks: list[Ask] = [
            lambda m, number: a(m, number) < b(m, number),
            lambda m, number: a(m, number) <= b(m, number),
            lambda m, number: a(m, number) == b(m, number),
            lambda m, number: m.flag,
        ]
        if self.has_set:
            of_sets: list[Ask] = [
                lambda m, number: a(m, number) in m.members,
                lambda m, number: a(m, number) in m.members,
                lambda m, number: exists(m.members, lambda element: element > a(m, number)),
                lambda m, number: exists(m.members, lambda element: element == a(m, number)),
                lambda m, number: exists(
                    m.members, lambda element: (element < a(m, number)) | (element == b(m, number))
                ),
            ]
            asks += of_sets
        found = r.choice(asks)
        return (lambda m, number: not found(m, number)) if r.random() < 0.4 else found

    def do(self, has_number: bool) -> Do:
        r = self.r
        name, more, term = r.choice(_COUNTERS), r.randint(1, 2), self.term(has_number)
        flag, is_careless = self.ask(has_number, 0), r.random() < self.carelessness

        def down(m: Any, number: Any) -> None:
            value = getattr(m, name) - more
            setattr(m, name, value if is_careless else greatest(0, value))

        dos: list[Do] = [
            lambda m, number: setattr(m, name, getattr(m, name) + more),
            lambda m, number: setattr(m, name, getattr(m, name) + 1),
            lambda m, number: setattr(m, name, term(m, number)),
            lambda m, number: setattr(m, "flag", flag(m, number)),
            down,
        ]
        if self.has_set:
            to_sets: list[Do] = [
                lambda m, number: m.members.add(term(m, number)),
                lambda m, number: m.members.add(term(m, number)),
                lambda m, number: m.members.discard(term(m, number)),
            ]
            dos += to_sets
        return r.choice(dos)

    def act(self, outcome: str | None, has_number: bool) -> Callable[..., Any]:
        guard, dos = self.ask(has_number), [self.do(has_number) for _ in range(self.r.randint(1, 2))]
        is_guarded = self.r.random() < 0.6

        def done(m: Any, number: Any) -> str | None:
            if is_guarded:
                require(guard(m, number))
            for do in dos:
                do(m, number)
            return outcome

        def act(self: Any) -> str | None:
            return done(self, None)

        def act_with(self: Any, number: int) -> str | None:
            return done(self, number)

        return act_with if has_number else act

    def seldom_false(self) -> Ask:
        one, other = self.ask(), self.ask(depth=0)
        return lambda m, number: one(m, number) or other(m, number)


def random_naturals(seed: int, most: int | None = None) -> Model:
    """The model of a seed, with numbers up to a largest one where it is given."""
    r = Random(seed)
    d = Drawing(r)

    def constructor(self: Any) -> None:
        self.first, self.second = (Natural() if most is None else Range(0, most) for _ in _COUNTERS)
        self.flag = Bool()
        if d.has_set:
            self.members = Set(Natural() if most is None else Range(0, most))
        self.numbers = naturals(1) if most is None else range(1, most + 1)

    body: dict[str, Any] = {"__init__": constructor}
    for position in range(r.randint(2, 4)):
        has_number = r.random() < 0.4
        marked = action(number="numbers") if has_number else action
        body[f"act{position}"] = _named(f"act{position}", marked, d.act(r.choice([None, "done"]), has_number))
    if r.random() < 0.4:
        body["slip"] = fault("slip", budget=r.choice([1, 2, None]))(_named("slip", action, d.act("failed", False)))
    _add_properties(d, body)
    made: type[Model] = type(f"Naturals{seed}", (Model,), body)
    return made()


def _named(name: str, marked: Any, act: Callable[..., Any]) -> Any:
    act.__name__ = name
    return marked(act)


def _add_properties(d: Drawing, body: dict[str, Any]) -> None:
    antecedent, ask = d.ask(), d.seldom_false()
    before, after, grown = d.ask(depth=0), d.ask(depth=0), d.r.choice(_COUNTERS)
    rests, ends = d.ask(), d.ask()

    def stepping(self: Any, step: Step) -> Any:
        return before(step.before, None) or after(step.after, None) or step.outcome == "failed"

    def implied(self: Any) -> Any:
        return implies(antecedent(self, None), lambda: ask(self, None))

    def growing(self: Any, step: Step) -> Any:
        return getattr(step.before, grown) <= getattr(step.after, grown)

    body["safe"] = invariant(name="safe")(_states(d.seldom_false()))
    body["implied"] = invariant(name="implied")(implied)
    body["stepping"] = step_property(name="stepping")(stepping)
    body["growing"] = step_property(name="growing")(growing)
    body["rests"] = quiescent(name="rests")(_states(rests))
    if d.r.random() < 0.7:
        body["stop"] = terminal(_states(ends))


def _states(ask: Ask) -> Callable[[Any], Any]:
    def prop(self: Any) -> Any:
        return ask(self, None)

    return prop
