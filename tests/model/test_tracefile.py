"""A trace file is read as it was written; anything else is refused with the place and the reason, whatever it is."""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fenceproof.model import Model, Range, action, choose
from fenceproof.model.budgets import Settings
from fenceproof.model.errors import FormatError
from fenceproof.model.lift import lift
from fenceproof.model.step import enabled, take
from fenceproof.model.system import TransitionSystem
from fenceproof.model.trace import Trace, replay, to_json
from fenceproof.model.tracefile import TraceFile, read, resolve
from fenceproof.model.untrusted import MOST_BYTES
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mail import Mail
from toys import clock, counter

ALWAYS = settings(
    max_examples=300,
    deadline=None,
    derandomize=True,  # each example writes its file anew, in the folder of its test
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


@functools.cache
def mail() -> TransitionSystem:
    return lift(Mail())


def walk(system: TransitionSystem, choices: list[int]) -> Trace:
    """The trace that takes, in each state, the enabled transition that a number picks."""
    states, taken = [system.initial[0]], list[int]()
    for number in choices:
        possible = enabled(system, states[-1])
        if not possible:
            break
        taken.append(possible[number % len(possible)])
        after = take(system.transitions[taken[-1]], states[-1]).state
        assert after is not None
        states.append(after)
    return Trace(tuple(states), tuple(taken))


def written(text: str | bytes) -> TraceFile:
    Path("trace.json").write_bytes(text.encode() if isinstance(text, str) else text)
    return read(Path("trace.json"))


def document() -> dict[str, Any]:
    """A valid trace file of three steps: two letters are sent, of which one is delivered."""
    valid: dict[str, Any] = json.loads(json.dumps(to_json(mail(), walk(mail(), [0, 2, 3]), "mail.py", "never_unread")))
    return valid


def refused(text: str | bytes) -> str:
    """The message with which a file is refused, by itself or on the model."""
    with pytest.raises(FormatError) as caught:
        resolve(mail(), written(text))
    return str(caught.value)


@ALWAYS
@given(st.lists(st.integers(0, 9), max_size=12))
def test_a_trace_comes_back_as_it_was_written(choices: list[int]) -> None:
    trace = walk(mail(), choices)
    file = written(json.dumps(to_json(mail(), trace, "mail.py", None)))
    assert resolve(mail(), file) == trace
    assert (file.target, file.model, file.parameters) == ("mail.py", "Mail", {"boxes": 2})
    assert (file.faults, file.most_faults, file.without, file.property) == ({"loss": 1}, None, (), None)


def test_a_lasso_comes_back_with_its_loop() -> None:
    lasso = Trace(((0,), (1,), (0,)), (0, 0), loop=0)
    assert resolve(clock(), written(json.dumps(to_json(clock(), lasso, "toy", "moves")))) == lasso


def test_a_choice_is_told_from_an_argument_of_the_same_name() -> None:
    class M(Model):
        def __init__(self) -> None:
            self.n = Range(0, 99)

        @action(choice=(1, 2))
        def go(self, choice: int) -> None:
            self.n = 10 * choice + choose([1, 2]) + choose([3, 4], label="n2") * choose([1, 2], label="n2")

    system = lift(M())
    assert system.transitions[0].args == {"choice": 1, "choice2": 1, "n2": 3, "n22": 1}
    assert len({json.dumps(t.args) for t in system.transitions}) == len(system.transitions) == 16
    for position, transition in enumerate(system.transitions):
        after = take(transition, (0,)).state
        assert after is not None
        trace = Trace(((0,), after), (position,))
        assert resolve(system, written(json.dumps(to_json(system, trace, "m.py", None)))) == trace


def _set(*place: Any) -> Callable[[Any], None]:
    """A change of the document: the last of `place` is put where the rest of it leads."""

    def change(document: Any) -> None:
        *path, last, value = place
        for key in path:
            document = document[key]
        document[last] = value

    return change


CHANGES: dict[str, tuple[Callable[[Any], Any], str]] = {
    "another format": (_set("format", "itf"), "its format is 'itf', not 'fenceproof-trace'"),
    "no format": (lambda d: d.pop("format"), "its format is None"),
    "another version": (_set("version", 2), "has version 2, and this program reads version 1"),
    "a version that is a truth value": (_set("version", True), "has version True"),
    "no version": (lambda d: d.pop("version"), "has version None"),
    "a key too many": (_set("loops", None), "The key 'loops' is not known. Did you mean loop?"),
    "a key too few": (lambda d: d.pop("loop"), "the trace has no 'loop'"),
    "a number for the target": (_set("target", 3), "has 3 for 'target', which it cannot be"),
    "a list for the parameters": (_set("parameters", []), "has [] for 'parameters'"),
    "text for the steps": (_set("steps", "none"), "has 'none' for 'steps'"),
    "a truth value for the loop": (_set("loop", True), "has True for 'loop'"),
    "a loop outside": (_set("loop", 4), "the loop goes back to state 4, and there are 4 states"),
    "a loop below": (_set("loop", -1), "the loop goes back to state -1"),
    "a loop that is none": (_set("loop", 0), "the last state is not the state that the loop goes back to"),
    "a budget below nothing": (_set("faults", "loss", -1), "the budget of 'loss' is -1"),
    "a budget that is text": (_set("faults", "loss", "1"), "the budget of 'loss' is '1'"),
    "numbers for the safeguards": (_set("without", [1]), "a list of safeguards' names"),
    "a step that is none": (_set("steps", 1, None), "step 2 is not an object"),
    "a step without its state": (lambda d: d["steps"][2].pop("state"), "step 3 has no 'state'"),
    "a step's action that is a number": (_set("steps", 0, "action", 1), "step 1 has 1 for 'action'"),
    "an unknown action": (
        _set("steps", 0, "action", "sent"),
        "step 1: The action 'sent' is not known. Did you mean send or lose?",
    ),
    "an unknown argument": (_set("steps", 0, "args", {"too": 1}), 'step 1: send is never taken with {"too": 1}'),
    "an argument's value that is none": (_set("steps", 0, "args", "to", 7), 'with {"to": 7, "tone": "kind"}'),
    "a truth value for a number": (_set("steps", 0, "args", "to", False), 'with {"to": false, "tone": "kind"}'),
    "a step that is not enabled": (
        lambda d: d["steps"].insert(1, d["steps"][0]),
        "step 2: send is not enabled there, so",
    ),
    "another state": (_set("steps", 0, "state", "read", [0, 2]), "step 1: send does not lead to the state"),
    "a value outside its kind": (_set("steps", 0, "state", "read", [0, 3]), "read: 3 is not a value of Range(0, 2)"),
    "a variable too many": (
        _set("steps", 0, "state", "lost", 1),
        "The variable 'lost' is not known. Did you mean last?",
    ),
    "a variable too few": (lambda d: d["steps"][0]["state"].pop("last"), "there is no value of the variable last"),
    "another outcome": (_set("steps", 0, "outcome", "lost"), "step 1: send has the outcome 'first' in the model"),
    "a fault that is none": (_set("steps", 0, "fault", "loss"), "step 1: send is no fault in the model"),
    "another start": (_set("initial", "read", [0, 1]), "a state that is not an initial state"),
    "a start without a variable": (lambda d: d["initial"].clear(), "no value of the variable last"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_document_with_one_thing_wrong_is_refused_for_that(name: str) -> None:
    change, words = CHANGES[name]
    changed = document()
    change(changed)
    assert words in refused(json.dumps(changed))


VALID = json.dumps(document(), indent=1)
TEXTS: dict[str, tuple[str | bytes, str]] = {
    "nothing": ("", "trace.json:1: not JSON (Expecting value); the file may be cut short"),
    "half of it": (VALID[: len(VALID) // 2], "; the file may be cut short"),
    "prose": ("Dear reader,", "trace.json:1: not JSON"),
    "a list": ("[]", "trace.json: a trace is a JSON object, and this is not one"),
    "a number": ("1", "a trace is a JSON object"),
    "no text": (b"\xff\xfe\x00", "trace.json: this is not text"),
    "a key twice": (VALID.replace('"loop"', '"model"'), "the key 'model' stands twice in one object"),
    "a variable twice": (VALID.replace('"last"', '"read"', 1), "the key 'read' stands twice"),
    "no number": (VALID.replace('"loop": null', '"loop": NaN'), "NaN is not a whole number"),
    "infinity": (VALID.replace('"loop": null', '"loop": -Infinity'), "-Infinity is not a whole number"),
    "a fraction": (VALID.replace('"boxes": 2', '"boxes": 2.0'), "2.0 is not a whole number"),
    "a power": (VALID.replace('"loop": null', '"loop": 1e999'), "1e999 is not a whole number"),
    "a huge number": (
        VALID.replace('"loop": null', f'"loop": {"9" * 5000}'),
        "the number 99999999999999999999… is larger",
    ),
    "a large number": (
        VALID.replace('"loop": null', f'"loop": {2**62}'),
        "the loop goes back to state 4611686018427387904",
    ),
    "huge nesting": ("[" * 100_000, "nested too deeply"),
    "nesting that Python can read": (
        VALID.replace('"last": null', f'"last": {"[" * 900}{"]" * 900}', 1),
        "nested too deeply",
    ),
    "nesting in arguments": (VALID.replace('"to": 0', f'"to": {"[" * 400}{"]" * 400}', 1), "nested too deeply"),
    "a million steps": (
        VALID.replace('"steps": [', '"steps": [' + "{}," * 1_000_000),
        "has 1,000,003 steps; at most 100,000",
    ),
    "a very long name": (VALID.replace('"send"', f'"{"s" * 10**6}"', 1), "…' is not known"),
    "a very long value": (VALID.replace('"last": null', f'"last": "{"s" * 10**6}"', 1), "… has no to"),
}


@pytest.mark.parametrize("name", TEXTS)
def test_a_text_that_is_no_trace_is_refused_in_a_short_message(name: str) -> None:
    text, words = TEXTS[name]
    message = refused(text)
    assert words in message
    assert len(message) < 400


def test_a_file_that_cannot_be_read_is_refused() -> None:
    Path("folder.json").mkdir()
    os.mkfifo("pipe.json")
    with pytest.raises(FormatError, match=r"^none\.json: the file cannot be read: No such file"):
        read(Path("none.json"))
    for name, what in (("folder.json", "a folder"), ("pipe.json", "a pipe"), ("/dev/zero", "a device")):
        with pytest.raises(FormatError, match=f"^{name}: this is {what}, and a trace is a file"):
            read(Path(name))


def test_a_file_that_is_too_long_is_refused() -> None:
    Path("long.json").touch()
    os.truncate("long.json", MOST_BYTES + 1)
    with pytest.raises(FormatError, match="too long for a trace; at most 67,108,864 bytes"):
        read(Path("long.json"))


def test_a_trace_of_another_model_or_of_other_parameters_or_faults_is_refused() -> None:
    file = written(VALID)
    others = {
        "The variable 'last' is not known. There is: n.": counter(3),
        "read: [0, 0] is not a value of Array(1, Range(0, 2))": lift(Mail(boxes=1)),
        "The variable 'spent loss' is not known. There is: last, read, under_way.": lift(
            Mail(), Settings(only=frozenset())
        ),
    }
    for words, system in others.items():
        with pytest.raises(FormatError) as caught:
            resolve(system, file)
        assert words in str(caught.value)


JUNK: st.SearchStrategy[Any] = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(-2, 2), st.sampled_from([2**63, -(2**70), 0.5, float("nan"), "", "send"])
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=2), st.dictionaries(st.sampled_from(["to", "tone"]), inner)),
    max_leaves=3,
)


def _places(value: Any) -> list[tuple[Any, Any]]:
    """Every place in a document: a list or an object, and a key of it."""
    if not hasattr(value, "clear"):
        return []
    keys = list(value) if hasattr(value, "keys") else range(len(value))
    return [place for key in keys for place in ((value, key), *_places(value[key]))]


@st.composite
def mutations(draw: Any) -> Any:
    """The valid document with one or two of its parts replaced, taken out, or put in twice."""
    changed = document()
    for _ in range(draw(st.integers(1, 2))):
        holder, key = draw(st.sampled_from(_places(changed)))
        match draw(st.integers(0, 3)):
            case 0:
                del holder[key]
            case 1 if hasattr(holder, "insert"):
                holder.insert(key, holder[key])
            case _:
                holder[key] = draw(JUNK)
    return changed


def _believed_only_if_it_replays(text: str | bytes) -> None:
    refusal, trace = "", None
    try:
        trace = resolve(mail(), written(text))
    except FormatError as error:
        refusal = str(error)
    assert len(refusal) < 400
    assert bool(refusal) if trace is None else replay(mail(), trace) is None


@ALWAYS
@given(mutations())
def test_a_mutated_document_is_refused_or_is_a_trace(changed: Any) -> None:
    _believed_only_if_it_replays(json.dumps(changed))


@ALWAYS
@given(st.integers(0, len(VALID)), st.integers(0, 3), st.binary(max_size=3))
def test_a_file_with_bytes_changed_is_refused_or_is_a_trace(at: int, gone: int, put: bytes) -> None:
    raw = VALID.encode()
    _believed_only_if_it_replays(raw[:at] + put + raw[at + gone :])
