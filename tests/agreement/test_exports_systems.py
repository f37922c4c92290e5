"""The systems that exports are tried on have everything in them that an export could get wrong."""

from __future__ import annotations

from depths import MODEL_ERROR
from exported import RANDOM, SMALL, TOYS, asked, system_of, truth_of


def test_the_random_models_have_everything_in_them() -> None:
    systems = [system_of(name) for name in RANDOM]
    falls = [name for each in RANDOM for name in truth_of(each).falls]
    assert sum(len(s.initial) > 2 for s in systems) >= 5
    assert sum(bool(s.step_properties) for s in systems) >= 10
    assert sum(any(i.quiescent for i in s.invariants) for s in systems) >= 5
    assert falls.count(MODEL_ERROR) >= 3
    assert falls.count("no-deadlock") >= 3
    assert sum(not truth_of(each).falls for each in RANDOM) >= 3


def test_what_is_true_of_a_toy_was_written_down() -> None:
    assert {name: truth_of(name).falls for name in TOYS} == {
        "counter": {"small": 5, "no-deadlock": 5},
        "counter that goes wrong": {"model-error": 4},
        "counter to a power of two": {"small": 8, "no-deadlock": 8},
        "clock": {},
        "graph": {"fine": 2, "no-deadlock": 2},
        "graph without a bad node": {},
        "graph with nowhere to go": {"no-deadlock": 2},
        "graph begun in three nodes": {"fine": 2, "no-deadlock": 2},
        "graph begun in a bad node": {"fine": 0},
        "sums": {
            "to is not -2": 1,
            "to is not 13": 1,
            "to is not -22": 1,
            "steady": 1,
            "to is not 1": 1,
            "to is not -9": 1,
            "to is not -1": 2,
            "to is not -13": 4,
        },
        "named": {"$first": 5, "all\n1 bad": 15},
        "judged": {"model-error": 2, "never from 3 to 4": 3, "rests at 4": 4, "no-deadlock": 4},
        "stops": {"model-error": 3},
        "lease": {},
        "lease without a fence": {"never_backwards": 5},
    }


def test_every_system_is_small() -> None:
    assert max(len(truth_of(name).states) for name in SMALL) < 3000
    assert all(asked(name) for name in SMALL)
