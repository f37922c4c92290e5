"""The shape of the project: who may import whom, what is imported only when it is used, what the public names are."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import fenceproof
import fenceproof.checker
import fenceproof.model
import fenceproof.specs
import pytest

ROOT = Path(__file__).resolve().parent.parent
ROOMS = ("model", "specs", "checker")
#: Which rooms the files of a room may import from.
ALLOWED = {"model": {"model"}, "specs": {"model", "specs"}, "checker": {"model", "checker"}}
#: Where the checker meets what ships: targets by name, the reference, the event orders, and the commands.
FRONT_DOOR = (
    "checker/targets.py",
    "checker/replay.py",
    "checker/implementations.py",
    "checker/design.py",
    "checker/simulation.py",
    "checker/questions.py",
    "checker/commands/",
)
#: The order of the files that define the transition system; none imports from a later one.
ORDER = ("errors", "expressions", "layout", "kinds", "system", "step", "trace")
THIRD_PARTY = {
    "model": set[str](),
    "specs": {"sqlalchemy", "httpx", "opentelemetry"},
    "checker": {"click", "rich", "numpy", "scipy", "networkx", "z3", "hypothesis"},
}
FILES = [path for room in ROOMS for path in sorted((ROOT / room).rglob("*.py"))]


def imports(path: Path) -> Iterator[str]:
    """The modules that a file imports, wherever in the file, as absolute names."""
    package = ["fenceproof", *path.relative_to(ROOT).with_suffix("").parts]
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level] if node.level else []
            name = ".".join([*base, node.module] if node.module else base)
            yield from ([name] if node.module else [f"{name}.{alias.name}" for alias in node.names])


def room_of(module: str) -> str | None:
    parts = module.split(".")
    return parts[1] if parts[0] == "fenceproof" and len(parts) > 1 and parts[1] in ROOMS else None


def shown(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("path", FILES, ids=shown)
def test_imports_go_in_one_direction(path: Path) -> None:
    room = path.relative_to(ROOT).parts[0]
    allowed = set(ALLOWED[room])
    if shown(path).startswith((*FRONT_DOOR, "checker/package")):
        allowed |= {"specs", "checker"}
    if shown(path).startswith("specs/reference/"):
        allowed = {"specs"}
        others = [m for m in imports(path) if m.startswith("fenceproof.specs") and ".reference" not in m]
        assert others == [], "the reference shares no code with the model"
    found = {room_of(module) for module in imports(path)} - {None}
    assert found <= allowed


@pytest.mark.parametrize("path", FILES, ids=shown)
def test_a_room_imports_from_the_standard_library_and_its_own_libraries_only(path: Path) -> None:
    room = path.relative_to(ROOT).parts[0]
    tops = {module.split(".")[0] for module in imports(path)}
    assert tops - set(sys.stdlib_module_names) - {"fenceproof"} <= THIRD_PARTY[room]


@pytest.mark.parametrize("path", FILES, ids=shown)
def test_inside_a_room_imports_are_relative(path: Path) -> None:
    room = path.relative_to(ROOT).parts[0]
    if "package" in path.parts:
        return
    text = path.read_text()
    assert re.findall(rf"^\s*(?:from|import) fenceproof\.{room}\b.*$", text, re.MULTILINE) == []


def test_the_files_of_the_transition_system_import_in_their_order() -> None:
    for position, name in enumerate(ORDER):
        later = {f"fenceproof.model.{other}" for other in ORDER[position + 1 :]}
        assert later.isdisjoint(imports(ROOT / "model" / f"{name}.py")), name


def test_what_is_printed_is_text_that_a_terminal_cannot_obey() -> None:
    taken = [shown(path) for path in FILES if re.search(r"^from rich\.text import .*\bText\b", path.read_text(), re.M)]
    assert taken == [], "take Text from checker/report/plain.py"


def test_no_module_is_in_a_circle_of_imports() -> None:
    import networkx

    graph: networkx.DiGraph[str] = networkx.DiGraph()
    for path in FILES:
        if "package" in path.parts or path.name == "__init__.py":
            continue
        module = ".".join(["fenceproof", *path.relative_to(ROOT).with_suffix("").parts])
        graph.add_edges_from((module, other) for other in imports(path) if room_of(other))
    assert list(networkx.simple_cycles(graph)) == []


@pytest.mark.parametrize("room", [fenceproof.model, fenceproof.specs, fenceproof.checker], ids=ROOMS)
def test_no_public_name_is_also_the_name_of_a_file(room: ModuleType) -> None:
    assert {name for name in room.__all__ if not hasattr(room, name)} == set()
    folder = Path(str(room.__file__)).parent
    assert {name for name in room.__all__ if (folder / f"{name}.py").exists() or (folder / name).is_dir()} == set()


@pytest.mark.parametrize(
    ("code", "absent"),
    [
        ("import fenceproof", {"fenceproof.checker", "fenceproof.model", "z3", "networkx", "numpy", "click", "rich"}),
        ("import fenceproof.model", {"fenceproof.checker", "fenceproof.specs", "z3", "networkx", "numpy", "rich"}),
        ("import fenceproof.specs", {"fenceproof.checker", "z3", "networkx", "numpy", "rich"}),
        ("import fenceproof.specs.reference.memory", {"sqlalchemy", "httpx", "opentelemetry"}),
        ("import fenceproof.checker.cli", {"fenceproof.specs", "z3", "networkx", "numpy", "rich"}),
        ("import fenceproof.checker.engines.explicit", {"fenceproof.specs", "z3", "networkx", "click", "rich"}),
    ],
)
def test_what_is_heavy_is_imported_when_it_is_used(code: str, absent: set[str]) -> None:
    script = f"{code}\nimport sys\nprint(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60)
    assert absent & set(run.stdout.split()) == set()


def test_files_stay_small_enough_to_read() -> None:
    sizes = {shown(path): len(path.read_text().splitlines()) for path in [*FILES, *(ROOT / "tests").rglob("*.py")]}
    assert {name: size for name, size in sizes.items() if size > 500} == {}
