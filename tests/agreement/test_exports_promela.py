"""Promela exports: SPIN stores as many states as we find, and agrees about every property."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from exported import TOYS, asked, system_of, truth_of
from fenceproof.checker.api import property_names
from fenceproof.checker.engines import explicit
from fenceproof.checker.export import FORMATS, export
from fenceproof.checker.export.build import safety_names
from fenceproof.checker.targets import construct, find
from fenceproof.model.budgets import Settings
from fenceproof.model.errors import UsageError
from fenceproof.model.kinds import RangeKind
from fenceproof.model.lift import lift
from fenceproof.model.system import TransitionSystem
from fenceproof.specs.variants import VARIANTS
from spin import missing_tools
from toys import Builder

ROOT = Path(__file__).resolve().parents[2]
#: At most two faults, of these: thousands of states, and every variant falls that can.
FAULTS = frozenset({"delay", "no-echo", "crash", "second-planner", "comp-delay"})
#: Those of the toys above that never go wrong, where ours would stop.
GO_WELL = [name for name in TOYS if "model-error" not in truth_of(name).falls]


def _run(folder: Path, *command: str) -> str:
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout


def _spin(text: str, folder: Path, *options: str) -> tuple[int, int]:
    """Stored states, and how many assertions were violated on the way, of an exhaustive search."""
    assert not missing_tools()
    (folder / "model.pml").write_text(text)
    assert "rror" not in _run(folder, "spin", "-a", "model.pml")
    _run(folder, "gcc", "-w", "-O1", "-DSAFETY", "-DNOREDUCE", "-DVECTORSZ=4096", "-o", "pan", "pan.c")
    printed = _run(folder, "./pan", "-m1000000", "-c0", *options)
    assert "max search depth too small" not in printed
    stored = re.search(r"^ *(\d+) states, stored", printed, re.MULTILINE)
    errors = re.search(r"errors: (\d+)", printed)
    assert stored is not None, printed
    assert errors is not None
    return int(stored[1]), int(errors[1])


def _ours(system: TransitionSystem) -> tuple[int, set[str]]:
    lively = {p.name for p in system.liveness}
    found = explicit.check(system, properties=[n for n in property_names(system) if n not in lively])
    assert found.wrong is None
    assert found.complete
    return found.visited, {p.name for p in found.properties if p.trace is not None}


def _variant(name: str) -> TransitionSystem:
    epochs = 3 if name == "epoch-keyed-compensator" else 2
    return lift(VARIANTS[name].model(epochs=epochs), Settings(only=FAULTS, most_faults=2))


def _agrees(name: str, system: TransitionSystem, states: int, fallen: set[str], folder: Path) -> None:
    """That SPIN stores so many states, finds nothing in what holds, and something in each property that falls."""
    holding = [n for n in safety_names(system) if n not in fallen]
    for names in (holding, *([n] for n in sorted(fallen))):
        if names:
            stored, violated = _spin(export(name, system, "promela", names), folder)
            assert (names, stored, violated > 0) == (names, states, names != holding)


@pytest.mark.spin
@pytest.mark.parametrize("name", VARIANTS)
def test_spin_stores_our_states_of_a_variant_and_finds_what_we_find(name: str, tmp_path: Path) -> None:
    system = _variant(name)
    _agrees(name, system, *_ours(system), tmp_path)


def test_the_variants_are_as_large_and_fall_as_often_as_is_worth_comparing() -> None:
    found = {name: _ours(_variant(name)) for name in VARIANTS}
    assert sorted(states for states, _ in found.values())[1] > 100  # `wait` has few
    assert {name for name, (_, fallen) in found.items() if not fallen} == {"fenced", "replay", "two-planners-fenced"}


@pytest.mark.spin
@pytest.mark.parametrize(
    ("file", "model", "parameters", "states", "fallen"),
    [
        ("benchmarks/models/fence.py", "Fence", {"calls": 2}, 4096, 0),
        ("benchmarks/models/fence.py", "FenceLastWriter", {"calls": 1}, 128, 2),
        ("benchmarks/models/two_phase.py", "TwoPhase", {"managers": 4}, 1568, 0),
        ("benchmarks/models/two_phase.py", "TwoPhaseUnsafe", {"managers": 3}, 459, 1),
        ("docs/examples/payments.py", "Payments", {}, None, None),
        ("docs/examples/counter.py", "Counter", {}, None, None),
        ("docs/examples/counters.py", "Counters", {}, None, None),
    ],
)
def test_spin_agrees_about_golden_models_and_examples(
    file: str, model: str, parameters: dict[str, int], states: int | None, fallen: int | None, tmp_path: Path
) -> None:
    system = lift(construct(find(f"{ROOT / file}:{model}").model, parameters))
    found, falls = _ours(system)
    assert (states or found, len(falls) if fallen is None else fallen) == (found, len(falls))
    _agrees(model, system, found, falls, tmp_path)


@pytest.mark.spin
@pytest.mark.parametrize("name", GO_WELL)
def test_spin_agrees_about_each_property_of_a_toy(name: str, tmp_path: Path) -> None:
    system, truth = system_of(name), truth_of(name)
    expected = len(truth.states) + (len(system.initial) > 1)
    for prop in asked(name):
        stored, violated = _spin(export(name, system, "promela", [prop]), tmp_path)
        assert (prop, stored, violated > 0) == (prop, expected, prop in truth.falls)


@pytest.mark.spin
@pytest.mark.parametrize("name", ["counter that goes wrong", "judged", "stops"])
def test_spin_finds_where_a_model_goes_wrong(name: str, tmp_path: Path) -> None:
    _, violated = _spin(export(name, system_of(name), "promela", ["model-error"]), tmp_path)
    assert violated > 0


@pytest.mark.spin
def test_an_export_with_one_guard_less_is_noticed(tmp_path: Path) -> None:
    system = _variant("fenced")
    states, _ = _ours(system)
    text = export("fenced", system, "promela")
    broken = text.replace("d_step { (v_armed_0 &&", "d_step { (true &&", 1)
    assert broken != text
    assert _spin(broken, tmp_path)[0] != states


@pytest.mark.spin
@pytest.mark.parametrize(
    ("name", "prop", "last"), [("lease without a fence", "never_backwards", 1), ("graph", "fine", 0)]
)
def test_spin_finds_a_shortest_counterexample_breadth_first(name: str, prop: str, last: int, tmp_path: Path) -> None:
    """SPIN does not count the step in which an assertion inside it is violated (`last`)."""
    (tmp_path / "model.pml").write_text(export(name, system_of(name), "promela", [prop]))
    _run(tmp_path, "spin", "-a", "model.pml")
    _run(tmp_path, "gcc", "-w", "-O1", "-DSAFETY", "-DNOREDUCE", "-DBFS", "-o", "pan", "pan.c")
    found = re.search(r"assertion violated .* \(at depth (\d+)\)", _run(tmp_path, "./pan"))
    assert found is not None
    assert int(found[1]) + last == truth_of(name).falls[prop]


@pytest.mark.spin
def test_the_trail_names_the_property(tmp_path: Path) -> None:
    text = export("named", system_of("named"), "promela")
    _spin(text, tmp_path, "-c1")
    assert "violated: " in _run(tmp_path, "spin", "-t", "model.pml")


def test_words_of_promela_and_c_and_ends_of_comments_are_no_names() -> None:
    b = Builder({name: RangeKind(0, 1) for name in ("init", "a b", "a_b", "now", "*/ active", "é", "\n#include <x>")})
    b.act("*/ }\nrun", b.x.true, {0: b.x.const(1)})
    text = export('*/ "', b.build([(0,) * 7], name="\n*/"), "promela")
    declared = re.findall(r"^byte (\w+) = 0; /\* [ -~]*? \*/$", text, re.MULTILINE)
    assert declared == ["v_init", "v_a_b", "v_a_b__2", "v_now", "v_active", "v_", "v_include_x"]
    assert text.count("/*") == text.count("*/")


def test_numbers_that_spin_would_wrap_are_refused() -> None:
    b = Builder({"n": RangeKind(0, 2**20)})
    b.act("square", b.x.less(b.x.multiply(b.slot(0), b.slot(0)), b.x.const(5)), {0: b.x.const(1)})
    with pytest.raises(UsageError, match="32 bits"):
        export("big", b.build([(0,)]), "promela")


@pytest.mark.parametrize("format_name", FORMATS)
def test_a_model_without_bounds_is_refused_with_what_to_write(format_name: str) -> None:
    system = lift(VARIANTS["fenced"].model(epochs="any"))
    assert system.is_unbounded
    with pytest.raises(UsageError, match=rf"^{format_name} has numbers with bounds only.*--set epochs=3.*prove"):
        export("fenced", system, format_name)
