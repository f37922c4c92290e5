"""`python -m fenceproof`: the command line."""

import os
import sys

# Python looks into the current folder first, where a `z3.py`, or a `json.py`, would be taken for the real one.
if not sys.flags.safe_path and sys.path[:1] == [os.getcwd()]:
    del sys.path[0]

from fenceproof.checker.cli import main

if __name__ == "__main__":
    main()
