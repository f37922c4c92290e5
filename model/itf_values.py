"""Values as the Informal Trace Format writes them, kind by kind, and back; and their types as Apalache names them.

A number is `{"#bigint": "3"}`; a Maybe is a set of none or one; an array is a map from positions; a bag is a map from
elements to how many there are; a queue is a list. Sets and maps are sorted. Source: Apalache, ADR-015.

Both directions are between that and the JSON of a trace file (`Kind.to_json`). Reading is of untrusted data: ValueError
with a sentence for whatever is no value, and the kind's own `encode` has the last word.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Final, cast

from .constants import as_mapping, choice_json, is_whole, shortened
from .kinds import (
    ArrayKind,
    BagKind,
    BoolKind,
    ChoiceKind,
    Kind,
    MapKind,
    MaybeKind,
    QueueKind,
    RangeKind,
    RecordKind,
    SequenceKind,
    SetKind,
)
from .unbounded_kinds import NaturalSetKind
from .untrusted import MOST_DIGITS

_WHOLE: Final = re.compile(rf"-?[0-9]{{1,{MOST_DIGITS}}}", re.ASCII)
#: Names that begin with # mean something in the format, so one more _ stands before such a name of an author's.
_WOULD_MEAN: Final = re.compile(r"_*#")


def written_name(name: str) -> str:
    """The name of a variable or a field as the format may have it."""
    return f"_{name}" if _WOULD_MEAN.match(name) else name


def read_name(name: str) -> str:
    """The name that `written_name` was given."""
    return name[1:] if name.startswith("_") and _WOULD_MEAN.match(name) else name


def to_itf(kind: Kind, value: object) -> object:
    """A value of a kind, given as `Kind.to_json` has it, in the format."""
    match kind:
        case BoolKind() | ChoiceKind() | RangeKind():
            return _scalar(value)
        case MaybeKind():
            return _set([] if value is None else [to_itf(kind.inner, value)])
        case ArrayKind():
            items = cast("list[object]", value)
            return _map([[_scalar(i), to_itf(kind.item, item)] for i, item in enumerate(items)])
        case MapKind():
            given = cast("dict[str, object]", value)
            return _map([[_key(key), to_itf(kind.item, given[str(choice_json(key))])] for key in kind.keys])
        case SetKind() | NaturalSetKind():
            return _set([to_itf(kind.item, item) for item in cast("list[object]", value)])
        case BagKind():
            elements = [to_itf(kind.item, item) for item in cast("list[object]", value)]
            once = [e for i, e in enumerate(elements) if e not in elements[:i]]
            return _map([[element, _scalar(elements.count(element))] for element in once])
        case QueueKind():
            return [to_itf(kind.item, item) for item in cast("list[object]", value)]
        case RecordKind():
            fields = cast("dict[str, object]", value)
            return {written_name(name): to_itf(inner, fields[name]) for name, inner in kind.fields.items()}
        case _:
            raise AssertionError(f"no kind is {kind}")


def from_itf(kind: Kind, value: object) -> object:
    """What `to_itf` was given; plain whole numbers are read too, as the format allows. ValueError for no value."""
    match kind:
        case BoolKind() | ChoiceKind() | RangeKind():
            return _plain(value)
        case MaybeKind():
            items = _within(value, "#set")
            if len(items) > 1:
                raise ValueError(f"{shortened(value)} is a set of {len(items)}, and not of none or one")
            return from_itf(kind.inner, items[0]) if items else None
        case ArrayKind():
            found = _items(kind, value)
            return [found[i] for i in kind.keys]
        case MapKind():
            return {str(choice_json(key)): item for key, item in _items(kind, value).items()}
        case SetKind() | NaturalSetKind():
            return [from_itf(kind.item, item) for item in _within(value, "#set")]
        case BagKind():
            return _elements(kind, value)
        case QueueKind():
            if not isinstance(value, list):
                raise ValueError(f"{shortened(value)} is not a list")
            return [from_itf(kind.item, item) for item in cast("list[object]", value)]
        case RecordKind():
            given = _object(value)
            fields = {read_name(str(name)): item for name, item in given.items()}
            if set(fields) != set(kind.fields):
                raise ValueError(f"{shortened(value)} has not the fields of {kind}")
            return {name: from_itf(inner, fields[name]) for name, inner in kind.fields.items()}
        case _:
            raise AssertionError(f"no kind is {kind}")


def type_of(kind: Kind) -> str | None:
    """The type of a kind's values as Apalache writes it (type system 1.2), or None where it has none for them."""
    match kind:
        case BoolKind():
            return "Bool"
        case RangeKind():
            return "Int"
        case ChoiceKind():
            return _type_of_constants(kind.values)
        case MaybeKind():
            return _around("Set({})", kind.inner)
        case ArrayKind():
            return _around("Int -> {}", kind.item)
        case MapKind():
            key = _type_of_constants(kind.keys)
            return None if key is None else _around(key + " -> {}", kind.item)
        case SetKind() | NaturalSetKind():
            return _around("Set({})", kind.item)
        case BagKind():
            return _around("{} -> Int", kind.item)
        case QueueKind():
            return _around("Seq({})", kind.item)
        case RecordKind():
            types = {name: type_of(inner) for name, inner in kind.fields.items()}
            if not all(map(str.isidentifier, types)) or None in types.values():
                return None
            return f"{{ {', '.join(f'{name}: {inner}' for name, inner in types.items())} }}"
        case _:
            raise AssertionError(f"no kind is {kind}")


