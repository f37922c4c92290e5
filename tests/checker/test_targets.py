"""A target as a user names it: which model it is, with which parameters, and what is said where it is none."""

from __future__ import annotations

import sys
from enum import Enum
from pathlib import Path

import pytest
from command import RESTS, model_file
from fenceproof.checker.targets import Target, build, construct, find, parse_settings
from fenceproof.model import Array, Bool, Model, Range
from fenceproof.model.errors import FenceproofError, ModelError, UsageError
from fenceproof.specs.variants import VARIANTS

SECOND = """

class Second(Rests):
    pass
"""
DESIGNS = """from fenceproof.specs import Planner


class Lenient(Planner, echo="optional"):
    pass


class Strict(Planner):
    pass
"""


class Color(Enum):
    RED = 1
    GREEN = 2


class Adjustable(Model):
    def __init__(self, size: int, strict: bool = False, color: Color = Color.RED, label: str = "x") -> None:
        self.given = (size, strict, color, label)
        self.n = Range(0, 10 // size)


def adjusted(**settings: str) -> object:
    return getattr(build(Target("adjustable", Adjustable), settings), "given")  # noqa: B009


@pytest.mark.parametrize("name", VARIANTS)
def test_a_shipped_variant_is_found_by_its_name_with_either_kind_of_dash(name: str) -> None:
    assert find(name) == find(name.replace("-", "_")) == Target(name, VARIANTS[name].model)


def test_a_file_with_one_model_needs_no_class() -> None:
    path = model_file(RESTS)
    found = find(str(path))
    assert (found.name, found.model.__name__, found.remark) == ("mine.py", "Rests", "")


def test_of_several_models_one_is_named() -> None:
    model_file(RESTS + SECOND)
    assert find("mine.py:Second").model.__name__ == "Second"
    with pytest.raises(ModelError) as refused:
        find("mine.py")
    assert str(refused.value) == (
        "mine.py:1: there are 2 models in this file: Rests, Second.\n    Name the one to check: mine.py:Rests"
    )


def test_of_several_designs_of_the_planner_the_first_is_checked_and_the_others_are_named() -> None:
    model_file(DESIGNS)
    found = find("mine.py")
    assert (found.name, found.model.__name__) == ("mine.py:Lenient", "Lenient")
    assert found.remark == "Lenient is the first design in mine.py; see also mine.py:Strict."


def test_a_class_that_a_file_only_imports_is_not_a_model_of_the_file() -> None:
    model_file("from fenceproof.specs import Planner\n")
    with pytest.raises(ModelError, match="there is no model in this file"):
        find("mine.py")


def test_a_file_may_import_its_neighbour_and_leaves_the_search_path_as_it_was() -> None:
    Path("aside").mkdir()
    model_file("MOST = 3\n", "aside/neighbour_of_a_target.py")
    model_file("from neighbour_of_a_target import MOST\n" + RESTS, "aside/mine.py")
    before = list(sys.path)
    assert find("aside/mine.py").model.__name__ == "Rests"
    assert sys.path == before


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("fencd", "The target 'fencd' is not known. Did you mean fenced? A model of your own is named by its file"),
        ("zzz", "There is: atomic-fence, bump-after-commit, epoch-keyed-compensator, fenced,"),
        ("nowhere.py", "there is no file nowhere.py. Name a Python file"),
        ("nowhere.py:Class", "there is no file nowhere.py."),
        ("folder", "folder is not a Python file. A target is a shipped variant or a file that ends in .py."),
        ("folder.py", "there is no file folder.py."),
        ("mine.py:Rest", "The model 'Rest' is not known. Did you mean Rests?"),
    ],
)
def test_what_is_no_target_is_refused(text: str, words: str) -> None:
    model_file(RESTS)
    Path("folder").mkdir()
    Path("folder.py").mkdir()
    with pytest.raises(FenceproofError) as refused:
        find(text)
    assert words in str(refused.value)
    assert refused.value.exit_code == 2


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("class A(\n    pass\n", "mine.py:1: this file is not Python"),
        ("x = 1\ny = 1 / 0\n", "mine.py:2: ZeroDivisionError: division by zero"),
        ("import nothing_of_this_name\n", "mine.py:1: ModuleNotFoundError: No module named 'nothing_of_this_name'"),
        ("\nimport sys\nsys.exit(0)\n", "mine.py:3: SystemExit: 0"),
        ("def f():\n    raise OSError('gone')\n\nf()\n", "mine.py:2: OSError: gone"),
        ("x = 1\0\n", "mine.py:1: this file is not Python"),
    ],
)
def test_a_file_that_cannot_be_imported_is_a_model_error_with_the_line(text: str, words: str) -> None:
    model_file(text)
    with pytest.raises(ModelError) as refused:
        find("mine.py")
    assert words in str(refused.value)


def test_parameters_are_read_as_what_they_are_annotated_as() -> None:
    assert adjusted(size="5") == (5, False, Color.RED, "x")
    assert adjusted(size="5", strict="yes", color="GREEN", label="5") == (5, True, Color.GREEN, "5")


@pytest.mark.parametrize(
    ("text", "value"), [("true", True), ("YES", True), ("on", True), ("1", True), ("False", False), ("off", False)]
)
def test_a_truth_value_may_be_written_as_people_do(text: str, value: bool) -> None:
    assert adjusted(size="1", strict=text) == (1, value, Color.RED, "x")


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"size": "two"}, "size=two is not a whole number. Write, for example, size=2."),
        ({"size": "2.5"}, "size=2.5 is not a whole number"),
        ({"size": "1", "strict": "perhaps"}, "strict=perhaps is not a truth value"),
        ({"size": "1", "color": "GREN"}, "The value of color 'GREN' is not known. Did you mean GREEN"),
        ({"siz": "1"}, "The parameter of adjustable 'siz' is not known. Did you mean size?"),
        ({"strict": "true"}, "adjustable needs a value for size: --set size=…"),
    ],
)
def test_a_setting_that_does_not_fit_is_refused(settings: dict[str, str], words: str) -> None:
    with pytest.raises(UsageError) as refused:
        adjusted(**settings)
    assert words in str(refused.value)


def test_what_a_constructor_raises_is_a_model_error_with_its_line() -> None:
    with pytest.raises(ModelError, match=r"test_targets.py:\d+: ZeroDivisionError"):
        adjusted(size="0")


class Wide(Model):
    def __init__(self, items: int = 2) -> None:
        self.items = Array(items, Bool())


def test_a_size_that_a_kind_refuses_is_a_model_error_with_the_line_of_the_constructor() -> None:
    with pytest.raises(ModelError, match=r"tests/checker/test_targets.py:\d+: an Array has .* not 1000000"):
        construct(Wide, {"items": 1_000_000})


def test_settings_are_names_and_values() -> None:
    assert parse_settings(["calls=2", "name=a=b", "calls=2", "empty="]) == {"calls": "2", "name": "a=b", "empty": ""}


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (["calls"], "--set calls sets nothing. Write --set name=value."),
        (["=2"], "--set =2 sets nothing"),
        (["calls=1", "calls=2"], "--set calls is given twice, as 1 and as 2."),
    ],
)
def test_settings_that_say_nothing_or_two_things_are_refused(given: list[str], words: str) -> None:
    with pytest.raises(UsageError) as refused:
        parse_settings(given)
    assert words in str(refused.value)
