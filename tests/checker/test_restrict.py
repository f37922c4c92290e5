"""A system with fewer faults is the one that is lifted with fewer."""

from __future__ import annotations

import itertools

import pytest
from asked import Base
from fenceproof.checker.restrict import restrict
from fenceproof.model import Bool, Range, Step, action, after_fault, eventually, fault, require, step_property
from fenceproof.model.budgets import Settings
from fenceproof.model.lift import lift
from fenceproof.model.system import TransitionSystem


class Post(Base):
    """A letter that may be lost, doubled, and sent again; the second fault needs the first."""

    def __init__(self) -> None:
        self.under_way = Range(0, 2)
        self.lost = Bool()

    @action
    def send(self) -> None:
        require(self.under_way == 0)
        self.under_way = 1

    @fault("loss")
    @action
    def lose(self) -> None:
        require(self.under_way > 0)
        self.under_way = 0
        self.lost = True

    @after_fault("loss")
    @action
    def send_again(self) -> None:
        require(self.lost)
        self.lost = False

    @fault("double", budget=2)
    @action
    def double(self) -> None:
        require(self.under_way == 1)
        self.under_way = 2

    @fault("echo", budget=None)
    @after_fault("double")
    @action
    def echo(self) -> None:
        require(self.under_way == 2)

    @step_property
    def one_at_a_time(self, step: Step) -> bool:
        return step.action != "send_again" or step.before.lost

    @eventually(fair=["send", "send_again"])
    def quiet(self) -> bool:
        return self.under_way == 0


def described(system: TransitionSystem) -> dict[str, object]:
    names = [t.action for t in system.transitions]
    return {
        "actions": names,
        "faults": dict(system.faults),
        "judgements": [len(p.judgements) for p in system.step_properties],
        "judged": [n for n, j in zip(names, system.step_properties[0].judgements, strict=True) if not j.holds.is_const],
        "fair": [(f.name, [names[t] for t in f.transitions]) for f in system.liveness[0].fairness],
    }


SETS = [set(chosen) for n in range(4) for chosen in itertools.combinations(("loss", "double", "echo"), n)]


@pytest.mark.parametrize("faults", SETS, ids=lambda faults: "+".join(sorted(faults)) or "none")
def test_leaving_faults_out_of_a_system_is_lifting_the_model_without_them(faults: set[str]) -> None:
    restricted = restrict(lift(Post()), faults)
    assert described(restricted) == described(lift(Post(), Settings(only=frozenset(faults))))


def test_what_follows_a_fault_goes_with_it_and_so_does_its_share_of_fairness() -> None:
    found = described(restrict(lift(Post()), {"double"}))
    assert found["actions"] == ["send", "double"]
    assert found["fair"] == [("send()", ["send"])]
    assert found["faults"] == {"loss": 0, "double": 2, "echo": 0}
