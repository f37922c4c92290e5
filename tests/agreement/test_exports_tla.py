"""TLA+ exports: a public grammar reads them, and what an evaluator of their own finds in them is what we find."""

from __future__ import annotations

import functools
import random
import re
import string
from dataclasses import replace
from pathlib import Path

import pytest
from depths import MODEL_ERROR, explore
from every_kind import Everything
from exported import RANDOM, TOYS, system_of, truth_of
from fenceproof.checker.engines import explicit
from fenceproof.checker.export import export
from fenceproof.checker.export.build import machine_of
from fenceproof.checker.export.tla_subject import Subject, bare
from fenceproof.checker.targets import construct, find
from fenceproof.model import Bag, Choice, Map, Maybe, Model, Queue, Range, Record, action, invariant
from fenceproof.model.budgets import Settings
from fenceproof.model.errors import ModelError
from fenceproof.model.kinds import BoolKind, ChoiceKind, RangeKind, SetKind
from fenceproof.model.lift import lift
from fenceproof.model.system import Fairness, Judgement, LivenessProperty, TransitionSystem
from fenceproof.specs.variants import VARIANTS
from hostile import HOSTILE
from random_kinds import random_kinds
from tla_evaluator import Module
from tla_tree import NOT_FOR_TLC, parsed, settings
from toys import Builder, graph

ROOT = Path(__file__).resolve().parents[2]
#: One fault, of these: about a hundred states, and most variants fall that can.
FEW = frozenset({"delay", "no-echo"})
#: At most two of these: thousands of states.
FAULTS = FEW | {"crash", "second-planner", "comp-delay"}


def _found(system: TransitionSystem, text: str) -> tuple[int, set[str]]:
    """States and violated properties by their authors' names, of what a file says."""
    subject = Subject(machine_of(system, takes_liveness=True))
    names = {name: prop for table in (subject.properties, subject.standing) for prop, name in table.items()}
    found = Module(text).explore()
    return found.states, {names[name] for name in found.violated}


@functools.cache
def _ours_of(name: str) -> tuple[int, set[str]]:
    return _ours(_small(name))


def _ours(system: TransitionSystem) -> tuple[int, set[str]]:
    found = explicit.check(system)
    assert found.wrong is None
    assert found.complete
    return found.visited, {p.name for p in found.properties if p.trace is not None}


@functools.cache
def _small(name: str) -> TransitionSystem:
    return lift(VARIANTS[name].model(epochs=2), Settings(only=FEW, most_faults=1))


@pytest.mark.parametrize("name", VARIANTS)
def test_a_variant_has_our_states_and_falls_where_it_falls(name: str) -> None:
    system = _small(name)
    assert _found(system, export(name, system, "tla")) == _ours_of(name)


def test_the_variants_are_large_enough_and_most_fall_that_can() -> None:
    found = {name: _ours_of(name) for name in VARIANTS}
    assert sorted(states for states, _ in found.values())[1] > 50  # `wait` has few
    assert sum(bool(fallen) for _, fallen in found.values()) >= 9


@pytest.mark.slow
@pytest.mark.parametrize("name", VARIANTS)
def test_a_variant_with_two_faults_has_our_states_and_falls_where_it_falls(name: str) -> None:
    epochs = 3 if name == "epoch-keyed-compensator" else 2
    system = lift(VARIANTS[name].model(epochs=epochs), Settings(only=FAULTS, most_faults=2))
    assert _found(system, export(name, system, "tla")) == _ours(system)


@pytest.mark.parametrize(
    ("file", "model", "parameters", "states"),
    [
        ("benchmarks/models/fence.py", "FenceLastWriter", {"calls": 1}, 128),
        ("benchmarks/models/two_phase.py", "TwoPhase", {"managers": 3}, 288),
        ("benchmarks/models/two_phase.py", "TwoPhaseUnsafe", {"managers": 3}, 459),
        ("docs/examples/counter.py", "Counter", {}, None),
        ("docs/examples/counters.py", "Counters", {}, None),
        ("docs/examples/payments.py", "Payments", {}, None),
    ],
)
def test_golden_models_and_examples_have_our_states_and_fall_where_they_fall(
    file: str, model: str, parameters: dict[str, int], states: int | None
) -> None:
    system = lift(construct(find(f"{ROOT / file}:{model}").model, parameters))
    found, falls = _ours(system)
    assert states in (None, found)
    assert _found(system, export(model, system, "tla")) == (found, falls)


