"""One run of an author's function along one path: the decisions it met, and the facts they imply.

Lifting runs a function again and again, each time with other decisions forced, until every path was taken. A truth
test whose answer already follows from the facts is not a decision. Facts are sound but not complete: a path that
cannot really happen may be explored, and then its condition is simply never true.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Final, NoReturn

from .errors import LiftError, Site
from .expressions import UNBOUNDED, Expression, Expressions, Op, evaluate
from .jumps import test_here
from .layout import Slot
from .source import here
from .system import Mistake
from .trail import Notes, Side

#: Lines, reads and truth tests along one path; beyond this a loop is taken not to end.
MOST_MOVES: Final = 100_000
#: Values of one slot up to which facts about it are kept as the set of its possible values.
WIDEST_DOMAIN: Final = 256


class PathEnd(BaseException):
    """Ends a run from within. Not an `Exception`, so that no author's `except Exception` swallows it."""


class Disabled(PathEnd):
    """`require` was false: the action is not enabled on this path."""


class WentWrong(PathEnd):
    """The model went wrong on this path."""

    def __init__(self, mistake: Mistake) -> None:
        super().__init__(mistake.message)
        self.mistake = mistake


@dataclass(frozen=True, slots=True)
class Decision:
    """A fork that a run met: a truth test (`condition`) or a choice (`options`, shown under `label`).

    `taken` is the side this run went, 1 for true. `otherwise` is how the other side of a test ends where that is
    known without running it: not enabled (Disabled), or a Mistake.
    """

    condition: Expression | None
    options: tuple[object, ...]
    taken: int
    label: str = ""
    otherwise: type[Disabled] | Mistake | None = None
    site: Site | None = None


@dataclass(slots=True)
class Facts:
    """What is known on a path: tests with their answers, and for small slots the values still possible (bit sets)."""

    truths: Truths
    known: dict[int, bool] = field(default_factory=dict[int, bool])
    domains: dict[int, int] = field(default_factory=dict[int, int])

    def answer(self, condition: Expression) -> bool | None:
        """Whether a test's answer follows from the facts, and which it is."""
        if condition.is_const:
            return bool(condition.value)
        if condition.op is Op.NOT:
            inner = self.answer(condition.args[0])
            return None if inner is None else not inner
        if condition.number in self.known:
            return self.known[condition.number]
        true_for = self.truths.of(condition)
        if true_for is not None:
            possible = self.domains.get(condition.support)
            if possible is None:
                possible = self.truths.whole(condition.support)
            if possible & true_for == 0:
                return False
            if possible & ~true_for == 0:
                return True
            return None
        if condition.op in (Op.AND, Op.OR):
            decisive = condition.op is Op.OR
            answers = [self.answer(part) for part in condition.args]
            if decisive in answers:
                return decisive
            if None not in answers:
                return not decisive
        return None

    def learn(self, condition: Expression, truth: bool) -> None:
        """Take a test's answer as known."""
        if condition.op is Op.NOT:
            self.learn(condition.args[0], not truth)
            return
        self.known[condition.number] = truth
        true_for = self.truths.of(condition)
        if true_for is not None:
            possible = self.domains.get(condition.support, self.truths.whole(condition.support))
            self.domains[condition.support] = possible & (true_for if truth else ~true_for)
        elif condition.op is (Op.AND if truth else Op.OR):
            for part in condition.args:
                self.learn(part, truth)

    def values(self, node: Expression) -> list[int] | None:
        """The values that a number may still have, ascending; None where there are too many to list."""
        if node.is_const:
            return [node.value]
        by_value = self.truths.values(node)
        if by_value is None:
            return None if node.hi - node.lo >= WIDEST_DOMAIN else list(range(node.lo, node.hi + 1))
        possible = self.domains.get(node.support, self.truths.whole(node.support))
        return sorted({value for bit, value in enumerate(by_value) if possible >> bit & 1})


