"""A safeguard is taken away wherever it is asked, and refused where it could not be."""

from __future__ import annotations

from typing import Any

import pytest
from fenceproof.model import Model, ModelError, Range, Record, action, fault, invariant, require, safeguard
from fenceproof.model.budgets import Settings
from fenceproof.model.lift import lift
from fenceproof.model.step import enabled
from fenceproof.model.temporal import eventually


class Door(Model):
    def __init__(self) -> None:
        self.n = Range(0, 3)

    @safeguard("lock")
    def may_open(self) -> bool:
        return self.n < 1

    @action
    def open_it(self) -> None:
        require(self.n < 3 and self.may_open())
        self.n += 1

    @invariant
    def shut(self) -> bool:
        return self.n <= 1


def highest(model: Model, *without: str) -> int:
    """The greatest value of n that the guard of the only action lets through, and one."""
    system = lift(model, Settings(without=frozenset(without)))
    return max(n for n in range(4) if enabled(system, (n,))) + 1


def test_an_override_without_a_decorator_is_still_the_safeguard() -> None:
    class Wider(Door):
        def may_open(self) -> bool:
            return self.n < 2

    class Widest(Wider):
        def may_open(self) -> bool:
            return super().may_open() or self.n == 2

    assert lift(Widest()).safeguards == ("lock",)
    assert [highest(model) for model in (Door(), Wider(), Widest())] == [1, 2, 3]
    assert [highest(model, "lock") for model in (Door(), Wider(), Widest())] == [3, 3, 3]


def test_a_safeguard_that_a_constructor_asks_is_refused() -> None:
    class Asks(Door):
        def __init__(self) -> None:
            super().__init__()
            self.limit = 1 if self.is_wide() else 2

        @safeguard("wide")
        def is_wide(self) -> bool:
            return False

    with pytest.raises(ModelError, match="wide is asked where it cannot be taken away") as caught:
        Asks()
    assert "not in a constructor" in str(caught.value)


def test_a_safeguard_that_gives_an_action_its_values_is_refused() -> None:
    class Gives(Model):
        def __init__(self) -> None:
            self.n = Range(0, 3)

        @safeguard("few")
        def is_few(self) -> bool:
            return False

        @property
        def sizes(self) -> range:
            return range(1 if self.is_few() else 2)

        @action(size="sizes")
        def grow(self, size: int) -> None:
            require(self.n + size < 3)
            self.n += size

    with pytest.raises(ModelError, match="few is asked where it cannot be taken away"):
        lift(Gives())


def test_a_safeguard_in_a_record_is_refused_where_it_is_asked() -> None:
    class Row(Record):
        def __init__(self) -> None:
            self.live = Range(0, 2)

        @safeguard("fresh")
        def is_fresh(self) -> bool:
            return self.live > 0

    class Table(Model):
        def __init__(self) -> None:
            self.row = Row()

        @action
        def touch(self) -> None:
            require(self.row.is_fresh())
            self.row.live = 0

    with pytest.raises(ModelError, match="fresh is asked where it cannot be taken away"):
        lift(Table())


def fail(model: Door) -> None:
    """What an action would do."""
    model.n = 0


def test_an_action_is_one_fault() -> None:
    with pytest.raises(ModelError, match="marked as the fault 'slow' and as the fault 'lost'") as caught:
        fault("lost")(fault("slow")(action(fail)))
    assert "two actions" in str(caught.value)


def test_eventually_without_brackets_is_refused_with_what_to_write() -> None:
    bare: Any = eventually
    with pytest.raises(ModelError, match="does not say which actions are scheduled fairly") as caught:
        bare(fail)
    assert '@eventually(fair=["*"])' in str(caught.value)
