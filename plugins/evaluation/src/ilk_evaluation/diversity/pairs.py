"""How much two members differ, for all pairs."""

from __future__ import annotations

from typing import Any

import numpy as np

from ilk import InputError
from ilk_evaluation.diversity.answers import answer_codes, checked_answers
from ilk_evaluation.label_arrays import label_array

_CELLS = 1 << 22  # indicators held at once: 16 MB in float32


def plain_disagreement(answers: Any) -> np.ndarray:
    """Share of the cases for which two members predict different labels.

    Parameters
    ----------
    answers : array of shape (L, n)
        Labels: texts, numbers or booleans.

    Returns
    -------
    ndarray of shape (L, L)
        Symmetric, with zeros on the diagonal.

    Raises
    ------
    InputError
        For another shape, or no answers.

    References
    ----------
    Cunningham, Cord & Delany (2008), equation 2.28.

    Examples
    --------
    >>> from ilk_evaluation import diversity
    >>> answers = [["a", "b", "c", "a"], ["a", "b", "b", "b"], ["a", "a", "c", "a"]]
    >>> diversity.plain_disagreement(answers)
    array([[0.  , 0.5 , 0.25],
           [0.5 , 0.  , 0.75],
           [0.25, 0.75, 0.  ]])
    """
    codes, _ = answer_codes(answers)
    pairs = np.zeros((len(codes), len(codes)))
    for member in range(1, len(codes)):
        differ = np.count_nonzero(codes[member] != codes[:member], axis=1)
        pairs[member, :member] = pairs[:member, member] = differ
    return np.asarray(pairs / codes.shape[1])


def fail_disagreement(answers: Any, y: Any) -> np.ndarray:
    """Share of the cases that exactly one of two members gets right.

    ``(N01 + N10) / n``, for all pairs by one matrix product: with r the cases that a member
    gets right, ``N01 + N10 = r_i + r_j - 2 r_ij``.

    Parameters
    ----------
    answers : array of shape (L, n)
    y : array of shape (n,)
        The true labels.

    Returns
    -------
    ndarray of shape (L, L)
        Symmetric, with zeros on the diagonal.

    Raises
    ------
    InputError
        For other shapes, or no answers.

    References
    ----------
    Cunningham, Cord & Delany (2008), equation 2.29.

    Examples
    --------
    >>> from ilk_evaluation import diversity
    >>> diversity.fail_disagreement([["a", "b"], ["b", "b"], ["a", "a"]], ["a", "a"])
    array([[0. , 0.5, 0.5],
           [0.5, 0. , 1. ],
           [0.5, 1. , 0. ]])
    """
    answers = checked_answers(answers)
    truth = label_array("fail_disagreement: y", y)
    if (truth.dtype.kind == "U") != (answers.dtype.kind == "U"):
        raise InputError(
            f"fail_disagreement: answers and y must be of one type, got {answers.dtype} and "
            f"{truth.dtype}"
        )
    if truth.shape != answers.shape[1:]:
        raise InputError(
            f"fail_disagreement: y must have shape {answers.shape[1:]}, got {truth.shape}"
        )
    n = len(truth)
    both = np.zeros((len(answers), len(answers)))
    size = max(_CELLS // len(answers), 1)
    for start in range(0, n, size):
        right = answers[:, start : start + size] == truth[start : start + size]
        numbers = right.astype(np.float32)
        both += numbers @ numbers.T
    own = np.diagonal(both)
    return np.asarray((own[:, None] + own - 2 * both) / n)


def mean_of_pairs(matrix: Any) -> float:
    """Mean of a measure of pairs over all pairs of different members.

    Parameters
    ----------
    matrix : array of shape (L, L)

    Returns
    -------
    float
        NaN for a single member, which has no pair.

    Raises
    ------
    InputError
        If the matrix is not square.

    References
    ----------
    Cunningham, Cord & Delany (2008), sec. 2.5.3.1.

    Examples
    --------
    >>> from ilk_evaluation import diversity
    >>> answers = [["a", "b"], ["b", "b"], ["a", "a"]]
    >>> round(diversity.mean_of_pairs(diversity.plain_disagreement(answers)), 3)
    0.667
    """
    pairs = np.asarray(matrix, dtype=float)
    if pairs.ndim != 2 or pairs.shape[0] != pairs.shape[1]:
        raise InputError(f"mean_of_pairs: matrix must have shape (L, L), got {pairs.shape}")
    upper = pairs[np.triu_indices(len(pairs), 1)]
    return float(upper.mean()) if len(upper) else float("nan")
