"""The inductive invariants of proved properties, in the names of the model's slots."""

from __future__ import annotations

from typing import Final

from fenceproof.model.expressions import Expression, Op
from fenceproof.model.rendering import render
from fenceproof.model.system import TransitionSystem
from rich.console import Console

from ..result import CheckResult
from .claim import without_bounds
from .numbers import numbers
from .plain import Text
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
            Text.assemble(
                (found.name, "bold"),
                f" follows from an invariant of {counted(len(conjuncts), 'clause')}{_for_every(conjuncts)}:",
            )
        )
        shown = conjuncts if whole else conjuncts[:SHOWN]
        for conjunct in shown:
            console.print(Text(f"  {readable(result.system, conjunct)}"))
        if len(shown) < len(conjuncts):
            console.print(Text(f"  and {len(conjuncts) - len(shown)} more (--invariant prints all)", style="dim"))
        if stand_for := numbers(result.system, shown):
            console.print(Text(f"  Here {'; '.join(stand_for)}.", style="dim"))


def covered(result: CheckResult) -> str:
    """Which properties a certificate is of, with and without bounds; nothing where it is of all that were asked."""
    beyond = result.unbounded
    names = [p.name for p in result.proved]
    wide = [] if beyond is None else [p.name for p in beyond.proved]
    everything = len(result.properties)
    if len(names) == everything and (beyond is None or len(wide) == everything):
        return ""
    without = ""
    if beyond is not None and wide != names:
        changed = ", ".join(f"{name}={value}" for name, value in without_bounds(result).items())
        without = f"with {changed} of {', '.join(wide) or 'none'}; "
    return f"of {', '.join(names) or 'none'}; {without}"


def _for_every(conjuncts: tuple[Expression, ...]) -> str:
    """What is said of every number is said so."""
    return ", for every number n" if any(conjunct.free for conjunct in conjuncts) else ""


def readable(system: TransitionSystem, conjunct: Expression) -> str:
    """A conjunct as text; a clause with something denied in it as an implication."""
    x = system.expressions
    if conjunct.op is not Op.OR:
        return _text(system, conjunct)
    # What is denied goes before the arrow, but for the last part where all are.
    denied = [part for part in conjunct.args if part.op is Op.NOT]
    if len(denied) == len(conjunct.args):
        denied = denied[:-1]
    if not denied:
        return _text(system, conjunct)
    rest = [part for part in conjunct.args if part not in denied]
    return f"{_text(system, x.conjoin(map(x.negate, denied)))}  =>  {_text(system, x.disjoin(rest))}"


def _text(system: TransitionSystem, node: Expression) -> str:
    # `not (3 < a)` reads worse than `a <= 3`; the expressions have no such node.
    match node.op:
        case Op.NOT if node.args[0].op is Op.LT:
            low, high = node.args[0].args
            return f"{_text(system, high)} <= {_text(system, low)}"
        case Op.AND | Op.OR if all(part.op not in (Op.AND, Op.OR) for part in node.args):
            return f" {node.op.value} ".join(_text(system, part) for part in node.args)
        case _:
            shown = render(node, lambda position, _: system.slots[position].name, lambda _: "n")
            return shown[1:-1] if shown.startswith("(") and shown.endswith(")") else shown
