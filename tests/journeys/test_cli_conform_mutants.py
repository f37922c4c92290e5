"""`fenceproof conform --mutants`: mistakes in the reference, and which of them the tests catch."""

from __future__ import annotations

import re

import pytest
from command import fenceproof
from fenceproof.specs.mutants.catalogue import MUTANTS


@pytest.mark.slow
def test_every_mistake_is_caught_by_the_tests_and_by_random_walks_or_explained() -> None:
    ran = fenceproof("conform", "fenced", "--against", "memory", "--mutants", "--random", "300")
    equivalent = [mutant for mutant in MUTANTS if mutant.equivalent]
    killed = len(MUTANTS) - len(equivalent)
    said = f"{killed} of {len(MUTANTS)} mutants caught ({killed} by the tests, {killed} by random walks)"
    assert ran.code == 0 and said in ran.out, ran.out
    assert ran.out.endswith(f"; {len(equivalent)} equivalent; 0 survived unexplained\n")
    for mutant in equivalent:
        assert f"{mutant.name} survives: {mutant.equivalent[:20]}" in ran.out


def test_with_too_few_faults_mistakes_survive_and_that_is_no_success() -> None:
    ran = fenceproof("conform", "fenced", "--against", "memory", "--mutants", "--faults", "none", "--quiet")
    assert ran.code == 1
    found = re.fullmatch(r"(\d+) of 45 mutants caught .*; (\d+) survived unexplained\n", ran.out)
    assert found is not None and int(found[1]) > 10 and int(found[2]) > 10, ran.out


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["--against", "sqlite"], "the mutants are of the reference in memory"),
        (["--against", "memory", "--depth", "3"], "--mutants and --depth do not go together"),
    ],
)
def test_mutants_of_anything_else_are_refused(more: list[str], words: str) -> None:
    ran = fenceproof("conform", "fenced", "--mutants", *more)
    assert (ran.code, words in ran.message) == (2, True), ran
