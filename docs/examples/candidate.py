"""My own fence, before I code it: bump on timeout, but let a result that echoes no epoch through.

fenceproof check candidate.py                 # violated: malformed-rejected, and no-ghost with it
fenceproof check candidate.py:Strict          # holds
"""

from fenceproof.specs import Planner, Result


class Lenient(Planner):
    """Everything as in the fenced planner, except what a missing echo means."""

    def judge(self, call: int, result: Result) -> str:
        if result.epoch is None:
            return "commit" if self.record[call].committed is None else "reject:committed"
        return super().judge(call, result)


class Strict(Planner, echo="required", compensator_key="call", bump="before-send"):
    """The same design spelled out as knobs."""
