"""One planner held against every shipped design, as one JSON document on standard output.

    python -m libraries.compare dbos [--fenced]

Run it through `run.py`, which has the libraries.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from contextlib import closing, redirect_stdout
from dataclasses import asdict
from importlib import import_module

from fenceproof.specs.variants import VARIANTS

from .driving import LibraryAdapter
from .ghosts import ghosts_in_traces, shortest_ghosts
from .suite import agreement, share
from .turning import turned_until_it_agrees

#: Each library with its adapter.
ADAPTERS = {
    "dbos": "dbos_adapter:DbosAdapter",
    "dramatiq": "dramatiq_adapter:DramatiqAdapter",
    "pydantic-ai": "pydantic_ai_adapter:PydanticAiAdapter",
}


def compare(adapter: LibraryAdapter) -> dict[str, object]:
    """Everything that is found out about a planner."""
    with closing(adapter):
        found = {name: agreement(variant.model, adapter) for name, variant in VARIANTS.items()}
        nearest = min((name for name in found if opens_epochs(name)), key=lambda name: share(found[name]))
        adapter.is_thorough = True
        found[nearest] = agreement(VARIANTS[nearest].model, adapter)
        design, turned = turned_until_it_agrees(VARIANTS[nearest].model, adapter)
        return {
            "variants": {name: asdict(one) for name, one in found.items()},
            "nearest": nearest,
            "turned": turned,
            "agreement": asdict(agreement(design, adapter)),
            "ghosts": [name for name, is_ghost in ghosts_in_traces(adapter).items() if is_ghost],
            "shortest": shortest_ghosts(design, adapter),
        }


def opens_epochs(name: str) -> bool:
    """Whether a variant has deadlines; one without says nothing of what a planner does then."""
    return VARIANTS[name].model.on_timeout != "wait"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library", choices=ADAPTERS)
    parser.add_argument("--fenced", action="store_true")
    options = parser.parse_args()
    module, _, name = ADAPTERS[options.library].partition(":")
    make: Callable[..., LibraryAdapter] = getattr(import_module(f".{module}", __package__), name)
    # Libraries may say something where they please.
    with redirect_stdout(sys.stderr):
        found = compare(make(is_fenced=options.fenced))
    json.dump(found, sys.stdout, indent=2)
    return 0


if __name__ == "__main__":
    sys.exit(main())
