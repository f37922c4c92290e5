"""The choices that make one planner different from another; the defaults are the fenced planner."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Literal, get_args, get_type_hints


@dataclass(frozen=True, slots=True)
class Design:
    """How a planner decides. A wrong name or value is a ValueError that says which are right.

    `decide`: by the fence, or whatever comes last is written. `basis`: by the record, or by the planner's own copy of
    it. `bump`: the fence is raised before compensation is sent, when it returns, or after it was sent, until when it is
    in memory alone. `echo`: a result must say which epoch it answers, or counts as live without. `check_commit`:
    whether a deadline looks for a commit before it opens an epoch. `compensator_key`, `tool_key`: what makes a
    compensation or a tool call new. `on_timeout`: what a deadline opens. `world_fence`: whether the fence is checked
    where the effect happens.
    """

    decide: Literal["fence", "last-writer"] = "fence"
    basis: Literal["record", "copy"] = "record"
    bump: Literal["before-send", "on-return", "after-send"] = "before-send"
    echo: Literal["required", "optional"] = "required"
    check_commit: bool = True
    on_timeout: Literal["compensate", "replay", "compensate-and-retry", "wait"] = "compensate"
    tool_key: Literal["call", "none"] = "call"
    compensator_key: Literal["call", "call-epoch"] = "call"
    world_fence: bool = True

    def __post_init__(self) -> None:
        hints = get_type_hints(Design)
        for field in fields(self):
            value = getattr(self, field.name)
            allowed = (True, False) if hints[field.name] is bool else get_args(hints[field.name])
            if value not in allowed:
                raise ValueError(
                    f"{field.name}={value!r} is no design choice; there is {', '.join(map(repr, allowed))}"
                )

    @property
    def has_memory(self) -> bool:
        """Whether a planner knows something that the record does not say."""
        return self.basis == "copy" or self.bump == "after-send"
