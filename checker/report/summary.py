"""A run in one line: its verdict, and which properties it is about. `holds` is said only where all of them do."""

from __future__ import annotations

from collections.abc import Iterator

from ..result import CheckResult, PropertyResult
from ..verdict import Verdict


def summary(result: CheckResult) -> str:
    """What was found, the gravest first, as in `violated: no-ghost (4 steps); vacuous: …`."""
    return "; ".join(_parts(result)) or str(result.verdict)


def _parts(result: CheckResult) -> Iterator[str]:
    of = {verdict: [p for p in result.properties if p.verdict is verdict] for verdict in Verdict}
    if result.wrong is not None:
        yield f"model error: {result.wrong.text}"
    if of[Verdict.VIOLATED]:
        yield f"violated: {', '.join(map(_violated, of[Verdict.VIOLATED]))}"
    if of[Verdict.INCONCLUSIVE] and result.stop is not None:
        yield f"inconclusive: {_names(of[Verdict.INCONCLUSIVE])} ({result.stop.reason})"
    vacuous: list[str] = []
    if untested := of[Verdict.VACUOUS]:
        why = "its antecedent was never true" if len(untested) == 1 else "their antecedents were never true"
        vacuous.append(f"{_names(untested)} ({why})")
    if result.missing:
        vacuous.append(f"no state enables {', '.join(result.missing)}")
    if vacuous:
        yield f"vacuous: {', and '.join(vacuous)}"


def _names(found: list[PropertyResult]) -> str:
    return ", ".join(p.name for p in found)


def _violated(found: PropertyResult) -> str:
    return f"{found.name} ({counted(len(found.trace) if found.trace is not None else 0, 'step')})"


def counted(number: int, what: str) -> str:
    """A number with what it counts, in the plural but for one."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"
