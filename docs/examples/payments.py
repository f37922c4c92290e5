"""Payments over a wire that may duplicate one: each is to be credited once."""

from fenceproof.model import (
    Bag,
    Model,
    Range,
    Record,
    Set,
    Step,
    action,
    choose,
    fault,
    implies,
    invariant,
    require,
    safeguard,
    step_property,
    terminal,
)


class Payment(Record):
    number: int = Range(0, 1)
    amount: int = Range(1, 2)


class Payments(Model):
    def __init__(self) -> None:
        self.sent = Range(0, 2)
        self.wire = Bag(Payment(), most=3)
        self.credited = Set(Range(0, 1))
        self.balance = Range(0, 5)

    @action
    def send(self) -> None:
        require(self.sent < 2)
        self.wire.add(Payment.of(number=self.sent, amount=self.sent + 1))
        self.sent += 1

    @fault("duplicate", budget=1)
    @action
    def duplicate(self) -> None:
        self.wire.add(choose(self.wire, label="payment"))

    @safeguard("once")
    def is_new(self, payment: Payment) -> bool:
        return payment.number not in self.credited

    @action
    def receive(self) -> str:
        payment = choose(self.wire, label="payment")
        self.wire.remove(payment)
        if not self.is_new(payment):
            return "ignored"
        self.credited.add(payment.number)
        self.balance += payment.amount
        return f"credited {payment.amount}"

    @invariant
    def no_more_than_was_sent(self) -> bool:
        return self.balance <= (0, 1, 3)[self.sent]

    @step_property
    def received_is_credited(self, step: Step) -> bool:
        return implies(step.action == "receive", lambda: step.args["payment"].number in step.after.credited)

    @terminal
    def finished(self) -> bool:
        return self.sent == 2 and not self.wire
