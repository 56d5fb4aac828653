"""Vectors of length one, whose distances give cosines."""

from __future__ import annotations

import numpy as np

import ilk


def check_directions(owner: object, X: np.ndarray, argument: str, centred: bool) -> None:
    """Raise if a row has no direction: it is zero, or constant if rows are centred.

    Raises
    ------
    InputError
        Naming the component, the argument and the row.
    """
    lost = (X[:, :1] == X).all(axis=1) if centred else ~X.any(axis=1)
    if lost.any():
        what = "constant, so it correlates with nothing" if centred else "zero, so it has no angle"
        raise ilk.InputError(
            f"{ilk.display_name(owner)}: {argument} has a row that is {what}: row "
            f"{int(np.argmax(lost))}"
        )


def scaled(X: np.ndarray) -> np.ndarray:
    """Multiply each row, exactly, by a power of two that brings its largest number into [1/2, 1).

    Then no square overflows or vanishes, and no sum overflows.
    """
    _, exponents = np.frexp(np.abs(X).max(axis=1, keepdims=True))
    return np.asarray(np.ldexp(X, -exponents, order="C"))


def directions(X: np.ndarray) -> np.ndarray:
    """Divide each row by its length, without overflow or underflow."""
    X = scaled(X)
    # cumsum adds in the order of the features, whatever their number and the memory layout
    squares = np.cumsum(np.square(X), axis=1)[:, -1:]
    return np.asarray(X / np.sqrt(squares))


def centred(X: np.ndarray) -> np.ndarray:
    """Subtract its mean from each row, precisely also for rows far from zero."""
    X = scaled(X)
    # twice: the first mean has a rounding error relative to the size of the row
    X = X - X.mean(axis=1, keepdims=True)
    return np.asarray(X - X.mean(axis=1, keepdims=True))
