"""What a step comes along in its author's code: the lines of the run it is lifted from, and how its tests came out.

Data only; it is noted by `recording.py`, and only where somebody asks for it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from .expressions import Expression


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A piece of a source file by its real name; columns count bytes from 0, and are 0 where Python keeps none.

    `offset` tells the tests of one piece apart: Python gives those of `a and b` the same place. With `is_none` it is
    asked whether something is None, also where an author writes `is not None`. With `is_within` it is a call, within
    which something is tested, as `all` tests each item.
    """

    file: str
    line: int
    column: int = 0
    end_line: int = 0
    end_column: int = 0
    offset: int = 0
    is_none: bool = False
    is_within: bool = False


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a truth test of the state: `holds`, or not."""

    test: Span
    holds: bool


@dataclass(frozen=True, slots=True)
class Trail:
    """One run of an action along one path that ends in a step.

    A step of the transition is made along this run where, and only where, `condition` is true in the state before it.
    Lines are the file's real name and a number.
    """

    condition: Expression
    outcome: str | None
    lines: frozenset[tuple[str, int]]
    sides: frozenset[Side]


@dataclass(slots=True)
class Notes:
    """What one run has come along so far. `asked` are the tests that asked the state, and not a plain value."""

    lines: set[tuple[str, int]] = field(default_factory=set[tuple[str, int]])
    sides: set[Side] = field(default_factory=set[Side])
    asked: set[Span] = field(default_factory=set[Span])
