"""Models whose property is no inductive one by itself: a lemma is needed."""

from fenceproof.model import Bool, Model, Range, action, implies, invariant, lemma, require


class Parity(Model):
    """Goes by twos, around."""

    def __init__(self) -> None:
        self.n = Range(0, 15)
        self.twin = Range(0, 15)

    @action
    def up(self) -> None:
        self.n = (self.n + 2) % 16
        self.twin = (self.twin + 2) % 16

    @invariant(name="never-seven")
    def never_seven(self) -> bool:
        """Seven is never reached."""
        return self.n != 7


class Helped(Parity):
    """The same, with the lemma."""

    @lemma
    def even(self) -> bool:
        """Only even numbers are reached."""
        return self.n % 2 == 0


class Misled(Parity):
    """The same, with a lemma that is false."""

    @lemma
    def small(self) -> bool:
        """Only numbers below 6 are reached."""
        return self.n < 6


class Together(Model):
    """Counts two numbers up, around, always together."""

    def __init__(self) -> None:
        self.one = Range(0, 15)
        self.other = Range(0, 15)

    @action
    def up(self) -> None:
        self.one = (self.one + 1) % 16
        self.other = (self.other + 1) % 16

    @invariant(name="same-at-seven")
    def same_at_seven(self) -> bool:
        """Where one is at seven, so is the other."""
        return self.one != 7 or self.other == 7


class HalfTested(Parity):
    """The same, with a property that is never put to the test."""

    def __init__(self) -> None:
        super().__init__()
        self.off = Bool()

    @invariant
    def idle(self) -> bool:
        """What is never off is at zero when it is."""
        return implies(self.off, self.n == 0)


class Late(Parity):
    """The same, with an action that is enabled late only."""

    @action
    def rest(self) -> None:
        require(self.n == 14)
