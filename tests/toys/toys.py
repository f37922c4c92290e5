"""Transition systems written by hand, each a few lines, for what is tested below the modelling language."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from fenceproof.model.expressions import Expression, Expressions
from fenceproof.model.kinds import BoolKind, Kind, RangeKind
from fenceproof.model.layout import Slot
from fenceproof.model.system import (
    Invariant,
    Judgement,
    Mistake,
    State,
    StepProperty,
    Transition,
    TransitionSystem,
    Variable,
)


@dataclass
class Builder:
    """Puts a system together: slots first, then transitions and properties over them."""

    kinds: Mapping[str, Kind]
    x: Expressions = field(default_factory=Expressions)
    transitions: list[Transition] = field(default_factory=list[Transition])
    invariants: list[Invariant] = field(default_factory=list[Invariant])
    step_properties: list[StepProperty] = field(default_factory=list[StepProperty])
    terminal: Judgement | None = None

    @property
    def slots(self) -> tuple[Slot, ...]:
        return tuple(slot for name, kind in self.kinds.items() for slot in kind.slots(name))

    def slot(self, position: int) -> Expression:
        s = self.slots[position]
        return self.x.slot(position, s.lo, s.hi, is_bool=s.is_bool)

    def next(self, position: int) -> Expression:
        s = self.slots[position]
        return self.x.next_slot(position, s.lo, s.hi, is_bool=s.is_bool)

    def act(
        self,
        name: str,
        guard: Expression,
        updates: Mapping[int, Expression],
        *,
        fault: str | None = None,
        outcome: Expression | None = None,
        outcomes: tuple[str | None, ...] = (None,),
        mistake: Expression | None = None,
    ) -> None:
        self.transitions.append(
            Transition(
                action=name,
                arguments=(),
                guard=guard,
                updates=tuple(sorted(updates.items(), key=lambda u: u[0])),
                outcome=outcome if outcome is not None else self.x.const(0),
                outcomes=outcomes,
                mistake=mistake if mistake is not None else self.x.const(0),
                mistakes=() if mistake is None else (Mistake(f"{name} goes wrong", None),),
                fault=fault,
                site=None,
            )
        )

    def judge(self, holds: Expression, exercised: Expression | None = None) -> Judgement:
        return Judgement(holds, exercised, self.x.const(0), ())

    def always(self, name: str, holds: Expression, exercised: Expression | None = None) -> None:
        self.invariants.append(Invariant(name, self.judge(holds, exercised), f"{name} holds", None))

    def on_steps(self, name: str, judgement: Callable[[Transition], Judgement]) -> None:
        judgements = tuple(map(judgement, self.transitions))
        self.step_properties.append(StepProperty(name, judgements, f"{name} holds", None))

    def build(self, initial: Sequence[State], name: str = "toy") -> TransitionSystem:
        variables: list[Variable] = []
        first = 0
        for variable, kind in self.kinds.items():
            variables.append(Variable(variable, kind, first))
            first += kind.width
        return TransitionSystem(
            name=name,
            parameters={},
            faults={t.fault: 1 for t in self.transitions if t.fault is not None},
            most_faults=None,
            variables=tuple(variables),
            slots=self.slots,
            initial=tuple(initial),
            transitions=tuple(self.transitions),
            invariants=tuple(self.invariants),
            step_properties=tuple(self.step_properties),
            terminal=self.terminal if self.terminal is not None else self.judge(self.x.false),
            expressions=self.x,
        )


def counter(most: int, *, wrong_at: int | None = None) -> TransitionSystem:
    """Counts from 0 to `most` and stops there, stuck; at `wrong_at` the model goes wrong instead of counting on."""
    b = Builder({"n": RangeKind(0, most)})
    n = b.slot(0)
    mistake = None if wrong_at is None else b.x.number(b.x.equal(n, b.x.const(wrong_at)))
    b.act("up", b.x.less(n, b.x.const(most)), {0: b.x.add(n, b.x.const(1))}, mistake=mistake)
    b.always("small", b.x.less(n, b.x.const(most)))
    return b.build([(0,)])


def clock() -> TransitionSystem:
    """Ticks between two states for ever."""
    b = Builder({"on": BoolKind()})
    b.act("tick", b.x.true, {0: b.x.negate(b.slot(0))})
    return b.build([(0,)])


def graph(
    edges: Sequence[tuple[int, int]],
    *,
    faults: Sequence[tuple[int, int]] = (),
    bad: Sequence[int] = (),
    initial: Sequence[int] = (0,),
    detour: Sequence[tuple[int, int]] = (),
) -> TransitionSystem:
    """A graph by its edges, one action each: `faults` among them, `detour` edges flip a flag; `bad` nodes violate."""
    most = max([*(max(e) for e in edges), *bad, 1])
    b = Builder({"node": RangeKind(0, most), "flag": BoolKind()})
    node = b.slot(0)
    for a, z in edges:
        updates = {0: b.x.const(z)}
        if (a, z) in detour:
            updates[1] = b.x.negate(b.slot(1))
        b.act(
            f"{a}-{z}",
            b.x.equal(node, b.x.const(a)),
            updates,
            fault="fault" if (a, z) in faults else None,
        )
    b.always("fine", b.x.conjoin(b.x.negate(b.x.equal(node, b.x.const(n))) for n in bad))
    return b.build([(n, 0) for n in initial])
