"""Areas under curves of one class against the rest, and of pairs of classes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ilk import InputError
from ilk_evaluation.curves.ranking import Ranking, rank_cases

Area = Callable[[Ranking], float]


def occurring(truth: np.ndarray, n_classes: int, name: str) -> np.ndarray:
    """Cases of each class.

    Raises
    ------
    InputError
        If they all belong to one: there is nothing to tell apart.
    """
    cases = np.bincount(truth, minlength=n_classes)
    if np.count_nonzero(cases) < 2:
        raise InputError(
            f"{name}: not defined, as all answered cases ({len(truth)}) belong to one class"
        )
    return cases


def one_against_rest(
    truth: np.ndarray, values: np.ndarray, cases: np.ndarray, area: Area
) -> tuple[list[float], list[float]]:
    """Area of each class that occurs against all others, and its share of the cases."""
    codes = np.flatnonzero(cases)
    areas = [area(rank_cases(values[:, code], truth == code)) for code in codes.tolist()]
    return areas, [float(cases[code]) for code in codes.tolist()]


def one_against_one(
    truth: np.ndarray, values: np.ndarray, cases: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Mean ROC area of each pair of classes that occur, by either's scores, and their cases."""
    codes = np.flatnonzero(cases)
    areas = np.array(
        [_against_each(values[:, code], truth, code, cases)[codes] for code in codes.tolist()]
    )
    a, b = np.triu_indices(len(codes), 1)
    return (areas[a, b] + areas[b, a]) / 2, (cases[codes][a] + cases[codes][b]).astype(float)


def _against_each(
    scores: np.ndarray, truth: np.ndarray, code: int, cases: np.ndarray
) -> np.ndarray:
    """Area of one class against each, by one sort: how often a case of it has more score.

    Every case of another class adds twice the cases of this one above it, and once those of the
    same score: whole numbers, of which nothing is rounded.
    """
    order = np.argsort(scores)
    ranked, classes = scores[order], truth[order]
    ends = np.append(np.flatnonzero(ranked[1:] != ranked[:-1]) + 1, len(ranked))
    up_to = np.cumsum(classes == code)[ends - 1]
    below = np.append(0, up_to[:-1])
    twice = np.repeat(2 * up_to[-1] - below - up_to, np.diff(ends, prepend=0))
    sums = np.bincount(classes, twice, minlength=len(cases))
    return np.asarray(sums / (2 * cases[code] * np.maximum(cases, 1)))


def averaged(areas: Any, weights: Any, average: str) -> float:
    """Mean of areas, equally or by weights."""
    return float(np.average(areas, weights=weights if average == "weighted" else None))
