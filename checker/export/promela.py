"""Promela, for SPIN: one process whose every step is a `d_step`, over one variable for each part of the state.

(G. J. Holzmann, "The SPIN Model Checker", Addison-Wesley 2004, chapters 3 and 7.) SPIN stores exactly the states of
the system: the process is always at the same place, and what a step computes on its way is 0 again after it. (`hidden`
would keep it out of the states as well, but then SPIN does not search breadth first.) Where there are several initial
states it stores one more, from which one of them is chosen.

Every property is an assertion. SPIN's own search for invalid end states is not used: a state from which only faults
lead on is stuck as well, and SPIN cannot know what a fault is; so the process has an end label, and `no-deadlock` is
an assertion like the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from fenceproof.model.errors import UsageError
from fenceproof.model.expressions import Expression, reachable
from fenceproof.model.layout import Slot
from fenceproof.model.system import DEADLOCK, Judgement, StepProperty, Transition, TransitionSystem

from .build import safety_names
from .header import about
from .machine import Errors, Machine
from .plain_names import fresh, in_comment
from .promela_expressions import in_promela

#: Numbers that SPIN computes with have 32 bits.
_LARGEST: Final = 2**31 - 1


def write(target: str, machine: Machine, depth: int | None) -> str:
    """The file. UsageError for a model with numbers that do not fit into SPIN's."""
    assert depth is None, "assertions are about any number of steps"
    return "".join(f"{line}\n" for line in _File(target, machine).lines())


class _File:
    def __init__(self, target: str, machine: Machine) -> None:
        self.target = target
        self.machine = machine
        self.system: TransitionSystem = machine.system
        self.chosen = {bad.name for bad in machine.bads}
        # A prefix of ours keeps names apart from the words of Promela, of C and of the verifier that SPIN writes.
        taken: set[str] = set()
        self.names = [fresh("v_", slot.name, taken) for slot in self.system.slots]
        self.later = ["n_" + name.removeprefix("v_") for name in self.names]
        self._refuse_large()

    def _refuse_large(self) -> None:
        for node in reachable(self._roots()):
            if max(node.hi, -node.lo) > _LARGEST:
                raise UsageError(
                    "a number in this model may become larger than the 32 bits that SPIN computes with. "
                    "Keep the ranges of the state smaller, or use --format smtlib, which has no such limit."
                )

    def _roots(self) -> Iterator[Expression]:
        for t in self.system.transitions:
            yield from (t.guard, t.mistake, t.outcome, *(value for _, value in t.updates))
        for judgement in (
            self.system.terminal,
            *(i.judgement for i in self.system.invariants),
            *(j for p in self.system.step_properties for j in p.judgements),
        ):
            yield from (judgement.holds, judgement.mistake)

    def lines(self) -> Iterator[str]:
        yield "/*"
        for line in _header(self.target, self.machine):
            yield f" * {in_comment(line)}".rstrip()
        yield " */"
        yield ""
        yield from self._declarations()
        yield ""
        yield "active proctype model() {"
        if len(self.system.initial) > 1:
            yield "  if"
            for start in self.system.initial:
                values = "; ".join(f"{n} = {v}" for n, v in zip(self.names, start, strict=True))
                yield f"  :: d_step {{ true -> {values or 'skip'} }}"
            yield "  fi;"
        yield "end_of_behaviour:"
        yield "  do"
        # SPIN does not store what is written and never read, and a property that is left out may read less.
        yield "  /* never taken; it reads everything, so that SPIN stores it */"
        yield f"  :: false && ({' + '.join(self.names) or '0'} == 0)"
        yield from self._judged()
        yield from self._steps()
        yield "  od"
        yield "}"

    def _declarations(self) -> Iterator[str]:
        first = self.system.initial[0] if len(self.system.initial) == 1 else None
        for number, slot in enumerate(self.system.slots):
            value = "" if first is None else f" = {first[number]}"
            yield f"{_type(slot)} {self.names[number]}{value}; /* {in_comment(slot.name)}: {slot.lo}..{slot.hi} */"
        changed = sorted({number for t in self.system.transitions for number, _ in t.updates})
        for number in changed:
            yield f"int {self.later[number]};"

    def _steps(self) -> Iterator[str]:
        for position, transition in enumerate(self.system.transitions):
            yield f"  /* {in_comment(transition.called)} */"
            guard = self._text(transition.guard)
            wrong = transition.mistake
            if wrong.is_const:
                well, badly = (guard, None) if not wrong.value else (None, guard)
            else:
                code = self._text(wrong)
                well, badly = f"{guard} && ({code} == 0)", f"{guard} && ({code} != 0)"
            if badly is not None and self.machine.errors is Errors.ASKED:
                yield f"  :: d_step {{ {badly} -> {_violated('the model goes wrong: ' + transition.called)} }}"
            if well is not None:
                yield f"  :: d_step {{ {well} ->"
                yield from (f"      {line}" for line in self._body(position, transition))
                yield "    }"

    def _body(self, position: int, transition: Transition) -> Iterator[str]:
        for number, value in transition.updates:
            yield f"{self.later[number]} = {self._text(value)};"
        for prop in self.system.step_properties:
            yield from self._judged_step(prop, position, transition)
        for number, _ in transition.updates:
            yield f"{self.names[number]} = {self.later[number]};"
        # Or else states would differ by the way into them.
        for number, _ in transition.updates:
            yield f"{self.later[number]} = 0;"
        if not transition.updates:
            yield "skip;"

    def _judged_step(self, prop: StepProperty, position: int, transition: Transition) -> Iterator[str]:
        judgement = prop.judgements[position]
        changed = {number for number, _ in transition.updates}
        after = {n: self.later[n] if n in changed else name for n, name in enumerate(self.names)}
        wrong = in_promela(judgement.mistake, self.names, after, transition.outcome)
        holds = in_promela(judgement.holds, self.names, after, transition.outcome)
        yield from (f"if {option}" for option in self._verdict(judgement, prop.name, wrong, holds))

    def _verdict(self, judgement: Judgement, name: str, wrong: str, holds: str) -> Iterator[str]:
        never = judgement.mistake.is_const and not judgement.mistake.value
        if not never and self.machine.errors is Errors.ASKED:
            yield f":: {wrong} != 0 -> {_violated('the model goes wrong in judging ' + name)} :: else fi;"
        always = judgement.holds.is_const and judgement.holds.value
        if name in self.chosen and not always:
            well = "" if never else f"({wrong} == 0) && "
            yield f":: {well}!({holds}) -> {_violated(name)} :: else fi;"

    def _judged(self) -> Iterator[str]:
        """An option for each property of states, which can be taken where it is violated and leads nowhere else."""
        quiet = [self._text(t.guard) for t in self.system.transitions if t.fault is None]
        at_rest = " && ".join(f"!({guard})" for guard in quiet) or "true"
        asked = [(i.name, i.judgement, i.quiescent) for i in self.system.invariants]
        for name, judgement, quiescent in (*asked, (DEADLOCK, self.system.terminal, True)):
            where = f"({at_rest}) && " if quiescent else ""
            wrong, holds = self._text(judgement.mistake), self._text(judgement.holds)
            never = judgement.mistake.is_const and not judgement.mistake.value
            if not never and self.machine.errors is Errors.ASKED:
                told = _violated(f"the model goes wrong in judging {name}")
                yield f"  :: d_step {{ {where}({wrong} != 0) -> {told} }}"
            if name in self.chosen:
                well = "" if never else f"({wrong} == 0) && "
                yield f"  /* {in_comment(name)} */"
                yield f"  :: d_step {{ {where}{well}!({holds}) -> {_violated(name)} }}"

    def _text(self, node: Expression) -> str:
        return in_promela(node, self.names, {}, None)


