"""A mistake of our own, in words: what it was, and which of our lines it was in. Never a verdict."""

from __future__ import annotations

import os
import traceback

from fenceproof.model.source import shown_path


def internal_text(error: BaseException) -> str:
    """What is said of an exception that nobody foresaw; its traceback is printed where the environment asks for it."""
    if os.environ.get("FENCEPROOF_TRACEBACK"):
        traceback.print_exception(error)
    where = [shown_path(frame.filename) + f":{frame.lineno}" for frame in traceback.extract_tb(error.__traceback__)]
    ours = next((site for site in reversed(where) if site.startswith("fenceproof/")), "outside fenceproof")
    what = " ".join(f"{type(error).__name__}: {error}".split())
    return f"{what} ({ours}). Please report it, with the model; FENCEPROOF_TRACEBACK=1 shows the traceback."
