"""A state graph as JSON: the node-link form that networkx and D3 read, a line for each state and each step."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final

from fenceproof.model.budgets import SPENT

from .state_graph import Edge, StateGraph, Vertex

FORMAT: Final = "fenceproof-graph"
VERSION: Final = 1


def write(graph: StateGraph) -> str:
    """The document. The graph's own attributes are those of the model; `networkx.node_link_graph` has it all."""
    vertices, edges = graph.marked_vertices, graph.marked_edges
    head = {"format": FORMAT, "version": VERSION, "directed": True, "multigraph": True, "graph": _about(graph)}
    parts = [
        *(f"{json.dumps(name)}: {json.dumps(value)}" for name, value in head.items()),
        _lines("nodes", [_node(graph, n, vertex, n in vertices) for n, vertex in enumerate(graph.vertices)]),
        _lines("edges", [_edge(graph, edge, n in edges) for n, edge in enumerate(graph.edges)]),
    ]
    return "{" + ",\n ".join(parts) + "}\n"


def _lines(name: str, items: Sequence[dict[str, Any]]) -> str:
    return f"{json.dumps(name)}: [\n  " + ",\n  ".join(map(json.dumps, items)) + "]"


def _about(graph: StateGraph) -> dict[str, Any]:
    system, marked = graph.system, graph.marked
    return {
        "target": graph.target,
        "model": system.name,
        "parameters": dict(system.parameters),
        "faults": dict(system.faults),
        "most_faults": system.most_faults,
        "without": list(system.without),
        "properties": list(graph.judged),
        "whole": graph.is_whole,
        "says": list(graph.says()),
        "counterexample": None
        if marked is None
        else {
            "property": marked.violated,
            "nodes": list(marked.vertices),
            "edges": list(marked.edges),
            "loop": marked.loop,
        },
    }


def _node(graph: StateGraph, number: int, vertex: Vertex, is_marked: bool) -> dict[str, Any]:
    values = graph.system.decode(vertex.state)
    return {
        "id": number,
        "depth": vertex.depth,
        "initial": vertex.is_initial,
        "terminal": vertex.is_terminal,
        "violates": list(vertex.violates),
        "wrong": list(vertex.wrong),
        "beyond": vertex.beyond,
        "counterexample": is_marked,
        "state": {name: value for name, value in values.items() if not name.startswith(SPENT)},
    }


def _edge(graph: StateGraph, edge: Edge, is_marked: bool) -> dict[str, Any]:
    transition = graph.system.transitions[edge.transition]
    return {
        "source": edge.source,
        "target": edge.target,
        "key": edge.transition,
        "action": transition.action,
        "args": transition.args,
        "outcome": edge.outcome,
        "fault": transition.fault,
        "violates": list(edge.violates),
        "counterexample": is_marked,
    }
