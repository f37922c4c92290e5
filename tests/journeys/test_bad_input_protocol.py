"""What an author says wrongly of faults, safeguards, fairness and names: one message with its line, never a verdict."""

from __future__ import annotations

import json

import pytest
from command import fenceproof, model_file

#: A message that a fault may lose, with a safeguard, and two properties that need the whole search.
MODEL = """\
from fenceproof.model import *


class Mail(Model):
    def __init__(self, most: int = 3):
        self.sent, self.there = Bool(), Bool()
        self.copies = Range(0, most)

    @safeguard("room")
    def has_room(self):
        return self.copies < 3

    @action
    def send(self):
        require(not self.there and not self.sent and self.has_room())
        self.sent, self.copies = True, self.copies + 1

    @action
    def deliver(self):
        require(self.sent)
        self.sent, self.there = False, True

    @fault("loss", budget=1)
    @action
    def lose(self):
        require(self.sent)
        self.sent = False

    @eventually(fair=["*"])
    def arrives(self):
        return self.there

    @leads_to(fair=["*"])
    def answered(self):
        return self.sent, self.there

    @quiescent
    def nothing_under_way(self):
        return not self.sent

    @terminal
    def anywhere(self):
        return True
"""


def written(old: str, new: str) -> None:
    """The model with one thing said otherwise, as mine.py."""
    assert MODEL.count(old) == 1, old
    model_file(MODEL.replace(old, new))


def line_of(text: str) -> int:
    """The line of the model that begins with this."""
    return next(n for n, line in enumerate(MODEL.splitlines(), start=1) if line.strip().startswith(text))


def test_the_model_that_is_spoilt_below_is_sound_before() -> None:
    model_file(MODEL)
    ran = fenceproof("check", "mine.py", "--quiet")
    assert (ran.code, ran.out, ran.err) == (0, "mine.py: holds\n", "")


NEAREST = "the action 'delivr' is not known. Did you mean deliver?"


@pytest.mark.parametrize(
    ("decorator", "fair", "words"),
    [
        ("eventually", '["delivr"]', f"In the fairness of arrives, {NEAREST}\n"),
        ("leads_to", '["*", strong("delivr")]', f"In the fairness of answered, {NEAREST}\n"),
        (
            "leads_to",
            '["x"]',
            "In the fairness of answered, the action 'x' is not known. There is: deliver, lose, send.",
        ),
        ("eventually", '["lose"]', "arrives is fair to lose, which is a fault.\n    A fault may always happen never."),
    ],
)
def test_a_fairness_to_what_is_no_action_is_refused_with_the_nearest(decorator: str, fair: str, words: str) -> None:
    written(f'@{decorator}(fair=["*"])', f"@{decorator}(fair={fair})")
    message = fenceproof("check", "mine.py").message
    assert message.startswith(f"fenceproof: mine.py:{line_of(f'@{decorator}')}: {words}")


@pytest.mark.parametrize(
    ("fair", "words"),
    [
        ('"send"', "fair= is given the text 'send'.\n    Write fair=['send']."),
        ("[3]", "fair= lists 3.\n    List names of actions"),
        ("[weak(3)]", "fair= lists Fair(action=3, is_strong=False).\n    List names of actions"),
        ("[send]", "fair= lists the function send.\n    List names of actions"),
        ("send", "fair= is given the function send.\n    List names of actions"),
    ],
)
def test_a_fairness_that_is_no_list_of_names_is_refused(fair: str, words: str) -> None:
    written('@eventually(fair=["*"])', f"@eventually(fair={fair})")
    message = fenceproof("check", "mine.py").message
    assert message.startswith(f"fenceproof: mine.py:{line_of('@eventually')}: ")
    assert words in message


@pytest.mark.parametrize(
    ("name", "limit"),
    [("arrives", ["--max-states", "2"]), ("answered", ["--memory", "10"]), ("answered", ["--time", "1e-9"])],
)
def test_of_a_part_of_the_states_liveness_is_inconclusive(name: str, limit: list[str]) -> None:
    model_file(MODEL)
    ran = fenceproof("check", "mine.py", "--property", name, "--json", *limit)
    found = json.loads(ran.out)
    assert (ran.code, ran.err, found["verdict"]) == (3, "", "inconclusive")
    assert [(p["name"], p["verdict"], p["trace"]) for p in found["properties"]] == [(name, "inconclusive", None)]
    assert found["stopped"] is not None
    assert "Holds: " not in found["claim"]


@pytest.mark.parametrize(
    "budget",
    ["loss=-1", "loss=999999", "loss=1e3", f"loss={'9' * 5000}"],
    ids=lambda text: text[:12],
)
def test_a_budget_on_the_command_line_that_is_none_is_refused(budget: str) -> None:
    model_file(MODEL)
    message = fenceproof("check", "mine.py", "--faults", budget).message
    assert message == (f"fenceproof: {budget} is not a budget. Write a number from 0 to 1000, or loss=unlimited.\n")


