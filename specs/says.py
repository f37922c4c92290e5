"""What stories of the protocol say of its steps: sentences by outcome, with arguments and epochs to be filled in."""

from __future__ import annotations

from typing import Final, TypeAlias

#: A sentence by outcome, None for any other.
Says: TypeAlias = dict[str | None, str]

PLANNER: Final = "the planner"
SECOND_PLANNER: Final = "the second planner"
#: What comes of a message that is delivered twice, a result or a request.
AGAIN: Final = "; it will be delivered once more"
AGAIN_REQUEST: Final = "; the request will be delivered once more"
#: The epoch that the outbox holds after a step.
_EPOCH: Final = "{outbox[call].epoch}"


#: The outbox sends what its epoch holds.
SENDS: Final[Says] = {
    "tool": f"The planner sends call {{call}} to the tool in epoch {_EPOCH}",
    "compensate": f"The planner sends the compensation of call {{call}} in epoch {_EPOCH}",
    None: f"The planner sends call {{call}} and its compensation in epoch {_EPOCH}",
}


def fires(what: str) -> Says:
    """A deadline fires; `what` says whose, and how."""
    return {
        "bump": f"{what}, and opens epoch {_EPOCH}",
        "open": f"{what}, and opens epoch {_EPOCH}, which the record does not hold yet",
        "ignored": f"{what}, and changes nothing, since the call is committed",
        "refused": f"{what}, and no epoch is opened any more",
        None: what,
    }


def saves(planner: str) -> str:
    """A planner writes the epoch that it has in memory only."""
    return (
        f"Now {planner} writes the epoch of call {{call}} to the record, in which epoch {{record[call].live}} is live"
    )


def executes(answer: str, again: str = "") -> Says:
    """The tool takes a request and answers."""
    what = "call {call}, sent in epoch {epoch}"
    return {
        "executed": f"The tool executes {what}, and {answer}{again}",
        "refused": f"The fence at the effect refuses {what}{again}",
    }


def compensates(again: str = "") -> str:
    """The compensator takes a request and answers."""
    return f"The compensator is asked in epoch {{epoch}} to undo call {{call}}, and answers{again}"


def result(planner: str, again: str = "") -> Says:
    """A result of the tool reaches a planner, which commits it or not."""
    return _reaches(f"The tool's {{kind}} for call {{call}} in epoch {{epoch}} reaches {planner}", again)


def compensated(planner: str, again: str = "") -> Says:
    """The compensator's result reaches a planner, which commits it or not."""
    return _reaches(f"The compensator's result for call {{call}} in epoch {{epoch}} reaches {planner}", again)


def _reaches(what: str, again: str) -> Says:
    return {
        "commit": f"{what} and is committed{again}",
        "reject:stale": f"{what} and is rejected as stale{again}",
        "reject:malformed": f"{what} and is rejected as malformed{again}",
        "reject:committed": f"{what} and is rejected, since the call is committed{again}",
        None: f"{what}{again}",
    }


def loses(what: str) -> str:
    """A message is lost."""
    return f"The {{kind}} message of call {{call}} in epoch {{epoch}} is lost on {what}"


def restarts(planner: str) -> str:
    """A planner crashes."""
    return f"{planner[0].upper()}{planner[1:]} of call {{call}} crashes, and starts again from the record"
