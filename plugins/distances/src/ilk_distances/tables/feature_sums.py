"""Compiled weighted sums of the differences, or their squares, of numeric and nominal features."""

from __future__ import annotations

import numpy as np

import ilk

MISSING, UNKNOWN = -1, -2  # codes of a missing value, and of one that no training row has
TILE = 4096  # distances that stay in the cache for all features


@ilk.compiled
def fill(
    numbers: tuple[np.ndarray, np.ndarray],
    number_terms: np.ndarray,
    codes: tuple[np.ndarray, np.ndarray],
    code_terms: np.ndarray,
    lookups: tuple[np.ndarray, np.ndarray, np.ndarray],
    whole: tuple[float, float],
    square: bool,
    ignore: bool,
    first: int,
    D: np.ndarray,
) -> None:
    """Fill D, whose rows belong to the objects from `first` on.

    Parameters
    ----------
    numbers, codes : pairs of arrays of shapes (n_features, n) and (n_features, m)
        Values of the n and the m objects, a row for each feature.
    number_terms : ndarray of shape (n_features, 4)
        Scale; weight; contribution of a missing value; weight over the largest weight.
    code_terms : ndarray of shape (n_features, 2)
        Weight; weight over the largest weight.
    lookups : ndarrays of shapes (n_features, n), (n_features,) and (n_entries,)
        Of codes that are compared by tables of differences: where the row of each of the n
        objects begins among the entries, the width of the rows, and all entries. Without a
        feature, codes are compared by equality.
    whole : pair of float
        Sum of all weights over the largest; the distance if no feature can be compared.
    square : bool
        Whether the differences of numbers are squared.
    ignore : bool
        Whether a distance is scaled up for features that an object lacks.
    first : int
    D : ndarray of shape (n_rows, m)
        Overwritten.
    """
    lacking = np.zeros(TILE)
    starts, widths, entries = lookups
    for start in range(0, D.shape[1], TILE):
        stop = min(start + TILE, D.shape[1])
        absent = lacking[: stop - start]
        for i in range(len(D)):
            total = D[i, start:stop]
            total[:] = 0
            absent[:] = 0
            for f in range(len(number_terms)):
                x, ys = numbers[0][f, first + i], numbers[1][f, start:stop]
                _add_gaps(x, ys, number_terms[f], square, ignore, total, absent)
            for f in range(len(code_terms)):
                code, others = codes[0][f, first + i], codes[1][f, start:stop]
                if len(widths) == 0:
                    _add_overlaps(code, others, code_terms[f], ignore, total, absent)
                else:
                    at = starts[f, first + i]
                    row = entries[at : at + widths[f]]
                    _add_entries(row, code, others, code_terms[f, 1], ignore, total, absent)
            if ignore:
                _make_up(total, absent, whole)


@ilk.compiled
def _add_gaps(
    x: float,
    ys: np.ndarray,
    terms: np.ndarray,
    square: bool,
    ignore: bool,
    total: np.ndarray,
    absent: np.ndarray,
) -> None:
    # ys, total and absent: (m,), for a tile; terms: a row of number_terms, (4,)
    scale, weight, missing, share = terms
    for j in range(len(ys)):
        gap = abs(x - ys[j]) / scale
        gap = weight * (gap * gap if square else gap)
        # NaN: one of both is missing
        total[j] += missing if np.isnan(gap) else gap
    if ignore:
        for j in range(len(ys)):
            absent[j] += share if np.isnan(x) | np.isnan(ys[j]) else 0.0


@ilk.compiled
def _add_overlaps(
    code: int,
    others: np.ndarray,
    terms: np.ndarray,
    ignore: bool,
    total: np.ndarray,
    absent: np.ndarray,
) -> None:
    # others, total and absent: (m,), for a tile; terms: a row of code_terms, (2,)
    weight, share = terms
    if not ignore:
        for j in range(len(others)):
            total[j] += weight if (code != others[j]) | (code == MISSING) else 0.0
        return
    for j in range(len(others)):
        hole = (code == MISSING) | (others[j] == MISSING)
        total[j] += weight if (code != others[j]) & ~hole else 0.0
        absent[j] += share if hole else 0.0


@ilk.compiled
def _add_entries(
    row: np.ndarray,
    code: int,
    others: np.ndarray,
    share: float,
    ignore: bool,
    total: np.ndarray,
    absent: np.ndarray,
) -> None:
    # row: (n_values + 2,), the differences of code to the codes UNKNOWN, MISSING, 0, 1, ...;
    # others, total and absent: (m,), for a tile
    for j in range(len(others)):
        total[j] += row[others[j] - UNKNOWN]
    if ignore:
        for j in range(len(others)):
            absent[j] += share if (code == MISSING) | (others[j] == MISSING) else 0.0


@ilk.compiled
def _make_up(total: np.ndarray, absent: np.ndarray, whole: tuple[float, float]) -> None:
    # total and absent: (m,), for a tile
    everything, largest = whole
    for j in range(len(total)):
        # compensates for missing features in proportion to the weight of the compared ones
        compared = everything - absent[j]  # exactly 0 if all are absent: equal sums, equal order
        if compared == 0:
            total[j] = largest
        elif absent[j] > 0:
            total[j] *= everything / compared
