"""Compiled spreading of activation from entities to cases."""

from __future__ import annotations

import numpy as np

import ilk

_GROUP = 64  # cases compared with the threshold at once: a loop that vectorizes


@ilk.compiled
def spread(
    begins: np.ndarray,
    entities: np.ndarray,
    much: np.ndarray,
    starts: np.ndarray,
    cases: np.ndarray,
    activation: np.ndarray,
) -> None:
    """Spread the activation of the entities of each query to the cases.

    Parameters
    ----------
    begins : ndarray of int, shape (m + 1,)
        Start of the entities of each query.
    entities : ndarray of int, shape (n_entities,)
    much : ndarray of float, shape (n_entities,)
        Activation of these entities.
    starts, cases : ndarrays of int, shapes (number of entities + 1,) and (sum of their cases,)
        Start of the cases of each entity, and the cases.
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
        Maximum number of entities of a case.
    shared : ndarray of int16, shape (n,)
        Overwritten.
    where : ndarray of int, shape (m, k)
        Overwritten: the k best cases, best first.
    """
    n, k = len(shared), where.shape[1]
    # a counting sort: the next position for a case with a given number of shared values
    places = np.empty(most + 1, np.int64)
    for i in range(len(where)):
        shared[:] = 0
        for a in range(begins[i], begins[i + 1]):
            for c in range(starts[entities[a]], starts[entities[a] + 1]):
                shared[cases[c]] += 1
        # from the top: the first place of a level is the number of cases that share more; levels
        # below the k-th case are not needed
        level, better = most, 0
        while better < k:
            places[level] = better
            better = 0
            for c in range(n):
                better += shared[c] >= level
            level -= 1
        # ascending case numbers: the lower index wins where cases share equally many values
        for first in range(0, n, _GROUP):
            last = min(first + _GROUP, n)
            some = 0
            for c in range(first, last):
                some += shared[c] > level
            # groups without candidates, the usual case, cost one vectorized comparison
            if some:
                for c in range(first, last):
                    if shared[c] > level and places[shared[c]] < k:
                        where[i, places[shared[c]]] = c
                        places[shared[c]] += 1
