"""Values on the command line are read as the parameter's annotation says; what a constructor ends with is told."""

from __future__ import annotations

from enum import Enum
from typing import Annotated, Any, Literal, Optional, Union

import pytest
from fenceproof.checker.targets import Target, build, construct
from fenceproof.model import Model, Range
from fenceproof.model.errors import ModelError, UsageError


class Color(Enum):
    RED = 1
    GREEN = 2


class Adjustable(Model):
    def __init__(  # type: ignore[no-untyped-def]
        self,
        flag: bool | None = None,
        most: int | None = None,
        least: Optional[int] = 3,  # noqa: UP045
        mode: Literal["fast", "slow"] = "fast",
        level: Literal[1, 2] | None = None,
        color: Color | None = None,
        label: str | None = None,
        either: int | str = 0,
        both: Union[bool, int] = False,  # noqa: UP007
        implicit: int = None,  # type: ignore[assignment]  # noqa: RUF013
        noted: Annotated[int, "a number"] = 1,
        ratio: float = 0.5,
        items: list[int] = [],  # noqa: B006
        anything: Any = 1,
        bare=None,  # pyright: ignore[reportMissingParameterType, reportUnknownParameterType]
        bare_number=1,  # pyright: ignore[reportMissingParameterType]
    ) -> None:
        self.given = dict(locals())
        self.n = Range(0, 1)


def value(name: str, text: str) -> Any:
    """What a parameter becomes when it is set to some text."""
    return build(Target("adjustable", Adjustable), {name: text}).given[name]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("flag", "false", False),
        ("flag", "true", True),
        ("flag", "1", True),
        ("flag", "none", None),
        ("most", "3", 3),
        ("most", "None", None),
        ("least", "5", 5),
        ("least", "none", None),
        ("mode", "slow", "slow"),
        ("level", "2", 2),
        ("level", "none", None),
        ("color", "GREEN", Color.GREEN),
        ("color", "none", None),
        ("label", "x", "x"),
        ("label", "none", None),
        ("either", "12", 12),
        ("either", "twelve", "twelve"),
        ("both", "1", 1),
        ("both", "yes", True),
        ("implicit", "4", 4),
        ("implicit", "none", None),
        ("noted", "4", 4),
        ("ratio", "0.25", 0.25),
        ("anything", "4", 4),
        ("bare_number", "4", 4),
    ],
)
def test_text_is_read_as_the_alternatives_of_the_annotation_say(name: str, text: str, expected: object) -> None:
    found = value(name, text)
    assert (type(found), found) == (type(expected), expected)


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("flag", "perhaps", "flag=perhaps is not a truth value. Write flag=true or flag=false, or flag=none."),
        ("most", "few", "most=few is not a whole number. Write, for example, most=2, or most=none."),
        ("mode", "slwo", "The value of mode 'slwo' is not known. Did you mean slow?"),
        ("level", "3", "The value of level '3' is not known. There is: 1, 2, none."),
        ("color", "GREN", "The value of color 'GREN' is not known. Did you mean GREEN"),
        ("ratio", "half", "ratio=half is not a number. Write, for example, ratio=0.5."),
        ("items", "1,2", "items is not a number, a truth value or text, and cannot be set on the command line."),
        ("bare", "3", "bare has no annotation, and no default that says what it is"),
    ],
)
def test_text_that_none_of_the_alternatives_takes_is_refused(name: str, text: str, words: str) -> None:
    with pytest.raises(UsageError) as refused:
        value(name, text)
    assert words in str(refused.value)


class Ends(Model):
    def __init__(self) -> None:
        raise SystemExit(0)


class Stop(BaseException):
    """What an author derives from the wrong class."""


class Stops(Model):
    def __init__(self) -> None:
        raise Stop("enough")


def test_a_constructor_that_ends_the_program_is_a_model_error_with_its_line() -> None:
    with pytest.raises(ModelError, match=r"test_targets_values.py:\d+: SystemExit: 0"):
        construct(Ends, {})
    with pytest.raises(ModelError, match=r"test_targets_values.py:\d+: Stop: enough"):
        construct(Stops, {})
