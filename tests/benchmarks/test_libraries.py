"""Planners on other people's libraries: what is recorded of them is about what ships, and how it is found out. The
libraries are not needed here; `benchmarks/libraries/run.py` has them."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy

import pytest
from fenceproof.specs.injected import shipped
from fenceproof.specs.properties import Planner
from fenceproof.specs.reference.memory import Memory
from fenceproof.specs.variants import VARIANTS
from libraries.findings import FILES, FOLDER, Finding, differences, fence_diff, fence_of, recorded, table
from libraries.suite import agreement

RECORDED = recorded()
PLANNERS = {
    f"{library} {version}": finding
    for library, both in RECORDED.items()
    for version, finding in (("planner", both["planner"]), ("fenced", both["fenced"]))
}


class OnlyWhatGoesWell(Memory):
    """The reference, as something that no fault has a counterpart in."""

    def apply(self, event: Mapping[str, object]) -> None:
        super().apply(event)

    def has_counterpart(self, action: str, state: Mapping[str, object]) -> bool:
        return action in ("dispatch", "execute", "deliver", "deadline")


def test_every_library_is_recorded() -> None:
    assert list(RECORDED) == list(FILES)


@pytest.mark.parametrize("finding", PLANNERS.values(), ids=PLANNERS)
def test_what_is_recorded_names_what_ships(finding: Finding) -> None:
    assert list(finding["variants"]) == list(VARIANTS)
    assert finding["nearest"] in VARIANTS
    assert set(finding["ghosts"]) <= {trace.name for trace in shipped()}


@pytest.mark.parametrize("library", RECORDED)
def test_a_fenced_planner_does_what_the_fenced_design_does_wherever_it_can_be_driven(library: str) -> None:
    fenced = RECORDED[library]["fenced"]
    counts = fenced["variants"]["fenced"]
    assert counts["differs"] == {} and counts["agreed"] == counts["driven"] > 300
    assert (fenced["ghosts"], fenced["shortest"]) == ([], {})


@pytest.mark.parametrize("library", RECORDED)
def test_a_planner_without_a_fence_writes_a_ghost(library: str) -> None:
    assert set(RECORDED[library]["planner"]["shortest"]) & {"no-ghost", "effect-matches-record"}


@pytest.mark.parametrize("library", RECORDED)
def test_the_fence_is_as_many_lines_as_recorded(library: str) -> None:
    assert fence_of(library) == RECORDED[library]["fence"]


def test_what_is_not_as_recorded_is_told_by_its_place() -> None:
    found = deepcopy(RECORDED)
    found["dbos"]["fenced"]["variants"]["wait"]["agreed"] = 0
    before = RECORDED["dbos"]["fenced"]["variants"]["wait"]["agreed"]
    assert differences(RECORDED, found) == [f"dbos.fenced.variants.wait.agreed: recorded {before}, found 0"]
    assert differences(RECORDED, deepcopy(RECORDED)) == []


def test_the_table_has_a_row_for_each_planner() -> None:
    lines = table(RECORDED).splitlines()
    assert len(lines) == 2 + len(PLANNERS)
    assert len({len(line) for line in lines}) == 1
    fence = RECORDED["dramatiq"]["fence"]
    assert f"+{fence['added']} -{fence['removed']}" in lines[5]


@pytest.mark.parametrize(("name", "differs"), [("fenced", {}), ("replay-no-key", {"none": 2})])
def test_transitions_that_an_implementation_takes_otherwise_are_counted(name: str, differs: dict[str, int]) -> None:
    adapter = OnlyWhatGoesWell()
    found = agreement(VARIANTS[name].model, adapter)
    assert found.differs == differs
    assert found.agreed + sum(differs.values()) <= found.driven < found.whole
    assert (found.agreed == found.driven) is (not differs)


def test_only_what_can_be_driven_is_driven() -> None:
    class Idle(OnlyWhatGoesWell):
        def has_counterpart(self, action: str, state: Mapping[str, object]) -> bool:
            return action == "dispatch"

    found = agreement(Planner, Idle())
    assert (found.agreed, found.driven, found.whole) == (1, 1, 375)


def test_the_page_shows_what_is_recorded() -> None:
    page = (FOLDER.parent.parent / "docs/libraries.md").read_text()
    assert table(RECORDED) in page
    for library in RECORDED:
        assert "```diff\n" + "\n".join(fence_diff(library)) + "\n```" in page
