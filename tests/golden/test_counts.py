"""Published and independently computed state spaces, met exactly."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from fenceproof.checker import check
from fenceproof.checker.targets import construct, find
from fenceproof.checker.verdict import Verdict

ROOT = Path(__file__).parent.parent.parent
FILES = {
    "fence": ROOT / "benchmarks/models/fence.py",
    "two_phase": ROOT / "benchmarks/models/two_phase.py",
    "lease": ROOT / "docs/examples/lease.py",
}


def _cases() -> list[Any]:
    document = tomllib.loads((Path(__file__).parent / "counts.toml").read_text())
    cases: list[Any] = []
    for name, rows in document.items():
        for row in rows:
            label = f"{row['model']}-{'-'.join(f'{k}{v}' for k, v in row['parameters'].items())}"
            marks = [pytest.mark.slow] if row.get("slow") else []
            cases.append(pytest.param(FILES[name], row, id=label, marks=marks))
    return cases


@pytest.mark.parametrize(("path", "row"), _cases())
def test_the_state_space_is_the_known_one(path: Path, row: dict[str, Any]) -> None:
    model = construct(find(f"{path}:{row['model']}").model, row["parameters"])
    result = check(model)
    assert [result.distinct, result.generated, result.depth] == row["counts"]
    assert result.complete
    fallen = {p.name: len(p.trace) for p in result.properties if p.trace is not None}
    assert fallen == row.get("falls", {})
    held = {p.name for p in result.properties if p.verdict is Verdict.HOLDS}
    assert held == {p.name for p in result.properties} - set(fallen)
