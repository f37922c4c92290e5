"""Running a Python file that a user named: its module, or the line at which it cannot be run.

Not here: what of the module is a model (`targets.py`) or an adapter (`implementations.py`).
"""

from __future__ import annotations

import importlib.util
import itertools
import sys
from contextlib import redirect_stdout
from pathlib import Path
from types import ModuleType
from typing import Final

from fenceproof.model.errors import ModelError, Site
from fenceproof.model.source import shown_path

#: What we import of others, which a file beside a user's must not stand for.
_LIBRARIES: Final = ("bitwuzla", "click", "cvc5", "networkx", "numpy", "psycopg", "rich", "scipy", "sqlalchemy", "z3")


def import_file(path: Path, what: str = "model") -> ModuleType:
    """Run a Python file that a user named as a module of its own, beside the files of its folder.

    `what` is what it is to hold. Raises ModelError, with the line, for what cannot be run.
    """
    name = _module_name(path)
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None, "a .py file has a loader"
    module = importlib.util.module_from_spec(spec)
    folder = str(path.resolve().parent)
    is_new = folder not in sys.path
    sys.modules[name] = module
    sys.path.insert(0, folder)
    try:
        # What it prints would spoil a document on standard output.
        with redirect_stdout(sys.stderr):
            spec.loader.exec_module(module)
    except SyntaxError as error:
        where = Site(shown_path(str(error.filename or path)), error.lineno or 1)
        raise ModelError(f"this file is not Python: {error.msg}.", where, "Mend the line and run again.") from error
    except ModelError:
        raise
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise ModelError(f"{type(error).__name__}: {error}", _line_in(path, error)) from error
    finally:
        sys.path.remove(folder)
    if is_new:
        _check_neighbours(Path(folder), what)
    return module


def _check_neighbours(folder: Path, what: str) -> None:
    """That no file beside the named one was taken for a library that we import ourselves, such as a solver."""
    for name in sorted({"fenceproof", *_LIBRARIES, *sys.stdlib_module_names} & sys.modules.keys()):
        spec = sys.modules[name].__spec__
        if spec is not None and spec.origin is not None and folder in Path(spec.origin).parents:
            where = Path(spec.origin)
            if where.relative_to(folder).parts[0] in (name, f"{name}.py"):
                raise ModelError(
                    f"the {what} imported this file as {name}, and fenceproof needs the {name} that is installed.",
                    Site(shown_path(str(where)), 1),
                    "Give the file another name.",
                )


def _module_name(path: Path) -> str:
    """A name for a file's module, which no other file has: two versions of one model are compared in one run."""
    name = f"fenceproof_target_{path.stem}"
    for number in itertools.count(2):
        there = sys.modules.get(name)
        if there is None or there.__file__ is None or Path(there.__file__).resolve() == path.resolve():
            break
        name = f"fenceproof_target_{path.stem}_{number}"
    return name


def _line_in(path: Path, error: BaseException) -> Site:
    """The innermost line of a file that an exception went through."""
    found = Site(shown_path(str(path)), 1)
    trace = error.__traceback__
    while trace is not None:
        filename = trace.tb_frame.f_code.co_filename
        if Path(filename).resolve() == path.resolve():
            found = Site(shown_path(filename), trace.tb_lineno)
        trace = trace.tb_next
    return found
