"""Who takes part in the protocol: the lanes of its sequence diagrams, and the ways that its messages go."""

from __future__ import annotations

from typing import Final, TypeAlias

PLANNER: Final = "Planner"
EPOCH_MAP: Final = "EpochMap"
TOOL_PATH: Final = "ToolPath"
COMPENSATOR: Final = "Compensator"
SECOND_PLANNER: Final = "Second planner"

#: A way through lanes by outcome, None for any other.
Ways: TypeAlias = dict[str | None, str | tuple[str, ...] | list[str]]

#: Where the outbox sends what an epoch holds.
REQUESTS: Final[Ways] = {"tool": TOOL_PATH, "compensate": COMPENSATOR, None: [TOOL_PATH, COMPENSATOR]}
#: A result reaches a planner, which commits it or not by what the durable record says.
RESULT: Final = (PLANNER, EPOCH_MAP)
SECOND_RESULT: Final = (SECOND_PLANNER, EPOCH_MAP)
#: A deadline fires at a planner, which writes to the durable record, unless it finds that there is nothing to do.
DEADLINE: Final[Ways] = {"ignored": PLANNER, "refused": PLANNER, None: (PLANNER, EPOCH_MAP)}
SECOND_DEADLINE: Final[Ways] = {"ignored": SECOND_PLANNER, "refused": SECOND_PLANNER, None: SECOND_RESULT}
