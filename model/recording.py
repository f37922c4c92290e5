"""Noting what the runs of an author's actions come along, line by line and test by test, while they are lifted.

Not a judge: which of it a reachable step comes along is found out by whoever explores the states.
"""

from __future__ import annotations

import sys
from collections.abc import Generator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from .jumps import Jumps
from .path import Path
from .source import is_library, is_ours, is_shipped
from .trail import Notes, Side, Span


class Recorder:
    """Notes the runs of one lift. `lines`, `sides` and `asked` are what any of them came along, enabled at its end or
    not; sides are also those of tests of plain values, and `asked` are the tests that asked the state.

    `files` are an author's wherever they are; others in the folders of libraries are not noted.
    """

    def __init__(self, files: frozenset[str]) -> None:
        self.lines: set[tuple[str, int]] = set()
        self.sides: set[Side] = set()
        self.asked: set[Span] = set()
        self.files = files

    @contextmanager
    def noting(self, path: Path) -> Generator[None]:
        """Note what a run comes along within. A trace function that is there already is put back in the end."""
        notes, jumps = Notes(), Jumps()
        path.notes = notes

        def see(frame: FrameType, event: str, _: Any) -> Any:
            if not self._is_noted(frame.f_code.co_filename):
                return None
            if event == "line":
                notes.lines.add((frame.f_code.co_filename, frame.f_lineno))
            elif event == "call":
                frame.f_trace_opcodes = True
            elif event == "opcode" and (side := jumps.at(frame)) is not None:
                notes.sides.add(side)
            return see

        before = sys.gettrace()
        sys.settrace(see)
        try:
            yield
        finally:
            sys.settrace(before)
            self.lines |= notes.lines
            self.sides |= notes.sides
            self.asked |= notes.asked

    def _is_noted(self, file: str) -> bool:
        return not is_ours(file) and (file in self.files or is_shipped(file) or not is_library(file))
