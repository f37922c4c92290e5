"""A run in one line: its verdict, and which properties it is about. `holds` is said only where all of them do."""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from fenceproof.model.system import TransitionSystem

from ..limits import Stop
from ..printable import on_one_line
from ..result import CheckResult, PropertyResult
from ..row import Broken, Checked, Refused, Row, Skipped, Unfinished, word
from ..verdict import Verdict


def summary(result: CheckResult) -> str:
    """What was found, the gravest first, as in `violated: no-ghost (4 steps); vacuous: …`."""
    parts = [f"{result.said(verdict)}: {text}" for verdict, text in _parts(result)]
    if not parts or result.verdict is Verdict.BOUNDED:
        parts.insert(0, result.said(result.verdict))
    return "; ".join(parts)


def named(target: str, system: TransitionSystem) -> str:
    """A model as reports call it, with the safeguards that are taken away."""
    return f"{target} without {', '.join(system.without)}" if system.without else target


def row_summary(row: Row) -> str:
    """A row in one line, after its target."""
    if isinstance(row, Checked):
        return summary(row.result)
    return f"{word(row)}: {reason(row)}"


def reason(row: Row) -> str:
    """Why a row says what it says, beside the word for it."""
    match row:
        case Checked():
            parts = list(_parts(row.result))
            first = [parts.pop(0)[1]] if parts and parts[0][0] is row.result.verdict else []
            return "; ".join([*first, *(f"{row.result.said(verdict)}: {text}" for verdict, text in parts)])
        case Refused() | Broken():
            return row.text
        case Unfinished() | Skipped():
            return row.reason
        case _:
            assert_never(row)


def _parts(result: CheckResult) -> Iterator[tuple[Verdict, str]]:
    of = {verdict: [p for p in result.properties if p.verdict is verdict] for verdict in Verdict}
    if result.wrong is not None:
        yield Verdict.MODEL_ERROR, result.wrong.text
    if of[Verdict.VIOLATED]:
        yield Verdict.VIOLATED, ", ".join(map(_violated, of[Verdict.VIOLATED]))
    if reasons := _reasons(of[Verdict.INCONCLUSIVE], result.stop):
        yield Verdict.INCONCLUSIVE, "; ".join(f"{', '.join(names)} ({why})" for why, names in reasons.items())
    vacuous: list[str] = []
    if untested := of[Verdict.VACUOUS]:
        said: dict[str, list[PropertyResult]] = {}
        for each in untested:
            said.setdefault(untested_why(result, each) if result.bound is None else "not put to the test", []).append(
                each
            )
        vacuous += [f"{_names(some)} ({why})" for why, some in said.items()]
    if result.missing:
        vacuous.append(f"no state enables {', '.join(result.missing)}")
    if vacuous:
        yield Verdict.VACUOUS, ", and ".join(vacuous)


def untested_why(result: CheckResult, found: PropertyResult) -> str:
    """Why a property was never put to the test in any reachable state."""
    quiescent = next((i for i in result.system.invariants if i.name == found.name and i.quiescent), None)
    if quiescent is None:
        return "antecedent never true"
    if quiescent.judgement.exercised is None:
        return "no quiescent state was reached"
    return "antecedent true in no quiescent state"


def _reasons(found: list[PropertyResult], stop: Stop | None) -> dict[str, list[str]]:
    """Why nothing is said of properties, where that is known: each by its own remark, or as the search ended."""
    reasons: dict[str, list[str]] = {}
    for each in found:
        if why := each.remark or (stop.reason if stop is not None else ""):
            reasons.setdefault(why, []).append(each.name)
    return reasons


def _names(found: list[PropertyResult]) -> str:
    return ", ".join(on_one_line(p.name) for p in found)


def _violated(found: PropertyResult) -> str:
    return f"{on_one_line(found.name)} ({counted(len(found.trace) if found.trace is not None else 0, 'step')})"


def counted(number: int, what: str) -> str:
    """A number with what it counts, in the plural but for one."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"
