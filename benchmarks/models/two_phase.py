"""Two-phase commit with a set of messages, and an unsafe version in which a prepared manager changes its mind.

    fenceproof check two_phase.py:TwoPhase --set managers=5
    fenceproof check two_phase.py:TwoPhaseUnsafe

The state spaces are known from an independent search and, for 3 and 5 managers, from publications; see ../README.md.
"""

from fenceproof.model import Array, Bool, Choice, Model, Range, Set, action, forall, invariant, require, terminal


class TwoPhase(Model):
    """A transaction manager and some resource managers. The message i says that manager i is prepared."""

    def __init__(self, managers: int = 3) -> None:
        self.managers = managers
        self.state = Array(managers, Choice("working", "prepared", "committed", "aborted"))
        self.done = Bool()
        self.prepared = Set(Range(0, managers - 1))
        self.messages = Set(Choice(*range(managers), "commit", "abort"))

    @action
    def commit(self) -> None:
        """The transaction manager has heard from all, and commits."""
        require(not self.done and forall(range(self.managers), lambda i: i in self.prepared))
        self.done = True
        self.messages.add("commit")

    @action
    def abort(self) -> None:
        """The transaction manager aborts."""
        require(not self.done)
        self.done = True
        self.messages.add("abort")

    @action(i="managers")
    def hear(self, i: int) -> None:
        """The transaction manager hears that a manager is prepared."""
        require(not self.done and i in self.messages)
        self.prepared.add(i)

    @action(i="managers")
    def prepare(self, i: int) -> None:
        """A manager prepares and says so."""
        require(self.state[i] == "working")
        self.state[i] = "prepared"
        self.messages.add(i)

    @action(i="managers")
    def choose_abort(self, i: int) -> None:
        """A manager aborts by itself."""
        require(self.state[i] == "working")
        self.state[i] = "aborted"

    @action(i="managers")
    def learn_commit(self, i: int) -> None:
        """A manager is told to commit."""
        require("commit" in self.messages)
        self.state[i] = "committed"

    @action(i="managers")
    def learn_abort(self, i: int) -> None:
        """A manager is told to abort."""
        require("abort" in self.messages)
        self.state[i] = "aborted"

    @invariant
    def consistent(self) -> bool:
        """No two managers end committed and aborted."""
        everyone = range(self.managers)
        nobody_committed = forall(everyone, lambda i: self.state[i] != "committed")
        nobody_aborted = forall(everyone, lambda i: self.state[i] != "aborted")
        return nobody_committed or nobody_aborted

    @terminal
    def anything(self) -> bool:
        """The protocol may rest anywhere."""
        return True


class TwoPhaseUnsafe(TwoPhase):
    """A prepared manager may still abort by itself."""

    @action(i="managers")
    def renege(self, i: int) -> None:
        """A manager that promised to commit aborts."""
        require(self.state[i] == "prepared")
        self.state[i] = "aborted"
