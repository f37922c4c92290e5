"""`fenceproof space` as a person and a pipeline use it: what suffices, what is a cut, traces, limits, wrong input."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from command import RESTS, Ran, fenceproof, model_file
from gate import GATE

#: A trace never names a file to run.
MINE = ("--model", "mine.py")


def spaced(*arguments: str | Path) -> Any:
    """The document of a run that is complete."""
    ran = fenceproof("space", *arguments, "--json")
    assert (ran.code, ran.err) == (0, ""), ran
    return json.loads(ran.out)


def replayed(trace: object, *options: str) -> Ran:
    Path("one.json").write_text(json.dumps(trace))
    return fenceproof("replay", "one.json", *options)


def test_the_text_names_what_suffices_what_falls_and_what_can_go() -> None:
    model_file(GATE)
    ran = fenceproof("space", "mine.py")
    assert (ran.code, ran.err) == (0, "")
    assert "mine.py: 8 combinations of 3 safeguards, under 2 sets of 1 fault" in ran.out
    lines = [line.rstrip() for line in ran.out.splitlines()]
    assert [line for line in lines if line.startswith("Suffices: ")] == ["Suffices: lock", "Suffices: bolt"]
    assert "  take lock away too: whole in 2 steps" in lines
    assert "Without lock, bolt, whole in 2 steps, under blow:" in lines
    assert "  blow() → go()" in lines
    assert "Can go: lamp. No property of the model needs it under these faults." in lines
    assert ["blow", "lock", "|", "bolt"] in [line.split() for line in lines]
    assert ["no", "fault", "no", "safeguard", "at", "all"] in [line.split() for line in lines]
    assert "every combination of mine.py" in ran.out


def test_the_document_says_the_same_and_its_traces_replay() -> None:
    model_file(GATE)
    found = spaced("mine.py")
    assert (found["format"], found["version"], found["complete"], found["monotone"]) == (
        "fenceproof-space",
        1,
        True,
        True,
    )
    assert [s["safeguards"] for s in found["sufficient"]] == [["lock"], ["bolt"]]
    assert [(c["without"], c["minimal_faults"], c["property"], c["steps"]) for c in found["cuts"]] == [
        (["lock", "bolt"], [["blow"]], "whole", 2)
    ]
    assert (found["never_needed"], found["combinations"]) == (["lamp"], 8)
    for sufficient in found["sufficient"]:
        assert sufficient["verdict"] == "holds"
        for one in sufficient["without_one"]:
            assert one["fall"]["without"] == ["lock", "bolt", "lamp"]
            assert replayed(one["fall"]["trace"], *MINE).code == 0
    assert replayed(found["cuts"][0]["trace"], *MINE).code == 0


def test_each_cut_is_saved_and_replays() -> None:
    model_file(GATE)
    ran = fenceproof("space", "mine.py", "--out", "cuts")
    assert (ran.code, ran.err) == (0, "trace saved: cuts/mine-without-lock-bolt-whole.json\n")
    assert fenceproof("replay", "cuts/mine-without-lock-bolt-whole.json", *MINE).code == 0


def test_what_cannot_be_saved_is_said_with_another_code() -> None:
    model_file(GATE)
    Path("cuts").write_text("a file")
    assert fenceproof("space", "mine.py", "--out", "cuts").code == 2
    Path("cuts").unlink()
    Path("cuts/mine-without-lock-bolt-whole.json").mkdir(parents=True)
    ran = fenceproof("space", "mine.py", "--out", "cuts")
    assert ran.code == 2 and "was not saved" in ran.err and "Suffices: lock" in ran.out


def test_safeguards_that_are_not_named_stay() -> None:
    model_file(GATE)
    found = spaced("mine.py", "--safeguard", "lock", "--safeguard", "lamp")
    assert (found["safeguards"], found["cuts"]) == (["lock", "lamp"], [])
    assert (found["never_needed"], found["idle"]) == ([], ["lock", "lamp"]), (
        "the bolt has said no before they are asked"
    )
    assert [s["safeguards"] for s in found["sufficient"]] == [[]]


def test_safeguards_that_are_taken_away_already_are_away_throughout() -> None:
    model_file(GATE)
    found = spaced("mine.py", "--without", "bolt")
    assert found["safeguards"] == ["lock", "lamp"]
    assert [(c["without"], sorted(c["trace"]["without"])) for c in found["cuts"]] == [(["lock"], ["bolt", "lock"])]
    assert replayed(found["cuts"][0]["trace"], *MINE).code == 0


def test_only_the_properties_that_are_named_count() -> None:
    model_file(GATE)
    found = spaced("mine.py", "--property", "seldom")
    assert ([s["safeguards"] for s in found["sufficient"]], found["cuts"]) == ([[]], [])


def test_what_falls_with_all_in_place_is_a_cut_of_nothing() -> None:
    model_file(GATE)
    found = spaced("mine.py", "--set", "most=2")
    assert [(c["without"], c["minimal_faults"], c["property"]) for c in found["cuts"]] == [([], [[]], "seldom")]
    assert found["sufficient"] == []
    out = fenceproof("space", "mine.py", "--set", "most=2").out
    assert "With every safeguard in place, seldom in 2 steps, under no fault:" in out
    assert "Can go" not in out


def test_a_safeguard_that_has_no_effect_is_not_said_to_go() -> None:
    """`lamp` is called and never says no; nothing calls `bell`."""
    lit = GATE.replace(
        "def is_lit(self) -> bool:\n        return self.hit == 0", "def is_lit(self) -> bool:\n        return True"
    )
    model_file(
        lit.replace(
            "    @fault", '    @safeguard("bell")\n    def rings(self) -> bool:\n        return False\n\n    @fault', 1
        )
    )
    found = spaced("mine.py")
    assert (found["idle"], found["never_needed"]) == (["lamp", "bell"], [])
    assert "Without effect: lamp, bell. Nothing calls it, or it never says no," in fenceproof("space", "mine.py").out


def test_without_faults_nothing_is_needed() -> None:
    model_file(GATE)
    found = spaced("mine.py", "--faults", "none")
    assert (found["faults"], found["cuts"]) == ([], [])
    assert fenceproof("space", "mine.py", "--faults", "none").out.count("under no faults") == 1


@pytest.mark.parametrize("as_json", [False, True])
def test_a_limit_claims_nothing_to_suffice(as_json: bool) -> None:
    model_file(GATE)
    ran = fenceproof("space", "mine.py", "--max-states", "10", *(["--json"] if as_json else []))
    assert ran.code == 3
    if as_json:
        found = json.loads(ran.out)
        assert [found[k] for k in ("complete", "monotone", "sufficient", "never_needed", "by_faults")] == [
            False,
            None,
            [],
            [],
            [],
        ]
    else:
        assert "Suffices" not in ran.out and "Can go" not in ran.out
        assert "only a part, because more than 10 states" in ran.out
        assert "what suffices is not known" in ran.out


def test_a_limit_under_which_no_cut_was_met_does_not_say_that_nothing_falls() -> None:
    model_file(GATE)
    ran = fenceproof("space", "mine.py", "--max-states", "1")
    assert ran.code == 3
    assert "No combination falls." not in ran.out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["mine.py", "--safeguard", "lok"], "Did you mean lock?"),
        (["mine.py", "--without", "lok"], "Did you mean lock?"),
        (["mine.py", "--property", "hole"], "Did you mean whole?"),
        (["mine.py", "--faults", "blo"], "Did you mean blow?"),
        (["rests.py"], "Rests has no safeguard. Mark a method"),
        (["mine.py", "--without", "lock", "--without", "bolt", "--without", "lamp"], "Gate has no safeguard"),
    ],
)
def test_what_is_not_there_is_refused(arguments: list[str], said: str) -> None:
    model_file(GATE)
    model_file(RESTS, "rests.py")
    assert said in fenceproof("space", *arguments).message


def test_repair_names_the_nearest_model_that_holds() -> None:
    model_file(GATE)
    ran = fenceproof("space", "mine.py", "--repair", "--without", "lock", "--without", "bolt", "--property", "whole")
    assert (ran.code, ran.err) == (0, "")
    assert "mine.py: with 1 knob changed nothing falls, and none nearer does; 3 models checked" in ran.out
    assert [line for line in ran.out.splitlines() if line.startswith("  put")] == ["  put bolt back", "  put lock back"]


def test_where_no_change_mends_it_the_code_is_that_of_a_violation() -> None:
    model_file(GATE)
    ran = fenceproof("space", "mine.py", "--repair", "--set", "most=2", "--without", "lamp")
    assert (ran.code, ran.err) == (1, "")
    assert ran.out == "mine.py: no change of up to 3 knobs mends it; 2 models checked\n"


def test_where_nothing_falls_there_is_nothing_to_mend() -> None:
    model_file(GATE)
    ran = fenceproof("space", "mine.py", "--repair")
    assert ran.code == 0
    assert ran.out.startswith("mine.py: nothing falls, so there is nothing to mend\n")


def test_where_a_limit_left_it_undecided_no_repair_is_denied() -> None:
    model_file(GATE)
    ran = fenceproof("space", "mine.py", "--repair", "--max-states", "1")
    assert ran.code == 3
    assert "no change of up to 3 knobs is known to mend it; 1 model checked" in ran.out
    assert "as it is: not decided, a limit was reached" in ran.out


def test_a_repair_is_written_as_one_document() -> None:
    model_file(GATE)
    found = spaced("mine.py", "--repair", "--without", "lock", "--without", "bolt", "--property", "whole")
    assert (found["format"], found["complete"], found["distance"], found["tried"]) == ("fenceproof-repairs", True, 1, 3)
    assert [repair["changes"] for repair in found["repairs"]] == [
        [{"kind": "safeguard", "name": name, "before": False, "after": True}] for name in ("bolt", "lock")
    ]


def check_minimal(*options: str) -> list[str]:
    """What suffices of `fenced`: it does, and without any one of it as well the stated trace replays."""
    found = spaced("fenced", *options)
    (sufficient,) = found["sufficient"]
    kept = sufficient["safeguards"]
    assert [one["safeguard"] for one in sufficient["without_one"]] == kept
    away = [name for name in found["safeguards"] if name not in kept]
    for one in sufficient["without_one"]:
        fall = one["fall"]
        assert set(fall["without"]) == {*away, one["safeguard"]}
        assert len(fall["trace"]["steps"]) == fall["steps"]
        ran = replayed(fall["trace"])
        assert ran.code == 0, (one["safeguard"], ran)
    assert {tuple(cut["without"]) for cut in found["cuts"]} == {(name,) for name in kept}
    return list(kept)


METHODS = ["echo-check", "live-check", "committed-check", "bump-check", "world-fence", "tool-key", "compensator-key"]


@pytest.mark.slow
def test_under_one_delay_or_one_lost_echo_all_of_the_fence_is_needed_but_the_compare_and_set() -> None:
    kept = check_minimal("--faults", "delay,no-echo", "--most-faults", "1")
    assert kept == [*METHODS, "bump-before-send", "outbox"]


@pytest.mark.slow
def test_under_every_fault_all_of_the_fence_is_needed() -> None:
    assert check_minimal() == [*METHODS, "compare-and-set", "bump-before-send", "outbox"]
