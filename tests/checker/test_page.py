"""What a page knows, against the one-step interpreter; and that its HTML lets nothing in and nothing out."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from every_kind import Everything
from fenceproof.checker.api import lifted
from fenceproof.checker.engines import explicit
from fenceproof.checker.page.document import as_html, island, page
from fenceproof.checker.page.guards import why_not
from fenceproof.checker.page.leaves import leaves
from fenceproof.checker.page.payload import payload
from fenceproof.checker.page.region import BEYOND, WRONG, region
from fenceproof.checker.page.subject import Beside, Subject, Told
from fenceproof.checker.targets import build, find
from fenceproof.checker.violation import ends_in_violation
from fenceproof.model.budgets import SPENT
from fenceproof.model.errors import UsageError
from fenceproof.model.step import enabled, take
from fenceproof.model.system import State, TransitionSystem
from fenceproof.model.trace import Trace
from hypothesis import given
from hypothesis import strategies as st
from mail import Mail


def system_of(name: str, faults: str | None = None) -> TransitionSystem:
    return lifted(build(find(name), {}), faults)[2]


def subject(system: TransitionSystem, told: tuple[Told, ...] = (), most: int = 300) -> Subject:
    return Subject("target", system, told, (), "", most_states=most)


class Page:
    """A page's data, decoded as the script does it."""

    def __init__(self, data: dict[str, Any]) -> None:
        self.data = data
        ends = iter(data["steps"]["counts"])
        rows = list(zip(data["steps"]["by"], data["steps"]["to"], data["steps"]["outcome"], strict=True))
        self.steps: list[list[tuple[int, int, int]]] = []
        for count in ends:
            self.steps.append(rows[:count])
            rows = rows[count:]
        assert rows == []

    def leaves(self, state: int) -> list[tuple[str, str]]:
        found: list[tuple[str, str]] = []
        for variable in self.data["variables"]:
            column = variable["column"]
            found += variable["values"][column[state] if len(column) > 1 else column[0]]
        return found

    def false_clauses(self, state: int, transition: int) -> list[str]:
        digits = -(-len(self.data["clauses"]) // 4)
        word = self.data["falses"][state * digits : (state + 1) * digits]
        return [
            self.data["clauses"][c]["text"]
            for c in self.data["transitions"][transition]["clauses"]
            if int(word[c // 4], 16) >> c % 4 & 1
        ]


@pytest.mark.parametrize(
    ("system", "most"),
    [
        (system_of("last-writer"), 250),
        (system_of("fenced", "loss"), 1000),
        (lifted(Everything)[2], 200),
        (lifted(Mail)[2], 1000),
    ],
    ids=["last-writer", "fenced", "every kind", "mail"],
)
def test_every_state_of_a_page_has_the_steps_and_the_reasons_that_the_interpreter_gives(
    system: TransitionSystem, most: int
) -> None:
    found = region(system, list(system.initial), most)
    position = {state: number for number, state in enumerate(found.states)}
    shown = Page(payload(subject(system, most=most)))
    for number, state in enumerate(found.states):
        expected: list[tuple[int, int, str | None]] = []
        for t in enabled(system, state):
            step = take(system.transitions[t], state)
            to = WRONG if step.state is None else position.get(step.state, BEYOND)
            expected.append((t, to, step.outcome))
        outcomes = [
            (t, to, None if to == WRONG else system.transitions[t].outcomes[o]) for t, to, o in shown.steps[number]
        ]
        assert outcomes == expected
        for t, transition in enumerate(system.transitions):
            why = [clause.text for clause in why_not(system, transition, state)]
            assert shown.false_clauses(number, t) == why
        assert shown.leaves(number) == _leaves(system, state)


def _leaves(system: TransitionSystem, state: State) -> list[tuple[str, str]]:
    return [
        leaf
        for v in system.variables
        for leaf in leaves(v.kind, v.name.removeprefix(SPENT), state[v.first : v.first + v.kind.width])
    ]


@pytest.mark.parametrize("name", ["last-writer", "late-bump", "no-outbox"])
def test_what_violates_a_property_in_a_page_violates_it_by_the_interpreter(name: str) -> None:
    system = system_of(name, "delay,duplicate")
    found = region(system, list(system.initial), 400)
    bad_steps = {prop: set(at) for prop, at in found.bad_steps.items()}
    for name_of_property, bad in bad_steps.items():
        for number, steps in enumerate(found.steps):
            for n, step in enumerate(steps):
                if step.to >= 0:
                    trace = Trace((found.states[number], found.states[step.to]), (step.transition,))
                    assert ((number, n) in bad) == ends_in_violation(system, name_of_property, trace)
    for prop, at in found.bad_states.items():
        for number, state in enumerate(found.states):
            assert (number in at) == ends_in_violation(system, prop, Trace((state,), ()))


def test_a_clause_is_said_to_be_where_its_own_action_asks_for_it() -> None:
    path = Path(__file__).resolve().parents[2] / "docs" / "examples" / "lease.py"
    lines = path.read_text().splitlines()
    data = payload(subject(system_of(str(path))))
    (expire,) = (t for t in data["transitions"] if t["called"] == "expire()")
    (clause_,) = (data["clauses"][number] for number in expire["clauses"])
    # `acquire` asks for the opposite before, which is one expression with this.
    assert clause_["text"] == "holder != none"
    assert clause_["site"] == f"lease.py:{1 + lines.index('        require(self.holder is not None)')}"


def test_a_page_has_the_states_of_its_traces_however_few_it_may_have() -> None:
    system = system_of("last-writer", "delay")
    trace = explicit.check(system, properties=["no-ghost"]).trace("no-ghost")
    assert trace is not None
    data = payload(subject(system, (Told("no-ghost", "", trace),), most=1))
    assert (len(data["steps"]["counts"]), data["complete"]) == (5, False)
    assert re.match(r"the 5 states nearest .*; [1-5] of them have steps out of it", data["covers"])
    assert payload(subject(system, most=5000))["covers"].startswith("all ")


def test_two_models_are_given_the_same_events() -> None:
    fenced, last = system_of("fenced"), system_of("last-writer")
    trace = explicit.check(last, properties=["no-ghost"], until_violation=True).trace("no-ghost")
    assert trace is not None
    beside = Beside("last-writer", last, (Told("no-ghost", "", trace),))
    data = payload(Subject("fenced", fenced, (), (), "", beside, 50))
    (comparison,) = data["beside"]["comparisons"]
    mine, theirs = ([reply["outcome"] for reply in side["replies"]] for side in comparison["sides"])
    assert (mine, theirs) == (["tool", "executed", "bump", "reject:stale"], ["tool", "executed", "bump", "commit"])
    refused = payload(
        Subject("fenced", last, (Told("no-ghost", "", trace),), (), "", Beside("none", system_of("fenced", "none")))
    )
    reply = refused["beside"]["comparisons"][0]["sides"][1]["replies"][2]
    assert (reply["outcome"], reply["refusal"]) == (None, "its fault is switched off")


def test_the_policy_names_the_script_and_the_style_that_are_there() -> None:
    text = page(subject(system_of("fenced", "none")))
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)
    style = re.search(r"<style>(.*?)</style>", text, re.DOTALL)
    *_, script = re.findall(r"<script[^>]*>(.*?)</script>", text, re.DOTALL)
    assert policy is not None
    assert style is not None
    assert policy[1].startswith("default-src 'none';")
    for name, part in (("script-src", script), ("style-src", style[1])):
        digest = base64.b64encode(hashlib.sha256(part.encode()).digest()).decode()
        assert f"{name} 'sha256-{digest}'" in policy[1]
    assert "innerHTML" not in text
    assert re.findall(r"""(?:src|href)=["'](?!#)""", text) == []


def luminance(colour: str) -> float:
    """The relative luminance of `#rrggbb` or `#rgb`, from 0 to 1 (WCAG 2.2)."""
    digits = colour[1:] if len(colour) == 7 else "".join(2 * c for c in colour[1:])
    parts = [int(digits[i : i + 2], 16) / 255 for i in (0, 2, 4)]
    red, green, blue = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_text_and_lines_can_be_told_from_what_is_behind_them_in_light_dark_and_print() -> None:
    style = files("fenceproof.checker").joinpath("page/page.css").read_text()
    themes = [dict(re.findall(r"--([\w-]+): (#\w+)", block)) for block in re.findall(r":root[^{]*\{([^}]*)\}", style)]
    assert len(themes) == 3
    for theme in themes:
        behind = [luminance(theme[name]) for name in ("paper", "panel", "mark", "differ-paper")]
        for name, least in (("ink", 7), ("soft", 4.5), ("accent", 4.5), ("bad", 4.5), ("differ", 4.5), ("edge", 3)):
            for other in behind if name != "edge" else behind[:2]:
                dark, light = sorted((luminance(theme[name]), other))
                assert (light + 0.05) / (dark + 0.05) >= least, (name, theme)


@given(
    st.dictionaries(st.text(), st.text(st.characters(), max_size=20) | st.lists(st.text('</script>&\u2028\u2029\\"{}')))
)
def test_data_comes_out_of_the_page_as_it_went_in(data: dict[str, Any]) -> None:
    text = island(data)
    assert set("<>&\u2028\u2029") & set(text) == set()
    assert json.loads(text) == data
    (block,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', as_html(data), re.DOTALL)
    assert json.loads(block) == data


def test_a_model_without_bounds_is_refused_in_words() -> None:
    made = build(find("fenced"), {"epochs": "any"})
    with pytest.raises(UsageError, match="bound"):
        payload(subject(lifted(made)[2]))


@pytest.mark.parametrize(
    "system",
    [system_of("two-planners"), lifted(Everything)[2], lifted(Mail)[2]],
    ids=["two-planners", "every kind", "mail"],
)
def test_the_page_has_the_lanes_of_every_transition_by_its_outcome(system: TransitionSystem) -> None:
    data = payload(subject(system, most=50))
    lanes = data["lanes"]
    assert len(set(lanes)) == len(lanes)
    for transition, known in zip(system.transitions, data["transitions"], strict=True):
        found = [[(lanes[a], lanes[b], first, last) for a, b, first, last in hops] for hops in known["hops"]]
        assert all(found)
        assert len(found) == len(transition.outcomes)
        if transition.lanes is not None:
            said = [transition.lanes.hops(transition.args, outcome) for outcome in transition.outcomes]
            assert found == [[(h.sender, h.receiver, h.is_first, h.is_last) for h in hops] for hops in said]
