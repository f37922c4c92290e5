"""Certificates that say that copies share nothing: what is changed in them is refused, and what they share is seen."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from certificates import gate, outcome, with_invariant
from fenceproof.checker.certificate.recheck import SIGNATURE
from fenceproof.checker.commands.recheck import command
from fenceproof.checker.result import Independence
from fenceproof.model.errors import FenceproofError
from fenceproof.model.system import TransitionSystem
from mutations import Place, mutations

LAMPS = """
from fenceproof.model import Array, Bool, Model, Natural, Range, Step, action, count, fault, forall, invariant, require
from fenceproof.model import step_property


class Lamps(Model):
    def __init__(self, lamps: int = 1) -> None:
        self.lamps = lamps
        self.lit = Array(lamps, Bool())
        self.used = Array(lamps, Range(0, 2))

    @action(lamp="lamps")
    def switch_on(self, lamp: int) -> None:
        self.lit[lamp] = True

    @fault("burn", budget=1, per="lamp")
    @action(lamp="lamps")
    def burn_out(self, lamp: int) -> None:
        require(self.lit[lamp] and self.used[lamp] < 1)
        self.used[lamp] += 1
        self.lit[lamp] = False

    @invariant
    def one_spare(self) -> bool:
        return forall(range(self.lamps), lambda lamp: self.used[lamp] <= 1)

    @step_property
    def never_fewer(self, step: Step) -> bool:
        return step.after.used[step.args["lamp"]] >= step.before.used[step.args["lamp"]]

    @invariant
    def one_spare_for_all(self) -> bool:
        return count(range(self.lamps), lambda lamp: self.used[lamp] > 0) <= 1
"""
ENDLESS = LAMPS.replace("Range(0, 2)", "Natural()")
NAMES = ("one_spare", "never_fewer")
SHOWN = Independence("lamps", 1, (2, 3))
#: Names as they were, so that nothing but what is shared tells the models apart.
SHARED = {
    "a budget": (', per="lamp"', ""),
    "a guard": ("self.lit[lamp] = True", "require(not self.lit[0] or lamp == 0)\n        self.lit[lamp] = True"),
    "a step": ("self.lit[lamp] = False", "self.lit[self.lamps - 1] = False"),
    "three": ("require(self.lit[lamp] and", "require(self.lamps < 3 and self.lit[lamp] and"),
}


def certificate(
    system: TransitionSystem, shown: Independence | None = SHOWN, names: tuple[str, ...] = NAMES
) -> dict[str, Any]:
    """A certificate of one lamp that is right but perhaps in what it says of more."""
    made: dict[str, Any] = with_invariant(system, ("(used[0] <= 1)",), names, shown=shown, target="lamps.py")
    return made


def rechecked(document: dict[str, Any]) -> str:
    """What the command says of a certificate that is held against lamps.py."""
    Path("cert.json").write_text(json.dumps(document))
    assert command.callback is not None
    try:
        code = command.callback(Path("cert.json"), "lamps.py", ("z3",), 60.0, False)
    except FenceproofError as error:
        return str(error)
    return "accepted" if code == 0 else f"exit {code}"


@pytest.mark.parametrize(
    ("text", "resigned"),
    [(LAMPS, True), (ENDLESS, True), (LAMPS, False)],
    ids=["bounded", "endless", "digest as it was"],
)
def test_every_mutation_of_every_field_is_refused_against_the_model(text: str, resigned: bool) -> None:
    system = gate(text, "lamps.py")
    document = certificate(system)
    assert outcome(document, system) == "accepted"
    found = {"malformed": 0, "refused": 0}
    fields: set[str | int] = set()
    changed_copies = 0
    for place, other, changed in mutations(document, resigned=resigned):
        came = outcome(changed, system)
        if came == "accepted" and place == ("target",):
            continue  # how the user called the model, which is held against the one that is named
        if came == "accepted" and place[-2:] == ("independence", "copies"):
            # Of how many it was asked, where it is said of any number: looked at when copies are compared again.
            came = "refused" if ": refused: " in rechecked(changed) else came
        assert came in found, (place, other)
        found[came] += 1
        fields.add(place[0])
        changed_copies += "independence" in place
    assert fields == set(document) - (SIGNATURE if resigned else set())
    assert min(found.values()) > 200, found
    assert changed_copies > 30


@pytest.mark.parametrize("text", [LAMPS, ENDLESS], ids=["bounded", "endless"])
def test_every_mutation_is_refused_where_the_certificate_itself_is_all_there_is(text: str) -> None:
    accepted: set[Place] = set()
    refused = 0
    for place, _, changed in mutations(certificate(gate(text, "lamps.py")), resigned=True):
        if outcome(changed, None) in ("malformed", "refused"):
            refused += 1
        else:
            accepted.add(place[-1:])
    # How the model was called, and of how many copies it was asked; and what no claim here depends on: which steps are
    # faults, and that a lamp goes out.
    assert accepted == {("target",), ("copies",)} | ({("fault",), ("updates",)} if text == LAMPS else set())
    assert refused > 500


@pytest.mark.parametrize("text", [LAMPS, ENDLESS], ids=["bounded", "endless"])
@pytest.mark.parametrize(
    ("shown", "is_right"),
    [
        (SHOWN, True),
        (None, True),
        # Then every property is compared, and one is of all copies.
        (Independence("lamps", 2, (2, 3)), False),
        (Independence("lamps", 1, (2,)), False),
        (Independence("lamps", 1, (2, 3, 4)), False),
        (Independence("lamps", 2, (2,)), False),
        (Independence("lamps", 2, (2, 4)), False),
        (Independence("lamps", 0, (2, 3)), False),
        (Independence("lamps", 10**15, (2, 3)), False),
        (Independence("lit", 1, (2, 3)), False),
    ],
    ids=str,
)
def test_what_is_said_of_copies_is_what_is_shown_of_them_again(
    text: str, shown: Independence | None, is_right: bool
) -> None:
    came = rechecked(certificate(gate(text, "lamps.py"), shown))
    assert (came == "accepted") is is_right, came
    assert is_right or ": refused: " in came


@pytest.mark.parametrize("text", [LAMPS, ENDLESS], ids=["bounded", "endless"])
@pytest.mark.parametrize("shared", SHARED)
def test_copies_that_share_something_are_not_said_to_share_nothing(text: str, shared: str) -> None:
    old, new = SHARED[shared]
    assert old in text
    system = gate(text.replace(old, new), "lamps.py")
    assert rechecked(certificate(system, None)) == "accepted"
    for copies in (1, 2):
        came = rechecked(certificate(system, Independence("lamps", copies, (2, 3))))
        assert "refused: it was not shown that lamps share nothing" in came


@pytest.mark.parametrize("text", [LAMPS, ENDLESS], ids=["bounded", "endless"])
def test_a_property_of_one_copy_that_compares_several_is_not_one_of_any_number(text: str) -> None:
    system = gate(text, "lamps.py")
    names = (*NAMES, "one_spare_for_all")
    assert rechecked(certificate(system, None, names)) == "accepted"
    assert "refused: it was not shown that lamps share nothing" in rechecked(certificate(system, SHOWN, names))
