"""`fenceproof export` of a trace, and `explore`: of a target, of a saved trace, of what has none; what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
from command import RESTS, Ran, fenceproof, model_file
from fenceproof.checker.export.traces import TRACE_FORMATS
from hostile import HOSTILE
from itf_py import trace_from_json  # pyright: ignore[reportMissingTypeStubs]
from itf_schema import SCHEMA

GHOST = ("last-writer", "--faults", "delay")
#: What every text of the ghost has in it, in whatever format: its last event.
LAST = "deliver"
#: A model that violates nothing, and goes wrong itself.
LEAPS = RESTS.replace("self.n = 1\n", "self.n += 1\n")


@pytest.fixture(scope="module")
def ghost(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The ghost, as check saves it."""
    folder = tmp_path_factory.mktemp("ghost")
    checked = fenceproof("check", *GHOST, "--property", "no-ghost", "--quiet", "--out", folder)
    assert checked.code == 1
    return folder / "last-writer-no-ghost.json"


def exported(name: str, *arguments: str | Path) -> Ran:
    return fenceproof("export", *arguments, "--format", name)


@pytest.mark.parametrize("name", TRACE_FORMATS)
def test_a_model_and_its_saved_trace_are_written_alike(name: str, ghost: Path) -> None:
    of_model = exported(name, *GHOST, "--property", "no-ghost")
    assert (of_model.code, of_model.err) == (0, "")
    assert LAST in of_model.out
    of_trace = exported(name, ghost)
    assert (of_trace.code, of_trace.err) == (0, "")
    assert of_trace.out == of_model.out


@pytest.mark.parametrize("name", TRACE_FORMATS)
def test_what_an_author_wrote_can_be_written_in_every_format(name: str) -> None:
    ran = exported(name, model_file(HOSTILE))
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.isascii() or "\u202e" not in ran.out


def test_itf_is_of_the_format_is_read_by_another_and_replayed() -> None:
    assert exported("itf", *GHOST, "--property", "no-ghost", "--out", "ghost.itf.json").code == 0
    document = json.loads(Path("ghost.itf.json").read_text())
    jsonschema.validate(document, SCHEMA)
    assert len(trace_from_json(document).states) == 5
    replayed = fenceproof("replay", "ghost.itf.json", "--quiet")
    assert replayed.code == 0
    assert "4 steps replayed on last-writer; it ends in a violation of no-ghost." in replayed.out
    # It is a saved trace like any other: it can be written in each format again.
    assert exported("json", "ghost.itf.json").out == exported("json", *GHOST, "--property", "no-ghost").out


def test_of_several_that_are_violated_the_first_is_written_and_the_others_are_named() -> None:
    ran = exported("json", *GHOST)
    assert ran.code == 0
    assert json.loads(ran.out)["property"] == "single-commit"
    (line,) = ran.err.splitlines()
    assert line.startswith("fenceproof: this is the counterexample of single-commit; violated too: no-ghost, ")
    others = {name.strip(" .") for name in line.partition("violated too: ")[2].split(",")}
    checked = fenceproof("check", *GHOST).out
    assert others | {"single-commit"} == {row.split()[0] for row in checked.splitlines() if "  violated  " in row}


def test_where_the_model_itself_goes_wrong_that_is_what_is_written() -> None:
    path = model_file(LEAPS)
    ran = exported("json", path)
    assert ran.code == 0
    assert "no violation was found before the model itself went wrong: " in ran.err
    assert json.loads(ran.out)["property"] is None
    assert [step["action"] for step in json.loads(ran.out)["steps"]] == ["up"]


@pytest.mark.parametrize("name", TRACE_FORMATS)
def test_where_nothing_is_violated_there_is_nothing_to_show(name: str) -> None:
    said = exported(name, "fenced", "--faults", "none").message
    assert "properties that were checked of fenced is violated, so there is no counterexample to show." in said
    assert "Of the model itself there are the formats " in said
    only = exported(name, "fenced", "--faults", "none", "--property", "no-ghost").message
    assert "no-ghost: holds in fenced, so there is no counterexample to show." in only


