"""What every format for other tools is written from: a state machine of bit-vectors, and what must never be reached.

The cells are the system's slots, and a bit of history for each step property, which says that the last step violated
it, so that every question is one of states and its depth is the number of steps of the behaviour that answers it. A
step that goes wrong leads to the state it started from, with the bit of `model-error` set. A machine that is told to
make a move it cannot make stays where it is; so every state has a successor, and none is reachable that was not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from fenceproof.model.layout import Slot
from fenceproof.model.system import LivenessProperty, TransitionSystem

from ..bitvectors import Term, Terms


@dataclass(frozen=True, slots=True)
class Cell:
    """A part of the state: a slot, or (None) a bit of history, which is false at first.

    `name` is fit for a symbol of any format. The variable `now` has the same with `@now` added, so that it is no word
    of a format whatever an author calls a slot.
    """

    name: str
    slot: Slot | None
    now: Term

    @property
    def bits(self) -> int:
        """Its width; TRUTH for a truth value."""
        return self.now.bits


@dataclass(frozen=True, slots=True)
class Move:
    """A transition of the system that goes well, or one that goes wrong: when it can be made, and every cell after it.

    Both are over the state before it. At most one move of a transition can be made in a state.
    """

    transition: int
    goes_wrong: bool
    happens: Term
    after: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Bad:
    """A property by name, and the states in which it is violated."""

    name: str
    meaning: str
    term: Term


class Errors(Enum):
    """What a machine has of the steps and judgements in which the model goes wrong."""

    NEVER = "there are none"
    ASKED = "they are asked about"
    LEFT_OUT = "they are left out"


@dataclass(frozen=True, slots=True)
class Machine:
    """The machine. `starts` has the cells of each initial state.

    Not asked about are the properties in `left_out`, which no bad state decides, and in `not_named`, since others were
    named. What is asked in `liveness` is left to the format, if it has words for it.
    """

    system: TransitionSystem
    terms: Terms
    cells: tuple[Cell, ...]
    starts: tuple[tuple[Term, ...], ...]
    moves: tuple[Move, ...]
    bads: tuple[Bad, ...]
    left_out: tuple[str, ...]
    not_named: tuple[str, ...]
    errors: Errors
    liveness: tuple[LivenessProperty, ...] = ()

    @property
    def choice_bits(self) -> int:
        """The width of the input that says which transition to take."""
        return max(1, (len(self.system.transitions) - 1).bit_length())

    def settled(self) -> list[Term | None]:
        """For each cell the value that it has in every initial state, or None."""
        assert self.starts, "a system has an initial state"
        return [column[0] if len(set(column)) == 1 else None for column in zip(*self.starts, strict=True)]

    def is_initial(self) -> Term:
        """That the cells are those of an initial state."""
        fixed = self.settled()
        common = [self.terms.equal(c.now, value) for c, value in zip(self.cells, fixed, strict=True) if value]
        return self.terms.conjoin([*common, self.varies_initially()])

    def varies_initially(self) -> Term:
        """That the cells in which initial states differ are those of one."""
        open_cells = [i for i, value in enumerate(self.settled()) if value is None]
        return self.terms.disjoin(
            self.terms.conjoin(self.terms.equal(self.cells[i].now, start[i]) for i in open_cells)
            for start in self.starts
        )

    def successors(self, choice: Term) -> list[Term]:
        """Every cell after the move that an input chooses."""
        picked = [
            self.terms.conjoin([self.terms.equal(choice, self.terms.constant(m.transition, choice.bits)), m.happens])
            for m in self.moves
        ]
        return [self._successor(number, cell, picked) for number, cell in enumerate(self.cells)]

    def _successor(self, number: int, cell: Cell, picked: Sequence[Term]) -> Term:
        found = cell.now if cell.slot is not None else self.terms.false
        by_value: dict[Term, list[Term]] = {}
        for move, made in zip(self.moves, picked, strict=True):
            if move.after[number] is not found:
                by_value.setdefault(move.after[number], []).append(made)
        for value, here in by_value.items():
            found = self.terms.choose(self.terms.disjoin(here), value, found)
        return found
