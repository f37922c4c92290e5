"""A state graph in DOT, for Graphviz: the counterexample drawn thick, what violates in red, faults in dashes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ..page.leaves import Leaf, leaves_of
from .state_graph import StateGraph, Vertex
from .visible import visible

#: Parts of the state that are written into each box: more would leave nothing to see of the graph.
MOST_SHOWN: Final = 12


def write(graph: StateGraph) -> str:
    """The file. A box has the parts of the state in which these states differ, if they are few; a tooltip has all."""
    return "".join(f"{line}\n" for line in _lines(graph))


def _lines(graph: StateGraph) -> Iterator[str]:
    vertices, edges = graph.marked_vertices, graph.marked_edges
    yield "digraph states {"
    yield f"  graph [label={_lined(graph.says())}, labelloc=t, labeljust=l, fontname=Helvetica];"
    yield "  node [shape=box, fontname=Helvetica, fontsize=10];"
    yield "  edge [fontname=Helvetica, fontsize=9];"
    states = [leaves_of(graph.system, vertex.state) for vertex in graph.vertices]
    differing = _differing(states)
    for number, vertex in enumerate(graph.vertices):
        values = [leaf for leaf in states[number] if leaf[0] in differing]
        label = [str(number), *(f"{name} = {value}" for name, value in values)]
        label += [f"violates {name}" for name in vertex.violates]
        label += [f"goes wrong: {text}" for text in vertex.wrong]
        tooltip = [f"{name} = {value}" for name, value in states[number]]
        yield (
            f"  {number} [label={_lined(label)}, tooltip={_lined(tooltip)}"
            f"{_look(_classes(vertex, number in vertices))}];"
        )
    for number, edge in enumerate(graph.edges):
        transition = graph.system.transitions[edge.transition]
        label = [transition.called if edge.outcome is None else f"{transition.called} → {edge.outcome}"]
        label += [] if transition.fault is None else [f"fault: {transition.fault}"]
        label += [f"violates {name}" for name in edge.violates]
        classes = ["counterexample"] * (number in edges) + ["violating"] * bool(edge.violates)
        classes += [] if transition.fault is None else ["fault"]
        yield f"  {edge.source} -> {edge.target} [label={_lined(label)}{_look(classes)}];"
    yield "}"


def _differing(states: list[list[Leaf]]) -> set[str]:
    """The parts of the state that are not the same in all of them; none where they are too many to show."""
    same = set(states[0]).intersection(*states)
    names = {name for state in states for name, value in state if (name, value) not in same}
    return names if len(names) <= MOST_SHOWN else set()


def _classes(vertex: Vertex, is_marked: bool) -> list[str]:
    named = {
        "counterexample": is_marked,
        "violating": bool(vertex.violates or vertex.wrong),
        "initial": vertex.is_initial,
        "terminal": vertex.is_terminal,
        "open": bool(vertex.beyond),
    }
    return [name for name, is_so in named.items() if is_so]


def _look(classes: list[str]) -> str:
    """How a state or a step is drawn, and its classes in an SVG that Graphviz makes."""
    drawn = {
        "counterexample": "penwidth=3",
        "violating": 'color="#c62828", fontcolor="#c62828"',
        "terminal": "peripheries=2",
        "fault": "style=dashed",
    }
    styles = [style for name, style in (("initial", "bold"), ("open", "dashed")) if name in classes]
    found = [drawn[name] for name in classes if name in drawn]
    found += [f'style="{",".join(styles)}"'] if styles else []
    found += [f'class="{" ".join(classes)}"'] if classes else []
    return "".join(f", {each}" for each in found)


def _lined(lines: Iterator[str] | list[str]) -> str:
    """Lines as a quoted string, each to the left. Graphviz reads escapes in it, and entities as those of HTML."""
    plain = (visible(line).replace("&", "&amp;").replace("\\", "\\\\").replace('"', '\\"') for line in lines)
    return '"' + "".join(f"{line}\\l" for line in plain) + '"'
