"""Types of data: what methods and parameters take beside components."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any, Protocol, Self

import numpy as np


class Cases(Protocol):
    """Rows of data: an array, a data frame, a sparse matrix, or a list of objects.

    Each component says in its capabilities which of these it takes.
    """

    def __len__(self) -> int: ...
    def __getitem__(self, key: Any, /) -> Any: ...


class Matrix(Cases, Protocol):
    """Rows that have features: an array, a data frame or a sparse matrix."""

    @property
    def shape(self) -> tuple[int, ...]: ...


class Labels(Protocol):
    """One value for each row: an array, a series or a list of labels or numbers."""

    def __len__(self) -> int: ...
    def __getitem__(self, key: Any, /) -> Any: ...


class Estimator(Protocol):
    """What can be fitted: a component, or an estimator of scikit-learn's."""

    def fit(self, X: Any, y: Any = None) -> Self: ...
    def get_params(self, deep: bool = True) -> dict[str, Any]: ...


RandomState = int | np.integer | np.random.RandomState | np.random.Generator | None
FileLike = str | PathLike[str]
ArrayLike = np.ndarray | Sequence[Any]
ViewsLike = Mapping[str, Sequence[str | int]] | Sequence[Sequence[str | int]] | str
