"""One engine on one property, in a process of its own. This file is also what runs in that process."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from measure import measure


@dataclass(frozen=True, slots=True)
class Job:
    """What to run: a target with its parameters, an engine, one property, and limits (steps; seconds)."""

    target: str
    engine: str
    property_name: str | None
    parameters: Mapping[str, int]
    most_faults: int | None
    depth: int
    time_s: float


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was said, in how many steps where it is a violation, and what it took: the lifting is not counted, the peak
    is that of the whole process."""

    verdict: str
    steps: int | None
    cpu_s: float
    peak_bytes: int


def run(job: Job, folder: Path) -> Outcome:
    """Run a job. Raises measure.ProgramError where the process ends badly."""
    output, usage = measure([sys.executable, __file__, json.dumps(asdict(job))], folder)
    said = json.loads(output)
    return Outcome(said["verdict"], said["steps"], said["cpu_s"], usage.peak_bytes)


def child(job: Job) -> None:
    """Run a job here; prints one line of JSON."""
    from fenceproof.checker.engines import ENGINES
    from fenceproof.checker.faults import parse_faults
    from fenceproof.checker.limits import Limits
    from fenceproof.checker.targets import build, find
    from fenceproof.model.lift import lift

    model = build(find(job.target), {name: str(value) for name, value in job.parameters.items()})
    system = lift(model, parse_faults("all", job.most_faults, (), model))
    properties = None if job.property_name is None else [job.property_name]
    began = time.process_time()
    # The explicit engine visits everything and has no use for a depth.
    depth = None if job.engine == "explicit" else job.depth
    result = ENGINES[job.engine](system, properties=properties, limits=Limits(time_s=job.time_s, depth=depth))
    cpu_s = time.process_time() - began
    [found] = result.properties if properties else result.properties[:1]
    steps = None if found.trace is None else len(found.trace)
    print(json.dumps({"verdict": result.said(found.verdict), "steps": steps, "cpu_s": cpu_s}))


if __name__ == "__main__":
    child(Job(**json.loads(sys.argv[1])))
