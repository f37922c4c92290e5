"""Our side: one model checked in a process of its own, by every default of `fenceproof check`.

This file is also what runs in that process; it prints one line of JSON.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from golden import Case, Counts
from measure import measure
from sides import Outcome


def run(case: Case, folder: Path) -> Outcome:
    """Check a case. What goes before the search is Python with its imports, and the lifting of the model."""
    settings = [case.family.model, case.family.parameter, str(case.size)]
    output, usage = measure([sys.executable, __file__, str(case.family.python), *settings], folder)
    said = json.loads(output)
    before = {"start": usage.cpu_s - said["lift_cpu_s"] - said["search_cpu_s"], "lift": said["lift_cpu_s"]}
    return Outcome(Counts(*said["counts"]), said["search_cpu_s"], said["search_wall_s"], before, usage.peak_bytes)


def child(path: str, name: str, parameter: str, size: str) -> None:
    """Check one model here, with clocks around the parts."""
    from fenceproof.checker.engines import explicit
    from fenceproof.checker.targets import construct, find
    from fenceproof.model.lift import lift

    began = time.process_time()
    system = lift(construct(find(f"{path}:{name}").model, {parameter: int(size)}))
    lifted, lifted_wall = time.process_time(), time.perf_counter()
    result = explicit.check(system)
    ended, ended_wall = time.process_time(), time.perf_counter()
    assert result.complete, "there was no limit"
    said = {
        "counts": [result.distinct, result.generated, result.depth],
        "lift_cpu_s": lifted - began,
        "search_cpu_s": ended - lifted,
        "search_wall_s": ended_wall - lifted_wall,
    }
    print(json.dumps(said))


if __name__ == "__main__":
    child(*sys.argv[1:])
