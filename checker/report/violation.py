"""A violation, or a mistake of the model itself, told to a person: its story, its steps, the faults spent, and why."""

from __future__ import annotations

from typing import Final

from fenceproof.model.system import TransitionSystem
from fenceproof.model.trace import Trace
from rich.console import Console

from ..printable import on_one_line
from ..result import STUCK, PropertyResult, Sort, Wrong
from ..verdict import Verdict
from .minimal import print_minimal
from .plain import Text
from .steps import print_trace
from .story import faults_spent, story
from .summary import counted
from .why import why

#: What a deadlock may mean in a model that never says where it ends.
_NO_END: Final = "If it may end there, say so in a method marked @terminal; the model has none."


def print_violation(console: Console, system: TransitionSystem, found: PropertyResult) -> None:
    """One violated property with its trace."""
    assert found.trace is not None
    said = " It says:" if found.meaning else ""
    console.print(
        Text.assemble(
            (on_one_line(found.name), "bold red"), f" is violated in {counted(len(found.trace), 'step')}.{said}"
        )
    )
    if found.meaning:
        console.print(Text(f"  {found.meaning}"))
    print_told(console, system, found.trace, found)
    print_minimal(console, system, found)
    if found.sort is Sort.DEADLOCK and system.terminal.holds is system.expressions.false:
        console.print(Text(_NO_END))


def print_mistake(console: Console, system: TransitionSystem, wrong: Wrong) -> None:
    """How the model itself goes wrong, and the way there."""
    end = "" if wrong.text.endswith(("?", ".")) else "."
    console.print(Text(f"The model itself goes wrong: {wrong.text}{end}", style="red"))
    print_told(console, system, wrong.trace, wrong)


def print_told(
    console: Console, system: TransitionSystem, trace: Trace, found: PropertyResult | Wrong | None = None
) -> None:
    """A trace from its story to why it violates what is found there, or goes wrong."""
    told = story(system, trace, found)
    if told:
        console.print(Text(on_one_line(told)))
    is_marked = found is not None and (isinstance(found, Wrong) or found.sort is not Sort.LIVENESS)
    print_trace(console, system, trace, violates=is_marked)
    spent = faults_spent(system, trace)
    if spent:
        console.print(Text(spent))
    for number, line in enumerate([] if found is None else why(system, found)):
        console.print(Text(f"{'Why:' if number == 0 else 'and:'} {line}"))


def violation_of(system: TransitionSystem, name: str, trace: Trace) -> PropertyResult:
    """A trace as a counterexample to a property that it is known to violate."""
    sorts = {
        **{p.name: (Sort.STEP, p.meaning) for p in system.step_properties},
        **{p.name: (Sort.INVARIANT, p.meaning) for p in system.invariants},
        **{p.name: (Sort.LIVENESS, p.meaning) for p in system.liveness},
    }
    sort, meaning = sorts.get(name, (Sort.DEADLOCK, STUCK))
    return PropertyResult(name, sort, meaning, Verdict.VIOLATED, None, trace)
