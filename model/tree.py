"""The tree of an author's method: every run of it, and how the runs fold into expressions.

Truth tests and choices are inside, ends at the leaves: done, not enabled, gone wrong. Source of the idea: symbolic
execution by forking (King, "Symbolic Execution and Program Testing", CACM 19(7), 1976, section 3). Not here: what
the method is and what its state looks like; a run is a function of a path.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NoReturn, cast

from .errors import LiftError, ModelError, Site, kept_errors
from .expressions import Expression, Expressions, Op
from .fingerprint import after_each
from .path import Decision, Disabled, Path, Truths, WentWrong, active
from .source import here, site_of_error
from .system import Mistake
from .trail import Notes, Trail

MOST_PATHS: Final = 4_096


@dataclass(frozen=True, slots=True)
class Done:
    """A run that came to its end: the slots it leaves, what it returned, the antecedents that `implies` was given, and
    what it came along, where that was noted."""

    values: tuple[Expression, ...]
    returned: object
    antecedents: tuple[Expression, ...]
    notes: Notes | None = None


@dataclass(frozen=True, slots=True)
class Branch:
    """A truth test and where it is made: what follows where it is true, and where not."""

    condition: Expression
    site: Site | None
    then: Tree
    other: Tree


@dataclass(frozen=True, slots=True)
class Fork:
    """A choice: what follows for each option."""

    label: str
    options: tuple[object, ...]
    branches: tuple[Tree, ...]


Leaf = Done | Mistake | None  # None: not enabled
Tree = Leaf | Branch | Fork


@dataclass(frozen=True, slots=True)
class Choice:
    """The option that was taken at a fork: told from the others by its position, shown as itself."""

    label: str
    position: int
    option: object = field(compare=False)


Choices = tuple[Choice, ...]


def explore(
    x: Expressions, truths: Truths, run: Callable[[Path], object], values: Callable[[], Sequence[Expression]]
) -> Tree:
    """Run along every path. `values` gives the slots' expressions after a run."""
    paths = 0

    def below(forced: list[int]) -> Tree:
        nonlocal paths
        paths += 1
        path = Path(x, truths, forced)
        if paths > MOST_PATHS:
            _refuse_forks(path_sites)
        tree: Tree = _run_once(path, run, values)
        after_each.get()()
        if paths == 1:
            path_sites.extend(d.site for d in path.decisions)
        for place in range(len(path.decisions) - 1, len(forced) - 1, -1):
            prefix = [d.taken for d in path.decisions[:place]]
            tree = _fold(path.decisions[place], tree, lambda side, p=prefix: below([*p, side]))  # type: ignore[misc]
        return tree

    path_sites: list[Site | None] = []
    try:
        return below([])
    except RecursionError:
        _refuse_forks(path_sites)


def _refuse_forks(sites: list[Site | None]) -> NoReturn:
    known = [site for site in sites if site is not None]
    raise LiftError(
        f"this method forks into more than {MOST_PATHS:,} paths.",
        max(known, key=known.count, default=None),
        "Where a loop only counts or asks for all or any, write count(…), forall(…) or exists(…): they do not fork.",
    )


def _fold(decision: Decision, tree: Tree, explore_side: Callable[[int], Tree]) -> Tree:
    if decision.condition is None:
        sides = range(len(decision.options))
        branches = tuple(tree if side == decision.taken else explore_side(side) for side in sides)
        return Fork(decision.label, decision.options, branches)
    if isinstance(decision.otherwise, Mistake):
        other: Tree = decision.otherwise
    elif decision.otherwise is not None:
        other = None
    else:
        other = explore_side(1 - decision.taken)
    then, other = (tree, other) if decision.taken else (other, tree)
    return Branch(decision.condition, decision.site, then, other)


def _run_once(path: Path, run: Callable[[Path], object], values: Callable[[], Sequence[Expression]]) -> Leaf:
    with kept_errors() as refused:
        leaf = _end_of_run(path, run, values)
    if refused:
        raise refused[0]
    return leaf


def _end_of_run(path: Path, run: Callable[[Path], object], values: Callable[[], Sequence[Expression]]) -> Leaf:
    token = active.set(path)
    try:
        returned = run(path)
    except Disabled:
        return None
    except WentWrong as wrong:
        return wrong.mistake
    except ModelError:
        raise
    except RecursionError:
        raise
    except (Exception, SystemExit) as error:
        said = f"{type(error).__name__}: {_said(error)}"
        # A slip in a name is one whatever stands before it, but not an attribute of what may be None.
        is_slip = isinstance(error, NameError | AttributeError) and "'NoneType'" not in said
        return path.mistake(said, site_of_error(error), is_guardable=not is_slip)
    finally:
        active.reset(token)
    if path.ended is not None:
        raise LiftError(
            "an `except:` swallows what `require` or a model error raised.",
            here(),
            "Name the exceptions to catch: `except KeyError:`.",
        )
    return Done(tuple(values()), returned, tuple(path.implications), path.notes)


