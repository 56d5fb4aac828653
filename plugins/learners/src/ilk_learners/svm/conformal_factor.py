"""The factor of a conformal transformation: large near support vectors."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ilk import InputError, display_name, n_rows, take

_CELLS = 2**22  # distances at a time


@dataclass(frozen=True)
class Factor:
    """``c(x) = sum_i a_i exp(-d(x, x_i)^2 / (2 tau^2))``, to be called with rows.

    Attributes
    ----------
    centers : data of m rows
        The x_i.
    weights : ndarray of shape (m,)
        The a_i.
    tau : float
    distance : distance
        Fitted.
    """

    centers: Any
    weights: np.ndarray
    tau: float
    distance: Any

    def __call__(self, X: Any) -> np.ndarray:
        """The factor of every row; array of shape (n,), float64."""
        n, step = n_rows(X), max(_CELLS // max(len(self.weights), 1), 1)
        values = np.empty(n)
        for start in range(0, n, step):
            rows = np.arange(start, min(start + step, n))
            D = np.asarray(self.distance.pairwise(take(X, rows), self.centers), dtype=float)
            with np.errstate(over="ignore", under="ignore"):
                values[rows] = np.exp(-np.square(D / self.tau) / 2) @ self.weights
        return values

    def normalized(self, owner: object, X: Any) -> Factor:
        """The factor divided by its root mean square over rows.

        Raises
        ------
        InputError
            If it is 0 for all of them.
        """
        size = float(np.sqrt(np.mean(np.square(self(X)))))
        if not size > 0:
            raise InputError(
                f"{display_name(owner)}: there is no support vector, or its coefficient is lost "
                f"in rounding, so that nothing tells where the border is; raise C"
            )
        return replace(self, weights=self.weights / size)


def reach(owner: object, distance: Any, centers: Any, k: int, X: Any = None) -> float:
    """Root mean squared distance of rows to their k nearest others, those at distance 0 left out.

    Where that leaves none, it is that of the rows of X, if given.

    Raises
    ------
    InputError
        If they are all equal, or infinitely far apart.
    """
    m = n_rows(centers)
    step = max(_CELLS // m, 1)
    near: list[np.ndarray] = []
    for start in range(0, m, step):
        rows = np.arange(start, min(start + step, m))
        D = np.asarray(distance.pairwise(take(centers, rows), centers), dtype=float)
        D[D == 0] = np.inf
        D = np.sort(np.partition(D, min(k, m) - 1, axis=1)[:, :k], axis=1)
        near.append(D[np.isfinite(D)])
    every = np.concatenate(near)
    if not every.size and X is not None:
        return reach(owner, distance, X, k)
    if not every.size:
        raise InputError(
            f"{display_name(owner)}: the support vectors are all equal, or infinitely far apart, "
            f"so that tau='neighbors' is no number; give tau"
        )
    unit = float(every.max())  # squares stay in range
    return unit * float(np.sqrt(np.mean(np.square(every / unit))))
