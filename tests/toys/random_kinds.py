"""Random models of every kind: what is drawn is which variables there are, what is asked of them, and what is done.

Beside `random_models.py`, whose variables are small numbers: here are negative ranges, `//` and `%` of negative
numbers, Maybe, records, Map, Bag, Queue, Set, `choose`, several initial states, lemmas that may be false, and
judgements that may go wrong.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from random import Random
from typing import Any, TypeAlias

from fenceproof.model import (
    Array,
    Bag,
    Bool,
    Choice,
    Map,
    Maybe,
    Model,
    Queue,
    Range,
    Record,
    Set,
    Step,
    action,
    choose,
    count,
    exists,
    fault,
    forall,
    greatest,
    implies,
    initial,
    invariant,
    least,
    lemma,
    quiescent,
    require,
    step_property,
    terminal,
)

#: Asked of a model that is lifted, or done to it.
Ask: TypeAlias = Callable[[Any], Any]
Do: TypeAlias = Callable[[Any], None]


class Pair(Record):
    a: int = Range(-1, 1)
    b: bool = Bool()


class Variable(ABC):
    """A variable: what it is, and draws of what is asked of it and done to it. `careless` ones may go wrong."""

    def __init__(self, r: Random, name: str) -> None:
        self.name = name
        self.r = r

    @abstractmethod
    def kind(self) -> Any: ...

    @abstractmethod
    def ask(self, careless: bool) -> Ask: ...

    @abstractmethod
    def do(self, careless: bool) -> Do: ...

    def setting(self, value: Callable[[Any], Any]) -> Do:
        name = self.name  # a model must not hold on to what draws at random
        return lambda m: setattr(m, name, value(getattr(m, name)))


class Signed(Variable):
    def __init__(self, r: Random, name: str) -> None:
        super().__init__(r, name)
        self.lo, self.hi = r.randint(-3, 0), r.randint(1, 3)
        self.starts = sorted(r.sample(range(self.lo, self.hi + 1), r.randint(1, 2)))

    def kind(self) -> Any:
        return Range(self.lo, self.hi, start=choose(self.starts))

    def ask(self, careless: bool) -> Ask:
        name, k, d = self.name, self.r.randint(self.lo, self.hi), self.r.choice([-3, -2, 2, 3])
        asks: list[Ask] = [
            lambda m: getattr(m, name) < k,
            lambda m: getattr(m, name) == k,
            lambda m: getattr(m, name) // d < k,
            lambda m: getattr(m, name) % d == k % d,
            lambda m: getattr(m, name) * getattr(m, name) - k > 2,
            lambda m: (k - getattr(m, name)) // d == getattr(m, name) % d,
        ]
        if careless:
            asks.append(lambda m: 5 // getattr(m, name) < k)
            asks.append(lambda m: k % getattr(m, name) < 1)
        return self.r.choice(asks)

    def do(self, careless: bool) -> Do:
        lo, hi, k = self.lo, self.hi, self.r.randint(self.lo, self.hi)
        dos: list[Do] = [
            self.setting(lambda x: k),
            self.setting(lambda x: greatest(lo, least(hi, x + k))),
            self.setting(lambda x: (x + k) % (hi - lo + 1) + lo),
            self.setting(lambda x: greatest(lo, least(hi, x // -2))),
            self.setting(lambda x: least(hi, greatest(lo, x * k))),
            self.setting(lambda x: choose([lo, k])),
        ]
        if careless:
            dos += [self.setting(lambda x: x + k), self.setting(lambda x: k // x)]
        return self.r.choice(dos)


class Absent(Variable):
    def kind(self) -> Any:
        return Maybe(Range(0, 2))

    def ask(self, careless: bool) -> Ask:
        name, k = self.name, self.r.randint(0, 2)

        def less(m: Any) -> Any:
            value = getattr(m, name)
            return value is not None and value < k

        asks: list[Ask] = [lambda m: getattr(m, name) is None, lambda m: getattr(m, name) == k, less]
        return self.r.choice([*asks, lambda m: getattr(m, name) < k] if careless else asks)

    def do(self, careless: bool) -> Do:
        k = self.r.randint(0, 2)
        dos = [
            self.setting(lambda x: None),
            self.setting(lambda x: k),
            self.setting(lambda x: None if x is None else (x + 1) % 3),
        ]
        return self.r.choice([*dos, self.setting(lambda x: x + 1)] if careless else dos)


class Recorded(Variable):
    def kind(self) -> Any:
        return Pair()

    def ask(self, careless: bool) -> Ask:
        name, k = self.name, self.r.randint(-1, 1)
        value = Pair.of(a=k, b=True)
        return self.r.choice(
            [
                lambda m: getattr(m, name).a < k,
                lambda m: getattr(m, name).b,
                lambda m: getattr(m, name) == value,
                lambda m: getattr(m, name).a % -2 == k,
            ]
        )

    def do(self, careless: bool) -> Do:
        name, k, flag = self.name, self.r.randint(-1, 1), self.r.random() < 0.6

        def up(m: Any) -> None:
            pair = getattr(m, name)
            pair.a = pair.a + 1 if careless else -pair.a

        return self.r.choice(
            [
                lambda m: setattr(getattr(m, name), "a", k),
                lambda m: setattr(getattr(m, name), "b", flag),
                lambda m: setattr(m, name, Pair.of(a=k, b=flag)),
                up,
            ]
        )


class Mapped(Variable):
    def kind(self) -> Any:
        return Map(["x", "y"], Range(0, 2))

    def ask(self, careless: bool) -> Ask:
        name, k, key = self.name, self.r.randint(0, 2), self.r.choice("xy")
        return self.r.choice(
            [
                lambda m: getattr(m, name)[key] < k,
                lambda m: getattr(m, name)["x"] == getattr(m, name)["y"],
                lambda m: getattr(m, name)["x"] - getattr(m, name)["y"] < k - 1,
            ]
        )

    def do(self, careless: bool) -> Do:
        name, k, key = self.name, self.r.randint(0, 2), self.r.choice("xy")

        def grow(m: Any) -> None:
            cells = getattr(m, name)
            cells[key] = cells[key] + 1 if careless else (cells[key] + 1) % 3

        def put(m: Any) -> None:
            getattr(m, name)[key] = k

        return self.r.choice([grow, put])


class Cells(Variable):
    def kind(self) -> Any:
        return Array(2, Range(0, 2))

    def ask(self, careless: bool) -> Ask:
        name, k = self.name, self.r.randint(0, 2)
        asks: list[Ask] = [
            lambda m: getattr(m, name)[k % 2] < k,
            lambda m: forall(getattr(m, name), lambda n: n <= k),
            lambda m: count(getattr(m, name), lambda n: n == k) == 1,
        ]
        return self.r.choice([*asks, lambda m: getattr(m, name)[getattr(m, name)[0]] < 2] if careless else asks)

    def do(self, careless: bool) -> Do:
        name, k = self.name, self.r.randint(0, 2)

        def put(m: Any) -> None:
            cells = getattr(m, name)
            cells[cells[1] if careless else k % 2] = k

        return put


class Bagged(Variable):
    def kind(self) -> Any:
        return Bag(Range(0, 1), most=2)

    def ask(self, careless: bool) -> Ask:
        name, k = self.name, self.r.randint(0, 1)
        return self.r.choice([lambda m: k in getattr(m, name), lambda m: getattr(m, name).count(k) < 2])

    def do(self, careless: bool) -> Do:
        name, k = self.name, self.r.randint(0, 1)

        def put(m: Any) -> None:
            bag = getattr(m, name)
            if careless or bag.count(k) < 2:
                bag.add(k)

        def take(m: Any) -> None:
            bag = getattr(m, name)
            if careless or k in bag:
                bag.remove(k)

        return self.r.choice([put, take])


class Queued(Variable):
    def kind(self) -> Any:
        return Queue(Choice("a", "b"), capacity=2)

    def ask(self, careless: bool) -> Ask:
        name, k = self.name, self.r.randint(1, 2)

        def first(m: Any) -> Any:
            queue = getattr(m, name)
            return (careless or len(queue) > 0) and queue[0] == "a"

        return self.r.choice([lambda m: len(getattr(m, name)) < k, first])

    def do(self, careless: bool) -> Do:
        name, letters = self.name, self.r.choice([["a"], ["b"], ["a", "b"]])

        def put(m: Any) -> None:
            queue = getattr(m, name)
            if careless or len(queue) < 2:
                queue.append(choose(letters))

        def take(m: Any) -> None:
            queue = getattr(m, name)
            if careless or len(queue) > 0:
                queue.popleft()

        return self.r.choice([put, take])


class Members(Variable):
    def kind(self) -> Any:
        return Set(Range(0, 2))

    def ask(self, careless: bool) -> Ask:
        name, k = self.name, self.r.randint(0, 2)
        return self.r.choice(
            [
                lambda m: k in getattr(m, name),
                lambda m: count(getattr(m, name)) <= k,
                lambda m: exists(getattr(m, name), lambda n: n >= k),
            ]
        )

    def do(self, careless: bool) -> Do:
        name, k = self.name, self.r.randint(0, 2)

        def drop(m: Any) -> None:
            getattr(m, name).discard(choose(getattr(m, name)))

        return self.r.choice([lambda m: getattr(m, name).add(k), lambda m: getattr(m, name).discard(k), drop])


SORTS: tuple[type[Variable], ...] = (Signed, Absent, Recorded, Mapped, Cells, Bagged, Queued, Members)


class Drawing:
    """Draws the parts of one model over its variables."""

    def __init__(self, r: Random) -> None:
        self.r = r
        sorts = r.sample(SORTS, r.randint(2, 3))
        self.variables = [sort(r, f"v{number}") for number, sort in enumerate(sorts)]
        #: How often what may go wrong is drawn.
        self.carelessness = r.choice([0.0, 0.0, 0.15])

    def _careless(self) -> bool:
        return self.r.random() < self.carelessness

    def ask(self, depth: int = 1) -> Ask:
        r = self.r
        if depth == 0 or r.random() < 0.5:
            found = r.choice(self.variables).ask(self._careless())
            return (lambda m: not found(m)) if r.random() < 0.4 else found
        one, other = self.ask(depth - 1), self.ask(depth - 1)
        return (lambda m: one(m) and other(m)) if r.random() < 0.5 else (lambda m: one(m) or other(m))

    def seldom_false(self) -> Ask:
        one, two, three = self.ask(), self.ask(), self.ask(0)
        return lambda m: one(m) or two(m) or three(m)

    def act(self, outcome: str | None) -> Callable[[Any], Any]:
        guard = self.ask()
        dos = [v.do(self._careless()) for v in self.r.sample(self.variables, self.r.randint(1, 2))]

        def act(self: Any) -> str | None:
            require(guard(self))
            for do in dos:
                do(self)
            return outcome

        return act


def random_kinds(seed: int) -> Model:
    """The model of a seed."""
    r = Random(seed)
    d = Drawing(r)

    def constructor(self: Any) -> None:
        for variable in d.variables:
            setattr(self, variable.name, variable.kind())

    body: dict[str, Any] = {"__init__": constructor}
    for number in range(r.randint(2, 4)):
        body[f"act{number}"] = action(name=f"act{number}")(d.act(r.choice([None, "done"])))
    for name, budget in r.sample([("once", 1), ("twice", 2), ("often", None)], r.randint(0, 2)):
        body[name] = fault(name, budget=budget)(action(name=name)(d.act("failed")))
    _add_properties(d, body)
    made: type[Model] = type(f"Kinds{seed}", (Model,), body)
    return made()


def _add_properties(d: Drawing, body: dict[str, Any]) -> None:
    r = d.r
    drawn: list[tuple[str, Any]] = [
        ("safe", invariant(name="safe")(_states(d.seldom_false()))),
        ("implied", invariant(name="implied")(_implied(d.ask(), d.seldom_false()))),
        ("rests", quiescent(name="rests")(_states(d.ask()))),
        ("stepping", step_property(name="stepping")(_steps(d.seldom_false(), d.seldom_false()))),
        ("helps", lemma(name="helps")(_states(d.seldom_false()))),
    ]
    body.update(r.sample(drawn, r.randint(2, 4)))
    if r.random() < 0.8:
        body["stop"] = terminal(_states((lambda m: True) if r.random() < 0.5 else d.ask()))
    if r.random() < 0.4:
        body["begin"] = initial(_begins(r.choice(d.variables).do(careless=False)))


def _states(ask: Ask) -> Callable[[Any], Any]:
    def prop(self: Any) -> Any:
        return ask(self)

    return prop


def _implied(antecedent: Ask, ask: Ask) -> Callable[[Any], Any]:
    def prop(self: Any) -> Any:
        return implies(antecedent(self), lambda: ask(self))

    return prop


def _steps(before: Ask, after: Ask) -> Callable[[Any, Step], Any]:
    def prop(self: Any, step: Step) -> Any:
        return before(step.before) or after(step.after) or step.outcome == "failed"

    return prop


def _begins(do: Do) -> Callable[[Any], None]:
    def begin(self: Any) -> None:
        do(self)

    return begin
