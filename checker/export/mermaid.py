"""A trace as a Mermaid sequence diagram, which GitHub, GitLab and notebooks draw from its text.

Mermaid's parser takes some letters and words of a message for its own; each is written as an entity code (#59; is a
semicolon), which Mermaid shows as the letter again. See https://mermaid.js.org/syntax/sequenceDiagram.html.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from ..report.sequence import FOR_EVER, Item, Message, Note, sequence
from .traces import Shown
from .visible import visible

#: ASCII that means nothing to Mermaid inside a text; the three others it uses itself for what entity codes stand for.
_PLAIN: Final = re.compile(r"[A-Za-z0-9 ._,:()=/'!?|\[\]-]|[^\x00-\x7fﬂ°¶ß]")
#: `end` closes a block, `wrap:` is an instruction, and of a line with `style` or `classDef` a semicolon gets lost.
_WORD: Final = re.compile(r"\b(?:end|nowrap|wrap)\b|style|classDef", re.IGNORECASE)

#: A text of no letters is refused: a space without width.
_NOTHING: Final = "#8203;"


def write(shown: Shown) -> str:
    """The text of a `.mmd` file, or of a fenced block that begins with ```mermaid."""
    made = sequence(shown.target, shown.system, shown.trace, shown.violated)
    alias = {lane: f"p{number}" for number, lane in enumerate(made.participants)}
    lines = ["sequenceDiagram", f"    title {escaped(made.title)}"]
    lines += [f"    participant {alias[lane]} as {escaped(lane)}" for lane in made.participants]
    lines += _lines(made.stem, alias)
    if made.loop:
        lines.append(f"    loop {FOR_EVER}")
        lines += (f"    {line}" for line in _lines(made.loop, alias))
        lines.append("    end")
    lines += _lines(made.end, alias)
    return "\n".join(lines) + "\n"


def escaped(text: str) -> str:
    """Text that Mermaid shows as it is, and takes nothing in it for its own."""
    seen = visible(text)
    taken = {found.start() for found in _WORD.finditer(seen)}
    # At either end of a text a space would get lost.
    taken |= {n for n in (0, len(seen) - 1) if seen[n : n + 1] == " "}
    return "".join(_code(c) if n in taken or not _PLAIN.fullmatch(c) else c for n, c in enumerate(seen)) or _NOTHING


def _lines(items: Iterable[Item], alias: Mapping[str, str]) -> Iterator[str]:
    for item in items:
        text = escaped(item.label)
        match item:
            case Message():
                yield f"    {alias[item.sender]}->>{alias[item.receiver]}: {text}"
            case Note():
                first, last = alias[item.lanes[0]], alias[item.lanes[-1]]
                yield f"    Note over {first if first == last else f'{first},{last}'}: {text}"


def _code(letter: str) -> str:
    return f"#{ord(letter)};"
