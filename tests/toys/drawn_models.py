"""Models for drawings: names that a drawing's format might take for its own, and behaviours that go round."""

from __future__ import annotations

from typing import Final, Literal

from fenceproof.model import Array, Map, Model, Range, action, choose, eventually, fault, invariant, require

#: Words, marks and letters that Mermaid, XML or HTML mean something by.
WORDS: Final = (
    "end",
    "a;b",
    "#35;",
    "<script>alert(1)</script>",
    "\" ' ` & &lt;",
    "line\nbreak\r\u2028",
    "style: x #59;",
    "classDef y:#1;",
    "wrap: nowrap: z",
    "%%{init: {}}%%",
    "participant p9 as x",
    "loop",
    "日本語 🙂 ñ",
    "-->> p0",
    "\ud800 \u202e \x00",
    "\\n",
    " ",
    "ﬂ°°60¶ß",
    "Note over p0: x",
    "$$x$$ <br/> ]]>",
    "a-long-name-of-which-no-letter-is-to-be-lost-" * 4,
)

KEYS: Final[tuple[Literal["a", "b"], ...]] = ("a", "b")


class Nasty(Model):
    """Each word is a lane, an argument, a fault and an outcome, one after the other."""

    def __init__(self) -> None:
        self.place = Range(0, len(WORDS))

    @fault("fault;\n<end>", budget=None)
    @action(word=WORDS, sender="end", receiver="{word}")
    def go(self, word: str) -> str:
        require(self.place < len(WORDS))
        require(word == WORDS[self.place])
        self.place += 1
        return word

    @invariant(name="never <b>; end #35;")
    def never(self) -> bool:
        return self.place < len(WORDS)


class Turning(Model):
    """It starts, and then goes round without ever getting there."""

    def __init__(self) -> None:
        self.place = Range(0, 3)

    @action(sender="driver", receiver="wheel")
    def start(self) -> str:
        require(self.place == 0)
        self.place = 1
        return "started"

    @action(sender="wheel", receiver=["driver", ("road", "log")])
    def turn(self) -> str:
        require(self.place in (1, 2))
        self.place = 3 - self.place
        return "turned"

    @eventually(fair=("start", "turn"))
    def arrives(self) -> bool:
        return self.place == 3


class Unsaid(Model):
    """Nobody says who takes part; `which` is a place of an array, and `name` a key of a map."""

    def __init__(self) -> None:
        self.held = Array(2, Range(0, 1))
        self.seen = Map(KEYS, Range(0, 1))

    @action(much=(7,), which=(0, 1))
    def hold(self, much: int, which: int) -> None:
        require(self.held[which] == 0)
        self.held[which] = 1

    @action
    def see(self) -> str:
        require(self.held[0] == 1 and self.held[1] == 1)
        name: Literal["a", "b"] = choose(KEYS)
        require(self.seen[name] == 0)
        self.seen[name] = 1
        return name

    @action(flag=(False, True))
    def rest(self, flag: bool) -> None:
        require(flag and self.seen["a"] == 1 and self.seen["b"] == 1)
        self.held[0] = 0

    @action
    def spoil(self) -> None:
        require(self.held[0] == 0 and self.seen["a"] == 1)
        self.held[1] = 2

    @invariant
    def never(self) -> bool:
        return not (self.held[0] == 0 and self.seen["a"] == 1)
