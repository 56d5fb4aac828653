"""impute: missing values replaced by a statistic of their column."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from ilk import (
    Capabilities,
    InputError,
    OneToOneFeatureMixin,
    Transformer,
    as_table,
    check_fitted,
    display_name,
    is_table,
    nominal_columns,
    param,
)
from ilk_learners.numerics import check_finite_parameters, typical
from ilk_learners.transformers.frames import as_frame, check_cells, distinct, keys_of

if TYPE_CHECKING:
    import pandas as pd

    from ilk import Cases, Labels


class Impute(OneToOneFeatureMixin, Transformer):
    """Replace missing values (NaN, None, NaT, NA) by a statistic of their column.

    A data frame stays one, with its index, columns and dtypes. Numeric and nominal columns have
    separate rules. A nominal column with a category dtype keeps its categories
    (``nominal="constant"`` adds `fill_category` to them).

    Attributes
    ----------
    nominal_ : ndarray of bool, shape (p,)
        Whether a column is nominal.
    statistics_ : list of length p
        Replacement for missing values in each column. Ties of frequency go to the first category
        of a category dtype, else to the smallest value.

    Raises
    ------
    InputError
        If a value is infinite; if a column that was numeric in training has texts, or its type
        cannot hold the replacement.

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

    numeric: str = param(
        default="mean",
        choices=("mean", "median", "most_frequent", "constant"),
        doc="Replacement for a missing number.",
    )
    nominal: str = param(
        default="most_frequent",
        choices=("most_frequent", "constant"),
        doc="Replacement for a missing category.",
    )
    fill_number: float = param(
        default=0.0,
        doc="The constant for numeric columns; also for a column without any value in training.",
    )
    fill_category: str = param(
        default="missing",
        doc="The constant for nominal columns; also for a column without any value in training.",
    )
    capabilities: ClassVar[Capabilities] = Capabilities(inputs=("vectors", "tables"), nan=True)

    @classmethod
    def examples(cls) -> list[Self]:
        return [
            cls(),
            cls(numeric="median"),
            cls(numeric="most_frequent"),
            cls(numeric="constant", nominal="constant", fill_number=-1.0),
        ]

    def check_parameters(self) -> None:
        """Check each parameter, and that the number is finite."""
        super().check_parameters()
        check_finite_parameters(self, "fill_number")

    def fit(self, X: Cases, y: Labels | None = None) -> Self:
        """Compute the statistic of each column; y is ignored."""
        self.check_parameters()
        frame = as_frame(self, X, reset=True, nan=True)
        nominal = set(nominal_columns(frame))
        self.nominal_ = np.array([label in nominal for label in frame.columns])
        self.statistics_ = [
            self._statistic(frame.iloc[:, i], nominal=bool(is_nominal))
            for i, is_nominal in enumerate(self.nominal_)
        ]
        return self

    def transform(self, X: Cases) -> Any:
        """The table without missing values: a data frame for a data frame, else an array."""
        import pandas as pd

        check_fitted(self)
        X = as_table(X)
        frame = as_frame(self, X, reset=False, nan=True)
        now_nominal = set(nominal_columns(frame))
        columns = []
        for i, label in enumerate(frame.columns):
            column: pd.Series[Any] = frame.iloc[:, i]
            if self.nominal_[i]:
                column = column if label in now_nominal else column.astype(object)
                columns.append(_with_category(column, self.statistics_[i]))
            else:
                column = self._numeric(column) if label in now_nominal else column
                columns.append(self._with_number(column, self.statistics_[i]))
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
            return self._fallback(column, nominal=nominal)
        if how == "most_frequent":
            return self._most_frequent(present, nominal=nominal)
        return typical(present.to_numpy(dtype=float), np.mean if how == "mean" else np.median)

    def _fallback(self, column: pd.Series[Any], *, nominal: bool) -> Any:
        """The constant for a column that is empty in training, as parts of sparse data may be."""
        name = f"{display_name(self)}: X, column {column.name!r}, has no value in training"
        if column.dtype.kind == "M":
            raise InputError(f"{name} and is of dates, for which there is no constant; drop it")
        value = self.fill_category if nominal else self.fill_number
        warnings.warn(f"{name}: {value!r} stands for each", UserWarning, stacklevel=4)
        return value

    def _most_frequent(self, present: pd.Series[Any], *, nominal: bool) -> Any:
        import pandas as pd

        if isinstance(present.dtype, pd.CategoricalDtype):
            return present.cat.categories[int(np.bincount(present.cat.codes).argmax())]
        if not nominal:
            counts = present.value_counts(sort=False)
            return counts.index[counts == counts.max()].min()
        values = distinct(self, present)
        codes = keys_of(values).get_indexer(keys_of(present))
        return values[np.bincount(codes).argmax()]

    def _numeric(self, column: pd.Series[Any]) -> pd.Series[Any]:
        """Convert a column that was numeric in training: one of only None has no numeric type."""
        if column.notna().any():
            raise InputError(
                f"{display_name(self)}: X, column {column.name!r}, was numeric in training but "
                f"has values that are not"
            )
        return column.astype(float)

    def _with_number(self, column: pd.Series[Any], value: Any) -> pd.Series[Any]:
        """Fill a numeric column; a nullable one becomes Float64 if it cannot hold the number."""
        if not column.hasnans:
            return column
        dtype: Any = getattr(column.dtype, "numpy_dtype", column.dtype)
        with np.errstate(over="ignore"):
            replacement = dtype.type(value) if dtype.kind == "f" else value
        if np.isinf(replacement):
            raise InputError(
                f"{display_name(self)}: X, column {column.name!r}, is of type {column.dtype}, "
                f"which cannot hold {value!r} for missing values"
            )
        if dtype.kind == "f":
            return column.fillna(replacement)
        low, high = (0, 1) if dtype.kind == "b" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
        if low <= value <= high and value == int(value):
            return column.fillna(dtype.type(value))
        return column.astype("Float64").fillna(float(value))


def _with_category(column: pd.Series[Any], value: Any) -> pd.Series[Any]:
    import pandas as pd

    if isinstance(column.dtype, pd.CategoricalDtype) and value not in column.cat.categories:
        column = column.cat.add_categories([value])
    return column.fillna(value) if column.hasnans else column
