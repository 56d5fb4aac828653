"""Compiled work on the bins of single histograms."""

from __future__ import annotations

import numpy as np

import ilk


@ilk.compiled
def normalized(X: np.ndarray) -> np.ndarray:
    """Rows divided by their masses, which are summed up in the order of the bins."""
    n, p = X.shape
    out = np.empty_like(X)
    for i in range(n):
        mass = 0.0
        for f in range(p):
            mass += X[i, f]
        for f in range(p):
            out[i, f] = X[i, f] / mass
    return out


@ilk.compiled
def outside(X: np.ndarray, least: float, most: float) -> np.ndarray:
    """Tell which rows have a bin, other than 0, that is less or more than these."""
    n, p = X.shape
    found = np.zeros(n, dtype=np.bool_)
    for i in range(n):
        some = 0
        for f in range(p):
            x = X[i, f]
            some += (x > most) | ((x < least) & (x != 0))
        found[i] = some > 0
    return found
