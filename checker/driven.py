"""An adapter that is driven with care: what it does wrong is said in one message, with the line of its author's.

Not whether it does what the model does (`replay.py`), but whether it is an adapter at all.
"""

from __future__ import annotations

import copy
import json
import sys
import traceback
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager, redirect_stdout, suppress
from functools import partial
from typing import Any, Final, cast

from fenceproof.model.errors import AdapterError, Site
from fenceproof.model.source import authors_site, site_of

from .patience import InterruptRaisedError, OverdueError, Worker, without_exit
from .plain import NotJsonError, plain
from .quoting import quoted, said
from .replay import differences

#: How long a call of an adapter may take, in seconds.
PATIENCE_S: Final = 10.0
_ONLY_VALUE_ERROR: Final = "Only `apply` may raise, and only ValueError: the event is not possible now."
_METHODS: Final = ("reset", "apply", "snapshot")


@contextmanager
def driven(
    name: str,
    make: Callable[[], object],
    *,
    patience_s: float = PATIENCE_S,
    explained: tuple[type[Exception], ...] = (),
) -> Generator[Driven]:
    """The adapter that `make` makes, by the name that a user gave it; at the end its `close` is called if it has one.

    Raises what `Driven` does.
    """
    adapter = Driven(name, patience_s, explained)
    try:
        adapter.make(make)
        yield adapter
    except BaseException:
        # What went wrong first is told, and not what comes of it.
        with suppress(AdapterError):
            adapter.close()
        raise
    adapter.close()