@pytest.mark.parametrize("name", [*TOYS, *RANDOM[:12], *RANDOM[-5:]])
def test_a_toy_or_a_random_model_has_our_states_and_falls_where_it_falls(name: str) -> None:
    system, truth = system_of(name), truth_of(name)
    lively = {p.name for p in system.liveness}
    states, fallen = _found(system, export(name, system, "tla"))
    assert (states, fallen - lively) == (len(truth.states), set(truth.falls))
    if MODEL_ERROR not in truth.falls:
        assert fallen == _ours(system)[1]


def test_formulas_of_whole_behaviours_hold_in_some_of_these_models_and_fall_in_others() -> None:
    seen = set[tuple[bool, bool]]()
    for name in (*RANDOM[:12], *RANDOM[-5:]):
        system = system_of(name)
        if MODEL_ERROR not in truth_of(name).falls:
            fallen = _ours(system)[1]
            seen |= {(p.trigger is None, p.name in fallen) for p in system.liveness}
    assert seen == {(True, True), (True, False), (False, True), (False, False)}


@pytest.mark.parametrize("is_strong", [False, True])
def test_what_happens_again_and_again_is_taken_where_fairness_is_strong(is_strong: bool) -> None:
    system = graph([(0, 1), (1, 0), (0, 2), (2, 2)])
    x = system.expressions
    judge = Judgement(x.equal(x.slot(0, 0, 2, is_bool=False), x.const(2)), None, x.const(0), ())
    fairness = (Fairness("1-0", (1,), False), Fairness("0-2", (2,), is_strong))
    ends = LivenessProperty("ends", None, judge, fairness, "It ends at 2.", None)
    system = replace(system, liveness=(ends,))
    falls = set[str]() if is_strong else {"ends"}
    assert _ours(system) == (3, falls)
    assert _found(system, export("graph", system, "tla")) == (3, falls)


def test_random_models_of_every_kind_have_our_states_and_fall_where_they_fall() -> None:
    wrong: list[int] = []
    for seed in range(40):
        try:
            system = lift(random_kinds(seed))
        except ModelError:  # no state is left to begin in
            continue
        truth = explore(system)
        if _found(system, export("it", system, "tla")) != (len(truth.states), set(truth.falls)):
            wrong.append(seed)
    assert wrong == []


def test_every_kind_is_written_and_type_ok_says_what_it_holds() -> None:
    system = lift(Everything())
    states, fallen = _found(system, export("it", system, "tla"))
    assert (states, fallen) == _ours(system)


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=[] if n in ("fenced", "wait") else [pytest.mark.slow]) for n in VARIANTS]
)
def test_the_grammar_knows_a_variant_at_its_default_bounds(name: str) -> None:
    parsed(export(name, lift(VARIANTS[name].model()), "tla"))


@pytest.mark.parametrize(
    ("there", "instead"),
    [
        ("/\\ armed[0]\n", "/\\ TRUE\n"),  # a guard
        ("armed' = [armed EXCEPT ![0] = FALSE]", "armed' = [armed EXCEPT ![0] = TRUE]"),  # an update
        ("record = [k1 \\in 0..0 |-> [live |-> 1,", "record = [k1 \\in 0..0 |-> [live |-> 2,"),  # the first state
        ("  \\/ clock_jump\n", ""),  # an action
    ],
)
def test_a_file_that_says_something_else_is_noticed(there: str, instead: str) -> None:
    system = lift(VARIANTS["fenced"].model(epochs=2), Settings(only=frozenset({"delay", "clock-jump"}), most_faults=1))
    text = export("fenced", system, "tla")
    assert text.count(there) >= 1
    assert _found(system, text.replace(there, instead, 1)) != _ours(system)


