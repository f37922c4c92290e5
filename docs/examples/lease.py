"""A lock with a lease: may a paused holder still write?

fenceproof check lease.py                      # the store checks the token: holds
fenceproof check lease.py --set fenced=false   # it does not: violated in 5 steps
"""

from fenceproof.model import Array, Maybe, Model, Range, Step, action, invariant, require, step_property


class Lease(Model):
    def __init__(self, clients: int = 2, tokens: int = 3, fenced: bool = True) -> None:
        self.clients = clients
        self.tokens = tokens
        self.fenced = fenced
        self.holder = Maybe(Range(0, clients - 1))  # who the lock service thinks holds it
        self.granted = Range(0, tokens)  # last token handed out; starts at 0
        self.token = Array(clients, Maybe(Range(1, tokens)))  # what each client believes it holds
        self.written = Range(0, tokens)  # highest token the store has accepted

    @action(client="clients")
    def acquire(self, client: int) -> None:
        require(self.holder is None and self.granted < self.tokens)
        self.granted += 1
        self.holder = client
        self.token[client] = self.granted

    @action
    def expire(self) -> None:
        """The lease runs out; its holder, paused, does not notice."""
        require(self.holder is not None)
        self.holder = None

    @action(client="clients")
    def write(self, client: int) -> str:
        token = self.token[client]
        require(token is not None)
        if self.fenced and token < self.written:
            self.token[client] = None
            return "reject:stale"
        self.written = token
        return "accept"

    @step_property
    def never_backwards(self, step: Step) -> bool:
        """No write is accepted after one with a later token."""
        return step.after.written >= step.before.written

    @invariant
    def holder_has_newest(self) -> bool:
        return self.holder is None or self.token[self.holder] == self.granted or self.token[self.holder] is None
