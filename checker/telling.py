"""Lines that a command says by itself, beside its report."""

from __future__ import annotations

import click

from .printable import printable


def say(text: str) -> None:
    """Say a line on standard output."""
    click.echo(printable(text))


def tell(text: str) -> None:
    """Say something on standard error, as what this command has to remark."""
    click.echo(f"fenceproof: {printable(text)}", err=True)
