"""Approximate indexes: comparison of a query with its candidates, and recall."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np

import ilk

if TYPE_CHECKING:
    from ilk import Cases, Distance, Matrix

_COPIED = 2**19  # numbers of training rows copied for one comparison: bounds the memory


def nearest(
    distance: Distance | None, query: object, X: Cases, rows: np.ndarray, k: int
) -> tuple[np.ndarray, np.ndarray]:
    """The k nearest of some rows, ties by lower index.

    Parameters
    ----------
    distance : Distance
        Fitted.
    query : data of one row
    X : data of n rows
    rows : ndarray of int
        Ascending, at least k.
    k : int

    Returns
    -------
    distances : ndarray of shape (k,)
    indices : ndarray of int, shape (k,)
    """
    values = _compared(distance, query, X, rows)
    # all rows that tie with the k-th, so that the lower index wins
    return _ordered(values, rows, values <= np.partition(values, k - 1)[k - 1], k)


def within(
    distance: Distance, query: Any, X: Matrix, rows: np.ndarray, r: float
) -> tuple[np.ndarray, np.ndarray]:
    """Those of some rows (ascending) within distance r, nearest first, ties by lower index."""
    values = _compared(distance, query, X, rows)
    return _ordered(values, rows, values <= r, len(rows))


def _compared(distance: Any, query: Any, X: Any, rows: np.ndarray) -> np.ndarray:
    """Distances to some rows, copied block by block."""
    step = max(_COPIED // max(*X.shape[1:], 1, 1), 1)
    starts = range(0, len(rows), step)
    parts = [distance.pairwise(query, X[rows[start : start + step]])[0] for start in starts]
    return np.concatenate(parts) if parts else np.empty(0)


def _ordered(
    values: np.ndarray, rows: np.ndarray, selected: np.ndarray, k: int
) -> tuple[np.ndarray, np.ndarray]:
    # rows ascend, and the stable sort keeps their order among ties
    places = np.flatnonzero(selected)
    places = places[np.argsort(values[places], kind="stable")[:k]]
    return values[places], rows[places]


@overload
def recall(
    index: ilk.Index, Q: Matrix, k: int = ..., *, per_query: Literal[False] = ...
) -> float: ...


@overload
def recall(
    index: ilk.Index, Q: Matrix, k: int = ..., *, per_query: Literal[True]
) -> np.ndarray: ...


def recall(
    index: ilk.Index, Q: Matrix, k: int = 10, *, per_query: bool = False
) -> float | np.ndarray:
    """Share of the k nearest neighbours that an index finds, compared with brute force.

    A row that the index returns counts as found if its distance is at most that of the true k-th
    neighbour: ties may be resolved in any way. A row returned twice counts once. Distances are
    computed again, not read from the index.

    Parameters
    ----------
    index : Index
        Fitted, with its training rows as ``X_`` and its distance as ``distance_``, as all
        indexes of ilk-distances have.
    Q : data of m rows
        Queries; preferably not training rows, because these are their own neighbours.
    k : int, default=10
    per_query : bool, default=False
        Whether to return the recall of each query instead of the mean.

    Returns
    -------
    float, or ndarray of shape (m,)
        From 0 to 1; exactly 1 for an exact index.

    Raises
    ------
    InputError
        If k is not within 1..n.
    NotFittedError

    Examples
    --------
    >>> import ilk, ilk_distances, numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X, Q = rng.normal(size=(2000, 8)), rng.normal(size=(50, 8))
    >>> index = ilk.index("lsh", random_state=0).fit(X, distance=ilk.distance("euclidean"))
    >>> 0.8 < ilk_distances.recall(index, Q, 10) <= 1
    True
    """
    from sklearn.utils.validation import check_is_fitted

    if getattr(index, "kind", None) != "index":
        raise ilk.InputTypeError(f"recall: index must be a fitted index, got {index!r}")
    check_is_fitted(index, ["X_", "distance_"])
    fitted: Any = index
    distance, X = fitted.distance_, fitted.X_
    _, rows = index.kneighbors(Q, k)
    Q = distance.check_input(Q, "Q")
    limits = np.asarray(distance.kneighbors(Q, X, int(k))[0])[:, -1]
    shares = np.array(
        [
            _rows_within(distance, ilk.take(Q, [row]), X, np.unique(rows[row]), limits[row]) / k
            for row in range(len(limits))
        ]
    )
    return shares if per_query else float(shares.mean())


def _rows_within(distance: Distance, query: Any, X: Matrix, rows: np.ndarray, limit: float) -> int:
    """Number of rows within a limit of a query, up to rounding."""
    near = distance.pairwise(query, ilk.take(X, rows))[0]
    # distances computed in another order may differ in the last digits
    slack = 8 * np.finfo(near.dtype).eps if near.dtype.kind == "f" else 0.0
    return int(np.count_nonzero(near <= limit * (1 + slack)))
