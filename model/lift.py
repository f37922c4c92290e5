"""Lifting a model: its methods, each run once along every path, become a transition system.

The whole of it, in order: state variables and fault counters, transitions, properties, initial states.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Mapping, Sequence
from functools import partial
from typing import Final, cast

from .actions import json_value, lift_action
from .budgets import Counters, Settings, fault_budgets
from .constants import Alternatives, choice_json
from .errors import ModelError, nearest
from .expressions import Expressions
from .fairness import fairness
from .judgements import lift_liveness, lift_state_property, lift_step_property
from .kinds import BoolKind, Kind
from .language import Model
from .methods import Method, check_count, check_names, check_parameters, check_signature, domain, methods
from .path import Truths
from .recording import Recorder
from .repeat import Repeat
from .says import Says
from .shadow import Context, current_slots
from .source import here, meaning_of, site_of
from .starts import initial_states, state_of
from .step_words import Words, words_of
from .system import Invariant, Judgement, LivenessProperty, Scalar, StepProperty, Transition, TransitionSystem, Variable
from .unbounded_kinds import Naturals
from .weaken import known_safeguards, weaken

#: How many combinations of arguments an action is tried with, most of which may be enabled nowhere.
MOST_COMBINATIONS: Final = 200_000
#: The roles of methods that are properties with a name.
_PROPERTIES: Final = frozenset({"invariant", "quiescent", "lemma", "step_property", "eventually", "leads_to"})


def lift(
    model: Model,
    settings: Settings | None = None,
    *,
    once: bool = False,
    only: Collection[str] | None = None,
    recorder: Recorder | None = None,
) -> TransitionSystem:
    """The transition system of a model. Raises ModelError or LiftError, with file and line, where there is none.

    Each method is run a second time, to see that it does the same; not so with `once`, which is for a system that is
    compared with one that was lifted twice, and is not searched itself. With `only`, of the properties there are those
    of these names. With a `recorder`, transitions have their `trails`; what an action may not do is then not looked at,
    so that is for a model that was lifted already.
    """
    settings = settings or Settings()
    cls = type(model)
    guards, choices = known_safeguards(model)
    known = [*guards, *choices]
    unknown = (settings.without | settings.varied) - set(known)
    if unknown:
        raise ModelError(nearest(min(unknown), known, "The safeguard"))
    fixed = settings.varied & set(choices)
    if fixed:
        raise ModelError(f"the safeguard {min(fixed)} is a choice of design, which a state cannot vary.", site_of(cls))
    model = weaken(model, settings.without)
    marked = methods(cls)
    check_names(marked)
    for method in marked:
        check_signature(method)
    if not any(m.marks.role == "action" for m in marked):
        raise ModelError(f"{cls.__name__} has no action.", site_of(cls), "Mark a method with @action.")
    kinds = state_of(model)
    if not kinds:
        raise ModelError(
            f"{cls.__name__} has no state.", site_of(cls), "Give an attribute a kind: self.n = Range(0, 3)."
        )
    budgets = fault_budgets(model, settings)
    counters = Counters(model, marked, budgets, settings)
    wanted = settings.varied - settings.without
    varied = {f"safeguard {name}": BoolKind(Alternatives((True, False))) for name in guards if name in wanted}
    variables = _variables({**kinds, **counters.kinds, **varied})
    slots = tuple(slot for v in variables for slot in v.kind.slots(v.name))
    x = Expressions(here)
    context = Context(
        x,
        Truths(slots),
        slots,
        {v.name: v for v in variables if v.name in kinds},
        model,
        {name: value for name, value in vars(model).items() if name not in kinds},
        settings.without,
        {v.name.removeprefix("safeguard "): v for v in variables if v.name in varied},
        current_slots(x, slots),
        recorder,
    )
    if only is not None:
        marked = [m for m in marked if m.marks.role not in _PROPERTIES or m.marks.name in only]
    repeat = Repeat(model, once=once)
    switched_off = [m for m in marked if _is_off(m, budgets)]
    actions = [m for m in marked if m.marks.role == "action" and m not in switched_off]
    transitions = _lift_actions(context, actions, counters, {v.name: v for v in variables}, repeat)
    invariants = tuple(
        Invariant(
            m.marks.name,
            repeat.twice(m, partial(lift_state_property, context, m)),
            meaning_of(m.function),
            m.site,
            m.marks.role == "quiescent",
            m.marks.role == "lemma",
            _said(m, {}, kinds),
        )
        for m in marked
        if m.marks.role in ("invariant", "quiescent", "lemma")
    )
    words = words_of(cls, transitions, are_all=not switched_off)
    step_properties = tuple(
        _step_property(context, m, transitions, words, repeat) for m in marked if m.marks.role == "step_property"
    )
    liveness = tuple(
        LivenessProperty(
            m.marks.name,
            *repeat.twice(m, partial(lift_liveness, context, m)),
            fairness(m, marked, transitions),
            meaning_of(m.function),
            m.site,
        )
        for m in marked
        if m.marks.role in ("eventually", "leads_to")
    )
    terminal = Judgement(x.false, None, x.const(0), ())
    for end in marked:
        if end.marks.role == "terminal":
            terminal = repeat.twice(end, partial(lift_state_property, context, end))
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
        safeguards=tuple(known),
        without=tuple(sorted(settings.without)),
        left_out=_left_out(marked, transitions),
        switched_off=tuple(m.marks.name for m in switched_off),
        varied=tuple(name.removeprefix("safeguard ") for name in varied),
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


def _never(context: Context, method: Method, arguments: Mapping[str, object]) -> Transition:
    """A transition that is enabled nowhere, so that whoever counts what was taken knows of the action."""
    x = context.expressions
    return Transition(
        action=method.marks.name,
        arguments=tuple((name, json_value(value)) for name, value in arguments.items()),
        guard=x.false,
        updates=(),
        outcome=x.const(0),
        outcomes=(None,),
        mistake=x.const(0),
        mistakes=(),
        fault=method.marks.fault,
        site=method.site,
        given=tuple(arguments.items()),
    )


def _symbolic(context: Context, arguments: dict[str, object]) -> dict[str, object]:
    """Arguments of which those that range over the natural numbers are expressions."""
    ranging = [name for name, value in arguments.items() if isinstance(value, Naturals)]
    made = {name: context.expressions.param(i, cast(Naturals, arguments[name]).lo) for i, name in enumerate(ranging)}
    return {**arguments, **made}


def _left_out(marked: Sequence[Method], transitions: Sequence[Transition]) -> tuple[str, ...]:
    there = {t.action for t in transitions}
    return tuple(m.marks.name for m in marked if m.marks.role == "action" and m.marks.name not in there)


def _said(method: Method, arguments: Mapping[str, object], kinds: Mapping[str, Kind], of: str = "") -> Says | None:
    """What a property says of a violation. Raises ModelError where it names what there is not."""
    if method.marks.says is not None:
        method.marks.says.check(f"{method.marks.name}{of}", arguments, kinds, method.site)
    return method.marks.says


def _step_property(
    context: Context, method: Method, transitions: Sequence[Transition], words: Words, repeat: Repeat
) -> StepProperty:
    judgements = tuple(_lift_step_property(context, method, t, words, repeat) for t in transitions)
    kinds = {name: variable.kind for name, variable in context.variables.items()}
    for transition, judgement in zip(transitions, judgements, strict=True):
        if judgement.holds is not context.expressions.true:
            _said(method, transition.args, kinds, f", of {transition.called},")
    return StepProperty(method.marks.name, judgements, meaning_of(method.function), method.site, method.marks.says)


def _lift_step_property(
    context: Context, method: Method, transition: Transition, words: Words, repeat: Repeat
) -> Judgement:
    x = context.expressions
    if transition.guard is x.false:
        return Judgement(x.true, None, x.const(0), ())
    return repeat.twice(method, partial(lift_step_property, context, method, transition, words))


def _lift_actions(
    context: Context,
    actions: Sequence[Method],
    counters: Counters,
    variables: Mapping[str, Variable],
    repeat: Repeat,
) -> tuple[Transition, ...]:
    found: list[Transition] = []
    for method in actions:
        names = list(method.marks.domains)
        check_parameters(method, names)
        domains = [domain(context.model, method, name) for name in names]
        if math.prod(map(len, domains)) > MOST_COMBINATIONS:
            raise ModelError(
                f"the parameters of {method.name} have more than {MOST_COMBINATIONS:,} combinations of values.",
                method.site,
                "Make the values of the actions' parameters fewer.",
            )
        before = len(found)
        for values in itertools.product(*domains):
            arguments = _symbolic(context, dict(zip(names, values, strict=True)))
            lifted = repeat.twice(method, partial(lift_action, context, method, arguments))
            found.extend(counters.counted(context, variables, t, arguments) for t in lifted)
            check_count(len(found), method)
        if len(found) == before and all(domains):
            found.append(
                _never(context, method, _symbolic(context, dict(zip(names, (d[0] for d in domains), strict=True))))
            )
    if all(t.guard is context.expressions.false for t in found):
        raise ModelError(
            f"no action of {type(context.model).__name__} can ever be enabled.", site_of(type(context.model))
        )
    return tuple(found)
