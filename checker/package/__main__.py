"""`python -m fenceproof`: the command line."""

from fenceproof.checker.cli import main

if __name__ == "__main__":
    main()
