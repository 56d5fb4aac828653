"""Compiled votes for labels, and decisions, on blocks of samples.

Shapes: outputs (L, n, C), codes of labels (L, n), weights (L,), combined and support (m, C).
Functions return False for invalid support, an invalid code, or a value that is not finite.
"""

from __future__ import annotations

import math

import numpy as np

from ilk import compiled
from ilk_ensembles.combiners.rule_kernels import total_of


@compiled
def ballots(outputs: np.ndarray, first: int, combined: np.ndarray, weights: np.ndarray) -> bool:
    """Weight of the votes for each class; tied labels share the vote."""
    n_classes = outputs.shape[2]
    combined[:] = 0
    for member in range(len(outputs)):
        for i in range(len(combined)):
            row = outputs[member, first + i]
            if total_of(row) < 0:
                return False
            # one pass finds the maximum and how often it occurs
            top, count, best = row[0], 1, 0
            for k in range(1, n_classes):
                if row[k] > top:
                    top, count, best = row[k], 1, k
                elif row[k] == top:
                    count += 1
            # most rows have one maximum: no second pass over the classes
            if count == 1:
                combined[i, best] += weights[member]
                continue
            for k in range(n_classes):
                if row[k] == top:
                    combined[i, k] += weights[member] / count
    return True


@compiled
def label_ballots(codes: np.ndarray, first: int, combined: np.ndarray, weights: np.ndarray) -> bool:
    """Weight of the votes for each class, from codes; -1 supports all classes equally."""
    m, n_classes = combined.shape
    votes = combined.reshape(combined.size)
    votes[:] = 0
    width = np.uint64(n_classes)
    for member in range(len(codes)):
        weight, at = weights[member], np.uint64(0)
        for code in codes[member, first : first + m]:
            place = np.uint64(code)  # negative codes become huge: one test finds both errors
            if place < width:
                votes[at + place] += weight
            elif code == -1:
                for k in range(n_classes):
                    votes[at + np.uint64(k)] += weight / n_classes
            else:
                return False
            at += width
    return True


@compiled
def level(support: np.ndarray, ulps: float) -> None:
    """Set support within rounding of the row's maximum equal to the maximum."""
    values = support.reshape(support.size)
    width, one, at = np.uint64(support.shape[1]), np.uint64(1), np.uint64(0)
    while at < np.uint64(len(values)):
        end, place = at + width, at + one
        top, second = values[at], -math.inf
        while place < end:
            second = max(second, min(values[place], top))
            top = max(top, values[place])
            place += one
        slack, place = ulps * abs(top), at
        gap = top - second if top > second else math.inf
        if gap <= slack:  # rarely true: one predictable branch for each row
            while place < end:
                values[place] = top if values[place] >= top - slack else values[place]
                place += one
        at = end


@compiled
def winners(
    support: np.ndarray, ulps: float, codes: np.ndarray, tied: np.ndarray, most: np.ndarray
) -> bool:
    """Fill in, by row (m,), the first class of largest support, whether it ties, and its support.

    Support that differs by less than `ulps`, relatively, is tied. Returns False if a value is
    not finite.
    """
    n_classes = support.shape[1]
    for i in range(len(support)):
        top, finite = support[i, 0], 0.0
        for k in range(n_classes):
            top = max(top, support[i, k])
            # 0 times infinity or NaN is NaN: the sum detects both without a branch
            finite += 0.0 * support[i, k]
        if finite != 0:
            return False
        least = top - ulps * abs(top)
        first, near = 0, 0
        # backwards, so that the first of the near classes remains
        for k in range(n_classes - 1, -1, -1):
            is_near = support[i, k] >= least
            first = k if is_near else first
            near += is_near
        codes[i] = first
        tied[i] = near > 1
        most[i] = top
    return True
