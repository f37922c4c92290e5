"""Obligations say what they should: solvers compute as the interpreter does, and what is not proved is refused."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from certificates import ask_solver, reachable
from fenceproof.checker.certificate.asking import Answer, Child, Said, ask_solvers
from fenceproof.checker.certificate.document import Proved, certificate
from fenceproof.checker.certificate.nodes import Nodes
from fenceproof.checker.certificate.solvers import INSTALL, SOLVERS, Solver
from fenceproof.checker.certificate.words import Reader, shown
from fenceproof.checker.engines.explicit import check
from fenceproof.checker.verdict import Verdict
from fenceproof.model.errors import FormatError
from fenceproof.model.expressions import Expression, Op, apply
from fenceproof.model.kinds import BoolKind, RangeKind
from fenceproof.model.layout import Slot
from fenceproof.model.lift import lift
from fenceproof.model.system import DEADLOCK, TransitionSystem
from random_models import random_model
from toys import Builder, counter, graph


def names(system: TransitionSystem) -> list[str]:
    return [*(p.name for p in system.step_properties), *(i.name for i in system.invariants), DEADLOCK]


def exactly_reachable(system: TransitionSystem) -> Expression:
    x = system.expressions

    def holds(position: int, value: int) -> Expression:
        slot = system.slots[position]
        here = x.slot(position, slot.lo, slot.hi, is_bool=slot.is_bool)
        return x.equal(here, x.truth(bool(value)) if slot.is_bool else x.const(value))

    return x.disjoin(x.conjoin(holds(n, v) for n, v in enumerate(state)) for state in reachable(system))


def said(system: TransitionSystem, wanted: list[str], conjuncts: list[Expression], solver: str) -> Answer:
    _, (obligations,) = certificate("toy", [Proved(system, wanted, conjuncts)])
    return ask_solver(SOLVERS[solver], obligations, 60.0)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("op", [Op.ADD, Op.SUB, Op.MUL, Op.DIV, Op.MOD, Op.LT, Op.EQ], ids=lambda op: op.value)
def test_solvers_compute_as_the_interpreter_does(op: Op, solver: str) -> None:
    b = Builder({"a": RangeKind(-5, 4), "b": RangeKind(-3, 3), "r": RangeKind(-30, 30)})
    x, (left, right, result) = b.x, (b.slot(n) for n in range(3))
    make: dict[Op, Callable[[Expression, Expression], Expression]] = {
        Op.ADD: x.add,
        Op.SUB: x.subtract,
        Op.MUL: x.multiply,
        Op.DIV: x.divide,
        Op.MOD: x.modulo,
        Op.LT: lambda p, q: x.number(x.less(p, q)),
        Op.EQ: lambda p, q: x.number(x.equal(p, q)),
    }
    right_value = x.equal(result, make[op](left, right))
    b.always("computed", right_value)
    states = [(p, q, apply(op, (p, q))) for p in range(-5, 5) for q in range(-3, 4)]
    assert said(b.build(states), ["computed"], [right_value], solver).said is Said.ACCEPTED
    p, q, r = states[17]
    assert said(b.build([*states, (p, q, r + 1)]), ["computed"], [right_value], solver).reason.startswith("initial ")


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_step_that_goes_wrong_is_refused_and_one_that_is_never_reached_is_not(solver: str) -> None:
    system = counter(3, wrong_at=2)
    x, n = system.expressions, system.expressions.slot(0, 0, 3, is_bool=False)
    answer = said(system, ["small"], [x.less(n, x.const(3))], solver)
    assert (answer.said, answer.reason.partition(" (")[0]) == (Said.REFUSED, "step 0")
    assert said(counter(3), ["small"], [], solver).said is Said.REFUSED
    safe = graph([(0, 1), (1, 0), (2, 3)], bad=[3])
    node = safe.expressions.slot(0, 0, 3, is_bool=False)
    assert said(safe, ["fine"], [safe.expressions.less(node, safe.expressions.const(2))], solver).said is Said.ACCEPTED


@pytest.mark.parametrize("solver", SOLVERS)
def test_leaving_a_range_is_refused_where_the_model_does_not_say_that_it_is_a_mistake(solver: str) -> None:
    b = Builder({"n": RangeKind(0, 3)})
    b.act("up", b.x.true, {0: b.x.add(b.slot(0), b.x.const(1))})
    b.always("fine", b.x.true)
    assert said(b.build([(0,)]), ["fine"], [], solver).reason.startswith("step 0 ")


def test_the_reachable_states_prove_what_the_explicit_engine_finds_to_hold() -> None:
    proved = refused = 0
    for seed in range(24):
        system = lift(random_model(seed))
        result = check(system)
        if result.wrong is not None or result.visited > 100:
            continue  # it goes wrong, or has too many states to be written down
        solver = list(SOLVERS)[seed % len(SOLVERS)]
        invariant = exactly_reachable(system)
        fallen = [p.name for p in result.properties if p.verdict is Verdict.VIOLATED and p.name in names(system)]
        held = [name for name in names(system) if name not in fallen]
        if held:
            assert said(system, held, [invariant], solver).said is Said.ACCEPTED, seed
            proved += len(held)
        for name in fallen:
            assert said(system, [name], [invariant], solver).reason.startswith(f"property {name} "), (seed, name)
            refused += 1
    assert (proved, refused) == (31, 2)


def test_the_same_system_gives_the_same_text_whatever_was_added_to_its_expressions() -> None:
    system = graph([(0, 1), (1, 0)], bad=[2])
    before = certificate("toy", [Proved(system, names(system), [])])
    system.expressions.add(system.expressions.slot(0, 0, 2, is_bool=False), system.expressions.const(7))
    assert certificate("toy", [Proved(system, names(system), [])]) == before
    assert certificate("toy", [Proved(graph([(0, 1), (1, 0)], bad=[2]), names(system), [])]) == before


SLOTS = (
    Slot("n", 0, 7),
    Slot("spent second-planner[0]", 0, 1),
    Slot("m{K(k='a', e=1)}", 0, 1, True),
    Slot("n[0]", 0, 3),
)


@pytest.mark.parametrize(
    "text",
    [
        "(n <= spent second-planner[0])",
        "(not m{K(k='a', e=1)} or (n[0] != n))",
        "((n if m{K(k='a', e=1)} else -3) < ((n // 2) % (n[0] * (n - 1))))",
        "True",
        "(m{K(k='a', e=1)} == (not m{K(k='a', e=1)}))",
    ],
)
def test_what_is_written_is_read_back(text: str) -> None:
    nodes = Nodes(SLOTS)
    assert shown(nodes, Reader(nodes).read(text)) == text


@pytest.mark.parametrize(
    "text",
    [
        *("", "n", "k", "n.x", "n[1]", "__import__('os')", "(n < n[0] < n)", "(lambda: n)", "n; n", "(n and n)", "n'"),
        *(
            "(" * 200 + "n" + ")" * 200,
            "not " * 20_000 + "True",
            "-" * 20_000 + "1",
            "9" * 30,
            "(n  < n[0])",
            "-n",
            "(n)",
        ),
        *(
            "(n < True)",
            "(not n or True)",
            "[n for n in n]",
            "f'{n}'",
            "(n := 1)",
            "(n == 1)\n",
            "(n > 1)",
            "n" * 2**21,
        ),
    ],
    ids=lambda text: text[:16],
)
def test_what_is_no_truth_over_a_state_is_refused(text: str) -> None:
    nodes = Nodes(SLOTS)
    try:
        root = Reader(nodes).read(text)
    except FormatError:
        return
    assert not nodes[root].is_bool


def test_a_solver_that_crashes_hangs_or_is_missing_could_not_say() -> None:
    _, (scripts,) = certificate("toy", [Proved(counter(1), [DEADLOCK], [])])
    Path("crash.py").write_text("import os\nos.abort()\n")
    Path("odd.py").write_text(
        'import sys\nfor line in sys.stdin:\n    print(\'{"answer": "unknown", "seconds": 0.0}\', flush=True)\n'
    )
    crashed = ask_solver(SOLVERS["z3"], scripts[:1], 60.0, command=(sys.executable, "crash.py"))
    assert (crashed.said, crashed.reason) == (Said.INCONCLUSIVE, "initial: it crashed (signal 6)")
    odd = ask_solver(SOLVERS["z3"], scripts[:1], 60.0, command=(sys.executable, "odd.py"))
    assert (odd.said, odd.reason) == (Said.INCONCLUSIVE, "initial: unknown")
    absent = ask_solver(Solver("none", "no_such_module", "none", str), scripts, 60.0)
    assert (absent.said, absent.reason) == (Said.MISSING, f"install it: {INSTALL}")
    assert ask_solver(SOLVERS["z3"], (), 60.0).said is Said.INCONCLUSIVE


def test_no_solver_waits_for_another_one() -> None:
    _, (scripts,) = certificate("toy", [Proved(counter(1), [DEADLOCK], [])])
    # The first one answers nothing before the other one has answered everything.
    Path("turns.py").write_text(
        "import sys, time\nfrom pathlib import Path\n"
        "for number, _ in enumerate(sys.stdin, start=1):\n"
        f"    if sys.argv[1] == 'cvc5' and number == {len(scripts)}:\n"
        "        Path('all').touch()\n"
        "    while sys.argv[1] == 'z3' and not Path('all').exists():\n"
        "        time.sleep(0.01)\n"
        '    print(\'{"answer": "unsat", "seconds": 0.0}\', flush=True)\n'
    )
    asked = [SOLVERS["z3"], SOLVERS["cvc5"]]
    (answers,) = ask_solvers(asked, [scripts], 10.0, command=(sys.executable, "turns.py"))
    assert [(a.said, a.accepted) for a in answers] == [(Said.ACCEPTED, len(scripts))] * 2


def test_a_solver_that_says_nothing_in_its_time_is_asked_the_next_and_could_not_say() -> None:
    _, (scripts,) = certificate("toy", [Proved(counter(1), [DEADLOCK], [])])
    Path("mute.py").write_text(
        "import sys, time\nfrom pathlib import Path\n"
        "for line in sys.stdin:\n"
        "    if not Path('asked').exists():\n"
        "        Path('asked').touch()\n"
        "        time.sleep(60)\n"
        '    print(\'{"answer": "unsat", "seconds": 0.0}\', flush=True)\n'
    )
    said = ask_solver(SOLVERS["z3"], scripts, 1.0, command=(sys.executable, "mute.py"))
    reason = "initial: no answer in 1 s"
    assert (said.said, said.accepted, said.reason) == (Said.INCONCLUSIVE, len(scripts) - 1, reason)


def test_what_is_not_smt_lib_is_no_acceptance() -> None:
    for name in SOLVERS:
        with Child(name) as child:
            child.send("(assert", 60.0)
            assert child.answer(60.0)[0] not in ("sat", "unsat")
            child.send("(set-logic QF_BV)\n(assert false)\n(check-sat)\n", 60.0)
            assert child.answer(60.0)[0] == "unsat"


def test_booleans_are_kept_apart_from_numbers() -> None:
    b = Builder({"on": BoolKind()})
    nodes = Nodes(b.slots)
    with pytest.raises(FormatError, match="mixes"):
        Reader(nodes).read("(on < 1)")
