"""A PostgreSQL of one's own: a temporary cluster on a free port, of the server that Debian installs."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import psycopg
from psycopg import sql

INSTALL = "PostgreSQL's server is not installed: apt-get install postgresql"


class NotInstalledError(Exception):
    """There is no PostgreSQL server here; the message says how to get it."""


class Cluster:
    """A server that can be started, and stopped in the midst of something."""

    def __init__(self, folder: Path) -> None:
        self._bin = _newest()
        self._data = folder / "data"
        self._port = _free_port()
        self._databases = 0
        self._run("initdb", "-U", "fenceproof", "-A", "trust", "-N", "--encoding=UTF8", "--locale=C.UTF-8")

    def start(self) -> None:
        """Start the server, and wait until it answers."""
        options = f"-p {self._port} -c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c fsync=off"
        self._run("pg_ctl", "-w", "-t", "120", "-o", options, "-l", str(self._data / "log"), "start")

    def stop(self) -> None:
        """Stop the server at once, whatever it does."""
        self._run("pg_ctl", "-w", "-m", "immediate", "stop")

    def new_database(self) -> str:
        """The address of a database with nothing in it."""
        self._databases += 1
        name = f"database_{self._databases}"
        with psycopg.connect(self._url("postgres"), autocommit=True) as connection:
            connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        return self._url(name)

    def _url(self, database: str) -> str:
        return f"postgresql://fenceproof@127.0.0.1:{self._port}/{database}"

    def _run(self, program: str, *arguments: str) -> None:
        # The server does not run as root.
        user = ["runuser", "-u", "postgres", "--"] if os.getuid() == 0 else []
        command = [*user, str(self._bin / program), "-D", str(self._data), *arguments]
        # What it starts would keep a pipe open, so it writes to a file.
        with tempfile.TemporaryFile("w+") as said:
            done = subprocess.run(command, cwd="/", stdout=said, stderr=said, check=False, timeout=240)
            said.seek(0)
            assert done.returncode == 0, f"{command}: {said.read()}"


@contextmanager
def running_cluster() -> Generator[Cluster]:
    """A cluster that is gone afterwards. NotInstalledError where there is no server."""
    folder = Path(tempfile.mkdtemp(prefix="fenceproof-postgres-"))
    try:
        if os.getuid() == 0:
            _newest()
            shutil.chown(folder, "postgres")
        cluster = Cluster(folder)
        cluster.start()
        try:
            yield cluster
        finally:
            cluster.stop()
    finally:
        shutil.rmtree(folder)


def _newest() -> Path:
    """The folder with the server's programs, of the newest version that is installed."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    if found:
        return found[-1].parent
    on_path = shutil.which("initdb")
    if on_path is None:
        raise NotInstalledError(INSTALL)
    return Path(on_path).resolve().parent


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
