"""The choices that make one planner design different from another, as keywords of its class."""

from __future__ import annotations

from typing import Any, Final, Literal, get_args

from fenceproof.model import Model, ModelError, safeguard

Decide = Literal["fence", "last-writer"]
Basis = Literal["record", "copy"]
Bump = Literal["before-send", "on-return", "after-send"]
Echo = Literal["required", "optional"]
OnTimeout = Literal["compensate", "replay", "compensate-and-retry", "wait"]
ToolKey = Literal["call", "none"]
CompensatorKey = Literal["call", "call-epoch"]

#: Every knob with the values it can have; the first is that of the fenced planner.
KNOBS: Final[dict[str, tuple[object, ...]]] = {
    "decide": get_args(Decide),
    "basis": get_args(Basis),
    "bump": get_args(Bump),
    "echo": get_args(Echo),
    "check_commit": (True, False),
    "on_timeout": get_args(OnTimeout),
    "tool_key": get_args(ToolKey),
    "compensator_key": get_args(CompensatorKey),
    "world_fence": (True, False),
}


class Knobs(Model):
    """A planner design.

    `decide`: what keys a mutation, the fence or nothing (the last writer wins). `basis`: whether decisions compare and
    set the durable record, or look at a planner's own copy of it. `bump`: the fence is raised with the intent, before
    anything is sent; when the compensator returns; or after the request was sent, until when it is in memory only.
    `echo`: whether a result must say which epoch it answers. `check_commit`: whether a deadline looks for a commit.
    `on_timeout`: what a deadline opens. `tool_key`, `compensator_key`: the idempotency keys that tool and compensator
    honour. `world_fence`: whether the fence is checked where the effect happens.
    """

    decide: Decide = "fence"
    basis: Basis = "record"
    bump: Bump = "before-send"
    echo: Echo = "required"
    check_commit: bool = True
    on_timeout: OnTimeout = "compensate"
    tool_key: ToolKey = "call"
    compensator_key: CompensatorKey = "call"
    world_fence: bool = True

    compare_and_set = safeguard("compare-and-set", basis=("record", "copy"))
    bump_before_send = safeguard("bump-before-send", bump=("before-send", "on-return"))
    durable_bump = safeguard("outbox", bump=("before-send", "after-send"))

    def __init_subclass__(
        cls,
        *,
        decide: Decide | None = None,
        basis: Basis | None = None,
        bump: Bump | None = None,
        echo: Echo | None = None,
        check_commit: bool | None = None,
        on_timeout: OnTimeout | None = None,
        tool_key: ToolKey | None = None,
        compensator_key: CompensatorKey | None = None,
        world_fence: bool | None = None,
    ) -> None:
        super().__init_subclass__()
        given: dict[str, Any] = dict(locals())
        for name, allowed in KNOBS.items():
            value = given[name]
            if value is None:
                continue
            if value not in allowed:
                raise ModelError(
                    f"{cls.__name__}: {name}={value!r} is not a design choice.",
                    None,
                    f"Write one of {', '.join(map(repr, allowed))}.",
                )
            setattr(cls, name, value)

    @classmethod
    def design(cls) -> dict[str, object]:
        """The choices of this planner by name."""
        return {name: getattr(cls, name) for name in KNOBS}
