"""Where the search for a linear map begins."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import svd

from ilk import Array, InputError, Param, display_name
from ilk_learners.linear import fix_signs, rank_of, spectrum, within

INIT = Param(
    Array,
    choices=("identity", "pca", "lda"),
    doc="The map to begin with, for features as they come.",
)


def starting_map(owner: Any, X: np.ndarray, groups: np.ndarray | None, d: int) -> np.ndarray:
    """The map to begin with, for deviations X in the unit of `owner`.

    "identity" keeps the first d features, "pca" projects on the d directions of largest
    variance, "lda" on those that separate classes best (each of length one, ordered by
    Fisher's criterion; beyond the number of classes less one, on those of largest variance
    that are left). An array is taken as it is.

    Parameters
    ----------
    owner : Component
        With a parameter `init`; named in errors.
    X : ndarray of shape (n, p)
        Centred.
    groups : ndarray of int, shape (n,), or None
        Classes, for "lda".
    d : int

    Returns
    -------
    ndarray of shape (d, p), float64

    Raises
    ------
    ParameterError
        If an array has not the shape (d, p), or a number that is not finite.
    """
    p = X.shape[1]
    if not isinstance(owner.init, str):
        return _given(owner, d, p)
    if owner.init == "identity":
        return np.eye(d, p)
    if owner.init == "pca":
        return fix_signs(spectrum(X.astype(float, copy=False))[1][:d])
    if groups is None:
        raise owner.parameter_error("init", "must not be 'lda' where y holds no classes")
    return _discriminating(X.astype(float, copy=False), groups, d)


def check_components(owner: Any, wanted: int | None, p: int) -> int:
    """Return how many dimensions are asked for: as many as there are features by default.

    Raises
    ------
    InputError
        If there are not so many features.
    """
    if wanted is not None and wanted > p:
        raise InputError(
            f"{display_name(owner)}: n_components must be at most {p}, the number of features, "
            f"got {wanted}"
        )
    return p if wanted is None else int(wanted)


def _given(owner: Any, d: int, p: int) -> np.ndarray:
    L = np.array(owner.init, dtype=float)
    if L.shape != (d, p):
        raise owner.parameter_error("init", f"must be of shape {(d, p)}, got {L.shape}")
    if not np.isfinite(L).all():
        raise owner.parameter_error("init", "must be finite, got NaN or infinity")
    return L


def _discriminating(X: np.ndarray, groups: np.ndarray, d: int) -> np.ndarray:
    """Directions of Fisher's criterion within the span of X, completed by the principal ones."""
    n_groups = int(groups.max()) + 1
    values, axes = spectrum(X)
    rank = max(rank_of(values, X.shape), 1)
    scale = values[:rank] / np.sqrt(len(X))
    whitened = X @ (axes[:rank].T / scale)
    means, _, _ = within(whitened, groups, n_groups)
    shares = np.sqrt(np.bincount(groups, minlength=n_groups) / len(groups))
    _, directions = spectrum(means * shares[:, None])
    number = min(d, n_groups - 1, rank)
    found = directions[:number] / scale @ axes[:rank]
    found /= np.linalg.norm(found, axis=1, keepdims=True)
    if number < d:
        found = np.vstack([found, _rest(X, found)[: d - number]])
    return fix_signs(found)


def _rest(X: np.ndarray, found: np.ndarray) -> np.ndarray:
    """Directions orthogonal to those found, by descending variance; with them a basis."""
    _, _, basis = svd(found)
    others = basis[len(found) :]
    return np.asarray(spectrum(X @ others.T)[1] @ others)
