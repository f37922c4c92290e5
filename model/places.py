"""Where values of the state lie while an action is lifted: the expressions of all slots, and places among them.

An object that an action has read from the state (an array, a record) is anchored to its place: what happens there is
seen through it, and the other way round. When another value is put in its place, the object keeps what it was, as a
Python object does that an attribute no longer refers to. Not here: what kinds make of a place (`views.py`).
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from .constants import shown
from .expressions import Expression
from .layout import Slot
from .path import Path

#: Where an object that was read lies in a place: under a condition, from one slot on, in what begins at another.
Overlap: TypeAlias = tuple[Expression, int, int]


@dataclass(slots=True)
class Environment:
    """The expression of every slot at this point of a run. `frozen` says why it may not be changed, or is empty."""

    path: Path
    slots: Sequence[Slot]
    values: list[Expression]
    frozen: str = ""
    _anchors: list[weakref.ref[Anchor]] = field(default_factory=list["weakref.ref[Anchor]"])

    def hold(self, anchor: Anchor) -> None:
        """Remember an object that was read from here, for as long as an action keeps it."""
        self._anchors.append(weakref.ref(anchor))

    def release(self, place: Place, width: int, *, itself: bool) -> None:
        """Cut loose what was read from a place, because something else is about to be there.

        What was read keeps its value, and what was read twice, or one out of the other, keeps hanging together.
        `itself` is true where the whole value at the place goes, and not only what is inside of it.
        """
        copy: Environment | None = None
        for anchor, inside in self._taken_from(place, width, itself=itself):
            copy = copy or place.copy(width)
            anchor.move(Place(copy, tuple((c, first - start) for c, first, start in inside), anchor.place.steps))

    def shift(self, place: Place, width: int, by: int) -> None:
        """What was read from a place goes with its value, which is about to lie `by` slots further on."""
        for anchor, inside in self._taken_from(place, width, itself=True):
            anchor.move(Place(self, tuple((c, first + by) for c, first, _ in inside), anchor.place.steps))

    def _taken_from(self, place: Place, width: int, *, itself: bool) -> list[tuple[Anchor, list[Overlap]]]:
        """Take out the anchors of what was read from a place, each with where it overlaps, and forget them here."""
        found: list[tuple[Anchor, list[Overlap]]] = []
        kept: list[weakref.ref[Anchor]] = []
        for reference in self._anchors:
            anchor = reference()
            if anchor is None:
                continue
            inside = self._overlaps(anchor, place, width, itself=itself)
            if inside and self.path.decide(self.path.expressions.disjoin(c for c, _, _ in inside)):
                found.append((anchor, inside))
            else:
                kept.append(reference)
        self._anchors = kept
        return found

    def _overlaps(self, anchor: Anchor, place: Place, width: int, *, itself: bool) -> list[Overlap]:
        # A record of one field takes the same slots as the field: how far down it lies tells them apart.
        depth = len(place.steps) if itself else len(place.steps) + 1
        if len(anchor.place.steps) < depth:
            return []
        pairs = (
            (self.path.expressions.conjoin((theirs, ours)), first, start)
            for theirs, first in anchor.place.alternatives
            for ours, start in place.alternatives
            if start <= first and first + anchor.width <= start + width
        )
        return [pair for pair in pairs if pair[0] is not self.path.expressions.false]


class Key:
    """An index or a key on the way to a place; without a value, one that is known only as an expression."""

    # No dataclass, as `Place` is none.
    __slots__ = ("value",)

    def __init__(self, value: object = ...) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Key) and self.value == other.value

    def __hash__(self) -> int:
        return hash(self.value)

    def __str__(self) -> str:
        return "[…]" if self.value is ... else f"[{shown(self.value)}]"


class Place:
    """Where a value lies: its first slot, or several possible ones, each with the condition under which it is it."""

    # No dataclass: each read of the state makes some, and one that is frozen takes three times as long to make.
    __slots__ = ("alternatives", "env", "steps")

    def __init__(
        self, env: Environment, alternatives: tuple[tuple[Expression, int], ...], steps: tuple[str | Key, ...]
    ) -> None:
        self.env = env
        self.alternatives = alternatives
        self.steps = steps

    @classmethod
    def at(cls, env: Environment, first: int, steps: tuple[str | Key, ...]) -> Place:
        """The place that begins at a slot; `steps` are a variable, and fields and keys from there on."""
        return cls(env, ((env.path.expressions.true, first),), steps)

    @property
    def name(self) -> str:
        """What an author writes to come here, for messages."""
        first, *others = self.steps
        return str(first) + "".join(str(step) if isinstance(step, Key) else f".{step}" for step in others)

    def is_same(self, other: Place) -> bool:
        """Whether two places are one."""
        same = self.alternatives == other.alternatives and self.steps == other.steps
        return same and self.env is other.env

    def shifted(self, offset: int, *steps: str | Key) -> Place:
        """The place some slots further on, where a field or a key leads."""
        if len(self.alternatives) == 1:
            ((condition, first),) = self.alternatives
            return Place(self.env, ((condition, first + offset),), self.steps + steps)
        alternatives = tuple([(c, first + offset) for c, first in self.alternatives])
        return Place(self.env, alternatives, self.steps + steps)

    def one_of(self, offsets: Sequence[tuple[Expression, int]]) -> Place:
        """One of several places further on, each under a condition."""
        x = self.env.path.expressions
        alternatives = tuple((x.conjoin((c, d)), first + o) for c, first in self.alternatives for d, o in offsets)
        return Place(self.env, alternatives, (*self.steps, Key()))

    def read(self, offset: int = 0) -> Expression:
        """The expression of one slot."""
        values = self.env.values
        if len(self.alternatives) == 1:
            return values[self.alternatives[0][1] + offset]
        x = self.env.path.expressions
        *others, (_, last) = self.alternatives
        result = values[last + offset]
        for condition, first in reversed(others):
            result = x.choose(condition, values[first + offset], result)
        return result

    def copy(self, width: int) -> Environment:
        """An environment of its own that holds what lies in some slots from here on."""
        first = self.alternatives[0][1]
        return Environment(self.env.path, self.env.slots[first : first + width], [self.read(i) for i in range(width)])

    def write(self, node: Expression, offset: int = 0) -> None:
        """Give one slot a new expression."""
        if self.env.frozen:
            self.env.path.refuse(f"{self.name} is changed {self.env.frozen}", "Only actions change the state.")
        x, values = self.env.path.expressions, self.env.values
        for condition, first in self.alternatives:
            values[first + offset] = x.choose(condition, node, values[first + offset])

    def write_all(self, nodes: Sequence[Expression], *, itself: bool = True) -> None:
        """Put another value here; what was read from here before keeps what it was."""
        self.env.release(self, len(nodes), itself=itself)
        for offset, node in enumerate(nodes):
            self.write(node, offset)


class Anchor:
    """Ties an object that an action holds to the `width` slots at its place."""

    __slots__ = ("__weakref__", "place", "width")

    def __init__(self, place: Place, width: int) -> None:
        self.width = width
        self.place = place
        place.env.hold(self)

    def move(self, place: Place) -> None:
        """The object lies at another place from now on."""
        self.place = place
        place.env.hold(self)

    def copy(self) -> Place:
        """A place of its own with the same value."""
        return Place.at(self.place.copy(self.width), 0, self.place.steps)
