"""Types of data: what methods and parameters take beside components."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
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


class Column(Indexable, Protocol):
    """A column of a data frame: a series of pandas or polars."""

    def __iter__(self) -> Iterator[Any]: ...
    def to_numpy(self) -> np.ndarray: ...


class Estimator(Protocol):
    """What can be fitted: a component, or an estimator of scikit-learn's."""

    def fit(self, X: Any, /, *args: Any, **keywords: Any) -> Self: ...
    def get_params(self, deep: bool = True) -> dict[str, Any]: ...


class Predictor(Estimator, Protocol):
    """Something that predicts: a fitted component, or an estimator of scikit-learn's."""

    def predict(self, X: Any, /) -> Any: ...


class FittedClassifier(Predictor, Protocol):
    """A fitted classifier: a component, or an estimator of scikit-learn's."""

    @property
    def classes_(self) -> np.ndarray: ...


Cases = np.ndarray | Indexable  # rows of data; which kinds a component takes, its capabilities say
Matrix = np.ndarray | Shaped  # cases that are known to have features
Labels = np.ndarray | Sequence[Hashable] | Column  # a value for each case: texts or numbers
RandomState = int | np.integer | np.random.RandomState | np.random.Generator | None
FileLike = str | PathLike[str]
ArrayLike = np.ndarray | Sequence[float] | Sequence[Sequence[float]]  # numbers
ViewsLike = Mapping[str, Sequence[str | int]] | Sequence[Sequence[str | int]] | str
