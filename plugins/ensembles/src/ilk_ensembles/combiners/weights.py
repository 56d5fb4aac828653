"""Weights of members: checked given ones, or learned from held-out outputs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import ilk
from ilk_ensembles.combiners.support import over_classes

if TYPE_CHECKING:
    from ilk import ArrayLike, Component, Labels


def check_given(owner: Component, weights: ArrayLike | None, argument: str = "weights") -> None:
    """Raise a ParameterError unless weights are finite and non-negative, and not all 0."""
    array = np.asarray(weights, dtype=float)
    if array.ndim != 1 or not len(array):
        raise owner.parameter_error(argument, f"must be one number per member, got {weights!r}")
    if not (np.isfinite(array) & (array >= 0)).all() or not array.any():
        raise owner.parameter_error(
            argument, f"must be finite, at least 0 and not all 0, got {array.tolist()}"
        )


def for_members(
    owner: Component, weights: np.ndarray, n_members: int, argument: str = "weights"
) -> np.ndarray:
    """Normalise weights to sum one, up to rounding; check that there is one for each member.

    Raises
    ------
    ParameterError
        If the number of members does not match.
    """
    if len(weights) != n_members:
        raise owner.parameter_error(
            argument, f"has {len(weights)} numbers, there are {n_members} members"
        )
    scaled = weights / weights.max()  # so that no sum overflows
    return np.asarray(scaled / scaled.sum())


def held_out_codes(owner: object, outputs: np.ndarray, y: Labels) -> np.ndarray:
    """Codes of the true labels of held-out outputs.

    Raises
    ------
    InputError
        If y does not hold a valid code for each sample.
    """
    _, n, n_classes = outputs.shape
    codes = np.asarray(y)
    must = f"{ilk.display_name(owner)}: y must hold codes of classes, 0 to {n_classes - 1}"
    if codes.ndim != 1 or codes.dtype.kind not in "iu":
        raise ilk.InputError(f"{must}, got {codes.dtype} of shape {codes.shape}")
    if len(codes) != n or not n:
        raise ilk.InputError(f"{must}, one for each of {n} samples, got {len(codes)}")
    bad = np.flatnonzero((codes < 0) | (codes >= n_classes))
    if len(bad):
        raise ilk.InputError(f"{must}, got {codes[bad[0]]} for sample {bad[0]}")
    return codes


def least_squares(support: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Non-negative weights whose weighted sum is nearest to the true labels (NNLS).

    They minimise ``sum_i || sum_l w_l P_l(i) - e_{y_i} ||^2``; equal weights if all are zero.

    Parameters
    ----------
    support : ndarray of shape (L, n, C)
        Rows sum to one.
    codes : ndarray of int, shape (n,)
    """
    from scipy.optimize import nnls

    n_members, _, n_classes = support.shape
    truth = np.eye(n_classes)[codes]
    # all samples and classes are equations; each member is an unknown
    weights, _ = nnls(support.reshape(n_members, -1).T, truth.ravel())
    # all 0: no member comes nearer to the labels than nothing does
    return np.asarray(weights) if weights.any() else np.ones(n_members)


def log_likelihoods(support: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Log-likelihood of the true classes by each member, summed over the samples; shape (L,)."""
    likelihood = support[:, np.arange(len(codes)), codes]
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(likelihood).sum(axis=1))


def normalized(owner: object, outputs: ArrayLike) -> np.ndarray:
    """Check outputs and divide each member's support for a sample by its sum.

    Returns
    -------
    ndarray of shape (L, n, C)
        Rows sum to one.
    """
    array = ilk.check_outputs(owner, outputs)
    array = array / over_classes(np.maximum, array)  # so that no sum overflows
    return np.asarray(array / over_classes(np.add, array))
