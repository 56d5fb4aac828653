"""L-BFGS for positive functions with kinks, such as sums of hinges."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

Function = Callable[[np.ndarray], tuple[float, np.ndarray]]
"""Value, at least 0, and gradient at a vector."""

_MEMORY = 10
_DECREASE, _SLOPE = 1e-4, 0.9  # of the two conditions of Wolfe
_TRIALS = 40  # of a step length
_PATIENCE = 2  # steps of little gain, one after the other
_FIRST = 0.1  # of the value: what the first step is to gain
_CURVED = 1e-10  # relative curvature from which a step says something about it


class Found(NamedTuple):
    """Where the search came to.

    Attributes
    ----------
    x : ndarray of shape (m,)
    curve : list of float
        Values at the start and after each step; falling.
    stopped : bool
        Whether it stopped by itself, after a step or for want of a slope.
    """

    x: np.ndarray
    curve: list[float]
    stopped: bool


class _Point(NamedTuple):
    x: np.ndarray
    value: float
    gradient: np.ndarray


def minimize_kinked(function: Function, x: np.ndarray, max_iter: int, tol: float) -> Found:
    """Minimise by L-BFGS with steps that bisection finds between the weak conditions of Wolfe.

    At a kink the strong conditions of other solvers cannot be met, and they stop there; the
    weak ones can (Lewis and Overton, "Nonsmooth optimization via quasi-Newton methods",
    Mathematical Programming 141, 2013).

    Parameters
    ----------
    function : callable
        See `Function`.
    x : ndarray of shape (m,)
    max_iter : int
    tol : float
        It ends after two steps in a row that each gain no more than this share of the value.
    """
    here = _Point(x, *function(x))
    curve, idle = [here.value], 0
    steps: deque[tuple[np.ndarray, np.ndarray]] = deque(maxlen=_MEMORY)
    while len(curve) <= max_iter:
        there = _step(function, here, _direction(here, steps))
        if there is None and steps:
            steps.clear()  # once more, straight downhill
            there = _step(function, here, _direction(here, steps))
        if there is None:
            return Found(here.x, curve, len(curve) > 1 or not here.gradient.any())
        _remember(steps, here, there)
        gain, here = here.value - there.value, there
        curve.append(here.value)
        idle = idle + 1 if gain <= tol * max(here.value, tol * curve[0]) else 0
        if idle == _PATIENCE:
            return Found(here.x, curve, stopped=True)
    return Found(here.x, curve, stopped=False)


def _direction(here: _Point, steps: deque[tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
    """Downhill, as the curvature along the steps before suggests."""
    gradient = here.gradient
    if not steps:
        steepness = float(gradient @ gradient)
        return -gradient * (_FIRST * here.value / steepness if steepness > 0 else 1.0)
    direction, shares = -gradient, []
    for step, change in reversed(steps):
        share = (step @ direction) / (step @ change)
        direction = direction - share * change
        shares.append(share)
    step, change = steps[-1]
    direction *= (step @ change) / (change @ change)
    for (step, change), share in zip(steps, reversed(shares), strict=True):
        direction += step * (share - (change @ direction) / (step @ change))
    return direction


def _step(function: Function, here: _Point, direction: np.ndarray) -> _Point | None:
    """A point in that direction that is lower by enough; None if there is none."""
    slope = float(here.gradient @ direction)
    if not slope < 0:
        return None
    short, long, length = 0.0, np.inf, 1.0
    lower: _Point | None = None
    for _ in range(_TRIALS):
        x = here.x + length * direction
        there = _Point(x, *function(x))
        if not there.value <= here.value + _DECREASE * length * slope:
            long = length
        elif there.gradient @ direction < _SLOPE * slope:
            short, lower = length, there
        else:
            return there
        length = (short + long) / 2 if np.isfinite(long) else 2 * short
    return lower


def _remember(steps: deque[tuple[np.ndarray, np.ndarray]], here: _Point, there: _Point) -> None:
    step, change = there.x - here.x, there.gradient - here.gradient
    if step @ change > _CURVED * np.linalg.norm(step) * np.linalg.norm(change):
        steps.append((step, change))
