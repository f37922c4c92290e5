"""How many shortest counterexamples a property has, and how many stories they tell.

The layers of `shortest.py` are the union of all shortest traces, an acyclic graph in which every way from the first
layer to the last is one of them. Ways are counted by adding up, a layer at a time. For the stories each state keeps,
of every bag of steps with which it is reached, how many ways have it and the cheapest of them: two orders of the same
steps meet in the same bag. Bags may be many; then the cheapest are gone on with, and what is said is "at least".

An exchange of two values of an argument is made only where it maps the bags of all shortest counterexamples onto
themselves, with their numbers. So no symmetry of the model is assumed: it is seen in what is counted.
"""

from __future__ import annotations

import itertools
import json
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

import numpy as np
from fenceproof.model.layout import Layout
from fenceproof.model.step import take
from fenceproof.model.system import State, TransitionSystem
from fenceproof.model.trace import Trace

from ..minimal import MOST_STORIES, Stories, Story
from .compile import compile_roots, is_column
from .expand import Expander
from .shortest import Ints, Layer, Steps
from .words import mix, pack, positions
from .words import take as rows_of

#: Bags of steps that are kept for the states of one layer.
MOST_BAGS: Final = 10_000

#: An argument as traces show it.
Plain: TypeAlias = "dict[str, Plain] | list[Plain] | str | int | bool | None"
#: A multiset of labels as one number: how often each occurs, in so many bits.
Bag: TypeAlias = int


@dataclass(frozen=True, slots=True)
class Label:
    """What a step is called in a story; arguments as JSON texts, which tell `1` from `"1"`."""

    action: str
    arguments: tuple[tuple[str, str], ...]
    outcome: str | None
    fault: str | None

    @property
    def coarse(self) -> tuple[str, str | None, str | None]:
        """The same without arguments."""
        return self.action, self.outcome, self.fault


@dataclass(slots=True)
class Ways:
    """Ways to one state with one bag of steps: how many, and the cheapest, by its last step and the ways before."""

    count: int
    cost: tuple[int, int]
    via: int
    before: Ways | None
    start: State


def stories(
    system: TransitionSystem,
    layout: Layout,
    layers: Sequence[Layer],
    shown: Trace,
    *,
    is_whole: bool,
    is_late: Callable[[], bool],
) -> Stories:
    """Count the shortest counterexamples in some layers (all of their steps kept), of which `shown` is one.

    `is_whole` says whether these are all of them. The traces that are given are not replayed here.
    """
    return _Telling(system, layout, layers, is_late).told(shown, is_whole=is_whole)


def count_traces(system: TransitionSystem, layout: Layout, layers: Sequence[Layer]) -> int:
    """How many ways lead through layers, from the initial states to the end."""
    following = np.ones(len(layers[-1].states), dtype=object)
    for layer in reversed(layers):
        steps = layer.steps
        if steps is None:
            continue  # the last layer, where its states are what violates
        counts = np.zeros(len(layer.states), dtype=object)
        np.add.at(counts, steps.source, np.where(steps.to < 0, 1, following[steps.to]))
        following = counts
    return int(following[[p for p, _ in _starts(system, layout, layers[0])]].sum())


def _starts(system: TransitionSystem, layout: Layout, first: Layer) -> list[tuple[int, State]]:
    initial = pack(layout, system.initial)
    places: list[int] = positions(first.states, initial, mix(initial)).tolist()
    return [(place, state) for place, state in zip(places, system.initial, strict=True) if place >= 0]


