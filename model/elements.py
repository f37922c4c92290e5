"""Sets and bags as an action sees them while it is lifted: a slot for each value that could be in them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, MutableSet
from typing import Any, cast

from .containers import Container
from .expressions import Expression
from .kinds import BagKind, SetKind
from .symbols import number
from .values import element_tests, matches, total


class SetView(Container, MutableSet[Any]):
    """A set. Iterating forks over which elements are in it."""

    kind: SetKind
    __hash__ = None  # type: ignore[assignment]
    __eq__ = Container.__eq__
    __ne__ = Container.__ne__

    @property  # type: ignore[misc]
    def __class__(self) -> type:  # pyright: ignore[reportIncompatibleMethodOverride]
        return set

    def text(self) -> str:
        return f"{{{', '.join(map(repr, self))}}}" if self else "set()"

    def same_as(self, other: Any) -> Expression | None:
        if not isinstance(other, set | frozenset):
            return None
        path, x = self._path, self._path.expressions
        present: list[Expression] = [x.false] * self.kind.width
        for element in cast("set[object]", other):
            found = matches(path, self.kind, element)
            if not found:
                return x.false
            for position, test in found:
                present[position] = x.disjoin((present[position], test))
        return x.conjoin(x.equal(self.membership(i), test) for i, test in enumerate(present))

    @classmethod
    def _from_iterable(cls, it: Iterable[Any]) -> Any:
        return set(it)

    def _tests(self, value: object) -> list[Expression]:
        return element_tests(self._path, self.kind, value, self.place.name)

    def membership(self, position: int) -> Expression:
        """Whether an element of the universe is in the set."""
        return self.place.read(position)

    def universe_tests(self) -> list[tuple[object, Expression]]:
        """Each value that could be in the set, with whether it is."""
        return [(element, self.membership(i)) for i, element in enumerate(self.kind.universe)]

    def size(self) -> Expression:
        """How many elements there are."""
        return total(self._path, (self.membership(i) for i in range(self.kind.width)))

    def contains(self, value: object) -> Expression:
        """Whether a value is in the set."""
        x = self._path.expressions
        return x.disjoin(x.conjoin((t, self.membership(i))) for i, t in matches(self._path, self.kind, value))

    def __contains__(self, value: object) -> bool:
        return self._path.test(self.contains(value))

    def __iter__(self) -> Iterator[Any]:
        for i, element in enumerate(self.kind.universe):
            if self._path.decide(self.membership(i)):
                yield element

    def __len__(self) -> int:
        return self._path.concrete(self.size(), lambda: "len() of a set")

    def __bool__(self) -> bool:
        return self._path.test(self._path.expressions.disjoin(self.membership(i) for i in range(self.kind.width)))

    def add(self, value: object) -> None:
        """Put an element in."""
        x = self._path.expressions
        for i, test in enumerate(self._tests(value)):
            self.place.write(x.disjoin((self.membership(i), test)), i)

    def discard(self, value: object) -> None:
        """Take an element out, if it is in."""
        x = self._path.expressions
        for i, test in matches(self._path, self.kind, value):
            self.place.write(x.conjoin((self.membership(i), x.negate(test))), i)

    def remove(self, value: object) -> None:
        """Take an element out; that it is not in is a mistake of the model."""
        self._path.demand(self.contains(value), f"an element is removed from {self.place.name} that is not in it")
        self.discard(value)

    def pop(self) -> Any:
        """Refused: any element may come."""
        self._path.refuse(
            f"{self.place.name}.pop() takes any element out.",
            f"Let the checker try each: `x = choose({self.place.name})`, and then `{self.place.name}.remove(x)`.",
        )

    def clear(self) -> None:
        """Take every element out."""
        for i in range(self.kind.width):
            self.place.write(self._path.expressions.false, i)

    def update(self, *others: Iterable[object]) -> None:
        """Put the elements of others in."""
        for other in others:
            for element in other:
                self.add(element)


class BagView(Container):
    """A multiset. Iterating yields each element that is in it, once."""

    kind: BagKind

    def text(self) -> str:
        return repr([element for element in self for _ in range(self.count(element))])

    def same_as(self, other: Any) -> Expression | None:
        return None

    def _tests(self, value: object) -> list[Expression]:
        return element_tests(self._path, self.kind, value, self.place.name)

    def universe_tests(self) -> list[tuple[object, Expression]]:
        """Each value that could be in the bag, with whether it is."""
        x = self._path.expressions
        return [(e, x.less(x.const(0), self.place.read(i))) for i, e in enumerate(self.kind.universe)]

    def _count(self, value: object) -> Expression:
        x = self._path.expressions
        parts = [x.choose(t, self.place.read(i), x.const(0)) for i, t in matches(self._path, self.kind, value)]
        return total(self._path, parts)

    def size(self) -> Expression:
        """How many elements there are in all."""
        return total(self._path, (self.place.read(i) for i in range(self.kind.width)))

    def count(self, value: object) -> Any:
        """How often an element is in the bag."""
        return number(self._path, self._count(value))

    def __contains__(self, value: object) -> bool:
        x = self._path.expressions
        return self._path.test(x.less(x.const(0), self._count(value)))

    def __iter__(self) -> Iterator[Any]:
        x = self._path.expressions
        for i, element in enumerate(self.kind.universe):
            if self._path.decide(x.less(x.const(0), self.place.read(i))):
                yield element

    def __len__(self) -> int:
        return self._path.concrete(self.size(), lambda: "len() of a bag")

    def __bool__(self) -> bool:
        x = self._path.expressions
        return self._path.test(x.less(x.const(0), self.size()))

    def add(self, value: object) -> None:
        """Put an element in once more; overfilling is a mistake of the model."""
        x = self._path.expressions
        room = x.less(self.size(), x.const(self.kind.most))
        remedy = f"give it a larger most=, or require(len(…) < {self.kind.most})"
        self._path.demand(room, f"{self.place.name} is overfilled: {self.kind} ({remedy})")
        for i, test in enumerate(self._tests(value)):
            now = self.place.read(i)
            self.place.write(x.choose(test, x.add(now, x.const(1)), now), i)

    def remove(self, value: object) -> None:
        """Take an element out once; that it is not in is a mistake of the model."""
        x = self._path.expressions
        present = x.less(x.const(0), self._count(value))
        self._path.demand(present, f"an element is removed from {self.place.name} that is not in it")
        for i, test in matches(self._path, self.kind, value):
            now = self.place.read(i)
            self.place.write(x.choose(test, x.add(now, x.const(-1)), now), i)
