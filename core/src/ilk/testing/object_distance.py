"""A distance on objects of any kind, for components that leave the kind to their distance."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from ilk.capabilities import Capabilities
from ilk.errors import InputError
from ilk.inputs import as_table, is_table, n_rows, nominal_columns
from ilk.interfaces.distance import Distance
from ilk.registries import display_name


class ObjectDistance(Distance):
    """Euclidean distance of a few numbers that describe an object.

    A text is described by the counts of its letters, a set or signature by the mean of its
    points, a row of a table by its numbers and the codes of its categories.
    """

    capabilities: ClassVar[Capabilities] = Capabilities(
        inputs=("tables", "strings", "sets", "signatures"), symmetric=True
    )

    def pairwise(self, X: Any, Y: Any = None) -> np.ndarray:
        """Distances of every object in X to every object in Y (X itself if left out)."""
        X, Y = self.check_pair(X, Y)
        return np.asarray(np.sqrt(((X[:, None, :] - Y[None, :, :]) ** 2).sum(axis=2)))

    def check_input(self, X: Any, argument: str = "X") -> np.ndarray:
        """Return a row of numbers for each object; what was checked before is returned as it is."""
        X = as_table(X)
        if isinstance(X, np.ndarray) and X.ndim == 2 and X.dtype == float:
            return X
        if n_rows(X) == 0:
            raise InputError(f"{display_name(self)}: {argument} has no rows, at least 1 is needed")
        if is_table(X):
            return _numbers_of(X)
        return np.array([_describe(item) for item in X], dtype=float)


def _numbers_of(table: Any) -> np.ndarray:
    coded = {name: table[name].astype("category").cat.codes for name in nominal_columns(table)}
    return np.asarray(table.assign(**coded).to_numpy(dtype=float))


def _describe(item: Any) -> Any:
    if isinstance(item, str):
        return [item.count(letter) for letter in "acgt"]
    if isinstance(item, tuple):
        points, weights = item
        return np.average(points, axis=0, weights=weights)
    return np.mean(item, axis=0)
