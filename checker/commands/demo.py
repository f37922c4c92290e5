"""`fenceproof demo`: the reference planner as a service, and a result that comes too late."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

import click
from fenceproof.model.errors import DivergenceError, UsageError

if TYPE_CHECKING:
    from fenceproof.specs.reference.service.demo import Ending

#: What is needed beyond the kit's own libraries, by the name to import; the extra `sql` has them all.
_NEEDED: Final = {"sqlalchemy": "SQLAlchemy", "httpx": "httpx"}


@click.command()
@click.option("--last-writer", is_flag=True, help="Without the fence: the last result is written, whatever it is.")
@click.option("--url", metavar="URL", help="Keep the record in this SQLite or PostgreSQL database.")
def command(last_writer: bool, url: str | None) -> int:
    """Run a tool, a compensator and a planner on this machine, and hold the tool's result back past the deadline.

    The three talk HTTP on loopback. The record is kept in SQLite, in a temporary folder, unless --url names a database;
    there one call is added to the tables fenceproof_calls and fenceproof_outbox, and left. Exits 0 when the late result
    was rejected, or with --last-writer when it was written, 5 when anything else came of it.
    """
    for module, package in _NEEDED.items():
        if find_spec(module) is None:
            raise UsageError(f"demo needs {package}, which is not installed. Install it: pip install 'fenceproof[sql]'")
    from fenceproof.specs.reference.databases import DatabaseError
    from fenceproof.specs.reference.service.demo import FENCED, LAST_WRITER, run
    from fenceproof.specs.reference.service.demo_database import demo_store
    from fenceproof.specs.reference.service.errors import ServiceError

    try:
        with demo_store(url) as (store, call):
            click.echo(f"call {call}, {'the last writer wins' if last_writer else 'fenced'}")
            ending = run(store, call, LAST_WRITER if last_writer else FENCED, click.echo)
    except (ServiceError, DatabaseError) as error:
        raise UsageError(str(error)) from error
    _tell(ending, last_writer=last_writer)
    return 0


def _tell(ending: Ending, *, last_writer: bool) -> None:
    record = ending.record
    click.echo("")
    click.echo(f"record: live epoch {record.live}, {record.outcome}@{record.committed} committed")
    click.echo(f"world:  {'reserved' if ending.is_reserved else 'released'}")
    rejects = ending.rejects
    click.echo(f"rejects: stale {rejects.stale}, malformed {rejects.malformed}, committed {rejects.committed}")
    click.echo("")
    if last_writer and ending.is_ghost:
        click.echo("A ghost write: the row was released, and the late success wrote it back. The record says that the")
        click.echo("call succeeded and the world holds nothing of it.")
    elif not last_writer and ending.is_fenced:
        click.echo("The late success was rejected, and the compensation is the one thing that was committed.")
    else:
        raise DivergenceError(f"that is not what was to come of it; committed were: {', '.join(ending.commits)}")