class Message(Record):
    to = Range(-1, 0)
    what = Choice("ask", "tell")


class Shown(Model):
    """One of each shape, for a reader."""

    def __init__(self) -> None:
        self.word = Maybe(Choice("None", "b"))
        self.other = Choice("b", "None")
        self.low = Maybe(Range(-2, 1))
        self.bag = Bag(Message, most=2)
        self.queue = Queue(Choice("b", "c"), capacity=2)
        self.by_name = Map(["x y", "z"], Range(0, 1))

    @action
    def go(self) -> None:
        self.word = "b"
        self.by_name["x y"] = 1

    @invariant
    def never(self) -> bool:
        return self.word != self.other


def test_values_are_written_as_their_author_wrote_them() -> None:
    text = export("shown", lift(Shown()), "tla")
    for line in (
        "    \\* @type: Str;\n    word,\n",
        "    \\* @type: { to: Int, what: Str } -> Int;\n    bag,\n",
        "    \\* @type: { length: Int, items: Int -> Str };\n    queue,\n",
        "    \\* @type: Str -> Int;\n    by_name\n",
        '  /\\ word \\in {"None_", "None", "b"}\n',
        '  /\\ word = "None_"\n',
        "  /\\ low \\in -3..1\n",
        '  /\\ queue = [length |-> 0, items |-> [k1 \\in 0..1 |-> "b"]]\n',
        '  /\\ word\' = "b"\n  /\\ by_name\' = [by_name EXCEPT !["x y"] = 1]\n',
        "  /\\ UNCHANGED <<other, low, bag, queue>>\n",
    ):
        assert line in text, line
    assert _found(lift(Shown()), text) == _ours(lift(Shown()))


def test_an_action_and_a_property_are_called_what_their_author_calls_them() -> None:
    module = Module(export("counter", lift(find(f"{ROOT}/docs/examples/counter.py:Counter").model()), "tla"))
    assert module.variables == ["value", "copy", "done"]
    said = [name for name in module.definitions if not name.startswith(("can_", "wrong_"))]
    assert said == [
        *("vars", "TypeOK", "Init", "read_client_0", "read_client_1", "write_client_0", "write_client_1"),
        *("read", "write", "Next", "Spec", "Quiet", "nothing_lost", "no_deadlock", "model_error"),
    ]


@pytest.mark.parametrize(
    ("text", "inside"),
    [
        ("(a)", "a"),
        ("(a) + (b)", "(a) + (b)"),
        ("a", "a"),
        ('(a = ")")', 'a = ")"'),
        ('("\\")" + (b))', '"\\")" + (b)'),
    ],
)
def test_parentheses_around_the_whole_of_a_definition_are_left_away(text: str, inside: str) -> None:
    assert bare(text) == inside


def test_names_that_are_words_or_are_no_names_or_are_taken_are_all_different(tmp_path: Path) -> None:
    words = [
        "IF",
        "Next",
        "vars",
        "Nat",
        "WF_x",
        "1",
        "a b",
        "a_b",
        "é",
        "e1",
        "k1",
        "TypeOK",
        "can_x",
        "x",
        "\n====\n",
    ]
    b = Builder({name: SetKind(ChoiceKind(['"', "\\", "\n", "\\n", "é", "\\xe9", "(*"])) for name in words})
    for number, name in enumerate([*words, "*) \\* @type: Int; --algorithm x {"]):
        b.act(name, b.x.conjoin(b.slot(i) for i in range(number)), {number: b.x.true})
    b.always("IF", b.x.negate(b.slot(3)))
    b.always("can_x", b.x.negate(b.slot(4)))
    b.always("VIEW", b.x.true)
    system = b.build([(0,) * len(b.slots)], name="Integers")
    text = export("\n---- MODULE other ----\n", system, "tla")
    module = Module(text)
    assert module.name == "Integers__2"
    assert len({*module.variables, *module.definitions}) == len(module.variables) + len(module.definitions)
    assert len(module.variables) == len(words)
    assert not {"IF", "VIEW", "Nat"} & {*module.variables, *module.definitions}
    assert text.isascii()
    comments = [line for line in text.splitlines() if line.lstrip().startswith("\\*")]
    assert sum("@" in line for line in comments) == len(words)  # the types alone
    assert not any("--algorithm" in line for line in comments)
    assert _found(system, text) == (len(words) + 2, {"IF", "can_x"})


