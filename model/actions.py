"""An action becomes transitions: one for each combination of choices that its runs make."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from contextlib import nullcontext
from typing import Any, cast

from .constants import choice_json
from .declarations import Record
from .errors import LiftError
from .expressions import Expression
from .methods import Method
from .path import Path
from .places import Environment
from .shadow import Context, shadow
from .source import first_sentence
from .symbols import is_symbol, number
from .system import Mistake, Transition
from .tree import Choices, Done, explore, fold, sites, split, trails


def lift_action(context: Context, method: Method, arguments: Mapping[str, object]) -> list[Transition]:
    """The transitions of an action with these arguments, one for each combination of choices it makes."""
    x = context.expressions
    before = context.current
    env: list[Environment] = []

    def run(path: Path) -> object:
        env[:] = [Environment(path, context.slots, list(before))]
        with nullcontext() if context.recorder is None else context.recorder.noting(path):
            return _outcome(method.function(shadow(context, env[0]), **seen(path, arguments)), method)

    tree = explore(x, context.truths, run, lambda: env[0].values)
    found: list[Transition] = []
    for choices, rest in split(tree).items():
        mistakes: list[Mistake] = []
        outcomes: list[str | None] = []

        def leaf(end: Done, outcomes: list[str | None] = outcomes) -> dict[int, Expression]:
            if end.returned not in outcomes:
                outcomes.append(cast("str | None", end.returned))
            return {-1: x.const(outcomes.index(cast("str | None", end.returned))), **dict(enumerate(end.values))}

        folded = fold(x, rest, leaf, mistakes)
        if folded.guard is x.false:
            continue
        given = (*arguments.items(), *named_choices(choices, arguments))
        if method.marks.lanes is not None:
            method.marks.lanes.check(method.marks.name, (name for name, _ in given), method.site)
        if method.marks.says is not None:
            kinds = {name: variable.kind for name, variable in context.variables.items()}
            shown = {name: json_value(value) for name, value in given}
            method.marks.says.check(method.marks.name, shown, kinds, method.site)
        updates = [(i, node) for i, node in folded.values.items() if i >= 0 and node is not before[i]]
        found.append(
            Transition(
                action=method.marks.name,
                arguments=tuple((name, json_value(value)) for name, value in given),
                guard=folded.guard,
                updates=tuple(sorted(updates, key=lambda update: update[0])),
                outcome=folded.values.get(-1, x.const(0)),
                outcomes=tuple(outcomes) or (None,),
                mistake=folded.mistake,
                mistakes=tuple(mistakes),
                fault=method.marks.fault,
                site=method.site,
                given=given,
                after_fault=method.marks.after_fault,
                asked=sites(rest),
                trails=tuple(trails(x, rest, x.true)) if context.recorder is not None else (),
                params=tuple((n, v) for n, v in arguments.items() if isinstance(v, Expression)),
                lanes=method.marks.lanes,
                meaning=first_sentence(method.function),
                says=method.marks.says,
            )
        )
    return found


def seen(path: Path, arguments: Mapping[str, object]) -> dict[str, Any]:
    """Arguments as an author's method sees them: one that ranges over the natural numbers is an expression."""
    return {n: number(path, v) if isinstance(v, Expression) else v for n, v in arguments.items()}


def _outcome(returned: object, method: Method) -> str | None:
    if is_symbol(returned):
        returned = cast(Any, returned).fp_plain()
    if returned is None or isinstance(returned, str):
        return returned
    raise LiftError(
        f"the action {method.name} returns {type(returned).__name__}, and its outcome is text.",
        method.site,
        'Return a string that says what happened, such as "commit", or nothing.',
    )


def named_choices(choices: Choices, arguments: Iterable[str]) -> list[tuple[str, object]]:
    """Choices as arguments: their labels made distinct from each other and from the names of the arguments."""
    taken = set(arguments)
    found: list[tuple[str, object]] = []
    for choice in choices:
        label = choice.label
        numbered = itertools.chain((label,), (f"{label}{n}" for n in itertools.count(2)))
        name = next(name for name in numbered if name not in taken)
        taken.add(name)
        found.append((name, choice.option))
    return found


def json_value(value: object) -> object:
    """An argument as traces show it."""
    if isinstance(value, Record):
        return {name: json_value(v) for name, v in vars(value).items() if not name.startswith("_")}
    return f"{value.lo}.." if isinstance(value, Expression) else choice_json(value)
