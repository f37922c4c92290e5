"""A small model with an invariant that proves it, and certificates of that: as made, and put together otherwise."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from fenceproof.checker.certificate.asking import CHILD, Answer, Said, ask_solvers
from fenceproof.checker.certificate.core import core_of
from fenceproof.checker.certificate.document import identity_of, part_of, signed, whole
from fenceproof.checker.certificate.obligations import Obligation
from fenceproof.checker.certificate.reading import read
from fenceproof.checker.certificate.recheck import derived
from fenceproof.checker.certificate.solvers import SOLVERS, Solver
from fenceproof.checker.result import Independence
from fenceproof.checker.targets import build, find
from fenceproof.model.errors import FormatError, RefusedError
from fenceproof.model.lift import lift
from fenceproof.model.step import enabled, take
from fenceproof.model.system import State, TransitionSystem

GATE = """
from fenceproof.model import Bool, Model, Range, Step, action, fault, implies, invariant, quiescent, require
from fenceproof.model import step_property, terminal


class Gate(Model):
    def __init__(self, epochs: int = 4) -> None:
        self.epochs = epochs
        self.fence = Range(1, epochs)
        self.sent = Range(0, epochs)
        self.done = Range(0, epochs)
        self.closed = Bool()

    @action
    def bump(self) -> None:
        require(self.fence < self.epochs)
        self.fence += 1

    @action
    def send(self) -> str:
        require(self.sent < self.fence)
        self.sent = self.fence
        return "late" if self.closed else "sent"

    @action
    def finish(self) -> None:
        require(self.sent == self.fence and not self.closed)
        self.done = self.sent
        self.closed = True

    @action
    @fault("reopen", budget=1)
    def reopen(self) -> None:
        require(self.closed)
        self.closed = False

    @invariant
    def done_within_fence(self) -> bool:
        return self.done <= self.fence

    @invariant
    def closed_is_done(self) -> bool:
        return implies(self.closed, self.done > 0)

    @quiescent
    def ends_closed(self) -> bool:
        return self.closed and self.fence == self.epochs

    @step_property
    def never_back(self, step: Step) -> bool:
        return step.after.fence >= step.before.fence

    @step_property
    def sends_once(self, step: Step) -> bool:
        return implies(step.outcome == "sent", step.after.sent > step.before.sent)

    @terminal
    def at_the_end(self) -> bool:
        return self.fence == self.epochs and self.closed
"""
#: As long as there are numbers: tickets are drawn, and served in any order.
QUEUE = """
from fenceproof.model import Bool, Model, Natural, Set, Step, action, exists, fault, invariant, naturals, require
from fenceproof.model import step_property


class Queue(Model):
    def __init__(self) -> None:
        self.last = Natural()
        self.waiting = Set(Natural(1))
        self.closed = Bool()

    @action
    def draw(self) -> None:
        self.last += 1
        self.waiting.add(self.last)

    @action(number=naturals(1))
    def serve(self, number: int) -> str:
        require(number in self.waiting)
        self.waiting.discard(number)
        return "late" if self.closed else "served"

    @action
    @fault("close", budget=1)
    def close(self) -> None:
        self.closed = True

    @invariant
    def drawn(self) -> bool:
        return not exists(self.waiting, lambda number: number > self.last)

    @step_property
    def never_back(self, step: Step) -> bool:
        return step.after.last >= step.before.last
"""
QUEUE_NAMES = ("drawn", "never_back", "no-deadlock")
QUEUE_INVARIANT = ("(not (n in waiting) or (n <= last))",)
NAMES = ("done_within_fence", "closed_is_done", "ends_closed", "never_back", "sends_once", "no-deadlock")
#: Each conjunct is needed: without it some property does not follow, or a step leaves the rest.
INVARIANT = ("(sent <= fence)", "(done <= sent)", "(not closed or (0 < done))")


def gate(text: str = GATE, name: str = "gate.py") -> TransitionSystem:
    """The model, in a file of the current folder."""
    Path(name).write_text(text)
    return lift(build(find(name), {}))


def with_invariant(
    system: TransitionSystem,
    invariant: tuple[str, ...],
    names: tuple[str, ...] = NAMES,
    *,
    shown: Independence | None = None,
    target: str = "gate.py",
) -> Any:
    """A certificate that is right in everything but perhaps its invariant, and in what was shown of copies."""
    part, _ = part_of(identity_of(system, shown), core_of(system, names), invariant)
    return as_accepted(target, system.name, part)


def as_accepted(target: str, model: str, part: dict[str, Any]) -> Any:
    """A certificate of one part, as if a solver had accepted it."""
    made = signed(whole(target, model, [part]), [Answer("z3", "1.0", Said.ACCEPTED, "", 1, 1, 0.0)])
    return json.loads(json.dumps(made))


def ask_solver(
    solver: Solver, obligations: Iterable[Obligation], time_s: float, *, command: Iterable[str] = CHILD
) -> Answer:
    """What one solver says of one part of a certificate."""
    return ask_solvers([solver], [tuple(obligations)], time_s, command=command)[0][0]


def outcome(document: object, system: TransitionSystem | None, solver: str = "z3") -> str:
    """What comes of a certificate: `malformed`, `refused`, or what a solver says of it."""
    path = Path("cert.json")
    path.write_text(json.dumps(document))
    try:
        wanted = derived(read(path), None if system is None else [system])
    except FormatError:
        return "malformed"
    except RefusedError:
        return "refused"
    (answers,) = ask_solvers([SOLVERS[solver]], wanted, 60.0)
    return str(answers[0].said)


def reachable(system: TransitionSystem) -> list[State]:
    """Every reachable state of a system that never goes wrong, in order."""
    seen = set(system.initial)
    waiting = list(seen)
    while waiting:
        state = waiting.pop()
        for position in enabled(system, state):
            after = take(system.transitions[position], state).state
            assert after is not None, "it goes wrong"
            if after not in seen:
                seen.add(after)
                waiting.append(after)
    return sorted(seen)
