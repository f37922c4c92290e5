"""The inductive invariants of proved properties, in the names of the model's slots."""

from __future__ import annotations

from typing import Final

from fenceproof.model.expressions import Expression, Op, render
from fenceproof.model.system import TransitionSystem
from rich.console import Console
from rich.text import Text

from ..result import CheckResult
from .summary import counted

#: Conjuncts of one property's invariant that are shown unless all are asked for.
SHOWN: Final = 3


def print_proofs(console: Console, result: CheckResult, *, whole: bool) -> None:
    """For each proved property, the invariant or the beginning of it."""
    for found in result.properties:
        if found.proof is None:
            continue
        conjuncts = found.proof.invariant
        console.print()
        if not conjuncts:
            console.print(Text.assemble((found.name, "bold"), " needs no invariant: no step or state can violate it."))
            continue
        console.print(
            Text.assemble((found.name, "bold"), f" follows from an invariant of {counted(len(conjuncts), 'clause')}:")
        )
        shown = conjuncts if whole else conjuncts[:SHOWN]
        for conjunct in shown:
            console.print(Text(f"  {readable(result.system, conjunct)}"))
        if len(shown) < len(conjuncts):
            console.print(Text(f"  and {len(conjuncts) - len(shown)} more (--invariant prints all)", style="dim"))


def readable(system: TransitionSystem, conjunct: Expression) -> str:
    """A conjunct as text, a clause with a denied part as an implication: `if a == 1, then b`."""

    def text(node: Expression) -> str:
        shown = render(node, lambda position, _: system.slots[position].name)
        return shown[1:-1] if shown.startswith("(") and shown.endswith(")") else shown

    x = system.expressions
    if conjunct.op is not Op.OR:
        return text(conjunct)
    # What is denied goes before the arrow, but for the last part where all are.
    denied = [part for part in conjunct.args if part.op is Op.NOT]
    if len(denied) == len(conjunct.args):
        denied = denied[:-1]
    if not denied:
        return text(conjunct)
    rest = [part for part in conjunct.args if part not in denied]
    return f"{text(x.conjoin(map(x.negate, denied)))}  =>  {text(x.disjoin(rest))}"
