"""Certificates that claim something false of the very system that they hold, and follow from it in everything else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from certificates import outcome
from fenceproof.checker.certificate.solvers import READERS, logic_of
from fenceproof.checker.result import Independence
from fenceproof.model.errors import FormatError
from forged import ALWAYS, NOTHING_WRONG, Forged, always, number, numbers, step

#: Called as the counter of a fault is called, which a proof without bounds leaves out.
COUNTER = number("spent again")


def counting(
    nodes: list[list[object]], *steps: Any, holds: int, invariant: Sequence[str] = ("(other == 0)",)
) -> Forged:
    """A system of such a counter and a number, of which something is claimed."""
    return Forged(
        [COUNTER, number("other")],
        [[0, 0]],
        nodes,
        steps,
        [always(holds)],
        invariant=invariant,
        faults={"again": 1},
    )


@pytest.mark.parametrize(
    "forged",
    [
        # It is 0 for ever, though each step adds one.
        counting([["slot", 0], ["const", 1], ["add", 2, 3], ["eq", 2, 1]], step([(0, 4)]), holds=5, invariant=()),
        # Another number takes its value.
        counting(
            [["slot", 0], ["slot", 1], ["const", 1], ["add", 2, 4], ["eq", 3, 1]],
            step([(0, 5), (1, 2)]),
            holds=6,
        ),
        # A step that is no fault's waits until something was spent.
        counting(
            [["slot", 0], ["slot", 1], ["const", 1], ["add", 2, 4], ["lt", 1, 2], ["eq", 3, 1]],
            step([(0, 5)], fault="again"),
            step([(1, 4)], guard=6),
            holds=7,
        ),
        # A fault does.
        counting(
            [["slot", 0], ["slot", 1], ["const", 1], ["add", 2, 4], ["eq", 2, 4], ["eq", 3, 1]],
            step([(0, 5)], fault="again"),
            step([(1, 4)], guard=6, fault="again"),
            holds=7,
        ),
        # It is less than 0 at some time, and then the guard is true.
        counting(
            [["slot", 0], ["slot", 1], ["const", 1], ["const", -1], ["lt", 2, 1], ["eq", 3, 1]],
            step([(0, 5)], fault="again"),
            step([(1, 4)], guard=6, fault="again"),
            holds=7,
        ),
    ],
    ids=["a claim", "an update", "a step", "a fault", "below"],
)
@pytest.mark.parametrize("solver", READERS["QF_UFLIA"])
def test_what_is_called_a_counter_of_faults_is_left_out_only_where_it_is_one(forged: Forged, solver: str) -> None:
    assert outcome(forged.document(), None, solver) == "refused"


def test_a_counter_that_keeps_what_is_no_fault_from_happening_is_not_left_out() -> None:
    nodes = [["slot", 0], ["const", 1], ["lt", 2, 3], ["add", 2, 3], ["truth", 0]]
    stuck = {"name": "no-deadlock", "sort": "deadlock", "meaning": "", "judgements": [[6, NOTHING_WRONG]]}
    steps = [step(guard=4), step([(0, 5)], guard=4, fault="again")]
    forged = Forged([number("spent again", 1)], [[0]], nodes, steps, [stuck, always(ALWAYS)], faults={"again": 1})
    assert outcome(forged.document(), None) == "refused"


def test_the_counter_of_a_fault_is_left_out() -> None:
    nodes = [["slot", 0], ["slot", 1], ["const", 1], ["lt", 2, 4], ["add", 2, 4], ["eq", 3, 1]]
    steps = [step([(0, 6)], guard=5, fault="again"), step(name="stay()")]
    forged = Forged(
        [number("spent again", 1), number("other")], [[0, 0]], nodes, steps, [always(7)], faults={"again": 1}
    )
    assert "s0" not in forged.document()["parts"][0]["obligations"][1]["script"]


@pytest.mark.parametrize("element", [-1, 61, 62, 2**40, 2**62])
def test_a_set_to_which_a_large_number_is_added_is_no_large_number(element: int) -> None:
    nodes = [["const", element], ["store", 1, 2, 0], ["slot", 0], ["select", 4, 2]]
    forged = Forged([numbers("all")], [[0]], nodes, [step([(0, 3)])], [always(5)])
    assert outcome(forged.document(), None) == "refused"


def test_a_product_is_no_set_however_large_it_may_become() -> None:
    nodes = [["slot", 0], ["const", 2**56], ["mul", 2, 3], ["lt", 4, 2], ["not", 5], ["const", 1], ["add", 2, 7]]
    forged = Forged([number("last")], [[0]], nodes, [step([(0, 8)])], [always(6)])
    assert outcome(forged.document(), None) == "accepted"
    below = Forged([number("last")], [[0]], nodes[:4], [step([(0, 4)])], [always(5)])
    assert outcome(below.document(), None) == "refused"


@pytest.mark.parametrize("logic", ["QF_LRA", "NONE"])
@pytest.mark.parametrize("is_wide", [True, False])
def test_a_logic_in_a_name_is_not_that_of_the_script(logic: str, is_wide: bool) -> None:
    slots = [number("last", None if is_wide else 3)]
    nodes = [["slot", 0], ["eq", 2, 1]]
    name = f"(set-logic {logic})"
    forged = Forged(slots, [[0]], nodes, [step(name=f"go({name})")], [always(3, name)], is_wide=is_wide)
    document = forged.document()
    assert {logic_of(o["script"]) for o in document["parts"][0]["obligations"]} == {document["parts"][0]["logic"]}
    # What never changes is a constant there, and here it takes an invariant.
    assert outcome(document, None) == ("accepted" if is_wide else "refused")


@pytest.mark.parametrize("text", ["two\nlines", "\x1b[1A", "right\u202eleft", "", " "])
def test_a_name_that_cannot_be_printed_in_a_line_is_none(text: str) -> None:
    def made(**others: Any) -> Forged:
        given: dict[str, Any] = {"steps": [step()], "properties": [always(ALWAYS)], **others}
        return Forged([number("last")], [[0]], [["slot", 0], ["eq", 2, 1], ["or", 0, 3]], **given)

    assert outcome(made(properties=[always(4)]).document(), None) == "accepted"
    inside: list[dict[str, Any]] = [
        {"steps": [step(name=text)]},
        {"steps": [step(fault=text)]},
        {"properties": [always(4, text)]},
    ]
    for others in inside:
        with pytest.raises(FormatError, match="cannot be written in a line"):
            made(**{"properties": [always(4)], **others}).document()
    outside: list[dict[str, Any]] = [
        {"target": text},
        {"model": text},
        {"parameters": {text: 1}},
        {"faults": {text: 1}},
    ]
    for others in outside:
        assert outcome(made(properties=[always(4)], **others).document(), None) == "malformed"


@pytest.mark.parametrize(
    "independence",
    [
        Independence("calls", 1, ()),
        Independence("calls", 1, (2, 2)),
        Independence("calls", 1, (3, 2)),
        Independence("calls", 1, (1, 2)),
        Independence("calls", 0, (2, 3)),
        Independence("calls", -1, (2, 3)),
        Independence("epochs", 1, (2, 3)),
        Independence("others", 1, (2, 3)),
        Independence("calls share nothing: compared again with 2 and 3 calls", 1, (2, 3)),
    ],
    ids=str,
)
def test_copies_that_nobody_can_have_compared_are_refused_where_nobody_compares(independence: Independence) -> None:
    def made(shown: Independence) -> Any:
        parameters = {"calls": 1, "epochs": 3}
        nodes = [["slot", 0], ["eq", 2, 1]]
        return Forged(
            [number("last")], [[0]], nodes, [step()], [always(3)], parameters=parameters, independence=shown
        ).document()

    assert outcome(made(Independence("calls", 1, (2, 3))), None) == "accepted"
    assert outcome(made(independence), None) == "refused"


def test_an_outcome_of_a_step_is_not_taken_for_that_of_another() -> None:
    nodes = [["const", 1], ["outcome", 2], ["eq", 3, 1]]
    claim = {"name": "claimed", "sort": "step property", "meaning": "", "judgements": [[4, NOTHING_WRONG]] * 2}
    forged = Forged([number("last")], [[0]], nodes, [step(), step(name="other()", outcome=2)], [claim])
    assert outcome(forged.document(), None) == "refused"
