"""BTOR2 exports in BtorMC, behind the format's reference reader: the same bad states, after the same steps."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

import pytest
from btormc import Checker
from exported import SMALL, asked, depths_of_variant, system_of, truth_of
from fenceproof.checker.export import export
from fenceproof.checker.smtlib import mangled
from fenceproof.specs.variants import VARIANTS


@contextmanager
def read(name: str, properties: list[str] | None = None) -> Generator[Checker]:
    checker = Checker(export(name, system_of(name), "btor2", properties))
    try:
        yield checker
    finally:
        checker.close()


@pytest.mark.parametrize("name", SMALL)
def test_btormc_reaches_what_the_engine_does_and_not_a_step_sooner(name: str) -> None:
    truth = truth_of(name)
    with read(name) as checker:
        assert checker.bads == [mangled(prop) for prop in asked(name)]
        falls = {prop: depth for prop, depth in truth.falls.items() if prop in asked(name)}
        # One step more than there is anything new after: what was not reached by then never is.
        assert checker.reached(truth.depth + 2) == {mangled(prop): depth for prop, depth in falls.items()}


def test_the_reader_refuses_what_is_no_btor2() -> None:
    text = export("counter", system_of("counter"), "btor2")
    with pytest.raises(ValueError, match="line"):
        Checker(text + "1 sort bitvec 1\n")


@pytest.mark.parametrize("variant", ["fenced", "last-writer"])
def test_a_variant_reaches_the_same_within_a_few_steps(variant: str) -> None:
    check_variant(variant, 4)


@pytest.mark.slow
@pytest.mark.parametrize("variant", VARIANTS)
def test_a_variant_reaches_the_same(variant: str) -> None:
    check_variant(variant, 9)


def check_variant(variant: str, most: int) -> None:
    name = f"variant {variant}"
    falls = {mangled(prop): depth for prop, depth in depths_of_variant(name).items() if depth <= most}
    with read(name) as checker:
        assert checker.reached(most) == falls
