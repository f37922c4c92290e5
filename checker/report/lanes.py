"""Who takes part in each transition of a system, for drawings; also where its author does not say so."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from fenceproof.model.constants import choice_json
from fenceproof.model.kinds import SequenceKind
from fenceproof.model.lanes import Hop
from fenceproof.model.system import Transition, TransitionSystem


@dataclass(frozen=True, slots=True)
class Cast:
    """The lanes of a system. Where an author names none for an action, it happens in a lane of its own.

    `names` are all lanes, in the order in which the model's actions name them. `owners` gives, for an action without
    lanes, the argument that says whose it is, if there is one.
    """

    system: TransitionSystem
    names: tuple[str, ...]
    owners: dict[str, str]

    @classmethod
    def of(cls, system: TransitionSystem) -> Cast:
        """The lanes of a system."""
        owners = _owners(system)
        cast = cls(system, (), owners)
        # None besides: where a model goes wrong there is no outcome.
        used = ((t, outcome) for t in system.transitions for outcome in (*t.outcomes, None))
        found = dict.fromkeys(lane for t, o in used for hop in cast.hops(t, o) for lane in (hop.sender, hop.receiver))
        return cls(system, tuple(found), owners)

    def hops(self, transition: Transition, outcome: str | None) -> tuple[Hop, ...]:
        """Who hands on to whom where a transition has this outcome; there is always somebody."""
        said = transition.lanes.hops(transition.args, outcome) if transition.lanes is not None else ()
        return said or (self._default(transition),)

    def _default(self, transition: Transition) -> Hop:
        owner = self.owners.get(transition.action)
        lane = self.system.name if owner is None else f"{owner} {transition.args[owner]}"
        return Hop(lane, lane, is_first=True, is_last=True)

    def ordered(self, used: Iterable[str]) -> tuple[str, ...]:
        """Those lanes that are used, in the order of `names`, so that each drawing of a model has the same order."""
        chosen = set(used)
        return tuple(name for name in self.names if name in chosen)


def _owners(system: TransitionSystem) -> dict[str, str]:
    """For each action its first argument that says in which place of an array or a map it happens."""
    places = [
        {_key(choice_json(key)) for key in v.kind.keys} for v in system.variables if isinstance(v.kind, SequenceKind)
    ]
    values: dict[str, dict[str, set[str]]] = {}
    for transition in system.transitions:
        of_action = values.setdefault(transition.action, {})
        for name, value in transition.arguments:
            of_action.setdefault(name, set()).add(_key(value))
    found: dict[str, str] = {}
    for action, arguments in values.items():
        owner = next((name for name, given in arguments.items() if any(given <= keys for keys in places)), None)
        if owner is not None:
            found[action] = owner
    return found


def _key(value: object) -> str:
    """A value that equals no value of another type: 1 is not True."""
    return repr(value)
