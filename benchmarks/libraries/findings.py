"""What was found out about the planners, in short: a table to read, and the same as data to hold against what is
recorded. Needs none of the libraries."""

from __future__ import annotations

import difflib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, TypedDict, cast

FOLDER: Final = Path(__file__).resolve().parent
EXPECTED: Final = FOLDER / "expected.json"
#: Each library, by how the files of its planners begin.
FILES: Final = {"dbos": "dbos", "dramatiq": "dramatiq", "pydantic-ai": "pydantic_ai"}
VERSIONS: Final = ("planner", "fenced")


class Counts(TypedDict):
    """`Agreement`, as it is written down."""

    agreed: int
    differs: dict[str, int]
    driven: int
    whole: int


class Finding(TypedDict):
    """What is found out about a planner, as `compare.py` prints it."""

    variants: dict[str, Counts]
    nearest: str
    turned: dict[str, Any]
    agreement: Counts
    ghosts: list[str]
    shortest: dict[str, list[str]]


class Fence(TypedDict):
    """How many lines a fence adds to a planner's file and takes away, its docstring left out."""

    added: int
    removed: int


class Library(TypedDict):
    """What is found out about both planners on a library."""

    planner: Finding
    fenced: Finding
    fence: Fence


def fence_diff(library: str) -> list[str]:
    """The lines by which the fenced planner on a library differs, with `+` and `-` before them; blank ones left out."""
    before, after = (_code(FOLDER / f"{FILES[library]}_{version}.py") for version in VERSIONS)
    lines = difflib.unified_diff(before, after, n=0, lineterm="")
    return [line for line in lines if line[0] in "+-" and line[1:].strip() and not line.startswith(("+++", "---"))]


def fence_of(library: str) -> Fence:
    """How large the fence is."""
    lines = fence_diff(library)
    return {"added": sum(line[0] == "+" for line in lines), "removed": sum(line[0] == "-" for line in lines)}


def _code(path: Path) -> list[str]:
    """A planner's lines after its docstring."""
    _, _, code = path.read_text(encoding="utf-8").split('"""', 2)
    return code.splitlines()


def recorded() -> dict[str, Library]:
    """What was found out when it was recorded."""
    found: dict[str, Library] = json.loads(EXPECTED.read_text(encoding="utf-8"))
    return found


def differences(expected: object, found: object, place: str = "") -> list[str]:
    """Where what was found is not what is recorded, each place in a line."""
    if isinstance(expected, dict) and isinstance(found, dict):
        mine, theirs = cast("dict[str, object]", expected), cast("dict[str, object]", found)
        keys = [*mine, *(key for key in theirs if key not in mine)]
        return [
            line
            for key in keys
            for line in differences(mine.get(key), theirs.get(key), f"{place}.{key}" if place else key)
        ]
    return [] if expected == found else [f"{place}: recorded {expected!r}, found {found!r}"]


def table(found: Mapping[str, Library]) -> str:
    """The findings, a planner a row."""
    head = ("library", "planner", "is like", "but for", "driven", "agree", "ghost in traces", "lines of the fence")
    rows: list[tuple[str, ...]] = [head]
    for library, both in found.items():
        rows += [_row(library, "as documented", both["planner"], ""), _row("", "fenced", both["fenced"], _size(both))]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = [
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |" for row in rows
    ]
    lines.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(lines)


def _size(both: Library) -> str:
    return f"+{both['fence']['added']} -{both['fence']['removed']}"


def _row(library: str, planner: str, finding: Finding, fence: str) -> tuple[str, ...]:
    counts = finding["agreement"]
    turned = [f"{knob}={value}" for knob, value in finding["turned"].items()]
    under = [f"{fault} ({times})" for fault, times in counts["differs"].items()]
    return (
        library,
        planner,
        " with ".join([finding["nearest"], *([", ".join(turned)] if turned else [])]),
        ", ".join(under) or "nothing",
        f"{counts['driven']} of {counts['whole']}",
        str(counts["agreed"]),
        f"{len(finding['ghosts'])} of 8",
        fence,
    )
