"""What is known of each property while a search goes on: whether it was tested, what violates it, and where first.

The violating states of the shallowest level are kept whole, since the trace is chosen among all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from fenceproof.model.expressions import Expression
from fenceproof.model.system import DEADLOCK, Invariant, Judgement, Mistake, StepProperty, TransitionSystem
from numpy.typing import NDArray

from ..result import STUCK, Sort
from .compile import Program, as_mask, compile_roots
from .expand import Edges, judgement_roots
from .words import Batch, take


@dataclass(frozen=True, slots=True)
class Witnesses:
    """Violating states at one level, or the states from which a transition violates (`transition` is not None)."""

    level: int
    transition: int | None
    states: Batch


@dataclass(slots=True)
class Tally:
    """One property's account."""

    name: str
    sort: Sort
    meaning: str
    exercised: bool
    count: int = 0
    first: list[Witnesses] = field(default_factory=list[Witnesses])

    def exercise(self, tested: Any, batch: Batch, rows: Any, transition: int | None = None) -> None:
        """Note where the property was put to the test: an array of truths over some rows of a batch, or one truth.

        For a step property, by the steps that a transition makes from there.
        """
        self.exercised = self.exercised or bool(np.any(tested))

    def record(self, level: int, transition: int | None, states: Batch) -> None:
        """Note violations; those of deeper levels are only counted."""
        # In this order: an interrupt may come in between, and a violation that is counted needs a trace.
        if len(states[0]) and (not self.first or self.first[0].level == level):
            self.first.append(Witnesses(level, transition, states))
        self.count += len(states[0])


#: Opens the account of a property: its name, sort and meaning, and whether it is tested wherever it is evaluated.
Account: TypeAlias = Callable[[str, Sort, str, bool], Tally]


@dataclass(frozen=True, slots=True)
class Accident:
    """States at one level in which the model goes wrong: taking a transition, or judging one or a state.

    `mistake` is None where it is the transition itself that goes wrong; it then depends on the state which way.
    """

    level: int
    transition: int | None
    mistake: Mistake | None
    states: Batch


class Invariants:
    """Some invariants, judged over batches of states."""

    def __init__(self, invariants: Sequence[Invariant], account: Account) -> None:
        self.tallies = [
            account(i.name, Sort.INVARIANT, i.meaning, i.judgement.exercised is None and not i.quiescent)
            for i in invariants
        ]
        self._judgements = [i.judgement for i in invariants]
        self._program = compile_roots([e for j in self._judgements for e in (j.holds, j.mistake)])
        self._exercised = [compile_roots([j.exercised]) if j.exercised is not None else None for j in self._judgements]
        programs = [self._program, *(p for p in self._exercised if p is not None)]
        #: The slots whose columns `check` needs.
        self.slots = sorted({slot for program in programs for slot in program.slots})

    def check(self, level: int, batch: Batch, columns: dict[int, NDArray[Any]]) -> list[Accident]:
        """Judge a batch."""
        rows = len(batch[0])
        if not self.tallies or not rows:
            return []
        values = _run(self._program, columns)
        accidents: list[Accident] = []
        for i, (tally, judgement) in enumerate(zip(self.tallies, self._judgements, strict=True)):
            accidents += _accidents(level, None, judgement, values[2 * i + 1], batch)
            bad = _violating(values[2 * i], values[2 * i + 1], rows)
            if bad.any():
                tally.record(level, None, take(batch, bad))
            program = self._exercised[i]
            if not tally.exercised:
                tally.exercise(True if program is None else _run(program, columns)[0], batch, slice(None))
        return accidents


