"""`fenceproof export --format dot|graphml|graph-json`: the graph, read by others' parsers; and what is refused."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import networkx
import pydot
import pytest
from command import RESTS, Ran, fenceproof, model_file
from fenceproof.checker import check
from fenceproof.checker.export.graphs import GRAPH_FORMATS
from fenceproof.checker.export.visible import visible, visible_json
from fenceproof.checker.targets import find
from fenceproof.model.lift import lift
from fenceproof.model.step import enabled, take
from fenceproof.model.system import State, TransitionSystem
from fenceproof.specs.variants import VARIANTS
from hostile import HOSTILE

LEASE = Path(__file__).resolve().parents[2] / "docs" / "examples" / "lease.py"
GHOST = ("last-writer", "--faults", "delay", "--property", "no-ghost")
WIDE = """
from fenceproof.model import Model, Range, action, invariant


class Wide(Model):
    # More states than any format takes, and a violation near the first.

    def __init__(self, most: int = 249) -> None:
        self.most = most
        self.a = Range(0, most)
        self.b = Range(0, most)

    @action
    def up(self) -> None:
        self.a = 0 if self.a == self.most else self.a + 1

    @action
    def out(self) -> None:
        self.b = 0 if self.b == self.most else self.b + 1

    @invariant
    def low(self) -> bool:
        return self.a < 3 or self.b < 2
