# pyright: basic, reportMissingImports=false
"""A planner on dramatiq: an actor asks, callbacks write what came of it, a delayed message is the deadline.

After "Scheduling Messages" of the guide and "Callbacks" of the cookbook:
https://dramatiq.io/guide.html#scheduling-messages, https://dramatiq.io/cookbook.html#callbacks
"""

from typing import Any

import dramatiq
from dramatiq.brokers.stub import StubBroker

from .surroundings import DEADLINE_S, Answer, bookings, compensator, tool

broker = StubBroker()
dramatiq.set_broker(broker)


@dramatiq.actor
def reserve(call: int) -> Answer:
    return tool.request(call)


@dramatiq.actor
def release(call: int) -> Answer:
    return compensator.request(call)


def write(call: int, outcome: str) -> None:
    bookings.execute("UPDATE bookings SET outcome = ? WHERE call = ?", outcome, call)


@dramatiq.actor
def reserved(message: dict[str, Any], answer: Answer) -> None:
    write(message["args"][0], "success")


@dramatiq.actor
def released(message: dict[str, Any], answer: Answer) -> None:
    write(message["args"][0], "compensated")


@dramatiq.actor
def deadline(call: int) -> None:
    ((outcome,),) = bookings.execute("SELECT outcome FROM bookings WHERE call = ?", call)
    if outcome is None:
        release.send_with_options(args=(call,), on_success=released)
        deadline.send_with_options(args=(call,), delay=int(DEADLINE_S * 1000))


def start(call: int) -> None:
    bookings.execute("INSERT INTO bookings (call) VALUES (?)", call)
    reserve.send_with_options(args=(call,), on_success=reserved)
    deadline.send_with_options(args=(call,), delay=int(DEADLINE_S * 1000))
