"""Planners on other people's libraries, held against the shipped designs; exits with 1 if anything is not as recorded.

    python benchmarks/libraries/run.py [--environment DIR] [--record]

Makes a virtual environment in a temporary folder, or in DIR, which is kept and used again; installs the pinned
libraries and this project there; and drives each planner through the event orders and the transitions of each design.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import venv
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Final

sys.path.append(str(Path(__file__).resolve().parent.parent))

from libraries.findings import EXPECTED, FILES, FOLDER, Finding, Library, differences, fence_of, recorded, table

ROOT: Final = FOLDER.parent.parent
#: What the project's own copy for installing leaves out.
LEFT_OUT: Final = shutil.ignore_patterns(".*", "build", "*.egg-info", "__pycache__", "tests")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--environment", type=Path, help="a folder for the virtual environment, which is kept")
    parser.add_argument("--record", action="store_true", help=f"write what is found to {EXPECTED.name}")
    options = parser.parse_args()
    with environment(options.environment) as python:
        found = findings(python)
    print(table(found))
    if options.record:
        EXPECTED.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
        return 0
    wrong = differences(recorded(), found)
    print(*wrong, sep="\n", end="\n" if wrong else "")
    print("Something is not as recorded." if wrong else "Everything is as recorded.")
    return 1 if wrong else 0


@contextmanager
def environment(kept: Path | None) -> Generator[Path]:
    """The interpreter of a virtual environment with the libraries and the project as they are now."""
    with tempfile.TemporaryDirectory(prefix="fenceproof-") as temporary:
        folder = kept or Path(temporary, "environment")
        if not (folder / "pyvenv.cfg").exists():
            venv.create(folder, with_pip=True)
        python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
        # A copy, because installing leaves files in the folder that is installed from.
        project = shutil.copytree(ROOT, Path(temporary, "project"), ignore=LEFT_OUT)
        pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, "--requirement", str(FOLDER / "requirements.txt"), str(project)], check=True)
        subprocess.run([*pip, "--force-reinstall", "--no-deps", str(project)], check=True)
        yield python


def findings(python: Path) -> dict[str, Library]:
    """What is found out about every planner, each in a process of its own."""
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        planners = {library: pool.submit(_compared, python, library) for library in FILES}
        fenced = {library: pool.submit(_compared, python, library, "--fenced") for library in FILES}
        return {
            library: {
                "planner": planners[library].result(),
                "fenced": fenced[library].result(),
                "fence": fence_of(library),
            }
            for library in FILES
        }


def _compared(python: Path, library: str, *options: str) -> Finding:
    command = [str(python), "-m", "libraries.compare", library, *options]
    path = {"PYTHONPATH": str(FOLDER.parent)}
    done = subprocess.run(command, env={**os.environ, **path}, stdout=subprocess.PIPE, check=True)
    found: Finding = json.loads(done.stdout)
    return found


if __name__ == "__main__":
    sys.exit(main())
