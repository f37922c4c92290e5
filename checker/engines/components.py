"""Which states lie on a fair cycle: strongly connected components, and what fairness asks of each.

A behaviour is fair if every weakly fair action that is enabled for ever from some point on, and every strongly fair one
that is enabled again and again, is taken again and again (Lamport, "The Temporal Logic of Actions", TOPLAS 16(3), 1994,
section 5). A component in which a strongly fair action is enabled but never taken may still hold a smaller one that
avoids the states in which it is: those are removed, and what is left is split again (Emerson and Lei, "Modalities for
Model Checking", Science of Computer Programming 8, 1987, section 4).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Edges:
    """Steps between states, none from a state to itself: int64[edges] positions of states, and the transition taken."""

    source: Ints
    target: Ints
    transition: Ints

    def where(self, kept: Mask) -> Edges:
        """Some of them."""
        return Edges(self.source[kept], self.target[kept], self.transition[kept])


@dataclass(frozen=True, slots=True)
class Demand:
    """A fair action: where it is enabled (bool[states]), which edges take it (bool[edges]), how fair it is."""

    enabled: Mask
    taken: Mask
    is_strong: bool


def components(edges: Edges, inside: Mask) -> Ints:
    """The strongly connected component of each state among those inside, numbered from 0; -1 outside."""
    # Here, since it takes a tenth of a second, and most searches do without.
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    states = len(inside)
    kept = inside[edges.source] & inside[edges.target]
    ones = np.ones(int(kept.sum()), dtype=np.int8)
    matrix = coo_array((ones, (edges.source[kept], edges.target[kept])), shape=(states, states))
    _, found = connected_components(matrix.tocsr(), directed=True, connection="strong")
    return np.where(inside, found, -1).astype(np.int64)


def fair_components(edges: Edges, inside: Mask, demands: Sequence[Demand]) -> Ints:
    """For each state the component in which it can stay for ever, fairly and inside; -1 where there is none.

    Staying at a state without a step is always possible, so a state alone is a component too.
    """
    result = np.full(len(inside), -1, dtype=np.int64)
    numbered = 0
    while inside.any():
        label = components(edges, inside)
        count = int(label.max()) + 1
        members = np.flatnonzero(inside)
        size = np.bincount(label[members], minlength=count)
        within = (label[edges.source] == label[edges.target]) & (label[edges.source] >= 0)
        unfair, split = np.zeros(count, dtype=np.bool_), np.zeros(count, dtype=np.bool_)
        avoided = np.zeros(len(inside), dtype=np.bool_)
        for demand in demands:
            enabled = np.bincount(label[members[demand.enabled[members]]], minlength=count)
            taken = np.bincount(label[edges.source[within & demand.taken]], minlength=count) > 0
            unfair |= (enabled == size) & ~taken
            if demand.is_strong:
                starved = (enabled > 0) & ~taken
                split |= starved
                avoided |= inside & demand.enabled & starved[label]
        here = inside & (~unfair & ~split)[label]
        result[here] = label[here] + numbered
        numbered += count
        inside = inside & (split & ~unfair)[label] & ~avoided
    return result
