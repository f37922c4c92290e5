"""What all containers of the state have in common, as an action sees them while it is lifted.

Comparing, copying, and refusing what they lack. Not here: what each of them does (`views.py`, `elements.py`).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, cast

from .expressions import Expression
from .kind_equality import is_same_kind
from .path import Path, active
from .symbols import truth
from .values import View


class Container(View):
    """What all containers have in common."""

    def universe_tests(self) -> list[tuple[object, Expression]] | None:
        """For a set or bag, each value that could be in it with whether it is; None for anything else."""
        return None

    @property
    def _path(self) -> Path:
        return self.place.env.path

    def same_as(self, other: Any) -> Expression | None:
        """Whether a plain container of the kind that this one stands for has the same in it; None for any other."""
        raise NotImplementedError

    def _same(self, other: object) -> Expression:
        path, x = self._path, self._path.expressions
        if isinstance(other, Container) and is_same_kind(self.kind, other.kind):
            pairs = ((self.place.read(i), other.place.read(i)) for i in range(self.kind.width))
            return x.conjoin(x.equal(a, b) for a, b in pairs)
        found = None if isinstance(other, Container) else self.same_as(other)
        if found is not None:
            return found
        if isinstance(other, Iterable) and not isinstance(other, str | bytes):
            theirs = type(cast(object, other)).__name__
            path.refuse(
                f"{self.place.name}, a {self.kind}, is compared with a {theirs} of another kind.",
                "Compare it with one of its own kind (a Queue with a deque, say), or compare what is in it.",
            )
        return x.false

    def __eq__(self, other: object) -> Any:
        return truth(self._path, self._same(other))

    def __ne__(self, other: object) -> Any:
        return truth(self._path, self._path.expressions.negate(self._same(other)))

    def __copy__(self) -> Any:
        return type(self)(self.anchor.copy(), self.kind)

    def __deepcopy__(self, memo: object) -> Any:
        return self.__copy__()

    def text(self) -> str:
        """The value as text, by a fork for each it may be."""
        raise NotImplementedError

    def __repr__(self) -> str:
        # Outside of its run, to a debugger say, it has no value.
        return self.text() if active.get() is self._path else f"<{self.place.name} as {self.kind}>"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        inner = (
            "place",
            "kind",
            "anchor",
            "universe_tests",
            "same_as",
            "text",
            "size",
            "membership",
            "contains",
            "any_of",
        )
        methods = [n for n in dir(type(self)) if not n.startswith("_") and n not in inner]
        self._path.refuse(
            f"{self.place.name} is a {type(self.kind).__name__[:-4]}, which has no {name!r}.",
            f"It has {', '.join(methods) or 'only indexing, `in`, `len` and `for`'}.",
        )
