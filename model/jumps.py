"""Which way a run of an author's code goes at each conditional jump: Python tells of every instruction it is asked to.

A value of the state that is known, as None is where a `Maybe` has no value, is a plain one, and nobody sees that it is
tested; but what comes next is seen.
"""

from __future__ import annotations

import dis
import functools
import re
from dataclasses import dataclass, field, replace
from types import CodeType, FrameType
from typing import Final

from .source import authors_frame, span_at
from .trail import Side, Span

#: Jumps of tests; what is done about an exception is none.
_JUMP: Final = re.compile(r"(?:POP_)?JUMP(?:_FORWARD|_BACKWARD)?_IF_(TRUE|FALSE|NOT_NONE|NONE)(?:_OR_POP)?")


@dataclass(frozen=True, slots=True)
class _Jump:
    """A conditional jump: the test that it is of, where it leads, and how the test came out if it leads there."""

    test: Span
    target: int
    holds: bool


@dataclass(slots=True)
class Jumps:
    """The tests that some frames have made, as they are told of instruction by instruction."""

    _open: dict[FrameType, _Jump] = field(default_factory=dict[FrameType, _Jump])

    def at(self, frame: FrameType) -> Side | None:
        """How the test came out that the frame made last, if its last instruction was one; to be asked at each."""
        offset = frame.f_lasti
        made = self._open.pop(frame, None)
        jump = _jumps(frame.f_code).get(offset)
        if jump is not None:
            self._open[frame] = jump
        return None if made is None else Side(made.test, made.holds is (offset == made.target))


def test_here() -> Span | None:
    """The piece of an author's code that is being tested."""
    frame = authors_frame()
    if frame is None:
        return None
    code, offset = frame.f_code, frame.f_lasti
    span = _tests(code).get(offset)
    if span is not None:
        return span
    return replace(span_at(code, offset, frame.f_lineno), is_within=dis.opname[code.co_code[offset]].startswith("CALL"))


@functools.cache
def _tests(code: CodeType) -> dict[int, Span]:
    """The tests of jumps by the instruction that asks for the truth of a value."""
    return {jump.test.offset: jump.test for jump in _jumps(code).values()}


@functools.cache
def _jumps(code: CodeType) -> dict[int, _Jump]:
    """The conditional jumps by their place. What is tested is what was computed just before: of a jump itself Python
    may say that it belongs to the operand of an `and` before its own."""
    found: dict[int, _Jump] = {}
    value = asks = None
    for made in dis.get_instructions(code):
        match = _JUMP.fullmatch(made.opname)
        if match is not None:
            of_none = match[1].endswith("NONE")
            # Since Python 3.13 the truth of a value is asked by an instruction of its own.
            asking = made if asks is None or of_none else asks
            tested = made if value is None or of_none else value
            span = replace(span_at(code, tested.offset, code.co_firstlineno), offset=asking.offset, is_none=of_none)
            found[made.offset] = _Jump(span, made.argval, match[1] in ("TRUE", "NONE"))
        if made.opname not in ("EXTENDED_ARG", "COPY", "TO_BOOL"):
            value = made
        asks = made if made.opname == "TO_BOOL" else None
    return found
