"""The command that a user gave, to be given again."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Sequence

#: A password in the address of a database, before the host or among the parameters.
_PASSWORDS = (re.compile(r"(://[^:/@]*:)[^@]*(?=@)"), re.compile(r"([?&]password=)[^&]*", re.IGNORECASE))


def command_given() -> str:
    """What was typed, without a password."""
    return command_of(["fenceproof", *sys.argv[1:]])


def command_of(words: Sequence[str]) -> str:
    """Words as a command for a shell, without a password."""
    return shlex.join(_without_password(word) for word in words)


def _without_password(word: str) -> str:
    for password in _PASSWORDS:
        word = password.sub(r"\1***", word)
    return word
