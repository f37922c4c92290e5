"""A process that runs the workload over and over in children, each killed at the next crash point with SIGKILL.

    python killed_child.py FOLDER STORE

Child n has the database n.db in the folder and is killed at the n-th point that it comes to, until one comes to its
end. A line of JSON for each says where it was killed (null for the last) and how many steps it had acknowledged. The
children are forks, so that the libraries are loaded once.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Final

from fenceproof.specs.reference.sql_store import SqlStore, open_database, sqlite_url
from two_transactions import TwoTransactions
from workload import run

STORES: Final[dict[str, Callable[..., SqlStore]]] = {"shipped": SqlStore, "two-transactions": TwoTransactions}


def main(folder: Path, store: Callable[..., SqlStore]) -> None:
    number = 0
    killed = True
    while killed:
        number += 1
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            _run_until(number, folder / f"{number}.db", store, writer)
        os.close(writer)
        with os.fdopen(reader, "rb") as told:
            said = told.read().decode().splitlines()
        _, status = os.waitpid(child, 0)
        killed = os.waitstatus_to_exitcode(status) == -signal.SIGKILL
        if not killed and status:
            raise SystemExit(f"child {number} ended with {status}")
        points = [line for line in said if not line.isdecimal()]
        acknowledged = sum(line.isdecimal() for line in said)
        print(json.dumps({"number": number, "point": points[-1] if killed else None, "acknowledged": acknowledged}))


def _run_until(number: int, path: Path, store: Callable[..., SqlStore], told: int) -> None:
    """Run the workload and be killed at a point. What is told goes into a pipe at once, and so outlives the child."""
    passed = 0

    def at(point: str) -> None:
        nonlocal passed
        passed += 1
        os.write(told, f"{point}\n".encode())
        if passed == number:
            os.kill(os.getpid(), signal.SIGKILL)

    def acknowledged(done: int) -> None:
        os.write(told, f"{done}\n".encode())

    try:
        engine = open_database(sqlite_url(path))
        run(store(engine, at=at), acknowledged=acknowledged)
    except BaseException:
        traceback.print_exc()
        os._exit(1)
    os._exit(0)


if __name__ == "__main__":
    main(Path(sys.argv[1]), STORES[sys.argv[2]])
