"""A target as a user names it, a shipped model or a file, becomes a model with its parameters set."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fenceproof.model.errors import ModelError, Site, UsageError, nearest
from fenceproof.model.language import Model
from fenceproof.model.source import is_ours, shown_path, site_of
from fenceproof.specs.abstract import ABSTRACT
from fenceproof.specs.variants import VARIANTS

from .loading import import_file
from .values import hints_of, parse_value


@dataclass(frozen=True, slots=True)
class Target:
    """What a user named: how reports call it, its class, and a remark on how it was chosen (or none)."""

    name: str
    model: type[Model]
    remark: str = ""


def find(text: str) -> Target:
    """The model that `text` names: a shipped one, or `path/to/file.py`, with `:Class` where it has several.

    Raises UsageError for what is not there and ModelError for a file that cannot be read as models.
    """
    if not text.strip():
        raise UsageError(
            "The name of a target is empty. Name a shipped variant, as fenced, or a file of your own: mine.py"
        )
    name = text.replace("_", "-")
    if name in VARIANTS:
        return Target(name, VARIANTS[name].model)
    if name in ABSTRACT:
        return Target(name, ABSTRACT[name])
    path, _, chosen = text.rpartition(":") if ":" in text and not text.endswith(".py") else (text, "", "")
    if not path.endswith(".py"):
        if Path(text).exists():
            raise UsageError(f"{text} is not a Python file. A target is a shipped variant or a file that ends in .py.")
        raise UsageError(
            nearest(text, [*VARIANTS, *ABSTRACT], "The target") + " A model of your own is named by its file: mine.py"
        )
    if text.endswith(":"):
        raise UsageError(f"{text} names no class after its colon. Write {path}, or {path}:Class.")
    return _choose(text, path, chosen, _models_in(path))


def find_all(file: str | None) -> list[Target]:
    """Every model that is defined in a file, in its order, each once; without a file every shipped variant.

    Raises UsageError for what is no file or one model of it, and ModelError for a file that cannot be read as models.
    """
    if file is None:
        return [Target(name, variant.model) for name, variant in VARIANTS.items()]
    if not file.endswith(".py"):
        one = find(file)
        raise UsageError(
            f"{one.name} is one model, and --all checks every model of a file. "
            "Name the file alone, or no target for every shipped design."
        )
    once: dict[type[Model], str] = {}
    for name, model in _models_in(file).items():
        once.setdefault(model, name)  # which may go by a second name
    return [Target(f"{file}:{name}", model) for model, name in once.items()]


def _models_in(path: str) -> dict[str, type[Model]]:
    """The models that are defined in a file, by name; not those that it imports."""
    if not Path(path).is_file():
        raise UsageError(f"there is no file {path}. Name a Python file with a model in it, or a shipped variant.")
    module = import_file(Path(path))
    models = {
        name: value
        for name, value in vars(module).items()
        if inspect.isclass(value) and issubclass(value, Model) and value.__module__ == module.__name__
    }
    if not models:
        raise ModelError(
            "there is no model in this file.",
            Site(path, 1),
            "Write a class that derives from fenceproof.model.Model, with state, actions and properties.",
        )
    return models


def _choose(text: str, path: str, chosen: str, models: Mapping[str, type[Model]]) -> Target:
    if chosen:
        if chosen not in models:
            raise ModelError(nearest(chosen, models, "The model"), Site(path, 1))
        return Target(text, models[chosen])
    first, *others = models
    if not others:
        return Target(text, models[first])
    shipped = {variant.model for variant in VARIANTS.values()}
    if all(shipped & set(model.__mro__) for model in models.values()):
        listed = " or ".join(f"{path}:{name}" for name in others)
        return Target(f"{text}:{first}", models[first], f"{first} is the first design in {path}; see also {listed}.")
    raise ModelError(
        f"there are {len(models)} models in this file: {', '.join(models)}.",
        Site(path, 1),
        f"Name the one to check: {path}:{first}",
    )


def build(target: Target, settings: Mapping[str, str]) -> Model:
    """A model with its parameters set from text. Raises UsageError for an unknown parameter or a value that is none."""
    values = parse_parameters(target, settings)
    missing = [n for n, p in parameters_of(target.model).items() if p.default is p.empty and n not in values]
    if missing:
        raise UsageError(f"{target.name} needs a value for {missing[0]}: --set {missing[0]}=…")
    return construct(target.model, values)


def parameters_of(model: type[Model]) -> dict[str, inspect.Parameter]:
    """The parameters of a model, which are those of its constructor, by name."""
    return {
        name: parameter
        for name, parameter in inspect.signature(model.__init__).parameters.items()
        if name != "self" and parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)
    }


def parse_parameters(target: Target, settings: Mapping[str, str]) -> dict[str, Any]:
    """Values of parameters from text. Raises UsageError for an unknown parameter or a value that is none."""
    parameters = parameters_of(target.model)
    hints = hints_of(target.model.__init__)
    values: dict[str, Any] = {}
    for name, text in settings.items():
        key = name.replace("-", "_")
        if key not in parameters:
            raise UsageError(nearest(name, parameters, f"The parameter of {target.name}"))
        values[key] = parse_value(name, text, hints.get(key), parameters[key].default)
    return values


def construct(model: type[Model], values: Mapping[str, Any]) -> Model:
    """Make a model; what its constructor raises becomes a ModelError with the line that raised it."""
    try:
        with redirect_stdout(sys.stderr):
            return model(**values)
    except ModelError as error:
        if error.site is not None:
            raise
        raise ModelError(error.message, _site_of_constructor(error) or site_of(model), error.remedy) from error
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # SystemExit as well: it would end the run without a word
        site = _site_of_constructor(error) or site_of(model)
        raise ModelError(f"{type(error).__name__}: {error}", site) from error


def _site_of_constructor(error: BaseException) -> Site | None:
    found: Site | None = None
    trace = error.__traceback__
    while trace is not None:
        filename = trace.tb_frame.f_code.co_filename
        # Binding the arguments to a signature is Python's business, and nothing that an author wrote.
        if not is_ours(filename) and filename not in (__file__, inspect.__file__):
            found = Site(shown_path(filename), trace.tb_lineno)
        trace = trace.tb_next
    return found


def parse_settings(given: Sequence[str]) -> dict[str, str]:
    """`name=value` texts as a mapping. Raises UsageError where one is not that, or a name is given twice."""
    found: dict[str, str] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise UsageError(f"--set {text} sets nothing. Write --set name=value.")
        if found.setdefault(name, value) != value:
            raise UsageError(f"--set {name} is given twice, as {found[name]} and as {value}.")
    return found
