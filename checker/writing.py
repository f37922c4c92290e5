"""A file that a user named: written whole or not at all, and whether it can be, before anything is worked out."""

from __future__ import annotations

import errno
import os
import tempfile
from pathlib import Path

from fenceproof.model.errors import UsageError


def check_writable(path: Path) -> None:
    """Raise UsageError where `write_whole` could not write a file as things are; nothing is left behind."""
    _check_no_folder(path)
    if _is_written_in_place(path):
        if not os.access(path, os.W_OK):  # not opened, as that of a pipe waits for a reader
            raise _unwritable(path, PermissionError(errno.EACCES, os.strerror(errno.EACCES)))
        return
    try:
        handle, part = _part_of(_resolved(path))
        os.close(handle)
        Path(part).unlink()
    except OSError as error:
        raise _unwritable(path, error) from error


def check_free(path: Path, *, force: bool) -> None:
    """Raise UsageError where a file is there already, unless it may be written over. A device or a pipe may."""
    if path.is_file() and not force:
        raise UsageError(f"{path} is there already. Name another file, or write over it: --force")


def write_whole(path: Path, text: str, *, instead: str = "Name another file: --out FILE") -> None:
    """Write a file whole: what was there before stays until all of it is written.

    UsageError where that cannot be, which says what to do `instead`.
    """
    _check_no_folder(path)
    try:
        replace(path, text)
    except OSError as error:
        raise _unwritable(path, error, instead) from error


def _resolved(path: Path) -> Path:
    """Where a path leads to in the end; OSError where its links go round, which Python calls a RuntimeError."""
    try:
        return path.resolve()
    except RuntimeError as error:
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP)) from error


def _check_no_folder(path: Path) -> None:
    if path.is_dir():
        raise UsageError(f"{path} is a folder. Name a file: --out {path / 'model.txt'}")


def _is_written_in_place(path: Path) -> bool:
    """Whether this is a device or a pipe, which must not be replaced by a file."""
    return path.exists() and not path.is_file()


def _unwritable(path: Path, error: OSError, instead: str = "Name another file: --out FILE") -> UsageError:
    return UsageError(f"{path} cannot be written: {error.strerror}. {instead}")


def _part_of(path: Path) -> tuple[int, str]:
    """A new file beside another one: open, and its name."""
    return tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")


def replace(path: Path, text: str) -> None:
    """The same, with the OSError where it cannot be written."""
    if _is_written_in_place(path):
        path.write_text(text, encoding="utf-8")
        return
    path = _resolved(path)  # What a link points to is what is replaced, not the link.
    handle, part = _part_of(path)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(part, 0o666 & ~_umask())
        os.replace(part, path)
    finally:
        # Gone if it became the file; else there was an error, or an interrupt.
        Path(part).unlink(missing_ok=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
