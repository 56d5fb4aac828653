"""A function compiled by numba, called for every pair of rows inside one compiled loop."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from weakref import WeakSet

import numba
import numpy as np
from numba.core.errors import NumbaError

import ilk

if TYPE_CHECKING:
    from collections.abc import Callable


def call_for_all(
    function: Callable[..., Any], X: np.ndarray, Y: np.ndarray, *, mirror: bool
) -> np.ndarray | None:
    """Values of a numba function for all pairs of rows; it receives rows of float64.

    Parameters
    ----------
    function : dispatcher of numba's
    X, Y : float arrays of shape (n, p) and (m, p)
    mirror : bool
        Whether entries below the diagonal copy their mirror image.

    Returns
    -------
    ndarray of shape (n, m) or None
        None if the function cannot be called from compiled code with two rows, does not return
        a number, raises, or returns an invalid distance. A plain loop then finds the error.
    """
    if function in _uncallable:
        return None
    X, Y = (np.require(Z, np.float64, ["C", "W"]) for Z in (X, Y))
    D = np.empty((len(X), len(Y)))
    try:
        _fill(function, X, Y, D, 0, 0, mirror)  # compiles it
    except NumbaError:
        _uncallable.add(function)
        return None
    right: list[bool] = []

    def work(start: int, stop: int) -> None:
        right.append(_fill(function, X, Y, D, start, stop, mirror))

    try:
        if getattr(function, "targetoptions", {}).get("parallel"):  # has its own threads
            work(0, len(X))
        else:
            ilk.in_blocks(work, len(X), max(_PAIRS // len(Y), 1))
    except Exception:  # noqa: BLE001  # a user's function may raise anything
        return None
    return D if all(right) else None


_PAIRS = 2**14  # pairs in a block: large beside the cost of starting a thread
_uncallable: WeakSet[Any] = WeakSet()


# Compiled once for each function. The loop divides as Python does, because functions that numba
# inlines into it inherit its error model.
@numba.njit(nogil=True, error_model="python")
def _fill(
    function: Callable[..., Any],
    X: np.ndarray,
    Y: np.ndarray,
    D: np.ndarray,
    start: int,
    stop: int,
    mirror: bool,
) -> bool:
    """Fill rows of D; return False at an invalid distance. X: (n, p), Y: (m, p), D: (n, m)."""
    right = True
    for i in range(start, stop):
        for j in range(i if mirror else 0, len(Y)):
            value = 0.0 + function(X[i], Y[j])  # converts bool to float, and -0.0 to 0.0
            right &= 0 <= value < np.inf
            D[i, j] = value
            if mirror:
                D[j, i] = value
    return right
