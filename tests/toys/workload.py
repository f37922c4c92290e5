"""A fixed run of the durable store, and what must be found after a crash in it.

The expectation comes from the store in memory, which shares no code with the databases: after a crash the records are
those of all acknowledged steps, or those of the one step more that was under way. That says all at once: nothing
acknowledged is lost, nothing is half there (a fence without its intent, a commit without its outcome or with a pending
intent), and no call is committed twice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from fenceproof.specs.reference.memory_store import MemoryStore
from fenceproof.specs.reference.record import CallRecord, RecordStore
from fenceproof.specs.reference.schema import METADATA
from fenceproof.specs.reference.sql_store import SqlStore
from sqlalchemy import Engine, inspect

CALLS: Final = 4
Step: TypeAlias = Callable[[RecordStore], Any]
#: The records of all calls; None where there are no tables yet.
Records: TypeAlias = tuple[CallRecord, ...] | None


@dataclass(frozen=True, slots=True)
class Named:
    """A step of the workload: what is called and with which arguments."""

    method: str
    args: tuple[object, ...]
    options: dict[str, object]

    def __call__(self, store: RecordStore) -> object:
        return getattr(store, self.method)(*self.args, **self.options)

    def __str__(self) -> str:
        given = [*map(repr, self.args), *(f"{name}={value!r}" for name, value in self.options.items())]
        return f"{self.method}({', '.join(given)})"


def _step(method: str, *args: object, **options: object) -> Named:
    return Named(method, args, options)


_OPEN: Final = {"even_if_committed": False, "raise_fence": True}

#: The calls in turn: a success; a timeout with a late success; a second timeout and a poisoned intent; and what the
#: designs without a fence do.
STEPS: Final = (
    _step("attempted", 0, 1),
    _step("attempted", 1, 1),
    _step("commit_if_live", 0, 1, "success"),
    _step("open_next", 1, **_OPEN),
    _step("commit_if_live", 1, 1, "success"),
    _step("attempted", 1, 2),
    _step("open_next", 0, **_OPEN),
    _step("commit_if_live", 1, 2, "compensated"),
    _step("answered", 1, 2),
    _step("open_next", 2, **_OPEN),
    _step("attempted", 2, 2),
    _step("open_next", 2, **_OPEN),
    _step("attempted", 2, 3, park=True),
    _step("commit_if_live", 2, 2, "compensated"),
    _step("commit_if_live", 2, 3, "compensated"),
    _step("open_epoch", 3, 2, raise_fence=False),
    _step("raise_fence", 3, 2, even_if_committed=False),
    _step("open_epoch", 3, 3, raise_fence=False),
    _step("restore_intent", 3),
    _step("answered", 3, 2),
    _step("overwrite", 3, 1, "success"),
    _step("overwrite", 3, 2, "compensated"),
)


def expected() -> list[Records]:
    """The records before the tables are there, after they are, and after each step."""
    store = MemoryStore(CALLS)
    seen: list[Records] = [None, _all(store)]
    for step in STEPS:
        step(store)
        seen.append(_all(store))
    return seen


def _prepare(store: SqlStore) -> None:
    store.prepare(CALLS)


def run(
    store: SqlStore, done: int = 0, until: int | None = None, *, acknowledged: Callable[[int], None] = lambda _: None
) -> None:
    """The workload after so many steps, of which making the tables is the first; each is acknowledged by its number."""
    todo: Sequence[Callable[[SqlStore], object]] = (_prepare, *STEPS)
    for number, step in enumerate(todo[done:until], done + 1):
        step(store)
        acknowledged(number)


def found(engine: Engine) -> Records:
    """What is in a database. An exception of the database where it cannot be read."""
    there = set(inspect(engine).get_table_names())
    if not there:
        return None
    if there != set(METADATA.tables):
        raise ValueError(f"there are only the tables {', '.join(sorted(there))}")
    return _all(SqlStore(engine))


def complaint(records: Records, acknowledged: int, wanted: Sequence[Records]) -> str | None:
    """What is wrong with records that were found after so many acknowledged steps; None where nothing is."""
    if records in wanted[acknowledged : acknowledged + 2]:
        return None
    what = "an acknowledged step is lost" if records in wanted[:acknowledged] else "a step is there in part"
    last = "nothing" if acknowledged == 0 else "prepare" if acknowledged == 1 else str(STEPS[acknowledged - 2])
    return f"{what}: after {last} there is {records}, and should be {wanted[acknowledged]}"


def _all(store: RecordStore) -> tuple[CallRecord, ...]:
    return tuple(store.read(call) for call in range(CALLS))
