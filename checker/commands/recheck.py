"""`fenceproof recheck`: a certificate checked again, by solvers other than the one that found the proof."""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import TypeAlias

import click
from fenceproof.model.budgets import Settings
from fenceproof.model.errors import FenceproofError, FormatError, RefusedError, UsageError
from fenceproof.model.language import Model
from fenceproof.model.lift import lift
from fenceproof.model.system import TransitionSystem
from fenceproof.specs.variants import VARIANTS

from ..certificate.asking import TIME_S, Said
from ..certificate.reading import CertificateFile, Part, read
from ..certificate.recheck import Rechecked, recheck
from ..certificate.solvers import INSTALL, SOLVERS
from ..processes.ahead import Ahead
from ..reduction import Reduced, SideBySide, beyond_one, reduced
from ..report.rechecked import document, refused_document, text
from ..result import Independence
from ..targets import Target, construct, find, parameters_of
from ..verdict import Verdict
from .options import NamedPath, check_time

#: What is shown of copies of a system, or why it is not; None where there is nothing to show.
Copies: TypeAlias = Independence | SideBySide | None

_EXIT_CODES = {
    Said.ACCEPTED: 0,
    Said.REFUSED: RefusedError.exit_code,
    Said.INCONCLUSIVE: Verdict.INCONCLUSIVE.exit_code,
}


@click.command()
@click.argument("path", metavar="FILE", type=NamedPath())
@click.option(
    "--model",
    "model_text",
    metavar="TARGET",
    help="The model to derive it from, needed where that is a file of your own; else the copy in FILE is trusted.",
)
@click.option("--solver", "chosen", multiple=True, type=click.Choice(list(SOLVERS)), help="This solver; repeatable.")
@click.option(
    "--time", "time_s", type=click.FloatRange(min=0, min_open=True), default=TIME_S, show_default=True, metavar="S",
    help="Seconds that a solver may take for each obligation.",
)  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document and nothing else.")
def command(path: Path, model_text: str | None, chosen: tuple[str, ...], time_s: float, as_json: bool) -> int:
    """Put the obligations of the certificate FILE together again from its model, and have solvers check them.

    Exits 0 where a solver accepts everything and none refuses, 70 where the certificate is refused, be it as one of
    another model, and 2 where there is no certificate or no model to look at.
    """
    check_time(time_s, "Write, for example, --time 60.")
    names = tuple(dict.fromkeys(chosen)) or tuple(SOLVERS)
    for name in chosen:
        if SOLVERS[name].version is None:
            raise UsageError(f"the solver {name} is not installed. Install it: {INSTALL}")
    file = read(path)
    target = _target(file, model_text)
    try:
        if target is None:
            result = recheck(file, None, None, names, time_s)
        else:
            result = _against_model(file, target, names, time_s)
    except RefusedError as error:
        if as_json:
            origin = None if target is None else target.name
            click.echo(json.dumps(refused_document(file, origin, str(error)), indent=2, ensure_ascii=False))
        raise
    if as_json:
        click.echo(json.dumps(document(file, result), indent=2, ensure_ascii=False))
    else:
        click.echo(text(file, result))
    answers = [answer for part in result.parts for answer in part.answers]
    undecided = [a for a in answers if a.said not in (Said.ACCEPTED, Said.UNREAD)]
    if chosen and undecided and result.said is Said.ACCEPTED:
        # Whoever names a solver wants that one's word.
        return Verdict.INCONCLUSIVE.exit_code
    return _EXIT_CODES[result.said]


def _target(file: CertificateFile, model_text: str | None) -> Target | None:
    """The model to hold the certificate against; None where its own copy has to do."""
    if model_text is not None:
        return find(model_text)
    name = file.target
    if name in VARIANTS:
        return find(name)
    if not name.partition(":")[0].endswith(".py"):
        raise FormatError(
            f"{file.path}: the target {name!r:.60} is neither a shipped design nor a Python file. "
            "Name the model yourself: --model mine.py"
        )
    return None


def _against_model(file: CertificateFile, target: Target, solvers: Sequence[str], time_s: float) -> Rechecked:
    """What comes of a certificate whose systems are lifted again. Meanwhile what it says of copies is shown again."""
    with ExitStack() as stack:
        systems: list[TransitionSystem] = []
        shown: list[tuple[Independence, Ahead[Copies]]] = []
        for part in file.parts:
            with _refused(file, target):
                system, copies = _system(file, part, target)
            systems.append(system)
            said = part.identity.independence
            if said is not None:
                shown.append((said, stack.enter_context(Ahead(partial(copies, said)))))
        try:
            result = recheck(file, systems, target.name, solvers, time_s)
        except RefusedError:
            _check_shown(file, target, shown)  # the better reason, where there is one
            raise
        _check_shown(file, target, shown)
    return result


def _check_shown(file: CertificateFile, target: Target, shown: Iterable[tuple[Independence, Ahead[Copies]]]) -> None:
    """That what a certificate says of copies is what was shown of them again."""
    for said, ahead in shown:
        with _refused(file, target):
            is_shown = ahead.result() == said
        if not is_shown:
            raise RefusedError(f"{file.path}: refused: it was not shown that {said.parameter} share nothing.")


@contextmanager
def _refused(file: CertificateFile, target: Target) -> Generator[None]:
    """What cannot be made as a certificate says is a reason to refuse it, unless the model cannot be made at all."""
    try:
        yield
    except RefusedError:
        raise
    except FenceproofError as error:
        _check_model(target)
        raise RefusedError(f"{file.path}: refused: {target.name} cannot be made as it says: {error}") from error


def _check_model(target: Target) -> None:
    """Raise the ModelError of a model that has no meaning as it stands, whatever a certificate says of it."""
    if all(parameter.default is not parameter.empty for parameter in parameters_of(target.model).values()):
        lift(construct(target.model, {}))


def _system(
    file: CertificateFile, part: Part, target: Target
) -> tuple[TransitionSystem, Callable[[Independence], Copies]]:
    """The system that a part says it is about, lifted again, and how to look at its copies."""
    said = part.identity
    if target.model.__name__ != said.model:
        raise RefusedError(
            f"{file.path}: refused: it is about the model {said.model!r:.60}, and {target.name} is "
            f"{target.model.__name__}."
        )
    settings = Settings(said.faults, None, said.most_faults, frozenset(said.without))
    model = construct(target.model, said.parameters)
    system = lift(model, settings)
    return system, partial(_copies, target, part, settings, model, system)


def _copies(
    target: Target, part: Part, settings: Settings, model: Model, system: TransitionSystem, said: Independence
) -> Copies:
    """What is shown of as many copies as a part is said to be about, by comparing the systems again."""
    if said.copies == 1:
        return beyond_one(model, settings, system, part.names)
    many: Model = construct(target.model, {**part.identity.parameters, said.parameter: said.copies})
    found = reduced(many, settings, lift(many, settings))
    return found.independence if isinstance(found, Reduced) else found
