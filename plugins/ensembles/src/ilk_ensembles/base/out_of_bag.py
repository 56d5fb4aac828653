"""Out-of-bag predictions: each row is predicted by the members not fitted on it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

import ilk
from ilk import param

_CELLS = 1 << 22  # outputs held in memory at once: 32 MB of float64

PATIENCE: Any = param(
    default=None,
    type=int,
    ge=1,
    doc="Stop when the out-of-bag error has not improved for so many members; `n_members` is then "
    "the largest number. None: fit all.",
)
QueryEach = Callable[[list[int], list[np.ndarray]], list[np.ndarray]]


def rows_left_out(rows: Sequence[np.ndarray], n: int) -> np.ndarray:
    """Mask of the rows that each member was not fitted on.

    Parameters
    ----------
    rows : sequence of L arrays of int
        Rows drawn for each member.
    n : int

    Returns
    -------
    ndarray of bool, shape (L, n)
    """
    left_out = np.ones((len(rows), n), dtype=bool)
    for member, drawn in enumerate(rows):
        left_out[member, drawn] = False
    return left_out


def out_of_bag_support(
    left_out: np.ndarray,
    query_each: QueryEach,
    combine: Callable[[np.ndarray, np.ndarray], np.ndarray],
    width: int,
) -> np.ndarray:
    """Combine, for each row, the outputs of the members not fitted on it.

    Rows with the same number of such members are combined together, so the rule is called at
    most L times per block. The rule must treat members alike: it does not know which output
    belongs to which member.

    Parameters
    ----------
    left_out : ndarray of bool, shape (L, n)
        As returned by `rows_left_out`.
    query_each : callable
        ``query_each(members, rows)`` returns a list of outputs: the i-th is the output of the
        member at position ``members[i]`` for the rows at ``rows[i]``, an array of shape
        (m, ...) with the same further axes for all members.
    combine : callable
        ``combine(outputs, rows)`` turns outputs of shape (k, m, ...) into an array of shape
        (m, width), where k is the number of members not fitted on these rows.
    width : int
        Numbers per row: the number of classes C for classification, 1 for regression.

    Returns
    -------
    ndarray of shape (n, width)
        NaN for rows used by every member.
    """
    n = left_out.shape[1]
    support = np.full((n, width), np.nan)
    size = max(_CELLS // (len(left_out) * width), 1)
    for start in range(0, n, size):
        those = slice(start, start + size)
        for rows, outputs in _alike(left_out[:, those], start, query_each):
            support[rows] = combine(outputs, rows)
    return support


def _alike(
    left_out: np.ndarray, start: int, query_each: QueryEach
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield the rows of a block grouped by their number of out-of-bag members, with outputs."""
    members = np.flatnonzero(left_out.any(axis=1)).tolist()
    if not members:
        return
    columns = [np.flatnonzero(left_out[member]) for member in members]
    answers = query_each(members, [start + those for those in columns])
    place = np.cumsum(left_out, axis=0) - 1  # rank of a member among a row's out-of-bag members
    counts = place[-1] + 1
    shape = (int(counts.max()), left_out.shape[1], *answers[0].shape[1:])
    packed = np.empty(shape, dtype=np.result_type(*answers))
    # pack the outputs of a row's out-of-bag members without gaps, in the order of members
    for member, those, outputs in zip(members, columns, answers, strict=True):
        packed[place[member, those], those] = outputs
    for count in np.unique(counts[counts > 0]).tolist():
        alike = np.flatnonzero(counts == count)
        yield start + alike, packed[:count, alike]


def treats_alike(rule: Any, n_members: int, n_classes: int) -> bool:
    """Tell whether a rule is untrained, takes any number of members, and ignores their order.

    Parameters
    ----------
    rule : combiner
        Not fitted. It is tried on outputs that differ widely.
    n_members, n_classes : int
    """
    if rule.needs_fit:
        return False
    # outputs that differ widely, so that a rule that treats members differently shows it
    outputs = np.random.RandomState(0).dirichlet(np.full(n_classes, 0.3), (n_members, 16)) + 1e-6

    def combined(some: np.ndarray) -> np.ndarray:
        if rule.needs == "labels":
            return np.asarray(rule.combine_labels(some.argmax(axis=2), n_classes))
        return np.asarray(rule.combine(some))

    try:
        combined(outputs[:1])
        return bool(np.allclose(combined(outputs[::-1]), combined(outputs)))
    except ilk.IlkError:
        return False


def out_of_bag_error(
    wrong: np.ndarray, support: np.ndarray, weights: np.ndarray | None = None
) -> tuple[float, int]:
    """Mean error over the rows with an out-of-bag member, and the number of other rows.

    Parameters
    ----------
    wrong : array of shape (n,)
        Error of each row, such as whether its predicted label is wrong. Rows without support
        are ignored.
    support : ndarray of shape (n, width)
        As returned by `out_of_bag_support`.
    weights : ndarray of shape (n,), optional

    Returns
    -------
    error : float
        NaN where no row is out of any bag, or all such rows have weight 0.
    n_never : int
        Number of rows used by every member.
    """
    known = ~np.isnan(support[:, 0])
    shares = 1.0 if weights is None else weights / weights.max()  # the sum cannot overflow
    heavy = np.where(known, shares, 0.0)
    total = heavy.sum()
    error = float((heavy * np.where(known, wrong, 0)).sum() / total) if total > 0 else np.nan
    return error, int(len(known) - known.sum())


def stopped_at(errors: Iterable[float], patience: int) -> int | None:
    """Number of members after which the error has not improved for `patience` members.

    Parameters
    ----------
    errors : sequence of float
        Out-of-bag error of the first 1, 2, ... members; NaN while it is unknown.
    patience : int

    Returns
    -------
    int or None
        None: there is no such number yet.
    """
    least, last = np.inf, 0
    for count, error in enumerate(errors, start=1):
        if error < least:
            least, last = error, count
        elif last and count - last >= patience:
            return count
    return None
