"""The steps that are possible in a state, by the one-step interpreter, remembered."""

from __future__ import annotations

from dataclasses import dataclass

from fenceproof.model.errors import ModelError
from fenceproof.model.step import enabled, take
from fenceproof.model.system import Mistake, State, Transition, TransitionSystem


@dataclass(frozen=True, slots=True)
class Step:
    """A step by the transition at a position: its outcome, and the state after it."""

    position: int
    outcome: str | None
    state: State


class Steps:
    """The steps of a system from any of its states."""

    def __init__(self, system: TransitionSystem) -> None:
        self._system = system
        self._known: dict[State, tuple[Step, ...]] = {}

    def after(self, state: State) -> tuple[Step, ...]:
        """The steps from a state, in the model's order. ModelError where the model itself goes wrong in one."""
        if state not in self._known:
            self._known[state] = tuple(self._step(state, position) for position in enabled(self._system, state))
        return self._known[state]

    def _step(self, state: State, position: int) -> Step:
        transition = self._system.transitions[position]
        found = take(transition, state)
        if found.mistake is not None:
            raise goes_wrong(transition, found.mistake)
        assert found.state is not None, "a step without a mistake leads to a state"
        return Step(position, found.outcome, found.state)


def goes_wrong(transition: Transition, mistake: Mistake) -> ModelError:
    """What is said of a model that goes wrong in a step, so that nothing can be held against it."""
    return ModelError(
        f"the model itself goes wrong in {transition.action}: {mistake.message}.",
        mistake.site,
        "Mend it first: fenceproof check shows a trace to it.",
    )
