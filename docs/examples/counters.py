"""Two counters that go up together: true, and not by induction alone.

fenceproof check counters.py --engine kinduction --no-lemmas    # what induction fails on
fenceproof check counters.py --engine kinduction                # a lemma is found, and it is proved
"""

from fenceproof.model import Model, Range, action, invariant, lemma


class Counters(Model):
    def __init__(self) -> None:
        self.one = Range(0, 15)
        self.other = Range(0, 15)

    @action
    def up(self) -> None:
        self.one = (self.one + 1) % 16
        self.other = (self.other + 1) % 16

    @invariant
    def begun_at_seven(self) -> bool:
        """Where one is at seven, the other has begun."""
        return self.one != 7 or self.other > 0


class Helped(Counters):
    @lemma
    def always_the_same(self) -> bool:
        """What the argument needs, in the author's words: it is proved as well, and never just believed."""
        return self.one == self.other
