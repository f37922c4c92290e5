"""`fenceproof export` of a model's state graph; where that is too large, of a counterexample and what is beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from fenceproof.model.errors import UsageError

from ..export.graphs import GRAPH_FORMATS, export_graph
from ..export.traces import TRACE_FORMATS
from ..limits import Limits
from ..telling import tell
from ..verdict import Verdict
from .counterexample import Searched, first_violated, say_of_one, searched
from .options import ModelOptions


def export_states(
    model: ModelOptions, name: str, properties: Sequence[str], limits: Limits, *, all_copies: bool
) -> str | int:
    """The state graph of a model as the text of a format; an exit code where a limit that was asked for came before.

    Of a model with more states than the format takes it is the neighbourhood of the counterexample of a property that
    was named. UsageError where there is none.
    """
    from ..export.state_graph import beside, state_graph, whole

    most = GRAPH_FORMATS[name].most_states
    # Nothing is looked for but the states: where they are too many, all is said.
    is_ours = not properties and (limits.max_states is None or limits.max_states > most)
    found = searched(model, properties, replace(limits, max_states=most) if is_ours else limits, all_copies=all_copies)
    result = found.result
    if is_ours and found.stop is not None and found.stop.kind == "states":
        raise _too_large(found, name)
    shown = first_violated(found)
    if found.stop is not None and (shown is None or not properties):
        tell(f"the search is not complete: {found.stop.reason}. Nothing was written.")
        return Verdict.INCONCLUSIVE.exit_code
    system = result.system
    states = whole(system, most)
    is_whole = states is not None
    if states is None and shown is not None and properties:
        states = beside(system, shown.trace, most)
    if states is None:
        raise _too_large(found, name)
    say_of_one(result, "graph")
    if not is_whole:
        tell(
            f"{found.target} has more than {most:,} states, too many for {name}. Written is the "
            "counterexample and the steps beside it, not the whole space."
        )
    elif shown is None and properties:
        tell(f"{found.nothing} so no counterexample is marked.")
    one = result.independence
    copies = "" if one is None else f"of {one.copies} {one.parameter}, which share nothing, this is one"
    judged = {p.name for p in result.properties}
    graph = state_graph(found.target, system, states, judged, shown, is_whole=is_whole, copies=copies)
    return export_graph(graph, name)


def _too_large(found: Searched, name: str) -> UsageError:
    most = GRAPH_FORMATS[name].most_states
    larger = [f"{n} ({f.most_states:,})" for n, f in GRAPH_FORMATS.items() if f.most_states > most]
    looked_for = ""
    if found.properties:
        looked_for = f"{found.nothing} so there is no counterexample to show a part of it. "
        if any(p.trace is not None for p in found.result.properties):
            looked_for = "The counterexample alone has too many. "
    remedies = [
        "fewer states (--faults none, --most-faults 1, a smaller --calls or --set)",
        *([f"a format that takes more: {', '.join(larger)}"] if larger else []),
        *([] if found.properties else ["the counterexample of a property with the steps beside it: --property NAME"]),
        f"one trace: --format {' or '.join(TRACE_FORMATS)}",
        f"or a page to walk around in: fenceproof explore {found.target} --out FILE",
    ]
    return UsageError(
        f"{found.target} has more than {most:,} states, too many for {name}. {looked_for}What there is instead: "
        f"{'; '.join(remedies)}."
    )
