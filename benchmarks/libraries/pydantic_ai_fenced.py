# pyright: basic, reportMissingImports=false
"""The planner on Pydantic AI with a fence: requests carry an epoch, `release` raises it, a write asks for it.

After "Tool Timeout" of the advanced tool features: https://ai.pydantic.dev/tools-advanced/#tool-timeout. Its tools are
plain functions, which run to completion: https://ai.pydantic.dev/timeouts/#bounding-how-long-a-step-takes
"""

from pydantic_ai import Agent, ModelMessage, ModelResponse, RunContext, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from .surroundings import DEADLINE_S, bookings, compensator, tool


def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    """What a model does that follows the instructions."""
    last = messages[-1].parts[-1]
    if len(messages) == 1:
        return ModelResponse(parts=[ToolCallPart("reserve")])
    if isinstance(last, ToolReturnPart) and last.outcome == "retried":
        return ModelResponse(parts=[ToolCallPart("release")])
    return ModelResponse(parts=[TextPart("done")])


agent = Agent(
    FunctionModel(answer),
    deps_type=int,
    instructions="Reserve what the user asks for. If that times out, release it, until it is released.",
    tool_timeout=DEADLINE_S,
    retries=100,
)


def write(call: int, outcome: str, epoch: int) -> None:
    if_live = "UPDATE bookings SET outcome = ?, committed = live WHERE call = ? AND live = ? AND outcome IS NULL"
    bookings.execute(if_live, outcome, call, epoch)


@agent.tool
def reserve(ctx: RunContext[int]) -> str:
    """Make the reservation."""
    response = tool.request(ctx.deps, 1)
    while not response.get("body") or not response.get("epoch"):
        response = tool.request(ctx.deps, 1)
    write(ctx.deps, "success", 1)
    return "reserved"


@agent.tool
def release(ctx: RunContext[int]) -> str:
    """Release a reservation that may have been made."""
    raised = "UPDATE bookings SET live = live + 1 WHERE call = ? AND outcome IS NULL RETURNING live"
    for (epoch,) in bookings.execute(raised, ctx.deps):
        compensator.request(ctx.deps, epoch)
        write(ctx.deps, "compensated", epoch)
    return "released"


async def book(call: int) -> None:
    bookings.execute("INSERT INTO bookings (call) VALUES (?)", call)
    await agent.run("Reserve a seat.", deps=call)
