"""Which parts of a model's state an implementation shows in its snapshots: what it never shows is never compared."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import contextmanager

from fenceproof.model.budgets import SPENT
from fenceproof.model.constants import as_items, as_mapping
from fenceproof.model.system import TransitionSystem

from ..adapters import Adapter
from .running import Opening


class Watched:
    """An implementation, and the parts of the state that its snapshots have shown: once, and each time."""

    def __init__(self, opening: Opening, system: TransitionSystem) -> None:
        self._opening = opening
        state = system.decode(system.initial[0])
        # What faults have spent of their budgets is the model's own affair.
        self._parts = [
            part for name, value in state.items() if not name.startswith(SPENT) for part in parts(name, value)
        ]
        # Most snapshots show the same parts as another one.
        self._noted = set[frozenset[str]]()
        self._ever = set[str]()
        self._always = set(self._parts)

    @contextmanager
    def open(self) -> Generator[Adapter]:
        """The implementation, while it is used."""
        with self._opening() as adapter:
            yield _Shown(adapter, self)

    def note(self, snapshot: Mapping[str, object]) -> None:
        """Note what a snapshot shows."""
        shown = frozenset(part for name, value in snapshot.items() for part in parts(name, value))
        if shown in self._noted:
            return
        self._noted.add(shown)
        there = {part for part in self._parts if any(_covers(one, part) for one in shown)}
        self._ever |= there
        self._always &= there

    @property
    def never(self) -> list[str]:
        """The parts that no snapshot showed; a variable by its name where that is all of it."""
        return self._named([part for part in self._parts if part not in self._ever])

    @property
    def not_always(self) -> list[str]:
        """The parts that some snapshots showed and others did not."""
        return self._named([part for part in self._parts if part in self._ever and part not in self._always])

    def _named(self, found: list[str]) -> list[str]:
        def variable(part: str) -> str:
            return part.split(".", maxsplit=1)[0]

        missing = {variable(part) for part in self._parts if part not in found}
        whole = {variable(part) for part in found} - missing
        return list(dict.fromkeys(variable(part) if variable(part) in whole else part.rstrip(".") for part in found))

    @property
    def is_blind(self) -> bool:
        """Whether nothing of the state was ever shown."""
        return not self._ever


class _Shown:
    def __init__(self, adapter: Adapter, watched: Watched) -> None:
        self._adapter, self._watched = adapter, watched
        self.reset, self.apply = adapter.reset, adapter.apply

    def snapshot(self) -> Mapping[str, object]:
        seen = self._adapter.snapshot()
        self._watched.note(seen)
        return seen


def parts(name: str, value: object) -> list[str]:
    """The parts of a value that hold no others, by name, each once: those at other places of a list have the same.

    A value that is not there, or a list of nothing, stands for all that could be in it, and ends in a dot.
    """
    fields, items = as_mapping(value), as_items(value)
    if fields is not None:
        return [part for key, held in fields.items() for part in parts(f"{name}.{key}", held)]
    if items:
        return list(dict.fromkeys(part for held in items for part in parts(name, held)))
    return [f"{name}." if value is None or items is not None else name]


def _covers(shown: str, part: str) -> bool:
    """Whether what is shown is a part, or in it, or stands for it."""
    inside, whole = f"{part.rstrip('.')}.", shown.rstrip(".")
    return whole == part.rstrip(".") or whole.startswith(inside) or (shown.endswith(".") and part.startswith(shown))
