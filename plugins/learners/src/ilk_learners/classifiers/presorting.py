"""Presorted: the order of the rows along each feature, found once and used by many fits."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from ilk import InputError, check_labels, check_vectors, display_name, in_blocks

_SMALL = 2**16  # rows whose numbers take two bytes
_SHARE = 2**13  # numbers that a thread sorts at a time, at least
_SHAPE = ("n_features_in_", "feature_names_in_")


@dataclass(frozen=True)
class Presorted:
    """What `presort` gives: rows in ascending order along each feature.

    It holds X itself, not a copy: X must not be changed while it is in use. Beyond X it takes
    3 bytes a cell, 5 from 65,537 rows on. The labels it was last used with are remembered.

    Attributes
    ----------
    X : ndarray of shape (n, p)
        As it was checked.
    order : ndarray of uint16 or uint32, shape (p, n)
        Row numbers, ascending along each feature; equal values in the order of the rows.
    last : ndarray of bool, shape (p, n)
        Whether the value at that place is another than the next one; False at the end.
    """

    X: np.ndarray
    order: np.ndarray
    last: np.ndarray
    _given: Any = field(repr=False, compare=False)
    _features: dict[str, Any] = field(repr=False, compare=False)
    _known: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = field(
        default_factory=list, repr=False, compare=False
    )

    @classmethod
    def of(cls, owner: Any, X: Any) -> Self:
        """Check X, noting its features on `owner`, and sort its rows along each feature."""
        checked = check_vectors(owner, X, reset=True)
        n, p = checked.shape
        order = np.empty((p, n), dtype=np.uint16 if n <= _SMALL else np.uint32)
        last = np.zeros((p, n), dtype=bool)

        def work(start: int, stop: int) -> None:
            for f in range(start, stop):
                column = np.ascontiguousarray(checked[:, f])
                rows = np.argsort(column)
                values = column[rows]
                np.not_equal(values[1:], values[:-1], out=last[f, :-1])
                if not last[f, :-1].all():  # only then does the sort have to be stable
                    rows = np.argsort(column, kind="stable")
                order[f] = rows

        in_blocks(work, p, max(_SHARE // n, 1))
        features = {name: getattr(owner, name) for name in _SHAPE if hasattr(owner, name)}
        return cls(checked, order, last, X, features)

    def use_for(self, owner: Any, X: Any) -> None:
        """Check that X is what was sorted, and note its features on `owner`.

        Raises
        ------
        InputError
            Naming the component, if it is not.
        """
        if X is self._given or X is self.X:
            for name in _SHAPE:
                vars(owner).pop(name, None)
            vars(owner).update(self._features)
        elif not np.array_equal(check_vectors(owner, X, reset=True), self.X):
            raise InputError(f"{display_name(owner)}: presorted is of another X")

    def labels(self, owner: object, y: Any) -> tuple[np.ndarray, np.ndarray]:
        """Classes and codes of labels, found once for fits with the same ones in turn."""
        given = y if isinstance(y, np.ndarray) and y.dtype != object else None
        for known, classes, codes in self._known:
            if given is not None and known.dtype == given.dtype and np.array_equal(known, given):
                return classes, codes
        classes, codes = check_labels(owner, y, self.X, min_classes=2)
        codes = codes.astype(np.int32)
        if given is not None:
            self._known[:] = [(given.copy(), classes, codes)]
        return classes, codes
