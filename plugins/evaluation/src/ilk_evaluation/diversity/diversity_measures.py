"""Diversity measures: pairwise, over all votes for a case, and of regressors."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ilk import InputError
from ilk_evaluation.arguments import label_array

if TYPE_CHECKING:
    from ilk import ArrayLike, Labels

_CELLS = 1 << 22  # indicators held in memory at once: 16 MB in float32
_FEW = 256  # most classes whose codes fit a byte


def plain_disagreement(answers: np.ndarray) -> np.ndarray:
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
        If the shape is wrong, or there are no predictions.

    References
    ----------
    Cunningham 2008: section 2.5.3.1; equation 2.28.

    Examples
    --------
    >>> from ilk_evaluation import diversity
    >>> answers = [["a", "b", "c", "a"], ["a", "b", "b", "b"], ["a", "a", "c", "a"]]
    >>> diversity.plain_disagreement(answers)
    array([[0.  , 0.5 , 0.25],
           [0.5 , 0.  , 0.75],
           [0.25, 0.75, 0.  ]])
    """
    codes, _ = _answer_codes(answers)
    pairs = np.zeros((len(codes), len(codes)))
    for member in range(1, len(codes)):
        differ = np.count_nonzero(codes[member] != codes[:member], axis=1)
        pairs[member, :member] = pairs[:member, member] = differ
    return np.asarray(pairs / codes.shape[1])


def fail_disagreement(answers: np.ndarray, y: Labels) -> np.ndarray:
    """Share of the cases that exactly one of two members gets right.

    ``(N01 + N10) / n``, computed for all pairs by one matrix product: if r_i counts the cases that
    member i gets right, ``N01 + N10 = r_i + r_j - 2 r_ij``.

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
        If a shape is wrong, or there are no predictions.

    References
    ----------
    Cunningham 2008: section 2.5.3.1; equation 2.29.

    Examples
    --------
    >>> from ilk_evaluation import diversity
    >>> diversity.fail_disagreement([["a", "b"], ["b", "b"], ["a", "a"]], ["a", "a"])
    array([[0. , 0.5, 0.5],
           [0.5, 0. , 1. ],
           [0.5, 1. , 0. ]])
    """
    answers = _checked_answers(answers)
    truth = label_array("fail_disagreement: y", y)
    if (truth.dtype.kind in "UO") != (answers.dtype.kind in "UO"):
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
    correct = np.diagonal(both)
    return np.asarray((correct[:, None] + correct - 2 * both) / n)


