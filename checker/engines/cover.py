"""Greedy cover: few literals of which one is true in each of many rows (V. Chvátal, "A Greedy Heuristic for the
Set-Covering Problem", Mathematics of Operations Research 4, 1979). Few, and not always fewest."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def cover(false: NDArray[np.bool_], usable: Sequence[int], most: int | None = None) -> list[int] | None:
    """Columns of `false` (bool[rows, literals]), usable ones, at most `most`, with one that is not false in each row.

    They are in the order in which they were taken, each time the one that leaves fewest rows open, of equal ones the
    first. None where there are none; no row asks for no column.
    """
    given = false[:, usable]
    open_rows = np.ones(len(false), dtype=np.bool_)
    chosen: list[int] = []
    while open_rows.any():
        left = given[open_rows].sum(axis=0)
        best = int(np.argmin(left)) if len(usable) else -1
        if best < 0 or len(chosen) == most or left[best] == open_rows.sum():
            return None
        chosen.append(usable[best])
        open_rows &= given[:, best]
    return chosen
