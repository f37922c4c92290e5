"""A gate as a model file: a lock and a bolt, of which one is enough, and a lamp that nobody needs."""

from __future__ import annotations

GATE = """
from enum import Enum
from typing import Literal

from fenceproof.model import Model, Range, Step, action, fault, require, safeguard, step_property, terminal


class Paint(Enum):
    RED = 1
    BLUE = 2


class Gate(Model):
    \"\"\"Nobody goes through a gate that was hit.\"\"\"

    def __init__(self, most: int = 1) -> None:
        self.most = most
        self.through = Range(0, most)
        self.hit = Range(0, 1)

    @safeguard("lock")
    def is_locked_open(self) -> bool:
        return self.hit == 0

    @safeguard("bolt")
    def is_bolted_open(self) -> bool:
        return self.hit == 0

    @safeguard("lamp")
    def is_lit(self) -> bool:
        return self.hit == 0

    @fault("blow")
    @action
    def blow(self) -> None:
        require(self.hit == 0)
        self.hit = 1

    @action
    def go(self) -> str:
        require(self.through < self.most)
        require(self.is_locked_open() and self.is_bolted_open())
        self.through += 1
        return "lit" if self.is_lit() else "dark"

    @step_property(name="whole")
    def whole(self, step: Step) -> bool:
        return step.action != "go" or step.before.hit == 0

    @step_property(name="seldom")
    def seldom(self, step: Step) -> bool:
        return step.after.through <= 1

    @terminal
    def rests(self) -> bool:
        return True
"""
