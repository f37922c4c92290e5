"""State graphs for other tools. A format is a module with `write`, and a row in this table."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from .state_graph import StateGraph


@dataclass(frozen=True, slots=True)
class GraphFormat:
    """What a format is, in a few words; the module beside this one whose `write(graph)` gives its text; and how many
    states at most it is of any use with."""

    meaning: str
    module: str
    most_states: int


GRAPH_FORMATS: Final = {
    "dot": GraphFormat("the state graph for Graphviz", "dot", 2_000),
    "graphml": GraphFormat("the state graph for Gephi, yEd or networkx", "graphml", 20_000),
    "graph-json": GraphFormat("the state graph as JSON, states and steps whole", "graph_json", 50_000),
}


def export_graph(graph: StateGraph, format_name: str) -> str:
    """A state graph as the text of a format."""
    text: str = import_module(f".{GRAPH_FORMATS[format_name].module}", __package__).write(graph)
    return text
