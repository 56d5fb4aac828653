"""Rows in the plane, as far apart as a distance says they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.linalg import eigh

import ilk
from ilk.drawing import look_of, new_axes, written
from ilk_distances.pictures.matrix import matrix_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def embedding(distance: Any, X: Any, y: Any = None, *, ax: Axes | None = None) -> Axes:
    """Draw rows as points of the plane whose Euclidean distances are like those given.

    Classical multidimensional scaling: with J the centring matrix, the coordinates are the first
    two eigenvectors of ``-J D^2 J / 2`` (D^2 the matrix of squared distances), each times the
    root of its eigenvalue. The title says how much of the sum of absolute eigenvalues these
    two have: 100 % if the distances are those of points in a plane. The mean of both
    directions counts where a distance is not symmetric.

    Parameters
    ----------
    distance : Distance
        Fitted, where it needs that.
    X : data of n rows
        All n x n distances are computed.
    y : array of shape (n,), optional
        Labels; each class has a colour and a marker of its own.
    ax : Axes, optional
        A new figure's if left out (``ax.figure`` is the figure).

    Returns
    -------
    Axes

    Raises
    ------
    IlkError
        If matplotlib is not installed.
    InputError
        If there is not one label for each row, or a distance is not finite.

    References
    ----------
    .. [1] W. S. Torgerson, "Multidimensional scaling: I. Theory and method", *Psychometrika* 17,
       1952.

    Examples
    --------
    >>> import ilk, ilk_distances
    >>> X, y = ilk.dataset("iris").load().Xy
    >>> ax = ilk_distances.pictures.embedding(ilk.distance("euclidean"), X, y)
    >>> ax.get_title()
    'euclidean distance in the plane (98 % of it)'
    """
    D, classes, codes = matrix_of(distance, X, y)
    ax = ax or new_axes(6.4, 5.4)
    points, share = scaled(D)
    for code in np.unique(codes).tolist():
        mine = points[codes == code]
        label = None if classes is None else written(classes[code])
        style = {"alpha": 0.8, "edgecolors": "white", "linewidths": 0.5, **look_of(code)}
        ax.scatter(mine[:, 0], mine[:, 1], 28, label=label, **style)
    if classes is not None:
        outside = {"loc": "upper left", "bbox_to_anchor": (1.01, 1)} if len(classes) > 6 else {}
        ax.legend(**outside)
    ax.set_aspect("equal", adjustable="datalim")
    ax.set_title(f"{ilk.display_name(distance)} distance in the plane ({100 * share:.0f} % of it)")
    return ax


def scaled(D: np.ndarray) -> tuple[np.ndarray, float]:
    """Classical scaling to two dimensions, and the share of the eigenvalues in these.

    Parameters
    ----------
    D : ndarray of shape (n, n)

    Returns
    -------
    points : ndarray of shape (n, 2)
        Centred; of each coordinate the number of largest size is positive.
    share : float
    """
    n = len(D)
    largest = D.max() or 1.0  # whose square may be beyond all numbers
    squares = ((D + D.T) / 2 / largest) ** 2
    means = squares.mean(axis=0)
    B = -(squares - means[:, None] - means + means.mean()) / 2
    values, vectors = eigh(B)
    top = np.maximum(values[::-1][:2], 0)
    points = np.zeros((n, 2))
    points[:, : len(top)] = vectors[:, ::-1][:, :2] * np.sqrt(top)
    peaks = points[np.abs(points).argmax(axis=0), [0, 1]]
    total = np.abs(values).sum()
    return points * np.where(peaks < 0, -1, 1) * largest, float(top.sum() / total) if total else 1.0