def _violated(name: str) -> str:
    """The statements at a violation. The text is shown where SPIN replays its trail."""
    text = in_comment(name).replace("\\", "\\\\").replace('"', "'").replace("%", "%%")
    return f'printf("violated: {text}\\n"); assert(false)'


def _type(slot: Slot) -> str:
    if slot.is_bool:
        return "bool"
    if slot.lo >= 0 and slot.hi <= 255:
        return "byte"
    return "short" if slot.lo >= -(2**15) and slot.hi < 2**15 else "int"


def _header(target: str, machine: Machine) -> Sequence[str]:
    system = machine.system
    spare = len(system.initial) > 1
    wrong: Mapping[Errors, str] = {
        Errors.NEVER: "there are none",
        Errors.ASKED: "an assertion",
        Errors.LEFT_OUT: "left out, and nothing comes after them",
    }
    left_out = [name for name in safety_names(system) if name in machine.not_named]
    return [
        *about("Promela", target, system),
        "",
        "spin -a FILE && cc -O2 -DSAFETY -DNOREDUCE -DBFS -o pan pan.c && ./pan  # shortest counterexample",
        "spin -a FILE && cc -O2 -DSAFETY -DNOREDUCE -o pan pan.c && ./pan -m1000000 -c0 # every state, past violations",
        "spin -t FILE  # replays the trail and says which property is violated",
        "-DVECTORSZ=4096 for the C compiler where a state is larger than 1024 bytes.",
        "",
        "SPIN's stored states are the states of the model"
        + (", and one more: the choice of the first." if spare else "."),
        "The variables n_* hold the next state while a step is made, and are 0 between steps.",
        "no-deadlock is an assertion. SPIN's invalid end states are not used: it cannot know that what a fault does",
        "does not count as going on.",
        "",
        *(f"assertion {bad.name}: {bad.meaning}" for bad in machine.bads),
        *([f"left out, since others were named: {', '.join(left_out)}"] if left_out else []),
        *([f"left out, since no bad state decides it: {', '.join(machine.left_out)}"] if machine.left_out else []),
        f"steps in which the model goes wrong: {wrong[machine.errors]}",
    ]
