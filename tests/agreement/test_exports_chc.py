"""Horn clauses: z3's Spacer gives the engine's verdict, and cvc5 checks the reason for it.

No solver of Horn clauses but z3's can be installed from a package index, and z3 is what the engines here use. So cvc5
checks that each verdict is right, without searching: where all properties hold, the reachable states, as the plain
search has them, are an interpretation under which every clause is valid; where one is violated, the clauses' instances
along the explicit engine's trace contradict each other.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from importlib import import_module
from itertools import pairwise
from typing import Any

import pytest
from asking import cvc5
from depths import MODEL_ERROR, violated_by_step
from exported import SMALL, asked, system_of, truth_of
from fenceproof.checker.engines import explicit
from fenceproof.checker.export import export
from fenceproof.model.system import State, TransitionSystem
from fenceproof.model.trace import Trace

#: The larger of these would take Spacer, or cvc5 with a disjunct for each state, more than a second or two.
MOST_STATES = 130
NAMES = [name for name in SMALL if len(truth_of(name).states) <= MOST_STATES]
HOLDING = [name for name in NAMES if not truth_of(name).falls]
VIOLATED = [name for name in SMALL if truth_of(name).falls]


def z3_says(script: str) -> str:
    z3: Any = import_module("z3")
    solver = z3.SolverFor("HORN")
    solver.from_string(script)
    return str(solver.check())


class Clauses:
    """An export taken apart: the sorts of the predicate's arguments, and each clause with its variables."""

    def __init__(self, name: str) -> None:
        self.system = system_of(name)
        commands = list(_commands(export(name, self.system, "chc")))
        assert commands[0] == "(set-logic HORN)"
        assert commands[-1] == "(check-sat)"
        declared = _parts(commands[1])
        assert declared[:2] == ["declare-fun", "reachable"]
        assert declared[3] == "Bool"
        self.sorts = _parts(declared[2])
        self.clauses = [_parts(command)[1] for command in commands[2:-1]]
        self.marks = [
            *(p.name for p in self.system.step_properties),
            *([MODEL_ERROR] if MODEL_ERROR in asked(name) else []),
        ]

    def state(self, state: State, marks: Collection[str] = ()) -> list[str]:
        """The arguments for a state of the system, after a step that violated `marks`."""
        found: list[str] = []
        for slot, value in zip(self.system.slots, state, strict=True):
            if slot.is_bool:
                found.append("true" if value else "false")
            elif slot.lo != slot.hi:
                found.append(f"(_ bv{value - slot.lo} {(slot.hi - slot.lo).bit_length()})")
        found += ["true" if name in marks else "false" for name in self.marks]
        assert len(found) == len(self.sorts)
        return found


def _commands(text: str) -> Iterator[str]:
    """The commands of a script; what is between them is comments."""
    depth, found = 0, ""
    for line in text.splitlines():
        if line.startswith(";"):
            continue
        found += line + "\n"
        depth += line.count("(") - line.count(")")
        if not depth:
            yield found.strip()
            found = ""
    assert not found.strip(), "the last command is closed"


def _parts(text: str) -> list[str]:
    """The parts of a list."""
    assert text[0] == "(" and text[-1] == ")", text
    found, depth = [""], 0
    for letter in text[1:-1]:
        depth += (letter == "(") - (letter == ")")
        if letter.isspace() and not depth:
            found.append("")
        else:
            found[-1] += letter
    return [part for part in found if part]


def _equal(names: Sequence[str], values: Sequence[str]) -> str:
    return f"(and true {' '.join(f'(= {a} {b})' for a, b in zip(names, values, strict=True))})"


@pytest.mark.parametrize("name", NAMES)
def test_spacer_says_what_the_engine_does(name: str) -> None:
    assert z3_says(export(name, system_of(name), "chc")) == ("unsat" if truth_of(name).falls else "sat")


@pytest.mark.parametrize("name", ["counter", "judged", "lease without a fence", "graph begun in a bad node"])
def test_spacer_says_of_one_property_what_the_engine_does(name: str) -> None:
    for prop in asked(name):
        script = export(name, system_of(name), "chc", [prop])
        assert z3_says(script) == ("unsat" if prop in truth_of(name).falls else "sat"), prop


@pytest.mark.parametrize("name", HOLDING)
def test_every_clause_is_valid_where_the_predicate_is_what_is_reachable(name: str) -> None:
    clauses = Clauses(name)
    # No step violates anything here, so that no bit of history is ever set.
    states = [clauses.state(state) for state in truth_of(name).states]
    assert set(said_of(clauses, states)) == {"unsat"}
    if len(states) > 1:
        # One state less is no interpretation: what leads there, or is there at first, is a clause that fails.
        assert "sat" in said_of(clauses, states[:-1])


def said_of(clauses: Clauses, states: Sequence[Sequence[str]]) -> list[str]:
    """Of each clause whether it fails somewhere, with these states as the predicate."""
    names = [f"p{number}" for number in range(len(clauses.sorts))]
    parameters = " ".join(f"({name} {sort})" for name, sort in zip(names, clauses.sorts, strict=True))
    among = " ".join(_equal(names, state) for state in states)
    lines = ["(set-logic ALL)", f"(define-fun reachable ({parameters}) Bool (or false {among}))"]
    for clause in clauses.clauses:
        lines += ["(push 1)", f"(assert (not {clause}))", "(check-sat)", "(pop 1)"]
    return cvc5("\n".join(lines))


@pytest.mark.parametrize("name", VIOLATED)
def test_the_instances_along_a_trace_contradict_each_other(name: str) -> None:
    clauses = Clauses(name)
    path = list(path_of(clauses, trace_of(clauses.system)))
    assert cvc5(instances(clauses, path)) == ["unsat"]
    if len(path) > 1:
        assert cvc5(instances(clauses, path[1:-1] or path[:1])) == ["sat"]


def trace_of(system: TransitionSystem) -> Trace:
    result = explicit.check(system)
    traces = [p.trace for p in result.properties if p.trace is not None and p.trace.loop is None]
    if result.wrong is not None:
        traces.append(result.wrong.trace)
    return min(traces, key=lambda trace: len(trace) + (trace.mistake is not None))


def path_of(clauses: Clauses, trace: Trace) -> Iterator[list[str]]:
    """The arguments of the predicate in each state of a trace."""
    system = clauses.system
    yield clauses.state(trace.states[0])
    for before, position, after in zip(trace.states, trace.transitions, trace.states[1:], strict=False):
        yield clauses.state(after, violated_by_step(system, position, before, after))
    if trace.mistake is not None:
        yield clauses.state(trace.states[-1], {MODEL_ERROR})


def instances(clauses: Clauses, path: Sequence[Sequence[str]]) -> str:
    """Every clause with every state of a path in the place of its variables, or every step of it."""
    lines = ["(set-logic QF_UFBV)", f"(declare-fun reachable ({' '.join(clauses.sorts)}) Bool)"]
    steps = [[*before, *after] for before, after in pairwise(path)]
    for clause in clauses.clauses:
        if not clause.startswith("(forall"):
            lines.append(f"(assert {clause})")
            continue
        _, declared, body = _parts(clause)
        names = [_parts(variable)[0] for variable in _parts(declared)]
        for values in path if len(names) == len(clauses.sorts) else steps:
            bound = " ".join(f"({n} {v})" for n, v in zip(names, values, strict=True))
            lines.append(f"(assert (let ({bound}) {body}))")
    return "\n".join([*lines, "(check-sat)"])
