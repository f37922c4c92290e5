# pyright: basic, reportMissingImports=false
"""A planner on DBOS: a durable workflow that asks the tool, waits for its webhook, and compensates when none comes.

After "Communicating with Workflows", messages example, and the checkout of "Fault-Tolerant Checkout":
https://docs.dbos.dev/python/tutorials/workflow-communication, https://docs.dbos.dev/python/examples/widget-store
"""

from dbos import DBOS, SetWorkflowID, WorkflowHandle

from .surroundings import DEADLINE_S, RETRY_S, Answer, bookings, compensator, tool

ANSWER = "answer"


@DBOS.step()
def reserve(call: int) -> None:
    tool.request(call)


@DBOS.step(retries_allowed=True, max_attempts=100, interval_seconds=RETRY_S, backoff_rate=1)
def release(call: int) -> None:
    compensator.request(call)


@DBOS.step()
def write(call: int, outcome: str) -> None:
    bookings.execute("UPDATE bookings SET outcome = ? WHERE call = ?", outcome, call)


@DBOS.workflow()
def book(call: int) -> None:
    reserve(call)
    if DBOS.recv(ANSWER, timeout_seconds=DEADLINE_S) is not None:
        write(call, "success")
    else:
        release(call)
        write(call, "compensated")


def start(call: int, key: str) -> WorkflowHandle[None]:
    bookings.execute("INSERT INTO bookings (call) VALUES (?)", call)
    with SetWorkflowID(key):
        return DBOS.start_workflow(book, call)


def webhook(key: str, answer: Answer) -> int:
    """The tool's answer, as the route of the webhook gets it; the status to give back."""
    DBOS.send(key, answer, ANSWER)
    return 202
