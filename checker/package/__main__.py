"""The command `fenceproof`, and `python -m fenceproof`: what has to be so before anything else is imported."""

import os
import sys

# Python looks into the current folder first, where a `z3.py`, or a `json.py`, would be taken for the real one.
try:
    folder = os.getcwd()
except OSError:
    folder = ""  # it was removed, or must not be looked at, and Python has it in no other way
if not sys.flags.safe_path and sys.path[:1] == [folder]:
    del sys.path[0]

import signal
from contextlib import suppress


def main() -> None:
    """Run the command line, and exit with its code."""
    try:
        # Whoever asks a search to end, as `timeout` does, is told what it covered, as by Ctrl-C.
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        _open_what_is_closed()
        from fenceproof.checker import cli

        cli.main()
    except KeyboardInterrupt:
        # While the command line was imported, which takes a moment, or at its very end.
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)
        with suppress(OSError):  # the exit code says the same
            print("\nfenceproof: interrupted.", file=sys.stderr)
        sys.exit(130)


def _open_what_is_closed() -> None:
    """Open a standard stream that is closed on nothing: the next file that is opened would get its number, and what is
    printed, be it by a library of z3's, with it."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the least number that is free
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(number, "w" if number else "r", encoding="utf-8", closefd=False))


if __name__ == "__main__":
    main()
