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
    """Values of a function compiled by numba for all pairs of rows, which it gets as float64.

    Parameters
    ----------
    function : dispatcher of numba's
    X, Y : float arrays of shape (n, p) and (m, p)
    mirror : bool
        Whether pairs below the diagonal take the value of their mirror image.

    Returns
    -------
    ndarray of shape (n, m) or None
        None if the function cannot be called from compiled code with two rows, does not return
        a number, raises, or returns a number that is no distance: then a plain loop will tell.
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
        if getattr(function, "targetoptions", {}).get("parallel"):  # starts threads of its own
            work(0, len(X))
        else:
            ilk.in_blocks(work, len(X), max(_PAIRS // len(Y), 1))
    except Exception:  # noqa: BLE001  # whatever the function raises
        return None
    return D if all(right) else None


_PAIRS = 2**14  # in a block
_uncallable: WeakSet[Any] = WeakSet()


# Compiled for every function it is given. Functions take over how it divides: Python's way, as
# they do elsewhere.
@numba.njit(nogil=True, error_model="python")
def _fill(
    function: Any, X: np.ndarray, Y: np.ndarray, D: np.ndarray, start: int, stop: int, mirror: bool
) -> bool:
    """Fill rows of D; False if a value is no distance."""
    right = True
    for i in range(start, stop):
        for j in range(i if mirror else 0, len(Y)):
            value = 0.0 + function(X[i], Y[j])  # of a truth value, too; never -0
            right &= 0 <= value < np.inf
            D[i, j] = value
            if mirror:
                D[j, i] = value
    return right