class Driven:
    """An adapter, each call of which runs in one thread and within `patience_s` seconds.

    What it prints goes to standard error. Each method raises AdapterError for an adapter that raises (but for
    ValueError in `apply`), does not come back, returns what is no outcome or snapshot, changes a snapshot that it has
    returned, or is not after a reset what it was after the first one. The text of an exception in `explained` is for
    people as it is.
    """

    def __init__(self, name: str, patience_s: float, explained: tuple[type[Exception], ...]) -> None:
        self.name = name
        self._patience_s = patience_s
        self._explained = explained
        self._worker = Worker()
        self._overdue = False
        self._adapter: Any = None
        self._shown: object = None
        self._copy: object = None
        self._begun: dict[str, object] = {}

    def make(self, make: Callable[[], object]) -> None:
        """Make the adapter, and see that it has the methods of one."""
        made: object = self._call("making it", make)
        self._adapter = made
        for method in _METHODS:
            # It may be a property, which runs.
            if not callable(self._call(method, partial(getattr, made, method, None))):
                raise self._wrong(
                    f"has no method {method}",
                    site_of(type(made)),
                    "An adapter has three methods: reset(parameters), apply(event) and snapshot().",
                )

    def reset(self, parameters: Mapping[str, object]) -> None:
        """Begin anew, and see that nothing is left of what was before."""
        self._call("reset", lambda: self._adapter.reset(copy.deepcopy(dict(parameters))))
        self._check_kept(self._call("snapshot", self._changed))
        seen = self.snapshot()
        first = self._begun.setdefault(json.dumps(parameters, sort_keys=True, default=repr), seen)
        if seen != first:
            place, was, now = next(differences("snapshot", first, seen), ("snapshot", first, seen))
            raise self._wrong(
                f"keeps state across reset: {_shorter(place)} is {quoted(now)} now, and was {quoted(was)} at first",
                self._site_of("reset"),
                "Make `reset` begin anew each time: another trace may follow in the same process.",
            )

    def apply(self, event: Mapping[str, object]) -> str | None:
        """Let an event happen. Raises ValueError as the adapter does: the event is not possible now."""

        def work() -> tuple[object, str | None]:
            return self._adapter.apply(copy.deepcopy(dict(event))), self._changed()

        outcome, changed = self._call("apply", work)
        if outcome is not None and not isinstance(outcome, str):
            raise self._wrong(
                f"returned {quoted(outcome)} from apply, of the type {type(outcome).__name__}",
                self._site_of("apply"),
                'Return the outcome as text, as "commit", or None where there is none.',
            )
        self._check_kept(changed)
        return None if outcome is None else str.__str__(outcome)

    def snapshot(self) -> Mapping[str, object]:
        """What can be seen of the state: a copy, as plain JSON values."""
        shown, copied = self._call("snapshot", self._seen)
        fields = cast("dict[str, object] | None", copied if isinstance(copied, dict) else None)
        if fields is None:
            raise self._wrong(
                f"returned {quoted(shown)} from snapshot, of the type {type(shown).__name__}",
                self._site_of("snapshot"),
                "Return a mapping from names of the model's variables to JSON values.",
            )
        self._shown, self._copy = shown, fields
        return copy.deepcopy(fields)

    def close(self) -> None:
        """Let the adapter give back what it holds, by its method `close` if it has one, and end the thread."""
        if self._overdue:
            # It may be what it holds, a server for instance, that it waits for; so this is asked in another thread.
            self._worker.end(0)
            self._worker = Worker()
        try:
            close = self._call("close", partial(getattr, self._adapter, "close", None))
            if callable(close):
                self._call("close", close)
        finally:
            self._worker.end(0 if self._overdue else self._patience_s)

    def _seen(self) -> tuple[object, object]:
        shown: object = self._adapter.snapshot()
        return shown, plain(shown, "snapshot")

    def _changed(self) -> str | None:
        """Where the snapshot that was returned last is another now."""
        if self._copy is None:
            return None
        try:
            now = plain(self._shown, "snapshot")
        except NotJsonError:
            return "it is not even JSON now"
        if now == self._copy:
            return None
        place, was, is_now = next(differences("snapshot", self._copy, now), ("it", self._copy, now))
        return f"{_shorter(place)} was {quoted(was)} and is {quoted(is_now)}"

    def _check_kept(self, changed: str | None) -> None:
        if changed is not None:
            raise self._wrong(
                f"changes a snapshot that it has returned: {changed}",
                self._site_of("snapshot"),
                "Return a copy from `snapshot`: copy.deepcopy(…).",
            )

    def _call(self, method: str, work: Callable[[], Any]) -> Any:
        try:
            # What it prints would spoil a document on standard output.
            with redirect_stdout(sys.stderr), without_exit():
                return self._worker.call(work, self._patience_s)
        except OverdueError as overdue:
            self._overdue = True
            raise self._wrong(
                f"hangs: {method} has not come back after {self._patience_s:g} s",
                overdue.site or self._site_of(method),
                "If it takes that long, allow it: --patience SECONDS.",
            ) from None
        except NotJsonError as error:
            raise self._wrong(
                f"returned from snapshot what is not JSON: {_shorter(str(error))}", self._site_of("snapshot"), ""
            ) from error
        except self._explained as error:
            raise AdapterError(f"{self.name}: {error}") from error
        except KeyboardInterrupt:
            self._overdue = True
            raise
        except InterruptRaisedError as error:
            raise self._wrong(f"raised KeyboardInterrupt in {method}", error.site, _ONLY_VALUE_ERROR) from error
        except BaseException as error:  # SystemExit as well: it would end the run without a word
            if method == "apply" and is_refusal(error):
                raise
            text = said(error)
            raise self._wrong(
                f"raised {type(error).__name__} in {method}" + (f": {text}" if text else ""),
                authors_site(traceback.walk_tb(error.__traceback__)),
                _ONLY_VALUE_ERROR,
            ) from error

    def _site_of(self, method: str) -> Site | None:
        adapter: object = self._adapter
        if adapter is None:
            return None
        return site_of(getattr(type(adapter), method, None)) or site_of(type(adapter))

    def _wrong(self, what: str, site: Site | None, remedy: str) -> AdapterError:
        where = f"{site}: " if site is not None else ""
        return AdapterError(f"{where}{self.name} {what}." + (f"\n    {remedy}" if remedy else ""))


def is_refusal(error: BaseException) -> bool:
    """Whether an adapter says by this that an event is not possible, and not that it could not read something."""
    return isinstance(error, ValueError) and not isinstance(error, json.JSONDecodeError | UnicodeError)


def _shorter(place: str) -> str:
    """A place within a snapshot, by the name of the variable alone."""
    return place.removeprefix("snapshot.")
