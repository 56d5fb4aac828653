"""What views label in a round of co-training."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

import ilk

_MOST = 10  # rows of the largest class, for growth by class shares


class Labeled(NamedTuple):
    """Rows that got a label in a round.

    Attributes
    ----------
    at : ndarray of int, shape (m,)
        Positions of the rows among those that were asked about, ascending.
    codes : ndarray of int, shape (m,)
    views : ndarray of int, shape (m,)
        Position of the view that decided.
    confidence : ndarray of shape (m,)
        Its probability of the label.
    """

    at: np.ndarray
    codes: np.ndarray
    views: np.ndarray
    confidence: np.ndarray


def label_surest(outputs: np.ndarray, growth: np.ndarray) -> Labeled:
    """Let each view label the rows that it is surest of, some of each class.

    Of each class a view labels the rows to which it gives the most probability, as many as the
    class may grow, the first of equals; but only rows where the class is more probable than its
    share in the growth. Where a row is to get different labels, from one view or several, the
    most probable one counts; if that is a tie the row stays unlabelled.

    Parameters
    ----------
    outputs : ndarray of shape (V, m, C)
        Probabilities by view, row and class.
    growth : ndarray of int, shape (C,)
        The most rows of each class that a view labels.
    """
    probable = np.moveaxis(outputs / outputs.sum(axis=2, keepdims=True), 2, 1)
    offered = np.full(probable.shape, -1.0)
    for view in range(len(probable)):
        for code, most in enumerate(growth):
            own = probable[view, code]
            rows = np.flatnonzero(own > most / growth.sum())
            rows = rows[np.argsort(-own[rows], kind="stable")[:most]]
            offered[view, code, rows] = own[rows]
    by_class = offered.max(axis=0)
    top = by_class.max(axis=0)
    at = np.flatnonzero((top > 0) & ((by_class == top).sum(axis=0) == 1))
    codes = by_class[:, at].argmax(axis=0)
    return Labeled(at, codes, offered[:, codes, at].argmax(axis=0), top[at])


def class_growth(owner: Any, given: Any, classes: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """How many rows of each class a view labels in a round: an array of at least 1 each.

    Parameters
    ----------
    owner : Component
        Named in errors.
    given : int, mapping of label to int, or None
        None: 1 for the smallest class, others in proportion to their counts, rounded; but at
        most 10 for the largest.
    classes : ndarray of shape (C,)
    counts : ndarray of int, shape (C,)
        Labelled rows of each class.

    Raises
    ------
    ParameterError
        If a mapping does not name just the classes.
    """
    if given is None:
        unit = max(counts.min(), counts.max() / _MOST)
        return np.asarray(np.maximum(np.floor(counts / unit + 0.5), 1), dtype=int)
    if not isinstance(given, Mapping):
        return np.full(len(classes), int(given))
    table = {str(label): rows for label, rows in given.items()}  # keys of specs are texts
    known = [str(label) for label in classes.tolist()]
    for label in table:
        if label not in known:
            hint = ilk.did_you_mean(label, known)
            raise owner.parameter_error("growth", f"must name classes, got {label!r}{hint}")
    lacking = [label for label in known if label not in table]
    if lacking:
        raise owner.parameter_error("growth", f"must name every class, lacks {lacking}")
    return np.array([table[label] for label in known], dtype=int)
