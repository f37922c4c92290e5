"""What a user expects of a check (`--expect`), and the exit code that follows from what was found."""

from __future__ import annotations

from collections.abc import Sequence

from fenceproof.model.errors import UsageError, nearest
from fenceproof.model.system import TransitionSystem

from .api import property_names
from .result import CheckResult
from .verdict import Verdict, combine


def parse_expectation(text: str | None, system: TransitionSystem, checked: Sequence[str] | None) -> frozenset[str]:
    """The names of the properties that are expected to be violated. Raises UsageError for what is no expectation."""
    if text is None or text == "holds":
        return frozenset()
    word, colon, names = text.partition(":")
    if word != "violated" or not colon or not names:
        raise UsageError(f"--expect {text} says nothing. Write --expect holds or --expect violated:NAME,NAME.")
    known = {name.replace("_", "-"): name for name in checked or property_names(system)}
    found: set[str] = set()
    for name in names.split(","):
        key = name.strip().replace("_", "-")
        if key not in known:
            raise UsageError(nearest(name.strip(), known.values(), "The expected property"))
        found.add(known[key])
    return frozenset(found)


def expectation(expected: frozenset[str]) -> str:
    """What is expected, in the words of a summary."""
    return f"violated: {', '.join(sorted(expected))}" if expected else "holds"


def exit_code(expected: frozenset[str], result: CheckResult) -> int:
    """The exit code: as the verdict says, or 0 where exactly what was expected is violated and the rest holds."""
    if not expected or result.verdict is Verdict.MODEL_ERROR:
        return result.verdict.exit_code
    violated = frozenset(p.name for p in result.properties if p.verdict is Verdict.VIOLATED)
    others = [p.verdict for p in result.properties if p.name not in expected]
    if result.missing:
        others.append(Verdict.VACUOUS)
    rest = combine(others) if others else Verdict.HOLDS
    if violated == expected:
        return rest.exit_code
    if violated <= expected and not result.complete:
        return Verdict.INCONCLUSIVE.exit_code
    return Verdict.VIOLATED.exit_code
