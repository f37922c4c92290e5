"""SPIN's side of the comparison: its output is read rightly, and its models have exactly the states of ours."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import beside_spin
import pytest
from click.testing import CliRunner
from golden import COUNTS, MODELS, Case, Counts
from sides import Outcome
from spin import Order, OutputError, missing_tools, parse, verify

ROOT = Path(__file__).resolve().parent.parent.parent
COMMAND = ROOT / "benchmarks/beside_spin.py"

BREADTH_FIRST = """\
Depth=      10 States=  1.5e+03 Transitions= 5.06e+03 Memory=   128.293\t
Depth=      20 States=  4.1e+03 Transitions= 1.82e+04 Memory=   128.488\t

(Spin Version 6.5.2 -- 6 December 2019)
\t+ Breadth-First Search

Full statespace search for:
\tnever claim         \t- (none specified)
\tassertion violations\t+
\tcycle checks       \t- (disabled by -DSAFETY)
\tinvalid end states\t+

State-vector 28 byte, depth reached 20, errors: 0
     4096 states, stored
\t    4096 nominal states (stored-atomic)
    14081 states, matched
    18177 transitions (= stored+matched)
        0 atomic steps
hash conflicts:         0 (resolved)

Stats on memory usage (in Megabytes):
    0.188\tequivalent memory usage for states (stored*(State-vector + overhead))
    0.582\tactual memory usage for states
  128.000\tmemory used for hash table (-w24)
  128.488\ttotal actual memory usage


unreached in proctype call
\tfence.pml:69, state 55, "-end-"
\t(1 of 55 states)

pan: elapsed time 0.01 seconds
"""

#: Each model of the golden counts in Promela: the macros that make it that model, and the one that is its size.
RENDERED: dict[str, tuple[dict[str, int], str]] = {
    "Fence": ({}, "T"),
    "FenceLastWriter": ({"LASTWRITER": 1}, "T"),
    "TwoPhase": ({}, "N"),
    "TwoPhaseUnsafe": ({"UNSAFE": 1}, "N"),
}


def _rows() -> list[Any]:
    document = tomllib.loads(COUNTS[0].read_text())
    return [
        pytest.param(file, row, id=f"{row['model']}-{size}")
        for file in ("fence", "two_phase")
        for row in document[file]
        for size in row["parameters"].values()
        if not row.get("slow")
    ]


@pytest.fixture
def tools() -> None:
    """SPIN and a C compiler; without them a test fails, since nothing else would say that it was not run."""
    missing = missing_tools()
    assert not missing, f"not found: {', '.join(missing)}. To install: apt-get install {' '.join(missing)}"


def test_stored_states_transitions_and_depth_are_our_counts() -> None:
    assert parse(BREADTH_FIRST, Order.BREADTH_FIRST) == Counts(distinct=4096, generated=18177, levels=21)


def test_a_depth_first_search_tells_no_levels() -> None:
    assert parse(BREADTH_FIRST, Order.DEPTH_FIRST) == Counts(distinct=4096, generated=18177, levels=None)


@pytest.mark.parametrize(
    ("printed", "instead", "complaint"),
    [
        ("    18177 trans", "1.4889779e+08 trans", "rounded"),
        ("errors: 0", "errors: 1", "stopped at an error"),
        ("18177 transitions", "18177 moves", "not what a verifier"),
        ("State-vector", "error: max search depth too small\nState-vector", "deep enough"),
    ],
)
def test_output_that_does_not_give_exact_and_complete_counts_is_refused(
    printed: str, instead: str, complaint: str
) -> None:
    assert printed in BREADTH_FIRST
    with pytest.raises(OutputError, match=complaint):
        parse(BREADTH_FIRST.replace(printed, instead), Order.BREADTH_FIRST)


def test_counts_agree_in_every_number_and_levels_that_are_not_told_are_not_compared() -> None:
    counts = Counts(4096, 18177, 21)
    assert counts.agree(counts)
    assert counts.agree(Counts(4096, 18177, None))
    assert not any(counts.agree(c) for c in (Counts(4095, 18177, 21), Counts(4096, 18176, 21), Counts(4096, 18177, 20)))


@pytest.mark.spin
@pytest.mark.usefixtures("tools")
@pytest.mark.parametrize(("file", "row"), _rows())
def test_a_promela_model_has_exactly_our_states(file: str, row: dict[str, Any], tmp_path: Path) -> None:
    macros, size_macro = RENDERED[row["model"]]
    (size,) = row["parameters"].values()
    outcome = verify(MODELS / f"{file}.pml", {**macros, size_macro: size}, Order.BREADTH_FIRST, tmp_path)
    assert outcome.counts == Counts(*row["counts"])


@pytest.mark.spin
@pytest.mark.usefixtures("tools")
def test_depth_first_finds_the_same_states(tmp_path: Path) -> None:
    outcome = verify(MODELS / "two_phase.pml", {"N": 5}, Order.DEPTH_FIRST, tmp_path)
    assert outcome.counts == Counts(distinct=8832, generated=58146, levels=None)


def _beside_spin(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, str(COMMAND), *arguments], capture_output=True, text=True, check=False)


@pytest.mark.spin
@pytest.mark.usefixtures("tools")
def test_the_command_shows_both_sides_and_their_relation() -> None:
    ended = _beside_spin("Fence(1)", "--repeat", "1")
    assert (ended.returncode, ended.stderr) == (0, "")
    rows = [
        [cell.strip() for cell in line.split("|")[1:-1]] for line in ended.stdout.splitlines() if "Fence(1)" in line
    ]
    assert [row[:4] for row in rows[:2]] == [["Fence(1)", side, "64", "143"] for side in ("fenceproof", "SPIN")]
    assert rows[2][:2] == ["Fence(1)", "ours / SPIN"]
    assert [len(row) for row in rows] == [9, 9, 9, 10]


@pytest.mark.spin
@pytest.mark.usefixtures("tools")
def test_a_count_that_is_not_the_golden_one_is_an_error(tmp_path: Path) -> None:
    wrong = tmp_path / "counts.toml"
    wrong.write_text('[[fence]]\nmodel = "Fence"\nparameters = { calls = 1 }\ncounts = [64, 144, 11]\n')
    ended = _beside_spin("Fence(1)", "--repeat", "1", "--counts", str(wrong))
    assert ended.returncode == 1
    assert "Fence(1) in fenceproof: 64 distinct, 143 generated, 11 levels" in ended.stderr
    assert "64 distinct, 144 generated, 11 levels" in ended.stderr
    assert "fenceproof |" not in ended.stdout


def test_spins_counts_are_compared_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def one_state_short(case: Case, order: Order, folder: Path) -> Outcome:
        return Outcome(Counts(63, 143, 11), 1.0, 1.0, {"generate": 0.0, "compile": 0.0}, 1)

    monkeypatch.setattr("spin.missing_tools", list[str])
    monkeypatch.setattr("spin.run", one_state_short)
    ended = CliRunner().invoke(beside_spin.command, ["Fence(1)", "--repeat", "1"])
    assert ended.exit_code == 1
    assert "Fence(1) in SPIN: 63 distinct" in ended.output


def test_a_model_without_known_counts_is_refused_with_those_that_have_some() -> None:
    ended = _beside_spin("Fence(9)")
    assert ended.returncode == 2
    assert "Fence(9)" in ended.stderr
    assert "TwoPhase(8)" in ended.stderr


def test_without_the_tools_the_command_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    ended = _beside_spin("Fence(1)")
    assert ended.returncode == 2
    assert "apt-get install spin gcc" in ended.stderr
