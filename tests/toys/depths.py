"""How soon each property falls, by a plain breadth-first search with the one-step interpreter.

Unlike an engine it goes on after a mistake of the model, which is one more property here (`model-error`). What is asked
of a step is answered in the state after it, so every answer is a number of steps.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from fenceproof.model.step import enabled, is_quiescent, judge_state, judge_step, take
from fenceproof.model.system import DEADLOCK, State, TransitionSystem

MODEL_ERROR = "model-error"


@dataclass
class Explored:
    """The reachable states, each with the number of steps that it takes, and the same for each property that falls."""

    states: dict[State, int]
    falls: dict[str, int] = field(default_factory=dict[str, int])

    @property
    def depth(self) -> int:
        """The number of steps after which there is nothing new."""
        return max(self.states.values())

    def fell(self, name: str, depth: int) -> None:
        # A step from a state looked at before may have said so one step later than this state does.
        self.falls[name] = min(depth, self.falls.get(name, depth))


def explore(system: TransitionSystem) -> Explored:
    """Every reachable state of a small system."""
    found = Explored(dict.fromkeys(system.initial, 0))
    for state in (queue := list(found.states)):
        depth = found.states[state]
        _judge(system, state, found)
        for position in enabled(system, state):
            after = take(system.transitions[position], state).state
            if after is None:
                found.fell(MODEL_ERROR, depth + 1)
                continue
            for name in violated_by_step(system, position, state, after):
                found.fell(name, depth + 1)
            if after not in found.states:
                found.states[after] = depth + 1
                queue.append(after)
    return found


def violated_by_step(system: TransitionSystem, position: int, before: State, after: State) -> set[str]:
    """The step properties that a step violates, and `model-error` where judging one of them goes wrong."""
    found: set[str] = set()
    for prop in system.step_properties:
        judged = judge_step(prop.judgements[position], system.transitions[position], before, after)
        if judged.mistake is not None:
            found.add(MODEL_ERROR)
        elif not judged.holds:
            found.add(prop.name)
    return found


def _judge(system: TransitionSystem, state: State, found: Explored) -> None:
    quiescent = is_quiescent(system, state)
    asked = [(i.name, i.judgement) for i in system.invariants if quiescent or not i.quiescent]
    if quiescent:
        asked.append((DEADLOCK, system.terminal))
    for name, judgement in asked:
        judged = judge_state(judgement, state)
        if judged.mistake is not None:
            found.fell(MODEL_ERROR, found.states[state])
        elif not judged.holds:
            found.fell(name, found.states[state])
