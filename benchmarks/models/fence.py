"""Independent calls behind a per-call epoch fence, and the same with the last writer winning.

    fenceproof check fence.py:Fence --set calls=3
    fenceproof check fence.py:FenceLastWriter

The state spaces are known from three independent programs (TLC, SPIN and a plain search); see ../README.md.
"""

from fenceproof.model import Array, Bool, Choice, Model, Range, action, forall, invariant, require, terminal

EPOCHS = (1, 2, 3)


class Calls(Model):
    """What both planners have in common. A request of epoch e lies in `slot[call][e - 1]`."""

    def __init__(self, calls: int = 1) -> None:
        self.calls = calls
        self.live = Array(calls, Range(1, 3))
        self.committed = Array(calls, Range(0, 3))
        slots = Array(3, Choice("unsent", "request", "result", "gone"), start=["request", "unsent", "unsent"])
        self.slot = Array(calls, slots)

    @action(call="calls")
    def bump(self, call: int) -> None:
        """The deadline of the live epoch fires."""
        require(self.committed[call] == 0 and self.live[call] < 3)
        require(self.slot[call][self.live[call] - 1] != "unsent")
        self.live[call] += 1

    @action(call="calls", epoch=EPOCHS)
    def send(self, call: int, epoch: int) -> None:
        """The live epoch's request goes out."""
        require(self.live[call] == epoch and self.slot[call][epoch - 1] == "unsent")
        self.slot[call][epoch - 1] = "request"

    @action(call="calls", epoch=EPOCHS)
    def execute(self, call: int, epoch: int) -> None:
        """The tool runs and answers."""
        require(self.slot[call][epoch - 1] == "request")
        self.slot[call][epoch - 1] = "result"

    @invariant
    def no_ghost(self) -> bool:
        """Nothing is committed, or what is committed is of the live epoch."""
        return forall(range(self.calls), lambda c: (self.committed[c] == 0) | (self.committed[c] == self.live[c]))

    @terminal
    def anything(self) -> bool:
        """A call may end anywhere."""
        return True


class Fence(Calls):
    """Only the live epoch commits, and only once."""

    def may_commit(self, call: int, epoch: int) -> bool:
        return self.live[call] == epoch and self.committed[call] == 0

    @action(call="calls", epoch=EPOCHS)
    def commit(self, call: int, epoch: int) -> None:
        """A result of the live epoch is committed."""
        require(self.slot[call][epoch - 1] == "result" and self.may_commit(call, epoch))
        self.committed[call] = epoch
        self.slot[call][epoch - 1] = "gone"

    @action(call="calls", epoch=EPOCHS)
    def commit_keep(self, call: int, epoch: int) -> None:
        """A result of the live epoch is committed, and will be delivered once more."""
        require(self.slot[call][epoch - 1] == "result" and self.may_commit(call, epoch))
        self.committed[call] = epoch

    @action(call="calls", epoch=EPOCHS)
    def reject(self, call: int, epoch: int) -> None:
        """Any other result is rejected."""
        require(self.slot[call][epoch - 1] == "result" and not self.may_commit(call, epoch))
        self.slot[call][epoch - 1] = "gone"


class FenceLastWriter(Calls):
    """Every result is written, whatever its epoch."""

    def __init__(self, calls: int = 1) -> None:
        super().__init__(calls)
        self.over = Array(calls, Bool())

    def write(self, call: int, epoch: int) -> None:
        require(self.slot[call][epoch - 1] == "result")
        if self.committed[call] != 0 and self.committed[call] != epoch:
            self.over[call] = True
        self.committed[call] = epoch

    @action(call="calls", epoch=EPOCHS)
    def apply(self, call: int, epoch: int) -> None:
        """A result is written."""
        self.write(call, epoch)
        self.slot[call][epoch - 1] = "gone"

    @action(call="calls", epoch=EPOCHS)
    def apply_keep(self, call: int, epoch: int) -> None:
        """A result is written, and will be delivered once more."""
        self.write(call, epoch)

    @invariant
    def no_overwrite(self) -> bool:
        """No commit is replaced by one of another epoch."""
        return forall(range(self.calls), lambda c: not self.over[c])
