"""Why a property holds in every reachable state, and what stands in the way of an argument by induction. Data only."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from fenceproof.model.expressions import Expression
from fenceproof.model.trace import Trace


@dataclass(frozen=True, slots=True)
class Proof:
    """An argument by induction over the length of a behaviour.

    `invariant` holds in every initial state, each step keeps it, and with it the property holds: its conjuncts are
    expressions of the system, over states. `k` is how many states in a row the argument looks back on (1: plain
    induction); with `simple_path` it looks at such rows only in which no state comes twice. `unerring` are further
    conjuncts, inductive together, by which no step goes wrong.
    """

    method: str
    invariant: tuple[Expression, ...] = ()
    k: int = 1
    simple_path: bool = False
    unerring: tuple[Expression, ...] = ()


class Reach(StrEnum):
    """Whether the first state of a counterexample to induction can be reached."""

    REACHABLE = "reachable"
    UNREACHABLE = "unreachable"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Cti:
    """A counterexample to induction: steps that keep a property until the last, from a state that may be reachable or
    not. `why` says how that was found out, `way` how it is reached. It is no counterexample to the property unless its
    beginning is reachable. `lemma` is false at its beginning and true of all states that were seen:
    perhaps it is what is missing.
    """

    trace: Trace
    reach: Reach
    why: str
    way: Trace | None = None
    lemma: Expression | None = None
