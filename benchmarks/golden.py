"""The models that both sides run, and the counts that both have to meet. The counts are data: see COUNTS."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).resolve().parent
MODELS: Final = HERE / "models"
COUNTS: Final = (HERE.parent / "tests/golden/counts.toml", HERE / "counts.toml")


@dataclass(frozen=True, slots=True)
class Family:
    """A model of one parameter, written for both sides: the parameter's name here, and the macro's name in Promela."""

    model: str
    file: str
    parameter: str
    macro: str

    @property
    def python(self) -> Path:
        """The model in our language."""
        return MODELS / f"{self.file}.py"

    @property
    def promela(self) -> Path:
        """The model in SPIN's language."""
        return MODELS / f"{self.file}.pml"


FAMILIES: Final = (Family("Fence", "fence", "calls", "T"), Family("TwoPhase", "two_phase", "managers", "N"))
#: What is run by default, and with --large as well.
USUAL: Final = ("Fence(1)", "Fence(2)", "Fence(3)", "TwoPhase(5)", "TwoPhase(6)", "TwoPhase(7)")
LARGE: Final = ("Fence(4)", "TwoPhase(8)")


@dataclass(frozen=True, slots=True)
class Counts:
    """A state space in numbers. `levels` is None where a search does not tell: depth first has no levels."""

    distinct: int
    generated: int
    levels: int | None

    def agree(self, other: Counts) -> bool:
        """Whether these can be counts of the same state space."""
        same_levels = self.levels == other.levels or None in (self.levels, other.levels)
        return (self.distinct, self.generated) == (other.distinct, other.generated) and same_levels

    def __str__(self) -> str:
        levels = "" if self.levels is None else f", {self.levels} levels"
        return f"{self.distinct:,} distinct, {self.generated:,} generated{levels}"


@dataclass(frozen=True, slots=True)
class Case:
    """A model with its parameter set."""

    family: Family
    size: int
    golden: Counts

    def __str__(self) -> str:
        return f"{self.family.model}({self.size})"


def known_cases(files: Iterable[Path] = COUNTS) -> dict[str, Case]:
    """The cases whose counts are in some files, by name: `Fence(3)`."""
    cases: dict[str, Case] = {}
    for file in files:
        document = tomllib.loads(file.read_text())
        for family in FAMILIES:
            for row in document.get(family.file, ()):
                if row["model"] == family.model:
                    case = Case(family, row["parameters"][family.parameter], Counts(*row["counts"]))
                    cases[str(case)] = case
    return cases
