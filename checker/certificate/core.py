"""The core of a transition system: what obligations are made of, as a certificate holds it.

Slots, initial states, transitions, and the properties that are claimed, over one list of nodes. Not the model's text,
which is for people: a certificate holds both, and both are held against the model where there is one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from fenceproof.model.errors import UsageError, nearest
from fenceproof.model.expressions import Expression
from fenceproof.model.layout import Slot
from fenceproof.model.system import DEADLOCK, State, Transition, TransitionSystem
from fenceproof.model.system import Judgement as ModelJudgement

from .nodes import Nodes

INVARIANT: Final = "invariant"
QUIESCENT: Final = "quiescent invariant"
STEP: Final = "step property"
STUCK: Final = "deadlock"
SORTS: Final = (STEP, INVARIANT, QUIESCENT, STUCK)
STUCK_MEANING: Final = "Where nothing but faults is left to happen, the state is terminal."


@dataclass(frozen=True, slots=True)
class Judgement:
    """A property's truth, and the code of what goes wrong in judging it (0: nothing). Both are nodes."""

    holds: int
    mistake: int


@dataclass(frozen=True, slots=True)
class Step:
    """A transition: its name with arguments, its fault (or None), and nodes over the state before it. `params` are its
    arguments that range over the natural numbers."""

    name: str
    fault: str | None
    guard: int
    updates: tuple[tuple[int, int], ...]
    outcome: int
    mistake: int
    params: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Property:
    """A claim: its name, one of `SORTS`, what it means, and a judgement; for a step property one for each step."""

    name: str
    sort: str
    meaning: str
    judgements: tuple[Judgement, ...]


@dataclass(frozen=True, slots=True)
class Core:
    """A system with the properties that are claimed of it."""

    nodes: Nodes
    initial: tuple[State, ...]
    steps: tuple[Step, ...]
    properties: tuple[Property, ...]

    @property
    def slots(self) -> tuple[Slot, ...]:
        """The slots of a state."""
        return self.nodes.slots


def core_of(system: TransitionSystem, names: Sequence[str]) -> Core:
    """The core of a lifted system with the safety properties of these names, in the system's order.

    The same system gives the same core, whatever was added to its table of expressions since. UsageError for a name
    that is no safety property of it.
    """
    _check_names(system, names)
    nodes = Nodes(system.slots, is_wide=system.is_unbounded)
    steps = tuple(_step(nodes, t) for t in system.transitions)
    properties = [
        Property(p.name, STEP, p.meaning, tuple(_judgement(nodes, j) for j in p.judgements))
        for p in system.step_properties
        if p.name in names
    ]
    properties += [
        Property(i.name, QUIESCENT if i.quiescent else INVARIANT, i.meaning, (_judgement(nodes, i.judgement),))
        for i in system.invariants
        if i.name in names
    ]
    if DEADLOCK in names:
        properties.append(Property(DEADLOCK, STUCK, STUCK_MEANING, (_judgement(nodes, system.terminal),)))
    return Core(nodes, system.initial, steps, tuple(properties))


def _check_names(system: TransitionSystem, names: Sequence[str]) -> None:
    known = [*(p.name for p in system.step_properties), *(i.name for i in system.invariants), DEADLOCK]
    for name in names:
        if name not in known:
            raise UsageError(nearest(name, known, "The safety property"))


def _step(nodes: Nodes, transition: Transition) -> Step:
    def graft(root: Expression) -> int:
        return nodes.graft(root)

    named = [f"{name}={value!r}" for name, value in transition.arguments]
    named += [name for name, _ in transition.params if name not in dict(transition.arguments)]
    arguments = ", ".join(named)
    return Step(
        f"{transition.action}({arguments})",
        transition.fault,
        graft(transition.guard),
        tuple((position, graft(value)) for position, value in transition.updates),
        graft(transition.outcome),
        graft(transition.mistake),
        tuple(graft(parameter) for _, parameter in transition.params),
    )


def _judgement(nodes: Nodes, judgement: ModelJudgement) -> Judgement:
    return Judgement(nodes.graft(judgement.holds), nodes.graft(judgement.mistake))
