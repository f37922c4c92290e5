"""VMT-LIB exports as pyvmt reads them, unrolled and asked of Bitwuzla: what falls, and after how many steps."""

from __future__ import annotations

import io
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import pytest
from asking import bitwuzla
from exported import SMALL, asked, depths_of_variant, system_of, truth_of
from fenceproof.checker.export import export
from fenceproof.specs.variants import VARIANTS


def _module(name: str) -> Any:
    # As Any: neither pysmt nor pyvmt has types.
    return import_module(name)


@dataclass
class Read:
    """What pyvmt reads: states with their symbols in the next state, inputs, and formulas as SMT-LIB text."""

    states: list[tuple[Any, Any]]
    inputs: list[Any]
    initial: str
    step: str
    holds: list[str]

    def script(self, number: int, depth: int) -> str:
        """Whether a property is violated within so many steps."""
        now = [state for state, _ in self.states]
        later = [after for _, after in self.states]
        lines = [
            "(set-logic QF_BV)",
            _function("initial", now, self.initial),
            _function("holds", now, self.holds[number]),
        ]
        lines.append(_function("step", [*now, *self.inputs, *later], self.step))
        for k in range(depth + 1):
            lines += [f"(declare-const {name}.{k} {_sort(v)})" for name, v in zip(_names("s", now), now, strict=True)]
        for k in range(depth):
            lines += [
                f"(declare-const {name}.{k} {_sort(v)})"
                for name, v in zip(_names("i", self.inputs), self.inputs, strict=True)
            ]
        lines.append(f"(assert (initial {self._at('s', 0)}))")
        for k in range(depth):
            lines.append(f"(assert (step {self._at('s', k)} {self._at('i', k)} {self._at('s', k + 1)}))")
        violated = " ".join(f"(not (holds {self._at('s', k)}))" for k in range(depth + 1))
        return "\n".join([*lines, f"(assert (or false {violated}))", "(check-sat)", ""])

    def _at(self, letter: str, when: int) -> str:
        return " ".join(f"{name}.{when}" for name in _names(letter, self.states if letter == "s" else self.inputs))


def _names(letter: str, symbols: list[Any]) -> list[str]:
    return [f"{letter}{number}" for number in range(len(symbols))]


def _sort(symbol: Any) -> str:
    return str(symbol.symbol_type().as_smtlib(False))


def _function(name: str, parameters: list[Any], body: str) -> str:
    declared = " ".join(f"({_quoted(p)} {_sort(p)})" for p in parameters)
    return f"(define-fun {name} ({declared}) Bool {body})"


def _quoted(symbol: Any) -> str:
    return str(_module("pysmt.utils").quote(symbol.symbol_name()))


def read(name: str) -> Read:
    """An export of a system, read by pyvmt, which checks what its format demands of annotations."""
    environment = _module("pyvmt.environment").reset_env()
    model = _module("pyvmt.vmtlib.reader").read(io.StringIO(export(name, system_of(name), "vmt")), environment)
    manager = environment.formula_manager
    states = sorted(model.get_state_vars(), key=str)
    after = [manager.Symbol(f"{s.symbol_name()}.after", s.symbol_type()) for s in states]
    nexts = {manager.Next(s): a for s, a in zip(states, after, strict=True)}
    written = _module("pysmt.smtlib.printers").to_smtlib

    def text(formula: Any) -> str:
        return str(written(formula.substitute(nexts), daggify=True))

    properties = model.get_all_properties()
    assert sorted(properties) == list(range(len(properties)))
    assert all(p.is_invar() for p in properties.values())
    (initial,), (step,) = model.get_init_constraints(), model.get_trans_constraints()
    holds = [text(properties[number].formula) for number in sorted(properties)]
    return Read(list(zip(states, after, strict=True)), model.get_input_vars(), text(initial), text(step), holds)


def check(name: str, falls: dict[str, int], most: int) -> None:
    model = read(name)
    names = asked(name)
    assert len(model.holds) == len(names)
    assert len(model.inputs) == 1
    for number, prop in enumerate(names):
        if prop in falls and falls[prop] <= most:
            assert bitwuzla(model.script(number, falls[prop])) == "sat", prop
            if falls[prop]:
                assert bitwuzla(model.script(number, falls[prop] - 1)) == "unsat", prop
        else:
            assert bitwuzla(model.script(number, most)) == "unsat", prop


@pytest.mark.parametrize("name", SMALL)
def test_what_pyvmt_reads_falls_after_the_same_steps(name: str) -> None:
    truth = truth_of(name)
    check(name, truth.falls, min(truth.depth + 1, 20))


@pytest.mark.slow
@pytest.mark.parametrize("variant", VARIANTS)
def test_a_variant_as_pyvmt_reads_it_falls_after_the_same_steps(variant: str) -> None:
    name = f"variant {variant}"
    check(name, depths_of_variant(name), 6)
