"""Corrupted certificates are refused, whatever was changed and although the digest was made right again."""

from __future__ import annotations

import itertools

import pytest
from certificates import GATE, INVARIANT, NAMES, gate, outcome, with_invariant
from fenceproof.checker.certificate.document import digest
from fenceproof.checker.certificate.recheck import SIGNATURE
from fenceproof.checker.certificate.solvers import SOLVERS
from fenceproof.model.system import TransitionSystem
from mutations import Place, mutations


@pytest.fixture
def system() -> TransitionSystem:
    return gate()


@pytest.mark.parametrize("resigned", [True, False], ids=["digest made right", "digest as it was"])
def test_every_mutation_of_every_field_is_refused_against_the_model(system: TransitionSystem, resigned: bool) -> None:
    document = with_invariant(system, INVARIANT)
    assert outcome(document, system) == "accepted"
    found = {"malformed": 0, "refused": 0}
    fields: set[str | int] = set()
    for place, other, changed in mutations(document, resigned=resigned):
        came = outcome(changed, system)
        if came == "accepted" and place == ("target",):
            continue  # how the user called the model, which is held against the one that is named
        assert came in found, (place, other)
        found[came] += 1
        fields.add(place[0])
    assert fields == set(document) - (SIGNATURE if resigned else set())
    assert min(found.values()) > 200, found


def test_every_mutation_is_refused_where_the_certificate_itself_is_all_there_is(system: TransitionSystem) -> None:
    document = with_invariant(system, INVARIANT)
    assert outcome(document, None) == "accepted"
    accepted: set[Place] = set()
    refused = 0
    for place, _, changed in mutations(document, resigned=True):
        if outcome(changed, None) in ("malformed", "refused"):
            refused += 1
        else:
            accepted.add(place[-1:])
    # How the model was called, whether a parameter was a number or its text, and an outcome that no property reads.
    assert accepted == {("target",), ("epochs",), ("outcome",)}
    assert refused > 1000


#: Invariants that prove less than is claimed, or nothing: a conjunct left out first, and then others put in its place.
WRONG = (
    *(INVARIANT[:n] + INVARIANT[n + 1 :] for n in range(3)),
    (),
    ("(sent < fence)", *INVARIANT[1:]),
    ("(fence <= sent)", *INVARIANT[1:]),
    ("(fence < sent)", *INVARIANT[1:]),
    ("(sent != fence)", *INVARIANT[1:]),
    ("(sent == fence)", *INVARIANT[1:]),
    (INVARIANT[0], "(done < sent)", INVARIANT[2]),
    (INVARIANT[0], "(sent <= done)", INVARIANT[2]),
    (INVARIANT[0], "(done <= (sent + 1))", INVARIANT[2]),
    (*INVARIANT[:2], "(not closed and (0 < done))"),
    (*INVARIANT[:2], "(closed or (0 < done))"),
    (*INVARIANT[:2], "(not closed or (1 < done))"),
    (*INVARIANT[:2], "(not closed or (-1 < done))"),
    (*INVARIANT[:2], "(not closed or (done <= 0))"),
    (*INVARIANT[:2], "not closed"),
    (*INVARIANT, "False"),
    (*INVARIANT, "(fence == 1)"),
    (*INVARIANT, "(spent reopen < 1)"),
)
#: The first ones are put to every solver, and the others to each in turn.
ASKED = [
    *((solver, invariant) for solver in SOLVERS for invariant in WRONG[:4]),
    *zip(itertools.cycle(SOLVERS), WRONG[4:], strict=False),
]


@pytest.mark.parametrize(("solver", "invariant"), ASKED, ids=str)
def test_another_invariant_with_its_own_obligations_is_refused_by_solvers(
    system: TransitionSystem, solver: str, invariant: tuple[str, ...]
) -> None:
    assert outcome(with_invariant(system, invariant), system, solver) == "refused"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("self.sent < self.fence)", "self.sent <= self.fence)"),
        ("self.done = self.sent", "self.done = self.fence"),
        ("budget=1", "budget=2"),
        ("self.done <= self.fence", "self.done < self.fence"),
        ("self.done > 0", "self.done > 1"),
        ("    @quiescent\n", "    @invariant\n"),
        ("step.after.fence >= step.before.fence", "step.after.fence > step.before.fence"),
        ("self.fence == self.epochs and self.closed", "self.closed"),
        ("Range(0, epochs)\n        self.closed", "Range(0, epochs, start=1)\n        self.closed"),
        ('"late" if', '"later" if'),
    ],
)
def test_another_model_is_refused_though_it_is_as_well_proved(system: TransitionSystem, old: str, new: str) -> None:
    assert old in GATE
    other = gate(GATE.replace(old, new))
    assert outcome(with_invariant(system, INVARIANT), other) == "refused"
    assert outcome(with_invariant(other, INVARIANT), system) == "refused"


def test_the_order_of_keys_and_white_space_are_no_corruption(system: TransitionSystem) -> None:
    document = with_invariant(system, INVARIANT)
    assert outcome(dict(reversed(document.items())), system) == "accepted"


def test_fewer_properties_are_another_claim_and_not_a_wrong_one(system: TransitionSystem) -> None:
    assert outcome(with_invariant(system, INVARIANT, NAMES[:2]), system) == "accepted"


@pytest.mark.parametrize("is_trusted", [True, False])
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("(set-logic QF_BV)", "(exit)\n(set-logic QF_BV)"),
        ("(check-sat)", "(reset)\n(set-logic QF_BV)\n(assert false)\n(check-sat)"),
        ("(check-sat)", "(assert false)\n(check-sat)"),
        ("(check-sat)", "(check-sat)\n(check-sat)"),
        ("(set-logic QF_BV)", "(set-logic QF_BV)\n(push 1)\n(assert false)\n(check-sat)\n(pop 1)"),
        ("(set-logic QF_BV)", "(set-option :timeout 1)\n(set-logic QF_BV)"),
        ("(set-logic QF_BV)", '(echo "unsat")\n(set-logic QF_BV)'),
        ("(set-logic QF_BV)", "(set-logic QF_LIA)"),
    ],
)
def test_a_script_that_asks_something_else_is_refused(
    system: TransitionSystem, old: str, new: str, is_trusted: bool
) -> None:
    document = with_invariant(system, INVARIANT)
    script = document["parts"][0]["obligations"][0]["script"]
    assert old in script
    document["parts"][0]["obligations"][0]["script"] = script.replace(old, new)
    document["digest"] = digest(document)
    assert outcome(document, None if is_trusted else system) == "refused"