def test_a_search_that_a_limit_ended_says_so_and_writes_nothing() -> None:
    ran = exported("itf", "fenced", "--max-states", "50", "--out", "none.itf.json")
    assert (ran.code, ran.out, Path("none.itf.json").exists()) == (3, "", False)
    assert "no counterexample was found so far, and the search is not complete: more than 50 states" in ran.err


@pytest.mark.parametrize("name", TRACE_FORMATS)
def test_a_file_that_is_there_is_written_over_only_by_force(name: str, ghost: Path) -> None:
    Path("old").write_text("old")
    assert "old is there already" in exported(name, ghost, "--out", "old").message
    assert Path("old").read_text() == "old"
    assert exported(name, ghost, "--out", "old", "--force").code == 0
    assert Path("old").read_text() == exported(name, ghost).out


def test_options_that_a_saved_trace_has_no_use_for_are_refused(ghost: Path) -> None:
    for option in (("--faults", "none"), ("--max-states", "9"), ("--property", "no-ghost"), ("--depth", "3")):
        said = exported("itf", ghost, *option).message
        assert f"{option[0]} has no meaning with --format itf of a saved trace" in said
    assert "--depth has no meaning with --format itf. Leave it away." in exported("itf", *GHOST, "--depth", "3").message


def test_a_page_of_a_model_is_written_whole_or_not_at_all() -> None:
    Path("old.html").write_text("old")
    path = model_file(RESTS)
    assert "old.html is there already" in fenceproof("explore", path, "--out", "old.html").message
    assert Path("old.html").read_text() == "old"
    written = fenceproof("explore", path, "--out", "old.html", "--force")
    assert (written.code, written.out) == (0, "")
    assert "Written: old.html. Open it in a browser." in written.err
    assert Path("old.html").read_text().startswith("<!doctype html>")
    for place, why in (("no/such.html", "No such file or directory"), (".", "is a directory"), ("/proc/x", "/proc/x")):
        assert why in fenceproof("explore", path, "--out", place).message


def test_a_page_asks_for_what_it_needs() -> None:
    path = model_file(RESTS)
    for arguments, words in (
        ((path,), "Missing option '--out'"),
        ((path, "--out", "a.html", "--max-states", "0"), "0 is not in the range"),
        ((path, "--out", "a.html", "--property", "nothing"), "nothing"),
        ((path, "--out", "a.html", "--beside", "missing.py"), "missing.py"),
        (("fencd", "--out", "a.html"), "Did you mean fenced?"),
    ):
        assert words in fenceproof("explore", *arguments).message
    assert not Path("a.html").exists()


def test_a_page_tells_what_the_terminal_tells() -> None:
    for target, options in (("last-writer", (*GHOST[1:], "--property", "no-ghost")), (model_file(LEAPS), ())):
        checked = " ".join(fenceproof("check", target, *options).out.split())
        assert fenceproof("explore", target, *options, "--out", "told.html", "--force").code == 0
        for page in (Path("told.html").read_text(), exported("html", target, *options).out):
            data = json.loads(page.partition('id="data">')[2].partition("</script>")[0])
            (trace,) = data["traces"]
            assert trace["story"].startswith("What happens: ")
            assert trace["story"] in checked
            assert all(line in checked for line in trace["why"])
            assert trace["why"] != []


def test_links_that_go_round_are_no_place_to_write_to() -> None:
    Path("round").symlink_to("round")
    for command in (("explore", model_file(RESTS)), ("export", *GHOST, "--property", "no-ghost", "--format", "itf")):
        assert (
            "round cannot be written: Too many levels of symbolic links"
            in fenceproof(*command, "--out", "round").message
        )


def test_a_report_is_printed_where_the_environment_says_that_there_are_no_columns(ghost: Path) -> None:
    for command in (("trace", "diff", ghost, "fenced"), ("coverage", model_file(RESTS))):
        ran = fenceproof(*command, environment={"COLUMNS": "0"})
        assert ran.out == fenceproof(*command, environment={"COLUMNS": "80"}).out or "took" in ran.out
        assert len(ran.out.splitlines()) > 5
