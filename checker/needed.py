"""Which faults of a counterexample are needed: the property is checked once more without each of them.

A fault is needed where the property is not violated without it, whatever other faults happen, within the same bounds.
Where it is not, other faults may have taken its place, and the shortest trace without it says which. Properties that
ask for the same faults to be off are checked together.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Final

from fenceproof.model.errors import InternalError
from fenceproof.model.system import TransitionSystem
from fenceproof.model.trace import Trace

from .engines.explicit import check
from .limits import Limits, go_on
from .minimal import INTERRUPTED, Necessity, Need, Without
from .restrict import restrict
from .result import CheckResult, PropertyResult, Sort
from .verdict import Verdict

#: States that a check without a fault may find where nobody asked for more: they take a moment.
QUICK_STATES: Final = 100_000


def spent_faults(system: TransitionSystem, trace: Trace) -> tuple[str, ...]:
    """The faults that happen in a trace, in their order, each once."""
    faults = (system.transitions[t].fault for t in trace.transitions)
    return tuple(dict.fromkeys(f for f in faults if f is not None))


def with_necessity(result: CheckResult, limits: Limits, *, is_quick: bool = False) -> CheckResult:
    """A result that says of the faults of each counterexample whether they are needed.

    Each check without a fault is under the limits, and where it is to be a quick one, under one of states besides;
    under a limit of time they all are, from when it began. An interrupt leaves what was found out until then.
    """
    began = limits.clock()
    if is_quick:
        most = QUICK_STATES if limits.max_states is None else min(limits.max_states, QUICK_STATES)
        limits = replace(limits, max_states=most)
    asked = {p.name: spent_faults(result.system, p.trace) for p in result.properties if p.trace is not None}
    found = necessity(result.system, {p.name: p for p in result.properties}, asked, limits)
    return replace(
        result,
        properties=tuple(replace(p, necessity=found.get(p.name)) for p in result.properties),
        seconds=result.seconds + limits.clock() - began,
    )


def necessity_of(system: TransitionSystem, name: str, trace: Trace, limits: Limits) -> Necessity | None:
    """Whether the faults that a trace spends are needed to violate a property; None where it spends none."""
    sort = Sort.LIVENESS if any(p.name == name for p in system.liveness) else Sort.INVARIANT
    known = {name: PropertyResult(name, sort, "", Verdict.VIOLATED, None, trace)}
    return necessity(system, known, {name: spent_faults(system, trace)}, limits).get(name)


def necessity(
    system: TransitionSystem,
    properties: Mapping[str, PropertyResult],
    asked: Mapping[str, Sequence[str]],
    limits: Limits,
) -> dict[str, Necessity]:
    """For each property that has some, whether these faults are needed, and where none of them is, whether any is.

    After an interrupt nothing more is asked, and what was not is unknown.
    """
    lively = [name for name in asked if properties[name].sort is Sort.LIVENESS]
    on = [name for name, budget in system.faults.items() if budget != 0]
    found = {(n, f): Without(f, Need.UNKNOWN, reason=INTERRUPTED) for n, faults in asked.items() for f in faults}
    none: dict[str, Without] = {}
    with suppress(KeyboardInterrupt):
        for fault in dict.fromkeys(fault for faults in asked.values() for fault in faults):
            names = [name for name, faults in asked.items() if fault in faults]
            for name, without in _without(system, fault, [f for f in on if f != fault], names, lively, limits).items():
                found[name, fault] = without
        open_ = [n for n, fs in asked.items() if fs and all(found[n, f].need is not Need.NEEDED for f in fs)]
        # Without the only fault there is, no other can happen: that was asked already.
        if len(on) > 1:
            none = {name: Without(None, Need.UNKNOWN, reason=INTERRUPTED) for name in open_}
            none = _without(system, None, [], open_, lively, limits)
    return {
        name: Necessity(tuple(_settled(found[name, fault], none.get(name)) for fault in faults), none.get(name))
        for name, faults in asked.items()
        if faults
    }


def _settled(one: Without, none: Without | None) -> Without:
    """What was not found out of one fault, where it follows: what is violated without any fault does not need it."""
    if one.need is not Need.UNKNOWN or none is None or none.need is not Need.NOT_NEEDED:
        return one
    return Without(one.fault, Need.NOT_NEEDED, none.steps)


def _without(
    system: TransitionSystem,
    fault: str | None,
    kept: Collection[str],
    names: Sequence[str],
    lively: Collection[str],
    limits: Limits,
) -> dict[str, Without]:
    """Check some properties where only some faults are on; those of whole behaviours need every state, the others
    only as many as it takes."""
    smaller = restrict(system, kept)
    found: dict[str, Without] = {}
    for some, until in (
        ([n for n in names if n not in lively], True),
        ([n for n in names if n in lively], False),
    ):
        if some:
            result = check(smaller, properties=some, limits=limits, until_all_violated=until)
            go_on(result.stop)
            found |= {p.name: _said(smaller, fault, result, p) for p in result.properties}
    return found


def _said(system: TransitionSystem, fault: str | None, result: CheckResult, found: PropertyResult) -> Without:
    match found.verdict:
        case Verdict.VIOLATED if found.trace is not None:
            return Without(fault, Need.NOT_NEEDED, len(found.trace), spent_faults(system, found.trace))
        case Verdict.HOLDS | Verdict.VACUOUS:
            return Without(fault, Need.NEEDED)
        case Verdict.INCONCLUSIVE:
            if result.wrong is not None:
                return Without(fault, Need.UNKNOWN, reason=f"the model itself goes wrong: {result.wrong.text}")
            assert result.stop is not None, "nothing else leaves a property open"
            return Without(fault, Need.UNKNOWN, reason=result.stop.reason)
        case _:
            raise InternalError(f"the explicit engine said {found.verdict} of {found.name}. Please report this.")
