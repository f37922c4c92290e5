"""The claim: in words, what a run says, under which bounds and faults, and what it does not say."""

from __future__ import annotations

from typing import Final

from fenceproof.model.system import DEADLOCK, TransitionSystem

from ..minimal import ONE_STORY
from ..result import CheckResult, Sort
from ..verdict import Verdict
from .summary import counted

_SAID: Final = {
    Verdict.HOLDS: "holds",
    Verdict.PROVED: "proved",
    Verdict.BOUNDED: str(Verdict.BOUNDED),
    Verdict.VIOLATED: "violated",
    Verdict.VACUOUS: "vacuous",
    Verdict.INCONCLUSIVE: "inconclusive",
}
_INTEGERS: Final = "pdr: an inductive invariant over the integers for each property, found and checked with z3"
_ENGINES: Final = {
    "all": "all: every engine in a process of its own; what they say was compared, and none contradicts another",
    "race": "race: several engines at once, until everything was decided; none contradicts another",
    "explicit": "explicit: breadth first over all states, none hashed or sampled",
    "bmc": "bmc: every behaviour of so many steps as one formula, decided by z3",
    "kinduction": "kinduction: k-induction with lemmas, decided by z3; it does not judge liveness",
    "pdr": "pdr: inductive invariants found by z3's Spacer and checked once more, traces by unrolling",
    "enclose": "enclose: an inductive invariant around every reachable state, which z3 accepts by itself",
}


def claim(target: str, result: CheckResult) -> str:
    """The claim sheet as one paragraph."""
    return " ".join(f"{label.capitalize()}: {text}." for label, text in claim_sheet(target, result))


def claim_sheet(target: str, result: CheckResult) -> list[tuple[str, str]]:
    """What a run says, a label and a text for each point; neither rounds up nor leaves out a bound."""
    system = result.system
    sheet = [("checked", _covered(target, result)), ("bounds", bounds(system)), ("faults", faults(system))]
    if result.independence is not None:
        sheet.append(("copies", result.independence.statement))
    elif result.beside:
        sheet.append(("copies", result.beside))
    if system.without:
        sheet.append(("taken away", ", ".join(system.without)))
    sheet.append(("engine", _INTEGERS if system.is_unbounded else _ENGINES[result.engine]))
    for verdict, label in _SAID.items():
        names = [p.name for p in result.properties if p.verdict is verdict]
        if names:
            bounded = result.bound is not None and verdict in (Verdict.BOUNDED, Verdict.VACUOUS)
            sheet.append((result.said(verdict) if bounded else label, ", ".join(names)))
    if any(p.stories is not None for p in result.properties):
        sheet.append(("one story", ONE_STORY))
    helped = _proved_with(result)
    if helped:
        sheet.append(("proved with", helped))
    sheet += _beyond(result)
    empty = without_values(system)
    if empty:
        sheet.append(("left out", f"{', '.join(empty)} (a parameter has no values)"))
    if result.never_enabled:
        sheet.append(("never enabled", ", ".join(result.never_enabled)))
    return [*sheet, ("not checked", _unsaid(result))]


def _proved_with(result: CheckResult) -> str:
    """What proofs by k-induction rest on: lemmas and other properties by name, and how many clauses besides."""
    proofs = [p.proof for p in result.properties if p.proof is not None and p.proof.method == "k-induction"]
    used = {conjunct for proof in proofs for conjunct in proof.invariant}
    named = {i.judgement.holds: i.name for i in result.system.invariants if i.judgement.holds in used}
    parts = sorted(set(named.values()))
    more = len(used - named.keys())
    if more:
        parts.append(f"{more} clause{'' if more == 1 else 's'}{' more' if parts else ''} (--json lists all)")
    return ", ".join(parts)


def without_bounds(result: CheckResult) -> dict[str, object]:
    """The parameters that are others in what was proved without bounds."""
    assert result.unbounded is not None, "nothing was proved without bounds"
    return {n: v for n, v in result.unbounded.system.parameters.items() if result.system.parameters.get(n) != v}


def _beyond(result: CheckResult) -> list[tuple[str, str]]:
    """Of which properties more is proved than with the bounds, and of which not."""
    found = result.unbounded
    if found is None:
        return [("no bound", result.unsaid)] if result.unsaid else []
    changed = without_bounds(result)
    names = [p.name for p in found.properties if p.verdict is Verdict.PROVED]
    rest = [f"{p.name} ({found.said(p.verdict)} without)" for p in found.properties if p.name not in names]
    given = ", ".join(f"{name}={result.system.parameters[name]}" for name in changed)
    sheet: list[tuple[str, str]] = []
    if names:
        shared = found.independence
        every = [f"any number of {name}" for name in changed]
        if shared is not None and shared.any_number:
            every.insert(0, f"any number of {shared.parameter}")
        said = ", ".join(f"{name}={value}" for name, value in changed.items())
        others = [
            n for n in names if n == DEADLOCK or any(i.quiescent and i.name == n for i in found.system.invariants)
        ]
        quiet = f"; {', '.join(others)} speak of quiescent states, which are others with {given}" if others else ""
        sheet.append(
            (
                "no bound",
                f"proved for {' and '.join(every)} ({said}), any fault any number of times: {', '.join(names)}{quiet}",
            )
        )
    if rest:
        why = found.wrong.text if found.wrong is not None else found.stop.reason if found.stop is not None else ""
        sheet.append((f"{given} only", f"{', '.join(rest)}{f'; {why}' if why else ''}"))
    return sheet


