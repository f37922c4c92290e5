"""Guards as a person reads them: their clauses as text, each with the line of the author's that it comes from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath

from fenceproof.model.errors import Site
from fenceproof.model.expressions import Expression, clauses
from fenceproof.model.step import false_clauses
from fenceproof.model.system import Mistake, State, Transition, TransitionSystem

from ..report.named import Names


@dataclass(frozen=True, slots=True)
class Clause:
    """One requirement, and where it is written."""

    text: str
    site: str


def why_not(system: TransitionSystem, transition: Transition, state: State) -> list[Clause]:
    """The clauses of a guard that are false in a state, in the author's order; none where it is enabled."""
    names = Names(system)
    return [_clause(names, transition, node) for node in false_clauses(transition, state)]


def place(site: Site | None) -> str:
    """A line of a file by the file's own name: where the file lies is nobody else's business."""
    return "" if site is None else f"{PurePath(site.file).name}:{site.line}"


def with_place(mistake: Mistake) -> str:
    """How the model goes wrong, with the line where it does."""
    at = place(mistake.site)
    return f"{mistake.message} ({at})" if at else mistake.message


def distinct_clauses(system: TransitionSystem) -> tuple[list[Expression], list[Clause], list[list[int]]]:
    """Every clause of every guard once: as an expression, for a reader, and which of them each transition has."""
    names = Names(system)
    nodes: list[Expression] = []
    shown: list[Clause] = []
    positions: dict[tuple[int, str], int] = {}
    of_each: list[list[int]] = []
    for transition in system.transitions:
        own: list[int] = []
        for node in clauses(transition.guard):
            made = _clause(names, transition, node)
            key = (node.number, made.site)
            if key not in positions:
                positions[key] = len(nodes)
                nodes.append(node)
                shown.append(made)
            own.append(positions[key])
        of_each.append(own)
    return nodes, shown, of_each


def _clause(names: Names, transition: Transition, node: Expression) -> Clause:
    return Clause(names.clause(node), place(transition.site_of(node)))


def falses(truths: Sequence[Sequence[bool]], states: int) -> str:
    """Which clauses are false, state by state, in one text of hexadecimal digits: four clauses a digit, low bit first.

    `truths[c][s]` says whether clause c is true in state s. Each state takes as many digits as any other.
    """
    digits = -(-len(truths) // 4)
    return "".join(
        f"{sum(1 << b for b in range(4) if 4 * d + b < len(truths) and not truths[4 * d + b][s]):x}"
        for s in range(states)
        for d in range(digits)
    )
