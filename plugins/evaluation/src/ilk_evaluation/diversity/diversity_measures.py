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
    both, n = _both_right("fail_disagreement", answers, y)
    right = np.diagonal(both)
    return np.asarray((right[:, None] + right - 2 * both) / n)


def double_fault(answers: np.ndarray, y: Labels) -> np.ndarray:
    """Share of the cases that both of two members get wrong, ``N00 / n``.

    Parameters
    ----------
    answers : array of shape (L, n)
    y : array of shape (n,)
        The true labels.

    Returns
    -------
    ndarray of shape (L, L)
        Symmetric, with the error of each member on the diagonal.

    Raises
    ------
    InputError
        If a shape is wrong, or there are no predictions.

    References
    ----------
    Giacinto & Roli (2001), "Design of effective neural network ensembles for image
    classification purposes"; Kuncheva & Whitaker (2003), "Measures of diversity in classifier
    ensembles".

    Examples
    --------
    >>> from ilk_evaluation import diversity
    >>> diversity.double_fault([["a", "b"], ["b", "b"], ["a", "a"]], ["a", "a"])
    array([[0.5, 0.5, 0. ],
           [0.5, 1. , 0. ],
           [0. , 0. , 0. ]])
    """
    both, n = _both_right("double_fault", answers, y)
    right = np.diagonal(both)
    return np.asarray((n - right[:, None] - right + both) / n)


def q_statistic(answers: np.ndarray, y: Labels) -> np.ndarray:
    """Yule's Q of two members, ``(N11 N00 - N01 N10) / (N11 N00 + N01 N10)``.

    N11 cases are right by both, N00 by none, N10 and N01 by one of the two. Q is 0 for members
    whose errors are independent, 1 if one errs only where the other does, and -1 if no case is
    wrong by both, or none is right by both.

    Parameters
    ----------
    answers : array of shape (L, n)
    y : array of shape (n,)
        The true labels.

    Returns
    -------
    ndarray of shape (L, L)
        Symmetric, within -1 and 1. NaN where both products are 0, as for a member that is always
        right.

    Raises
    ------
    InputError
        If a shape is wrong, or there are no predictions.

    References
    ----------
    Kuncheva & Whitaker (2003), "Measures of diversity in classifier ensembles and their
    relationship with the ensemble accuracy".

    Examples
    --------
    >>> from ilk_evaluation import diversity
    >>> answers = [["a", "a", "b", "b"], ["a", "b", "a", "b"], ["a", "a", "a", "b"]]
    >>> diversity.q_statistic(answers, ["a", "a", "a", "a"])
    array([[1., 0., 1.],
           [0., 1., 1.],
           [1., 1., 1.]])
    """
    both, n = _both_right("q_statistic", answers, y)
    right = np.diagonal(both)
    same = both * (n - right[:, None] - right + both)
    other = (right[:, None] - both) * (right - both)
    whole = same + other
    undefined = np.full_like(both, np.nan)
    return np.asarray(np.divide(same - other, whole, out=undefined, where=whole > 0))


def kappa(answers: np.ndarray) -> np.ndarray:
    """Cohen's kappa of the labels of two members: their agreement beyond that of chance.

    ``(a - c) / (1 - c)``, where the two agree on a share a of the cases, and would agree on
    ``c = sum_k p_k q_k`` if they predicted class k as often, p_k and q_k, but independently.

    Parameters
    ----------
    answers : array of shape (L, n)

    Returns
    -------
    ndarray of shape (L, L)
        Symmetric, at most 1, with 1 on the diagonal. NaN for two members that always predict the
        same one class.

    Raises
    ------
    InputError
        If the shape is wrong, or there are no predictions.

    References
    ----------
    Cohen (1960), "A coefficient of agreement for nominal scales"; Margineantu & Dietterich (1997),
    "Pruning adaptive boosting", for ensembles and the kappa-error diagram
    (`ilk_ensembles.plotting.kappa_error`).

    Examples
    --------
    >>> from ilk_evaluation import diversity
    >>> diversity.kappa([["a", "a", "b", "b"], ["a", "b", "a", "b"], ["a", "a", "b", "b"]])
    array([[1., 0., 1.],
           [0., 1., 0.],
           [1., 0., 1.]])
    """
    codes, n_classes = _answer_codes(answers)
    shares = np.stack([np.bincount(each, minlength=n_classes) for each in codes]) / codes.shape[1]
    chance = shares @ shares.T
    agreement = 1 - plain_disagreement(answers)
    undefined = np.full_like(chance, np.nan)
    found = np.divide(agreement - chance, 1 - chance, out=undefined, where=chance < 1)
    return np.asarray(found)


def _both_right(function: str, answers: np.ndarray, y: Labels) -> tuple[np.ndarray, int]:
    """Number of cases that two members get right, of shape (L, L), and number of all cases."""
    answers = _checked_answers(answers)
    truth = label_array(f"{function}: y", y)
    if (truth.dtype.kind in "UO") != (answers.dtype.kind in "UO"):
        raise InputError(
            f"{function}: answers and y must be of one type, got {answers.dtype} and {truth.dtype}"
        )
    if truth.shape != answers.shape[1:]:
        raise InputError(f"{function}: y must have shape {answers.shape[1:]}, got {truth.shape}")
    n = len(truth)
    both = np.zeros((len(answers), len(answers)))
    size = max(_CELLS // len(answers), 1)
    for start in range(0, n, size):
        right = answers[:, start : start + size] == truth[start : start + size]
        numbers = right.astype(np.float32)
        both += numbers @ numbers.T
    return both, n


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
