"""The child process that asks a solver: a script a line in, an answer a line out, both as JSON.

It ends when its input does. Should whoever started it be gone while the solver runs, an alarm that nothing can catch
ends it a little after the time that was allowed.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from typing import Final

from .solvers import SOLVERS

#: Seconds after the limit at which the system ends a process that nobody waits for any more.
GRACE_S: Final = 5.0
#: Bytes of memory that a solver may take.
MOST_MEMORY: Final = 4 * 2**30


def _limit_memory() -> None:
    try:
        import resource
    except ImportError:  # there is no such limit on this system
        return
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    most = MOST_MEMORY if hard == resource.RLIM_INFINITY else min(MOST_MEMORY, hard)
    resource.setrlimit(resource.RLIMIT_AS, (most, hard))


def _set_alarm(seconds: float) -> None:
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, seconds)


def main(name: str) -> None:
    """Answer scripts until there are no more."""
    # Ctrl-C goes to the whole group of processes: whoever waits for us ends us.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _limit_memory()
    # What a solver's library prints is no answer.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    ask = SOLVERS[name].ask
    for line in sys.stdin:
        asked = json.loads(line)
        _set_alarm(asked["time_s"] + GRACE_S)
        began = time.monotonic()
        try:
            answer = ask(asked["script"])
        except MemoryError:
            answer = "out of memory"
        except Exception as error:  # whatever a solver's library raises: it is what it has to say
            text = " ".join(str(error).split())[:200]
            answer = "out of memory" if "memory" in text.lower() else f"{type(error).__name__}: {text}"
        _set_alarm(0)
        print(json.dumps({"answer": answer, "seconds": time.monotonic() - began}), file=answers, flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
