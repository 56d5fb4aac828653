"""Pairwise constraints, similar and dissimilar: drawn from labels, or given."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ilk import Array, ArrayLike, InputError, RandomState, Seed, check_labels, display_name, param
from ilk_learners.metric_learners.linear import LinearMetricLearner

if TYPE_CHECKING:
    from ilk import Labels


class Pairs(NamedTuple):
    """Pairs of rows.

    Attributes
    ----------
    similar, dissimilar : ndarray of int, shape (m, 2)
    """

    similar: np.ndarray
    dissimilar: np.ndarray


class PairLearner(LinearMetricLearner):
    """A linear metric learner that learns from pairs of rows, by L-BFGS."""

    constraints: ArrayLike | str = param(
        default="labels",
        type=Array,
        choices=("labels",),
        form='"labels" or array of int, shape (m, 3)',
        doc="Pairs: two numbers of training rows, and 1 if they are alike or -1; y is not "
        'needed then. "labels": pairs are drawn from y.',
    )
    n_constraints: int | None = param(
        default=None,
        type=int,
        ge=2,
        doc="Number of pairs drawn, half of them of equal class; if left out 20 C^2, or 40 for "
        "each feature (at most 10,000) if that is more. At most all pairs.",
    )
    max_iter: int = param(default=500, ge=1, doc="Most iterations of L-BFGS.")
    tol: float = param(default=1e-09, ge=0, doc="Relative improvement at which it stops.")
    random_state: RandomState = param(default=None, type=Seed, doc="Draws the pairs.")


def read_pairs(owner: Any, X: np.ndarray, y: Labels | None, rng: np.random.RandomState) -> Pairs:
    """Pairs as given to a learner, or drawn from labels.

    Half of the `n_constraints` pairs are of equal class and half of different classes, each drawn
    without replacement; if there are fewer, all are used. The default is 20 per ordered pair of
    classes, or 40 per feature (at most 10,000), whichever is more.

    Parameters
    ----------
    owner : Component
        With the parameters `constraints` and `n_constraints`; named in errors.
    X : ndarray of shape (n, p)
    y : array of shape (n,), or None if pairs are given
    rng : RandomState

    Raises
    ------
    InputError
        If there is only one class, or given pairs are invalid; see `check_pairs`.
    """
    if not isinstance(owner.constraints, str):
        return check_pairs(owner, owner.constraints, len(X))
    classes, codes = check_labels(owner, y, X, min_classes=2)
    number = owner.n_constraints
    if number is None:
        number = max(20 * len(classes) ** 2, min(40 * X.shape[1], 10_000))
    return draw_pairs(codes, int(number), rng)


def draw_pairs(codes: np.ndarray, number: int, rng: np.random.RandomState) -> Pairs:
    """Draw `number` pairs of rows: half of equal class, half of different classes.

    The pairs depend on the state but not on the names of classes.

    Examples
    --------
    >>> pairs = draw_pairs(np.array([0, 0, 1]), 10, np.random.RandomState(0))
    >>> pairs.similar
    array([[0, 1]])
    >>> pairs.dissimilar
    array([[0, 2],
           [1, 2]])
    """
    order, ends = _by_class(codes)
    place = np.arange(len(codes))
    # each pair once: partners of a row are the rows after it in its class, or the rows of later
    # classes
    alike = _draw(ends - place - 1, number // 2, rng)
    others = _draw(len(codes) - ends, number - number // 2, rng)
    alike[:, 1] += alike[:, 0] + 1
    others[:, 1] += ends[others[:, 0]]
    return Pairs(_rows(order[alike]), _rows(order[others]))


def any_pairs(n: int, number: int, rng: np.random.RandomState) -> np.ndarray:
    """Draw pairs of different rows without replacement; all if there are no more.

    Returns
    -------
    ndarray of int, shape (m, 2)
    """
    drawn = _draw(np.arange(n)[::-1], number, rng)
    drawn[:, 1] += drawn[:, 0] + 1
    return drawn


def check_pairs(owner: object, pairs: Any, n: int) -> Pairs:
    """Return given pairs, or raise an error that names an invalid one.

    Parameters
    ----------
    owner : Component
    pairs : array of int, shape (m, 3)
        Two row numbers, and 1 (similar) or -1 (dissimilar).
    n : int
        Number of rows.

    Raises
    ------
    InputError
        If the shape is wrong, or a pair has two equal rows, names no row, or repeats or contradicts
        another. The message names the component and the position of the pair.
    """
    name = display_name(owner)
    pairs = np.asarray(pairs)
    if pairs.ndim != 2 or pairs.shape[1] != 3 or not len(pairs):
        raise InputError(
            f"{name}: constraints must be of shape (number of pairs, 3), got {pairs.shape}"
        )
    whole = np.equal(np.mod(pairs, 1), 0).all() if pairs.dtype.kind in "iuf" else False
    if not whole:
        raise InputError(
            f"{name}: constraints must be row numbers, and 1 or -1, got {pairs.dtype} numbers"
        )
    pairs = pairs.astype(np.intp)
    _refuse(
        name,
        pairs,
        (pairs[:, :2] < 0).any(axis=1) | (pairs[:, :2] >= n).any(axis=1),
        f"must name rows from 0 to {n - 1}",
    )
    _refuse(name, pairs, pairs[:, 0] == pairs[:, 1], "must be of two different rows")
    _refuse(name, pairs, np.abs(pairs[:, 2]) != 1, "must end in 1 (alike) or -1")
    _refuse_repeated(name, pairs, np.sort(pairs[:, :2], axis=1), pairs[:, 2])
    alike = pairs[:, 2] == 1
    return Pairs(pairs[alike, :2], pairs[~alike, :2])


def _refuse(name: str, given: np.ndarray, wrong: np.ndarray, what: str) -> None:
    if wrong.any():
        place = int(np.argmax(wrong))
        raise InputError(f"{name}: constraints[{place}] {what}, got {given[place].tolist()}")


def _refuse_repeated(name: str, given: np.ndarray, keys: np.ndarray, signs: np.ndarray) -> None:
    """Raise if two pairs have the same key: they repeat or contradict each other."""
    _, where = np.unique(keys, axis=0, return_inverse=True)
    where = where.ravel()
    order = np.argsort(where, kind="stable")
    again = np.flatnonzero(where[order][1:] == where[order][:-1])
    if not len(again):
        return
    first, second = order[again[0]], order[again[0] + 1]
    what = "repeats" if signs[first] == signs[second] else "contradicts"
    raise InputError(
        f"{name}: constraints[{second}] {what} constraints[{first}], "
        f"got {given[second].tolist()} and {given[first].tolist()}"
    )


def _by_class(codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows sorted by class, classes by their first row; and for each position its class's end."""
    _, first, inverse = np.unique(codes, return_index=True, return_inverse=True)
    appearance = first[inverse]
    order = np.argsort(appearance, kind="stable")
    return order, np.searchsorted(appearance[order], appearance[order], side="right")


def _draw(partners: np.ndarray, number: int, rng: np.random.RandomState) -> np.ndarray:
    """Draw pairs of a position and the number of one of its partners, without replacement."""
    from sklearn.utils.random import sample_without_replacement

    # all pairs are numbered row by row, so that numbers are drawn and no list of pairs is needed
    ends = np.cumsum(partners)
    total = int(ends[-1])
    if number < total:
        drawn = np.sort(sample_without_replacement(total, number, random_state=rng))
    else:
        drawn = np.arange(total)
    # the position whose range of pair numbers has the drawn one
    place = np.searchsorted(ends, drawn, side="right")
    return np.column_stack([place, drawn - (ends[place] - partners[place])])


def _rows(pairs: np.ndarray) -> np.ndarray:
    """Sort each pair, then the pairs."""
    pairs = np.sort(pairs, axis=1)
    return pairs[np.lexsort(pairs.T[::-1])]
