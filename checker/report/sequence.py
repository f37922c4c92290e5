"""A trace as a sequence diagram says it: who takes part, who hands what to whom, and where it goes wrong.

Not a drawing: `export/mermaid.py` and `export/svg.py` are two.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from pathlib import PurePath
from typing import TypeAlias

from fenceproof.model.step import take
from fenceproof.model.system import TransitionSystem
from fenceproof.model.trace import Trace

from .beginning import beginning
from .lanes import Cast
from .mistaken import misjudged
from .summary import counted, named


class Role(Enum):
    """What a note is for: how it all begins, a step that happens in one place, the fault that a step spends, or how it
    all ends."""

    START = "start"
    STEP = "step"
    FAULT = "fault"
    END = "end"


@dataclass(frozen=True, slots=True)
class Message:
    """A step, or a part of it, that goes from a lane to another. `outcome` is there where the step has come to it."""

    step: int
    text: str
    sender: str
    receiver: str
    fault: str | None = None
    outcome: str | None = None
    is_violation: bool = False

    @property
    def label(self) -> str:
        """Its text with the number of the step."""
        return _label(self.step, self.text, self.is_violation)


@dataclass(frozen=True, slots=True)
class Note:
    """Something that is said over lanes: at the beginning and the end, over all of them."""

    step: int
    text: str
    lanes: tuple[str, ...]
    role: Role
    fault: str | None = None
    outcome: str | None = None
    is_violation: bool = False

    @property
    def label(self) -> str:
        """Its text, with the number of the step that it is."""
        if self.role is Role.STEP:
            return _label(self.step, self.text, self.is_violation)
        return f"✕ {self.text}" if self.is_violation else self.text


Item: TypeAlias = Message | Note


@dataclass(frozen=True, slots=True)
class Sequence:
    """A trace for drawing: what happens once, then what happens again and again for ever, then what is to be said."""

    title: str
    participants: tuple[str, ...]
    stem: tuple[Item, ...]
    loop: tuple[Item, ...]
    end: tuple[Note, ...]

    @property
    def items(self) -> tuple[Item, ...]:
        """All of it, from above to below."""
        return (*self.stem, *self.loop, *self.end)


#: What a drawing writes over a loop.
FOR_EVER = "again and again, for ever"


def sequence(target: str, system: TransitionSystem, trace: Trace, violated: str | None) -> Sequence:
    """A trace that was replayed, as a sequence diagram; `violated` is the property that it violates, if it does."""
    cast = Cast.of(system)
    is_safety = violated is not None and trace.loop is None
    steps: list[list[Item]] = []
    for number, (before, position) in enumerate(zip(trace.states, trace.transitions, strict=False), start=1):
        outcome = take(system.transitions[position], before).outcome
        is_last = number == len(trace)
        steps.append(list(_step(cast, position, number, outcome, is_violation=is_safety and is_last)))
    if trace.mistake is not None:
        steps.append(list(_step(cast, trace.mistake, len(trace) + 1, None, is_violation=True)))
    used = {lane for step in steps for item in step for lane in _lanes(item)}
    participants = cast.ordered(used) or (system.name,)
    wrong = _misjudged(system, trace) if violated is None and trace.mistake is None else None
    begins = len(steps) if trace.loop is None else trace.loop
    return Sequence(
        _title(target, system, trace, violated, wrong),
        participants,
        (*_start(system, trace, participants), *(item for step in steps[:begins] for item in step)),
        tuple(item for step in steps[begins:] for item in step),
        tuple(_end(system, trace, violated, wrong, participants)),
    )


def _start(system: TransitionSystem, trace: Trace, lanes: tuple[str, ...]) -> Iterator[Note]:
    begun = beginning(system, trace.states[0])
    if begun:
        yield Note(0, f"begins with {', '.join(begun)}", lanes, Role.START)


def _step(cast: Cast, position: int, number: int, outcome: str | None, *, is_violation: bool) -> Iterator[Item]:
    """The call where it begins, the outcome where it ends; and the fault, below who begins."""
    transition = cast.system.transitions[position]
    for count, hop in enumerate(cast.hops(transition, outcome)):
        come = outcome if hop.is_last else None
        text = " → ".join(part for part in (transition.called if hop.is_first else "", come or "") if part)
        bad = is_violation and hop.is_last
        if hop.is_local:
            yield Note(number, text, (hop.sender,), Role.STEP, transition.fault, come, bad)
        else:
            yield Message(number, text, hop.sender, hop.receiver, transition.fault, come, bad)
        if transition.fault is not None and count == 0:
            yield Note(number, f"fault: {transition.fault}", (hop.sender,), Role.FAULT, transition.fault)


def _end(
    system: TransitionSystem, trace: Trace, violated: str | None, wrong: str | None, lanes: tuple[str, ...]
) -> Iterator[Note]:
    number = len(trace)
    if trace.loop == number:
        yield Note(number, "nothing more has to happen, for ever", lanes, Role.END)
    if trace.mistake is not None:
        mistake = take(system.transitions[trace.mistake], trace.states[-1]).mistake
        assert mistake is not None, "the trace was replayed"
        yield Note(number + 1, f"the model goes wrong: {mistake.message}", lanes, Role.END, is_violation=True)
    elif wrong is not None:
        yield Note(number, f"the model goes wrong: {wrong}", lanes, Role.END, is_violation=True)
    if violated is not None:
        where = "" if number else "the initial state "
        yield Note(number, f"{where}violates {violated}", lanes, Role.END, is_violation=True)


def _misjudged(system: TransitionSystem, trace: Trace) -> str | None:
    """What goes wrong where a property is judged at the end of a trace."""
    return next((found.mistake.message for found in misjudged(system, trace)), None)


def _title(target: str, system: TransitionSystem, trace: Trace, violated: str | None, wrong: str | None) -> str:
    name = named(PurePath(target).name or target, system)
    steps = counted(len(trace), "step")
    if trace.mistake is not None or wrong is not None:
        return f"{name} goes wrong after {steps}"
    return f"{name} violates {violated} in {steps}" if violated is not None else f"{name}, {steps}"


def _lanes(item: Item) -> tuple[str, ...]:
    match item:
        case Message():
            return (item.sender, item.receiver)
        case Note():
            return item.lanes


def _label(step: int, text: str, is_violation: bool) -> str:
    return " ".join(part for part in ("✕" if is_violation else "", f"{step}.", text) if part)
