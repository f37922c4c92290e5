"""`fenceproof new`: a file to begin with."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import click
from fenceproof.model.errors import UsageError

from ..writing import check_free, write_whole
from .options import NamedPath

_ADAPTER: Final = '''"""An adapter: it lets events happen to a planner, one at a time, and shows what can be seen of it.

Run it, and it says what is to be filled in next; then with --faults delay, and last without --faults:

    fenceproof conform fenced --faults none --against {file}:Adapter
"""


class Adapter:
    def reset(self, parameters):
        """Begin anew, as often as it is called: {{"calls": 1, "epochs": 3}}. Nothing may be left of what was before."""
        self.calls = parameters["calls"]
        # Make your planner here, with an empty store. One entry a call:
        self.records = [{{"live": 1, "committed": None, "outcome": None}} for _ in range(self.calls)]

    def apply(self, event):
        """Let one event happen, and return its outcome, as "commit"; ValueError where it cannot happen now."""
        action, args = event["action"], event["args"]
        if action == "dispatch":
            # Let your planner send what its outbox holds for call number args["call"].
            return "tool"
        # Next without faults: execute, deliver.
        # With --faults delay: deadline, deadline_early, compensate, deliver_compensation.
        # `fenceproof show fenced` lists every event with its arguments and outcomes.
        raise ValueError(f"{{action}}({{args}}) is not filled in yet")

    def snapshot(self):
        """What can be seen, by the names of the model's variables, as a copy; the more, the more is compared."""
        return {{"record": [dict(record) for record in self.records]}}
'''


@click.command()
@click.option("--adapter", is_flag=True, help="An adapter, by which `conform` and `replay` drive a planner of yours.")
@click.option("--force", is_flag=True, help="Write over a file that is there.")
@click.argument("path", metavar="[FILE]", type=NamedPath(), default="adapter.py")
def command(adapter: bool, force: bool, path: Path) -> int:
    """Write a file to begin with: with --adapter an adapter for a planner of your own (adapter.py if none is named)."""
    if not adapter:
        raise UsageError("what is to be new? Write fenceproof new --adapter.")
    if path.suffix != ".py":
        raise UsageError(f"{path} is no name of a Python file. Name one: fenceproof new --adapter {path}.py")
    check_free(path, force=force)
    write_whole(path, _ADAPTER.format(file=path), instead="Name a file in a folder that is there.")
    said_by = f"fenceproof conform fenced --faults none --against {path}:Adapter"
    click.echo(f"{path}: what is to be filled in is said by: {said_by}")
    return 0
