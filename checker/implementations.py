"""What traces are run on, as a user names it: the reference planner on a kind of store, or an adapter of one's own."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import os
import sys
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from types import ModuleType
from typing import Final

from fenceproof.model.errors import AdapterError, ModelError, Site, UsageError, nearest

from .driven import PATIENCE_S, Driven, driven
from .loading import import_file

#: The environment variable that names the database of `postgres` where no --url does.
URL_VARIABLE: Final = "FENCEPROOF_URL"
#: The references, and what each of them keeps its records in.
REFERENCES: Final = {
    "memory": "in memory",
    "sqlite": "in SQLite, in a file of its own or the one of --url",
    "postgres": f"in the PostgreSQL database of --url or {URL_VARIABLE}",
}
_HOW: Final = "Name one of your own by its module or file: module:Adapter or path/to/file.py:Class"


def is_reference(name: str) -> bool:
    """Whether a name is that of a reference; otherwise it names an adapter of the user's."""
    return name in REFERENCES


@contextmanager
def implementation(name: str, *, url: str | None = None, patience_s: float = PATIENCE_S) -> Generator[Driven]:
    """The implementation of a name: `memory`, `sqlite`, `postgres`, `module:Adapter` or `path/to/file.py:Class`.

    A reference in a database empties its own tables there (`fenceproof_…`), and no others. A user's module is imported,
    which runs it. Raises UsageError for a name that is none or a library that is not installed, ModelError for a file
    that cannot be run, and AdapterError for what cannot be driven, as a database that cannot be reached.
    """
    if is_reference(name):
        make, explained = _reference(name, url)
        with driven(name, make, patience_s=patience_s, explained=explained) as adapter:
            yield adapter
        return
    if url is not None:
        raise UsageError(f"--url is the database of sqlite or postgres, and {name} is an adapter of your own.")
    owner, _, chosen = name.rpartition(":") if not name.endswith(".py") else (name, "", "")
    if not owner:
        raise UsageError(f"{nearest(name, REFERENCES, 'The implementation')} {_HOW}")
    with _on_path(Path(owner).resolve().parent if owner.endswith(".py") else Path.cwd()):
        make = _choose(owner, chosen, _module(owner))
        with driven(name, make, patience_s=patience_s) as adapter:
            yield adapter


def _reference(name: str, url: str | None) -> tuple[Callable[[], object], tuple[type[Exception], ...]]:
    if name == "memory":
        if url is not None:
            raise UsageError("--url is the database of sqlite or postgres, and memory has none.")
        from fenceproof.specs.reference.memory import Memory

        return Memory, ()
    if importlib.util.find_spec("sqlalchemy") is None:
        extra = "sql" if name == "sqlite" else "postgres"
        raise UsageError(f"{name} needs SQLAlchemy. Install it: pip install 'fenceproof[{extra}]'")
    from fenceproof.specs.reference.databases import Database, DatabaseError, Sqlite, check_url

    address = url if url is not None or name == "sqlite" else os.environ.get(URL_VARIABLE)
    if address is None:
        if name == "sqlite":
            return Sqlite, (DatabaseError,)
        raise UsageError(
            f"postgres needs a database. Name one: --url postgresql://user@host/database, or {URL_VARIABLE}."
        )
    if name == "postgres" and importlib.util.find_spec("psycopg") is None:
        raise UsageError("postgres needs psycopg. Install it: pip install 'fenceproof[postgres]'")
    try:
        checked = check_url(address, "sqlite" if name == "sqlite" else "postgresql")
    except ValueError as error:
        raise UsageError(f"{name}: {error}") from error
    return lambda: Database(checked), (DatabaseError,)


@contextmanager
def _on_path(folder: Path) -> Generator[None]:
    """While an adapter of a folder is used, which may import its neighbours late. At the end, so as to hide nothing."""
    text = str(folder)
    sys.path.append(text)
    try:
        yield
    finally:
        sys.path.remove(text)


def _module(owner: str) -> ModuleType:
    if owner.endswith(".py"):
        if not Path(owner).is_file():
            raise UsageError(f"there is no file {owner}. {_HOW}")
        return import_file(Path(owner), "adapter")
    try:
        with redirect_stdout(sys.stderr):
            return importlib.import_module(owner)
    except ModuleNotFoundError as error:
        if error.name is not None and (owner == error.name or owner.startswith(f"{error.name}.")):
            raise UsageError(f"there is no module {owner}, neither installed nor in this folder. {_HOW}") from error
        raise AdapterError(f"the module {owner} cannot be imported: {error}.") from error
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise AdapterError(f"the module {owner} cannot be imported: {type(error).__name__}: {error}") from error


def _choose(owner: str, chosen: str, module: ModuleType) -> Callable[[], object]:
    adapters = _adapters_in(module)
    where = Site(owner, 1) if owner.endswith(".py") else None
    if chosen:
        found: object = vars(module).get(chosen)
        if found is None:
            raise ModelError(nearest(chosen, adapters, f"The adapter of {owner}"), where)
        if not callable(found):
            raise ModelError(f"{chosen} of {owner} is no class, and nothing that makes an adapter.", where)
        return found
    if len(adapters) == 1:
        return next(iter(adapters.values()))
    if not adapters:
        raise ModelError(
            "there is no adapter in this file.",
            where,
            "Write a class with three methods: reset(parameters), apply(event) and snapshot().",
        )
    raise ModelError(
        f"there are {len(adapters)} adapters in this file: {', '.join(adapters)}.",
        where,
        f"Name one: {owner}:{next(iter(adapters))}",
    )


def _adapters_in(module: ModuleType) -> Mapping[str, type]:
    """The classes of a module that have the methods of an adapter."""
    return {
        name: value
        for name, value in vars(module).items()
        if inspect.isclass(value)
        and value.__module__ == module.__name__
        and all(callable(getattr(value, method, None)) for method in ("reset", "apply", "snapshot"))
    }
