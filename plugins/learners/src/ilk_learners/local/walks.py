"""Relevances of features, found by walking along sorted features away from the query, compiled."""

from __future__ import annotations

import numpy as np

import ilk


@ilk.compiled
def thin(order: np.ndarray, own: np.ndarray, held: int, alive: np.ndarray) -> int:
    """Keep, of the rows sorted by each feature, those of the region; return how many these are."""
    place = 0
    for f in range(len(order)):
        place = 0
        for a in range(held):
            row = order[f, a]
            own[f, place] = row
            place += alive[row]
    return place


@ilk.compiled
def relevances(
    columns: np.ndarray,
    order: np.ndarray,
    held: int,
    alive: np.ndarray,
    codes: np.ndarray,
    q: np.ndarray,
    few: int,
    total: np.ndarray,
    kappa: float,
    logarithmic: bool,
    found: np.ndarray,
) -> None:
    """Relevance of each feature in the region."""
    inside = np.empty_like(total)
    for f in range(len(columns)):
        _walk(columns[f], order[f, :held], alive, codes, q[f], few, inside)
        found[f] = _relevance(inside, total, kappa, logarithmic)


@ilk.compiled
def _walk(
    column: np.ndarray,
    order: np.ndarray,
    alive: np.ndarray,
    codes: np.ndarray,
    q: float,
    few: int,
    inside: np.ndarray,
) -> None:
    """Count, by class, the rows nearest along a sorted feature, and all as near as the last."""
    n = len(order)
    low, high = 0, n
    while low < high:
        middle = (low + high) // 2
        if column[order[middle]] < q:
            low = middle + 1
        else:
            high = middle
    inside[:] = 0
    left, right = low - 1, low
    count, reach = 0, 0.0
    while True:
        while left >= 0 and alive[order[left]] == 0:
            left -= 1
        while right < n and alive[order[right]] == 0:
            right += 1
        below = q - column[order[left]] if left >= 0 else np.inf
        above = column[order[right]] - q if right < n else np.inf
        distance = min(below, above)
        if distance == np.inf or (count >= few and distance > reach):
            return
        reach = distance
        count += 1
        if below <= above:
            inside[codes[order[left]]] += 1
            left -= 1
        else:
            inside[codes[order[right]]] += 1
            right += 1


@ilk.compiled
def _relevance(inside: np.ndarray, total: np.ndarray, kappa: float, logarithmic: bool) -> float:
    """How much the classes near the query along a feature differ from those beyond, or from all."""
    m, size = inside.sum(), total.sum()
    if m == size:
        return 0.0
    relevance = 0.0
    for c in range(len(total)):
        if logarithmic:
            here, beyond = inside[c] / m, (total[c] - inside[c]) / (size - m)
            relevance += abs(0.5 * np.log((here + kappa) / (beyond + kappa)))
        else:  # in whole numbers, so that features which are as relevant are equally so
            difference = float(inside[c] * size - total[c] * m)
            relevance += difference * difference
    whole = float(m * size)
    return relevance if logarithmic else relevance / (whole * whole)
