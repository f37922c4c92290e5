"""Designs side by side: cells, minimal sets of faults and their traces, limits, interrupts, and what is refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import pytest
from fenceproof.checker.engines import explicit
from fenceproof.checker.limits import Limits
from fenceproof.checker.matrix import Design, Matrix, Row, matrix
from fenceproof.checker.report.matrix import column_keys
from fenceproof.checker.verdict import Verdict
from fenceproof.checker.violation import ends_in_violation
from fenceproof.model import (
    Model,
    ModelError,
    Range,
    Step,
    UsageError,
    action,
    fault,
    implies,
    invariant,
    require,
    step_property,
    terminal,
)
from fenceproof.model.budgets import Settings
from fenceproof.model.trace import replay


class Walk(Model):
    """Walks to its end; wind and ice push it off, and each is a fault."""

    costs: ClassVar[Mapping[str, tuple[str, ...]]] = {"paid": ("step", "push"), "calm": ("step",)}

    def __init__(self, last: int = 3) -> None:
        self.last = last
        self.at = Range(0, last)
        self.off = Range(0, 3)

    @fault("wind")
    @action
    def push(self) -> None:
        require(self.at == 1 and self.off < 3)
        self.off += 1

    @fault("ice")
    @action
    def slip(self) -> None:
        require(self.at == 2 and self.off < 2)
        self.off += 2

    # After the faults, so that its place is another one in a system without them.
    @action
    def step(self) -> None:
        require(self.at < self.last)
        self.at += 1

    @terminal
    def arrived(self) -> bool:
        return self.at == self.last

    @invariant(name="near")
    def near(self) -> bool:
        """It is never off by three."""
        return self.off < 3

    @invariant(name="short")
    def short(self) -> bool:
        """It never comes to its end."""
        return self.at < 3

    @step_property(name="calm")
    def calm(self, step: Step) -> bool:
        """Where ice has moved it, no wind does."""
        return implies(step.before.off == 2, step.action != "push")


def compared(*models: Model, most: int | None = None, **options: Any) -> Matrix:
    given = [(type(model).__name__, model, Settings(most_faults=most)) for model in models]
    return matrix(given, **options)


def row_of(design: Design, name: str) -> Row:
    return next(row for row in design.rows if row.name == name)


def cells(row: Row) -> dict[tuple[str, ...], tuple[Verdict, int | None]]:
    return {cell.faults: (cell.verdict, cell.steps) for cell in row.cells}


def test_every_cell_says_what_a_property_is_under_its_faults() -> None:
    design = compared(Walk()).designs[0]
    near, short, calm = (row_of(design, name) for name in ("near", "short", "calm"))
    both = ("wind", "ice")
    assert cells(near) == {
        (): (Verdict.HOLDS, None),
        ("wind",): (Verdict.HOLDS, None),
        ("ice",): (Verdict.HOLDS, None),
        both: (Verdict.VIOLATED, 4),
    }
    assert near.minimal_faults == (both,)
    assert set(cells(short).values()) == {(Verdict.VIOLATED, 3)}
    assert short.minimal_faults == ((),)
    # Without ice there is never a state that the property is about.
    assert cells(calm) == {
        (): (Verdict.VACUOUS, None),
        ("wind",): (Verdict.VACUOUS, None),
        ("ice",): (Verdict.HOLDS, None),
        both: (Verdict.HOLDS, None),
    }
    assert (calm.minimal_faults, calm.falls) == ((), ())


def test_the_columns_are_no_fault_each_alone_and_all_of_them() -> None:
    assert compared(Walk()).columns == ((), ("wind",), ("ice",), ("wind", "ice"))


def test_a_trace_is_one_of_the_whole_system_and_uses_the_faults_of_its_set() -> None:
    design = compared(Walk()).designs[0]
    for name in ("near", "short"):
        for faults, trace in row_of(design, name).falls:
            assert replay(design.system, trace) is None
            assert ends_in_violation(design.system, name, trace)
            used = {design.system.transitions[t].fault for t in trace.transitions} - {None}
            assert used == set(faults)


def test_at_most_one_fault_in_all_leaves_what_needs_two() -> None:
    near = row_of(compared(Walk(), most=1).designs[0], "near")
    assert (near.minimal_faults, cells(near)["wind", "ice"]) == ((), (Verdict.HOLDS, None))


def test_a_fault_without_a_limit_falls_alone_where_once_it_takes_another() -> None:
    """Its minimal set is its own, and what is noted of it is not in the traces."""
    design = matrix([("walk", Walk(), Settings(budgets={"wind": None}))]).designs[0]
    near = row_of(design, "near")
    assert near.minimal_faults == (("wind",),)
    assert "happened wind" not in {variable.name for variable in design.system.variables}
    ((_, trace),) = near.falls
    assert (replay(design.system, trace), len(trace)) == (None, 4)
    # All of them together fall no sooner: one step of wind and two of ice, which comes a step later.
    assert cells(near)["wind", "ice"] == (Verdict.VIOLATED, 4)


def test_twice_the_same_fault_is_one_set() -> None:
    near = row_of(matrix([("walk", Walk(), Settings(budgets={"wind": 3}))]).designs[0], "near")
    assert near.minimal_faults == (("wind",),)


def test_a_limit_leaves_what_is_not_violated_undecided_and_keeps_what_is() -> None:
    found = compared(Walk(), limits=Limits(max_states=6))
    assert not found.complete
    assert {cell.verdict for row in found.designs[0].rows for cell in row.cells} <= {
        Verdict.INCONCLUSIVE,
        Verdict.VIOLATED,
    }
    assert cells(row_of(found.designs[0], "calm"))[()] == (Verdict.INCONCLUSIVE, None)
    trade_off = found.designs[0].trade_off
    assert (trade_off.faulty.best, trade_off.faulty.worst, trade_off.faulty.costs) == (None, None, ())


def test_only_the_properties_that_are_named_have_a_row() -> None:
    assert [row.name for row in compared(Walk(), properties=["near"]).designs[0].rows] == ["near"]


def test_what_each_design_costs_without_faults_and_with_them() -> None:
    trade_off = compared(Walk()).designs[0].trade_off
    quiet, faulty = trade_off.quiet, trade_off.faulty
    assert (quiet.best, quiet.worst, faulty.best, faulty.worst) == (3, 3, 3, 5)
    assert [(c.name, c.fewest, c.most, c.repeats) for c in quiet.costs] == [
        ("paid", 3, 3, False),
        ("calm", 3, 3, False),
    ]
    assert [(c.name, c.fewest, c.most, c.repeats) for c in faulty.costs] == [
        ("paid", 3, 4, False),
        ("calm", 3, 3, False),
    ]


def test_there_must_be_something_to_compare() -> None:
    with pytest.raises(UsageError, match="nothing to compare"):
        matrix([])


class Mistyped(Walk):
    costs: ClassVar[Mapping[str, tuple[str, ...]]] = {"paid": ("stepp",)}


def test_costs_of_an_action_that_is_not_there_are_refused_with_the_nearest() -> None:
    with pytest.raises(ModelError, match=r"(?s)'stepp' is not known. Did you mean step\?.*`costs` under 'paid'"):
        compared(Mistyped())


class Leaves(Walk):
    @fault("ice")
    @action
    def leap(self) -> None:
        self.at += 1


def test_a_model_that_goes_wrong_is_not_compared() -> None:
    with pytest.raises(ModelError, match="goes wrong"):
        compared(Leaves())


def interrupts(*_: object, **__: object) -> Any:
    raise KeyboardInterrupt


def test_an_interrupt_keeps_the_designs_that_are_done() -> None:
    names: list[str] = []

    def progress(name: str) -> None:
        names.append(name)

        if len(names) == 2:
            raise KeyboardInterrupt

    found = compared(Walk(), Walk(), Walk(), progress=progress)
    assert (names, [d.target for d in found.designs]) == (["Walk", "Walk"], ["Walk"])
    assert found.stop is not None and found.stop.kind == "interrupted" and not found.complete


def interrupted_at(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    """Every search is interrupted while it expands its first level, from the search of that number on."""
    real, searches = explicit.Search.run, [0]

    def run(search: explicit.Search) -> None:
        searches[0] += 1
        if searches[0] == number:
            monkeypatch.setattr(explicit.Search, "_expand_level", interrupts)
            real(search)
            monkeypatch.undo()
        else:
            real(search)

    monkeypatch.setattr(explicit.Search, "run", run)


def searches_of_one_design() -> int:
    return 1 + 2 + 2  # all sets of faults at once, two minimal sets, and what it costs with and without faults


@pytest.mark.parametrize("number", range(1, searches_of_one_design() + 1))
def test_an_interrupt_inside_any_search_ends_all_of_it(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    interrupted_at(monkeypatch, number)
    found = compared(Walk(), Walk())
    assert found.stop is not None and found.stop.kind == "interrupted" and not found.complete
    assert len(found.designs) <= 1


def test_more_columns_than_letters_have_headings_of_their_own() -> None:
    columns = ((), *((f"fault {n}",) for n in range(60)), tuple(f"fault {n}" for n in range(60)))
    keys = column_keys(Matrix(columns, None, (), None))
    assert (keys[:3], keys[26:29], keys[-1], len(set(keys))) == (["-", "a", "b"], ["z", "aa", "ab"], "*", 62)
