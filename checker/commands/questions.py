"""`fenceproof simulate --question`: the closing questions, each with its answers, right and wrong."""

from __future__ import annotations

from typing import Final

from fenceproof.model.errors import UsageError, nearest
from fenceproof.model.system import TransitionSystem
from fenceproof.specs.answers import Answering
from fenceproof.specs.questions import QUESTIONS, Answer, Case, Question
from rich.console import Console
from rich.padding import Padding
from rich.text import TextType

from ..questions import Examined, asked_of, examine, is_never_asked, search_for_question
from ..report.console import new_console
from ..report.plain import Text
from ..report.steps import print_trace
from ..report.violation import print_violation
from ..result import CheckResult

ALL: Final = "all"


def ask(name: str) -> int:
    """Ask one question, or all of them, and print what comes of each answer; the exit code."""
    questions = _chosen(name)
    console = new_console()
    shows = len(questions) == 1
    outcomes = [as_declared for question in questions for as_declared in _ask(console, question, shows_traces=shows)]
    if not shows:
        console.print("fenceproof simulate --question NAME shows the traces.")
    console.print(f"failed={outcomes.count(False)} / {len(outcomes)}")
    return 0 if all(outcomes) else 1


def _chosen(name: str) -> list[Question]:
    known = {question.name: question for question in QUESTIONS}
    wanted = name.replace("_", "-")
    if wanted == ALL:
        return list(QUESTIONS)
    if wanted not in known:
        raise UsageError(nearest(name, [*known, ALL], "The question"))
    return [known[wanted]]


def _ask(console: Console, question: Question, *, shows_traces: bool) -> list[bool]:
    """Whether each thing that was looked into came out as declared."""
    console.print(Text.assemble("QUESTION ", (question.name, "bold")))
    _say(console, question.text)
    outcomes = [_in_its_design(console, question, shows_traces=shows_traces)]
    if question.never_asked is not None:
        outcomes.append(_elsewhere(console, *question.never_asked))
    for answer in question.answers:
        console.print()
        console.print(Text.assemble("ANSWER ", (answer.name, "bold"), f": {answer.meaning}."))
        for case in answer.cases:
            examined = examine(question, case)
            console.print()
            _show(console, question, answer, case, examined)
            if examined.shown is not None and shows_traces:
                console.print()
                print_violation(console, examined.result.system, examined.shown)
            outcomes.append(not examined.problems)
    console.print()
    return outcomes


def _in_its_design(console: Console, question: Question, *, shows_traces: bool) -> bool:
    """Print how the question comes up in its design; whether it does."""
    name, planner = question.design
    system, trace = asked_of(planner, question)
    if shows_traces:
        console.print()
        _say(console, f"How it comes up in {name}, and what that does:")
        print_trace(console, system, trace)
    if question.breach is not None:
        _say(console, f"By then {question.breach} is violated already, which no answer mends.")
    if len(trace) < len(question.order):
        _problem(console, f"{question.order[len(trace)].name} cannot happen at its place")
    return len(trace) == len(question.order)


def _elsewhere(console: Console, name: str, planner: type[Answering]) -> bool:
    """Print that a planner never comes to a question; whether that is so."""
    result = search_for_question(planner)
    never = is_never_asked(result)
    if never:
        _say(console, f"It never comes up in {name} ({_searched(result)}).")
    else:
        _problem(console, f"it was never to come up in {name}, and does")
    return never


def _show(console: Console, question: Question, answer: Answer, case: Case, examined: Examined) -> None:
    fallen = [name for name in examined.falls if name != question.breach]
    beside = f" but {question.breach}" if question.breach in examined.falls else ""
    found = f"{', '.join(fallen)} {'falls' if len(fallen) == 1 else 'fall'}" if fallen else f"nothing falls{beside}"
    verdict = ("wrong", "bold red") if fallen else ("right", "bold green")
    condition = "if" if any(question.is_right(other) for other in answer.cases) else "even if"
    _say(console, Text.assemble(verdict, f" {condition} {case.when}: {found} ({_searched(examined.result)})."))
    for problem in examined.problems:
        _problem(console, problem)


def _searched(result: CheckResult) -> str:
    return f"{result.system.name}: {result.visited:,} states, under {_faults(result.system)}"


def _faults(system: TransitionSystem) -> str:
    off = [name for name, budget in system.faults.items() if budget == 0]
    on = [name for name, budget in system.faults.items() if budget != 0]
    if not off:
        return "every fault once"
    return f"every fault but {', '.join(off)} once" if len(off) < len(on) else f"{', '.join(on)} once each"


def _problem(console: Console, text: str) -> None:
    _say(console, Text.assemble(("not as declared: ", "bold red"), text))


def _say(console: Console, text: TextType) -> None:
    console.print(Padding(Text(text) if isinstance(text, str) else text, (0, 0, 0, 2), expand=False))
