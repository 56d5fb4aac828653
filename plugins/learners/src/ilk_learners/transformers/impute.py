"""impute: missing values replaced by what is usual in their column."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import pandas as pd
from sklearn.base import OneToOneFeatureMixin
from sklearn.utils.validation import check_is_fitted

from ilk import (
    Capabilities,
    InputError,
    Param,
    Transformer,
    as_table,
    display_name,
    is_table,
    nominal_columns,
)
from ilk_learners.transformers.frames import as_frame, check_cells


class Impute(OneToOneFeatureMixin, Transformer):
    """Replace missing values (NaN, None, NaT, NA) by what is usual in their column.

    A data frame stays one, with its index, columns and dtypes; numeric and nominal columns
    are treated each in their way. A nominal column with a category dtype keeps its
    categories (``nominal="constant"`` adds `fill_category` to them).

    Parameters
    ----------
    numeric : {"mean", "median", "most_frequent", "constant"}, default="mean"
        What replaces a missing number.
    nominal : {"most_frequent", "constant"}, default="most_frequent"
        What replaces a missing category.
    fill_number : float, default=0.0
        The constant for numeric columns.
    fill_category : str, default="missing"
        The constant for nominal columns.

    Attributes
    ----------
    statistics_ : list of length p
        What replaces a missing value in each column. Among equally frequent values it is
        the first category of a category dtype, else the smallest.

    Raises
    ------
    InputError
        If a column has no value at all in training, unless a constant replaces it; if a
        value is infinite.

    References
    ----------
    R. J. A. Little and D. B. Rubin, *Statistical Analysis with Missing Data*, 2nd ed., Wiley,
    2002, chapter 4 (unconditional means).

    Examples
    --------
    >>> import ilk
    >>> import pandas as pd
    >>> X = pd.DataFrame({"age": [20.0, None, 40.0], "sex": ["f", "f", None]})
    >>> ilk.transformer("impute").fit_transform(X)
        age sex
    0  20.0   f
    1  30.0   f
    2  40.0   f
    """

    parameters: ClassVar[Mapping[str, Param]] = {
        "numeric": Param(
            choices=("mean", "median", "most_frequent", "constant"),
            doc="What replaces a missing number.",
        ),
        "nominal": Param(
            choices=("most_frequent", "constant"), doc="What replaces a missing category."
        ),
        "fill_number": Param(float, doc="The constant for numeric columns."),
        "fill_category": Param(str, doc="The constant for nominal columns."),
    }
    capabilities: ClassVar[Capabilities] = Capabilities(inputs=("vectors", "tables"), nan=True)

    def __init__(
        self,
        numeric: str = "mean",
        nominal: str = "most_frequent",
        fill_number: float = 0.0,
        fill_category: str = "missing",
    ) -> None:
        self.numeric = numeric
        self.nominal = nominal
        self.fill_number = fill_number
        self.fill_category = fill_category

    @classmethod
    def examples(cls) -> list[Self]:
        return [
            cls(),
            cls(numeric="median"),
            cls(numeric="most_frequent"),
            cls(numeric="constant", nominal="constant", fill_number=-1.0),
        ]

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn what is usual in each column; y is ignored."""
        self.check_parameters()
        frame = as_frame(self, X, reset=True, nan=True)
        nominal = set(nominal_columns(frame))
        self.statistics_ = [
            self._statistic(frame.iloc[:, i], nominal=label in nominal)
            for i, label in enumerate(frame.columns)
        ]
        return self

    def transform(self, X: Any) -> Any:
        """The table without missing values: a data frame for one, else an array."""
        check_is_fitted(self)
        X = as_table(X)
        frame = as_frame(self, X, reset=False, nan=True)
        nominal = set(nominal_columns(frame))
        columns = [
            self._filled(frame.iloc[:, i], self.statistics_[i], nominal=label in nominal)
            for i, label in enumerate(frame.columns)
        ]
        filled = pd.concat(columns, axis=1)
        return filled if is_table(X) else filled.to_numpy()

    def _statistic(self, column: pd.Series[Any], *, nominal: bool) -> Any:
        how = self.nominal if nominal else self.numeric
        if nominal:
            check_cells(self, column)
        if how == "constant":
            return self.fill_category if nominal else self.fill_number
        present = column.dropna()
        if present.empty:
            raise InputError(
                f"{display_name(self)}: X, column {column.name!r}, has no value at all to learn "
                f"from; drop it or set {'nominal' if nominal else 'numeric'}='constant'"
            )
        if how == "most_frequent":
            return _most_frequent(present)
        return float(present.mean() if how == "mean" else present.median())

    def _filled(self, column: pd.Series[Any], value: Any, *, nominal: bool) -> pd.Series[Any]:
        if isinstance(column.dtype, pd.CategoricalDtype):
            if value not in column.cat.categories:
                column = column.cat.add_categories([value])
        elif not nominal and isinstance(value, float):
            column, value = _fitting(column, value)
        return column.fillna(value) if column.hasnans else column


def _most_frequent(present: pd.Series[Any]) -> Any:
    counts = present.value_counts(sort=False)
    top = counts.index[counts == counts.max()]
    if isinstance(present.dtype, pd.CategoricalDtype):
        return next(category for category in present.cat.categories if category in set(top))
    return min(top, key=lambda value: (type(value).__name__, value))


def _fitting(column: pd.Series[Any], value: float) -> tuple[pd.Series[Any], Any]:
    """Bring number and column together: float32 stays, nullable integers take no fractions."""
    if column.dtype.kind == "f":
        return column, column.dtype.type(value)
    if column.hasnans and not value.is_integer():
        return column.astype("Float64"), value
    return column, value
