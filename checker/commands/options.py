"""Options that several commands share: which model, with which parameters, under which faults."""

from __future__ import annotations

import functools
import math
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import click
from fenceproof.model.budgets import Settings
from fenceproof.model.errors import UsageError
from fenceproof.model.language import Model

from ..faults import parse_faults
from ..limits import Limits
from ..targets import Target, build, parse_settings

INTERRUPTED: Final = 130
#: Seconds: z3 counts milliseconds in 32 bits, and what is more than that would be another time to it.
MOST_TIME_S: Final = 4_000_000
#: Where traces are saved unless a folder is named.
TRACES: Final = Path("fenceproof-traces")


class NamedPath(click.Path):
    """A path that has a name: `Path("")` is the current folder, which nobody means who writes nothing."""

    def __init__(self, *, file_okay: bool = True, dir_okay: bool = True) -> None:
        super().__init__(file_okay=file_okay, dir_okay=dir_okay, path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path; a usage error where it is empty or no path at all."""
        if value == "":
            what = "file" if self.file_okay else "folder"
            self.fail(f"it is empty. Name a {what}.", param, ctx)
        return super().convert(value, param, ctx)


@dataclass(slots=True)
class ModelOptions:
    """What a user said about the model to work on."""

    target: str
    settings: dict[str, str]
    faults: str = "all"
    most_faults: int | None = None
    without: tuple[str, ...] = ()

    def make(self, target: Target) -> tuple[Model, Settings]:
        """The model, and how it is to be lifted."""
        model = build(target, self.settings)
        return model, parse_faults(self.faults, self.most_faults, self.without, model)


def model_options(function: Callable[..., Any]) -> Any:
    """TARGET, --set, --calls and --epochs, handed on as `model`."""
    return click.argument("target", default="fenced")(parameter_options(function))


def parameter_options(function: Callable[..., Any]) -> Any:
    """--set, --calls and --epochs, handed on as `model` with the argument `target`, which the command declares."""

    @click.option("--set", "given", multiple=True, metavar="NAME=VALUE", help="Set a parameter of the model.")
    @click.option("--calls", metavar="N", help="Short for --set calls=N.")
    @click.option("--epochs", metavar="N", help="Short for --set epochs=N.")
    @functools.wraps(function)
    def with_model(
        *args: Any, target: str, given: tuple[str, ...], calls: str | None, epochs: str | None, **kw: Any
    ) -> Any:
        settings = list(given)
        settings += [f"{name}={value}" for name, value in (("calls", calls), ("epochs", epochs)) if value is not None]
        faults = {name: kw.pop(name) for name in ("faults", "most_faults", "without") if name in kw}
        return function(*args, model=ModelOptions(target, parse_settings(settings), **faults), **kw)

    return with_model


def fault_options(function: Callable[..., Any]) -> Any:
    """--faults, --most-faults and --without; under `model_options`, which takes them along."""
    for option in (
        click.option("--without", multiple=True, metavar="NAME", help="Take a safeguard away; repeatable."),
        click.option("--most-faults", type=int, metavar="N", help="At most N faults in all."),
        click.option("--faults", default="all", show_default=True, metavar="WHICH", help="all, none, or delay,loss=2."),
    ):
        function = option(function)
    return function


def limit_options(function: Callable[..., Any]) -> Any:
    """--max-states, --memory and --time, handed on as `limits`."""

    @click.option("--max-states", type=click.IntRange(1), metavar="N", help="Stop after N states, as inconclusive.")
    @click.option("--memory", metavar="SIZE", help="Stop when states take more: 500M, 4G. Default: half of it all.")
    @click.option(
        "--time", "time_s", type=click.FloatRange(min=0, min_open=True), metavar="S", help="Stop after S seconds."
    )
    @functools.wraps(function)
    def with_limits(*args: Any, max_states: int | None, memory: str | None, time_s: float | None, **kw: Any) -> Any:
        if time_s is not None:
            check_time(time_s, "Leave --time away for no limit.")
        return function(*args, limits=Limits(max_states, memory_of(memory), time_s), **kw)

    return with_limits


def check_time(time_s: float, instead: str, option: str = "--time") -> None:
    """Raise UsageError for a number of seconds that is none, or that no solver can be given; `instead` says what to
    write for one that is as good as endless."""
    if math.isnan(time_s):
        raise UsageError(f"{option} nan is not a number of seconds. Write, for example, {option} 60.")
    if time_s > MOST_TIME_S:
        raise UsageError(
            f"{option} {time_s:g} is more than {MOST_TIME_S:,} seconds, the most that is counted. {instead}"
        )


_UNITS = {"K": 2**10, "M": 2**20, "G": 2**30}
#: No machine has more bytes than can be said with so many digits, and Python refuses to read some thousand of them.
_MOST_DIGITS = 18


def memory_of(text: str | None) -> int | None:
    """A size as bytes; by default half of the machine's memory, where that can be told. UsageError for no size."""
    if text is None:
        try:
            return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
        except (ValueError, OSError, AttributeError):
            return None
    number, unit = (text[:-1], text[-1].upper()) if text[-1:].upper() in _UNITS else (text, "")
    if not number.isdecimal() or len(number) > _MOST_DIGITS or not int(number):
        raise UsageError(f"--memory {text} is not a size. Write a number of bytes, or 500M, or 4G.")
    return int(number) * _UNITS.get(unit, 1)
