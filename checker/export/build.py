"""A transition system becomes the machine that formats are written from, with what is asked of it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, count
from typing import Final

from fenceproof.model.errors import UsageError, nearest
from fenceproof.model.system import DEADLOCK, Invariant, Judgement, StepProperty, Transition, TransitionSystem

from ..bitvectors import TRUTH, Term, Terms
from ..lowering import Lowering, stored_constant
from ..smtlib import mangled
from .machine import Bad, Cell, Errors, Machine, Move

#: What is asked beside a model's own properties: whether it ever goes wrong.
MODEL_ERROR: Final = "model-error"
_STUCK: Final = "No reachable state is stuck, that is, without anything but faults left to happen and yet not terminal."
_WRONG: Final = "The model never goes wrong, in a step or in judging what is said of states and steps."


def machine_of(
    system: TransitionSystem, properties: Sequence[str] | None = None, *, takes_liveness: bool = False
) -> Machine:
    """The machine of a system, with what is asked of it: everything but liveness, or properties by name.

    Raises UsageError for a name that is not known, and for liveness, which is no question of what can be reached,
    unless the format has words for it.
    """
    return _Making(system, properties, takes_liveness).made()


class _Making:
    """A machine in the making."""

    def __init__(self, system: TransitionSystem, wanted: Sequence[str] | None, takes_liveness: bool) -> None:
        self.system = system
        self.takes_liveness = takes_liveness
        self.model_error = _free(MODEL_ERROR, [*safety_names(system), *(p.name for p in system.liveness)])
        chosen = self._chosen(wanted)
        self.steps = [p for p in system.step_properties if p.name in chosen]
        self.invariants = [i for i in system.invariants if i.name in chosen]
        self.liveness = tuple(p for p in system.liveness if p.name in chosen)
        self.asks_deadlock = DEADLOCK in chosen
        self.terms = Terms()
        self.slots = [
            self._variable(slot.name, TRUTH if slot.is_bool else slot.bits) if slot.is_bool or slot.bits else None
            for slot in system.slots
        ]
        self.here = Lowering(self.terms, system.slots, self.slots)
        self.quiescent = self.terms.negate(
            self.terms.disjoin(self.here.term(t.guard) for t in system.transitions if t.fault is None)
        )
        self.state_error = self._state_error()
        may_go_wrong = self._may_go_wrong()
        self.asks_errors = self.model_error in chosen and (wanted is not None or may_go_wrong)
        self.errors = Errors.NEVER if not may_go_wrong else Errors.ASKED if self.asks_errors else Errors.LEFT_OUT
        lively = [p.name for p in system.liveness] if takes_liveness else []
        known = [*safety_names(system), *lively, *([self.model_error] if may_go_wrong else [])]
        self.not_named = tuple(name for name in known if name not in chosen)
        # One for each step property that is asked about, then one for errors.
        self.history = [self._bit(p.name) for p in self.steps]
        if self.asks_errors:
            self.history.append(self._bit(self.model_error))

    def _chosen(self, wanted: Sequence[str] | None) -> set[str]:
        alive = [p.name for p in self.system.liveness]
        known = [*safety_names(self.system), *(alive if self.takes_liveness else []), self.model_error]
        if wanted is None:
            return set(known)
        found: set[str] = set()
        spelt = {name.replace("_", "-"): name for name in (*known, *alive)}
        for given in wanted:
            name = spelt.get(given.replace("_", "-"))
            if name is None:
                raise UsageError(nearest(given, spelt.values(), "The property"))
            if name in alive and not self.takes_liveness:
                raise UsageError(
                    f"{name} says that something eventually happens, and these formats ask whether a bad state can be "
                    f"reached, which does not decide it. `fenceproof check --property {name}` does."
                )
            found.add(name)
        return found

    def _variable(self, name: str, bits: int) -> Term:
        return self.terms.variable(f"{mangled(name)}@now", bits)

    def _bit(self, property_name: str) -> Cell:
        name = f"$violated.{mangled(property_name)}"
        return Cell(name, None, self.terms.variable(f"{name}@now", TRUTH))

    def _where(self, quiescent: bool) -> Term:
        return self.quiescent if quiescent else self.terms.true

    def _state_error(self) -> Term:
        judged = [(i.judgement, i.quiescent) for i in self.system.invariants]
        return self.terms.disjoin(
            self.terms.conjoin([self._where(quiescent), self.here.differs_from_zero(judgement.mistake)])
            for judgement, quiescent in (*judged, (self.system.terminal, True))
        )

    def _may_go_wrong(self) -> bool:
        codes = [t.mistake for t in self.system.transitions]
        codes += [judgement.mistake for p in self.system.step_properties for judgement in p.judgements]
        return self.state_error is not self.terms.false or any(not c.is_const or c.value for c in codes)

    def made(self) -> Machine:
        slots = zip(self.system.slots, self.slots, strict=True)
        cells = [Cell(mangled(slot.name), slot, term) for slot, term in slots if term is not None]
        starts: list[tuple[Term, ...]] = []
        for state in self.system.initial:
            stored = [stored_constant(self.terms, s, v) for s, v in zip(self.system.slots, state, strict=True)]
            starts.append((*_present(stored), *(self.terms.false for _ in self.history)))
        return Machine(
            system=self.system,
            terms=self.terms,
            cells=(*cells, *self.history),
            starts=tuple(starts),
            moves=tuple(self._moves()),
            bads=tuple(self._bads()),
            left_out=() if self.takes_liveness else tuple(p.name for p in self.system.liveness),
            not_named=self.not_named,
            errors=self.errors,
            liveness=self.liveness,
        )

    def _moves(self) -> list[Move]:
        found: list[Move] = []
        for position, transition in enumerate(self.system.transitions):
            guard = self.here.term(transition.guard)
            wrong = self.here.differs_from_zero(transition.mistake)
            well = self.terms.conjoin([guard, self.terms.negate(wrong)])
            if well is not self.terms.false:
                found.append(Move(position, False, well, self._after(position, transition)))
            badly = self.terms.conjoin([guard, wrong])
            if self.asks_errors and badly is not self.terms.false:
                still = (*(self.terms.false for _ in self.history[1:]), self.terms.true)
                found.append(Move(position, True, badly, (*_present(self.slots), *still)))
        return found

    def _after(self, position: int, transition: Transition) -> tuple[Term, ...]:
        after = list(self.slots)
        for number, value in transition.updates:
            after[number] = self.here.stored(self.system.slots[number], value)
        step = self.here.over_step(after, self.here.term(transition.outcome))
        history = [self._violated(step, prop.judgements[position]) for prop in self.steps]
        if self.asks_errors:
            errors = [step.differs_from_zero(prop.judgements[position].mistake) for prop in self.system.step_properties]
            history.append(self.terms.disjoin(errors))
        return (*_present(after), *history)

    def _violated(self, where: Lowering, judgement: Judgement) -> Term:
        """That a judgement says no; where it goes wrong it says nothing."""
        wrong = where.differs_from_zero(judgement.mistake)
        return self.terms.conjoin([self.terms.negate(wrong), self.terms.negate(where.term(judgement.holds))])

    def _bads(self) -> list[Bad]:
        bits = [cell.now for cell in self.history]
        found = [Bad(p.name, _said(p), bit) for p, bit in zip(self.steps, bits, strict=False)]
        for i in self.invariants:
            violated = self._violated(self.here, i.judgement)
            found.append(Bad(i.name, _said(i), self.terms.conjoin([self._where(i.quiescent), violated])))
        if self.asks_deadlock:
            stuck = self.terms.conjoin([self.quiescent, self._violated(self.here, self.system.terminal)])
            found.append(Bad(DEADLOCK, _STUCK, stuck))
        if self.asks_errors:
            found.append(Bad(self.model_error, _WRONG, self.terms.disjoin([bits[-1], self.state_error])))
        return found


def safety_names(system: TransitionSystem) -> list[str]:
    """The properties that can be asked about, in the order in which they are reported."""
    return [*(p.name for p in system.step_properties), *(i.name for i in system.invariants), DEADLOCK]


def _present(terms: Sequence[Term | None]) -> list[Term]:
    return [term for term in terms if term is not None]


def _said(prop: StepProperty | Invariant) -> str:
    return " ".join(prop.meaning.split())


def _free(name: str, taken: Sequence[str]) -> str:
    return next(n for n in chain((name,), (f"{name}-{k}" for k in count(2))) if n not in taken)
