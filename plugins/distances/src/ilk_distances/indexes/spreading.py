"""Activation spreading from entities to the cases they are linked to, compiled."""

from __future__ import annotations

import numpy as np

import ilk


@ilk.compiled
def spread(
    begins: np.ndarray,
    entities: np.ndarray,
    much: np.ndarray,
    starts: np.ndarray,
    cases: np.ndarray,
    activation: np.ndarray,
) -> None:
    """Add to the activation of each case what the entities of each query pass on to it.

    Parameters
    ----------
    begins : ndarray of int, shape (m + 1,)
        Where the entities of each query begin.
    entities : ndarray of int
    much : ndarray of float
        Activation of each of these entities.
    starts, cases : ndarray of int
        Where the cases of each entity begin, and the cases.
    activation : ndarray of float, shape (m, n)
        Added to.
    """
    for i in range(len(begins) - 1):
        for a in range(begins[i], begins[i + 1]):
            for c in range(starts[entities[a]], starts[entities[a] + 1]):
                activation[i, cases[c]] += much[a]
