"""Where Python and z3 look for what they load: the installation, never the folder that somebody happens to be in.

A file of that folder with the name of a solver would else be asked in its place, and could say whatever it likes. What
PYTHONPATH names with a whole path belongs to the installation, since its user set it.
"""

from __future__ import annotations

import builtins
import os
import sys
import sysconfig
from collections.abc import Generator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Final

_Z3_FOLDERS: Final = "Z3_LIB_DIRS"
#: Where libraries are installed, which somebody may be in.
_INSTALLED: Final = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}


def python(module: str) -> tuple[str, ...]:
    """The command that runs a module in a process of its own."""
    return (sys.executable, "-P", "-m", module)


def environment() -> dict[str, str]:
    """The environment of such a process."""
    found = dict(os.environ)
    # An empty name, as at the beginning of `:/opt/lib`, is the current folder.
    named = [folder for folder in found.pop("PYTHONPATH", "").split(os.pathsep) if Path(folder).is_absolute()]
    return {**found, "PYTHONPATH": os.pathsep.join(named)} if named else found


@contextmanager
def z3_of_its_own() -> Generator[None]:
    """While z3 is imported: it is the one that is installed, and loads the library that came with it. By itself it
    begins with the current folder."""
    searched = list(sys.path)
    sys.path[:] = [folder for folder in searched if folder in _INSTALLED or (folder and not _is_current(folder))]
    spec = find_spec("z3")
    places = [] if spec is None else [Path(place) for place in spec.submodule_search_locations or ()]
    folders = [str(folder) for place in places for folder in (place, place / "lib")]
    setattr(builtins, _Z3_FOLDERS, [*folders, str(Path(sys.prefix) / "lib")])
    try:
        yield
    finally:
        sys.path[:] = searched
        delattr(builtins, _Z3_FOLDERS)


def _is_current(folder: str) -> bool:
    try:
        return Path(folder).samefile(Path.cwd())
    except OSError:  # one of them is not there
        return False
