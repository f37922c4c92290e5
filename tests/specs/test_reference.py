"""The reference planner against the model, and for itself."""

from __future__ import annotations

from typing import Any, cast

import pytest
from fenceproof.checker.engines.explicit import check
from fenceproof.checker.replay import replay_against
from fenceproof.model.budgets import Settings
from fenceproof.model.lift import lift
from fenceproof.specs.properties import Planner
from fenceproof.specs.reference.design import Design
from fenceproof.specs.reference.memory import Memory
from fenceproof.specs.reference.memory_store import MemoryStore
from fenceproof.specs.variants import VARIANTS
from some_designs import some_first, some_later
from walks import traces_to_every_transition

DESIGNS = {name: variant.model for name, variant in VARIANTS.items()}


def parameters_of(model: Planner) -> dict[str, object]:
    return {"calls": model.calls, "epochs": model.epochs, **model.design()}


def walk_all(name: str, most_faults: int) -> int:
    """Take every reachable transition on the reference, each at the end of a shortest trace to it; how many."""
    model = DESIGNS[name]()
    system = lift(model, Settings(most_faults=most_faults))
    adapter = Memory()
    covered = 0
    for trace in traces_to_every_transition(system):
        divergence = replay_against(system, trace, adapter, parameters_of(model))
        assert divergence is None, divergence
        covered += 1
    assert covered + len(system.initial) == check(system).generated
    return covered


@pytest.mark.parametrize("name", some_first(DESIGNS))
def test_the_reference_takes_every_transition_as_the_model_does(name: str) -> None:
    assert walk_all(name, most_faults=1) > 2


@pytest.mark.parametrize("name", some_later(DESIGNS))
def test_the_reference_takes_every_transition_with_two_faults_as_the_model_does(name: str) -> None:
    assert walk_all(name, most_faults=2) > 20


@pytest.mark.parametrize("name", some_first(DESIGNS))
def test_every_counterexample_of_a_variant_replays_on_the_reference(name: str) -> None:
    model = DESIGNS[name]()
    result = check(lift(model, Settings(most_faults=2)))
    for found in result.properties:
        if found.trace is not None:
            assert replay_against(result.system, found.trace, Memory(), parameters_of(model)) is None, found.name


def test_the_fenced_reference_does_not_follow_the_ghost() -> None:
    result = check(lift(VARIANTS["last-writer"].model(), Settings(most_faults=1)), properties=["no-ghost"])
    trace = result.properties[0].trace
    assert trace is not None
    found = replay_against(result.system, trace, Memory(), parameters_of(Planner()))
    assert found is not None
    assert (found.step, found.field, found.expected, found.got) == (4, "outcome", "commit", "reject:stale")


def event(action: str, **args: object) -> dict[str, object]:
    return {"action": action, "args": {"call": 0, **args}}


def fenced(**design: object) -> Memory:
    memory = Memory()
    memory.reset({"calls": 1, "epochs": 3, **design})
    return memory


def test_a_late_success_is_rejected_and_counted_as_stale() -> None:
    memory = fenced()
    for step in (event("dispatch"), event("execute", epoch=1), event("deadline_early")):
        memory.apply(step)
    assert memory.apply(event("deliver", kind="success", epoch=1)) == "reject:stale"
    assert (memory.rejects.stale, memory.rejects.malformed) == (1, 0)
    assert memory.snapshot()["record"] == [{"live": 2, "committed": None, "outcome": None}]


def test_the_world_refuses_a_tool_execution_after_the_compensation() -> None:
    memory = fenced()
    for step in (event("dispatch"), event("deadline_early"), event("dispatch"), event("compensate", epoch=2)):
        memory.apply(step)
    assert memory.apply(event("execute", epoch=1)) == "refused"
    assert memory.snapshot()["tool_path"] == [[]]


@pytest.mark.parametrize(("key", "times"), [("call", 1), ("call-epoch", 2)])
def test_a_second_epoch_compensates_again_only_where_the_key_holds_the_epoch(key: str, times: int) -> None:
    memory = fenced(compensator_key=key)
    for step in (
        event("clock_jump"),
        event("dispatch"),
        event("compensate", epoch=2),
        event("compensation_late"),
        event("dispatch"),
        event("compensate", epoch=3),
    ):
        memory.apply(step)
    (world,) = cast("list[dict[str, object]]", memory.snapshot()["world"])
    assert (world["fence"], world["compensations"]) == (3, times)


def test_a_snapshot_is_fresh_each_time() -> None:
    memory = fenced()
    first: Any = memory.snapshot()
    first["record"][0]["live"] = 9
    assert memory.snapshot()["record"] == [{"live": 1, "committed": None, "outcome": None}]


@pytest.mark.parametrize(
    ("step", "words"),
    [
        (event("deliver", kind="success", epoch=1), "no success of epoch 1 is under way"),
        (event("teleport"), "not known"),
        (event("dispatch", epoch=3), "arguments"),
        ({"action": "dispatch"}, "no arguments"),
        ({"action": "dispatch", "args": {"call": -1}}, "no call -1"),
    ],
)
def test_an_event_that_cannot_happen_says_why(step: dict[str, object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        fenced().apply(step)


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"color": 1}, "color"),
        ({"calls": 0}, "calls=0"),
        ({"echo": "maybe"}, "echo='maybe'"),
        ({"check_commit": 3}, "3"),
    ],
)
def test_a_parameter_that_is_none_is_refused(parameters: dict[str, object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        Memory().reset(parameters)


def test_of_two_racing_commits_the_store_lets_one_through() -> None:
    store = MemoryStore(1)
    assert [store.commit_if_live(0, 1, "success"), store.commit_if_live(0, 1, "success")] == [True, False]


def test_the_default_design_is_the_fenced_planner() -> None:
    assert Planner.design() == {name: getattr(Design(), name) for name in Planner.design()}
