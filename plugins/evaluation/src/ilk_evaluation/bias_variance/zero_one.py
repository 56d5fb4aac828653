"""Zero-one loss: the decompositions of Kohavi and Wolpert, and of Domingos."""

from __future__ import annotations

from typing import Any

import numpy as np

from ilk import InputError
from ilk_evaluation.bias_variance.decomposition import Decomposition
from ilk_evaluation.bias_variance.shares import Shares, shares_of


def kohavi_wolpert(
    labels: Any, y: Any, *, classes: Any = None, unbiased: bool = True
) -> Decomposition:
    """Split the expected zero-one loss into noise, squared bias and variance.

    With F_c the probability of class c given the case and H_c that of predicting it, over the
    training sets::

        noise    = (1 - sum_c F_c^2) / 2
        bias^2   = sum_c (F_c - H_c)^2 / 2
        variance = (1 - sum_c H_c^2) / 2

    which sum to the expected loss ``1 - sum_c F_c H_c``, for each case and so in the mean. H_c is
    estimated by the share h_c of R predictions. Its square is too large by ``h_c (1 - h_c) /
    (R - 1)`` in the mean; with `unbiased` that is taken from the squared bias, which may come below
    0, and added to the variance, as the paper does. The sum stays the same.

    Parameters
    ----------
    labels : array of shape (R, n)
        Predicted label of each of n cases after training on each of R sets of one size.
    y : array of shape (n,), or (n, C)
        True labels: noise, of which one label a case tells nothing, is then 0 and counts as bias.
        Or the probabilities F, with a column for each of `classes`.
    classes : array of shape (C,), optional
        By default those that `labels` and `y` hold.
    unbiased : bool, default=True
        Needs R of at least 2.

    Returns
    -------
    Decomposition

    Raises
    ------
    InputError
        For shapes that do not fit, labels that are none of `classes`, y that holds no
        probabilities, or R = 1 with `unbiased`.

    References
    ----------
    Kohavi & Wolpert (1996), Bias plus variance decomposition for zero-one loss functions, ICML;
    Cunningham, Cord & Delany (2008), sec. 2.5.2.

    Examples
    --------
    >>> from ilk_evaluation import bias_variance
    >>> labels = [["a", "a"], ["a", "b"], ["a", "b"], ["a", "b"]]  # after 4 training sets
    >>> bias_variance.kohavi_wolpert(labels, ["a", "a"], unbiased=False)
    <kohavi_wolpert: loss=0.3750, noise=0.0000, bias=0.2812, variance=0.0938; 2 cases>
    >>> bias_variance.kohavi_wolpert(labels, ["a", "a"])
    <kohavi_wolpert: loss=0.3750, noise=0.0000, bias=0.2500, variance=0.1250; 2 cases>
    """
    shares = shares_of("kohavi_wolpert", labels, y, classes)
    return kohavi_wolpert_of(shares, unbiased=unbiased)


def kohavi_wolpert_of(shares: Shares, *, unbiased: bool) -> Decomposition:
    """As `kohavi_wolpert`, from shares."""
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


def domingos(labels: Any, y: Any, *, classes: Any = None) -> Decomposition:
    """Split the expected zero-one loss by the main prediction: ``c1 N + B + c2 V``.

    The main prediction m is the most frequent one, the optimal one o the most probable class::

        B  = 1 where m is not o, else 0
        V  = P(prediction is not m)
        N  = P(class is not o)
        c2 = 1 where B = 0, else -P(prediction is o, if it is not m)
        c1 = P(prediction is o) - P(prediction is the class, if neither is o)

    so that variance adds to the loss of cases that are right in the main, and takes from that of
    the others. What the terms add is in `Decomposition.mean` and `Decomposition.table`.

    Parameters
    ----------
    labels : array of shape (R, n)
        Predicted label of each of n cases after training on each of R sets of one size.
    y : array of shape (n,), or (n, C)
        True labels, the noise of which is 0; or probabilities of `classes`.
    classes : array of shape (C,), optional
        By default those that `labels` and `y` hold. Of classes predicted, or probable, equally
        often the first counts.

    Returns
    -------
    Decomposition

    Raises
    ------
    InputError
        For shapes that do not fit, labels that are none of `classes`, or y that holds no
        probabilities.

    References
    ----------
    Domingos (2000), A unified bias-variance decomposition and its applications, ICML.

    Examples
    --------
    >>> from ilk_evaluation import bias_variance
    >>> labels = [["a", "a"], ["a", "b"], ["a", "b"], ["b", "b"]]
    >>> bias_variance.domingos(labels, ["a", "a"])  # one case is wrong in the main
    <domingos: loss=0.5000, noise=0.0000, bias=0.5000, variance=0.0000; 2 cases>
    """
    return domingos_of(shares_of("domingos", labels, y, classes))


def domingos_of(shares: Shares) -> Decomposition:
    """As `domingos`, from shares."""
    H, F = shares.predicted, shares.target
    rows = np.arange(len(H))
    main, best = H.argmax(axis=1), F.argmax(axis=1)
    right, sure = H[rows, best], F[rows, best]
    variance, noise = 1 - H[rows, main], 1 - sure
    biased = main != best
    others_right = (F * H).sum(axis=1) - sure * right  # prediction and class agree, not on o
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
