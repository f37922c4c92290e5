"""Two planners in two processes on one database, raced call by call; and with a store that selects, then updates.

    python benchmarks/races.py [--url URL] [--calls N]

The database at the address must be empty; without one, SQLite in a temporary folder is raced on. Exits with 1 if the
store is not right after any race, or the control commits nothing twice.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

from fenceproof.specs.reference.schema import METADATA
from fenceproof.specs.reference.sql_store import open_database, sqlite_url

sys.path.append(str(Path(__file__).resolve().parent.parent / "tests/toys"))

from raced import RACES, raced

#: How many calls the control gets.
CONTROL = 200


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--url", help="SQLAlchemy's address of an empty database, as postgresql+psycopg://host/name")
    parser.add_argument("--calls", type=int, default=20_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="fenceproof-") as folder:
        url = options.url or sqlite_url(Path(folder, "planner.db")).render_as_string()
        began = time.monotonic()
        calls = raced(url, options.calls)
        seconds = time.monotonic() - began
        _drop(url)
        control = raced(url, CONTROL, store="select-then-update", races=("duplicate",))
        _drop(url)
    wrong = [call.complaint for call in calls if call.complaint]
    doubles = sum(call.commits > 1 for call in calls)
    print("| race         | calls  | first planner first | wrong |")
    print("|--------------|--------|---------------------|-------|")
    for race in RACES:
        ours = [call for call in calls if call.race == race]
        first = sum(call.answers[0] in (True, 2) for call in ours)
        print(f"| {race:12} | {len(ours):6,} | {first:19,} | {sum(call.complaint is not None for call in ours):5,} |")
    print(f"\n{len(calls):,} raced calls in {seconds:.0f} s: {doubles} double commits, {len(wrong)} wrong in any way.")
    twice = sum(call.commits > 1 for call in control)
    print(f"Selected, then updated: {twice} of {len(control)} committed twice.")
    print(*wrong[:5], sep="\n")
    return 1 if wrong or not twice else 0


def _drop(url: str) -> None:
    engine = open_database(url)
    METADATA.drop_all(engine)
    engine.dispose()


if __name__ == "__main__":
    sys.exit(main())
