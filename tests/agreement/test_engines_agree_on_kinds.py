"""Every engine against every other on random models of every kind: records, queues, negative numbers, `choose`, …"""

from __future__ import annotations

import pytest
from fenceproof.checker.agreement import merged
from fenceproof.checker.engines import ENGINES
from fenceproof.checker.limits import Limits
from fenceproof.checker.verdict import Verdict
from fenceproof.model.errors import ModelError
from fenceproof.model.lift import lift
from random_kinds import random_kinds

#: Models that cannot be lifted, since no state is left to begin in, are drawn now and then.
LEAST_LIFTED = 0.9


def compared(seeds: range) -> set[Verdict]:
    """The verdicts that were seen. DisagreementError where two engines contradict each other."""
    seen = set[Verdict]()
    lifted = 0
    for seed in seeds:
        try:
            system = lift(random_kinds(seed))
        except ModelError:
            continue
        lifted += 1
        results = [check(system, limits=Limits(depth=5, max_states=20_000)) for check in ENGINES.values()]
        seen |= {p.verdict for p in merged("all", results).properties}
    assert lifted >= LEAST_LIFTED * len(seeds)
    return seen


@pytest.mark.slow
def test_the_engines_agree_on_random_models_of_every_kind() -> None:
    assert compared(range(40)) >= {Verdict.PROVED, Verdict.VIOLATED, Verdict.VACUOUS}


@pytest.mark.long
@pytest.mark.parametrize("group", range(30))
def test_the_engines_agree_on_more_random_models_of_every_kind(group: int) -> None:
    compared(range(100 * group, 100 * (group + 1)))
