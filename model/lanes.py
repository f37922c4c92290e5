"""Who takes part in an action: the lanes of a sequence diagram, as an author names them in `@action`.

Not a drawing: which lane hands on to which, for a transition's arguments and its outcome.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias, cast

from .constants import as_mapping
from .errors import ModelError, Site, nearest

#: Ways through lanes, each the lanes in the order in which they are reached.
Ways: TypeAlias = tuple[tuple[str, ...], ...]
#: Ways by outcome; None is any other outcome.
Spec: TypeAlias = Mapping[str | None, Ways]

_ARGUMENT: Final = re.compile(r"\{([^{}]*)\}")
_EXAMPLE: Final = (
    'Write a lane as text, "client {client}"; lanes that hand on as a tuple, lanes that all receive as a list, or a '
    "mapping from outcome to one of these."
)


@dataclass(frozen=True, slots=True)
class Hop:
    """From one lane to the next; `is_first` and `is_last` on its way. From a lane to itself it is something that
    happens there."""

    sender: str
    receiver: str
    is_first: bool
    is_last: bool

    @property
    def is_local(self) -> bool:
        """Whether no other lane takes part."""
        return self.sender == self.receiver


@dataclass(frozen=True, slots=True)
class Lanes:
    """What an author says of an action: who sends and who receives, by outcome, with "{argument}" to be filled in."""

    sender: Spec
    receiver: Spec

    def hops(self, args: Mapping[str, object], outcome: str | None) -> tuple[Hop, ...]:
        """Who hands on to whom where the action has these arguments and this outcome; none where no lane is named."""
        found: list[Hop] = []
        for sender in _ways(self.sender, outcome) or ((),):
            for receiver in _ways(self.receiver, outcome) or ((),):
                way = [filled(lane, args) for lane in (*sender, *receiver)]
                pairs = list(itertools.pairwise(way * 2 if len(way) == 1 else way))
                found += [Hop(a, b, i == 0, i == len(pairs) - 1) for i, (a, b) in enumerate(pairs)]
        return tuple(found)

    def check(self, action: str, names: Iterable[str], site: Site | None) -> None:
        """Raise ModelError where a lane names an argument that the action does not have."""
        known = list(names)
        for spec in (self.sender, self.receiver):
            for lane in (lane for ways in spec.values() for way in ways for lane in way):
                for name in references(lane):
                    if name not in known:
                        hint = nearest(name, known, f"In the lane {lane!r} of {action}, the argument")
                        raise ModelError(hint, site)


def lanes(sender: object, receiver: object, site: Site | None) -> Lanes | None:
    """Lanes as an author gives them to `@action`; None where there are none. Raises ModelError for what is none."""
    if sender is None and receiver is None:
        return None
    return Lanes(_spec("sender", sender, site), _spec("receiver", receiver, site))


def references(text: str) -> list[str]:
    """What a text names in braces, to be filled in."""
    return _ARGUMENT.findall(text)


def filled(text: str, args: Mapping[str, object]) -> str:
    """A text, a lane's name for one, with what it names in braces filled in."""
    return _ARGUMENT.sub(lambda found: str(args[found[1]]), text)


def _ways(spec: Spec, outcome: str | None) -> Ways:
    found = spec.get(outcome) if outcome else None
    return spec.get(None, ()) if found is None else found


def _spec(what: str, given: object, site: Site | None) -> Spec:
    if given is None:
        return {}
    by_outcome = as_mapping(given)
    if by_outcome is None:
        return {None: _all_ways(what, given, site)}
    found: dict[str | None, Ways] = {}
    for outcome, ways in by_outcome.items():
        if outcome is not None and not isinstance(outcome, str):
            raise ModelError(f"{what} is given for the outcome {outcome!r}, and an outcome is text.", site, _EXAMPLE)
        if (outcome or None) in found:
            raise ModelError(f'{what} is given twice for any other outcome, by None and by "".', site, "Keep one.")
        found[outcome or None] = _all_ways(what, ways, site)
    return found


def _all_ways(what: str, given: object, site: Site | None) -> Ways:
    ways = cast("list[object]", given) if isinstance(given, list) else [given]
    return tuple(_way(what, way, site) for way in ways)


def _way(what: str, given: object, site: Site | None) -> tuple[str, ...]:
    way = cast("tuple[object, ...]", given) if isinstance(given, tuple) else (given,)
    named_lanes = tuple(lane for lane in way if isinstance(lane, str) and lane)
    if not way or len(named_lanes) < len(way):
        raise ModelError(f"{what} is {given!r}, which names no lane.", site, _EXAMPLE)
    return named_lanes