class StateChecks:
    """What is judged of states: invariants, and in those in which only faults can happen, more, and deadlock."""

    def __init__(
        self, system: TransitionSystem, invariants: Sequence[Invariant], deadlock: bool, account: Account = Tally
    ) -> None:
        self._everywhere = Invariants([i for i in invariants if not i.quiescent], account)
        self._quiescent = Invariants([i for i in invariants if i.quiescent], account)
        self.deadlock = account(DEADLOCK, Sort.DEADLOCK, STUCK, True) if deadlock else None
        self._moves = [t.fault is None for t in system.transitions]
        self._system = system
        self._terminal = compile_roots([system.terminal.holds, system.terminal.mistake])

    @property
    def tallies(self) -> list[Tally]:
        """The account of each property."""
        deadlock = [self.deadlock] if self.deadlock is not None else []
        return [*self._everywhere.tallies, *self._quiescent.tallies, *deadlock]

    @property
    def slots(self) -> list[int]:
        """The slots whose columns `check` needs."""
        return self._everywhere.slots

    def check(self, level: int, batch: Batch, columns: dict[int, NDArray[Any]]) -> list[Accident]:
        """Judge what must hold everywhere over a batch."""
        return self._everywhere.check(level, batch, columns)

    def check_quiescent(
        self, level: int, batch: Batch, columns: dict[int, NDArray[Any]], guards: Sequence[Any]
    ) -> list[Accident]:
        """Judge the states of a batch in which nothing but a fault can happen; not terminal, they are a deadlock."""
        if self.deadlock is None and not self._quiescent.tallies:
            return []
        rows = len(batch[0])
        moves = np.zeros(rows, dtype=np.bool_)
        for is_move, guard in zip(self._moves, guards, strict=True):
            if is_move:
                moves |= guard
        if moves.all():
            return []
        still = np.flatnonzero(~moves)
        batch, columns = take(batch, still), {slot: values[still] for slot, values in columns.items()}
        accidents = self._quiescent.check(level, batch, columns)
        if self.deadlock is None:
            return accidents
        holds, mistake = _run(self._terminal, columns)
        stuck = _violating(holds, mistake, len(still))
        if stuck.any():
            self.deadlock.record(level, None, take(batch, stuck))
        return accidents + _accidents(level, None, self._system.terminal, mistake, batch)


class StepChecks:
    """Step properties over the steps of a transition: `roots[t]` are to be evaluated with transition t's successors."""

    def __init__(self, system: TransitionSystem, properties: Sequence[StepProperty], account: Account = Tally) -> None:
        self.tallies = [
            account(p.name, Sort.STEP, p.meaning, all(j.exercised is None for j in p.judgements)) for p in properties
        ]
        self._judgements = [[p.judgements[t] for p in properties] for t in range(len(system.transitions))]
        self.roots = [self._roots(js) for js in self._judgements]

    def _roots(self, judgements: Sequence[Judgement]) -> list[Expression]:
        roots: list[Expression] = []
        for j in judgements:
            if judgement_roots(j):
                roots += [j.holds, j.mistake]
            if j.exercised is not None and not j.exercised.is_const:
                roots.append(j.exercised)
        return roots

    def check(self, level: int, edges: Edges, batch: Batch) -> list[Accident]:
        """Judge the step properties over the steps that a transition makes from a batch."""
        rows = len(edges.rows)
        values = iter(edges.judged)
        accidents: list[Accident] = []
        for tally, judgement in zip(self.tallies, self._judgements[edges.transition], strict=True):
            if judgement_roots(judgement):
                holds, mistakes = next(values), next(values)
                bad = _violating(holds, mistakes, rows)
                if bad.any():
                    tally.record(level, edges.transition, take(batch, edges.rows[bad]))
                if judgement.mistakes:
                    accidents += _accidents(level, edges.transition, judgement, mistakes, take(batch, edges.rows))
            if judgement.exercised is not None:
                tested = judgement.exercised.value if judgement.exercised.is_const else next(values)
                if rows and not tally.exercised:
                    tally.exercise(tested, batch, edges.rows, edges.transition)
        return accidents


def _run(program: Program, columns: dict[int, NDArray[Any]]) -> tuple[Any, ...]:
    with np.errstate(divide="ignore", invalid="ignore"):
        return program.run([columns[i] for i in program.slots])


def _violating(holds: Any, mistakes: Any, rows: int) -> NDArray[np.bool_]:
    """Where a property is violated; where judging it goes wrong, its value means nothing."""
    return ~as_mask(holds, rows) & as_mask(mistakes == 0, rows)


def _accidents(level: int, transition: int | None, judgement: Judgement, codes: Any, batch: Batch) -> list[Accident]:
    if not judgement.mistakes:
        return []
    found: list[Accident] = []
    for code, mistake in enumerate(judgement.mistakes, start=1):
        rows = as_mask(codes == code, len(batch[0]))
        if rows.any():
            found.append(Accident(level, transition, mistake, take(batch, rows)))
    return found
