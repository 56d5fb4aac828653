"""Random numbers inside compiled code: the same for the same seed in every thread."""

from __future__ import annotations

import numpy as np

from ilk import compiled

_STEP = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)
_27, _30, _31, _11 = np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(11)
_UNIT = 2.0**-53


@compiled
def uniform(state: np.ndarray) -> float:
    """A number from 0 to below 1, by SplitMix64 (Steele, Lea & Flood, 2014); steps the state.

    The state is an array of one uint64: the seed at first.
    """
    state[0] += _STEP
    z = state[0]
    z = (z ^ (z >> _30)) * _FIRST
    z = (z ^ (z >> _27)) * _SECOND
    return ((z ^ (z >> _31)) >> _11) * _UNIT  # type: ignore[no-any-return]


@compiled
def draw(state: np.ndarray, pool: np.ndarray, size: int, n: int) -> None:
    """Put n of the first `size` entries of a pool in front, in random order."""
    for k in range(n):
        other = k + int(uniform(state) * (size - k))
        pool[k], pool[other] = pool[other], pool[k]


@compiled
def uniform_coefficients(state: np.ndarray, coefficients: np.ndarray, n: int) -> None:
    """Fill in n numbers from -1 to 1 and zeros behind them."""
    for k in range(len(coefficients)):
        coefficients[k] = 2.0 * uniform(state) - 1.0 if k < n else 0.0
