"""Proving by k-induction from the command line: what the argument fails on, the lemma, and then the proof."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from command import Ran, fenceproof

MODELS = Path(__file__).parents[1] / "toys" / "parity.py"


def prove(model: str, *options: str) -> Ran:
    return fenceproof("check", f"{MODELS}:{model}", "--engine", "kinduction", "--depth", "3", *options)


def properties(result: Ran) -> dict[str, Any]:
    return {p["name"]: p for p in json.loads(result.out)["properties"]}


def test_without_a_lemma_the_counterexample_to_induction_is_shown_as_unreachable() -> None:
    result = prove("Parity", "--no-lemmas")
    assert result.code == 3
    text = " ".join(result.out.split())
    assert "never-seven is not proved" in text
    assert "from a state that is unreachable, so this is no bug: all 8 reachable states were visited" in text


def test_with_the_authors_lemma_it_is_proved() -> None:
    result = prove("Helped", "--no-lemmas", "--json")
    assert result.code == 0
    found = properties(result)
    assert [found[name]["verdict"] for name in ("never-seven", "even")] == ["proved", "proved"]
    assert found["never-seven"]["proof"]["k"] == 1
    assert found["never-seven"]["invariant"] == ["(n % 2) == 0"]
    assert "Proved with: even." in json.loads(result.out)["claim"]


def test_the_authors_lemma_helps_where_it_is_not_asked_for() -> None:
    assert prove("Helped", "--no-lemmas", "--property", "never-seven", "--quiet").code == 0


def test_the_lemma_is_suggested_and_then_found() -> None:
    missing = prove("Together", "--no-lemmas", "--json")
    assert missing.code == 3
    cti = properties(missing)["same-at-seven"]["cti"]
    assert (cti["reach"], cti["lemma"]) == ("unreachable", "one == other")
    assert len(cti["trace"]["steps"]) == 3
    found = prove("Together", "--json")
    assert found.code == 0
    assert properties(found)["same-at-seven"]["invariant"] == ["one == other"]
    assert "Proved with: 1 clause (--json lists all)." in json.loads(found.out)["claim"]


@pytest.mark.parametrize("options", [(), ("--no-lemmas",)])
def test_a_false_lemma_is_violated_and_proves_nothing(options: tuple[str, ...]) -> None:
    result = prove("Misled", "--json", *options)
    assert result.code == 1
    found = properties(result)
    assert (found["small"]["verdict"], len(found["small"]["trace"]["steps"])) == ("violated", 3)
    assert found["never-seven"]["verdict"] == "holds up to 3"


def test_the_explicit_engine_checks_a_lemma_as_any_invariant() -> None:
    assert fenceproof("check", f"{MODELS}:Helped", "--quiet").code == 0
    result = fenceproof("check", f"{MODELS}:Misled", "--quiet")
    assert result.code == 1
    assert "small (3 steps)" in result.out


def test_no_lemmas_is_refused_for_another_engine() -> None:
    result = fenceproof("check", str(MODELS) + ":Parity", "--no-lemmas")
    assert result.code == 2
    assert "--no-lemmas is about --engine kinduction only" in result.err


def test_the_fenced_planner_is_proved_but_for_liveness() -> None:
    result = fenceproof("check", "fenced", "--engine", "kinduction", "--json")
    assert result.code == 3
    found = properties(result)
    assert found.pop("settles")["verdict"] == "inconclusive"
    assert {p["verdict"] for p in found.values()} == {"proved"}
    assert json.loads(result.out)["stopped"] == "k-induction does not judge liveness; use --engine explicit"
