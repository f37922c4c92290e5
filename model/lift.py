"""Lifting a model: its methods, each run once along every path, become a transition system.

The whole of it, in order: state variables and fault counters, transitions, properties, initial states.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final, cast

from .actions import lift_action
from .budgets import Counters, Settings, fault_budgets
from .errors import ModelError, nearest
from .expressions import Expressions
from .fairness import fairness
from .judgements import lift_liveness, lift_state_property, lift_step_property
from .kinds import Kind, choice_json
from .language import Model
from .methods import Method, check_parameters, domain, methods, safeguards
from .path import Truths
from .repeat import Repeat
from .shadow import Context
from .source import here, meaning_of, site_of
from .starts import initial_states, state_of
from .system import Invariant, Judgement, LivenessProperty, Scalar, StepProperty, Transition, TransitionSystem, Variable

MOST_TRANSITIONS: Final = 20_000


def lift(model: Model, settings: Settings | None = None) -> TransitionSystem:
    """The transition system of a model. Raises ModelError or LiftError, with file and line, where there is none."""
    settings = settings or Settings()
    cls = type(model)
    marked = methods(cls)
    if not any(m.marks.role == "action" for m in marked):
        raise ModelError(f"{cls.__name__} has no action.", site_of(cls), "Mark a method with @action.")
    kinds = state_of(model)
    if not kinds:
        raise ModelError(
            f"{cls.__name__} has no state.", site_of(cls), "Give an attribute a kind: self.n = Range(0, 3)."
        )
    unknown = settings.without - set(safeguards(cls))
    if unknown:
        raise ModelError(nearest(min(unknown), safeguards(cls), "The safeguard"))
    budgets = fault_budgets(model, settings)
    counters = Counters(model, marked, budgets, settings.most_faults)
    variables = _variables({**kinds, **counters.kinds})
    slots = tuple(slot for v in variables for slot in v.kind.slots(v.name))
    x = Expressions(here)
    context = Context(
        x, Truths(slots), slots, {v.name: v for v in variables if v.name in kinds}, model, settings.without
    )
    repeat = Repeat(model)
    transitions = _lift_actions(context, marked, budgets, counters, {v.name: v for v in variables}, repeat)
    invariants = tuple(
        Invariant(
            m.marks.name,
            repeat.twice(partial(lift_state_property, context, m)),
            meaning_of(m.function),
            m.site,
            m.marks.role == "quiescent",
        )
        for m in marked
        if m.marks.role in ("invariant", "quiescent")
    )
    step_properties = tuple(
        StepProperty(
            m.marks.name,
            tuple(repeat.twice(partial(lift_step_property, context, m, t)) for t in transitions),
            meaning_of(m.function),
            m.site,
        )
        for m in marked
        if m.marks.role == "step_property"
    )
    liveness = tuple(
        LivenessProperty(
            m.marks.name,
            *repeat.twice(partial(lift_liveness, context, m)),
            fairness(m, marked, transitions),
            meaning_of(m.function),
            m.site,
        )
        for m in marked
        if m.marks.role in ("eventually", "leads_to")
    )
    ends = [m for m in marked if m.marks.role == "terminal"]
    terminal = (
        repeat.twice(partial(lift_state_property, context, ends[-1]))
        if ends
        else Judgement(x.false, None, x.const(0), ())
    )
    initial = initial_states(context, marked, variables, repeat)
    repeat.refuse_changes()
    return TransitionSystem(
        name=cls.__name__,
        parameters={k: cast(Scalar, choice_json(v)) for k, v in model._parameters.items()},  # pyright: ignore[reportPrivateUsage]
        faults=budgets,
        most_faults=settings.most_faults,
        variables=variables,
        slots=slots,
        initial=initial,
        transitions=transitions,
        invariants=invariants,
        step_properties=step_properties,
        terminal=terminal,
        expressions=x,
        liveness=liveness,
        safeguards=tuple(safeguards(cls)),
        without=tuple(sorted(settings.without)),
        meaning=meaning_of(cls),
        site=site_of(cls),
    )


def _is_off(method: Method, budgets: Mapping[str, int | None]) -> bool:
    """Whether an action is left out, because it is a fault, or comes of one, that is switched off."""
    if method.marks.after_fault is not None and method.marks.after_fault not in budgets:
        raise ModelError(nearest(method.marks.after_fault, budgets, "The fault"), method.site)
    return any(name is not None and budgets[name] == 0 for name in (method.marks.fault, method.marks.after_fault))


def _variables(kinds: Mapping[str, Kind]) -> tuple[Variable, ...]:
    firsts = itertools.accumulate([0, *(kind.width for kind in kinds.values())])
    return tuple(Variable(name, kind, first) for (name, kind), first in zip(kinds.items(), firsts, strict=False))


def _lift_actions(
    context: Context,
    marked: Sequence[Method],
    budgets: Mapping[str, int | None],
    counters: Counters,
    variables: Mapping[str, Variable],
    repeat: Repeat,
) -> tuple[Transition, ...]:
    found: list[Transition] = []
    for method in marked:
        if method.marks.role != "action" or _is_off(method, budgets):
            continue
        names = list(method.marks.domains)
        check_parameters(method, names)
        domains = [domain(context.model, method, name) for name in names]
        for values in itertools.product(*domains):
            arguments = dict(zip(names, values, strict=True))
            lifted = repeat.twice(partial(lift_action, context, method, arguments))
            found.extend(counters.counted(context, variables, t, arguments) for t in lifted)
            if len(found) > MOST_TRANSITIONS:
                raise ModelError(
                    f"the model has more than {MOST_TRANSITIONS:,} transitions.",
                    method.site,
                    "Make the values of the actions' parameters fewer.",
                )
    if not found:
        raise ModelError(
            f"no action of {type(context.model).__name__} can ever be enabled.", site_of(type(context.model))
        )
    return tuple(found)
