"""Held-out outputs of members: the training data of trainable combination rules."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

import ilk

if TYPE_CHECKING:
    from ilk import Cases

_FOLDS = 5  # most folds by default: members see 4/5 of the rows, at the cost of 5 fits

Splits = Iterator[tuple[np.ndarray, np.ndarray]]
"""Positions of training rows and of held-out rows, for each split."""


def stratified_folds(owner: object, codes: np.ndarray, rng: np.random.RandomState) -> Splits:
    """Draw at most 5 stratified folds at random; every training part keeps every class.

    The cases of a class are dealt to the folds in turn, so no fold has all of them. A class of
    one case is in every training part and never held out.

    Raises
    ------
    InputError
        If no class has two cases.
    """
    counts = np.bincount(codes)
    shared = np.flatnonzero(counts > 1)
    if not len(shared):
        raise ilk.InputError(
            f"{ilk.display_name(owner)}: no class has two cases, so none can be held out"
        )
    rows = np.concatenate([rng.permutation(np.flatnonzero(codes == code)) for code in shared])
    yield from _dealt(rows, len(codes))


def random_folds(owner: object, y: np.ndarray, rng: np.random.RandomState) -> Splits:
    """Draw at most 5 folds at random, ignoring y.

    Raises
    ------
    InputError
        If there is only one row.
    """
    if len(y) < 2:
        raise ilk.InputError(f"{ilk.display_name(owner)}: one row (1 sample) cannot be held out")
    yield from _dealt(rng.permutation(len(y)), len(y))


def _dealt(rows: np.ndarray, n: int) -> Splits:
    """Deal rows to folds in turn; rows not given are in no fold."""
    n_folds = min(_FOLDS, len(rows))
    fold = np.full(n, -1)
    fold[rows] = np.arange(len(rows)) % n_folds
    for number in range(n_folds):
        yield np.flatnonzero(fold != number), np.flatnonzero(fold == number)


def held_out_outputs(
    owner: object,
    query: Callable[[np.ndarray, np.ndarray], np.ndarray],
    X: Any,
    y: np.ndarray,
    scheme: object,
    rng: np.random.RandomState,
    folds: Callable[[Any, np.ndarray, np.random.RandomState], Splits] = stratified_folds,
) -> tuple[np.ndarray, np.ndarray]:
    """Outputs of members for held-out rows, over all splits.

    Parameters
    ----------
    owner : Component
        Named in errors.
    query : callable
        ``query(train, test)`` fits fresh members on the rows at positions `train`, and returns
        their outputs for the rows at `test`: an array of shape (L, len(test), ...), aligned to
        all classes.
    X : data of n rows
    y : ndarray of shape (n,)
        Codes of labels, or numeric targets.
    scheme : resampling, splitter of scikit-learn or None
        None: `folds` draws the splits.
    rng : RandomState
    folds : callable, default=stratified_folds

    Returns
    -------
    rows : ndarray of int, shape (h,)
        Positions of the held-out rows, in ascending order; a row held out more than once has
        one entry for each time.
    outputs : ndarray of shape (L, h, ...)

    Raises
    ------
    InputError
        If the rows cannot be split this way, or a row is in training and test.
    """
    splits = folds(owner, y, rng) if scheme is None else _given(owner, scheme, X, y, rng)
    rows, outputs = [], []
    for train, test in splits:
        outputs.append(query(train, test))
        rows.append(test)
    every = np.concatenate(rows)
    order = np.argsort(every, kind="stable")
    return every[order], np.concatenate(outputs, axis=1)[:, order]


def _given(
    owner: object, scheme: Any, X: Cases | None, y: np.ndarray, rng: np.random.RandomState
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Splits of a resampling, or of a scikit-learn splitter."""
    name = ilk.display_name(owner)
    seed = int(rng.randint(2**31 - 1))
    try:
        if hasattr(scheme, "splits"):
            splits = [(s.train, s.test) for s in scheme.splits(X, y, random_state=seed)]
        else:
            splits = list(scheme.split(np.zeros(len(y)), y))
    except (TypeError, ValueError) as error:
        raise ilk.InputError(f"{name}: resampling: {error}") from error
    if not splits or any(not len(train) or not len(test) for train, test in splits):
        raise ilk.InputError(f"{name}: resampling must give splits with training and test rows")
    for train, test in splits:
        both = np.intersect1d(train, test)
        if len(both):
            raise ilk.InputError(
                f"{name}: resampling must hold rows out, but row {both[0]} is in training and test"
            )
    return splits