class Truths:
    """For expressions over a single small slot: their value at each of the slot's values. Shared by all runs."""

    def __init__(self, slots: Sequence[Slot]) -> None:
        self._slots = slots
        self._values: dict[int, list[int] | None] = {}
        self._masks: dict[int, int | None] = {}

    def _slot(self, support: int) -> Slot | None:
        if support == 0 or support & (support - 1):
            return None
        slot = self._slots[(support.bit_length() - 1) // 2]
        return slot if slot.hi - slot.lo < WIDEST_DOMAIN else None

    def whole(self, support: int) -> int:
        """The bit set of all values of the one slot in `support`."""
        slot = self._slots[(support.bit_length() - 1) // 2]
        return (1 << slot.hi - slot.lo + 1) - 1

    def values(self, node: Expression) -> list[int] | None:
        """The node's value at each value of its slot, or None if it reads several slots or a wide one."""
        if node.number not in self._values:
            slot = self._slot(node.support)
            found: list[int] | None = None
            if slot is not None and not node.free:
                position = (node.support.bit_length() - 1) // 2
                rows = ({position: value} for value in range(slot.lo, slot.hi + 1))
                found = [evaluate([node], row, row)[0] for row in rows]
            self._values[node.number] = found
        return self._values[node.number]

    def of(self, condition: Expression) -> int | None:
        """The bit set of the slot's values at which a condition is true."""
        if condition.number not in self._masks:
            values = self.values(condition)
            mask = None if values is None else sum(1 << bit for bit, value in enumerate(values) if value)
            self._masks[condition.number] = mask
        return self._masks[condition.number]


class Path:
    """One run. `forced` are the sides to take at the first decisions; beyond them the first side is taken."""

    def __init__(self, expressions: Expressions, truths: Truths, forced: Sequence[int] = ()) -> None:
        self.expressions = expressions
        self.decisions: list[Decision] = []
        self.facts = Facts(truths)
        self.implications: list[Expression] = []
        self.ended: PathEnd | None = None
        self.hint = ""
        self.guards = 0  # calls of consequents that are going on
        self.notes: Notes | None = None  # where somebody wants to know what the run comes along
        self._forced = forced
        self._moves = 0

    def move(self) -> None:
        """Count a line, a read or a truth test, and refuse what does not come to an end."""
        self._moves += 1
        if self._moves > MOST_MOVES:
            self.refuse(
                f"this line is reached after {MOST_MOVES:,} others in one run: a loop around it may run for ever.",
                "Write a `for` over a finite range, or make each round an action of its own.",
            )

    def decide(self, condition: Expression, otherwise: type[Disabled] | Mistake | None = None) -> bool:
        """The answer of a truth test on this path: the known one, or the side this run is to take."""
        self.move()
        if condition.free > 1:
            self.refuse(
                "this truth test is about an element of a set that may have any number of them.",
                "Inside exists(…) and forall(…) over such a set write & and | for `and` and `or`, and no `if`.",
            )
        if active.get() is not self:
            self.refuse(
                "a value of the state is used after the run that it was read in.",
                "Keep it in the state; do not remember it in a cache, a closure or a global.",
            )
        known = self.facts.answer(condition)
        if known is not None:
            return known
        # A side that ends the run must stay the false side; then the negation itself is the decision.
        if condition.op is Op.NOT and otherwise is None:
            return not self.decide(condition.args[0])
        taken, site = self._take(1), here()
        self.decisions.append(Decision(condition, (), taken, "", otherwise, site))
        self.facts.learn(condition, bool(taken))
        return bool(taken)

    def test(self, condition: Expression) -> bool:
        """The answer of a truth test that the author's code makes, noted where that is asked for."""
        answer = self.decide(condition)
        span = test_here() if self.notes is not None else None
        if self.notes is not None and span is not None:
            self.notes.sides.add(Side(span, answer))
            self.notes.asked.add(span)
        return answer

    def _take(self, first: int) -> int:
        place = len(self.decisions)
        return self._forced[place] if place < len(self._forced) else first

    def choose(self, options: Sequence[object], label: str) -> int:
        """The position of one of some options: a run for each."""
        if not options:
            self.end(Disabled())
        if len(options) == 1:
            return 0
        taken = self._take(0)
        self.decisions.append(Decision(None, tuple(options), taken, label, site=here()))
        return taken

    def require(self, condition: Expression) -> None:
        """Go on only where the condition is true; elsewhere the action is not enabled."""
        if not self.decide(condition, otherwise=Disabled):
            self.end(Disabled())

    def demand(self, condition: Expression, message: str) -> None:
        """Go on only where the condition is true; elsewhere the model goes wrong."""
        mistake = self.mistake(message, here())
        if not self.decide(condition, otherwise=mistake):
            self.end(WentWrong(mistake))

    def go_wrong(self, message: str) -> NoReturn:
        """The model goes wrong on this path."""
        self.end(WentWrong(self.mistake(message, here())))

    def mistake(self, message: str, site: Site | None, *, is_guardable: bool = True) -> Mistake:
        """A mistake of the model, with the hint that the method gives for what is not guarded."""
        is_hinted = is_guardable and self.hint and not self.guards
        return Mistake(f"{message} ({self.hint})" if is_hinted else message, site)

    def end(self, how: PathEnd) -> NoReturn:
        """End the run, remembering how, so that a bare `except:` in between cannot hide it."""
        self.ended = how
        raise how

    def refuse(self, message: str, remedy: str) -> NoReturn:
        """The author's code cannot be lifted."""
        raise LiftError(message, here(), remedy)

    def concrete(self, node: Expression, what: Callable[[], str]) -> int:
        """A number as one plain value, by a fork for each value it may have; `what` says what needed it."""
        possible = self.facts.values(node)
        if possible is None:
            count = "no bound" if node.hi >= UNBOUNDED else f"{node.hi - node.lo + 1:,} possible values"
            self.refuse(
                f"{what()} needs a plain number, and this one has {count}.",
                f"Keep the range to {WIDEST_DOMAIN} values, or write it as a comparison.",
            )
        for value in possible[:-1]:
            if self.decide(self.expressions.equal(node, self.expressions.const(value))):
                return value
        return possible[-1]


#: The run that is going on in this context, if an action or property is being lifted.
active: ContextVar[Path | None] = ContextVar("active", default=None)
