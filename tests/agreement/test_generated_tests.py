"""The test made of every counterexample of every variant fails on that variant, and passes on the fenced planner."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import pytest
from fenceproof.checker.counterpart import Counterpart, counterpart
from fenceproof.checker.design import parameters_for
from fenceproof.checker.engines.explicit import check
from fenceproof.checker.export.regression import Adapting, Fall, Story, write
from fenceproof.checker.result import CheckResult
from fenceproof.model.budgets import Settings
from fenceproof.model.errors import UsageError
from fenceproof.model.lift import lift
from fenceproof.model.system import TransitionSystem
from fenceproof.model.trace import Trace
from fenceproof.specs.reference.memory import Memory
from fenceproof.specs.variants import VARIANTS

MEMORY = Adapting(("from fenceproof.specs.reference.memory import Memory",), ("return Memory()",), {})
FALLEN = sorted(name for name, variant in VARIANTS.items() if variant.loses)


@cache
def checked(name: str) -> CheckResult:
    return check(lift(VARIANTS[name].model(), Settings(most_faults=2)))


@cache
def fenced() -> TransitionSystem:
    return lift(VARIANTS["fenced"].model(), Settings(most_faults=2))


def traces_of(name: str) -> dict[str, Trace]:
    return {found.name: found.trace for found in checked(name).properties if found.trace is not None}


def run_on(text: str, name: str, hidden: tuple[str, ...] = ()) -> None:
    """Run a generated file on the reference as a variant, which leaves some variables out of its snapshots."""
    design = parameters_for("memory", VARIANTS[name].model(), checked(name).system)

    class Shown(Memory):
        def reset(self, parameters: Mapping[str, object]) -> None:
            super().reset({**parameters, **design})

        def snapshot(self) -> dict[str, object]:
            return {variable: value for variable, value in super().snapshot().items() if variable not in hidden}

    held: dict[str, Any] = {"__name__": "generated"}
    exec(compile(text, "generated", "exec"), held)
    held["make_adapter"] = lambda: Shown.__new__(Shown)
    found: Callable[[], None] = next(value for key, value in held.items() if key.startswith("test_"))
    found()


def generated(name: str, violated: str, trace: Trace) -> tuple[Counterpart, str]:
    found = counterpart(checked(name).system, trace, violated, fenced(), "fenced")
    return found, write(Story("fenced", Fall(name, violated, "")), found, MEMORY)


@pytest.mark.parametrize("name", FALLEN)
def test_a_generated_test_fails_on_the_variant_that_fell_and_passes_on_the_fenced_planner(name: str) -> None:
    for violated, trace in traces_of(name).items():
        _, text = generated(name, violated, trace)
        run_on(text, "fenced")
        with pytest.raises(AssertionError, match=violated):
            run_on(text, name)


def test_where_only_a_snapshot_can_tell_it_has_to_show_enough_of_it() -> None:
    trace = traces_of("wait")["no-deadlock"]
    found, text = generated("wait", "no-deadlock", trace)
    assert found.is_told_by_an_answer  # what is possible after it
    by_sight = Counterpart(found.initial, found.begins_otherwise, found.answers[:-1])
    text = write(Story("fenced", Fall("wait", "no-deadlock", "")), by_sight, MEMORY)
    run_on(text, "fenced")
    with pytest.raises(AssertionError, match="expected"):
        run_on(text, "wait")
    with pytest.raises(AssertionError, match="shows too little to see a fault by"):
        run_on(text, "wait", hidden=("armed", "outbox"))


def test_a_design_that_does_the_same_is_not_the_right_one() -> None:
    trace = traces_of("last-writer")["no-ghost"]
    late = lift(VARIANTS["planner-only-fence"].model(), Settings(most_faults=2))
    assert counterpart(checked("last-writer").system, trace, "no-ghost", late, "planner-only-fence").answers
    with pytest.raises(UsageError, match="same with these events"):
        counterpart(checked("last-writer").system, trace, "no-ghost", checked("last-writer").system, "last-writer")
