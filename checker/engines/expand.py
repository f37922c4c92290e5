"""All successors of a batch of states: guards in one sweep over columns, then each transition on its enabled states.

A successor is made from the packed state in place: constants are masked in, a slot that grows by a constant is an
addition, and only what depends on the state is computed from columns and inserted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from fenceproof.model.expressions import Expression, Op, reachable
from fenceproof.model.layout import Layout
from fenceproof.model.system import Judgement, Transition, TransitionSystem
from numpy.typing import NDArray

from .compile import Program, as_mask, compile_roots, is_column
from .finite import refuse_unbounded
from .words import Batch, Words, column

Rows = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Edges:
    """The steps that one transition makes from a batch: from `rows` of it to `after`.

    `wrong` are the rows at which the model goes wrong instead; they are not in `rows`. `judged` are the values of the
    transition's property roots over `rows`, as `Expander` was asked for them.
    """

    transition: int
    rows: Rows
    after: Batch
    wrong: Rows
    judged: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """How one transition's successors are made: a mask and bits a word, an addend a word, and computed slots."""

    keep: tuple[int, ...]
    bits: tuple[int, ...]
    addend: tuple[int, ...]
    computed: tuple[int, ...]
    program: Program | None
    may_go_wrong: bool


def next_bindings(
    system: TransitionSystem, transition: Transition, roots: Sequence[Expression]
) -> dict[Expression, Expression]:
    """For every `NEXT` and `OUTCOME` below roots, the expression before the step that it stands for."""
    updates = dict(transition.updates)
    bindings: dict[Expression, Expression] = {}
    for node in reachable(roots):
        if node.op is Op.OUTCOME:
            bindings[node] = transition.outcome
        elif node.op is Op.NEXT:
            slot = system.slots[node.value]
            current = system.expressions.slot(node.value, slot.lo, slot.hi, is_bool=slot.is_bool)
            bindings[node] = updates.get(node.value, current)
    return bindings


class Expander:
    """Makes successors. `judged` are, for each transition, property roots to be evaluated over its steps."""

    def __init__(
        self, system: TransitionSystem, layout: Layout, judged: Sequence[Sequence[Expression]] | None = None
    ) -> None:
        refuse_unbounded(system, "a search of every state")
        self.system = system
        self.layout = layout
        self._guards = compile_roots([t.guard for t in system.transitions])
        judged = judged or [()] * len(system.transitions)
        self._plans = [self._plan(t, roots) for t, roots in zip(system.transitions, judged, strict=True)]

    def _plan(self, transition: Transition, judged: Sequence[Expression]) -> Plan:
        words = self.layout.words
        keep, bits, addend = [2**64 - 1] * words, [0] * words, [0] * words
        computed: list[tuple[int, Expression]] = []
        for position, node in transition.updates:
            field = self.layout.fields[position]
            if (
                node.op is Op.ADD
                and node.args[0].op is Op.SLOT
                and node.args[0].value == position
                and node.args[1].is_const
            ):
                addend[field.word] += node.args[1].value << field.shift
                continue
            keep[field.word] &= ~(field.mask << field.shift)
            if node.is_const:
                if transition.mistakes and not 0 <= node.value - field.lo <= field.mask:
                    continue  # a step that always goes wrong leads to no state
                bits[field.word] |= (node.value - field.lo) << field.shift
            else:
                computed.append((position, node))
        may_go_wrong = bool(transition.mistakes)
        roots = [node for _, node in computed]
        if may_go_wrong:
            roots.append(transition.mistake)
        program = None
        if roots or judged:
            program = compile_roots(roots, judged, next_bindings(self.system, transition, judged))
        return Plan(
            tuple(keep),
            tuple(bits),
            tuple(a % 2**64 for a in addend),
            tuple(position for position, _ in computed),
            program,
            may_go_wrong,
        )

    def columns(self, batch: Batch, needed: Sequence[int]) -> dict[int, NDArray[Any]]:
        """The columns of some slots."""
        return {i: column(batch, self.layout.fields[i], self.system.slots[i]) for i in needed}

    def guards(self, columns: dict[int, NDArray[Any]]) -> tuple[Any, ...]:
        """Each transition's guard over a batch, as arrays or scalars."""
        return self._guards.run([columns[i] for i in self._guards.slots])

    def edges(self, batch: Batch, columns: dict[int, NDArray[Any]], guards: Sequence[Any]) -> Iterator[Edges]:
        """The steps from a batch, transition by transition; those that are nowhere enabled are left out."""
        size = len(batch[0])
        with np.errstate(divide="ignore", invalid="ignore"):
            for number, guard in enumerate(guards):
                rows = np.flatnonzero(as_mask(guard, size))
                if len(rows):
                    yield self._step(number, batch, columns, rows)

    def successors(self, batch: Batch) -> Iterator[Edges]:
        """The steps from a batch of states."""
        columns = self.columns(batch, range(len(self.system.slots)))
        yield from self.edges(batch, columns, self.guards(columns))

    def _step(self, number: int, batch: Batch, columns: dict[int, NDArray[Any]], rows: Rows) -> Edges:
        plan = self._plans[number]
        nowhere = rows[:0]
        if plan.program is None:
            return Edges(number, rows, self._insert(plan, batch, rows, ()), nowhere, ())
        values = plan.program.run([columns[i][rows] for i in plan.program.slots])
        made = len(plan.computed)
        judged = values[made + plan.may_go_wrong :]
        wrong = nowhere
        if plan.may_go_wrong:
            bad = as_mask(values[made] != 0, len(rows))
            if bad.any():
                wrong, fine = rows[bad], ~bad
                rows = rows[fine]
                values = tuple(v[fine] if is_column(v) else v for v in values)
                judged = values[made + 1 :]
        return Edges(number, rows, self._insert(plan, batch, rows, values[:made]), wrong, judged)

    def _insert(self, plan: Plan, batch: Batch, rows: Rows, values: Sequence[Any]) -> Batch:
        result: list[Words] = []
        for word, keep, bits, addend in zip(batch, plan.keep, plan.bits, plan.addend, strict=True):
            after = word[rows]
            if addend:
                after += np.uint64(addend)
            if keep != 2**64 - 1:
                after &= np.uint64(keep)
            if bits:
                after |= np.uint64(bits)
            result.append(after)
        for position, value in zip(plan.computed, values, strict=True):
            field = self.layout.fields[position]
            raw = value.astype(np.int64) - np.int64(field.lo) if field.lo else value
            result[field.word] |= raw.astype(np.uint64) << np.uint64(field.shift)
        return tuple(result)


def judgement_roots(judgement: Judgement) -> list[Expression]:
    """What of a judgement has to be evaluated: nothing of what is constant and fine."""
    return [e for e, fine in ((judgement.holds, 1), (judgement.mistake, 0)) if not (e.is_const and e.value == fine)]
