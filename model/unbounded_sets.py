"""Sets of natural numbers as an action sees them while it is lifted: asked and changed, not gone through."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NoReturn

from .containers import Container
from .expressions import Expression
from .fields import FieldError
from .kinds import RecordKind
from .quantify import exists_in, is_in
from .symbols import number, number_node, truth_node
from .unbounded_kinds import NaturalSetKind
from .values import node_of


class NaturalSetView(Container):
    """A set of natural numbers, or of records with one."""

    kind: NaturalSetKind

    @property  # type: ignore[misc]
    def __class__(self) -> type:  # pyright: ignore[reportIncompatibleMethodOverride]
        return set

    def text(self) -> str:
        return f"<{self.place.name}>"

    def same_as(self, other: Any) -> Expression | None:
        if isinstance(other, set | frozenset) and not other:
            return self._path.expressions.negate(self.any_of(lambda _: self._path.expressions.true))
        return None

    def _matches(self, value: object) -> list[tuple[int, Expression, Expression]]:
        """The slots in which a value may be, each with the condition that it is there and the number that it is."""
        path, x, item = self._path, self._path.expressions, self.kind.item
        if not isinstance(item, RecordKind):
            node = number_node(path, value)
            return [] if node is None or truth_node(path, value) is not None else [(0, x.true, node)]
        try:
            item.check_fields(value)
            given = {name: item.field_of(value, name) for name in item.fields}
        except FieldError as error:
            path.refuse(f"{error}.", error.remedy)
        except ValueError:
            return []
        node = number_node(path, given.pop(self.kind.field or ""))
        if node is None:
            return []
        found: list[tuple[int, Expression, Expression]] = []
        for group, others in enumerate(self.kind.groups):
            test = x.conjoin(node_of(path, others[name] == given[name]) for name in given)
            if test is not x.false:
                found.append((group, test, node))
        return found

    def contains(self, value: object) -> Expression:
        """Whether a value is in the set."""
        x = self._path.expressions
        return x.disjoin(
            x.conjoin((test, is_in(x, self.place.read(group), self.kind.lo, node)))
            for group, test, node in self._matches(value)
        )

    def __contains__(self, value: object) -> bool:
        return self._path.test(self.contains(value))

    def any_of(self, predicate: Callable[[Any], Expression]) -> Expression:
        """Whether a predicate is true of an element."""
        path, x = self._path, self._path.expressions

        def body(group: int) -> Callable[[Expression], Expression]:
            return lambda bound: predicate(self.kind.element(group, number(path, bound)))

        groups = range(self.kind.width)
        return x.disjoin(exists_in(x, self.place.read(group), self.kind.lo, body(group)) for group in groups)

    def __bool__(self) -> bool:
        return self._path.test(self.any_of(lambda _: self._path.expressions.true))

    def __iter__(self) -> Iterator[Any]:
        self._no_end("is gone through")

    def __len__(self) -> int:  # noqa: PLE0303
        self._no_end("is counted")

    def _no_end(self, what: str) -> NoReturn:
        self._path.refuse(
            f"{self.place.name}, a {self.kind}, {what}, and may have any number of elements.",
            "Write exists(…) or forall(…), or ask whether an element is in it.",
        )

    def add(self, value: object) -> None:
        """Put an element in; one that the kind does not hold is a mistake of the model."""
        x, matches = self._path.expressions, self._matches(value)
        message = f"{self.place.name} is given an element that {self.kind} does not hold"
        self._path.demand(x.disjoin(test for _, test, _ in matches), message)
        for _, _, node in matches[:1]:
            self._path.demand(x.negate(x.less(node, x.const(self.kind.lo))), message)
        for group, test, node in matches:
            now = self.place.read(group)
            self.place.write(x.choose(test, x.store(now, node, x.true), now), group)

    def discard(self, value: object) -> None:
        """Take an element out, if it is in."""
        x = self._path.expressions
        for group, test, node in self._matches(value):
            now = self.place.read(group)
            there = x.conjoin((test, x.negate(x.less(node, x.const(self.kind.lo)))))
            self.place.write(x.choose(there, x.store(now, node, x.false), now), group)

    def remove(self, value: object) -> None:
        """Take an element out; that it is not in is a mistake of the model."""
        self._path.demand(self.contains(value), f"an element is removed from {self.place.name} that is not in it")
        self.discard(value)

    def clear(self) -> None:
        """Take every element out."""
        for group in range(self.kind.width):
            self.place.write(self._path.expressions.const(0), group)
