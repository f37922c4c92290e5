"""What tests ask of a model that an author wrote: the states it reaches, the outcomes of its steps, a verdict."""

from __future__ import annotations

from typing import Any

from fenceproof.checker import check
from fenceproof.checker.result import CheckResult
from fenceproof.checker.verdict import Verdict
from fenceproof.model import (
    Model,
    terminal,
)


class Base(Model):
    """Rests anywhere."""

    @terminal
    def anywhere(self) -> bool:
        return True


def reached(model: Model, name: str | None = None) -> list[Any]:
    """The reachable states, decoded, in the order of a breadth-first search; of one variable where it is named."""
    graph = check(model).graph()
    states = [data["state"] for _, data in graph.nodes(data=True)]
    return states if name is None else [state[name] for state in states]


def outcomes(model: Model) -> set[str | None]:
    """Every outcome of every reachable transition."""
    return {data["outcome"] for _, _, data in check(model).graph().edges(data=True)}


def verdict(result: CheckResult, name: str) -> Verdict:
    return next(p.verdict for p in result.properties if p.name == name)
