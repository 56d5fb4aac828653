"""Compiled work on the bins of single histograms."""

from __future__ import annotations

import numpy as np

import ilk


@ilk.compiled
def masses(X: np.ndarray, added: float) -> np.ndarray:
    """Sums of rows, in the order of the bins, to each of which something is added."""
    n, p = X.shape
    out = np.zeros(n)
    for i in range(n):
        for f in range(p):
            out[i] += X[i, f] + added
    return out


@ilk.compiled
def normalized(X: np.ndarray, added: float) -> np.ndarray:
    """Rows, to each bin of which something is added, divided by their masses."""
    n, p = X.shape
    out = np.empty_like(X)
    mass = masses(X, added)
    for i in range(n):
        for f in range(p):
            out[i, f] = (X[i, f] + added) / mass[i]
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