def test_a_careless_model_is_read_by_the_grammar_and_has_our_states(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(HOSTILE)
    system = lift(find(f"{tmp_path / 'mine.py'}:Hostile").model())
    assert _found(system, export("<script>", system, "tla")) == _ours(system)


def test_drawn_names_stay_apart() -> None:
    r = random.Random(7)
    letters = string.printable + "éß→\\\"'*()@"
    names = list({"".join(r.choices(letters, k=r.randint(1, 6))) for _ in range(60)})
    b = Builder({name: BoolKind() for name in names})
    for number, name in enumerate(reversed(names)):
        b.act(name, b.x.conjoin(b.slot(i) for i in range(number)), {number: b.x.true})
    system = b.build([(0,) * len(names)], name=names[0])
    module = Module(export(names[1], system, "tla"))
    assert len(set(module.variables)) == len(names)
    assert module.explore().states == len(names) + 1


def test_what_is_never_true_of_a_state_still_speaks_of_one() -> None:
    """TLC refuses an invariant that is FALSE whatever the state."""
    b = Builder({"on": BoolKind()})
    b.always("never", b.x.false)
    text = export("it", b.build([(0,)]), "tla")
    assert "never == vars # vars\n" in text
    assert "no_deadlock == Quiet => (vars # vars)\n" in text
    assert Module(text).explore().violated == {"never", "no_deadlock"}


def test_what_is_said_of_steps_that_change_nothing_is_an_invariant_beside_the_formula() -> None:
    b = Builder({"n": RangeKind(0, 1)})
    b.act("rest", b.x.equal(b.slot(0), b.x.const(1)), {0: b.x.const(1)})
    b.act("go", b.x.equal(b.slot(0), b.x.const(0)), {0: b.x.const(1)})
    b.on_steps("goes", lambda t: b.judge(b.x.truth(t.action == "go")))
    text = export("it", b.build([(0,)]), "tla")
    assert settings(text)["INVARIANTS"] == ["TypeOK", "no_deadlock", "goes_standing"]
    assert settings(text)["PROPERTIES"] == ["goes"]
    assert Module(text).explore().violated == {"goes_standing"}


def test_tlc_is_not_told_to_check_what_it_would_not_come_back_from() -> None:
    few = export("wait", lift(VARIANTS["wait"].model(epochs=2), Settings(only=frozenset())), "tla")
    assert "settles" in settings(few)["PROPERTIES"]
    many = export("fenced", lift(VARIANTS["fenced"].model()), "tla")
    assert settings(many)[NOT_FOR_TLC] == ["settles"]
    assert "settles" not in settings(many)["PROPERTIES"]
    assert re.search(r"^\\\* TLC is not told to check settles: ", many, re.MULTILINE)


def test_numbers_that_tlc_has_no_room_for_are_said_to_be_there() -> None:
    said = "numbers may become larger than the 32 bits that TLC computes with"
    for most, is_said in ((46_340, False), (46_341, True)):
        b = Builder({"n": RangeKind(0, most)})
        b.act("square", b.x.less(b.x.multiply(b.slot(0), b.slot(0)), b.x.const(5)), {0: b.x.const(1)})
        assert (said in export("it", b.build([(0,)]), "tla")) == is_said


def test_properties_by_name_are_asked_about_alone() -> None:
    system = _small("last-writer")
    text = export("last-writer", system, "tla", ["no-ghost", "settles"])
    listed = settings(text)
    assert listed["INVARIANTS"] == ["TypeOK"]
    assert sorted([*listed["PROPERTIES"], *listed.get(NOT_FOR_TLC, [])]) == ["no_ghost", "settles"]
    states, fallen = _ours_of("last-writer")
    assert "no-ghost" in fallen
    assert _found(system, text) == (states, fallen & {"no-ghost", "settles"})
