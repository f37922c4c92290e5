"""Sequence diagrams: what is in them, against the trace; that nothing of an author's breaks the image or a notebook."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from functools import cache
from html.parser import HTMLParser
from operator import methodcaller
from typing import Final
from xml.etree import ElementTree

import pytest
from drawn_models import Nasty, Turning, Unsaid
from fenceproof.checker.api import check
from fenceproof.checker.export import svg
from fenceproof.checker.export.mermaid import write
from fenceproof.checker.export.traces import Shown
from fenceproof.checker.export.visible import visible
from fenceproof.checker.export.wrapped import wrapped
from fenceproof.checker.report.lanes import Cast
from fenceproof.checker.report.sequence import FOR_EVER, Item, Message, Note, Role, sequence
from fenceproof.checker.result import CheckResult
from fenceproof.checker.targets import build, find
from fenceproof.model import Model, Range, action, invariant, terminal
from fenceproof.model.lanes import Hop
from fenceproof.model.step import take
from fenceproof.model.trace import Trace
from hypothesis import given
from hypothesis import strategies as st
from random_models import random_model

SVG: Final = "{http://www.w3.org/2000/svg}"


class Bad(Model):
    """Its property is false at once."""

    def __init__(self) -> None:
        self.n = Range(0, 1)

    @action
    def up(self) -> None:
        self.n += 1

    @invariant
    def never(self) -> bool:
        return self.n == 1


class Long(Model):
    """So many steps that no screen shows them all, with words that need several lines."""

    def __init__(self) -> None:
        self.n = Range(0, 40)

    @action(sender="a client whose name has more words than fit on a line", receiver="store")
    def put(self) -> str:
        self.n += 1
        return "the outcome is a sentence that goes on and on, until it is too long for what is between two lanes"

    @invariant
    def below(self) -> bool:
        return self.n < 30


def designed(name: str, faults: str, violated: str) -> Shown:
    return shown(check(build(find(name), {}), faults=faults, properties=violated), violated)


def shown(result: CheckResult, name: str) -> Shown:
    trace = result.trace(name)
    assert trace is not None
    return Shown(result.system.name, result.system, trace, name)


def of_wrong(model: type[Model]) -> Shown:
    result = check(model)
    assert result.wrong is not None
    return Shown(result.system.name, result.system, result.wrong.trace, None)


#: A trace of each sort: of our own designs and of others', a lasso, one that stays, one of no step, a mistake.
CASES: Final[dict[str, Callable[[], Shown]]] = {
    "ghost": lambda: designed("last-writer", "delay", "no-ghost"),
    "crash": lambda: designed("no-outbox", "delay,crash", "no-ghost"),
    "compensator": lambda: designed("epoch-keyed-compensator", "delay,comp-delay", "compensate-once"),
    "second planner": lambda: designed("two-planners", "second-planner,duplicate", "single-commit"),
    "stays": lambda: designed("wait", "loss", "settles"),
    "lasso": lambda: shown(check(Turning), "arrives"),
    "nasty": lambda: shown(check(Nasty), "never <b>; end #35;"),
    "unsaid": lambda: shown(check(Unsaid), "never"),
    "no step": lambda: shown(check(Bad), "never"),
    "long": lambda: shown(check(Long), "below"),
    "mistake": lambda: of_wrong(Unsaid),
}


@cache
def case(name: str) -> Shown:
    """One of the cases, checked once."""
    return CASES[name]()


EACH: Final = pytest.mark.parametrize("name", CASES)


def items_of(drawn: Shown) -> tuple[Item, ...]:
    return sequence(drawn.target, drawn.system, drawn.trace, drawn.violated).items


def plainly(drawn: Shown) -> str:
    """The lines of the diagram in Mermaid, for a comparison."""
    return re.sub(r"(?m)^ {4}", "", write(drawn))


def test_the_ghost_as_the_article_tells_it() -> None:
    assert plainly(case("ghost")) == (
        "sequenceDiagram\n"
        "title LastWriter violates no-ghost in 4 steps\n"
        "participant p0 as Planner\n"
        "participant p1 as EpochMap\n"
        "participant p2 as ToolPath\n"
        "p0->>p2: 1. dispatch(call=0) → tool\n"
        "Note over p2: 2. execute(call=0, epoch=1) → executed\n"
        "Note over p0: 3. deadline_early(call=0)\n"
        "Note over p0: fault: delay\n"
        "p0->>p1: 3. bump\n"
        "p2->>p0: 4. deliver(call=0, kind=success, epoch=1)\n"
        "p0->>p1: ✕ 4. commit\n"
        "Note over p0,p2: ✕ violates no-ghost\n"
    )


def test_a_crash_is_a_note_over_the_planner_and_a_compensation_goes_to_the_compensator() -> None:
    crashed, late = plainly(case("crash")), plainly(case("compensator"))
    assert "participant p0 as Planner\n" in crashed
    assert "Note over p0: 4. crash(call=0)\nNote over p0: fault: crash\n" in crashed
    assert "participant p3 as Compensator\n" in late
    assert "p0->>p3: 3. dispatch(call=0) → compensate\n" in late
    assert "Note over p3: ✕ 7. compensate(call=0, epoch=2) → compensated\n" in late


def test_where_nobody_says_who_takes_part_a_place_of_an_array_or_a_map_is_a_lane_or_else_the_model() -> None:
    drawn = case("unsaid")
    cast = Cast.of(drawn.system)
    # Neither `much`, which is no place of either, nor `flag`: True is not the place 1.
    assert cast.owners == {"hold": "which", "see": "choice"}
    assert cast.names == ("which 0", "which 1", "choice a", "choice b", "Unsaid")
    notes = [(item.lanes, item.label) for item in items_of(drawn) if isinstance(item, Note)]
    assert notes == [
        (("which 0",), "1. hold(much=7, which=0)"),
        (("which 1",), "2. hold(much=7, which=1)"),
        (("choice a",), "3. see(choice=a) → a"),
        (("choice b",), "4. see(choice=b) → b"),
        (("Unsaid",), "✕ 5. rest(flag=True)"),
        (("which 0", "which 1", "choice a", "choice b", "Unsaid"), "✕ violates never"),
    ]


def check_facts(drawn: Shown) -> None:
    """Each step of the trace is there, in its order: who hands it to whom, as what, its fault, and where it ends."""
    system, trace = drawn.system, drawn.trace
    made = sequence(drawn.target, system, trace, drawn.violated)
    steps = [(p, take(system.transitions[p], s).outcome) for s, p in zip(trace.states, trace.transitions, strict=False)]
    if trace.mistake is not None:
        steps.append((trace.mistake, None))
    hops: list[tuple[int, str, tuple[str, str] | None]] = []
    faults: list[tuple[int, str]] = []
    for number, (position, outcome) in enumerate(steps, start=1):
        t = system.transitions[position]
        # Where an author says nothing, all of it is in one lane: which one, another test asks.
        for hop in t.lanes.hops(t.args, outcome) if t.lanes is not None else (Hop("", "", True, True),):
            text = " → ".join(filter(None, [t.called] * hop.is_first + [outcome or ""] * hop.is_last))
            hops.append((number, text, None if t.lanes is None else (hop.sender, hop.receiver)))
        faults += [] if t.fault is None else [(number, t.fault)]
    drawn_steps = [item for item in made.items if isinstance(item, Message) or item.role is Role.STEP]
    found = [
        (i.step, i.text, (i.sender, i.receiver) if isinstance(i, Message) else (i.lanes[0], *i.lanes))
        for i in drawn_steps
    ]
    assert [(n, text, ends if said else None) for (n, text, ends), (*_, said) in zip(found, hops, strict=True)] == hops
    spent = [i for i in made.items if isinstance(i, Note) and i.role is Role.FAULT]
    assert [(i.step, i.text) for i in spent] == [(number, f"fault: {name}") for number, name in faults]
    marked = [item.step for item in drawn_steps if item.is_violation]
    goes_wrong = trace.mistake is not None or (drawn.violated is not None and trace.loop is None)
    assert marked == ([len(steps)] if goes_wrong and steps else [])
    assert {i.step for i in made.loop} == (set() if trace.loop is None else {*range(trace.loop + 1, len(trace) + 1)})
    assert [i.is_violation for i in made.end][-1:] == [drawn.violated is not None or trace.mistake is not None]


@EACH
def test_every_step_of_a_trace_is_in_its_diagram_in_order(name: str) -> None:
    check_facts(case(name))


def test_every_step_of_the_counterexamples_of_random_models_is_in_their_diagrams() -> None:
    kinds: set[tuple[bool, bool, bool]] = set()
    for seed in range(60):
        result = check(random_model(seed))
        traces = [(p.trace, p.name) for p in result.properties if p.trace is not None]
        for trace, name in traces:
            check_facts(Shown("random", result.system, trace, name))
            kinds.add((trace.loop is None, trace.loop == len(trace), len(trace) == 0))
    assert {(True, False, False), (True, False, True), (False, True, False), (False, False, False)} <= kinds


class Image:
    """An SVG as it was drawn: its lanes from left to right, and its items from above to below."""

    def __init__(self, text: str) -> None:
        self.root = ElementTree.fromstring(text)
        self.wide = float(self.root.attrib["width"])
        self.tall = float(self.root.attrib["height"])
        boxes = [r for r in self.root.iter(f"{SVG}rect") if r.attrib["class"] == "lane"]
        names = [t for t in self.root.iter(f"{SVG}text") if t.attrib["class"] == "name"]
        self.lanes: dict[float, str] = {}
        for box in boxes:
            middle = float(box.attrib["x"]) + float(box.attrib["width"]) / 2
            top, tall = float(box.attrib["y"]), float(box.attrib["height"])
            inside = [n for n in names if n.attrib["x"] == f"{middle:g}" and top < float(n.attrib["y"]) < top + tall]
            name = "".join(line.text or "" for line in inside)
            assert self.lanes.setdefault(middle, name) == name
        self.items = [self._item(group) for group in self.root.iter(f"{SVG}g")]

    def _item(self, group: ElementTree.Element) -> tuple[str, tuple[str, ...], bool]:
        """What it says, from which lane to which or over which, and whether it is marked."""
        lines = [t.text or "" for t in group.iter(f"{SVG}text")]
        arrow, box = group.find(f"{SVG}line"), group.find(f"{SVG}rect")
        if arrow is not None:
            point = group.find(f"{SVG}path")
            assert point is not None
            end = float(point.attrib["d"].removeprefix("M").partition(",")[0])
            ends: tuple[str, ...] = (self.lanes[float(arrow.attrib["x1"])], self.lanes[end])
        else:
            assert box is not None
            left = float(box.attrib["x"])
            right = left + float(box.attrib["width"])
            ends = tuple(lane for x, lane in self.lanes.items() if left < x < right)
        return "".join(lines), ends, group.attrib.get("class") == "bad"


def unspaced(text: str) -> str:
    """Text without the spaces at which it may be wrapped."""
    return visible(text).replace(" ", "")


@EACH
def test_the_image_has_every_lane_every_arrow_and_every_text(name: str) -> None:
    drawn = case(name)
    made = sequence(drawn.target, drawn.system, drawn.trace, drawn.violated)
    image = Image(svg.write(drawn))
    assert [lane.replace(" ", "") for lane in image.lanes.values()] == [unspaced(lane) for lane in made.participants]
    names = dict(zip(made.participants, image.lanes.values(), strict=True))
    assert [(text.replace(" ", ""), ends, marked) for text, ends, marked in image.items] == [
        (
            unspaced(item.label),
            tuple(names[lane] for lane in ((item.sender, item.receiver) if isinstance(item, Message) else item.lanes)),
            item.is_violation,
        )
        for item in made.items
    ]
    again = [t.text for t in image.root.iter(f"{SVG}text") if t.attrib["class"] == "again"]
    assert again == [f"loop: {FOR_EVER}"] * bool(made.loop)


@EACH
def test_the_image_stays_within_itself_and_nothing_covers_another(name: str) -> None:
    drawn = case(name)
    image = Image(svg.write(drawn))
    boxes = [
        tuple(float(r.attrib[k]) for k in ("x", "y", "width", "height"))
        for r in image.root.iter(f"{SVG}rect")
        if r.attrib["class"] not in ("paper", "loop")
    ]
    for x, y, wide, tall in boxes:
        assert x >= 0 and y >= 0 and x + wide <= image.wide and y + tall <= image.tall
    for (x, y, wide, tall), (other, below, _, high) in itertools.combinations(boxes, 2):
        assert y + tall <= below or below + high <= y or x + wide <= other
    lines = [(float(t.attrib["x"]), float(t.attrib["y"])) for t in image.root.iter(f"{SVG}text")]
    assert all(y < image.tall for _, y in lines)
    assert len(set(lines)) == len(lines)


def test_the_names_of_lanes_are_below_too_where_the_image_is_longer_than_a_screen() -> None:
    counts = [
        sum(r.attrib["class"] == "lane" for r in Image(svg.write(drawn)).root.iter(f"{SVG}rect"))
        for drawn in (case("ghost"), case("long"))
    ]
    assert counts == [3, 2 * 2]


@EACH
def test_the_image_runs_nothing_and_loads_nothing(name: str) -> None:
    drawn = case(name)
    text = svg.write(drawn)
    root = ElementTree.fromstring(text)
    assert {e.tag.removeprefix(SVG) for e in root.iter()} <= {
        "svg",
        "title",
        "desc",
        "style",
        "rect",
        "line",
        "path",
        "text",
        "g",
    }
    names = {name for e in root.iter() for name in e.attrib}
    assert names <= {"class", "role", "width", "height", "viewBox", "x", "y", "rx", "x1", "x2", "y1", "y2", "d"}
    assert text.count("http") == text.count("http://www.w3.org/2000/svg") == 1
    (style,) = (e.text or "" for e in root.iter(f"{SVG}style"))
    assert "@import" not in style and "url(" not in style


def test_the_image_has_colours_for_light_and_for_dark_that_are_told_apart() -> None:
    style = svg.write(case("ghost"))
    light, dark = re.findall(r"\{ --ink: [^}]*\}", style)
    assert "@media (prefers-color-scheme: dark) { .fenceproof-sequence " + dark in style
    for scheme in (light, dark):
        colour = {name: _luminance(hexed) for name, hexed in re.findall(r"--([a-z-]+): #([0-9a-f]{6})", scheme)}
        for ink, paper in [("ink", p) for p in ("paper", "panel", "note", "bad-paper")] + [
            ("accent", "paper"),
            ("bad", "paper"),
            ("soft", "paper"),
        ]:
            lighter, darker = sorted((colour[ink], colour[paper]), reverse=True)
            # WCAG 2.1, 1.4.3: text has a contrast of 4.5 to 1 at the least.
            assert (lighter + 0.05) / (darker + 0.05) >= 4.5, (ink, paper)


def _luminance(hexed: str) -> float:
    """Relative luminance as WCAG 2.1 defines it."""
    parts = [int(hexed[i : i + 2], 16) / 255 for i in (0, 2, 4)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@given(st.text(max_size=60), st.sampled_from([40.0, 120.0, 400.0]))
def test_wrapping_loses_nothing_but_spaces_and_keeps_to_the_width(text: str, wide: float) -> None:
    seen = visible(text)
    lines = wrapped(seen, wide)
    assert "".join("".join(lines).split()) == "".join(seen.split())
    # No letter is wider than 14 pixels or narrower than 5, but for accents that stand on another.
    assert all(len(line) == 1 or len([c for c in line if c.isascii()]) * 5 <= wide for line in lines)
    assert all(lines[:-1])
    if len(seen) * 14 <= wide:
        assert lines == [seen.rstrip()]


class Cells(HTMLParser):
    """The texts of an HTML fragment's cells outside the image, and every element's name."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.names: list[str] = []
        self.cells: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.append(tag)
        if tag == "td":
            self.cells.append("")

    def handle_data(self, data: str) -> None:
        if self.cells and "svg" not in self.names and data.strip():
            self.cells[-1] += data


