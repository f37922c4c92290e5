"""Quint exports: Quint's own evaluator goes where the interpreter goes, and says of each state what we say."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from exported import RANDOM, SMALL, TOYS, asked, system_of, truth_of
from fenceproof.checker.export import export
from fenceproof.checker.export.build import MODEL_ERROR
from fenceproof.checker.targets import find
from fenceproof.model.expressions import Expression, evaluate
from fenceproof.model.kinds import BoolKind, RangeKind
from fenceproof.model.lift import lift
from fenceproof.model.step import enabled, is_enabled, is_quiescent, take
from fenceproof.model.system import DEADLOCK, Judgement, State, TransitionSystem
from fenceproof.specs.variants import VARIANTS
from hostile import HOSTILE
from npm_packages import NoPackageError
from quint_tool import Quint, installed
from toys import Builder

WALKS, STEPS = 10, 12


@pytest.fixture(scope="module")
def quint(tmp_path_factory: pytest.TempPathFactory) -> Quint:
    try:
        return installed(tmp_path_factory.mktemp("quint"))
    except NoPackageError as error:
        pytest.fail(str(error))


class Read:
    """The names in a module, found in its text and comments alone."""

    def __init__(self, text: str) -> None:
        self.slots = re.findall(r"^  var (\w+): (\w+)$", text, re.MULTILINE)
        #: In the order in which `said_of` has them.
        self.properties: list[str] = re.findall(r"^// property .*?, here (\w+):", text, re.MULTILINE)
        self.can = re.findall(r"^  val (can_\w+) =", text, re.MULTILINE)
        begins, _, _ = text.partition("\n  val can_")
        actions: list[str] = re.findall(r"^  action (\w+) =", text, re.MULTILINE)
        first = len(re.findall(r"^  action ", begins, re.MULTILINE))
        self.starts = actions[: max(1, first - 1)]  # the last of several is any of the others
        self.actions = actions[first:-1]


def said_of(system: TransitionSystem, state: State) -> dict[str, bool]:
    """What a module says of a state: each property of states, and each of the steps that can be taken there."""

    def value(node: Expression, after: State, outcome: int) -> int:
        return evaluate([node], state, after, outcome)[0]

    steps = [(t, take(system.transitions[t], state)) for t in enabled(system, state)]
    rests = is_quiescent(system, state)
    found: dict[str, bool] = {}
    wrong = any(step.state is None for _, step in steps)

    def judged(name: str, judgement: Judgement, after: State = (), outcome: int = 0) -> None:
        nonlocal wrong
        mistaken = value(judgement.mistake, after, outcome) != 0
        wrong |= mistaken
        found[name] = found.get(name, True) and (mistaken or value(judgement.holds, after, outcome) != 0)

    for p in system.step_properties:
        found[p.name] = True
        for t, step in steps:
            if step.state is not None:
                outcome = evaluate([system.transitions[t].outcome], state)[0]
                judged(p.name, p.judgements[t], step.state, outcome)
    for i in system.invariants:
        found[i.name] = True
        if rests or not i.quiescent:
            judged(i.name, i.judgement)
    found[DEADLOCK] = True
    if rests:
        judged(DEADLOCK, system.terminal)
    return {**found, MODEL_ERROR: not wrong}


def expected(system: TransitionSystem, read: Read, state: State) -> str:
    """A whole state, which transitions can be taken there, and what is said of it."""
    parts = [
        f"{name} == {value if kind == 'int' else str(bool(value)).lower()}"
        for (name, kind), value in zip(read.slots, state, strict=False)
    ]
    parts += [
        can if is_enabled(t, state) else f"not({can})" for can, t in zip(read.can, system.transitions, strict=True)
    ]
    # Where nothing can go wrong a module does not ask about it.
    truth = list(said_of(system, state).values())[: len(read.properties)]
    parts += [name if holds else f"not({name})" for name, holds in zip(read.properties, truth, strict=True)]
    return f"and {{ {', '.join(parts)} }}"


def walks(system: TransitionSystem, text: str, r: random.Random) -> dict[str, str]:
    """Runs through a system: what is so at each state, and at the end, where one is there, a step that is not taken."""
    read = Read(text)
    found: dict[str, str] = {}
    for number in range(WALKS):
        start = r.randrange(len(system.initial))
        state = system.initial[start]
        run = f"{read.starts[start]}.expect({expected(system, read, state)})"
        for _ in range(STEPS):
            steps = {t: take(system.transitions[t], state).state for t in enabled(system, state)}
            able = [t for t, after in steps.items() if after is not None]
            if not able:
                break
            position = r.choice(able)
            state = steps[position] or ()
            run += f".then({read.actions[position]}).expect({expected(system, read, state)})"
        well = [t for t in enabled(system, state) if take(system.transitions[t], state).state is not None]
        refused = [t for t in range(len(system.transitions)) if t not in well]
        found[f"walk_{number}"] = f"{run}.then({read.actions[r.choice(refused)]}.fail())" if refused else run
    return found


def some(names: Sequence[str], every: Sequence[str]) -> list[Any]:
    """All of some names, those that are to be run for each change marked apart from the others."""
    return [pytest.param(name, marks=pytest.mark.slow if name in every else pytest.mark.long) for name in names]


@pytest.mark.parametrize("name", some(SMALL, [*TOYS, *RANDOM[::4]]))
def test_quint_goes_where_we_go_and_says_what_we_say(name: str, quint: Quint) -> None:
    system = system_of(name)
    text = export(name, system, "quint")
    assert quint.passed(text, walks(system, text, random.Random(name))) == WALKS


@pytest.mark.parametrize("name", some([*VARIANTS], ["fenced", "last-writer", "epoch-keyed-compensator"]))
def test_quint_walks_through_a_variant(name: str, quint: Quint) -> None:
    system = lift(VARIANTS[name].model(epochs=2))
    text = export(name, system, "quint")
    assert quint.passed(text, walks(system, text, random.Random(name))) == WALKS


@pytest.mark.slow
def test_a_wrong_expectation_is_noticed(quint: Quint) -> None:
    system = system_of("lease")
    text = export("lease", system, "quint")
    for old, new in (("granted + 1", "granted + 2"), ("not(", "("), ("val quiet = and", "val quiet = or")):
        broken = text.replace(old, new, 1)
        assert broken != text, old
        with pytest.raises(AssertionError, match="failed"):
            quint.passed(broken, walks(system, text, random.Random(3)))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["lease", "lease without a fence", "graph", "clock", "judged", "random 30"])
def test_the_simulator_finds_what_falls_early_and_nothing_in_what_holds(name: str, quint: Quint) -> None:
    text = export(name, system_of(name), "quint")
    falls = truth_of(name).falls
    for prop, invariant in zip(asked(name), Read(text).properties, strict=True):
        assert quint.violates(text, invariant, 300) is (prop in falls), prop


@pytest.mark.slow
def test_a_careless_model_and_words_of_quint_are_read(quint: Quint, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(HOSTILE)
    quint.typechecks(export("<script>", lift(find(f"{tmp_path / 'mine.py'}:Hostile").model()), "quint"))
    words = [
        "val",
        "init",
        "step",
        "quiet",
        "e1",
        "can_x",
        "x",
        "1",
        "é",
        "a b",
        "a_b",
        "\n}\n",
        "*/",
        "Set",
        "_",
        "iff",
    ]
    b = Builder({name: BoolKind() for name in words})
    for number, name in enumerate(words):
        b.act(name, b.x.conjoin(b.slot(i) for i in range(number)), {number: b.x.true})
    b.always("match", b.x.negate(b.slot(3)))
    system = b.build([(0,) * len(words), (1,) * len(words)], name="module")
    text = export('\n} "', system, "quint")
    assert text.isascii()
    assert quint.passed(text, walks(system, text, random.Random(1))) == WALKS


@pytest.mark.slow
def test_a_system_without_a_state_or_without_a_step_is_read(quint: Quint) -> None:
    still = Builder({"n": RangeKind(-2, 3)}).build([(-2,), (1,)])
    nothing = Builder({})
    nothing.act("go", nothing.x.true, {})
    for system in (still, nothing.build([()])):
        text = export("it", system, "quint")
        assert quint.passed(text, walks(system, text, random.Random(2))) == WALKS


def test_names_are_those_of_the_author_and_numbers_are_explained() -> None:
    text = export("lease", system_of("lease"), "quint")
    for line in (
        "module Lease {\n",
        "  // holder: -1..1; -1 is none\n  var holder: int\n",
        "  /// acquire(client=1)\n",
        "  /// Anything that can happen, faults as well.\n  action step = any {\n    acquire_client_0,\n",
        "  /// never_backwards, of any step from here\n  val never_backwards = ",
        "// property never_backwards, here never_backwards: No write is accepted after one with a later token.\n",
    ):
        assert line in text, line
