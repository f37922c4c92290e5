# pyright: basic, reportMissingImports=false
"""The planner on dramatiq with a fence: messages carry an epoch, a deadline raises it first, and a write asks for it.

After "Scheduling Messages" of the guide and "Callbacks" of the cookbook:
https://dramatiq.io/guide.html#scheduling-messages, https://dramatiq.io/cookbook.html#callbacks
"""

from typing import Any

import dramatiq
from dramatiq.brokers.stub import StubBroker

from .surroundings import DEADLINE_S, Answer, RefusedError, bookings, compensator, tool

broker = StubBroker()
dramatiq.set_broker(broker)


@dramatiq.actor(throws=RefusedError)
def reserve(call: int, epoch: int) -> Answer:
    return tool.request(call, epoch)


@dramatiq.actor
def release(call: int, epoch: int) -> Answer:
    return compensator.request(call, epoch)


def write(call: int, outcome: str, answer: Answer) -> None:
    if answer.get("body") and "epoch" in answer:
        if_live = "UPDATE bookings SET outcome = ?, committed = live WHERE call = ? AND live = ? AND outcome IS NULL"
        bookings.execute(if_live, outcome, call, answer["epoch"])


@dramatiq.actor
def reserved(message: dict[str, Any], answer: Answer) -> None:
    write(message["args"][0], "success", answer)


@dramatiq.actor
def released(message: dict[str, Any], answer: Answer) -> None:
    write(message["args"][0], "compensated", answer)


@dramatiq.actor
def deadline(call: int) -> None:
    raised = "UPDATE bookings SET live = live + 1 WHERE call = ? AND outcome IS NULL RETURNING live"
    for (epoch,) in bookings.execute(raised, call):
        release.send_with_options(args=(call, epoch), on_success=released)
        deadline.send_with_options(args=(call,), delay=int(DEADLINE_S * 1000))


def start(call: int) -> None:
    bookings.execute("INSERT INTO bookings (call) VALUES (?)", call)
    reserve.send_with_options(args=(call, 1), on_success=reserved)
    deadline.send_with_options(args=(call,), delay=int(DEADLINE_S * 1000))
