"""Decompositions of zero-one loss: Kohavi and Wolpert's, and Domingos's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ilk import InputError
from ilk_evaluation.arguments import label_array
from ilk_evaluation.bias_variance.decomposition import Decomposition

if TYPE_CHECKING:
    from ilk import Labels


def kohavi_wolpert(
    labels: Labels, y: Labels, *, classes: np.ndarray | None = None, unbiased: bool = True
) -> Decomposition:
    """Split the expected zero-one loss into noise, squared bias and variance.

    Let F_c be the probability of class c given the case, and H_c the probability of predicting
    c, over the training sets::

        noise    = (1 - sum_c F_c^2) / 2
        bias^2   = sum_c (F_c - H_c)^2 / 2
        variance = (1 - sum_c H_c^2) / 2

    which sum to the expected loss ``1 - sum_c F_c H_c``, for each case and so on average. H_c is
    estimated by the share h_c of R predictions. Its square is too large by ``h_c (1 - h_c) /
    (R - 1)`` on average; `unbiased` subtracts this from the squared bias, which may then be
    negative, and adds it to the variance, as the paper does. The sum stays the same.

    Parameters
    ----------
    labels : array of shape (R, n)
        Predicted label of each of n cases after training on each of R sets of one size.
    y : array of shape (n,), or (n, C)
        True labels: the noise, unknown from one label per case, is then 0 and counts as bias. Or
        the probabilities F, with a column for each of `classes`.
    classes : array of shape (C,), optional
        Default: the classes in `labels` and `y`.
    unbiased : bool, default=True
        Requires R of at least 2.

    Returns
    -------
    Decomposition

    Raises
    ------
    InputError
        For shapes that do not match, labels that are not in `classes`, a y that is neither labels
        nor probabilities, or R = 1 with `unbiased`.

    References
    ----------
    Kohavi & Wolpert (1996), Bias plus variance decomposition for zero-one loss functions, ICML.

    Cunningham 2008: section 2.5.2.

    Examples
    --------
    >>> from ilk_evaluation import bias_variance
    >>> labels = [["a", "a"], ["a", "b"], ["a", "b"], ["a", "b"]]  # after 4 training sets
    >>> bias_variance.kohavi_wolpert(labels, ["a", "a"], unbiased=False)
    <kohavi_wolpert: loss=0.3750, noise=0.0000, bias=0.2812, variance=0.0938; 2 cases>
    >>> bias_variance.kohavi_wolpert(labels, ["a", "a"])
    <kohavi_wolpert: loss=0.3750, noise=0.0000, bias=0.2500, variance=0.1250; 2 cases>
    """
    shares = _shares_of("kohavi_wolpert", labels, y, classes)
    return kohavi_wolpert_of(shares, unbiased=unbiased)


def kohavi_wolpert_of(shares: Shares, *, unbiased: bool) -> Decomposition:
    """The decomposition `kohavi_wolpert` from shares."""
    H, F, counts = shares.predicted, shares.target, shares.counts
    if unbiased and counts.min() < 2:
        raise InputError(
            "kohavi_wolpert: at least 2 predictions of each case are needed, or unbiased=False"
        )
    variance = (1 - (H**2).sum(axis=1)) / 2
    bias = ((F - H) ** 2).sum(axis=1) / 2
    if unbiased:
        excess = variance / (counts - 1)  # sum_c h (1 - h) is 1 - sum_c h^2
        variance, bias = variance + excess, bias - excess
    ones = np.ones(len(H))
    return Decomposition(
        method="kohavi_wolpert",
        loss=1 - (F * H).sum(axis=1),
        noise=(1 - (F**2).sum(axis=1)) / 2,
        bias=bias,
        variance=variance,
        noise_factor=ones,
        variance_factor=ones,
        n_predictions=counts,
        cases=shares.cases,
    )


def domingos(
    labels: Labels | None, y: Labels | None, *, classes: Labels | None = None
) -> Decomposition:
    """Split the expected zero-one loss by the main prediction: ``c1 N + B + c2 V``.

    The main prediction m is the most frequent one, the optimal prediction o the most probable
    class::

        B  = 1 where m is not o, else 0
        V  = P(prediction is not m)
        N  = P(class is not o)
        c2 = 1 where B = 0, else -P(prediction is o, if it is not m)
        c1 = P(prediction is o) - P(prediction is the class, if neither is o)

    so that variance adds to the loss of cases whose main prediction is optimal, and reduces that
    of the others. `Decomposition.mean` and `Decomposition.table` give the contributions.

    Parameters
    ----------
    labels : array of shape (R, n)
        Predicted label of each of n cases after training on each of R sets of one size.
    y : array of shape (n,), or (n, C)
        True labels, with noise 0; or probabilities of `classes`.
    classes : array of shape (C,), optional
        Default: the classes in `labels` and `y`. Ties of predictions or probabilities go to the
        first class.

    Returns
    -------
    Decomposition

    Raises
    ------
    InputError
        For shapes that do not match, labels that are not in `classes`, or a y that is neither
        labels nor probabilities.

    References
    ----------
    Domingos (2000), A unified bias-variance decomposition and its applications, ICML.

    Ntoutsi 2015: Bias and variance.

    Examples
    --------
    >>> from ilk_evaluation import bias_variance
    >>> labels = [["a", "a"], ["a", "b"], ["a", "b"], ["b", "b"]]
    >>> bias_variance.domingos(labels, ["a", "a"])  # one case is wrong in the main
    <domingos: loss=0.5000, noise=0.0000, bias=0.5000, variance=0.0000; 2 cases>
    """
    return domingos_of(_shares_of("domingos", labels, y, classes))


def domingos_of(shares: Shares) -> Decomposition:
    """The decomposition `domingos` from shares."""
    H, F = shares.predicted, shares.target
    rows = np.arange(len(H))
    main, best = H.argmax(axis=1), F.argmax(axis=1)
    right, sure = H[rows, best], F[rows, best]
    variance, noise = 1 - H[rows, main], 1 - sure
    biased = main != best
    others_right = (F * H).sum(axis=1) - sure * right  # prediction equals class, but not o
    spread, noisy = biased & (variance > 0), noise > 0
    variance_factor, noise_factor = np.ones(len(H)), np.ones(len(H))
    variance_factor[spread] = -right[spread] / variance[spread]
    noise_factor[noisy] = right[noisy] - others_right[noisy] / noise[noisy]
    return Decomposition(
        method="domingos",
        loss=1 - (F * H).sum(axis=1),
        noise=noise,
        bias=biased.astype(float),
        variance=variance,
        noise_factor=noise_factor,
        variance_factor=variance_factor,
        n_predictions=shares.counts,
        cases=shares.cases,
    )


@dataclass(frozen=True, eq=False)
class Shares:
    """Distributions of predictions and of the target over the classes, for each case.

    Attributes
    ----------
    predicted : ndarray of shape (n, C)
        Share of the training sets after which each class is predicted.
    target : ndarray of shape (n, C)
        Probability of each class given the case; one-hot where only a label is known.
    counts : ndarray of int, shape (n,)
        Number of predictions for each case.
    cases : ndarray of int, shape (n,)
    """

    predicted: np.ndarray
    target: np.ndarray
    counts: np.ndarray
    cases: np.ndarray


def _shares_of(
    function: str, labels: Labels | None, y: Labels | None, classes: Labels | None
) -> Shares:
    """Count the predicted labels.

    Parameters
    ----------
    function : str
        Name of the function, for errors.
    labels : array of shape (R, n)
    y : array of shape (n,), or (n, C)
        True labels, or probabilities of the classes.
    classes : array of shape (C,) or None

    Raises
    ------
    InputError
        For shapes that do not match, labels that are not in the classes, or numbers that are not
        probabilities.
    """
    answers = label_array(f"{function}: labels", labels)
    truth = label_array(f"{function}: y", y)
    if answers.ndim != 2 or 0 in answers.shape:
        raise InputError(
            f"{function}: labels must have shape (training sets, cases), got {answers.shape}"
        )
    n = answers.shape[1]
    if truth.ndim not in (1, 2) or len(truth) != n:
        raise InputError(
            f"{function}: y must have shape ({n},), or ({n}, classes), got {truth.shape}"
        )
    if classes is None:
        if truth.ndim == 2:
            raise InputError(f"{function}: classes must name the columns of y")
        order = np.unique(np.concatenate([answers.ravel(), truth]))
    else:
        order = label_array(f"{function}: classes", classes)
        if order.ndim != 1 or len(np.unique(order)) < len(order):
            raise InputError(f"{function}: classes must be labels, each once, got {classes!r}")
    codes = _codes(function, "labels", answers, order)
    counts = np.zeros((n, len(order)))
    for predicted in codes:
        counts[np.arange(n), predicted] += 1
    target = _probabilities(function, truth, order)
    return Shares(counts / len(answers), target, np.full(n, len(answers)), np.arange(n))


def _probabilities(function: str, truth: np.ndarray, classes: np.ndarray) -> np.ndarray:
    if truth.ndim == 1:
        return np.asarray(np.eye(len(classes))[_codes(function, "y", truth, classes)])
    if truth.shape[1] != len(classes):
        raise InputError(
            f"{function}: y must have a column for each of {len(classes)} classes, got "
            f"{truth.shape[1]}"
        )
    if truth.dtype.kind not in "biuf":
        raise InputError(f"{function}: y must hold probabilities, got {truth.dtype}")
    values = truth.astype(float)
    if not (values >= 0).all() or not np.allclose(values.sum(axis=1), 1):
        raise InputError(f"{function}: y must hold probabilities that sum to 1 in each row")
    return np.asarray(values / values.sum(axis=1, keepdims=True))


def _codes(function: str, argument: str, labels: np.ndarray, classes: np.ndarray) -> np.ndarray:
    places = {label: code for code, label in enumerate(classes.tolist())}
    values, inverse = np.unique(labels, return_inverse=True)
    strange = [label for label in values.tolist() if label not in places]
    if strange:
        raise InputError(f"{function}: {argument} holds {strange[0]!r}, which is not in classes")
    codes = np.array([places[label] for label in values.tolist()])
    return np.asarray(codes[inverse.reshape(labels.shape)])
