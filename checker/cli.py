"""The command line: the list of commands, and what every command has in common when it ends badly.

A command's module is imported when it is used, so that `fenceproof --version` takes the time Python takes to start.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from codecs import register_error
from collections.abc import Callable, Generator
from contextlib import contextmanager
from difflib import get_close_matches
from io import TextIOWrapper
from typing import IO, Any, Final

import click
from fenceproof import __version__
from fenceproof.model.errors import FenceproofError, InternalError, ModelError, nearest
from fenceproof.model.source import site_of_error

from .held_back import hear_no_more
from .mishap import internal_text
from .printable import printable
from .verdict import Verdict

#: Each command, and the module in `commands/` that has it under the name `command`.
COMMANDS: Final = {
    "check": "Check every reachable state of a model: verdicts, shortest traces, and what was not checked.",
    "prove": "Prove safety properties by an inductive invariant, for any length and where it can any number of calls.",
    "compare": "Compare designs: every property under every set of faults, and what each design costs.",
    "space": "Take away every combination of safeguards: which suffice, which are a cut, which can go.",
    "coverage": "Count which actions, outcomes, branches and lines the reachable states of a model come along.",
    "diff": "Ask whether two models can do the same events in the same orders; if not, where they part.",
    "refine": "Map a model to a more abstract one: is every step of it a step there, or none?",
    "simulate": "Run the named event orders through the fenced planner and a last-writer control.",
    "demo": "Run the reference planner with a tool and a compensator over HTTP, and a result that comes too late.",
    "replay": "Replay a trace on its model, and on an implementation.",
    "trace": "Print a saved trace, or put two side by side: where they differ first, and what each violates.",
    "conform": "Hold an implementation, or the log of a run, against a whole model.",
    "recheck": "Check a certificate of a proof again, with other solvers.",
    "export": "Write a model, a counterexample or a state graph for other tools or to look at, or a trace as a test.",
    "explore": "Write a page to walk around in with a browser: steps, states, what can happen and why not.",
    "new": "Write a file to begin with: an adapter for a planner of your own.",
    "show": "Print a model's transition system as text.",
}
INTERRUPTED: Final = 130
PIPE_CLOSED: Final = 141
_ESCAPED: Final = "fenceproof.escaped"
#: `--propety` is 0.95 like --property, and `--rounds`, somebody's parameter, 0.62 like --out.
_LIKE_AN_OPTION: Final = 0.75
_NO_MEMORY: Final = (
    "fenceproof: the memory of this machine does not suffice, so nothing was decided. "
    "Make the model smaller, or set --memory or --max-states."
)


class EndedError(Exception):
    """A run that somebody ended, or whose output cannot be written: `error`.

    Click would make something of it itself, of a closed pipe the exit code of a violation.
    """

    def __init__(self, error: KeyboardInterrupt | OSError) -> None:
        super().__init__(error)
        self.error = error


@contextmanager
def _past_click() -> Generator[None]:
    try:
        yield
    except (KeyboardInterrupt, OSError) as error:
        raise EndedError(error) from error


class Commands(click.Group):
    """A group whose commands are imported when they are used."""

    def make_context(self, *given: Any, **options: Any) -> click.Context:
        with _past_click():
            return super().make_context(*given, **options)

    def invoke(self, ctx: click.Context) -> Any:
        with _past_click():
            return super().invoke(ctx)

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

    \b
    Exit codes:
      0  all is as expected          4  vacuous: never put to the test
      1  violated, or different      5  the implementation diverges
      2  wrong command or model     70  refused certificate, or our mistake
      3  inconclusive, or bounded  130  interrupted
    """


def main() -> None:
    """Run the command line and exit with the code that says how it went."""
    register_error(_ESCAPED, _escaped)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors=_ESCAPED)
    try:
        code = commands.main(standalone_mode=False)
        # Python does it as well, but then it is too late to say that it failed.
        sys.stdout.flush()
        hear_no_more()
    except BaseException as error:
        hear_no_more()
        code = _code_of(error.error if isinstance(error, EndedError) else error)
    sys.exit(code)


def _named_parameter(error: click.NoSuchOption) -> click.NoSuchOption:
    """The same, and how a parameter of a model is set, where what was written is no mere slip for an option of ours."""
    options = [name for p in error.ctx.command.params for name in p.opts] if error.ctx is not None else []
    if "--set" not in options or get_close_matches(error.option_name, options, cutoff=_LIKE_AN_OPTION):
        return error
    said = f"{error.message} A parameter of the model is set by --set {error.option_name.lstrip('-')}=VALUE."
    return click.NoSuchOption(error.option_name, said, ctx=error.ctx)


def _escaped(error: UnicodeError) -> tuple[str, int]:
    """What a stream cannot encode, as JSON has it: in a document it is the same, and in a sentence it can be read."""
    assert isinstance(error, UnicodeEncodeError), "streams are written to"
    return json.dumps(error.object[error.start : error.end])[1:-1], error.end


def _code_of(error: BaseException) -> int:
    """The exit code of a run that ended so, after saying why."""
    match error:
        case click.NoSuchOption():
            return _told(_named_parameter(error).show, 2)
        case click.ClickException():
            return _told(error.show, 2)
        case FenceproofError():
            return _told(f"fenceproof: {printable(str(error))}", error.exit_code)
        case click.Abort() | KeyboardInterrupt():
            # After the ^C that a terminal shows.
            return _told("\nfenceproof: interrupted.", INTERRUPTED)
        case BrokenPipeError() | SystemExit(__context__=BrokenPipeError()):
            # Whoever read our output has gone; the second is what rich makes of it.
            _write_no_more(sys.stdout)
            return PIPE_CLOSED
        case OSError():
            _write_no_more(sys.stdout)
            return _told(f"fenceproof: the output cannot be written: {error.strerror}.", 2)
        case MemoryError():
            return _told(_NO_MEMORY, Verdict.INCONCLUSIVE.exit_code)
        case SystemExit():
            # We end nowhere but here, so it is the model's file that does.
            text = f"fenceproof: {site_of_error(error)}: SystemExit: {error}, which ends no check."
            return _told(text, ModelError.exit_code)
        case _:
            # Python would exit with 1, which says that a property is violated.
            return _told(f"fenceproof: internal error, {internal_text(error)}", InternalError.exit_code)


def _told(what: str | Callable[[], None], code: int) -> int:
    """The exit code, after saying why on standard error: it says the same where that cannot be written."""
    try:
        what() if callable(what) else click.echo(what, err=True)
    except OSError:
        _write_no_more(sys.stderr)
    return code


def _write_no_more(stream: IO[str]) -> None:
    """What Python still holds back for a stream must not be written when it exits."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
