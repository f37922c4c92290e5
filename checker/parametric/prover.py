"""Proves properties of a system over unbounded integers, one after another, each with what was found for those before.

First Spacer, shortly; where it finds nothing, clauses out of templates, and Spacer again with those as lemmas. What a
proof needs of all that is cut out and checked once more by fresh solvers before it is called one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from fenceproof.model.expressions import Expression
from fenceproof.model.system import TransitionSystem

from ..limits import Watch
from .core import Cores
from .horn import Horn, NoInvariantError
from .obligations import Obligation, Parametric
from .sampling import Samples, sample
from .templates import houdini
from .verify import first_refuted

#: Seconds for Spacer's first attempt, and for one with lemmas.
SHORT_S: Final = 2.0
LONG_S: Final = 15.0
_CHECK_S: Final = 10.0


@dataclass(frozen=True, slots=True)
class Shown:
    """An invariant, in conjuncts, that refutes some obligations."""

    invariant: tuple[Expression, ...]


class Prover:
    """Everything that is known of one system."""

    def __init__(self, system: TransitionSystem, watch: Watch) -> None:
        self.parametric = Parametric(system)
        self.induction = self.parametric.induction()
        self.samples: Samples = sample(system)
        self._states = sample(system, self.parametric.ignored).states
        self._horn = Horn(self.parametric)
        self._watch = watch
        self._lemmas: list[Expression] = []
        self._has_templates = False
        self._cores = Cores(self.parametric, self.induction)

    def show(self, obligations: Sequence[Obligation], stronger: Sequence[Obligation] | None = None) -> Shown | None:
        """An invariant that refutes all of the obligations, or of stronger ones; None where none was found."""
        try:
            found = self._with_lemmas(obligations)
            if found is None:
                found, stronger = self._by_stronger(stronger, obligations, SHORT_S)
            if found is None:
                found = self._with_spacer(obligations, obligations, SHORT_S)
            if found is None and not self._has_templates and not self.is_over():
                self._has_templates = True
                self._learn(houdini(self.parametric, self.induction, self._states, self.is_over))
                found = self._with_lemmas(obligations)
            if found is None:
                found, _ = self._by_stronger(stronger, obligations, LONG_S)
            if found is None:
                found = self._with_spacer(obligations, obligations, LONG_S)
        except NoInvariantError:
            return None
        return found

    def _by_stronger(
        self, stronger: Sequence[Obligation] | None, obligations: Sequence[Obligation], timeout_s: float
    ) -> tuple[Shown | None, Sequence[Obligation] | None]:
        """What was shown by way of stronger obligations, and these where it is worth to try them again."""
        if stronger is None:
            return None, None
        try:
            return self._with_spacer(stronger, obligations, timeout_s), stronger
        except NoInvariantError:
            return None, None

    def is_never(self, obligations: Sequence[Obligation]) -> bool:
        """Whether something is shown never to happen, with no more effort than a short look."""
        try:
            return (self._with_lemmas(obligations) or self._with_spacer(obligations, obligations, SHORT_S)) is not None
        except NoInvariantError:
            return False

    def is_over(self) -> bool:
        """Whether the time is up."""
        return self._watch.stop(0, 0) is not None

    def _learn(self, lemmas: Sequence[Expression]) -> None:
        known = {lemma.number for lemma in self._lemmas}
        self._lemmas += [lemma for lemma in lemmas if lemma.number not in known]

    def _with_lemmas(self, obligations: Sequence[Obligation]) -> Shown | None:
        if first_refuted(self.parametric, self._lemmas, obligations, _CHECK_S) is not None:
            return None
        invariant = self._cores.needed(self._lemmas, obligations)
        if first_refuted(self.parametric, invariant, [*self.induction, *obligations], _CHECK_S) is not None:
            return None
        return Shown(tuple(invariant))

    def _with_spacer(
        self, asked: Sequence[Obligation], obligations: Sequence[Obligation], timeout_s: float
    ) -> Shown | None:
        if self.is_over():
            return None
        rest = self._watch.limits.time_s
        if rest is not None:
            timeout_s = max(0.1, min(timeout_s, rest - self._watch.seconds))
        found = self._horn.solve(asked, self._lemmas, timeout_s)
        if found is None:
            return None
        invariant = [*self._lemmas, *found]
        if first_refuted(self.parametric, invariant, [*self.induction, *obligations], _CHECK_S) is not None:
            return None  # whatever Spacer said, this is no proof
        self._learn(found)
        return self._with_lemmas(obligations)
