"""The documents say what is true: every command in them is run here, and every output is what came of it.

A ```console block holds commands (after "$ ") with what they print; a ```python block that names a file holds that
file. Run this file to write what comes of the commands into the documents.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from fenceproof.checker.cli import COMMANDS
from fenceproof.specs import Planner
from fenceproof.specs.injected import RESULTS, STATES
from fenceproof.specs.knobs import KNOBS
from fenceproof.specs.variants import VARIANTS

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"```(?P<info>[^\n]*)\n(?P<body>.*?)^```$", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\]\((?!https?:|#)([^)#]+)")
#: What is another on another machine, or with another version of a solver.
VARYING = re.compile(r"\b\d+\.\d\d s\b|(?:z3|cvc5|bitwuzla) \d[\d.]*\d")


def run(command: str, folder: Path) -> str:
    """What a command prints, on both streams, as a person sees it at 80 columns."""
    program, *arguments = shlex.split(command)
    assert program == "fenceproof", command
    environment = {**os.environ, "COLUMNS": "80", "NO_COLOR": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "fenceproof", *arguments],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=120,
        check=False,
    )
    return "".join(line.rstrip() + "\n" for line in done.stdout.splitlines())


def as_it_is(text: str, folder: Path) -> str:
    """A document with every output and every file in it replaced by what it really is."""
    shutil.copytree(ROOT / "docs", folder / "docs", dirs_exist_ok=True)

    def replaced(match: re.Match[str]) -> str:
        info, body = match["info"], match["body"]
        if info.startswith("console"):
            commands = [line[2:] for line in body.splitlines() if line.startswith("$ ")]
            body = "".join(f"$ {command}\n{run(command, folder)}" for command in commands)
        elif info.startswith("python file="):
            body = (ROOT / info.partition("file=")[2]).read_text()
        return f"```{info}\n{body}```"

    return BLOCK.sub(replaced, text)


@pytest.mark.parametrize(
    "path",
    [path if path.name == "README.md" else pytest.param(path, marks=pytest.mark.slow) for path in DOCUMENTS],
    ids=lambda path: path.name,
)
def test_every_command_in_a_document_prints_what_the_document_says(path: Path, tmp_path: Path) -> None:
    said = VARYING.sub("…", path.read_text()).splitlines()
    found = VARYING.sub("…", as_it_is(path.read_text(), tmp_path)).splitlines()
    assert said == found


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_every_link_in_a_document_leads_somewhere(path: Path) -> None:
    broken = [link for link in LINK.findall(path.read_text()) if not (path.parent / link).exists()]
    assert broken == []


def test_the_example_of_the_python_interface_runs() -> None:
    examples = ROOT / "docs" / "examples"
    subprocess.run([sys.executable, "from_python.py"], cwd=examples, check=True, timeout=60)


@pytest.mark.slow
def test_the_example_of_a_test_of_a_planner_passes() -> None:
    options = ["-q", "-p", "no:cacheprovider", "--rootdir", ".", "-c", os.devnull]
    path = ROOT / "docs" / "examples" / "test_planner.py"
    subprocess.run([sys.executable, "-m", "pytest", *options, path], check=True, timeout=300)


def test_the_page_of_variants_says_what_the_variants_say() -> None:
    rows = [line.split("|")[1:4] for line in (ROOT / "docs" / "variants.md").read_text().splitlines() if "| `" in line]
    said = {(design.strip(" `"), loses.strip(" `")): under for design, loses, under in rows}
    expected: dict[tuple[str, str], set[frozenset[str]]] = {}
    for name, variant in VARIANTS.items():
        if not variant.loses:
            expected[name, "nothing"] = set()
        expected.update({(name, lost): set(under) for lost, under in variant.loses.items()})
    assert said.keys() == expected.keys()
    for row, under in said.items():
        sets = {frozenset(part.strip(" `") for part in text.split("+")) - {"none"} for text in under.split(";")}
        assert (sets if under.strip() else set()) == expected[row], row


def test_the_page_of_variants_names_every_knob_with_its_values_and_every_method_to_override() -> None:
    text = (ROOT / "docs" / "variants.md").read_text()
    knobs = [line for line in text.splitlines() if line.startswith("- **`")]
    for line, (name, allowed) in zip(knobs, KNOBS.items(), strict=True):
        assert line.startswith(f"- **`{name}`**: `{json.dumps(allowed[0]).replace('true', 'True')}`"), line
    for value in ("judge", "handle", "may_bump", "time_out", "is_well_formed", "is_live", "is_open", "is_late_bump"):
        assert callable(getattr(Planner, value))
        assert f"`{value}(" in text
    for value in (str(v) if isinstance(v, bool) else f'"{v}"' for allowed in KNOBS.values() for v in allowed):
        assert f"`{value}`" in text


def test_the_readme_says_what_is_easily_missed() -> None:
    text = (ROOT / "README.md").read_text()
    for fact in (*STATES, "FENCEPROOF_TRACEBACK", "`left out`", "SIGTERM", *RESULTS, "`naive_broken`", "`records`"):
        assert fact in text


def test_the_readme_names_every_command_and_every_exit_code() -> None:
    text = (ROOT / "README.md").read_text()
    for command in COMMANDS:
        assert f"fenceproof {command}" in text
    for code in (0, 1, 2, 3, 4, 5, 70, 130):
        assert f"\n| {code} |" in text


@pytest.mark.slow
def test_the_first_command_of_the_readme_sets_up_a_clone_and_ends_with_the_main_job(tmp_path: Path) -> None:
    made = shutil.ignore_patterns(".git", ".venv", "build", "dist", "*.egg-info", "__pycache__", ".*_cache")
    clone = tmp_path / "clone"
    shutil.copytree(ROOT, clone, ignore=made)
    first = next(m["body"] for m in BLOCK.finditer((ROOT / "README.md").read_text()) if m["info"] == "sh")
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("VIRTUAL_ENV", "PYTHON"))}
    done = subprocess.run(
        ["bash", "-c", first], cwd=clone, env=environment, capture_output=True, text=True, check=False, timeout=600
    )
    assert done.returncode == 0, done.stderr
    assert re.search(r"^settles +holds", done.stdout, re.MULTILINE)
    assert "every reachable state of fenced: 489,452 distinct" in done.stdout


if __name__ == "__main__":
    for document in DOCUMENTS:
        with tempfile.TemporaryDirectory() as empty:
            document.write_text(as_it_is(document.read_text(), Path(empty)))