class _Telling:
    """Sorts the ways through layers into stories."""

    def __init__(
        self, system: TransitionSystem, layout: Layout, layers: Sequence[Layer], is_late: Callable[[], bool]
    ) -> None:
        self._system, self._layout, self._layers = system, layout, layers
        self._is_late = is_late
        self._expander = Expander(system, layout)
        self._labels: dict[Label, int] = {}
        self._bits = len(layers).bit_length()
        self._are_all = True

    def told(self, shown: Trace, *, is_whole: bool) -> Stories:
        found = self._bags()
        own = self._bag_of(shown)
        classes = self._up_to_exchange(found) if is_whole and self._are_all else None
        if classes is None:
            # No exchange can be seen where not all bags are known; without arguments none makes a difference.
            self._are_all = False
            classes = self._without_arguments
        groups: dict[object, list[Bag]] = {}
        for bag in found:
            groups.setdefault(classes(bag), []).append(bag)
        mine = groups.pop(classes(own), [])
        first = Story(max(1, sum(found[bag].count for bag in mine)), shown)
        rest: list[tuple[tuple[int, int], Ways, int]] = []
        for bags in groups.values():
            best = min((found[bag] for bag in bags), key=lambda ways: ways.cost)
            rest.append((best.cost, best, sum(found[bag].count for bag in bags)))
        rest.sort(key=lambda each: each[0])
        others = (Story(count, self._trace(ways)) for _, ways, count in rest[: MOST_STORIES - 1])
        return Stories(
            count=count_traces(self._system, self._layout, self._layers),
            is_exact=is_whole,
            classes=1 + len(rest),
            are_all=is_whole and self._are_all,
            told=(first, *others),
        )

    def _bags(self) -> dict[Bag, Ways]:
        """Every bag of steps of a shortest counterexample, with the ways that have it."""
        here: dict[int, dict[Bag, Ways]] = {
            place: {0: Ways(1, (0, 0), -1, None, state)}
            for place, state in _starts(self._system, self._layout, self._layers[0])
        }
        for layer, following in itertools.zip_longest(self._layers, self._layers[1:]):
            if layer.steps is not None:
                here = self._cut(self._next(layer, layer.steps, following, here))
        found: dict[Bag, Ways] = {}
        for bags in here.values():
            for bag, ways in bags.items():
                _add(found, bag, ways)
        return found

    def _next(
        self, layer: Layer, steps: Steps, following: Layer | None, here: Mapping[int, Mapping[Bag, Ways]]
    ) -> dict[int, dict[Bag, Ways]]:
        order = np.lexsort((steps.via, steps.source))
        source = steps.source[order]
        labels = self._labels_of(layer, steps)
        faults, changes = steps.faults, steps.changes
        if following is not None:
            faults, changes = faults - following.faults[steps.to], changes - following.changes[steps.to]
        there: dict[int, dict[Bag, Ways]] = {}
        for place, bags in here.items():
            mine = order[np.searchsorted(source, place) : np.searchsorted(source, place, side="right")]
            for i in mine.tolist():
                own = int(faults[i]), int(changes[i])
                via, one = int(steps.via[i]), 1 << self._bits * int(labels[i])
                beyond = there.setdefault(int(steps.to[i]), {})
                for bag, ways in bags.items():
                    cost = ways.cost[0] + own[0], ways.cost[1] + own[1]
                    _add(beyond, bag + one, Ways(ways.count, cost, via, ways, ways.start))
        return there

    def _cut(self, there: dict[int, dict[Bag, Ways]]) -> dict[int, dict[Bag, Ways]]:
        """The cheapest ways only, where there are too many or it is late; one of them at least."""
        most = 1 if self._is_late() else MOST_BAGS
        if sum(map(len, there.values())) <= most:
            return there
        self._are_all = False
        everything = [(ways.cost, place, bag) for place, bags in there.items() for bag, ways in bags.items()]
        kept: dict[int, dict[Bag, Ways]] = {}
        for _, place, bag in sorted(everything)[:most]:
            kept.setdefault(place, {})[bag] = there[place][bag]
        return kept

    def _labels_of(self, layer: Layer, steps: Steps) -> Ints:
        labels = np.zeros(len(steps.via), dtype=np.int64)
        vias: list[int] = np.unique(steps.via).tolist()
        for via in vias:
            rows = np.flatnonzero(steps.via == via)
            transition = self._system.transitions[via]
            program = compile_roots([transition.outcome])
            columns = self._expander.columns(rows_of(layer.states.batch, steps.source[rows]), program.slots)
            (value,) = program.run([columns[i] for i in program.slots])
            outcomes = value.astype(np.int64) if is_column(value) else np.full(len(rows), int(value))
            numbers = np.zeros(len(transition.outcomes), dtype=np.int64)
            seen: list[int] = np.unique(outcomes).tolist()
            for outcome in seen:
                numbers[outcome] = self._number(via, transition.outcomes[outcome])
            labels[rows] = numbers[outcomes]
        return labels

    def _number(self, via: int, outcome: str | None) -> int:
        transition = self._system.transitions[via]
        arguments = tuple((name, json.dumps(value, sort_keys=True)) for name, value in transition.arguments)
        label = Label(transition.action, arguments, outcome, transition.fault)
        return self._labels.setdefault(label, len(self._labels))

    def _bag_of(self, trace: Trace) -> Bag:
        bag = 0
        for before, via in zip(trace.states, trace.transitions, strict=False):
            bag += 1 << self._bits * self._number(via, take(self._system.transitions[via], before).outcome)
        return bag

    def _content(self, bag: Bag) -> Iterator[tuple[int, int]]:
        """The labels of a bag by their numbers, each with how often it occurs."""
        mask = (1 << self._bits) - 1
        for number in range(len(self._labels)):
            times = bag >> self._bits * number & mask
            if times:
                yield number, times

    def _without_arguments(self, bag: Bag) -> object:
        labels = list(self._labels)
        total: Counter[tuple[str, str | None, str | None]] = Counter()
        for number, times in self._content(bag):
            total[labels[number].coarse] += times
        return frozenset(total.items())

    def _up_to_exchange(self, found: Mapping[Bag, Ways]) -> Callable[[Bag], object] | None:
        """Which bags tell one story; None where there was no time to find out."""
        from networkx.utils import UnionFind  # here: a check that counts nothing does without networkx

        joined = UnionFind(found)
        contents = {bag: list(self._content(bag)) for bag in found}
        for renamed in self._exchanges():
            if self._is_late():
                return None
            others: dict[Bag, Bag] = {}
            for bag, content in contents.items():
                other = sum(times << self._bits * renamed[number] for number, times in content)
                if other not in found or found[other].count != found[bag].count:
                    break
                others[bag] = other
            else:
                for bag, other in others.items():
                    joined.union(bag, other)
        return lambda bag: joined[bag]

    def _exchanges(self) -> Iterator[list[int]]:
        """Labels by their numbers after two values of an argument, or of a field in one, or of all that take both,
        change places; what no counterexample has gets a number that no label has."""
        values: dict[str, dict[str, None]] = {}
        for label in self._labels:
            for name, text in label.arguments:
                for inner, value in _leaves(name, json.loads(text)):
                    values.setdefault(inner, {})[value] = None
        for one, other in itertools.combinations(dict.fromkeys(v for each in values.values() for v in each), 2):
            names = [name for name, each in values.items() if one in each and other in each]
            for chosen in [*([name] for name in names), *([names] if len(names) > 1 else [])]:
                exchange = {one: other, other: one}
                yield [
                    self._labels.get(
                        replace(
                            label,
                            arguments=tuple(
                                (name, json.dumps(_exchanged(name, json.loads(text), chosen, exchange), sort_keys=True))
                                for name, text in label.arguments
                            ),
                        ),
                        len(self._labels),
                    )
                    for label in self._labels
                ]

    def _trace(self, ways: Ways) -> Trace:
        transitions: list[int] = []
        at = ways
        while at.before is not None:
            transitions.append(at.via)
            at = at.before
        transitions.reverse()
        states = [ways.start]
        for via in transitions:
            after = take(self._system.transitions[via], states[-1]).state
            assert after is not None, "a step that was taken has a successor"
            states.append(after)
        return Trace(tuple(states), tuple(transitions))


def _leaves(name: str, value: Plain) -> Iterator[tuple[str, str]]:
    """An argument's plain value as JSON text, or those in a record or a list, each with the name of its field."""
    if isinstance(value, dict):
        for field, inner in value.items():
            yield from _leaves(field, inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _leaves(name, inner)
    else:
        yield name, json.dumps(value)


def _exchanged(name: str, value: Plain, names: Collection[str], exchange: Mapping[str, str]) -> Plain:
    """An argument's value after plain values in it, under some names, were exchanged."""
    if isinstance(value, dict):
        return {field: _exchanged(field, inner, names, exchange) for field, inner in value.items()}
    if isinstance(value, list):
        return [_exchanged(name, inner, names, exchange) for inner in value]
    text = json.dumps(value)
    if name not in names:
        return value
    other: Plain = json.loads(exchange.get(text, text))
    return other


def _add(bags: dict[Bag, Ways], bag: Bag, ways: Ways) -> None:
    known = bags.get(bag)
    if known is None:
        bags[bag] = ways
    elif ways.cost < known.cost:
        bags[bag] = Ways(known.count + ways.count, ways.cost, ways.via, ways.before, ways.start)
    else:
        known.count += ways.count
