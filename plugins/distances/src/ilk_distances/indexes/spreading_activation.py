"""Activation spreading from entities to the cases they are linked to, compiled."""

from __future__ import annotations

import numpy as np

import ilk

_GROUP = 64  # cases looked at together before any is looked at alone


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


@ilk.compiled
def most_shared(
    begins: np.ndarray,
    entities: np.ndarray,
    starts: np.ndarray,
    cases: np.ndarray,
    most: int,
    shared: np.ndarray,
    where: np.ndarray,
) -> None:
    """The cases that share the most entities with each query, ties by lower index.

    Parameters
    ----------
    begins, entities, starts, cases
        As in `spread`.
    most : int
        The most entities a case can have.
    shared : ndarray of int16, shape (n,)
        Overwritten.
    where : ndarray of int, shape (m, k)
        Written to: the k best cases, best first.
    """
    n, k = len(shared), where.shape[1]
    places = np.empty(most + 1, np.int64)  # where the next case that shares so many is put
    for i in range(len(where)):
        shared[:] = 0
        for a in range(begins[i], begins[i + 1]):
            for c in range(starts[entities[a]], starts[entities[a] + 1]):
                shared[cases[c]] += 1
        level, better = most, 0
        while better < k:
            places[level] = better
            better = 0
            for c in range(n):
                better += shared[c] >= level
            level -= 1
        for first in range(0, n, _GROUP):
            last = min(first + _GROUP, n)
            some = 0
            for c in range(first, last):
                some += shared[c] > level
            if some:
                for c in range(first, last):
                    if shared[c] > level and places[shared[c]] < k:
                        where[i, places[shared[c]]] = c
                        places[shared[c]] += 1
