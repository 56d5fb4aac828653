"""Whitening by a covariance that is given by a root of it, and what to do where it is singular."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.covariance import ledoit_wolf_shrinkage

from ilk import InputError, Param, display_name
from ilk_learners.linear import fix_signs, rank_of, thin_spectrum

SHRINKAGE = Param(float, ge=0, le=1, doc="Share of a multiple of the identity in A.")
REDUCE_OR_ERROR = Param(choices=("reduce", "error"), doc="If A has not full rank.")
SINGULAR = Param(choices=("reduce", "shrink", "error"), doc="If A has not full rank.")


def inverse_root(
    owner: Any, root: np.ndarray, points: Callable[[], np.ndarray], *, what: str
) -> np.ndarray:
    """L with L A L' = I for A = root' root, shrunk or reduced as `owner` says.

    Parameters
    ----------
    owner : Component
        With the parameters `shrinkage` and `singular`; gets ``rank_`` and ``shrinkage_``.
    root : ndarray of shape (m, p)
    points : callable
        Gives a matrix T whose T'T is the scatter of all points; the space is reduced to their
        leading principal components.
    what : str
        "the covariance inside ...", for errors.

    Returns
    -------
    ndarray of shape (d, p)
        The symmetric A^(-1/2) where nothing was reduced.

    Raises
    ------
    InputError
        If A is 0, or singular where that is to be an error.
    """
    values, vectors = thin_spectrum(root)
    p = root.shape[1]
    owner.rank_ = rank_of(values, root.shape)
    owner.shrinkage_ = float(owner.shrinkage)
    if owner.rank_ == 0:
        raise InputError(f"{display_name(owner)}: {what} is 0: there is nothing to learn from")
    if owner.rank_ < p and owner.shrinkage == 0:
        if owner.singular == "error":
            raise InputError(
                f"{display_name(owner)}: {what} is singular (rank {owner.rank_} of {p}); set "
                f"shrinkage, or another singular"
            )
        if owner.singular == "reduce":
            return _reduced(root, points(), owner.rank_, float(values[0]))
        owner.shrinkage_ = _intensity(owner, root)
    return _shrunk(values, vectors, owner.shrinkage_)


def leading(components: np.ndarray, root: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Turn a space to the principal axes of other rows in it.

    Parameters
    ----------
    components : ndarray of shape (d, p)
    root : ndarray of shape (m, p)

    Returns
    -------
    values : ndarray of shape (min(m, d),)
        Root of the scatter of `root` along each axis, descending.
    components : ndarray of shape (min(m, d), p)
    """
    values, axes = thin_spectrum(root @ components.T)
    return values, np.asarray(fix_signs(axes @ components))


def _shrunk(values: np.ndarray, vectors: np.ndarray, s: float) -> np.ndarray:
    """((1 - s) A + s trace(A)/p I)^(-1/2), for the root eigenvalues and eigenvectors of A."""
    p = vectors.shape[1]
    if not s:
        return np.asarray((vectors.T / values) @ vectors)
    added = s * float((values**2).sum()) / p
    inside = 1 / np.sqrt((1 - s) * values**2 + added)
    outside = 0.0 if len(values) == p else 1 / np.sqrt(added)  # of the vectors that are left out
    return np.asarray((vectors.T * (inside - outside)) @ vectors + outside * np.eye(p))


def _intensity(owner: Any, root: np.ndarray) -> float:
    intensity = float(ledoit_wolf_shrinkage(root, assume_centered=True))
    if intensity == 0:
        raise InputError(
            f"{display_name(owner)}: the intensity of Ledoit and Wolf is 0 for so few points; "
            f"set shrinkage"
        )
    return intensity


def _reduced(root: np.ndarray, points: np.ndarray, rank: int, norm: float) -> np.ndarray:
    """L in the space of the first principal components among which A has full rank."""
    _, axes = thin_spectrum(points)
    chosen = fix_signs(axes)[_independent(root @ axes.T, rank, norm)]
    values, vectors = thin_spectrum(root @ chosen.T)
    return np.asarray((vectors.T / values) @ vectors @ chosen)


def _independent(columns: np.ndarray, number: int, norm: float) -> list[int]:
    """Positions of the first columns, of a matrix of that norm, that do not depend on others."""
    shortest = norm * max(columns.shape) * np.finfo(float).eps
    kept: list[int] = []
    basis = np.zeros((len(columns), number))
    for position, column in enumerate(columns.T):
        if len(kept) == number:
            break
        rest = column - basis @ (basis.T @ column)
        rest -= basis @ (basis.T @ rest)  # once more, for what rounding left
        length = np.linalg.norm(rest)
        if length > shortest:
            basis[:, len(kept)] = rest / length
            kept.append(position)
    return kept
