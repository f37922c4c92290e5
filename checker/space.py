"""Every combination of a model's safeguards, under every set of faults: which suffice, which are a cut, which can go.

Safeguards that are methods are varied inside one system; for each combination of those that are choices of design a
system is lifted. Together the searches visit every reachable state of every combination, but for what follows a fall.
What is reported is then checked once more, each on its own, by the plain engine.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from fenceproof.model.budgets import Settings, fault_budgets
from fenceproof.model.constants import constant_key
from fenceproof.model.errors import InternalError, UsageError, nearest
from fenceproof.model.language import Model
from fenceproof.model.lift import lift
from fenceproof.model.system import TransitionSystem
from fenceproof.model.weaken import changes, known_safeguards
from numpy.typing import NDArray

from .api import chosen_properties
from .engines import explicit
from .engines.family import Family, check_cells, explore_family
from .lattice import is_closed_upwards, makes_no_difference, maximal, minimal, names, number_of
from .limits import Limits, Progress, Stop, Watch, go_on
from .result import CheckResult
from .verdict import Verdict


@dataclass(frozen=True, slots=True)
class Space:
    """What was found of all combinations of safeguards.

    `fallen` is bool[2**safeguards, 2**faults]: whether the model without some safeguards falls under some faults, by
    the numbers of the two sets (bit i is member i). Of an incomplete one only its true entries mean something.
    `system` is the family without choices of design taken away. `idle` names the safeguards on which nothing in the
    model depends, since nothing calls them or they never say no: that they are not needed shows nothing.
    """

    model: Model
    settings: Settings
    system: TransitionSystem
    properties: list[str] | None
    safeguards: tuple[str, ...]
    faults: tuple[str, ...]
    fallen: NDArray[np.bool_]
    distinct: int
    generated: int
    stop: Stop | None
    seconds: float
    idle: tuple[str, ...] = ()

    @property
    def complete(self) -> bool:
        """Whether every combination was searched to its end."""
        return self.stop is None

    def cuts(self, faults: Sequence[str] | None = None) -> list[tuple[str, ...]]:
        """The minimal sets of safeguards without which the model falls under some faults (None: all that are on)."""
        return [names(number, self.safeguards) for number in minimal(self._under(faults))]

    def sufficient(self, faults: Sequence[str] | None = None) -> list[tuple[str, ...]]:
        """The minimal sets of safeguards with which alone nothing falls; none where the search was not complete."""
        if not self.complete:
            return []
        whole = len(self.fallen) - 1
        return [names(whole ^ missing, self.safeguards) for missing in maximal(~self._under(faults))]

    def never_needed(self, faults: Sequence[str] | None = None) -> list[str]:
        """The safeguards with an effect of which it was shown that they make no difference, whichever others there
        are."""
        table = self._under(faults)
        effective = [(bit, name) for bit, name in enumerate(self.safeguards) if name not in self.idle]
        return [name for bit, name in effective if self.complete and makes_no_difference(table, bit)]

    def is_monotone(self, faults: Sequence[str] | None = None) -> bool:
        """Whether it was shown that taking away one more safeguard never mends what taking away others has broken."""
        return self.complete and is_closed_upwards(self._under(faults))

    def minimal_faults(self, without: Sequence[str]) -> list[tuple[str, ...]]:
        """The minimal sets of faults under which the model falls without some safeguards."""
        return [names(n, self.faults) for n in minimal(self.fallen[number_of(without, self.safeguards)])]

    def _under(self, faults: Sequence[str] | None) -> NDArray[np.bool_]:
        number = self.fallen.shape[1] - 1 if faults is None else number_of(faults, self.faults)
        return np.ascontiguousarray(self.fallen[:, number])

    def confirm(self, without: Sequence[str], faults: Sequence[str] | None = None) -> CheckResult:
        """Check the model without some safeguards under some faults on its own; InternalError where that differs."""
        chosen = self.faults if faults is None else faults
        settings = replace(self.settings, without=self.settings.without | frozenset(without), only=frozenset(chosen))
        # A part that was searched shows its falls in no more states than it has, whatever the limit was.
        enough = None if self.complete else Limits(max_states=max(1, self.distinct))
        result = explicit.check(lift(self.model, settings), properties=self.properties, limits=enough)
        go_on(result.stop)
        falls = result.verdict in (Verdict.VIOLATED, Verdict.MODEL_ERROR)
        expected = self.fallen[number_of(without, self.safeguards), number_of(chosen, self.faults)]
        differs = falls != expected if falls or result.complete else self.complete
        if differs and (self.complete or expected):
            raise InternalError(
                f"without {', '.join(without) or 'nothing'}, the search of all combinations and that of this one "
                "disagree. Please report this, with the model."
            )
        return result


def explore_space(
    model: Model,
    settings: Settings,
    *,
    only: Sequence[str] = (),
    properties: Sequence[str] | None = None,
    limits: Limits | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Space:
    """Search all combinations of a model's safeguards (`only`: of these, the others stay).

    Raises UsageError where there are none, or too many.
    """
    watch = Watch.start(limits or Limits())
    varied, choices = _chosen(model, settings, only)
    check_cells(len(varied) + len(choices), sum(budget != 0 for budget in fault_budgets(model, settings).values()))
    parts: dict[int, NDArray[np.bool_]] = {}
    done: dict[frozenset[tuple[str, object]], NDArray[np.bool_]] = {}
    distinct = generated = 0
    stop: Stop | None = None
    families: list[Family] = []
    for number, without in _combinations(choices):
        # With what is taken away in any case: which of two choices about one attribute counts, depends on it.
        changed = changes(model, settings.without | set(without))
        same = frozenset((attribute, constant_key(value) or number) for attribute, value in changed.items())
        if same not in done:
            system = _lifted(model, settings, varied, without)
            chosen = chosen_properties(system, properties)
            family = explore_family(
                system, properties=chosen, pruned=True, limits=watch.rest(distinct), progress=progress
            )
            families.append(family)
            done[same] = family.fallen
            distinct += family.distinct
            generated += family.generated
            stop = stop or family.stop
        parts[number] = done[same]
        if stop is not None:
            break
    unknown = np.zeros_like(next(iter(parts.values())))
    fallen = np.concatenate([parts.get(number, unknown) for number in range(1 << len(choices))])
    return Space(
        model,
        settings,
        families[0].system,
        chosen_properties(families[0].system, properties),
        (*varied, *choices),
        families[0].faults,
        fallen,
        distinct,
        generated,
        stop,
        watch.seconds,
        tuple(name for name in varied if not any(has_effect(family.system, name) for family in families)),
    )


def has_effect(system: TransitionSystem, safeguard: str) -> bool:
    """Whether anything in a system that varies a safeguard depends on it."""
    (slot,) = (v.first for v in system.variables if v.name == f"safeguard {safeguard}")
    judgements = [j for p in system.step_properties for j in p.judgements]
    judgements += [system.terminal, *(i.judgement for i in system.invariants), *(p.goal for p in system.liveness)]
    judgements += [p.trigger for p in system.liveness if p.trigger is not None]
    read = [e for j in judgements for e in (j.holds, j.mistake, j.exercised) if e is not None]
    for t in system.transitions:
        read += [t.guard, t.outcome, t.mistake, *(node for _, node in t.updates)]
    if any(node.support >> 2 * slot & 1 for node in read):
        return True
    begin = {kept: {s[:slot] + s[slot + 1 :] for s in system.initial if s[slot] == kept} for kept in (0, 1)}
    return begin[0] != begin[1]


def _lifted(model: Model, settings: Settings, varied: Sequence[str], without: Sequence[str]) -> TransitionSystem:
    missing = settings.without | frozenset(without)
    return lift(model, replace(settings, varied=frozenset(varied), without=missing, noted=True))


def _chosen(model: Model, settings: Settings, only: Sequence[str]) -> tuple[list[str], list[str]]:
    """The safeguards to vary: those that are methods, and those that are choices."""
    methods, choices = known_safeguards(model)
    known = [name for name in (*methods, *choices) if name not in settings.without]
    if not known:
        raise UsageError(
            f"{type(model).__name__} has no safeguard. Mark a method that answers whether something is allowed with "
            '@safeguard("name"), and ask it where it counts.'
        )
    for name in only:
        if name not in known:
            raise UsageError(nearest(name, known, "The safeguard"))
    wanted = [name for name in known if not only or name in only]
    return [name for name in methods if name in wanted], [name for name in choices if name in wanted]


def _combinations(choices: Sequence[str]) -> Iterator[tuple[int, tuple[str, ...]]]:
    for taken in itertools.product((False, True), repeat=len(choices)):
        chosen = tuple(name for name, missing in zip(choices, taken, strict=True) if missing)
        yield number_of(chosen, choices), chosen
