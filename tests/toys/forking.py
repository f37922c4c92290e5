"""Runs of the command in processes that are forked from one which has imported it: to import it takes longer than most
runs do. Each run is otherwise what `python -m fenceproof` is: a process of its own, in the current folder."""

from __future__ import annotations

import functools
import json
import os
import select
import signal
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from tempfile import TemporaryFile

_NUMBER = struct.Struct("q")
#: Given as text, since no run is to find a file of the tests among the callers of its code.
_FORKS = f"""
import gc, importlib, io, json, os, socket, sys
from fenceproof.__main__ import main
from fenceproof.checker import cli
for name in ("check", "coverage", "export", "prove", "replay", "trace"):
    importlib.import_module("fenceproof.checker.commands." + name)


def received(number):
    found = bytearray()
    while len(found) < number:
        found += asked.recv(number - len(found))
    return bytes(found)


def opened(number, **options):
    return io.open(number, "w", encoding="utf-8", closefd=False, **options)


asked = socket.socket(fileno=int(sys.argv[1]))
gc.freeze()
while True:
    head, files, _, _ = socket.recv_fds(asked, {_NUMBER.size}, 3)
    if not head:
        sys.exit()
    given = json.loads(received(int.from_bytes(head, sys.byteorder)))
    process = os.fork()
    if process == 0:
        asked.close()
        break
    for number in files:
        os.close(number)
    asked.sendall(process.to_bytes({_NUMBER.size}, sys.byteorder))
    _, status = os.waitpid(process, 0)
    asked.sendall(os.waitstatus_to_exitcode(status).to_bytes({_NUMBER.size}, sys.byteorder, signed=True))
os.fchdir(files[0])
os.dup2(files[1], 1)
os.dup2(files[2], 2)
for number in files:
    os.close(number)
os.environ.clear()
os.environ.update(given["environment"])
sys.argv[1:] = given["arguments"]
sys.stdout = sys.__stdout__ = opened(1)
sys.stderr = sys.__stderr__ = opened(2, errors="backslashreplace", buffering=1)
main()
"""


def forked(
    arguments: Sequence[str], environment: Mapping[str, str], timeout: float
) -> subprocess.CompletedProcess[str]:
    """Run `fenceproof` with arguments in the current folder. Raises TimeoutExpired after so many seconds."""
    with _lock:
        return _run(_forks(), arguments, environment, timeout)


_lock = threading.Lock()


@functools.cache
def _forks() -> socket.socket:
    """A connection to a process that forks; it ends when that is closed."""
    ours, theirs = socket.socketpair()
    subprocess.Popen([sys.executable, "-P", "-c", _FORKS, str(theirs.fileno())], pass_fds=[theirs.fileno()])
    theirs.close()
    return ours


def _run(
    forks: socket.socket, arguments: Sequence[str], environment: Mapping[str, str], timeout: float
) -> subprocess.CompletedProcess[str]:
    asked = json.dumps({"arguments": arguments, "environment": dict(environment)}).encode()
    folder = os.open(".", os.O_RDONLY)
    with TemporaryFile() as out, TemporaryFile() as err:
        socket.send_fds(forks, [_NUMBER.pack(len(asked))], [folder, out.fileno(), err.fileno()])
        os.close(folder)
        forks.sendall(asked)
        process = _received(forks)
        if not select.select([forks], [], [], timeout)[0]:
            os.kill(process, signal.SIGKILL)
            _received(forks)
            raise subprocess.TimeoutExpired(list(arguments), timeout)
        code = _received(forks)
        texts: list[str] = []
        for file in (out, err):
            file.seek(0)
            texts.append(file.read().decode())
    return subprocess.CompletedProcess(list(arguments), code, *texts)


def _received(forks: socket.socket) -> int:
    found = bytearray()
    while len(found) < _NUMBER.size:
        part = forks.recv(_NUMBER.size - len(found))
        if not part:
            raise EOFError("the process that forks has ended")
        found += part
    number: int = _NUMBER.unpack(bytes(found))[0]
    return number
