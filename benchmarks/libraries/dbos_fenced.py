# pyright: basic, reportMissingImports=false
"""The planner on DBOS with a fence: requests carry an epoch, a deadline raises it first, and a write asks for it.

After "Communicating with Workflows", messages example, and the checkout of "Fault-Tolerant Checkout":
https://docs.dbos.dev/python/tutorials/workflow-communication, https://docs.dbos.dev/python/examples/widget-store
"""

from dbos import DBOS, SetWorkflowID, WorkflowHandle

from .surroundings import DEADLINE_S, RETRY_S, Answer, bookings, compensator, tool

ANSWER = "answer"


@DBOS.step()
def reserve(call: int) -> None:
    tool.request(call, epoch=1)


@DBOS.step()
def raise_fence(call: int) -> int:
    ((epoch,),) = bookings.execute("UPDATE bookings SET live = live + 1 WHERE call = ? RETURNING live", call)
    return int(epoch)


@DBOS.step()
def release(call: int, epoch: int) -> bool:
    try:
        compensator.request(call, epoch)
    except TimeoutError:
        return False
    return True


@DBOS.step()
def write(call: int, outcome: str, epoch: int) -> None:
    if_live = "UPDATE bookings SET outcome = ?, committed = live WHERE call = ? AND live = ? AND outcome IS NULL"
    bookings.execute(if_live, outcome, call, epoch)


@DBOS.workflow()
def book(call: int) -> None:
    reserve(call)
    if DBOS.recv(ANSWER, timeout_seconds=DEADLINE_S) is not None:
        write(call, "success", 1)
    else:
        while not release(call, epoch := raise_fence(call)):
            DBOS.sleep(RETRY_S)
        write(call, "compensated", epoch)


def start(call: int, key: str) -> WorkflowHandle[None]:
    bookings.execute("INSERT INTO bookings (call) VALUES (?)", call)
    with SetWorkflowID(key):
        return DBOS.start_workflow(book, call)


def webhook(key: str, answer: Answer) -> int:
    """The tool's answer, as the route of the webhook gets it; the status to give back."""
    if not answer.get("body") or answer.get("epoch") != 1:
        return 400
    DBOS.send(key, answer, ANSWER)
    return 202
