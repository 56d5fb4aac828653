"""What one_hot and ordinal share: the categories of nominal columns and their codes."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd
from sklearn.base import OneToOneFeatureMixin
from sklearn.utils.validation import check_is_fitted

from ilk import Capabilities, InputError, Param, Transformer, did_you_mean, display_name
from ilk import nominal_columns as nominal_columns_of
from ilk_learners.transformers.frames import as_frame, check_cells, distinct, keys_of, positions

COLUMNS = Param(
    list,
    choices=("nominal",),
    items=Param((str, int)),
    doc="Which columns are encoded: those not numeric, or names, positions or patterns.",
)
MISSING = -1
UNSEEN = -2


class Encoder(OneToOneFeatureMixin, Transformer):
    """Learns the categories of nominal columns; numeric columns pass through in place."""

    capabilities: ClassVar[Capabilities] = Capabilities(inputs=("vectors", "tables"))
    columns: str | Sequence[str | int]

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the categories; y is ignored."""
        self.check_parameters()
        frame = as_frame(self, X, reset=True, nan=False)
        self.encoded_ = _positions(self, frame, self.columns)
        self.categories_ = {i: self._categories(frame.iloc[:, i]) for i in self.encoded_}
        return self

    def transform(self, X: Any) -> Any:
        """Encoded rows; float array with a row for each row of X."""
        check_is_fitted(self)
        frame = as_frame(self, X, reset=False, nan=False)
        self._check_numeric(frame)
        return self._encode(frame)

    def _categories(self, column: pd.Series[Any]) -> list[Any]:
        """Those its dtype declares, in that order, or the distinct values, sorted."""
        check_cells(self, column)
        if isinstance(column.dtype, pd.CategoricalDtype):
            return list(column.cat.categories)
        return distinct(self, column)

    @abstractmethod
    def _encode(self, frame: pd.DataFrame) -> np.ndarray:
        """Return the output for a checked table."""

    def _check_numeric(self, frame: pd.DataFrame) -> None:
        """Refuse texts in a column that was numeric in training."""
        for label in nominal_columns_of(frame):
            position = frame.columns.get_loc(label)
            if position not in self.encoded_:
                raise InputError(
                    f"{display_name(self)}: X, column {label!r}, is of type {frame[label].dtype}, "
                    f"was numeric in training, and is not encoded; give it as numbers"
                )

    def _codes(self, frame: pd.DataFrame, position: int) -> np.ndarray:
        """Code of each cell: its place among the categories, `MISSING` or `UNSEEN`."""
        column = frame.iloc[:, position]
        check_cells(self, column)
        known = keys_of(self.categories_[position])
        if isinstance(column.dtype, pd.CategoricalDtype):
            own = known.get_indexer(keys_of(column.cat.categories))
            codes = np.append(own, -1)[column.cat.codes.to_numpy()]
        else:
            codes = known.get_indexer(keys_of(column))
        codes = np.where(codes < 0, UNSEEN, codes)
        codes[column.isna().to_numpy()] = MISSING
        return codes

    def _refuse(self, frame: pd.DataFrame, position: int, bad: np.ndarray, remedy: str) -> None:
        """Raise for the first bad cell, if any, saying what can be done."""
        if not bad.any():
            return
        row = int(np.argmax(bad))
        label, cell = frame.columns[position], frame.iloc[:, position].iloc[row]
        missing = bool(frame.iloc[:, position].isna().iloc[row])
        what = "a missing value" if missing else f"the unseen category {cell!r}"
        hint = "" if missing else did_you_mean(cell, map(str, self.categories_[position]))
        raise InputError(
            f"{display_name(self)}: X has {what} in column {label!r} at row {row}{hint} ({remedy})"
        )

    def _dtype(self, frame: pd.DataFrame) -> Any:
        """float32 where every numeric column is, else float64."""
        kinds = {
            dtype for position, dtype in enumerate(frame.dtypes) if position not in self.encoded_
        }
        return np.float32 if kinds == {np.dtype(np.float32)} else np.float64


def _positions(
    owner: Encoder, frame: pd.DataFrame, columns: str | Sequence[str | int]
) -> list[int]:
    """Positions of the columns to encode, ascending."""
    labels = list(frame.columns)
    nominal = [i for i, label in enumerate(labels) if label in set(nominal_columns_of(frame))]
    if isinstance(columns, str):
        return nominal
    chosen = set(positions(owner, labels, columns))
    left = [labels[i] for i in nominal if i not in chosen]
    if left:
        raise InputError(
            f"{display_name(owner)}: X has nominal columns that are not among those to encode: "
            f"{', '.join(map(repr, left))}"
        )
    return sorted(chosen)
