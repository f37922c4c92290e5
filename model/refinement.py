"""A refinement mapping: which state of an abstract model a state of a durable one stands for.

The mapping is a method of the durable model, marked @abstraction. Where every initial state is mapped to an initial
state, and every step to a step of the abstract model or to no change at all (a stutter), the durable model refines the
abstract one: these are conditions R2 and R3 of Abadi and Lamport, "The existence of refinement mappings", Theoretical
Computer Science 82(2), 1991. Their R4, which is about liveness, is not asked here, and R1 is the reader's: what can be
seen of the durable model is what the mapping shows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import cast

from .constants import as_mapping
from .errors import LiftError, ModelError, Site, nearest
from .expressions import Expression, evaluate
from .language import Model
from .methods import Method, check_names, check_signature, methods
from .path import Path, Truths
from .places import Environment
from .repeat import Repeat
from .rewrite import substitute
from .shadow import Context, current_slots, shadow
from .source import here, site_of
from .starts import state_of
from .system import Mistake, State, Transition, TransitionSystem
from .tree import Branch, Done, explore, fold
from .values import nodes_of
from .weaken import weaken


@dataclass(frozen=True, slots=True)
class Abstraction:
    """`values[i]` is the abstract model's slot i as an expression over a state of the durable system.

    `mistake` is 0 where the mapping gives a state of the abstract model, else one more than a position in `mistakes`.
    """

    name: str
    site: Site | None
    values: tuple[Expression, ...]
    mistake: Expression
    mistakes: tuple[Mistake, ...]

    def of(self, state: State) -> State | Mistake:
        """The abstract state that a state stands for, the plain way; or how the mapping goes wrong there."""
        mistake, *values = evaluate([self.mistake, *self.values], state)
        return self.mistakes[mistake - 1] if mistake else tuple(values)


@dataclass(frozen=True, slots=True)
class Counterparts:
    """What the steps of one durable transition are in the abstract model, over the states before and after.

    `stutters` is true where the abstract state stays the same, `steps[a]` where the abstract action a, with some
    arguments, leads from one to the other. All of it means something only where `mistake` is 0.
    """

    stutters: Expression
    steps: Mapping[str, Expression]
    mistake: Expression


def lift_abstraction(model: Model, system: TransitionSystem, abstract: TransitionSystem) -> Abstraction:
    """The mapping of a model to an abstract one, over the states of `system`, which the model was lifted to.

    Raises ModelError where the model has no such method, and LiftError where it does not give every state variable of
    the abstract model a value.
    """
    method = _method_of(type(model), abstract)
    model = weaken(model, frozenset(system.without))
    x = system.expressions
    own = state_of(model)
    context = Context(
        x,
        Truths(system.slots),
        system.slots,
        {v.name: v for v in system.variables if v.name in own},
        model,
        {name: value for name, value in vars(model).items() if name not in own},
        frozenset(system.without),
        {name: v for v in system.variables for name in system.varied if v.name == f"safeguard {name}"},
        current_slots(x, system.slots),
    )
    repeat = Repeat(model)
    found = repeat.twice(method, partial(_lifted, context, method, abstract))
    repeat.refuse_changes()
    return found


def _method_of(cls: type[Model], abstract: TransitionSystem) -> Method:
    marked = methods(cls)
    check_names(marked)
    for method in marked:
        if method.marks.role == "abstraction":
            check_signature(method)
            return method
    values = ", ".join(f'"{v.name}": …' for v in abstract.variables)
    raise ModelError(
        f"{cls.__name__} does not say which state of {abstract.name} a state of it stands for.",
        site_of(cls),
        "Write a method of it that gives each state variable of the abstract model a value:\n"
        "        @abstraction\n"
        "        def abstract(self) -> Mapping[str, object]:\n"
        f"            return {{{values}}}",
    )


def _lifted(context: Context, method: Method, abstract: TransitionSystem) -> Abstraction:
    x, before = context.expressions, list(context.current)
    why = f"in the mapping {method.name}."

    def run(path: Path) -> object:
        env = Environment(path, context.slots, before, frozen=why)
        return _nodes(path, method, abstract, method.function(shadow(context, env)))

    tree = explore(x, context.truths, run, lambda: ())
    refused = f"{method.name} uses `require` or `choose`, which only actions may."
    remedy = "A state stands for one abstract state, and every state does."
    if not isinstance(tree, Done | Branch | Mistake):
        raise LiftError(refused, method.site, remedy)
    mistakes: list[Mistake] = []

    def leaf(end: Done) -> dict[int, Expression]:
        return dict(enumerate(cast("tuple[Expression, ...]", end.returned)))

    folded = fold(x, tree, leaf, mistakes)
    if folded.guard is not x.true:
        raise LiftError(refused, method.site, remedy)
    # Where the mapping goes wrong in every state it leaves no values, and then no value has a meaning either.
    blank = [x.truth(bool(slot.lo)) if slot.is_bool else x.const(slot.lo) for slot in abstract.slots]
    values = tuple(folded.values.get(i, node) for i, node in enumerate(blank))
    outside = here()
    placed = tuple(replace(m, site=method.site) if m.site == outside else m for m in mistakes)
    return Abstraction(method.name, method.site, values, folded.mistake, placed)


def _nodes(path: Path, method: Method, abstract: TransitionSystem, answer: object) -> tuple[Expression, ...]:
    given = as_mapping(answer)
    names = [v.name for v in abstract.variables]
    if given is None:
        raise LiftError(
            f"{method.name} does not return a mapping.",
            method.site,
            f'Return a value for each state variable of {abstract.name}: return {{"{names[0]}": …}}.',
        )
    for name in given:
        if name not in names:
            said = nearest(str(name), names, f"The state variable of {abstract.name}")
            raise LiftError(f"{method.name} gives a value to what {abstract.name} does not have.", method.site, said)
    missing = [name for name in names if name not in given]
    if missing:
        raise LiftError(
            f"{method.name} gives no value to {', '.join(missing)}, which {abstract.name} has.",
            method.site,
            f'Add "{missing[0]}": … to what it returns.',
        )
    outside = here()
    try:
        return tuple(
            node for v in abstract.variables for node in nodes_of(path, v.kind, given[v.name], f"the abstract {v.name}")
        )
    except LiftError as error:
        # The method has returned, so that no line of its author's is being executed.
        raise LiftError(error.message, method.site if error.site == outside else error.site, error.remedy) from error


def counterparts(system: TransitionSystem, abstract: TransitionSystem, mapping: Abstraction) -> list[Counterparts]:
    """What the steps of each transition of the durable system are in the abstract one."""
    allowed = _allowed(system, abstract, mapping)
    return [_counterparts(system, transition, mapping, allowed) for transition in system.transitions]


@dataclass(frozen=True, slots=True)
class _Allowed:
    """An abstract transition from where a durable state is mapped to: where it is enabled, and where it leads."""

    action: str
    enabled: Expression
    after: tuple[Expression, ...]


def _allowed(system: TransitionSystem, abstract: TransitionSystem, mapping: Abstraction) -> list[_Allowed]:
    x = system.expressions
    found: list[_Allowed] = []
    for transition in abstract.transitions:
        roots = [transition.guard, transition.mistake, *(node for _, node in transition.updates)]
        guard, mistake, *updates = substitute(x, roots, mapping.values)
        after = list(mapping.values)
        for (position, _), node in zip(transition.updates, updates, strict=True):
            after[position] = node
        # Where the abstract model itself goes wrong it makes no step.
        enabled = x.conjoin((guard, x.equal(mistake, x.const(0))))
        found.append(_Allowed(transition.action, enabled, tuple(after)))
    return found


def _counterparts(
    system: TransitionSystem, transition: Transition, mapping: Abstraction, allowed: Sequence[_Allowed]
) -> Counterparts:
    x = system.expressions
    if transition.guard is x.false:
        return Counterparts(x.true, {a.action: x.false for a in allowed}, x.const(0))
    slots = list(current_slots(x, system.slots))
    for position, node in transition.updates:
        slot = system.slots[position]
        slots[position] = node if node.is_const else x.next_slot(position, slot.lo, slot.hi, is_bool=slot.is_bool)
    mistake, *after = substitute(x, [mapping.mistake, *mapping.values], slots)
    steps: dict[str, list[Expression]] = {}
    for step in allowed:
        same = (x.equal(a, b) for a, b in zip(step.after, after, strict=True))
        steps.setdefault(step.action, []).append(x.conjoin((step.enabled, *same)))
    return Counterparts(
        x.conjoin(x.equal(a, b) for a, b in zip(mapping.values, after, strict=True)),
        {action: x.disjoin(found) for action, found in steps.items()},
        x.choose(x.equal(mapping.mistake, x.const(0)), mistake, mapping.mistake),
    )