"""
#: A model that goes wrong in its last state.
LEAPS = RESTS.replace("self.n = 1\n", "self.n += 1\n")


def exported(name: str, *arguments: str | Path) -> Ran:
    return fenceproof("export", *arguments, "--format", name)


def document(*arguments: str | Path) -> dict[str, Any]:
    ran = exported("graph-json", *arguments)
    assert ran.code == 0, ran
    found: dict[str, Any] = json.loads(ran.out)
    return found


def drawn(text: str) -> pydot.Dot:
    found = pydot.graph_from_dot_data(text)
    assert found is not None and len(found) == 1
    return found[0]


@cache
def last_writer() -> TransitionSystem:
    return check(VARIANTS["last-writer"].model, faults={"delay": 1}).system


def steps_of(system: TransitionSystem) -> Iterator[tuple[State, int, State]]:
    """Every step of a model, by the one-step interpreter."""
    seen = dict.fromkeys(system.initial)
    for before in (queue := list(seen)):
        for position in enabled(system, before):
            after = take(system.transitions[position], before).state
            assert after is not None
            yield before, position, after
            if after not in seen:
                seen[after] = None
                queue.append(after)


def written(system: TransitionSystem, state: State) -> str:
    values = {n: v for n, v in system.decode(state).items() if not n.startswith("spent")}
    return json.dumps(values, sort_keys=True)


def test_every_state_and_every_step_is_in_the_graph_once() -> None:
    system, found = last_writer(), document("last-writer", "--faults", "delay")
    wanted = sorted(
        (written(system, before), system.transitions[position].called, written(system, after))
        for before, position, after in steps_of(system)
    )
    state = {node["id"]: json.dumps(node["state"], sort_keys=True) for node in found["nodes"]}
    got = sorted(
        (
            state[e["source"]],
            f"{e['action']}({', '.join(f'{n}={v}' for n, v in e['args'].items())})",
            state[e["target"]],
        )
        for e in found["edges"]
    )
    assert got == wanted
    assert len(found["nodes"]) == 66  # as `check` counts them
    assert [n["id"] for n in found["nodes"] if n["initial"]] == [0]
    assert found["nodes"][0]["depth"] == 1
    assert max(n["depth"] for n in found["nodes"]) == 11


def test_the_marked_way_is_the_shortest_counterexample_of_the_property() -> None:
    result = check(VARIANTS["last-writer"].model, faults={"delay": 1}, properties=["no-ghost"])
    trace = result.properties[0].trace
    assert trace is not None
    found = document(*GHOST)
    way = found["graph"]["counterexample"]
    assert way["property"] == "no-ghost"
    states = [json.dumps(found["nodes"][n]["state"], sort_keys=True) for n in way["nodes"]]
    assert states == [written(result.system, state) for state in trace.states]
    actions = [found["edges"][n]["action"] for n in way["edges"]]
    assert actions == [result.system.transitions[p].action for p in trace.transitions]
    assert found["edges"][way["edges"][-1]]["violates"] == ["no-ghost"]
    assert found["edges"][way["edges"][2]]["fault"] == "delay"
    assert [n["id"] for n in found["nodes"] if n["counterexample"]] == sorted(way["nodes"])
    assert found["graph"]["properties"] == ["no-ghost"]


def test_dot_is_what_graphviz_reads_and_draws_the_counterexample_thick() -> None:
    graph = drawn(exported("dot", *GHOST).out)
    names = [node.get_name() for node in graph.get_nodes() if node.get_name().isdigit()]
    assert len(names) == 66
    assert len(graph.get_edges()) == len(list(steps_of(last_writer())))
    thick = [edge for edge in graph.get_edges() if edge.get("penwidth") == "3"]
    assert [edge.get("label").partition("(")[0] for edge in thick] == [
        '"dispatch',
        '"execute',
        '"deadline_early',
        '"deliver',
    ]
    assert "violates no-ghost" in thick[-1].get("label")
    assert thick[2].get("style") == "dashed"


def test_graphml_is_read_back_by_networkx_with_types() -> None:
    text = exported("graphml", *GHOST).out
    assert (">True<" in text, ">true<" in text) == (False, True)  # XML's truth values are in small letters
    found = networkx.read_graphml(io.BytesIO(text.encode()), force_multigraph=True)
    plain = document(*GHOST)
    assert (len(found), found.number_of_edges()) == (66, len(plain["edges"]))
    assert found.nodes["0"]["initial"] is True
    assert found.nodes["0"]["state.record[0].live"] == 1
    assert found.nodes["0"]["state.tool_path[0]"] == "{}"
    marked = [data for _, _, data in found.edges(data=True) if data["counterexample"]]
    assert sorted(data["step"] for data in marked) == [1, 2, 3, 4]
    assert {data["fault"] for data in marked if "fault" in data} == {"delay"}


@pytest.mark.parametrize("name", GRAPH_FORMATS)
def test_names_of_an_authors_stay_text(name: str) -> None:
    path = model_file(HOSTILE)
    ran = exported(name, path)
    assert ran.code == 0
    system = lift(find(str(path)).model())
    count = len({state for before, _, after in steps_of(system) for state in (before, after)})
    if name == "dot":
        graph = drawn(ran.out)
        assert len([n for n in graph.get_nodes() if n.get_name().isdigit()]) == count
        assert "\n" not in graph.get_edges()[0].get("label")
    elif name == "graphml":
        found = networkx.read_graphml(io.BytesIO(ran.out.encode()), force_multigraph=True)
        assert len(found) == count
        outcomes = {data.get("outcome") for _, _, data in found.edges(data=True)}
        assert visible("<u>\u2028 \u2029 \" ' & \\ \n \ud800 \u202e") in outcomes
    else:
        found = json.loads(ran.out)
        assert len(found["nodes"]) == count
        assert "<u>\u2028 \u2029 \" ' & \\ \n \ud800 \u202e" in {e["outcome"] for e in found["edges"]}


def test_no_two_texts_are_shown_as_one() -> None:
    texts = ["\n", "\\n", "\\\n", "\u2028", "\\u2028", "a", "é", "\x00", '"', "\U000e0001", "\udb40\udc01"]
    assert len({visible(text) for text in texts}) == len(texts)
    assert all(visible(text).isprintable() for text in texts)
    assert [json.loads(visible_json(text)) for text in texts[:-1]] == texts[
        :-1
    ]  # JSON knows no two halves side by side


@pytest.mark.parametrize("name", GRAPH_FORMATS)
def test_of_a_space_that_is_too_large_the_counterexample_that_was_named_is_written_with_what_is_beside_it(
    name: str,
) -> None:
    ran = exported(name, model_file(WIDE), "--property", "low")
    assert ran.code == 0
    assert (
        f"too many for {name}. Written is the counterexample and the steps beside it, not the whole space." in ran.err
    )
    assert "the counterexample and the steps beside it; not the whole space" in ran.out


def test_what_is_left_out_beside_a_counterexample_is_counted() -> None:
    found = document(model_file(WIDE), "--property", "low")
    assert found["graph"]["whole"] is False
    assert {node["depth"] for node in found["nodes"]} == {None}
    way = set(found["graph"]["counterexample"]["nodes"])
    assert all(node["beyond"] == 0 for node in found["nodes"] if node["id"] in way)
    assert any(node["beyond"] > 0 for node in found["nodes"] if node["id"] not in way)


def test_a_graph_that_is_too_large_is_refused_with_what_there_is_instead() -> None:
    said = exported("dot", "fenced").message
    assert "fenced has more than 2,000 states, too many for dot." in said
    assert "graphml (20,000), graph-json (50,000)" in said
    assert "fenceproof explore fenced --out FILE" in said
    held = exported("dot", "fenced", "--property", "no-ghost").message
    assert "no-ghost: holds in fenced, so there is no counterexample to show a part of it." in held


def test_where_the_model_goes_wrong_the_graph_says_so_and_ends() -> None:
    found = document(model_file(LEAPS))
    assert [node["state"] for node in found["nodes"]] == [{"n": 0}, {"n": 1}]
    (wrong,) = found["nodes"][1]["wrong"]
    assert wrong.startswith("up(): ")
    assert "mine.py:" in wrong
    assert found["graph"]["counterexample"]["property"] is None


def test_a_limit_that_was_asked_for_ends_as_inconclusive_and_writes_nothing() -> None:
    ran = exported("graph-json", "last-writer", "--max-states", "50")
    assert (ran.code, ran.out) == (3, "")
    assert "the search is not complete: more than 50 states" in ran.err


@pytest.mark.parametrize("name", GRAPH_FORMATS)
def test_a_file_that_is_there_is_written_over_only_by_force(name: str) -> None:
    Path("old").write_text("old")
    assert "old is there already" in exported(name, LEASE, "--out", "old").message
    assert Path("old").read_text() == "old"
    assert exported(name, LEASE, "--out", "old", "--force").code == 0
    assert Path("old").read_text() == exported(name, LEASE).out
    assert "no/such cannot be written: No such file or directory" in exported(name, LEASE, "--out", "no/such").message


def test_an_option_of_other_formats_is_refused() -> None:
    assert "--depth has no meaning with --format dot" in exported("dot", LEASE, "--depth", "3").message
