"""Which transitions a liveness property's fairness speaks of: one demand for each instance of a named action."""

from __future__ import annotations

from collections.abc import Sequence

from .errors import ModelError, nearest
from .methods import Method
from .system import Fairness, Transition
from .temporal import EVERY_ACTION, Fair


def fairness(prop: Method, marked: Sequence[Method], transitions: Sequence[Transition]) -> tuple[Fairness, ...]:
    """The fairness demands of a property. Raises ModelError for an action that is not there, or is a fault."""
    actions = {m.marks.name: m for m in marked if m.marks.role == "action"}
    strength: dict[str, bool] = {}
    for fair in prop.marks.fair:
        assert isinstance(fair, Fair), "temporal.py makes nothing else"
        if fair.action == EVERY_ACTION:
            for name, action in actions.items():
                if action.marks.fault is None:
                    strength[name] = strength.get(name, False) or fair.is_strong
            continue
        if fair.action not in actions:
            what = f"In the fairness of {prop.marks.name}, the action"
            raise ModelError(nearest(fair.action, actions, what), prop.site)
        if actions[fair.action].marks.fault is not None:
            raise ModelError(
                f"{prop.marks.name} is fair to {fair.action}, which is a fault.",
                prop.site,
                "A fault may always happen never. Leave it out.",
            )
        strength[fair.action] = strength.get(fair.action, False) or fair.is_strong
    found: dict[tuple[str, tuple[tuple[str, object], ...]], list[int]] = {}
    for position, transition in enumerate(transitions):
        if transition.action in strength:
            declared = actions[transition.action].marks.domains
            instance = tuple((name, str(value)) for name, value in transition.arguments if name in declared)
            found.setdefault((transition.action, instance), []).append(position)
    return tuple(
        Fairness(f"{action}({', '.join(f'{n}={v}' for n, v in instance)})", tuple(positions), strength[action])
        for (action, instance), positions in found.items()
    )
