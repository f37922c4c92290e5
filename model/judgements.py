"""A property becomes judgements: where it holds, where it was put to the test, where evaluating it goes wrong."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import CodeType
from typing import Final, cast

from .actions import seen
from .errors import LiftError
from .expressions import Expression
from .language import Step
from .methods import Method
from .path import Path
from .places import Environment
from .shadow import Context, shadow
from .source import named_function
from .step_words import ActionName, Arguments, OutcomeText, Words
from .symbols import truth_node
from .system import Judgement, Mistake, Transition
from .tree import Branch, Done, explore, fold

_UNGUARDED: Final = (
    "the consequent of `implies` is evaluated in any case: "
    "write implies(a, lambda: b) where it has a meaning only if the antecedent is true"
)


def lift_judgement(
    context: Context, method: Method, call: Callable[[Path], object], values: Callable[[], Sequence[Expression]]
) -> Judgement:
    """A property as expressions; `call` evaluates it on a path."""
    x = context.expressions
    code = getattr(method.function, "__code__", None)
    hint = _UNGUARDED if isinstance(code, CodeType) and _uses_implies(code) else ""

    def run(path: Path) -> object:
        path.hint = hint
        answer = call(path)
        node = truth_node(path, answer)
        if node is None:
            uncalled = named_function(answer)
            if uncalled is not None:
                raise LiftError(
                    f"{method.name} returns {uncalled} itself, and no truth value.",
                    method.site,
                    "Did you forget the ()?",
                )
            raise LiftError(
                f"{method.name} does not return a truth value.", method.site, "Return True where the property holds."
            )
        return node

    tree = explore(x, context.truths, run, values)
    if not isinstance(tree, Done | Branch | Mistake):
        raise LiftError(
            f"{method.name} uses `require` or `choose`, which only actions may.",
            method.site,
            "Write `implies(condition, …)` for a condition, and exists(…) or forall(…) for a choice.",
        )
    mistakes: list[Mistake] = []
    tested: list[bool] = []

    def leaf(end: Done) -> dict[int, Expression]:
        tested.append(bool(end.antecedents))
        return {0: cast(Expression, end.returned), 1: x.disjoin(end.antecedents)}

    folded = fold(x, tree, leaf, mistakes)
    if folded.guard is not x.true:
        raise LiftError(
            f"{method.name} uses `require`, which only actions may.", method.site, "Write `implies(condition, …)`."
        )
    exercised = folded.values.get(1, x.false) if any(tested) else None
    return Judgement(folded.values.get(0, x.false), exercised, folded.mistake, tuple(mistakes))


def _uses_implies(code: CodeType) -> bool:
    return "implies" in code.co_names or any(_uses_implies(c) for c in code.co_consts if isinstance(c, CodeType))


def lift_state_property(context: Context, method: Method) -> Judgement:
    """A property of one state."""
    before = list(context.current)
    why = f"in the property {method.name}."

    def call(path: Path) -> object:
        return method.function(shadow(context, Environment(path, context.slots, before, frozen=why)))

    return lift_judgement(context, method, call, lambda: ())


def lift_liveness(context: Context, method: Method) -> tuple[Judgement | None, Judgement]:
    """The trigger (None for `eventually`) and the goal of a property of whole behaviours."""
    if method.marks.role == "eventually":
        return None, lift_state_property(context, method)
    before = list(context.current)
    why = f"in the property {method.name}."

    def part(position: int) -> Judgement:
        def call(path: Path) -> object:
            pair = method.function(shadow(context, Environment(path, context.slots, before, frozen=why)))
            if not isinstance(pair, tuple) or len(cast("tuple[object, ...]", pair)) != 2:
                raise LiftError(
                    f"{method.name} does not return a pair.",
                    method.site,
                    "Return what leads, and to what: `return p, q`.",
                )
            return cast("tuple[object, object]", pair)[position]

        return lift_judgement(context, method, call, lambda: ())

    return part(0), part(1)


def lift_step_property(context: Context, method: Method, transition: Transition, words: Words) -> Judgement:
    """A property of one transition's steps; `words` is what it may compare them with."""
    x = context.expressions
    before = list(context.current)
    after = list(before)
    for position, node in transition.updates:
        slot = context.slots[position]
        after[position] = node if node.is_const else x.next_slot(position, slot.lo, slot.hi, is_bool=slot.is_bool)
    why = f"in the property {method.name}."
    outcome = x.outcome(len(transition.outcomes)) if len(transition.outcomes) > 1 else x.const(0)

    def call(path: Path) -> object:
        sides = [shadow(context, Environment(path, context.slots, values, frozen=why)) for values in (before, after)]
        step = Step(
            ActionName.of(transition.action, words),
            Arguments.of(seen(path, dict(transition.given)), words),
            lambda: OutcomeText.of(transition.outcomes[path.concrete(outcome, lambda: "the outcome")], words),
            *sides,
        )
        return method.function(shadow(context, Environment(path, context.slots, before, frozen=why)), step)

    return lift_judgement(context, method, call, lambda: ())
