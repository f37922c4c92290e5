"""SMT-LIB exports in cvc5 and Bitwuzla: what falls, and not a step sooner, is what the explicit engine says."""

from __future__ import annotations

import pytest
from asking import bitwuzla, cvc5
from exported import SMALL, TOYS, asked, depths_of_variant, system_of, truth_of
from fenceproof.checker.export import export
from fenceproof.checker.smtlib import mangled
from fenceproof.specs.variants import VARIANTS


def said_by_cvc5(name: str, depth: int) -> dict[str, str]:
    """Its answer about each property, in the order of the export."""
    lines = cvc5(export(name, system_of(name), "smtlib", depth=depth))
    return dict(zip(lines[::2], lines[1::2], strict=True)) if len(lines) > 1 else {mangled(asked(name)[0]): lines[0]}


def expected(names: list[str], falls: dict[str, int], depth: int) -> dict[str, str]:
    return {mangled(n): "sat" if n in falls and falls[n] <= depth else "unsat" for n in names}


def interesting(falls: dict[str, int], most: int) -> list[int]:
    """Each number of steps at which a property falls, the one before it, and the last at which there is anything."""
    return sorted({most, *falls.values(), *(depth - 1 for depth in falls.values() if depth)})


@pytest.mark.parametrize("name", SMALL)
def test_cvc5_says_of_each_number_of_steps_what_the_engine_does(name: str) -> None:
    truth = truth_of(name)
    # Of quotients cvc5 needs a minute to say that there are none in more steps.
    most = 1 if name == "sums" else min(truth.depth + 1, 20)
    for depth in (k for k in interesting(truth.falls, most) if k <= most):
        assert said_by_cvc5(name, depth) == expected(asked(name), truth.falls, depth), depth


@pytest.mark.parametrize("name", TOYS)
def test_bitwuzla_says_of_one_property_what_the_engine_does(name: str) -> None:
    truth = truth_of(name)
    for prop in asked(name):
        falls = {prop: truth.falls[prop]} if prop in truth.falls else {}
        for depth in interesting(falls, min(truth.depth + 1, 20)):
            answer = bitwuzla(export(name, system_of(name), "smtlib", [prop], depth))
            assert answer == expected([prop], falls, depth)[mangled(prop)], (prop, depth)


@pytest.mark.slow
@pytest.mark.parametrize("variant", VARIANTS)
def test_a_variant_falls_after_the_same_steps(variant: str) -> None:
    name = f"variant {variant}"
    falls = depths_of_variant(name)
    for depth in (max(falls.values(), default=6), min(falls.values(), default=1) - 1 or 1):
        for prop in asked(name):
            answer = bitwuzla(export(name, system_of(name), "smtlib", [prop], depth))
            assert answer == expected([prop], falls, depth)[mangled(prop)], (prop, depth)
