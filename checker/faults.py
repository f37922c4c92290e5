"""Faults as a user names them on the command line become settings for lifting."""

from __future__ import annotations

from fenceproof.model.budgets import Settings, fault_budgets
from fenceproof.model.errors import UsageError
from fenceproof.model.language import Model
from fenceproof.model.methods import MOST_BUDGET


def parse_faults(text: str, most_faults: int | None, without: tuple[str, ...], model: Model) -> Settings:
    """What `lifting_settings` makes of it, for a model. Raises ModelError (with the nearest name) for a fault that the
    model does not have."""
    settings = lifting_settings(text, most_faults, without)
    fault_budgets(model, settings)
    return settings


def lifting_settings(text: str, most_faults: int | None, without: tuple[str, ...]) -> Settings:
    """`all`, `none`, or names joined by commas, each with `=n` or `=unlimited`; unnamed ones are off.

    Raises UsageError for a budget that is none. Whether a model has what is named is not asked here.
    """
    if most_faults is not None and not 0 <= most_faults <= MOST_BUDGET:
        raise UsageError(f"--most-faults {most_faults} is not a number from 0 to {MOST_BUDGET}.")
    budgets: dict[str, int | None] = {}
    only: frozenset[str] | None = None
    if text == "none":
        only = frozenset()
    elif text != "all":
        names: list[str] = []
        for part in text.split(","):
            name, equals, budget = part.strip().partition("=")
            if not name:
                raise UsageError(f"--faults {text} names no fault. Write all, none, or names: --faults delay,loss=2")
            if name in names:
                raise UsageError(f"--faults names {name} twice.")
            names.append(name)
            if equals:
                budgets[name] = _budget(name, budget)
        only = frozenset(names)
    return Settings(budgets, only, most_faults, frozenset(without))


def _budget(name: str, text: str) -> int | None:
    if text == "unlimited":
        return None
    # Python refuses to read a number of some thousand digits.
    if text.isdecimal() and len(text) <= len(str(MOST_BUDGET)) and int(text) <= MOST_BUDGET:
        return int(text)
    raise UsageError(f"{name}={text} is not a budget. Write a number from 0 to {MOST_BUDGET}, or {name}=unlimited.")
