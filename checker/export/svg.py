"""A trace as a sequence diagram in an SVG of its own: no script, no font, and nothing loaded from anywhere.

How wide a text will be is estimated, on the wide side, since nobody is asked who would draw it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Final

from ..report.sequence import FOR_EVER, Item, Message, Note, Role, sequence
from .traces import Shown
from .visible import visible
from .wrapped import wrapped

#: From lane to lane, and the widest that a note over one lane may be.
_LANE: Final = 210
_NOTE: Final = _LANE - 24
#: At least so wide is a drawing, so that its title has room.
_WIDE: Final = 420
_LINE: Final = 17
_GAP: Final = 14
#: What is longer than this is not seen at once.
_SCREEN: Final = 700
#: Rules begin with the class of the drawing, so that in a notebook they are about nothing else on the page.
_STYLE: Final = """
.fenceproof-sequence { --ink: #1b2026; --soft: #56606b; --paper: #ffffff; --panel: #f5f7f9; --accent: #0b5cad;
  --note: #fff7d6; --bad: #b3261e; --bad-paper: #fde7e5; }
@media (prefers-color-scheme: dark) { .fenceproof-sequence { --ink: #e7ebef; --soft: #a9b4bf; --paper: #14181d;
  --panel: #1d232a; --accent: #79b8ff; --note: #3a3413; --bad: #ff9a91; --bad-paper: #43201d; } }
.fenceproof-sequence text { font: 13px system-ui, "DejaVu Sans", sans-serif; fill: var(--ink); text-anchor: middle;
  white-space: pre; }
.fenceproof-sequence .title { font-weight: 700; font-size: 15px; text-anchor: start; }
.fenceproof-sequence .again { text-anchor: start; fill: var(--soft); font-weight: 700; }
.fenceproof-sequence .name { font-weight: 700; }
.fenceproof-sequence .paper { fill: var(--paper); }
.fenceproof-sequence .lane { fill: var(--panel); stroke: var(--soft); }
.fenceproof-sequence .life { stroke: var(--soft); stroke-dasharray: 4 4; }
.fenceproof-sequence .call, .fenceproof-sequence .again { paint-order: stroke; stroke: var(--paper);
  stroke-width: 5px; stroke-linejoin: round; }
.fenceproof-sequence .arrow { stroke: var(--accent); stroke-width: 1.5; }
.fenceproof-sequence .point { fill: var(--accent); }
.fenceproof-sequence .box { fill: var(--note); stroke: var(--soft); }
.fenceproof-sequence .fault { stroke-dasharray: 5 3; stroke-width: 1.5; }
.fenceproof-sequence .loop { fill: none; stroke: var(--soft); stroke-width: 1.5; }
.fenceproof-sequence .bad .arrow { stroke: var(--bad); stroke-width: 3; }
.fenceproof-sequence .bad .point { fill: var(--bad); }
.fenceproof-sequence .bad .box { fill: var(--bad-paper); stroke: var(--bad); stroke-width: 2.5; }
.fenceproof-sequence .bad text { font-weight: 700; }
"""


def write(shown: Shown) -> str:
    """The text of an `.svg` file."""
    made = sequence(shown.target, shown.system, shown.trace, shown.violated)
    drawing = _Drawing(made.participants)
    drawing.head(made.title)
    drawing.items(made.stem)
    if made.loop:
        drawing.loop(made.loop)
    drawing.items(made.end)
    drawing.foot()
    said = ". ".join(item.label for item in made.items)
    return drawing.text(made.title, f"Lanes: {', '.join(made.participants)}. {said}.")


class _Drawing:
    """Elements, from above to below; `y` is how far down it has come."""

    def __init__(self, lanes: Sequence[str]) -> None:
        self.lanes = lanes
        self.wide = max(_WIDE, _LANE * len(lanes))
        first = (self.wide - _LANE * (len(lanes) - 1)) / 2
        self.x = {lane: first + _LANE * number for number, lane in enumerate(lanes)}
        self.y = 10.0
        self.lives = 0.0
        self.drawn: list[str] = []

    def head(self, title: str) -> None:
        """The title, and the lanes' names in boxes of the same height."""
        self._text(14, self.y, wrapped(visible(title), self.wide - 28, 1.25), "title")
        self.y += 6
        self._names()
        self.lives = self.y
        self.y += _GAP

    def items(self, items: Iterable[Item]) -> None:
        """Messages and notes, one below the other."""
        for item in items:
            self.drawn.append('<g class="bad">' if item.is_violation else "<g>")
            match item:
                case Message():
                    self._message(item)
                case Note():
                    self._note(item)
            self.drawn.append("</g>")

    def loop(self, items: Iterable[Item]) -> None:
        """Items in a frame that says that they happen for ever."""
        self.y += 4
        top = self.y
        self._text(14, top + 3, [f"loop: {FOR_EVER}"], "again")
        self.y += 4
        self.items(items)
        self.drawn.append(_rect(6, top, self.wide - 12, self.y - top, "loop"))
        self.y += _GAP

    def foot(self) -> None:
        """The lanes' names once more, where those above are out of sight."""
        if self.y - self.lives > _SCREEN:
            self._names()
            self.y += _GAP

    def text(self, title: str, said: str) -> str:
        """The whole drawing. The lines of the lanes come first, behind everything else."""
        tall = self.y + 4
        lives = "\n".join(
            f'<line class="life" x1="{x:g}" x2="{x:g}" y1="{self.lives:g}" y2="{tall - 6:g}"/>' for x in self.x.values()
        )
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="fenceproof-sequence" role="img" width="{self.wide:g}" '
            f'height="{tall:g}" viewBox="0 0 {self.wide:g} {tall:g}">\n'
            f"<title>{_safe(visible(title))}</title>\n<desc>{_safe(visible(said))}</desc>\n<style>{_STYLE}</style>\n"
            f'<rect class="paper" width="{self.wide:g}" height="{tall:g}"/>\n{lives}\n'
            + "\n".join(self.drawn)
            + "\n</svg>\n"
        )

    def _names(self) -> None:
        names = {lane: wrapped(visible(lane), _NOTE - 16, 1.1) for lane in self.lanes}
        tall = max(map(len, names.values())) * _LINE + 14
        for lane, lines in names.items():
            self.drawn.append(_rect(self.x[lane] - _NOTE / 2, self.y, _NOTE, tall, "lane"))
            self._lines(self.x[lane], self.y + (tall - len(lines) * _LINE) / 2, lines, "name")
        self.y += tall

    def _message(self, item: Message) -> None:
        a, b = self.x[item.sender], self.x[item.receiver]
        self._text((a + b) / 2, self.y, wrapped(visible(item.label), abs(a - b) - 20, _weight(item)), "call")
        end = 10 if a < b else -10
        y = self.y + 5
        self.drawn.append(f'<line class="arrow" x1="{a:g}" x2="{b - end:g}" y1="{y:g}" y2="{y:g}"/>')
        self.drawn.append(f'<path class="point" d="M{b:g},{y:g} l{-end:g},-5 v10 z"/>')
        self.y = y + _GAP

    def _note(self, item: Note) -> None:
        ends = self.x[item.lanes[0]], self.x[item.lanes[-1]]
        wide = ends[1] - ends[0] + _NOTE
        lines = wrapped(visible(item.label), wide - 16, _weight(item))
        tall = len(lines) * _LINE + 12
        self.drawn.append(_rect(ends[0] - _NOTE / 2, self.y, wide, tall, _KINDS[item.role]))
        self._lines(sum(ends) / 2, self.y + 6, lines, "said")
        self.y += tall + _GAP

    def _text(self, x: float, y: float, lines: Sequence[str], kind: str) -> None:
        self._lines(x, y, lines, kind)
        self.y = y + len(lines) * _LINE + 4

    def _lines(self, x: float, y: float, lines: Sequence[str], kind: str) -> None:
        self.drawn += (
            f'<text class="{kind}" x="{x:g}" y="{y + number * _LINE + 13:g}">{_safe(line)}</text>'
            for number, line in enumerate(lines)
        )


_KINDS: Final = {Role.START: "box", Role.STEP: "box", Role.FAULT: "box fault", Role.END: "box"}


def _weight(item: Item) -> float:
    """Bold letters are wider."""
    return 1.1 if item.is_violation else 1.0


def _rect(x: float, y: float, wide: float, tall: float, kind: str) -> str:
    return f'<rect class="{kind}" x="{x:g}" y="{y:g}" width="{wide:g}" height="{tall:g}" rx="4"/>'


def _safe(text: str) -> str:
    """Text that is visible already, in XML."""
    return escape(text)
