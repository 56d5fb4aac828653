"""Cases in the plane, near each other where the trees of a forest put them together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.linalg import eigh

import ilk
from ilk.drawing import new_axes, scatter, written

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def proximity_embedding(
    forest: Any, X: Any, y: Any, *, max_cases: int = 1000, axes: Axes | None = None
) -> Axes:
    """Draw cases by classical scaling of the distances ``sqrt(1 - proximity)`` of a forest.

    Parameters
    ----------
    forest : random_forest
        Fitted.
    X : array of shape (n, p)
    y : array of shape (n,)
        Labels, for the colours.
    max_cases : int, default=1000
        Of more cases, as many as this are drawn, evenly spread over the rows; a matrix of
        ``max_cases`` squared is decomposed.
    axes : Axes, optional
        A new figure's if left out (``axes.figure`` is the figure).

    Returns
    -------
    Axes

    Raises
    ------
    IlkError
        If matplotlib is not installed.
    InputError
        If the classifier has no proximities, or there are fewer than three cases.

    Notes
    -----
    The square root of one minus the proximity is a Euclidean distance: the proximities are
    inner products of leaf indicators.

    References
    ----------
    Breiman (2001); Cunningham, Cord & Delany (2008), sec. 2.5.4.

    Examples
    --------
    >>> import ilk, ilk_ensembles
    >>> X, y = ilk.dataset("iris").load().Xy
    >>> forest = ilk.classifier("random_forest", n_members=20, random_state=0).fit(X, y)
    >>> ax = ilk_ensembles.plotting.proximity_embedding(forest, X, y)
    >>> len(ax.collections)  # a cloud of points for each class
    3
    """
    name = ilk.display_name(forest)
    if not hasattr(forest, "proximities"):
        raise ilk.InputError(f"{name}: has no proximities; random_forest has")
    if max_cases < 3:
        raise ilk.ParameterError(f"proximity_embedding: max_cases must be >= 3, got {max_cases!r}")
    n = ilk.n_rows(X)
    if n < 3:
        raise ilk.InputError(f"{name}: a picture needs at least 3 cases, got {n}")
    ilk.check_same_length(forest, X, y, "y")
    rows = np.unique(np.linspace(0, n - 1, min(n, max_cases)).astype(int))
    points = _scaled(np.asarray(forest.proximities(ilk.take(X, rows)), dtype=float))
    ax = new_axes(6, 4.4) if axes is None else axes
    scatter(ax, points, forest, ilk.take(np.asarray(y), rows), legend=True)
    ax.set(xticks=[], yticks=[], title=f"proximities of {written(name)}")
    ax.set_aspect("equal", adjustable="datalim")
    return ax


def _scaled(inner: np.ndarray) -> np.ndarray:
    """The two first principal coordinates of objects with these inner products."""
    centred = inner - inner.mean(axis=0) - inner.mean(axis=1)[:, None] + inner.mean()
    last = len(inner) - 1
    values, vectors = eigh(centred, subset_by_index=(last - 1, last))
    return np.asarray((vectors * np.sqrt(np.maximum(values, 0)))[:, ::-1])
