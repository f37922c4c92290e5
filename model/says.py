"""What an author says of a step, or of a violation: a sentence by outcome, with arguments and the state filled in.

Not a report: how sentences become a story is `checker/report/story.py`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias, cast

from .constants import as_mapping, choice_json
from .errors import ModelError, Site, nearest
from .kinds import BoolKind, ChoiceKind, Kind, MaybeKind, RangeKind, RecordKind, SequenceKind
from .lanes import filled, references

#: Sentences by outcome; None is any other outcome.
Sentences: TypeAlias = Mapping[str | None, str]

_PATH: Final = re.compile(r"(\w+)((?:\[[^\[\]]+\]|\.\w+)*)")
_PART: Final = re.compile(r"\[([^\[\]]+)\]|\.(\w+)")
_EXAMPLE: Final = (
    'Write text, "client {client} writes {value[client]}", or a mapping from outcome to text, with None for any other.'
)


@dataclass(frozen=True, slots=True)
class Says:
    """What an author says that an action does, or how a property is violated.

    "{argument}" and "{variable[argument].field}" are to be filled in; a variable with the value after the step.
    """

    sentences: Sentences

    def sentence(self, args: Mapping[str, object], outcome: str | None, after: Mapping[str, object]) -> str | None:
        """What a step does that has these arguments and this outcome, and leads to a state (as `decode` gives it);
        None where its author says nothing of this outcome."""
        text = self.sentences.get(outcome) if outcome else None
        text = self.sentences.get(None) if text is None else text
        if text is None:
            return None
        return filled(text, {name: _shown(_value(name, args, after)) for name in references(text)})

    def check(self, whose: str, args: Mapping[str, object], variables: Mapping[str, Kind], site: Site | None) -> None:
        """Raise ModelError where a sentence names what is neither an argument nor a value of the state."""
        for text in self.sentences.values():
            for name in references(text):
                if name not in args:
                    _check_path(f"In {text!r}, which {whose} says,", name, args, variables, site)


def says(given: object, site: Site | None) -> Says | None:
    """What an author gives to `@action(says=…)`; None for nothing. Raises ModelError for what is no sentence."""
    if given is None:
        return None
    by_outcome = as_mapping(given)
    found: dict[str | None, str] = {}
    for outcome, text in {None: given}.items() if by_outcome is None else by_outcome.items():
        if outcome is not None and not isinstance(outcome, str):
            raise ModelError(f"says is given for the outcome {outcome!r}, and an outcome is text.", site, _EXAMPLE)
        if not isinstance(text, str) or not text.strip():
            raise ModelError(f"says is {text!r}, which says nothing.", site, _EXAMPLE)
        if (outcome or None) in found:
            raise ModelError('says is given twice for any other outcome, by None and by "".', site, "Keep one.")
        found[outcome or None] = text
    return Says(found)


def _parts(path: str, args: Mapping[str, object]) -> tuple[str, list[tuple[str, bool]]] | None:
    """The variable that a path begins with, and its parts, each with whether it is a key; None for no path."""
    match = _PATH.fullmatch(path)
    if match is None:
        return None
    parts = [(field, False) if field else (str(args.get(key, key)), True) for key, field in _PART.findall(match[2])]
    return match[1], parts


def _check_path(
    where: str, path: str, args: Mapping[str, object], variables: Mapping[str, Kind], site: Site | None
) -> None:
    read = _parts(path, args)
    if read is None:
        raise ModelError(f"{where} {path!r} names no value.", site, _EXAMPLE)
    name, parts = read
    if name not in variables:
        raise ModelError(nearest(name, [*args, *variables], f"{where} the argument or variable"), site)
    kind = variables[name]
    for part, is_key in parts:
        kind = kind.inner if isinstance(kind, MaybeKind) else kind
        if is_key and isinstance(kind, SequenceKind):
            keys, inner = [str(choice_json(key)) for key in kind.keys], kind.item
        elif not is_key and isinstance(kind, RecordKind):
            keys, inner = list(kind.fields), kind.fields.get(part, kind)
        else:
            what = f"the item [{part}]" if is_key else f"the field {part}"
            raise ModelError(f"{where} {path!r} asks for {what} of {kind}.", site, _EXAMPLE)
        if part not in keys:
            raise ModelError(nearest(part, keys, f"{where} in {path!r}, the part"), site)
        kind = inner
    inner = kind.inner if isinstance(kind, MaybeKind) else kind
    if not isinstance(inner, BoolKind | RangeKind | ChoiceKind):
        raise ModelError(f"{where} {path!r} is a {kind}, and not one value.", site, "Name a part of it.")


def _value(path: str, args: Mapping[str, object], after: Mapping[str, object]) -> object:
    if path in args:
        return args[path]
    read = _parts(path, args)
    assert read is not None, "a path was checked when the model was lifted"
    value = after[read[0]]
    for part, _ in read[1]:
        if value is None:
            return None
        value = cast("Any", value)[int(part) if isinstance(value, list) else part]
    return value


def _shown(value: object) -> str:
    """A value in a sentence, as its author would write it there."""
    if value is None:
        return "none"
    return str(value).lower() if isinstance(value, bool) else str(value)
