"""Names, strings and comments of TLA+ for what an author of a model may call anything.

A name is changed where it must be: where it has letters other than ASCII's, is a word of TLA+, of a module that ours
extends or of TLC's configuration, or is taken already; and underscores are one, and none at its ends. No two names
become the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import count
from typing import Final

from .plain_names import fresh, in_comment

#: What cannot be a name, nor the name of a field.
_WORDS: Final = """
    ACTION ASSUME ASSUMPTION AXIOM BOOLEAN BY CASE CHOOSE CONSTANT CONSTANTS COROLLARY DEF DEFINE DEFS DOMAIN
    ELSE ENABLED EXCEPT EXTENDS FALSE HAVE HIDE IF IN INSTANCE LAMBDA LEMMA LET LOCAL MODULE NEW OBVIOUS
    OMITTED ONLY OTHER PICK PROOF PROPOSITION PROVE QED RECURSIVE SF_ STATE STRING SUBSET SUFFICES TAKE
    TEMPORAL THEN THEOREM TRUE UNCHANGED UNION USE VARIABLE VARIABLES WF_ WITH WITNESS
"""
#: What is defined in every file, in the modules that come with TLA+, or said in a configuration.
_DEFINED: Final = """
    Init Next Spec TypeOK Quiet FloorDiv FloorMod vars Nat Int Real Infinity ACTION_CONSTRAINT
    ACTION_CONSTRAINTS ALIAS CHECK_DEADLOCK CONFIG CONSTRAINT CONSTRAINTS INIT INVARIANT INVARIANTS NEXT
    PERIODIC POSTCONDITION PROPERTIES PROPERTY SPECIFICATION SYMMETRY TYPE TYPE_CONSTRAINT VIEW _PERIODIC
    _POSSIBLE Apalache Bags FiniteSets FunAsSeq Integers Json Naturals Option Peano ProtoReals Randomization
    RealTime Reals Sequences TLAPS TLC TLCExt Toolbox Variants
"""


def reserved() -> set[str]:
    """The names that are taken in a module before its author has named anything."""
    return {*_WORDS.split(), *_DEFINED.split()}


def word(name: str, taken: set[str], prefix: str = "") -> str:
    """A fresh identifier that reads as much like `name` as can be; it is taken from now on."""
    plain = re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_")
    needed = "" if prefix or (plain[:1].isalpha() and not plain.startswith(("WF_", "SF_"))) else "v_"
    return fresh(prefix or needed, name, taken)


def field_words(names: Iterable[str]) -> list[str]:
    """The fields of a record."""
    taken: set[str] = {*_WORDS.split()}
    return [word(name, taken) for name in names]


def quoted(text: str) -> str:
    """A string of TLA+, in ASCII."""
    plain = text.encode("ascii", "backslashreplace").decode()
    inside = "".join(_ESCAPES.get(c, c if c.isprintable() else f"\\\\x{ord(c):02x}") for c in plain)
    return f'"{inside}"'


_ESCAPES: Final = {"\\": "\\\\", '"': '\\"'}


def distinct_strings(texts: Sequence[str]) -> list[str]:
    """A string for each text; those of different texts differ even where escaping makes them the same."""
    taken: set[str] = set()
    found: list[str] = []
    for text in texts:
        string = quoted(text)
        for number in count(2):
            if string not in taken:
                break
            string = quoted(f"{text} ({number})")
        taken.add(string)
        found.append(string)
    return found


def comment(text: str) -> str:
    r"""Text for a comment of one line: `@` would begin what Apalache reads as a type, `--algorithm` a PlusCal one."""
    line = in_comment(text).replace("@", "\\x40").replace("\\*", "\\ *")
    return re.sub(r"--(?=-|algorithm|fair)|==(?==)", lambda found: " ".join(found[0]), line)
