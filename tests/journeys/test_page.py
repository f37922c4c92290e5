"""The page that `fenceproof explore` writes, as a person uses it: in Chromium, from its file, offline."""

from __future__ import annotations

import re
from collections.abc import Generator
from pathlib import Path

import pytest
from browsed import NoBrowserError, Seen, chromium, opened
from command import fenceproof
from fenceproof.checker.api import lifted
from fenceproof.checker.page.guards import why_not
from fenceproof.checker.targets import build, find
from fenceproof.model.step import enabled, take
from hostile import ALERT, HOSTILE
from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.slow


#: Counts; `low` is violated in the initial state, and `even` cannot be judged once it has counted to two.
COUNTS = """
from fenceproof.model import Model, Range, action, invariant


class Counts(Model):
    def __init__(self) -> None:
        self.n = Range(0, 3)

    @action
    def up(self) -> None:
        self.n = min(self.n + 1, 3)

    @invariant
    def low(self) -> bool:
        return self.n > 0

    @invariant
    def even(self) -> bool:
        return 6 // (2 - self.n) < 9
"""


@pytest.fixture(scope="module")
def browser() -> Generator[Browser]:
    try:
        with chromium() as found:
            yield found
    except NoBrowserError as error:
        pytest.fail(str(error))


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the pages: one that is violated, one that holds, one that is small, one that is hostile."""
    folder = tmp_path_factory.mktemp("pages")
    (folder / "hostile.py").write_text(HOSTILE, encoding="utf-8")
    (folder / "counts.py").write_text(COUNTS, encoding="utf-8")
    for name, *arguments in (
        ("ghost", "last-writer", "--property", "no-ghost", "--max-states", "1500"),
        ("fenced", "fenced", "--max-states", "800"),
        ("small", "last-writer", "--faults", "delay"),
        ("hostile", str(folder / "hostile.py")),
        ("counts", str(folder / "counts.py")),
        ("for-ever", "wait", "--faults", "loss,crash", "--property", "settles"),
    ):
        ran = fenceproof("explore", *arguments, "--out", folder / f"{name}.html")
        assert ran.code == 0, ran.err
    return folder


def text(page: Page, selector: str) -> str:
    return page.locator(selector).inner_text()


def check_quiet(path: Path, seen: Seen) -> None:
    """Nothing in the console, no dialog, and no request but for the page itself."""
    assert seen.console == []
    assert seen.dialogs == []
    assert [url.partition("#")[0] for url in seen.requests] == [path.resolve().as_uri()] * len(seen.requests)


def test_the_keyboard_goes_along_the_counterexample_and_the_violating_step_is_marked(
    browser: Browser, pages: Path
) -> None:
    path = pages / "ghost.html"
    page, seen = opened(browser, path)
    assert "no-ghost is violated" in text(page, "#claim")
    assert page.locator("#property").input_value() == "no-ghost"
    assert text(page, "#story").startswith("What happens: The planner sends call 0 to the tool in epoch 1.")
    assert page.locator("#why li").all_inner_texts()[0].startswith("Why: opened[0] <= 1 is false; here opened[0] = 2 (")
    page.keyboard.press("ArrowRight")
    assert text(page, "#steps tr.current").split("\t")[:2] == ["1", "dispatch(call=0)"]
    page.keyboard.press("j")
    page.keyboard.press("k")
    assert text(page, "#where") == "1 of 4"
    assert page.locator("#state tr.changed").first.inner_text().startswith("● armed[0]\ttrue\tfalse")
    page.keyboard.press("End")
    assert "✕ violates no-ghost" in text(page, "#steps tr.current")
    assert "Violates" in (page.locator("#live").text_content() or "")
    assert page.locator("#sequence .lane-name title").all_text_contents() == ["Planner", "EpochMap", "ToolPath"]
    assert page.locator("#sequence .called").all_text_contents() == [
        "1. dispatch(call=0) → tool",
        "2. execute(call=0, epoch=1) → executed",
        "3. deadline_early(call=0)",
        "3. bump",
        "4. deliver(call=0, kind=success, epoch=1)",
        "4. commit",
    ]
    assert page.locator("#sequence .current text").all_text_contents() == [
        "4. deliver(call=0, kind=success, epoch=1)",
        "4. commit",
        "✕ violates no-ghost, stale-rejected",
    ]
    # From the tool path back to the planner, and from there to the durable record.
    ends = page.locator("#sequence .current line.arrow").evaluate_all(
        "all => all.map((a) => [a.x1, a.x2].map((x) => x.baseVal.value))"
    )
    assert [before < after for before, after in ends] == [False, True]
    page.keyboard.press("Home")
    assert text(page, "#where") == "0 of 4"
    page.locator("#slider").fill("3")
    assert text(page, "#where") == "3 of 4"
    check_quiet(path, seen)


def test_what_can_happen_is_clicked_undone_and_shared_by_the_address(browser: Browser, pages: Path) -> None:
    path = pages / "fenced.html"
    page, seen = opened(browser, path)
    page.get_by_role("button", name="dispatch(call=0) → tool").first.click()
    page.locator("#enabled").get_by_role("button", name="take_over(call=0)").click()
    assert text(page, "#where") == "2 of 2"
    assert text(page, "#steps tr.current").split("\t")[1].startswith("take_over(call=0)")
    address, shown = page.evaluate("location.hash"), text(page, "#state")
    page.reload()
    page.wait_for_selector("html[data-ready=yes]")
    assert (text(page, "#where"), text(page, "#state")) == ("2 of 2", shown)
    other, others = opened(browser, path, address)
    assert text(other, "#state") == shown
    page.get_by_role("button", name="execute(call=0, epoch=1) → executed").first.click()
    page.get_by_role("button", name="Undo").click()
    assert (text(page, "#where"), text(page, "#state")) == ("2 of 2", shown)
    lost, _ = opened(browser, path, "#s=0.9999@1")
    assert "not in this page" in text(lost, "#message")
    for watched in (seen, others):
        check_quiet(path, watched)


def test_why_an_action_is_not_enabled_is_what_the_interpreter_says(browser: Browser, pages: Path) -> None:
    path = pages / "ghost.html"
    page, seen = opened(browser, path)
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    _, _, system = lifted(build(find("last-writer"), {}))
    state = system.initial[0]
    for called in ("dispatch(call=0)", "execute(call=0, epoch=1)"):
        transition = next(t for t in system.transitions if t.called == called)
        after = take(transition, state).state
        assert after is not None
        state = after
    for number, transition in enumerate(system.transitions):
        shown = page.locator(f'#disabled [data-transition="{number}"] code').all_inner_texts()
        assert shown == [clause.text for clause in why_not(system, transition, state)]
    assert page.locator("#enabled button").count() == len(enabled(system, state))
    assert "protocol.py:" in text(page, '#disabled [data-transition="0"]')
    check_quiet(path, seen)


def test_the_graph_is_searched_and_clicked(browser: Browser, pages: Path) -> None:
    path = pages / "small.html"
    page, seen = opened(browser, path)
    states = page.locator("#graph [data-state]").count()
    assert f"All {states} states" in text(page, "#graph-note")
    page.locator("#search").fill("record.committed=1")
    found = page.locator("#graph .match").count()
    assert 0 < found < states
    assert text(page, "#found") == f"{found} of {states} states"
    depths = [int(re.findall(r", (\d+) step", line)[0]) for line in page.locator("#matches button").all_inner_texts()]
    assert depths == sorted(depths)
    assert f"and {found - len(depths)} more" in text(page, "#matches")
    page.locator("#matches button").first.click()
    assert "record[0].committed\t1" in text(page, "#state").replace("● ", "")
    assert page.locator("#graph .here.match").count() == 1
    for query, said in (
        ("leader=1", "No part of the state is called leader."),
        ("record.committed=77", "In no state of this page it is so: record.committed=77"),
        ("record.committed", "record.committed is a part of the state: write record.committed=value"),
        ("nix", "No action, fault or value is called so."),
    ):
        page.locator("#search").fill(query)
        assert said in text(page, "#found")
    for query in ("spent delay=1", "fault: delay", "deliver(call=0"):
        page.locator("#search").fill(query)
        assert 0 < int(text(page, "#found").split()[0]) < states, query
    page.locator("#search").fill("")
    page.locator("#only").check()
    assert page.locator("#graph .node").count() == page.locator("#graph .node.bad").count() > 0
    check_quiet(path, seen)


def test_two_designs_are_held_side_by_side(browser: Browser, pages: Path) -> None:
    path = pages / "fenced.html"
    page, seen = opened(browser, path)
    page.locator("#comparison").select_option(label="no-ghost of last-writer")
    last = page.locator("#beside tbody tr").last
    assert last.locator("td").nth(2).inner_text() == "≠ reject:stale"
    assert last.locator("td").nth(3).inner_text() == "≠ commit"
    assert "record[0].committed: none | 1" in last.inner_text()
    check_quiet(path, seen)


def test_on_paper_every_step_is_in_the_table(browser: Browser, pages: Path) -> None:
    path = pages / "ghost.html"
    page, seen = opened(browser, path)
    page.emulate_media(media="print")
    assert page.locator("#steps tbody tr:visible").count() == 5
    assert not page.locator("#sequence").is_visible()
    assert page.pdf()[:5] == b"%PDF-"
    check_quiet(path, seen)


def test_what_an_author_wrote_is_shown_and_not_run(browser: Browser, pages: Path) -> None:
    path = pages / "hostile.html"
    page, seen = opened(browser, path)
    assert text(page, "#meaning") == "<script>alert(3)</script> & <b>more</b>"
    page.keyboard.press("End")
    assert ALERT in text(page, "#verdict-summary").replace("alert(4)", "alert(1)")
    assert "alert(2)" in text(page, "#disabled") + text(page, "#enabled")
    page.locator("#search").fill("__proto__")
    assert page.locator("img, b, u, s, i").count() == 0
    shown = page.locator("body").inner_text()
    assert ("\u202e" in shown, "\\u202e" in shown) == (False, True)
    assert page.locator("script").count() == 2
    check_quiet(path, seen)


def test_a_phone_shows_it_without_moving_the_page_sideways(browser: Browser, pages: Path) -> None:
    path = pages / "ghost.html"
    page, seen = opened(browser, path, width=360, height=740)
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    page.keyboard.press("End")
    changed = page.locator("#steps tr.current td:nth-child(4)").bounding_box()
    assert changed is not None
    assert 0 < changed["x"] < changed["x"] + changed["width"] <= 360
    page.locator("#theme").click()
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    check_quiet(path, seen)


def test_a_behaviour_without_end_is_walked_along_and_the_graph_drawn(browser: Browser, pages: Path) -> None:
    path = pages / "for-ever.html"
    page, seen = opened(browser, path)
    assert "settles is violated" in text(page, "#claim")
    assert page.locator("#graph [data-state]").count() > 1
    page.keyboard.press("End")
    assert "for ever." in text(page, "#message")
    assert "↻ nothing more has to happen, for ever" in text(page, "#steps tr.current")
    assert "↻ nothing more has to happen, for ever" in page.locator("#sequence .current text").all_text_contents()
    check_quiet(path, seen)


def test_where_it_is_wrong_at_once_and_where_a_property_cannot_be_judged_is_marked(
    browser: Browser, pages: Path
) -> None:
    path = pages / "counts.html"
    page, seen = opened(browser, path)
    assert page.locator("#trace option").all_text_contents()[1:] == ["low: 0 steps", "the trace: 2 steps"]
    assert "✕ violates low" in text(page, "#steps tr.current")
    assert "✕ violates low" in text(page, "#sequence")
    page.locator("#trace").select_option(label="the trace: 2 steps")
    assert "✕ violates low" in page.locator("#sequence .row").first.all_text_contents()[0]
    page.keyboard.press("End")
    assert "✕ " in text(page, "#steps tr.current")
    assert "integer division or modulo by zero" in text(page, "#steps tr.current")
    at = r"\(counts\.py:\d+\)"
    assert re.search(
        rf"The model itself goes wrong: ZeroDivisionError: integer division or modulo by zero {at}",
        text(page, "#claim"),
    )
    assert re.search(rf"states, up to where the model itself goes wrong: .*zero {at}", text(page, "header"))
    check_quiet(path, seen)
