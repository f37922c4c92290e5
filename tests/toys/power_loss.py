"""The states that a disk can be in when the power goes, from a recording of what SQLite asked of its storage.

The model is the one that SQLite's documentation on atomic commit assumes, taken pessimistically. Of what was written to
a file since its last sync any part may be on the disk: a write, none of it, or some of its sectors of 512 bytes, each
independently, and a change of length or not. That covers reordering, because of two writes of one place the later one
counts if it is there. A sector that a file grew by and that was not written holds zeros or anything. Names in the
directory are durable when the directory was synced, which SQLite asks for with the first sync of a new journal and, if
told so, with the removal of one; until then each name may stand for what it stood for at any time since.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from recording_vfs import Link, Mark, Operation, Sync, SyncDirectory, Truncate, Write

SECTOR: Final = 512


@dataclass(frozen=True, slots=True)
class CrashState:
    """What may be on the disk when the power went after so many operations: the content of each file by name."""

    cut: int
    acknowledged: int
    files: dict[str, bytes] = field(repr=False)

    def write_to(self, folder: Path) -> None:
        for name, content in self.files.items():
            (folder / name).write_bytes(content)


@dataclass(slots=True)
class _Disk:
    """What is durable, and what is under way to it, in order."""

    contents: dict[int, bytearray] = field(default_factory=dict[int, bytearray])
    pending: dict[int, list[Write | Truncate]] = field(default_factory=dict[int, list[Write | Truncate]])
    names: dict[str, int | None] = field(default_factory=dict[str, "int | None"])
    links: list[Link] = field(default_factory=list[Link])

    def take(self, operation: Operation) -> None:
        match operation:
            case Write() | Truncate():
                self.pending.setdefault(operation.file, []).append(operation)
            case Sync(file):
                content = self.contents.setdefault(file, bytearray())
                for change in self.pending.pop(file, []):
                    _apply(content, change, bytes)
            case Link():
                self.links.append(operation)
            case SyncDirectory():
                self.names.update((link.name, link.file) for link in self.links)
                self.links.clear()
            case Mark():
                pass


def crash_states(
    operations: Sequence[Operation], acknowledgement: str, *, samples: int, seed: int
) -> Iterator[CrashState]:
    """Up to so many different states for each place to cut a recording at; the same ones for the same seed.

    A mark that is called `acknowledgement` says that one step more was acknowledged. A state that was there with as
    many acknowledged steps is left out.
    """
    disk, seen, acknowledged = _Disk(), set[bytes](), 0
    for cut, operation in enumerate(operations, 1):
        disk.take(operation)
        acknowledged += isinstance(operation, Mark) and operation.point == acknowledgement
        chance = random.Random(f"{seed} {cut}")
        for number in range(samples):
            files = _survivors(disk, chance, number)
            digest = _digest(acknowledged, files)
            if digest not in seen:
                seen.add(digest)
                yield CrashState(cut, acknowledged, files)


def _survivors(disk: _Disk, chance: random.Random, number: int) -> dict[str, bytes]:
    """The first state has nothing of what is pending, the second has all, the others what chance would have."""
    likely = (0.0, 1.0)[number] if number < 2 else chance.choice((0.1, 0.5, 0.9))
    torn = chance.random() < 0.5
    fill: Callable[[int], bytes] = chance.choice((bytes, chance.randbytes))
    names = dict(disk.names)
    for name in dict.fromkeys(link.name for link in disk.links):
        chain = [names.get(name), *(link.file for link in disk.links if link.name == name)]
        names[name] = chain[0] if likely == 0 else chain[-1] if likely == 1 else chance.choice(chain)
    files: dict[str, bytes] = {}
    for name, file in names.items():
        if file is None:
            continue
        content = bytearray(disk.contents.get(file, b""))
        for change in disk.pending.get(file, []):
            for part in _parts(change) if torn else [change]:
                if chance.random() < likely:
                    _apply(content, part, fill)
        files[name] = bytes(content)
    return files


def _parts(change: Write | Truncate) -> Iterator[Write | Truncate]:
    """A change as it reaches the disk, sector by sector."""
    if isinstance(change, Truncate):
        yield change
        return
    start, end = change.offset, change.offset + len(change.data)
    while start < end:
        stop = min(end, (start // SECTOR + 1) * SECTOR)
        yield Write(change.file, start, change.data[start - change.offset : stop - change.offset])
        start = stop


def _apply(content: bytearray, change: Write | Truncate, fill: Callable[[int], bytes]) -> None:
    end = change.size if isinstance(change, Truncate) else change.offset
    if len(content) < end:
        content.extend(fill(end - len(content)))
    if isinstance(change, Truncate):
        del content[change.size :]
    else:
        content[change.offset : change.offset + len(change.data)] = change.data


def _digest(acknowledged: int, files: dict[str, bytes]) -> bytes:
    digest = hashlib.blake2b(str(acknowledged).encode(), digest_size=16)
    for name in sorted(files):
        digest.update(f"/{name}/{len(files[name])}/".encode())
        digest.update(files[name])
    return digest.digest()
