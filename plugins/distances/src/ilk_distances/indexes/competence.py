"""The competence model of a case base: which cases solve which, and the footprint they leave."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components

import ilk


@dataclass(frozen=True)
class CaseSets:
    """A set of cases for each case; ``sets[c]`` gives that of c, ascending.

    Attributes
    ----------
    starts : ndarray of int, shape (n + 1,)
        Where each set begins in `members`.
    members : ndarray of int
    """

    starts: np.ndarray
    members: np.ndarray

    def check_loaded(self) -> None:
        """Check that the sets have cases that there are."""
        ilk.check_stored(self, "starts", (None,), spans=len(self.members))
        ilk.check_stored(self, "members", (None,), least=0, below=len(self))

    @classmethod
    def from_rows(cls, matrix: csr_matrix) -> CaseSets:
        """Read each row of a boolean matrix as a set of columns."""
        matrix.sort_indices()
        return cls(matrix.indptr, matrix.indices)

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __getitem__(self, case: int) -> np.ndarray:
        return self.members[self.starts[case] : self.starts[case + 1]]

    def union(self, cases: np.ndarray) -> np.ndarray:
        """The cases that are in the set of any of some cases, ascending."""
        return np.unique(np.concatenate([self[case] for case in cases])).astype(np.int64)


def solving(distance: Any, X: Any, codes: np.ndarray, k: int) -> csr_matrix:
    """Which cases solve which: c solves t if it is of t's class and among t's k nearest others.

    Every case solves itself.

    Parameters
    ----------
    distance : Distance
        Fitted.
    X : data of n rows
    codes : ndarray of int, shape (n,)
        Class of each case.
    k : int
        0 <= k < n.

    Returns
    -------
    csr_matrix of bool, shape (n, n)
        Row c is the coverage set of c, column t the reachability set of t.
    """
    n = len(codes)
    neighbors = others(distance.kneighbors(X, X, k + 1)[1]) if k else np.empty((n, 0), dtype=int)
    targets, place = np.nonzero(codes[neighbors] == codes[:, None])
    solvers = neighbors[targets, place]
    itself = np.arange(n)
    rows, columns = np.concatenate([solvers, itself]), np.concatenate([targets, itself])
    return csr_matrix((np.ones(len(rows), dtype=bool), (rows, columns)), shape=(n, n))


def others(neighbors: np.ndarray) -> np.ndarray:
    """The neighbours of each row without the row itself, one fewer than given.

    A row need not come first among its own neighbours, nor be among them at all, where others
    are equal to it; then the last one is left out.
    """
    n, width = neighbors.shape
    own = neighbors == np.arange(n)[:, None]
    own[~own.any(axis=1), -1] = True
    return np.asarray(neighbors[~own].reshape(n, width - 1))


def relative_coverage(solves: csr_matrix) -> np.ndarray:
    """How much each case covers that few others do: the sum of 1 / |Reachability(t)| it covers."""
    reachable = np.asarray(solves.sum(axis=0), dtype=float).ravel()
    return np.asarray(solves.astype(float) @ (1 / reachable))


def competence_groups(solves: csr_matrix) -> np.ndarray:
    """The number of each case's group: cases whose related sets overlap, directly or by others."""
    return np.asarray(connected_components(solves, directed=False)[1])


def footprint(coverage: CaseSets, weight: np.ndarray) -> np.ndarray:
    """Select cases that solve all others by CNN-FP: those of high relative coverage first.

    One pass is enough: what is solved stays solved when cases are added.
    """
    solved = np.zeros(len(coverage), dtype=bool)
    chosen = []
    falling = np.argsort(-np.round(weight, 10), kind="stable")  # equal sums differ by rounding
    for case in falling.tolist():
        if not solved[case]:
            chosen.append(case)
            solved[coverage[case]] = True
    return np.sort(np.array(chosen, dtype=np.int64))
