"""Some reachable states of an unbounded system, by random walks: what an invariant must not exclude.

Expressions become Python functions once, because the interpreter takes some milliseconds for a step. The walks are
the same on every run. Nothing is proved by them: they tell which candidates are false, and what certainly happens.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from fenceproof.model.expressions import UNBOUNDED, Expression, Op, evaluate, reachable
from fenceproof.model.system import DEADLOCK, Judgement, State, Transition, TransitionSystem

Function: TypeAlias = Callable[[Sequence[int], Sequence[int], Sequence[int], int], list[int]]

WALKS: Final = 40
STEPS: Final = 25
_INFIX: Final = {Op.EQ: "==", Op.LT: "<", Op.ADD: "+", Op.SUB: "-", Op.MUL: "*"}


def compiled(roots: Sequence[Expression]) -> Function:
    """A function of the state before, the state after, the parameters and the outcome that gives the roots' values."""
    quantified: dict[str, Any] = {}
    lines: list[str] = []
    for node in reachable(roots):
        if node.free > 1:
            continue  # inside a quantifier, which the interpreter evaluates
        lines.append(f" v{node.number} = {_text(node, quantified)}")
    source = "def function(s, n, p, o):\n" + "\n".join(lines)
    source += f"\n return [{', '.join(f'v{r.number}' for r in roots)}]\n"
    exec(compile(source, "<expressions>", "exec"), quantified)
    function: Function = quantified["function"]
    return function


def _text(node: Expression, quantified: dict[str, Any]) -> str:
    args = [f"v{a.number}" for a in node.args]
    match node.op:
        case Op.CONST:
            return str(node.value)
        case Op.SLOT:
            return f"s[{node.value}]"
        case Op.NEXT:
            return f"n[{node.value}]"
        case Op.PARAM:
            return f"p[{node.value}]"
        case Op.OUTCOME:
            return "o"
        case Op.NOT:
            return f"1 - {args[0]}"
        case Op.AND:
            return f"int({' and '.join(args)})"
        case Op.OR:
            return f"int({' or '.join(args)})"
        case Op.ITE:
            return f"{args[1]} if {args[0]} else {args[2]}"
        case Op.DIV | Op.MOD:
            return f"{args[0]} {'//' if node.op is Op.DIV else '%'} {args[1]} if {args[1]} else 0"
        case Op.SELECT:
            return f"{args[0]} >> {args[1]} & 1 if {args[1]} >= 0 else 0"
        case Op.STORE:
            return f"{args[0]} | 1 << {args[1]} if {args[2]} else {args[0]} & ~(1 << {args[1]})"
        case Op.EXISTS:
            quantified[f"q{node.number}"] = _interpreted(node)
            return f"q{node.number}(s, n, p, o)"
        case _:
            return f"int({f' {_INFIX[node.op]} '.join(args)})"


def _interpreted(node: Expression) -> Callable[[Sequence[int], Sequence[int], Sequence[int], int], int]:
    def function(before: Sequence[int], after: Sequence[int], params: Sequence[int], outcome: int) -> int:
        return evaluate([node], before, after, outcome, params)[0]

    return function


@dataclass(slots=True)
class Samples:
    """States that were reached, each once, which transitions were taken, and which properties were put to the test."""

    states: list[State] = field(default_factory=list[State])
    taken: set[int] = field(default_factory=set[int])
    tested: set[str] = field(default_factory=set[str])


def sample(system: TransitionSystem, ignored: frozenset[int] = frozenset(), seed: int = 0) -> Samples:
    """Walk at random from the initial states. Slots that are ignored stay what they are at the beginning."""
    return _Walker(system, ignored, random.Random(seed)).walk()


class _Walker:
    def __init__(self, system: TransitionSystem, ignored: frozenset[int], rng: random.Random) -> None:
        self._ignored = ignored
        self._system, self._rng = system, rng
        self._guards = [compiled([t.guard, t.mistake]) for t in system.transitions]
        self._effects = [compiled([t.outcome, *(node for _, node in t.updates)]) for t in system.transitions]
        self._steps = [
            [(prop.name, _exercise(prop.judgements[i])) for prop in system.step_properties]
            for i in range(len(system.transitions))
        ]
        self._invariants = [(inv.name, inv.quiescent, _exercise(inv.judgement)) for inv in system.invariants]
        self.found = Samples(tested={DEADLOCK})

    def walk(self) -> Samples:
        seen: dict[State, None] = {}
        for _ in range(WALKS):
            state = self._rng.choice(self._system.initial)
            seen[state] = None
            for _ in range(STEPS):
                enabled = list(self._enabled(state))
                self._judge(state, quiet=all(self._system.transitions[i].fault for i, _ in enabled))
                if not enabled:
                    break
                state = self._take(state, *self._rng.choice(enabled))
                seen[state] = None
        self.found.states = list(seen)
        return self.found

    def _enabled(self, state: State) -> Iterator[tuple[int, tuple[int, ...]]]:
        numbers = largest(self._system, state) + 2
        for i, t in enumerate(self._system.transitions):
            ranges = [range(parameter.lo, numbers) for _, parameter in t.params]
            for params in itertools.islice(itertools.product(*ranges), 200):
                guard, mistake = self._guards[i](state, (), params, 0)
                if guard and not mistake:
                    yield i, params

    def _take(self, state: State, i: int, params: tuple[int, ...]) -> State:
        t: Transition = self._system.transitions[i]
        outcome, *values = self._effects[i](state, (), params, 0)
        after = list(state)
        for (position, _), value in zip(t.updates, values, strict=True):
            if position not in self._ignored:
                after[position] = value
        self.found.taken.add(i)
        for name, exercise in self._steps[i]:
            if name not in self.found.tested and exercise(state, after, params, outcome)[0]:
                self.found.tested.add(name)
        return tuple(after)

    def _judge(self, state: State, *, quiet: bool) -> None:
        for name, quiescent, exercise in self._invariants:
            if name not in self.found.tested and (quiet or not quiescent) and exercise(state, (), (), 0)[0]:
                self.found.tested.add(name)


def _exercise(judgement: Judgement) -> Function:
    """A function that tells whether a property is put to the test; of one that always is, a constant."""
    return _always if judgement.exercised is None else compiled([judgement.exercised])


def _always(before: Sequence[int], after: Sequence[int], params: Sequence[int], outcome: int) -> list[int]:
    return [1]


def largest(system: TransitionSystem, state: State) -> int:
    """The largest number without a bound in a state, or in a set of it."""
    found = [0]
    for slot, value in zip(system.slots, state, strict=True):
        if slot.hi == UNBOUNDED:
            found.append(value)
        elif slot.hi > UNBOUNDED:
            found.append(value.bit_length() - 1)
    return max(found)