def mean_of_pairs(matrix: np.ndarray) -> float:
    """Mean of a pairwise measure over all pairs of different members.

    Parameters
    ----------
    matrix : array of shape (L, L)

    Returns
    -------
    float
        NaN for a single member.

    Raises
    ------
    InputError
        If the matrix is not square.

    References
    ----------
    Cunningham 2008: section 2.5.3.1.

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


def entropy(answers: np.ndarray) -> float:
    """Mean entropy of the votes for a case, in nats.

    ``(1/n) sum_i sum_k -(N_ik/L) ln(N_ik/L)``, where N_ik members predict class k for case i; 0
    if all agree.

    Parameters
    ----------
    answers : array of shape (L, n)

    Raises
    ------
    InputError
        If the shape is wrong, or there are no predictions.

    References
    ----------
    Cunningham 2008: section 2.5.3.1; equation 2.30.

    Examples
    --------
    >>> from ilk_evaluation import diversity
    >>> round(diversity.entropy([["a", "b"], ["b", "b"]]), 4)  # ln 2 and 0
    0.3466
    """
    shares = _vote_shares(answers)
    logs = np.log(np.where(shares > 0, shares, 1))
    return float(-(shares * logs).sum(axis=1).mean() + 0.0)


def ambiguity(answers: np.ndarray, *, normalize: bool = False) -> float:
    """Variance of the votes, with classes as 0/1 regression targets.

    ``1/(C n) sum_c sum_i sum_l (Is(member l predicts c for i) - N_ic/L)^2``. As printed, the sum
    over the L members is not divided by L, so that larger ensembles have larger values;
    ``normalize=True`` divides by L.

    Parameters
    ----------
    answers : array of shape (L, n)
    normalize : bool, default=False

    Raises
    ------
    InputError
        If the shape is wrong, or there are no predictions.

    Notes
    -----
    C counts the classes that at least one member predicts; others would add nothing to the
    sum.

    References
    ----------
    Cunningham 2008: section 2.5.3.1; equation 2.31 (the sum over members is not divided by their
    number).

    Examples
    --------
    >>> from ilk_evaluation import diversity
    >>> diversity.ambiguity([["a", "b"], ["b", "b"]])
    0.25
    """
    shares = _vote_shares(answers)
    n_members = len(_checked_answers(answers))
    spread = float((shares * (1 - shares)).mean())  # variance of an indicator: p (1 - p)
    return spread if normalize else n_members * spread


def _vote_shares(answers: np.ndarray) -> np.ndarray:
    """Share of the members that predict each class for each case; shape (n, C)."""
    codes, n_classes = _answer_codes(answers)
    n_members, n = codes.shape
    counts = np.zeros((n, n_classes))
    cases = np.arange(n)
    for predicted in codes:
        counts[cases, predicted] += 1
    return np.asarray(counts / n_members)


def _checked_answers(answers: np.ndarray) -> np.ndarray:
    """Predictions as an array of shape (members, cases).

    Raises
    ------
    InputError
        If the shape is wrong or empty; for missing labels, or labels of mixed types.
    """
    array = label_array("diversity: answers", answers)
    if array.ndim != 2 or 0 in array.shape:
        raise InputError(f"diversity: answers must have shape (members, cases), got {array.shape}")
    return array


def _answer_codes(answers: np.ndarray) -> tuple[np.ndarray, int]:
    """Predictions as codes from 0 in the smallest type, and the number of classes."""
    array = _checked_answers(answers)
    if array.dtype.kind in "iu" and int(array.max()) - int(array.min()) < _FEW:
        array = (array - array.min()).astype(np.uint8)  # faster than np.unique, which sorts
        present = np.bincount(array.ravel(), minlength=_FEW) > 0
        return (np.cumsum(present) - 1).astype(np.uint8)[array], int(present.sum())
    classes, codes = np.unique(array, return_inverse=True)
    small = np.min_scalar_type(len(classes))
    return codes.reshape(array.shape).astype(small), len(classes)


class AmbiguityDecomposition(NamedTuple):
    """The three terms of ``E = mean E - mean A``, in squared units of the outputs.

    Attributes
    ----------
    error : float
        E, the mean squared error of the ensemble.
    mean_error : float
        Mean over the members of their mean squared errors.
    mean_ambiguity : float
        Mean squared distance of the members from the ensemble; at least 0.
    """

    error: float
    mean_error: float
    mean_ambiguity: float


def ambiguity_decomposition(
    outputs: ArrayLike, y: Labels, weights: ArrayLike | None = None
) -> AmbiguityDecomposition:
    """Split the squared error of an average of regressors: ``E = mean E - mean A``.

    With ``f = sum_l w_l f_l`` for each case, ``(f - y)^2 = sum_l w_l (f_l - y)^2 - sum_l w_l
    (f_l - f)^2``; the three terms are means over the cases. So the average is never worse than
    its members are on average, and the gain equals their ambiguity.

    Parameters
    ----------
    outputs : array of shape (L, n)
        Output of each of L members for each of n cases.
    y : array of shape (n,)
        The true values.
    weights : array of shape (L,), optional
        Non-negative; divided by their sum. Default: equal weights.

    Returns
    -------
    AmbiguityDecomposition
        `error`, `mean_error` and `mean_ambiguity`, each computed from its own definition.

    Raises
    ------
    InputError
        For wrong shapes, numbers that are not finite, or weights that are negative or all 0.

    References
    ----------
    Cunningham 2008: section 2.5.3.1; equation 2.27.

    Krogh & Vedelsby (1995).

    Examples
    --------
    >>> from ilk_evaluation import diversity
    >>> diversity.ambiguity_decomposition([[1.0, 4.0], [3.0, 4.0]], [2.0, 3.0])
    AmbiguityDecomposition(error=0.5, mean_error=1.0, mean_ambiguity=0.5)
    """
    outputs = _finite("outputs", outputs)
    if outputs.ndim != 2 or 0 in outputs.shape:
        raise InputError(
            f"ambiguity_decomposition: outputs must have shape (members, cases), got "
            f"{outputs.shape}"
        )
    truth = _finite("y", y)
    if truth.shape != outputs.shape[1:]:
        raise InputError(
            f"ambiguity_decomposition: y must have shape {outputs.shape[1:]}, got {truth.shape}"
        )
    shares = _weight_shares(weights, len(outputs))
    together = shares @ outputs
    return AmbiguityDecomposition(
        error=float(np.mean((together - truth) ** 2)),
        mean_error=float(np.mean(shares @ (outputs - truth) ** 2)),
        mean_ambiguity=float(np.mean(shares @ (outputs - together) ** 2)),
    )


def _finite(argument: str, values: object) -> np.ndarray:
    try:
        numbers = np.asarray(values, dtype=float)
    except (TypeError, ValueError) as error:
        raise InputError(f"ambiguity_decomposition: {argument} must be numbers: {error}") from None
    if not np.isfinite(numbers).all():
        raise InputError(f"ambiguity_decomposition: {argument} must be finite numbers")
    return numbers


def _weight_shares(weights: ArrayLike | None, n_members: int) -> np.ndarray:
    if weights is None:
        return np.full(n_members, 1 / n_members)
    values = _finite("weights", weights)
    if values.shape != (n_members,) or not (values >= 0).all() or not values.any():
        raise InputError(
            f"ambiguity_decomposition: weights must be {n_members} numbers of at least 0, not all "
            f"0, got {values.tolist()}"
        )
    return np.asarray(values / values.sum())
