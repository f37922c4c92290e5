"""`fenceproof show`: the transition system as text, the same every time."""

from __future__ import annotations

from command import RESTS, fenceproof, model_file


def test_a_model_is_shown_whole() -> None:
    model_file(RESTS)
    ran = fenceproof("show", "mine.py", "--set", "most=2")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == (
        "model Rests(most=2)\n\nstate\n    n: Range(0, 2)\n\ninitial (1)\n    n=0\n\n"
        "action up()\n    when True\n    n' = 1\n\nterminal\n    True\n"
    )


def test_the_same_model_is_shown_the_same_way_every_time() -> None:
    first, second = (fenceproof("show", "last-writer") for _ in range(2))
    assert (first, first.code) == (second, 0)
    assert first.out.startswith("model LastWriter(calls=1, epochs=3)\n")


def test_faults_and_safeguards_that_are_off_show() -> None:
    ran = fenceproof("show", "fenced", "--faults", "delay=2", "--without", "echo-check", "--most-faults", "1")
    lines = ran.out.splitlines()
    assert "delay=2, loss=0, " in lines[1]
    assert "at most 1 faults in all" in lines
    assert "without echo-check" in lines
    assert [line for line in lines if line.startswith("fault ")] == ["fault deadline_early(call=0) [delay]"]


def test_what_cannot_be_shown_is_refused_with_one_message() -> None:
    assert "Did you mean fenced?" in fenceproof("show", "fencd").message
    assert "Did you mean delay or comp-delay?" in fenceproof("show", "fenced", "--faults", "dely").message