def _type_of_constants(constants: Sequence[object]) -> str | None:
    types = {type(choice_json(constant)).__name__ for constant in constants}
    return {"bool": "Bool", "int": "Int", "str": "Str"}.get(types.pop()) if len(types) == 1 else None


def _around(form: str, inner: Kind) -> str | None:
    found = type_of(inner)
    if found is None:
        return None
    is_function = "->" in form and isinstance(inner, ArrayKind | MapKind | BagKind)
    return form.format(f"({found})" if is_function else found)


def _scalar(value: object) -> object:
    return {"#bigint": str(value)} if is_whole(value) else value


def _key(key: object) -> object:
    """A map's key; None, which the format has not, is a set of none, as a Maybe is."""
    shown = choice_json(key)
    return _set([]) if shown is None else _scalar(shown)


def _order(value: object) -> tuple[int, int, str]:
    """Numbers in their order, before everything else by its text."""
    number = as_mapping(value)
    if number is not None and set(number) == {"#bigint"}:
        return 0, int(str(number["#bigint"])), ""
    return 1, 0, json.dumps(value, sort_keys=True)


def _set(items: list[object]) -> object:
    return {"#set": sorted(items, key=_order)}


def _map(pairs: list[list[object]]) -> object:
    return {"#map": sorted(pairs, key=lambda pair: _order(pair[0]))}


def _plain(value: object) -> object:
    """Text, a truth value or a number, which may be written in two ways."""
    mapping = as_mapping(value)
    if mapping is None:
        if isinstance(value, str | bool | int):
            return value
        raise ValueError(f"{shortened(value)} is not text, a number or a truth value")
    digits = mapping.get("#bigint")
    if set(mapping) != {"#bigint"} or not isinstance(digits, str) or not _WHOLE.fullmatch(digits):
        raise ValueError(f"{shortened(value)} is not a number of at most {MOST_DIGITS} digits")
    return int(digits)


def _object(value: object) -> Mapping[object, object]:
    mapping = as_mapping(value)
    if mapping is None:
        raise ValueError(f"{shortened(value)} is not an object")
    return mapping


def _within(value: object, form: str) -> list[object]:
    """The items of a set or a map."""
    mapping = _object(value)
    items = mapping.get(form)
    if set(mapping) != {form} or not isinstance(items, list):
        raise ValueError(f'{shortened(value)} is not written as {{"{form}": […]}}')
    return cast("list[object]", items)


def _pairs(value: object) -> list[tuple[object, object]]:
    """The pairs of a map."""
    found: list[tuple[object, object]] = []
    for pair in _within(value, "#map"):
        refused = ValueError(f"{shortened(pair)} is not a pair, as a map has them")
        if not isinstance(pair, list):
            raise refused
        both = cast("list[object]", pair)
        if len(both) != 2:
            raise refused
        first, second = both
        found.append((first, second))
    return found


def _items(kind: SequenceKind, value: object) -> dict[object, object]:
    """The items of an array or a map, by its own keys."""
    keys = {_known(_key(key)): key for key in kind.keys}
    found: dict[object, object] = {}
    for written, item in _pairs(value):
        known = _known(written)
        if known not in keys or keys[known] in found:
            raise ValueError(f"{shortened(written)} is not a key of {kind}, or stands there twice")
        found[keys[known]] = from_itf(kind.item, item)
    if len(found) != len(keys):
        raise ValueError(f"{shortened(value)} has {len(found)} of the {len(keys)} keys of {kind}")
    return found


def _known(key: object) -> str:
    """What tells keys apart, `1` from `true`, however a number is written."""
    return "none" if key == {"#set": []} else json.dumps(_plain(key))


def _elements(kind: BagKind, value: object) -> list[object]:
    """The elements of a bag, each as often as it is there."""
    found: list[object] = []
    seen: set[str] = set()
    for element, number in _pairs(value):
        times = _plain(number)
        # Before that many are made: the number is from a file.
        if not is_whole(times) or not 1 <= times <= kind.most:
            raise ValueError(f"{shortened(number)} is not how often an element is in {kind}")
        inner = from_itf(kind.item, element)
        known = json.dumps(inner, sort_keys=True)
        if known in seen:
            raise ValueError(f"the element {shortened(element)} stands twice in a bag")
        seen.add(known)
        found += [inner] * times
    return found
