"""The crash states of the reference's workload on SQLite, for each setting: how many there are, and how many are bad.

    python benchmarks/crash_states.py [--samples N] [--seed N]

Exits with 1 if a setting that is meant to be safe has a bad state, or one that is known to be bad has none.
"""

from __future__ import annotations

import argparse
import sqlite3
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Final

import apsw

sys.path.append(str(Path(__file__).resolve().parent.parent / "tests/toys"))

from crash_survey import judged, settings_of

#: The journal's mode, `synchronous`, whether it is safe, and how many samples there are for one that is asked for: the
#: settings that are meant to be safe are looked at more closely.
SETTINGS: Final = (
    ("WAL", "FULL", True, 8),
    ("DELETE", "EXTRA", True, 2),
    ("DELETE", "FULL", False, 1),
    ("WAL", "NORMAL", False, 1),
    ("DELETE", "NORMAL", False, 1),
    ("WAL", "OFF", False, 1),
    ("DELETE", "OFF", False, 1),
)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=40, help="states drawn for each operation (40)")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    print(f"Recorded on SQLite {apsw.sqlite_lib_version()}, opened on {sqlite3.sqlite_version}.\n")
    print("| journal, synchronous | states | bad | lost | in part | damaged | seconds |")
    print("|----------------------|--------|-----|------|---------|---------|---------|")
    surprises, total, began = 0, 0, time.monotonic()
    for journal, synchronous, safe, more in SETTINGS:
        start, states, kinds = time.monotonic(), 0, Counter[str]()
        for _, wrong in judged(settings_of(journal, synchronous), samples=options.samples * more, seed=options.seed):
            states += 1
            if wrong:
                kinds[wrong.split(":")[0]] += 1
        bad, lost, part = kinds.total(), kinds["an acknowledged step is lost"], kinds["a step is there in part"]
        row = (f"{journal}, {synchronous}", *(f"{n:,}" for n in (states, bad, lost, part, bad - lost - part)))
        print("| " + " | ".join((*row, f"{time.monotonic() - start:.0f}")) + " |", flush=True)
        surprises += safe == (bad > 0)
        total += states
    print(f"\n{total:,} states in {time.monotonic() - began:.0f} s.")
    return 1 if surprises else 0


if __name__ == "__main__":
    sys.exit(main())