def _said(error: BaseException) -> str:
    """What an exception says, in an author's words: values of the state are numbers, and an absent one is None."""
    # Addresses of objects differ from run to run; pytest puts them into what an assertion says.
    said = re.sub(r" at 0x[0-9a-f]+", "", str(error))
    for ours, theirs in (("'Number'", "'int'"), ("'Truth'", "'bool'")):
        said = said.replace(ours, theirs)
    if isinstance(error, TypeError | AttributeError) and "'NoneType'" in said:
        said += " (a Maybe without a value is None: test `is not None` first)"
    # What the package offers is known to the module that does, which imports this one.
    if isinstance(error, NameError) and error.name in sys.modules[__name__.rpartition(".")[0]].__all__:
        said += f" (write `from fenceproof.model import {error.name}`)"
    return said


def split(tree: Tree) -> dict[Choices, Tree]:
    """The tree of each combination of choices, without its forks; where a combination does not occur, not enabled."""
    match tree:
        case Fork():
            found: dict[Choices, Tree] = {}
            for position, (option, branch) in enumerate(zip(tree.options, tree.branches, strict=True)):
                for choices, rest in split(branch).items():
                    found[(Choice(tree.label, position, option), *choices)] = rest
            return found
        case Branch():
            then, other = split(tree.then), split(tree.other)
            return {c: Branch(tree.condition, tree.site, then.get(c), other.get(c)) for c in {**then, **other}}
        case None:
            return {}
        case Done() | Mistake():
            return {(): tree}


def sites(tree: Tree) -> dict[int, Site]:
    """Where each condition of a tree without forks is decided first, by its number; so are its denial and its parts."""
    found: dict[int, Site] = {}
    for branch in _branches(tree):
        if branch.site is not None:
            for part in (branch.condition, branch.condition.negation):
                for each in () if part is None else (part, *(part.args if part.op is Op.AND else ())):
                    found.setdefault(each.number, branch.site)
    return found


def _branches(tree: Tree) -> Iterator[Branch]:
    if isinstance(tree, Branch):
        yield tree
        yield from _branches(tree.then)
        yield from _branches(tree.other)


def trails(x: Expressions, tree: Tree, on_the_way: Expression) -> list[Trail]:
    """Each end of a tree without forks that is a step, and when it is come to: `on_the_way`, and all tests above it."""
    match tree:
        case Branch():
            then = trails(x, tree.then, x.conjoin((on_the_way, tree.condition)))
            return then + trails(x, tree.other, x.conjoin((on_the_way, x.negate(tree.condition))))
        case Done(notes=Notes() as notes):
            outcome = cast("str | None", tree.returned)
            return [Trail(on_the_way, outcome, frozenset(notes.lines), frozenset(notes.sides))]
        case Fork():
            raise AssertionError("forks are split off before")
        case _:
            return []


@dataclass(frozen=True, slots=True)
class Folded:
    """A tree without forks as expressions: where it is enabled, the values it leaves there, where it goes wrong."""

    guard: Expression
    values: Mapping[int, Expression]
    mistake: Expression


def fold(x: Expressions, tree: Tree, leaf: Callable[[Done], dict[int, Expression]], mistakes: list[Mistake]) -> Folded:
    """Fold a tree without forks; `leaf` gives the values of an end, under keys that all ends share."""
    match tree:
        case None:
            return Folded(x.false, {}, x.const(0))
        case Mistake():
            if tree not in mistakes:
                mistakes.append(tree)
            return Folded(x.true, {}, x.const(mistakes.index(tree) + 1))
        case Done():
            return Folded(x.true, leaf(tree), x.const(0))
        case Branch():
            then, other = fold(x, tree.then, leaf, mistakes), fold(x, tree.other, leaf, mistakes)
            return _join(x, tree.condition, then, other)
        case Fork():
            raise AssertionError("forks are split off before folding")


def _join(x: Expressions, condition: Expression, then: Folded, other: Folded) -> Folded:
    if other.guard is x.false:
        return Folded(x.conjoin((condition, then.guard)), then.values, then.mistake)
    if then.guard is x.false:
        return Folded(x.conjoin((x.negate(condition), other.guard)), other.values, other.mistake)
    guard = x.choose(condition, then.guard, other.guard)
    # A side that always goes wrong leaves nothing: the other side's values do for both.
    either = {**then.values, **other.values}
    left, right = then.values, other.values
    values: dict[int, Expression] = {}
    for key, value in either.items():
        a, b = left.get(key, value), right.get(key, value)
        # Most slots are the same on both sides.
        values[key] = a if a is b else x.choose(condition, a, b)
    return Folded(guard, values, x.choose(condition, then.mistake, other.mistake))
