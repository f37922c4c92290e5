"""What every run of the tests begins with: the editable install must show every file of the checkout."""

from __future__ import annotations

import signal
from collections.abc import Generator
from pathlib import Path

import fenceproof
import pytest
from cluster import Cluster, NotInstalledError, running_cluster

# A shell that runs this in the background has Ctrl-C ignored, by every process that is started from here too.
signal.signal(signal.SIGINT, signal.default_int_handler)
ROOT = Path(__file__).resolve().parent.parent


def pytest_sessionstart() -> None:
    """Stop where a file was added since the editable install was made; it would be missing, or silently skipped."""
    installed = Path(fenceproof.__path__[0])
    if ROOT not in installed.parents:
        return
    for room in ("model", "checker", "specs"):
        for path in sorted((ROOT / room).rglob("*")):
            if path.suffix not in (".py", ".toml", ".json", ".html", ".css", ".js") or "package" in path.parts:
                continue
            if not (installed / path.relative_to(ROOT)).exists():
                raise pytest.UsageError(f"{path.relative_to(ROOT)} is new. Run: pip install -e . --no-deps")


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # pyright: ignore[reportUnusedFunction]
    """Run each test in an empty folder, so that saved traces go nowhere else."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="session")
def postgres() -> Generator[Cluster]:
    """A PostgreSQL server of this run's own, started by the first test that asks for it."""
    try:
        with running_cluster() as cluster:
            yield cluster
    except NotInstalledError as error:
        pytest.fail(str(error))
