"""A state graph as GraphML, by networkx's writer: an attribute for each part of a state, with a type.

XML has no control characters, so they are written as escapes (`visible.py`). What has no type of GraphML's is JSON.
"""

from __future__ import annotations

from io import BytesIO
from typing import Any, Final, TypeAlias

import networkx
from fenceproof.model.kinds import BagKind, SetKind
from networkx.readwrite.graphml import GraphMLWriter

from ..page.leaves import Key, Part, in_words, parts_of
from .state_graph import Edge, StateGraph, Vertex
from .visible import visible, visible_json

_Attributes: TypeAlias = dict[str, Any]
#: Before the name of a part of the state, so that no variable is called as an attribute of ours.
_STATE: Final = "state."


def write(graph: StateGraph) -> str:
    """The file. Attributes that a state or a step has not are left away there, as those of a value that is none."""
    vertices, position = graph.marked_vertices, graph.marked_edges
    drawn: networkx.MultiDiGraph[int] = networkx.MultiDiGraph(**_about(graph))
    states = _states(graph)
    for number, vertex in enumerate(graph.vertices):
        drawn.add_node(number, **_vertex(vertex, number in vertices), **states[number])
    for number, edge in enumerate(graph.edges):
        drawn.add_edge(edge.source, edge.target, key=number, **_edge(graph, edge, position.get(number)))
    writer: Any = GraphMLWriter(drawn)  # which has no types
    truths = {key.get("id") for key in writer.xml.iter("key") if key.get("attr.type") == "boolean"}
    for data in writer.xml.iter("data"):
        if data.get("key") in truths:
            data.text = data.text.lower()  # XML's truth values, which are not Python's
    held = BytesIO()
    # Not `generate_graphml`, which breaks text into lines wherever Unicode has one.
    writer.dump(held)
    return held.getvalue().decode() + "\n"


def _about(graph: StateGraph) -> _Attributes:
    system, marked = graph.system, graph.marked
    about: _Attributes = {
        "target": visible(graph.target),
        "model": visible(system.name),
        "parameters": visible_json(dict(system.parameters)),
        "faults": visible_json(dict(system.faults)),
        "properties": visible_json(list(graph.judged)),
        "whole": graph.is_whole,
        "says": ". ".join(map(visible, graph.says())),
    }
    if marked is not None:
        about["counterexample"] = visible_json({"property": marked.violated, "nodes": list(marked.vertices)})
    return about


def _vertex(vertex: Vertex, is_marked: bool) -> _Attributes:
    found: _Attributes = {
        "initial": vertex.is_initial,
        "terminal": vertex.is_terminal,
        "violating": bool(vertex.violates),
        "violates": visible_json(list(vertex.violates)),
        "wrong": visible_json(list(vertex.wrong)),
        "beyond": vertex.beyond,
        "counterexample": is_marked,
    }
    return found if vertex.depth is None else {**found, "depth": vertex.depth}


def _edge(graph: StateGraph, edge: Edge, step: int | None) -> _Attributes:
    transition = graph.system.transitions[edge.transition]
    found: _Attributes = {
        "action": visible(transition.action),
        "args": visible_json(transition.args),
        "violating": bool(edge.violates),
        "violates": visible_json(list(edge.violates)),
        "counterexample": step is not None,
    }
    also = {"outcome": edge.outcome, "fault": transition.fault}
    found.update({name: visible(text) for name, text in also.items() if text is not None})
    return found if step is None else {**found, "step": step}


def _states(graph: StateGraph) -> list[_Attributes]:
    """Every state by its parts. A part has one type in all of them: that of its values, or JSON text."""
    rows = [{_name(part): _value(part) for part in parts_of(graph.system, v.state)} for v in graph.vertices]
    types: dict[str, set[type]] = {}
    for row in rows:
        for name, value in row.items():
            types.setdefault(name, set()).update(() if value is None else (type(value),))
    plain = {name for name, found in types.items() if len(found) == 1 and found <= {bool, int, str}}
    return [{name: _typed(value, name in plain) for name, value in row.items() if value is not None} for row in rows]


def _typed(value: object, is_plain: bool) -> object:
    if not is_plain:
        return visible_json(value)
    return visible(value) if isinstance(value, str) else value


def _value(part: Part) -> object:
    return in_words(part) if isinstance(part.kind, SetKind | BagKind) else part.kind.to_json(part.value)


def _name(part: Part) -> str:
    """The way to a part of the state. Two never have the same: what is no plain word in it is in quotes."""
    name = _STATE
    for number, step in enumerate(part.way):
        if isinstance(step, Key):
            name += f"[{visible_json(step.key)}]"
        else:
            name += f"{'.' if number else ''}{step if step.isidentifier() else visible_json(step)}"
    return name
