"""A counter that two clients share and each keep a copy of: an update is lost."""

from fenceproof.model import Array, Bool, Maybe, Model, Range, action, count, implies, invariant, require, terminal


class Counter(Model):
    def __init__(self, clients: int = 2) -> None:
        self.clients = clients
        self.value = Range(0, clients)
        self.copy = Array(clients, Maybe(Range(0, clients)))
        self.done = Array(clients, Bool())

    @action(client="clients")
    def read(self, client: int) -> str:
        require(self.copy[client] is None)
        self.copy[client] = self.value
        return f"read {self.value}"

    @action(client="clients")
    def write(self, client: int) -> None:
        copy = self.copy[client]
        require(copy is not None and not self.done[client])
        self.value = copy + 1
        self.done[client] = True

    @invariant
    def nothing_lost(self) -> bool:
        """When all are done, each has been counted."""
        written = count(self.done)
        return implies(written == self.clients, self.value == self.clients)

    @terminal
    def finished(self) -> bool:
        return all(self.done)
