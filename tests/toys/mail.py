"""A small model written as an author would: records, a choice, a fault with a budget, two properties."""

from __future__ import annotations

from fenceproof.model import (
    Array,
    Choice,
    Maybe,
    Model,
    Range,
    Record,
    Set,
    Step,
    action,
    choose,
    fault,
    implies,
    invariant,
    require,
    step_property,
    terminal,
)


class Letter(Record):
    to = Range(0, 1)
    tone = Choice("kind", "stern")


class Mail(Model):
    """Letters are sent, read, and sometimes lost."""

    def __init__(self, boxes: int = 2) -> None:
        self.boxes = boxes
        self.last = Maybe(Letter())
        self.under_way = Set(Letter())
        self.read = Array(boxes, Range(0, 2))

    @action(to="boxes")
    def send(self, to: int) -> str:
        letter = Letter.of(to=to, tone=choose(["kind", "stern"], label="tone"))
        require(letter not in self.under_way and self.read[to] < 2)
        self.under_way.add(letter)
        self.last = letter
        return "first" if self.read[to] == 0 else "another"

    @action
    def deliver(self) -> None:
        letter = choose(self.under_way, label="letter")
        require(self.read[letter.to] < 2)
        self.under_way.remove(letter)
        self.read[letter.to] += 1

    @fault("loss", budget=1)
    @action
    def lose(self) -> str:
        require(len(self.under_way) == 1)
        self.under_way.clear()
        return "lost"

    @terminal
    def anywhere(self) -> bool:
        return True

    @step_property
    def never_unread(self, step: Step) -> bool:
        """No letter is unread again."""
        return bool(step.after.read[0] >= step.before.read[0])

    @invariant
    def stern_are_last(self) -> bool:
        return implies(self.last is not None, len(self.under_way) <= 4)
