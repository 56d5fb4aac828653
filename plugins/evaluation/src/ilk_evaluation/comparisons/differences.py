"""Differences of scores, where what is equal up to rounding is equal."""

from __future__ import annotations

import math

import numpy as np


def in_units(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, float]:
    """Return ``a - b`` as whole multiples of a unit, and the unit.

    All are rounded to the twelfth digit of the largest score. So differences of 0.3 and 0.2 and
    of 0.2 and 0.1 are tied, as they are on paper, and tests by ranks and signs see it. Where the
    largest is above 1000, as squared errors may be, those between smaller scores are rounded
    to 1e-8, and those between larger ones to the twelfth digit of their own: one data set of large
    scores does not make others equal.
    """
    scales = np.maximum(np.abs(a), np.abs(b))
    if not scales.any():
        return np.zeros(len(scales)), 1e-300
    first = np.floor(np.log10(np.maximum(scales, 1e-289)))
    digits = np.maximum(first, min(first.max(), 3)) - 11
    unit = float(digits.min())
    rounded = np.rint((a - b) / 10.0**digits)
    return rounded * 10.0 ** (digits - unit), 10.0**unit


def differences(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return ``a - b``, ties and zeros exact."""
    found, unit = in_units(a, b)
    return found * unit


def standardized(gaps: np.ndarray) -> float:
    """Cohen's d of paired scores: the mean difference in standard deviations; 0 if all are 0."""
    mean = float(np.mean(gaps))
    spread = deviation(gaps)
    if spread == 0:
        return math.copysign(math.inf, mean) if mean else 0.0
    return mean / spread


def deviation(gaps: np.ndarray) -> float:
    """Standard deviation of a sample; exactly 0 if all are equal."""
    return float(np.std(gaps, ddof=1)) if np.ptp(gaps) > 0 else 0.0


def limit(numerator: float, denominator: float) -> float:
    """Return a ratio; without spread it is 0 for no difference, else infinite."""
    if denominator == 0:
        return math.copysign(math.inf, numerator) if numerator else 0.0
    return numerator / denominator
