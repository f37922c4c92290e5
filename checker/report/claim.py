"""The claim: in words, what a run says, under which bounds and faults, and what it does not say."""

from __future__ import annotations

from fenceproof.model.system import TransitionSystem

from ..result import CheckResult, PropertyResult
from ..verdict import Verdict


def claim(target: str, result: CheckResult) -> str:
    """One paragraph that neither rounds up nor leaves out a bound."""
    return " ".join((_covered(target, result), _said(result), _unsaid(result)))


def bounds(system: TransitionSystem) -> str:
    """The parameters of a system as text."""
    return ", ".join(f"{name}={value}" for name, value in system.parameters.items()) or "no parameters"


def faults(system: TransitionSystem) -> str:
    """The faults that were on, with their budgets, as text."""
    if not system.faults:
        return "the model has none"
    on = {name: budget for name, budget in system.faults.items() if budget != 0}
    if not on:
        return "none, all switched off"
    once = len(on) > 1 and set(on.values()) == {1}
    listed = ", ".join(on) if once else ", ".join(f"{n} ×{'∞' if b is None else b}" for n, b in on.items())
    total = "" if system.most_faults is None else f"; at most {system.most_faults} in all"
    return f"{listed}{' once each' if once else ''}{total}"


def _covered(target: str, result: CheckResult) -> str:
    system = result.system
    seen = f"{result.distinct:,} distinct states, {result.generated:,} generated, {result.depth} levels"
    weakened = f" Taken away: {', '.join(system.without)}." if system.without else ""
    if result.complete:
        return f"Every reachable state of {target} with {bounds(system)} was visited ({seen}).{weakened}"
    why = result.stop.reason if result.stop is not None else "the model went wrong"
    return f"Only part of {target} with {bounds(system)} was visited ({seen}), because {why}.{weakened}"


def _said(result: CheckResult) -> str:
    parts = [
        _listed(result.properties, Verdict.HOLDS, "{} in all of them."),
        _listed(result.properties, Verdict.VIOLATED, "Violated, each with a shortest trace that was replayed: {}."),
        _listed(result.properties, Verdict.VACUOUS, "Never put to the test, and so said to hold by nobody: {}."),
        _listed(result.properties, Verdict.INCONCLUSIVE, "Nothing can be said of {}."),
    ]
    if result.never_enabled:
        parts.append(f"Never enabled: {', '.join(result.never_enabled)}.")
    return " ".join(filter(None, parts))


def _listed(properties: tuple[PropertyResult, ...], verdict: Verdict, sentence: str) -> str:
    names = [p.name for p in properties if p.verdict is verdict]
    if not names:
        return ""
    text = ", ".join(names)
    if verdict is Verdict.HOLDS:
        text += " holds" if len(names) == 1 else " hold"
    return sentence.format(text)


def _unsaid(result: CheckResult) -> str:
    system = result.system
    parts = ["other parameters than these"] if system.parameters else []
    if system.faults:
        parts.append("more faults than these")
    parts.append("whether anything eventually happens (liveness)")
    parts.append("that your code does what the model does")
    return f"Faults: {faults(system)}. Not checked: {', '.join(parts)}."
