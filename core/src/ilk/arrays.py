"""Types of data: what methods and parameters take beside components."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any, Protocol, Self

import numpy as np


class Indexable(Protocol):
    """Something with rows: a data frame, a sparse matrix, a list."""

    def __len__(self) -> int: ...
    def __getitem__(self, key: Any, /) -> Any: ...


class Shaped(Indexable, Protocol):
    """Rows that have features: a data frame or a sparse matrix."""

    @property
    def shape(self) -> tuple[int, ...]: ...


class Estimator(Protocol):
    """What can be fitted: a component, or an estimator of scikit-learn's."""

    def fit(self, X: Any, y: Any = None) -> Self: ...
    def get_params(self, deep: bool = True) -> dict[str, Any]: ...


Cases = np.ndarray | Indexable  # rows of data; which kinds a component takes, its capabilities say
Matrix = np.ndarray | Shaped  # cases that are known to have features
Labels = np.ndarray | Sequence[Any]  # a value for each case; a series of pandas as well
RandomState = int | np.integer | np.random.RandomState | np.random.Generator | None
FileLike = str | PathLike[str]
ArrayLike = np.ndarray | Sequence[Any]
ViewsLike = Mapping[str, Sequence[str | int]] | Sequence[Sequence[str | int]] | str
