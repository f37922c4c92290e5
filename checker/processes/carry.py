"""A result on its way between processes: relative to the system, which both have.

The system is a word, and an expression is its number in the system's table, or how it is built of such: a child's
engine may have built new ones, which have no number here.
"""

from __future__ import annotations

import io
import pickle
from dataclasses import dataclass
from typing import TypeAlias

from fenceproof.model.expressions import Expression, Op, reachable
from fenceproof.model.instances import with_numbers
from fenceproof.model.rewrite import built
from fenceproof.model.system import TransitionSystem

from ..result import CheckResult

_SYSTEM, _WHOLE = "system", "whole"
#: An expression as its operation, the places of its arguments in the list, its value, its bounds, and whether it is a
#: truth value.
Row: TypeAlias = tuple[str, tuple[int, ...], int, int, int, bool]


@dataclass(frozen=True, slots=True)
class Carried:
    """A result as it is sent: the expressions in it, arguments before users, and the rest, pickled, with the numbers
    that these had. `written_out` are the values of parameters in the transitions of the system that its traces are of,
    where that is not the system itself."""

    rows: list[Row]
    rest: bytes
    written_out: tuple[int, ...] | None = None


def packed(system: TransitionSystem, result: CheckResult) -> Carried:
    """A result as what can be sent to whoever has the system.

    A violation of a system without bounds is shown on that system with some numbers written out, which the other side
    can do as well.
    """
    whole = result.system
    written_out = None if whole is system else _written_out(system, whole)
    roots = list[Expression]()

    class Pickler(pickle.Pickler):
        def persistent_id(self, obj: object) -> object:
            if obj is system:
                return _SYSTEM
            if obj is whole:
                return _WHOLE
            if isinstance(obj, Expression):
                roots.append(obj)
                return obj.number
            return None

    body = io.BytesIO()
    Pickler(body).dump(result)
    nodes = reachable(roots)
    place = {node.number: position for position, node in enumerate(nodes)}
    rows: list[Row] = [
        (n.op.value, tuple(place[a.number] for a in n.args), n.value, n.lo, n.hi, n.is_bool) for n in nodes
    ]
    return Carried(rows, pickle.dumps((body.getvalue(), [node.number for node in nodes])), written_out)


def _written_out(system: TransitionSystem, whole: TransitionSystem) -> tuple[int, ...]:
    """The numbers with which a system becomes another one by `with_numbers`."""
    params = {(t.action, name) for t in system.transitions for name, _ in t.params}
    found = {v for t in whole.transitions for n, v in t.arguments if (t.action, n) in params and isinstance(v, int)}
    numbers = tuple(sorted(found))
    assert with_numbers(system, numbers).transitions == whole.transitions, "it is the system with numbers written out"
    return numbers


def unpacked(system: TransitionSystem, carried: Carried) -> CheckResult:
    """The result of a child that was given this system."""
    body, numbers = pickle.loads(carried.rest)
    nodes: list[Expression] = []
    for row in carried.rows:
        nodes.append(_built(system, nodes, row))
    by_number = dict(zip(numbers, nodes, strict=True))
    whole = system if carried.written_out is None else with_numbers(system, carried.written_out)
    systems = {_SYSTEM: system, _WHOLE: whole}

    class Unpickler(pickle.Unpickler):
        def persistent_load(self, pid: object) -> object:
            return systems[pid] if isinstance(pid, str) else by_number[pid]

    found: CheckResult = Unpickler(io.BytesIO(body)).load()
    return found


def _built(system: TransitionSystem, nodes: list[Expression], row: Row) -> Expression:
    word, args, value, lo, hi, is_bool = row
    x, op = system.expressions, Op(word)
    match op:
        case Op.CONST:
            return x.truth(bool(value)) if is_bool else x.const(value)
        case Op.SLOT:
            return x.slot(value, lo, hi, is_bool=is_bool)
        case Op.NEXT:
            return x.next_slot(value, lo, hi, is_bool=is_bool)
        case Op.OUTCOME:
            return x.outcome(hi + 1)
        case Op.PARAM:
            return x.param(value, lo)
        case Op.BOUND:
            return x.bound(value, lo)
        case _:
            return built(x, op, [nodes[a] for a in args], value)
