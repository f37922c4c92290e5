"""The part of a certificate that is of numbers without bounds: what is changed in it is refused, as in the other."""

from __future__ import annotations

import pytest
from certificates import QUEUE, QUEUE_INVARIANT, QUEUE_NAMES, gate, outcome, with_invariant
from fenceproof.checker.certificate.asking import Said, ask_solvers
from fenceproof.checker.certificate.document import Proved, certificate
from fenceproof.checker.certificate.recheck import SIGNATURE
from fenceproof.checker.certificate.solvers import SOLVERS
from fenceproof.checker.engines.unbounded import check
from fenceproof.model.system import TransitionSystem
from mutations import Place, mutations


@pytest.fixture
def system() -> TransitionSystem:
    return gate(QUEUE)


@pytest.mark.parametrize("solver", ["z3", "cvc5"])
def test_an_invariant_of_every_number_is_accepted_by_solvers_of_integers(system: TransitionSystem, solver: str) -> None:
    document = with_invariant(system, QUEUE_INVARIANT, QUEUE_NAMES)
    assert outcome(document, system, solver) == "accepted"
    assert outcome(document, None, solver) == "accepted"


def test_a_solver_without_integers_says_so_and_refuses_nothing(system: TransitionSystem) -> None:
    assert outcome(with_invariant(system, QUEUE_INVARIANT, QUEUE_NAMES), system, "bitwuzla") == Said.UNREAD


@pytest.mark.parametrize("solver", ["z3", "cvc5"])
@pytest.mark.parametrize(
    "invariant",
    [
        (),
        ("(not (n in waiting) or (n < last))",),
        ("(not (n in waiting) or (last <= n))",),
        ("(not (n in waiting) or closed)",),
        ("not (n in waiting)",),
        (*QUEUE_INVARIANT, "(last < 5)"),
        (*QUEUE_INVARIANT, "not closed"),
        (*QUEUE_INVARIANT, "False"),
    ],
    ids=str,
)
def test_an_invariant_that_proves_nothing_is_refused_by_solvers(
    system: TransitionSystem, solver: str, invariant: tuple[str, ...]
) -> None:
    assert outcome(with_invariant(system, invariant, QUEUE_NAMES), system, solver) == "refused"


@pytest.mark.parametrize("resigned", [True, False], ids=["digest made right", "digest as it was"])
def test_every_mutation_of_every_field_is_refused_against_the_model(system: TransitionSystem, resigned: bool) -> None:
    found = {"malformed": 0, "refused": 0}
    fields: set[str | int] = set()
    document = with_invariant(system, QUEUE_INVARIANT, QUEUE_NAMES)
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
    accepted: set[Place] = set()
    refused = 0
    for place, _, changed in mutations(with_invariant(system, QUEUE_INVARIANT, QUEUE_NAMES), resigned=True):
        if outcome(changed, None) in ("malformed", "refused"):
            refused += 1
        else:
            accepted.add(place[-1:])
    # How the model was called.
    assert accepted == {("target",)}
    assert refused > 800


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("self.last += 1", "self.last += 2"),
        ("number > self.last", "number > self.last + 1"),
        ("self.closed = True", "self.closed = not self.closed"),
        ("require(number in self.waiting)", "require(number not in self.waiting)"),
        ("step.after.last >= step.before.last", "step.after.last > step.before.last"),
        ("Natural(1)", "Natural(2)"),
    ],
)
def test_another_model_is_refused(system: TransitionSystem, old: str, new: str) -> None:
    document = with_invariant(system, QUEUE_INVARIANT, QUEUE_NAMES)
    assert old in QUEUE
    assert outcome(document, gate(QUEUE.replace(old, new), "other.py")) == "refused"


def test_what_the_engine_finds_is_accepted(system: TransitionSystem) -> None:
    proofs = [p.proof for p in check(system, properties=["drawn", "never_back"]).properties if p.proof is not None]
    conjuncts = [conjunct for proof in proofs for conjunct in (*proof.invariant, *proof.unerring)]
    _, wanted = certificate("queue", [Proved(system, ["drawn", "never_back"], conjuncts)])
    (answers,) = ask_solvers([SOLVERS["z3"], SOLVERS["cvc5"]], wanted, 60.0)
    assert [answer.said for answer in answers] == [Said.ACCEPTED, Said.ACCEPTED]
