"""What SQLite asks of the storage below it, written down in order: a VFS that records and, but for syncs, passes on.

The index of the write-ahead log (the "-shm" file) is not recorded: SQLite builds it anew after a crash.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TypeAlias

import apsw
from apsw_driver import Connection

#: The files whose first sync makes SQLite sync the directory too, if they were opened to be created (os_unix.c).
_SYNC_THEIR_DIRECTORY: Final = apsw.SQLITE_OPEN_MAIN_JOURNAL | apsw.SQLITE_OPEN_SUPER_JOURNAL | apsw.SQLITE_OPEN_WAL


@dataclass(frozen=True, slots=True)
class Write:
    file: int
    offset: int
    data: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Truncate:
    file: int
    size: int


@dataclass(frozen=True, slots=True)
class Sync:
    """What was written to a file is on the disk now."""

    file: int


@dataclass(frozen=True, slots=True)
class Link:
    """A name in the directory stands for another file from now on, or for none."""

    name: str
    file: int | None


@dataclass(frozen=True, slots=True)
class SyncDirectory:
    """The names in the directory are on the disk now."""


@dataclass(frozen=True, slots=True)
class Mark:
    """The program came to a point."""

    point: str


Operation: TypeAlias = Write | Truncate | Sync | Link | SyncDirectory | Mark


class RecordingVfs(apsw.VFS):
    """The operating system's VFS for the files of one folder. Files are numbered: a name may come to mean another."""

    def __init__(self, name: str) -> None:
        super().__init__(name, "")
        self._name = name
        self.operations: list[Operation] = []
        self._files: dict[str, int] = {}
        self._opened = 0

    def connect(self, path: Path) -> Connection:
        """A connection whose files are recorded."""
        return Connection(str(path), self._name)

    def mark(self, point: str) -> None:
        self.operations.append(Mark(point))

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> apsw.VFSFile:
        path = name.filename() if isinstance(name, apsw.URIFilename) else name
        if path is None:
            raise ValueError("a temporary file is outside of what is recorded")
        file = _RecordingFile(self.operations, name, flags)
        base = os.path.basename(path)
        if base not in self._files:
            self._opened += 1
            self._files[base] = self._opened
            self.operations.append(Link(base, self._opened))
        file.number = self._files[base]
        return file

    def xDelete(self, filename: str, syncdir: bool) -> None:
        super().xDelete(filename, syncdir)
        base = os.path.basename(filename)
        del self._files[base]
        self.operations.append(Link(base, None))
        if syncdir:
            self.operations.append(SyncDirectory())


class _RecordingFile(apsw.VFSFile):
    number: int

    def __init__(self, operations: list[Operation], name: Any, flags: list[int]) -> None:
        self._operations = operations
        asked = flags[0]
        self._directory_too = bool(asked & apsw.SQLITE_OPEN_CREATE and asked & _SYNC_THEIR_DIRECTORY)
        super().__init__("", name, flags)

    def xWrite(self, data: bytes, offset: int) -> None:
        super().xWrite(data, offset)  # pyright: ignore[reportUnknownMemberType]
        self._operations.append(Write(self.number, offset, bytes(data)))

    def xTruncate(self, newsize: int) -> None:
        super().xTruncate(newsize)
        self._operations.append(Truncate(self.number, newsize))

    def xSync(self, flags: int) -> None:
        # Only written down: the machine keeps its power, and waiting for the disk is most of the time.
        self._operations.append(Sync(self.number))
        if self._directory_too:
            self._operations.append(SyncDirectory())
            self._directory_too = False