def bundle_of(result: object) -> dict[str, str]:
    """What IPython asks an object for."""
    found: dict[str, str] = methodcaller("_repr_mimebundle_")(result)
    return found


def html_of(result: object) -> str:
    """What other notebooks ask an object for."""
    found: str = methodcaller("_repr_html_")(result)
    return found


def test_a_notebook_gets_a_table_and_the_first_counterexample_in_every_form() -> None:
    result = check(build(find("last-writer"), {}), faults="delay", properties="no-ghost")
    trace = result.trace("no-ghost")
    assert trace is not None
    drawn = Shown("LastWriter", result.system, trace, "no-ghost")
    found = bundle_of(result)
    assert set(found) == {"text/plain", "text/html", "image/svg+xml", "text/vnd.mermaid"}
    assert found["text/plain"] == repr(result)
    assert found["text/vnd.mermaid"] == write(drawn)
    assert found["image/svg+xml"] == svg.write(drawn)
    assert found["text/html"] == html_of(result)
    assert svg.write(drawn) in found["text/html"]
    cells = Cells(found["text/html"]).cells
    assert cells[:3] == ["no-ghost", "violated", "4"]
    assert cells[3] == result.properties[0].meaning


def test_a_notebook_shows_no_diagram_of_what_holds_and_of_a_mistake_of_the_model_its_trace() -> None:
    holds = bundle_of(check(build(find("fenced"), {}), faults="none"))
    assert set(holds) == {"text/plain", "text/html"}
    assert "svg" not in Cells(holds["text/html"]).names
    wrong = bundle_of(check(Unsaid))
    assert "title Unsaid goes wrong after" in wrong["text/vnd.mermaid"]


def test_names_of_an_authors_stay_text_in_a_notebook() -> None:
    html = html_of(check(Nasty))
    found = Cells(html)
    assert set(found.names) == {
        "div",
        "table",
        "caption",
        "strong",
        "tr",
        "th",
        "td",
        "svg",
        "title",
        "desc",
        "style",
        "rect",
        "g",
        "line",
        "path",
        "text",
    }
    assert "never <b>; end #35;" in found.cells


def test_a_trace_that_violates_nothing_is_drawn_without_a_mark() -> None:
    class Rests(Model):
        """It may rest."""

        def __init__(self) -> None:
            self.n = Range(0, 1)

        @action
        def up(self) -> str:
            self.n = 1
            return "up"

        @terminal
        def anywhere(self) -> bool:
            return True

    system = check(Rests).system
    trace = Trace((system.initial[0], take(system.transitions[0], system.initial[0]).state or ()), (0,))
    assert plainly(Shown("rests.py", system, trace, None)) == (
        "sequenceDiagram\ntitle rests.py, 1 step\nparticipant p0 as Rests\nNote over p0: 1. up() → up\n"
    )
