"""Random small models as an author might write them: safeguards, faults, and properties of every sort.

A model is drawn as plain data and its methods read that, so that the same seed gives the same model in every run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, TypeAlias

from fenceproof.model import (
    Array,
    Bool,
    Model,
    Range,
    Step,
    action,
    after_fault,
    eventually,
    fault,
    implies,
    initial,
    invariant,
    leads_to,
    quiescent,
    require,
    safeguard,
    step_property,
    strong,
    terminal,
    weak,
)

#: ("less", variable, number), ("is", variable, number), ("flag", variable), ("not", test), ("and", test, test),
#: ("ask", safeguard, number), ("cell", place, number),
#: ("at", variable, number), which goes wrong where the variable is no place, and ("always",).
Test: TypeAlias = tuple[Any, ...]
FAULTS: dict[str, int | None] = {"once": 1, "twice": 2, "often": None}


@dataclass
class Drawing:
    """Draws the parts of one model."""

    random: Random
    ranges: list[int]
    flags: int
    safeguards: int
    #: Whether numbers may be counted up beyond their range, and be places that there are not.
    careless: bool

    def atom(self, guards: float) -> Test:
        r = self.random
        if self.safeguards and r.random() < guards:
            return "ask", r.randrange(self.safeguards), r.randrange(3)
        match r.randrange(5 if self.careless else 4):
            case 4:
                return "at", r.randrange(len(self.ranges)), r.randint(1, 2)
            case 0:
                return "flag", r.randrange(self.flags)
            case 1:
                return "cell", r.randrange(2), r.randrange(1, 3)
            case 2:
                return "is", (v := r.randrange(len(self.ranges))), r.randint(0, self.ranges[v])
            case _:
                return "less", (v := r.randrange(len(self.ranges))), r.randint(1, self.ranges[v])

    def test(self, guards: float = 0.0, depth: int = 1) -> Test:
        r = self.random
        if depth == 0 or r.random() < 0.5:
            found = self.atom(guards)
            return ("not", found) if r.random() < 0.4 else found
        kind = "and" if r.random() < 0.5 else "or"
        return kind, self.test(guards, depth - 1), self.test(guards, depth - 1)

    def seldom(self) -> Test:
        """What is false in few states, as properties are."""
        return "or", self.test(0.15), ("or", self.test(), self.test(0.1))

    def changes(self) -> list[tuple[Any, ...]]:
        r = self.random
        found: list[tuple[Any, ...]] = []
        for variable in r.sample(range(len(self.ranges)), r.randint(0, len(self.ranges))):
            most = self.ranges[variable]
            if r.random() < 0.5:
                found.append(("set", variable, r.randint(0, most)))
            else:
                found.append(("up", variable, None if self.careless and r.random() < 0.3 else most))
        if r.random() < 0.6:
            found.append(("flag", r.randrange(self.flags), r.random() < 0.7))
        return found


def holds(model: Any, test: Test) -> Any:
    """A test on a model that is being lifted."""
    match test:
        case ("less", variable, bound):
            return getattr(model, f"n{variable}") < bound
        case ("is", variable, value):
            return getattr(model, f"n{variable}") == value
        case ("flag", variable):
            return getattr(model, f"b{variable}")
        case ("cell", place, bound):
            return model.cells[place] < bound
        case ("at", variable, bound):
            return model.cells[getattr(model, f"n{variable}")] < bound
        case ("ask", name, number):
            # By keyword in half of the cases, as authors do both.
            ask = getattr(model, f"may{name}")
            return ask(number) if number else ask(bound=number)
        case ("not", inner):
            return not holds(model, inner)
        case ("and", one, other):
            return holds(model, one) and holds(model, other)
        case ("or", one, other):
            return holds(model, one) or holds(model, other)
        case _:
            return True


def change(model: Any, changes: list[tuple[Any, ...]]) -> None:
    """What an action does to a model that is being lifted."""
    for kind, variable, value in changes:
        if kind == "flag":
            setattr(model, f"b{variable}", value)
        elif kind == "set":
            setattr(model, f"n{variable}", value)
        else:
            grown = getattr(model, f"n{variable}") + 1
            setattr(model, f"n{variable}", grown if value is None else grown % (value + 1))


def _guard(test: Test, bounded: bool) -> Callable[..., Any]:
    def may(self: Any, bound: int) -> Any:
        return holds(self, test) or (bounded and self.cells[0] < bound)

    return may


def _act(guard: Test, changes: list[tuple[Any, ...]], outcome: str | None) -> Callable[..., Any]:
    def act(self: Any) -> str | None:
        require(holds(self, guard))
        change(self, changes)
        return outcome

    return act


def _act_on(guard: Test, changes: list[tuple[Any, ...]]) -> Callable[..., Any]:
    def act_on(self: Any, call: int) -> None:
        require(holds(self, guard) and self.cells[call] < 2)
        self.cells[call] += 1
        change(self, changes)

    return act_on


def _follows(needed: str, guard: Test, changes: list[tuple[Any, ...]]) -> Callable[..., Any]:
    def follows(self: Any) -> None:
        require(getattr(self, f"did_{needed}") and holds(self, guard))
        change(self, changes)

    return follows


def _fails(name: str, guard: Test, changes: list[tuple[Any, ...]], shown: bool) -> Callable[..., Any]:
    def fails(self: Any) -> str:
        require(holds(self, guard))
        if shown:
            setattr(self, f"did_{name}", True)
        change(self, changes)
        return "failed"

    return fails


def _fails_on(name: str, guard: Test, changes: list[tuple[Any, ...]]) -> Callable[..., Any]:
    def fails_on(self: Any, place: int) -> None:
        require(holds(self, guard))
        setattr(self, f"did_{name}", True)
        self.cells[place] = 2
        change(self, changes)

    return fails_on


def _property(test: Test, antecedent: Test | None) -> Callable[..., Any]:
    def prop(self: Any) -> Any:
        return holds(self, test) if antecedent is None else implies(holds(self, antecedent), lambda: holds(self, test))

    return prop


def _on_steps(test: Test, antecedent: Test, only: str | None) -> Callable[..., Any]:
    def on_steps(self: Any, step: Step) -> Any:
        if only is None:
            return holds(step.before, antecedent) or holds(step.after, test) or step.outcome == "done"
        return implies(step.action == only and holds(step.before, antecedent), lambda: holds(step.after, test))

    return on_steps


def _unchanging(names: Sequence[str]) -> Callable[..., Any]:
    """A step property that compares whole models."""

    def unchanging(self: Any, step: Step) -> Any:
        return step.action not in names or step.before == step.after

    return unchanging


def _leading(trigger: Test, goal: Test) -> Callable[..., Any]:
    def leading(self: Any) -> Any:
        return holds(self, trigger), holds(self, goal)

    return leading


def _begin(test: Test) -> Callable[..., Any]:
    def begin(self: Any) -> None:
        if not holds(self, test):
            self.b0 = True

    return begin


def random_model(seed: int, *, size: int = 1) -> Model:
    """The model of a seed, with up to three faults and up to `size` + 1 safeguards."""
    r = Random(seed)
    d = Drawing(
        r,
        [r.randint(1, 3) for _ in range(r.randint(1, 2))],
        r.randint(1, 2),
        r.randint(1, size + 1),
        careless=r.random() < 0.25,
    )
    body: dict[str, Any] = {"__init__": _constructor(d)}
    for number in range(d.safeguards):
        # A safeguard may ask the ones before it.
        test = d.test() if number == 0 or r.random() < 0.8 else ("ask", number - 1, 1)
        body[f"may{number}"] = safeguard(f"guard{number}")(_guard(test, r.random() < 0.3))
    for number in range(r.randint(2, 3)):
        act = _act(d.test(0.6), d.changes(), r.choice([None, "done"]))
        body[f"act{number}"] = action(name=f"act{number}")(act)
    if r.random() < 0.5:
        body["on"] = action(name="on", call=2)(_act_on(d.test(0.5), d.changes()))
    body["idle"] = action(name="idle")(_act(d.test(0.2), [], None))
    actions = [name for name in body if name.startswith(("act", "on", "idle"))]
    faults = r.sample(list(FAULTS), r.randint(1, 3))
    for name in faults:
        _add_fault(d, body, name)
    _add_properties(d, body, actions, faults)
    made: type[Model] = type(f"Random{seed}", (Model,), body)
    return made()


def _constructor(d: Drawing) -> Callable[..., None]:
    def constructor(self: Any) -> None:
        for number, most in enumerate(d.ranges):
            setattr(self, f"n{number}", Range(0, most))
        for number in range(d.flags):
            setattr(self, f"b{number}", Bool())
        self.cells = Array(2, Range(0, 2))
        for name in FAULTS:
            setattr(self, f"did_{name}", Bool())

    return constructor


def _add_fault(d: Drawing, body: dict[str, Any], name: str) -> None:
    r, budget = d.random, FAULTS[name]
    after = r.random() < 0.5
    if r.random() < 0.3:
        marked = action(name=name, place=2)(_fails_on(name, d.test(0.2), d.changes()))
        body[f"fail_{name}"] = fault(name, budget=budget, per=r.choice([None, "place"]))(marked)
    else:
        marked = action(name=name)(_fails(name, d.test(0.2), d.changes(), after or r.random() < 0.5))
        body[f"fail_{name}"] = fault(name, budget=budget)(marked)
    if after:
        follows = action(name=f"after_{name}")(_follows(name, d.test(0.3), d.changes()))
        body[f"after_{name}"] = after_fault(name)(follows)


def _add_properties(d: Drawing, body: dict[str, Any], actions: list[str], faults: list[str]) -> None:
    """A few properties: of many, one would nearly always fall, and hide that another does not."""
    r = d.random
    weakly = [weak(name) if r.random() < 0.5 else strong(name) for name in actions if r.random() < 0.8]
    fair = weakly if r.random() < 0.6 else [r.choice([weak, strong])("*")]
    drawn: list[tuple[str, Callable[..., Any]]] = [
        ("safe", invariant(name="safe")(_property(d.seldom(), None))),
        ("implied", invariant(name="implied")(_property(d.seldom(), d.test(0.2)))),
        ("rests", quiescent(name="rests")(_property(d.test(0.1), d.test() if r.random() < 0.5 else None))),
        ("stepping", step_property(name="stepping")(_on_steps(d.seldom(), d.test(), None))),
        ("stepped", step_property(name="stepped")(_on_steps(d.seldom(), d.test(0.2), r.choice([*actions, *faults])))),
        ("unchanging", step_property(name="unchanging")(_unchanging(r.sample([*actions, *faults], 2)))),
        ("ends", eventually(fair=fair, name="ends")(_property(d.test(0.2), None))),
        ("leads", leads_to(fair=fair, name="leads")(_leading(d.test(0.2), d.test(0.2)))),
    ]
    body.update(r.sample(drawn, r.randint(1, 3)))
    if r.random() < 0.8:
        body["stop"] = terminal(_property(("always",) if r.random() < 0.5 else d.test(0.2), None))
    if r.random() < 0.4:
        body["begin"] = initial(_begin(d.test(0.7)))
