"""The command line: the list of commands, and what every command has in common when it ends badly.

A command's module is imported when it is used, so that `fenceproof --version` takes the time Python takes to start.
"""

from __future__ import annotations

import importlib
import os
import signal
import sys
from typing import Any, Final

import click
from fenceproof import __version__
from fenceproof.model.errors import FenceproofError, InternalError, ModelError, nearest
from fenceproof.model.source import site_of_error

from .mishap import internal_text, printable
from .verdict import Verdict

#: Each command, and the module in `commands/` that has it under the name `command`.
COMMANDS: Final = {
    "check": "Check every reachable state of a model: verdicts, shortest traces, and what was not checked.",
    "prove": "Prove safety properties by an inductive invariant, for any length and where it can any number of calls.",
    "compare": "Compare designs: every property under every set of faults, and what each design costs.",
    "space": "Take away every combination of safeguards: which suffice, which are a cut, which can go.",
    "diff": "Ask whether two models can do the same events in the same orders; if not, where they part.",
    "refine": "Map a model to a more abstract one: is every step of it a step there, or none?",
    "simulate": "Run the named event orders through the fenced planner and a last-writer control.",
    "demo": "Run the reference planner with a tool and a compensator over HTTP, and a result that comes too late.",
    "replay": "Replay a trace on its model, and on an implementation.",
    "recheck": "Check a certificate of a proof again, with other solvers.",
    "export": "Write a model for other tools: SMT-LIB, Horn clauses, VMT-LIB, BTOR2.",
    "show": "Print a model's transition system as text.",
}
INTERRUPTED: Final = 130
PIPE_CLOSED: Final = 141
_NO_MEMORY: Final = (
    "fenceproof: the memory of this machine does not suffice, so nothing was decided. "
    "Make the model smaller, or set --memory or --max-states."
)


class PipeClosedError(Exception):
    """Whoever read our output has gone. Click and rich then exit with 1, which says that a property is violated."""


class Commands(click.Group):
    """A group whose commands are imported when they are used."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:
            raise PipeClosedError from error
        except SystemExit as end:
            # What rich makes of it.
            if isinstance(end.__context__, BrokenPipeError):
                raise PipeClosedError from end
            raise

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"fenceproof.checker.commands.{cmd_name}")
        command: click.Command = module.command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS:
            ctx.fail(nearest(args[0], COMMANDS, "The command"))
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="fenceproof", message="%(prog)s %(version)s")
def commands() -> None:
    """Model-check a fencing protocol before you code it.

    A TARGET is a shipped variant (fenced, last-writer, replay, wait, …: `fenceproof compare` lists all) or a file of
    your own: mine.py, or mine.py:Class. A model file is code, and is run as code.
    """


def main() -> None:
    """Run the command line and exit with the code that says how it went."""
    # Whoever asks a search to end, as `timeout` does, is told what it covered, as by Ctrl-C.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        code = commands.main(standalone_mode=False)
    except click.ClickException as error:
        error.show()
        sys.exit(2)
    except FenceproofError as error:
        click.echo(f"fenceproof: {printable(str(error))}", err=True)
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        click.echo("fenceproof: interrupted.", err=True)
        sys.exit(INTERRUPTED)
    except PipeClosedError:
        _write_no_more()
        sys.exit(PIPE_CLOSED)
    except OSError as error:
        _write_no_more()
        click.echo(f"fenceproof: the output cannot be written: {error.strerror}.", err=True)
        sys.exit(2)
    except MemoryError:
        click.echo(_NO_MEMORY, err=True)
        sys.exit(Verdict.INCONCLUSIVE.exit_code)
    except SystemExit as end:
        # We end nowhere but here, so it is the model's file that does.
        click.echo(f"fenceproof: {site_of_error(end)}: SystemExit: {end}, which ends no check.", err=True)
        sys.exit(ModelError.exit_code)
    except BaseException as error:
        # Python would exit with 1, which says that a property is violated.
        click.echo(f"fenceproof: internal error, {internal_text(error)}", err=True)
        sys.exit(InternalError.exit_code)
    sys.exit(code)


def _write_no_more() -> None:
    """What Python still holds back for standard output must not be written when it exits."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
