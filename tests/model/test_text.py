"""A system as text: everything that it is made of, the same on every run."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from fenceproof.model import (
    Choice,
    Maybe,
    Model,
    Range,
    Step,
    action,
    choose,
    fault,
    implies,
    invariant,
    require,
    safeguard,
    step_property,
    terminal,
)
from fenceproof.model.budgets import Settings
from fenceproof.model.kinds import RangeKind
from fenceproof.model.lift import lift
from fenceproof.model.text import as_text
from fenceproof.specs.variants import VARIANTS
from mail import Mail
from toys import Builder, clock, counter, graph

MAIL = Path(__file__).parent.parent / "toys" / "mail.py"


class Door(Model):
    """A door that is opened with the right key."""

    def __init__(self, keys: int = 2) -> None:
        self.keys = keys
        self.state = Choice("shut", "open", start=choose(["shut", "open"]))
        self.used = Maybe(Range(1, keys))

    @safeguard("lock")
    def may_open(self, key: int) -> bool:
        return key != 2

    @action(key=(1, 2))
    def open(self, key: int) -> str:
        require(self.may_open(key) and self.state == "shut")
        self.state = "open"
        before, self.used = self.used, key
        return "again" if before == key else "first"

    @fault("draught", budget=3)
    @action
    def slam(self) -> None:
        require(self.state == "open")
        self.state = "shut"
        if self.used is None:
            raise RuntimeError("nobody opened it")

    @terminal
    def opened(self) -> bool:
        return self.state == "open"

    @invariant
    def honest(self) -> bool:
        return implies(self.used == 2, False)

    @invariant
    def known(self) -> bool:
        return self.used != 1

    @step_property
    def remembered(self, step: Step) -> bool:
        return step.action != "slam" or step.before.used is not None


DOOR = """\
model Door(keys=2)
faults draught=3
at most 2 faults in all
without lock

state
    state: Choice('shut', 'open')
    used: Maybe(Range(1, 2))
    spent draught: Range(0, 3)
    spent in all: Range(0, 2)

initial (2)
    state=0, used=0, spent draught=0, spent in all=0
    state=1, used=0, spent draught=0, spent in all=0

action open(key=1)
    when state == 0
    state' = 1
    used' = 1
    outcome 0 if (used == 0) else (1 if (used == 1) else 0)  [0: first, 1: again]

action open(key=2)
    when state == 0
    state' = 1
    used' = 2
    outcome 0 if (used == 0) else (1 if (used == 2) else 0)  [0: first, 1: again]

fault slam() [draught]
    when (state == 1) and (spent draught < 3) and (spent in all < 2)
    state' = 0
    spent draught' = spent draught + 1
    spent in all' = spent in all + 1
    error where (1 if (used == 0) else 0) != 0
        1: RuntimeError: nobody opened it (SITE)

step property remembered
    slam(): used != 0
invariant honest
    (used == 0) or (used != 2)
invariant known
    (used == 0) or (used != 1)
terminal
    state == 1
"""


def test_a_system_is_shown_whole() -> None:
    system = lift(Door(), Settings(most_faults=2, without=frozenset({"lock"})))
    site = next(t for t in system.transitions if t.action == "slam").mistakes[0].site
    assert as_text(system) == DOOR.replace("SITE", str(site))


def test_a_system_without_faults_terminal_states_or_properties_is_short() -> None:
    head = "model toy()\n\nstate\n    on: Bool()\n\ninitial (1)\n    on=0\n\n"
    assert as_text(clock()) == head + "action tick()\n    when True\n    on' = not on\n\n"


def test_where_the_model_goes_wrong_is_shown() -> None:
    lines = as_text(counter(3, wrong_at=2)).splitlines()
    assert lines[9:14] == [
        "    when n < 3",
        "    n' = n + 1",
        "    error where (1 if (n == 2) else 0) != 0",
        "        1: up goes wrong",
        "",
    ]


def test_the_state_after_a_step_is_primed() -> None:
    b = Builder({"n": RangeKind(0, 3)})
    b.act("up", b.x.less(b.slot(0), b.x.const(3)), {0: b.x.add(b.slot(0), b.x.const(1))})
    b.act("rest", b.x.true, {})
    b.on_steps("rises", lambda t: b.judge(b.x.less(b.slot(0), b.next(0)) if t.updates else b.x.true))
    assert as_text(b.build([(0,)])).endswith("    when True\n\nstep property rises\n    up(): n < n'\n")


def test_many_initial_states_are_counted() -> None:
    lines = as_text(graph([(0, 1)], initial=range(20), bad=[19])).splitlines()
    assert lines[6] == "initial (20)"
    assert lines[7:24] == [*(f"    node={n}, flag=0" for n in range(16)), "    and 4 more"]


@pytest.mark.parametrize("model", [Mail(), Door(), VARIANTS["fenced"].model()], ids=lambda m: type(m).__name__)
def test_every_variable_transition_and_property_has_its_line(model: Model) -> None:
    system = lift(model)
    lines = as_text(system).splitlines()
    for variable in system.variables:
        assert lines.count(f"    {variable.name}: {variable.kind}") == 1
    heads = [line for line in lines if line.startswith(("action ", "fault "))]
    assert [head.split(" ")[1].partition("(")[0] for head in heads] == [t.action for t in system.transitions]
    assert [head.startswith("fault") for head in heads] == [t.fault is not None for t in system.transitions]
    assert sum(line.startswith("    when ") for line in lines) == len(system.transitions)
    assert sum("' = " in line for line in lines) == sum(len(t.updates) for t in system.transitions)
    for prop in system.step_properties:
        assert lines.count(f"step property {prop.name}") == 1
    for invariant_ in system.invariants:
        assert lines.count(f"invariant {invariant_.name}") == 1


def test_two_lifts_of_a_model_have_the_same_text() -> None:
    assert as_text(lift(Mail())) == as_text(lift(Mail()))
    assert as_text(lift(Mail())) != as_text(lift(Mail(boxes=1)))


def test_the_text_does_not_depend_on_the_process() -> None:
    texts = {
        subprocess.run(
            [sys.executable, "-m", "fenceproof", "show", str(MAIL)],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
            timeout=120,
        ).stdout
        for seed in ("0", "1", "2")
    }
    assert texts == {as_text(lift(Mail()))}
