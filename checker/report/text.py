"""A result as a person reads it in a terminal: verdicts, each shortest trace with what changed, the claim."""

from __future__ import annotations

import json
from collections.abc import Iterable
from io import StringIO
from typing import Final

from fenceproof.model.system import TransitionSystem
from rich.console import Console
from rich.table import Table

from ..printable import on_one_line
from ..proof import Proof, Reach
from ..result import CheckResult, PropertyResult, Sort
from ..verdict import Verdict
from .claim import claim_sheet
from .console import new_console
from .engines import engines_table
from .plain import Text
from .proof import readable
from .steps import print_trace
from .styles import STYLES
from .summary import counted, untested_why
from .violation import print_mistake, print_violation

_WITNESSES: Final = {
    Sort.INVARIANT: "violating state",
    Sort.DEADLOCK: "violating state",
    Sort.STEP: "violating transition",
    Sort.LIVENESS: "looping state",
}


_REACH: Final = {
    Reach.REACHABLE: "reachable",
    Reach.UNREACHABLE: "unreachable, so this is no bug",
    Reach.UNKNOWN: "reachable or not, which is unknown",
}


def print_result(console: Console, target: str, result: CheckResult) -> None:
    """Everything that a run found."""
    system = result.system
    meaning = f": {system.meaning}" if system.meaning else ""
    console.print(Text.assemble((target, "bold"), meaning))
    console.print()
    if result.wrong is not None:
        print_mistake(console, system, result.wrong)
        console.print()
    console.print(_verdicts(result))
    if len(result.engines) > 1:
        console.print()
        console.print(engines_table(result))
    for found in result.properties:
        if found.trace is not None:
            console.print()
            print_violation(console, system, found)
        if found.cti is not None:
            console.print()
            print_cti(console, system, found)
    console.print()
    console.print(sheet(claim_sheet(target, result), f"{result.seconds:.2f} s of checking"))


def as_text(result: CheckResult, target: str | None = None, width: int = 80) -> str:
    """What the command prints, without colour; the model goes by the name of its class where none is given."""
    out = StringIO()
    print_result(new_console(file=out, width=width, no_color=True), target or result.system.name, result)
    return out.getvalue()


def sheet(rows: Iterable[tuple[str, str]], took: str) -> Table:
    """What was said, a label and a text in each row, and how long it took."""
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for label, text in rows:
        table.add_row(label, on_one_line(text))
    table.add_row("took", took)
    return table


def _verdicts(result: CheckResult) -> Table:
    table = Table(box=None, pad_edge=False, show_header=False)
    for _ in range(3):
        table.add_column()
    for found in result.properties:
        table.add_row(
            on_one_line(found.name), Text(result.said_of(found), style=STYLES[found.verdict]), _remark(result, found)
        )
    return table


def _remark(result: CheckResult, found: PropertyResult) -> str:
    if found.remark:
        return found.remark
    match found.verdict:
        case Verdict.VIOLATED if found.trace is not None:
            steps = f"in {counted(len(found.trace), 'step')}"
            return steps if found.witnesses is None else f"{steps}; {counted(found.witnesses, _WITNESSES[found.sort])}"
        case Verdict.VACUOUS if result.bound is not None and found.proof is None:
            return f"it was not put to the test in {counted(result.bound, 'step')}, and may be in more"
        case Verdict.VACUOUS:
            return f"never put to the test: {untested_why(result, found)}"
        case Verdict.INCONCLUSIVE:
            return _inconclusive(found)
        case Verdict.PROVED if found.proof is not None:
            return _argument(found.proof)
        case Verdict.BOUNDED if found.cti is not None:
            return f"not proved: the argument fails on a state that is {_REACH[found.cti.reach]}"
        case _:
            return ""


def _inconclusive(found: PropertyResult) -> str:
    if found.proof is not None:
        return "proved, but it was not found out whether it is ever put to the test"
    return "the search ended before it could be said"


def _argument(proof: Proof) -> str:
    helped = f", with an invariant of {counted(len(proof.invariant), 'clause')}" if proof.invariant else ""
    back = f", k={proof.k}" if proof.k > 1 else ""
    return f"by {proof.method}{back}{helped}"


def print_cti(console: Console, system: TransitionSystem, found: PropertyResult) -> None:
    """What an argument by induction failed on, said so that nobody takes it for a bug."""
    cti = found.cti
    assert cti is not None
    console.print(
        Text.assemble((found.name, "bold yellow"), " is not proved. The induction step fails on these steps,")
    )
    console.print(Text(f"from a state that is {_REACH[cti.reach]}: {cti.why}."))
    first = json.dumps(system.decode(cti.trace.states[0]), ensure_ascii=False)
    console.print(Text(f"  from {first}"))
    print_trace(console, system, cti.trace)
    if cti.lemma is not None:
        console.print(
            Text(f"A lemma that excludes it, true of every state that was seen: {readable(system, cti.lemma)}")
        )