@pytest.mark.parametrize("most", ["-1", "1001"])
def test_a_number_of_faults_in_all_that_is_none_is_refused(most: str) -> None:
    model_file(MODEL)
    message = fenceproof("check", "mine.py", "--most-faults", most).message
    assert message == f"fenceproof: --most-faults {most} is not a number from 0 to 1000.\n"


@pytest.mark.parametrize("memory", ["9" * 19, f"{'9' * 5000}G"], ids=["long", "longer than Python reads"])
def test_a_memory_that_no_machine_has_is_refused(memory: str) -> None:
    model_file(MODEL)
    assert f"--memory {memory} is not a size." in fenceproof("check", "mine.py", "--memory", memory).message


@pytest.mark.parametrize(
    ("budget", "faults"),
    [("-1", "all"), ("1001", "all"), ("10**9", "none"), ("10**9", "loss=2"), ("True", "all"), ("'2'", "all")],
)
def test_a_budget_in_the_model_that_is_none_is_refused_whatever_the_faults(budget: str, faults: str) -> None:
    written('@fault("loss", budget=1)', f'@fault("loss", budget={budget})')
    message = fenceproof("check", "mine.py", "--faults", faults).message
    shown = "1000000000" if budget == "10**9" else budget
    assert message == (
        f"fenceproof: mine.py:{line_of('@fault')}: the budget of the fault 'loss' is {shown}.\n"
        "    Give a whole number from 0 to 1000, or None for no limit.\n"
    )


@pytest.mark.parametrize("budget", ["0", "1000", "None"])
def test_the_budgets_at_the_edge_are_budgets(budget: str) -> None:
    written('@fault("loss", budget=1)', f'@fault("loss", budget={budget})')
    ran = fenceproof("check", "mine.py", "--quiet", "--property", "nothing_under_way")
    assert (ran.code, ran.out) == (0, "mine.py: holds\n")


def test_two_safeguards_of_one_name_are_refused_with_both_places() -> None:
    first = line_of("@safeguard")
    second = MODEL.count("\n") + 2
    model_file(MODEL + '\n    @safeguard("room")\n    def is_small(self):\n        return self.copies < 2\n')
    message = fenceproof("check", "mine.py", "--without", "room").message
    assert message == (
        f"fenceproof: mine.py:{second}: two safeguards are named room, at mine.py:{first} and mine.py:{second}.\n"
        "    Give each a name of its own.\n"
    )


def test_a_second_safeguard_of_the_name_in_a_subclass_is_refused_too() -> None:
    below = '\n\nclass More(Mail):\n    @safeguard("room")\n    def is_small(self):\n        return self.copies < 2\n'
    model_file(MODEL + below)
    assert "two safeguards are named room, at mine.py:" in fenceproof("check", "mine.py:More").message
    assert fenceproof("check", "mine.py:Mail", "--quiet").code == 0


@pytest.mark.parametrize(
    "body",
    [
        '    @safeguard("room")\n    def has_room(self):\n        return self.copies < 2\n',
        "    has_space = Mail.has_room\n",
    ],
    ids=["override", "second name"],
)
def test_an_override_of_a_safeguard_is_the_same_safeguard(body: str) -> None:
    model_file(f"{MODEL}\n\nclass More(Mail):\n{body}")
    ran = fenceproof("check", "mine.py:More", "--quiet")
    assert (ran.code, ran.out, ran.err) == (0, "mine.py:More: holds\n", "")


ROLES = {
    "invariant": ("@invariant(name={!r})", "self", "True"),
    "step_property": ("@step_property(name={!r})", "self, step", "True"),
    "quiescent": ("@quiescent(name={!r})", "self", "True"),
    "eventually": ("@eventually(name={!r})", "self", "self.there"),
    "leads_to": ("@leads_to(name={!r})", "self", "(self.sent, self.there)"),
}


def prop(role: str, name: str, method: str) -> str:
    """A property of a role, under a name."""
    mark, takes, answer = ROLES[role]
    return f"\n    {mark.format(name)}\n    def {method}({takes}):\n        return {answer}\n"


@pytest.mark.parametrize(
    ("first", "second"),
    [("invariant", other) for other in ROLES] + [("step_property", "eventually"), ("leads_to", "quiescent")],
)
def test_two_properties_of_one_name_are_refused_with_both_places(first: str, second: str) -> None:
    model_file(MODEL + prop(first, "one_name", "a") + prop(second, "one-name", "b"))
    at = MODEL.count("\n") + 2
    message = fenceproof("check", "mine.py").message
    assert message == (
        f"fenceproof: mine.py:{at + 4}: two properties are named one-name, at mine.py:{at} and mine.py:{at + 4}.\n"
        "    Give each a name of its own.\n"
    )


@pytest.mark.parametrize("name", ["no-deadlock", "no_deadlock"])
@pytest.mark.parametrize("role", ROLES)
def test_no_property_takes_the_name_of_the_one_that_finds_deadlocks(role: str, name: str) -> None:
    model_file(MODEL + prop(role, name, "a"))
    message = fenceproof("check", "mine.py").message
    assert message.startswith(f"fenceproof: mine.py:{MODEL.count(chr(10)) + 2}: the property {name} has the name of ")
