"""Several models checked in one run, with the same options: which options speak of which model, and each in its turn.

An option may name what some of the models do not have: those are checked without it, and it is said. What no model has
is a slip, and refused before anything is searched. A model that has no meaning takes a row, and hides no other.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from fenceproof.model.budgets import Settings
from fenceproof.model.errors import InternalError, ModelError, UsageError, nearest
from fenceproof.model.lift import lift
from fenceproof.model.source import site_of, site_of_error
from fenceproof.model.starts import state_of

from .api import chosen_properties
from .declared import Declared, declared
from .limits import Limits, Progress
from .mishap import internal_text
from .result import CheckResult
from .row import Broken, Checked, Refused, Row, Skipped, Unfinished
from .targets import Target, build, parse_parameters

Engine = Callable[..., CheckResult]


@dataclass(frozen=True, slots=True)
class Asked:
    """What a user asked for, in the same words for every model."""

    settings: Mapping[str, str]
    lifting: Settings
    properties: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Job:
    """One model with what of the options speaks of it. `others_build_on_it` says that it is a base of another one;
    `why_not`, where it is not to be checked, why."""

    target: Target
    has: Declared
    asked: Asked
    others_build_on_it: bool
    why_not: str | None


def plan(targets: Sequence[Target], asked: Asked) -> list[Job]:
    """The jobs of a run, in order. Raises UsageError for a name that no model has, and for a value that is none."""
    known = [declared(target.model) for target in targets]
    for named in _named(asked):
        everywhere = {name for has in known for name in named.of(has)}
        for name in named.names:
            if not named.known(name, everywhere):
                raise UsageError(nearest(name, everywhere, f"The {named.what}"))
    jobs: list[Job] = []
    for target, has in zip(targets, known, strict=True):
        others = any(other.model is not target.model and issubclass(other.model, target.model) for other in targets)
        own = _restricted(asked, has)
        parse_parameters(target, own.settings)
        jobs.append(Job(target, has, own, others, _why_not(target, has, asked, own, others)))
    return jobs


def left_out(jobs: Sequence[Job], asked: Asked) -> Iterator[str]:
    """For each name that some models do not have, a sentence that says which of them are checked without it."""
    for named in _named(asked):
        for name in named.names:
            without = [j.target.name for j in jobs if j.why_not is None and not named.known(name, named.of(j.has))]
            if without:
                yield f"checked without the {named.what} {name}, which is not in them: {', '.join(without)}."


def run(job: Job, engine: Engine, limits: Limits, progress: Callable[[Progress], None] | None) -> Row:
    """Check one model; whatever becomes of it is its row. An interrupt outside of its search is the caller's."""
    name, model = job.target.name, job.target.model
    try:
        if job.why_not is not None:
            return Skipped(name, job.why_not)
        made = build(job.target, job.asked.settings)
        if job.others_build_on_it and not state_of(made):
            return Skipped(name, "other models build on it, and it has no state of its own")
        system = lift(made, job.asked.lifting)
        chosen = chosen_properties(system, job.asked.properties)
        return Checked(name, engine(system, properties=chosen, limits=limits, progress=progress))
    except ModelError as error:
        return Refused(name, error.message, error.site or site_of(model), error.remedy)
    except UsageError as error:
        return Refused(name, str(error), site_of(model), None)
    except SystemExit as end:
        # We end nowhere here, so it is the model's file that does.
        return Refused(name, f"SystemExit: {end}, which ends no check.", site_of_error(end), None)
    except MemoryError:
        return Unfinished(name, "the memory of this machine does not suffice")
    except InternalError as error:
        return Broken(name, str(error))
    except Exception as error:
        return Broken(name, internal_text(error))


def _why_not(target: Target, has: Declared, asked: Asked, own: Asked, others_build_on_it: bool) -> str | None:
    """Why a class is a part of others and no model to check, or has nothing that was asked about; None for a model.

    A class on which none builds is never passed over, nor one that cannot be read: what it lacks is a mistake, and is
    said as one.
    """
    if not has.is_readable:
        return None
    if others_build_on_it and inspect.isabstract(target.model):
        return "other models build on it, and it is abstract"
    if others_build_on_it and not has.actions:
        return "other models build on it, and it has no action of its own"
    if asked.properties and not own.properties:
        return f"it has no property {' or '.join(asked.properties)}"
    return None


@dataclass(frozen=True, slots=True)
class _Named:
    """Names in the options: the word for what they name, where a model has it, and whether `-` and `_` are alike."""

    what: str
    names: Iterable[str]
    of: Callable[[Declared], frozenset[str]]
    dashes_alike: bool

    def known(self, name: str, there: Iterable[str]) -> bool:
        """Whether a name is there, in the spelling that lifting accepts."""
        if not self.dashes_alike:
            return name in set(there)
        return name.replace("_", "-") in {other.replace("_", "-") for other in there}


def _named(asked: Asked) -> tuple[_Named, ...]:
    return (
        _Named("parameter", asked.settings, lambda has: has.parameters, dashes_alike=True),
        _Named("fault", sorted(asked.lifting.only or ()), lambda has: has.faults, dashes_alike=False),
        _Named("safeguard", sorted(asked.lifting.without), lambda has: has.safeguards, dashes_alike=False),
        _Named("property", asked.properties, lambda has: has.properties, dashes_alike=True),
    )


def _restricted(asked: Asked, has: Declared) -> Asked:
    """What of the options speaks of a model. Where only faults are on that it does not have, all of its own are off."""
    parameters, faults, guards, properties = (
        [name for name in named.names if named.known(name, named.of(has))] for named in _named(asked)
    )
    given = asked.lifting
    lifting = replace(
        given,
        budgets={name: budget for name, budget in (given.budgets or {}).items() if name in faults},
        only=None if given.only is None else frozenset(faults),
        without=frozenset(guards),
    )
    return Asked({name: asked.settings[name] for name in parameters}, lifting, tuple(properties))
