# pyright: basic, reportMissingImports=false
"""A planner on Pydantic AI: an agent whose tools have a time-out, and whose model compensates when told of one.

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


def write(call: int, outcome: str) -> None:
    bookings.execute("UPDATE bookings SET outcome = ? WHERE call = ?", outcome, call)


@agent.tool
def reserve(ctx: RunContext[int]) -> str:
    """Make the reservation."""
    tool.request(ctx.deps)
    write(ctx.deps, "success")
    return "reserved"


@agent.tool
def release(ctx: RunContext[int]) -> str:
    """Release a reservation that may have been made."""
    compensator.request(ctx.deps)
    write(ctx.deps, "compensated")
    return "released"


async def book(call: int) -> None:
    bookings.execute("INSERT INTO bookings (call) VALUES (?)", call)
    await agent.run("Reserve a seat.", deps=call)