def without_values(system: TransitionSystem) -> list[str]:
    """The actions that are left out of a system because a parameter has no values."""
    return [name for name in system.left_out if name not in system.switched_off]


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
    if result.independence is not None:
        target = f"{target} with {result.independence.parameter}=1"
    if result.engines and not result.system.is_unbounded and not (result.complete and result.distinct is not None):
        # Of several, each looked at something else, and none at everything.
        return "; ".join(f"{each.engine}: {_covered(target, each)}" for each in result.engines)
    if result.engine == "kinduction":
        return _by_induction(target, result)
    if result.bound is not None:
        return _in_steps(target, result)
    if result.system.is_unbounded:
        why = "" if result.stop is None else f", until {result.stop.reason}"
        return f"{target}, by arguments about every number at once, with faults as often as they like{why}"
    if result.distinct is None:
        return _by_argument(target, result)
    if result.distinct == 0 and result.stop is not None:
        return f"nothing of {target}, because {result.stop.reason}"
    seen = f"{result.distinct:,} distinct, {result.generated:,} generated, {counted(result.depth, 'level')}"
    if result.complete:
        return f"every reachable state of {target}: {seen}"
    why = result.stop.reason if result.stop is not None else "the model went wrong"
    return f"only part of the states of {target}, because {why}: {seen}"


def _by_argument(target: str, result: CheckResult) -> str:
    """What was covered where no states are visited one by one: any length where it proves."""
    whole = f"behaviours of any length of {target}, by inductive invariants where it is proved"
    if result.complete:
        return f"{whole}; the states in them were not counted"
    why = result.stop.reason if result.stop is not None else "the model went wrong"
    return f"{whole}; no more, because {why}"


def _by_induction(target: str, result: CheckResult) -> str:
    """What k-induction covered: any length where it proves, and elsewhere so many steps."""
    whole = f"behaviours of any length of {target}, by induction"
    if result.complete:
        return whole
    if result.bound is None and result.wrong is None and result.stop is not None:
        return f"{whole}, as far as it is proved; no more, because {result.stop.reason}"
    proved = any(p.verdict is Verdict.PROVED for p in result.properties)
    return (
        f"{whole}, for what is proved; for the rest {_in_steps(target, result)}"
        if proved
        else _in_steps(target, result)
    )


def _in_steps(target: str, result: CheckResult) -> str:
    """What a bounded search covered; `depth` levels is all of them, and none where it ended before the first."""
    if result.wrong is not None:
        why = ", and no further because the model went wrong"
    else:
        why = "" if result.stop is None or result.stop.kind == "depth" else f"; then {result.stop.reason}"
    if result.depth == 0:
        return f"nothing of {target}{why}"
    most = result.depth - 1
    steps = f"{most} step{'' if most == 1 else 's'}"
    return f"every behaviour of up to {steps} of {target}; the states in it were not counted{why}"


def _unsaid(result: CheckResult) -> str:
    system = result.system
    parts = _other_bounds(result)
    if result.bound is not None:
        parts.insert(0, "longer behaviours")
    shown = result.independence
    if shown is not None and shown.any_number:
        *numbers, most = sorted({1, *shown.shown_for})
        looked_at = f"{', '.join(map(str, numbers))} and {most}"
        parts.append(f"whether the model's code does something else for {shown.parameter} other than {looked_at}")
    if system.faults:
        parts.append("other faults, or more of them")
    unweighed = [p.name for p in result.properties if not p.is_cheapest]
    if unweighed:
        parts.append(f"whether a trace that is as short has fewer faults or changes, for {', '.join(unweighed)}")
    left = [p.name for p in system.liveness if p.name not in {found.name for found in result.properties}]
    if left and result.engine != "explicit":
        parts.append(f"{', '.join(left)} (liveness)")
    elif not any(p.sort is Sort.LIVENESS for p in result.properties):
        parts.append("whether anything eventually happens (liveness)")
    parts.append("whether your code does what the model does")
    return "; ".join(parts)


def _other_bounds(result: CheckResult) -> list[str]:
    names, shown = list(result.system.parameters), result.independence
    if shown is None or not shown.any_number:
        return ["other bounds"] if names else []
    others = [name for name in names if name != shown.parameter]
    if result.unbounded is not None:
        with_bounds = {name: result.system.parameters[name] for name in without_bounds(result)}
        kept = [name for name in others if name not in with_bounds]
        found = [f"bounds other than {name}={value} and none" for name, value in with_bounds.items()]
        return [*found, *([f"other bounds of {', '.join(kept)}"] if kept else [])]
    return [f"other bounds of {', '.join(others)}"] if others else []
