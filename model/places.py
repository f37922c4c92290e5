"""Where values of the state lie while an action is lifted: the expressions of all slots, and places among them.

An object that an action has read from the state (an array, a record) is anchored to its place: what happens there is
seen through it, and the other way round. When another value is put in its place, the object keeps what it was, as a
Python object does that an attribute no longer refers to. Not here: what kinds make of a place (`views.py`).
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from .expressions import Expression
from .layout import Slot
from .path import Path


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

        `itself` is true where the whole value at the place goes, and not only what is inside of it.
        """
        kept: list[weakref.ref[Anchor]] = []
        for reference in self._anchors:
            anchor = reference()
            if anchor is None:
                continue
            if self._is_in(anchor, place, width, itself=itself):
                anchor.cut_loose()
            else:
                kept.append(reference)
        self._anchors = kept

    def _is_in(self, anchor: Anchor, place: Place, width: int, *, itself: bool) -> bool:
        x = self.path.expressions
        inside = [
            x.conjoin((theirs, ours))
            for theirs, first in anchor.place.alternatives
            for ours, start in place.alternatives
            if start <= first
            and first + anchor.width <= start + width
            and (itself or (start, width) != (first, anchor.width))
        ]
        return bool(inside) and self.path.decide(x.disjoin(inside))


@dataclass(frozen=True, slots=True)
class Place:
    """Where a value lies: its first slot, or several possible ones, each with the condition under which it is it."""

    env: Environment
    alternatives: tuple[tuple[Expression, int], ...]

    @classmethod
    def at(cls, env: Environment, first: int) -> Place:
        """The place that begins at a slot."""
        return cls(env, ((env.path.expressions.true, first),))

    @property
    def name(self) -> str:
        """The name of the first slot, for messages."""
        return self.env.slots[self.alternatives[0][1]].name

    def is_same(self, other: Place) -> bool:
        """Whether two places are one."""
        return self.env is other.env and self.alternatives == other.alternatives

    def shifted(self, offset: int) -> Place:
        """The place some slots further on."""
        return replace(self, alternatives=tuple((c, first + offset) for c, first in self.alternatives))

    def one_of(self, offsets: Iterable[tuple[Expression, int]]) -> Place:
        """One of several places further on, each under a condition."""
        x = self.env.path.expressions
        steps = tuple(offsets)
        return replace(
            self,
            alternatives=tuple((x.conjoin((c, d)), first + o) for c, first in self.alternatives for d, o in steps),
        )

    def read(self, offset: int = 0) -> Expression:
        """The expression of one slot."""
        x, values = self.env.path.expressions, self.env.values
        *others, (_, last) = self.alternatives
        result = values[last + offset]
        for condition, first in reversed(others):
            result = x.choose(condition, values[first + offset], result)
        return result

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
        self.place = place
        self.width = width
        place.env.hold(self)

    def cut_loose(self) -> None:
        """From now on the object is by itself: it keeps what lies at its place now, and changes nothing there."""
        self.place = self.copy()

    def copy(self) -> Place:
        """A place of its own with the same value."""
        env, first = self.place.env, self.place.alternatives[0][1]
        values = [self.place.read(i) for i in range(self.width)]
        return Place.at(Environment(env.path, env.slots[first : first + self.width], values), 0)
