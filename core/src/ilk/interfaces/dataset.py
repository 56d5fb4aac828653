"""Dataset and Data: labelled data and its source."""

from __future__ import annotations

import hashlib
from abc import abstractmethod
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from ilk.component import Component
from ilk.inputs import is_table, n_rows

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


Task = Literal["classification", "regression", "detection", "one_class", "clustering"]


@dataclass(frozen=True, repr=False)
class Data:
    """Labelled data.

    Attributes
    ----------
    X : array of shape (n, p), sparse array, data frame or list of length n
        A data frame if there are nominal columns; these have category dtype.
    y : ndarray of shape (n,)
        Labels; numbers for a regression.
    name : str
    feature_names : tuple of str
    nominal : tuple of str
        Names of the nominal features.
    views : mapping of str to tuple of str
        Named groups of features.
    groups : ndarray of shape (n,) or None
        Cases of one group are never divided between training and test.
    description : str
    dates : tuple of str
        Names of the features that were dates, now days since 1970-01-01.
    dialect : str
        How the file is written, as found by its reader.
    notes : tuple of str
        Guesses of the reader, and possible errors.
    task : str
        What `y` is for: ``"classification"``; ``"regression"``, numbers to predict;
        ``"detection"``, the classes inlier and outlier; ``"one_class"``, likewise, where only
        inliers train; ``"clustering"``, classes that clusters are compared with.
    """

    X: Any
    y: np.ndarray
    name: str = ""
    feature_names: tuple[str, ...] = ()
    nominal: tuple[str, ...] = ()
    views: Mapping[str, Sequence[str]] = field(default_factory=dict)
    groups: np.ndarray | None = None
    description: str = ""
    dates: tuple[str, ...] = ()
    dialect: str = ""
    notes: tuple[str, ...] = ()
    task: Task = "classification"

    def __repr__(self) -> str:
        shape: Any = getattr(self.X, "shape", (len(self),))
        size = f"{shape[0]} cases" + (f" of {shape[1]} features" if len(shape) > 1 else "")
        if (share := self.density) is not None:
            size += f", {share:.3g} of them stored"
        nominal = f", {len(self.nominal)} nominal" if self.nominal else ""
        views = f", views {', '.join(self.views)}" if self.views else ""
        groups = "" if self.groups is None else f", {len(np.unique(self.groups))} groups"
        regression = self.task == "regression"
        target = "numeric target" if regression else f"{len(self.classes)} classes"
        return f"<Data {self.name!r}: {size}{nominal}, {target}{views}{groups}>"

    @property
    def Xy(self) -> tuple[Any, np.ndarray]:
        """X and y as a pair."""
        return self.X, self.y

    @property
    def density(self) -> float | None:
        """Share of the values of sparse rows that are stored; None for other data."""
        if not hasattr(self.X, "tocsr"):
            return None
        return float(self.X.nnz / max(self.X.shape[0] * self.X.shape[1], 1))

    @cached_property
    def classes(self) -> np.ndarray:
        """The distinct labels, sorted; none where labels are unknown or numbers to predict."""
        known = self.y if self.labelled and self.task != "regression" else np.array([])
        return np.unique(known)

    @property
    def labelled(self) -> bool:
        """Whether the labels are known: rows to predict have None in place of each."""
        return not (self.y.dtype == object and len(self.y) and self.y[0] is None)

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of the data: features, their names and kinds, labels, groups, task.

        Name, description, dialect and notes are not included.
        """
        digest = hashlib.sha256()
        _digest(digest, self.X)
        _digest(digest, self.y)
        _digest(digest, self.groups)
        digest.update(repr((self.feature_names, self.nominal, sorted(self.views.items()))).encode())
        if self.task != "classification":
            digest.update(self.task.encode())
        return digest.hexdigest()

    def table(self) -> Any:
        """X with the names of its columns as a data frame, unless cases are not rows of a table."""
        if not isinstance(self.X, np.ndarray) or self.X.ndim != 2 or not self.feature_names:
            return self.X
        import pandas as pd

        return pd.DataFrame(self.X, columns=list(self.feature_names), copy=False)

    def __len__(self) -> int:
        return n_rows(self.X)


def _digest(digest: Any, value: Any) -> None:
    if is_table(value):
        for column in value.columns:
            dtype = value[column].dtype
            digest.update(f"{column}:{dtype}:{getattr(dtype, 'ordered', None)}".encode())
            _digest(
                digest, list(getattr(dtype, "categories", ()))
            )  # encoders depend on their order
            _digest(digest, value[column].astype(object).to_numpy())
        return
    if isinstance(value, np.ndarray) and value.dtype != object:
        digest.update(f"{value.dtype.str}{value.shape}".encode())
        digest.update(np.ascontiguousarray(value).tobytes())
        return
    if hasattr(value, "tocsr"):
        matrix = value.tocsr()
        digest.update(f"{matrix.shape}".encode())
        for part in (matrix.data, matrix.indices, matrix.indptr):
            _digest(digest, part)
        return
    if isinstance(value, (list | tuple, np.ndarray)):
        digest.update(f"[{len(value)}".encode())
        for item in value:
            _digest(digest, item)
        return
    digest.update(f"{type(value).__name__}:{value!r};".encode())


class Dataset(Component):
    """Loads labelled data."""

    kind: ClassVar[str] = "dataset"

    @abstractmethod
    def load(self) -> Data:
        """Return the data.

        Raises
        ------
        DataError
            If it cannot be found or read; names file, line and column.
        """

    def title(self) -> str:
        """Short name for tables."""
        from ilk.registries import display_name

        return display_name(self)
