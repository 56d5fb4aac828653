"""impute: missing values replaced by a statistic of their column, or by nearest rows."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from ilk import (
    Capabilities,
    DistanceLike,
    InputError,
    OneToOneFeatureMixin,
    Transformer,
    as_table,
    build,
    check_fitted,
    display_name,
    fit_component,
    is_table,
    nominal_columns,
    param,
    slot,
    smallest,
)
from ilk_learners.numerics import check_finite_parameters, typical
from ilk_learners.transformers.frames import as_frame, check_cells, distinct, keys_of

if TYPE_CHECKING:
    import pandas as pd

    from ilk import Cases, Labels

_CELLS = 2**22  # distances held at once: 32 MiB


class Impute(OneToOneFeatureMixin, Transformer):
    """Replace missing values (NaN, None, NaT, NA) by a statistic of their column or by neighbours.

    A data frame stays one, with its index, columns and dtypes. Numeric and nominal columns have
    separate rules. A nominal column with a category dtype keeps its categories
    (``nominal="constant"`` adds `fill_category` to them).

    With "knn" a missing number becomes the mean of the column over the k nearest training rows that
    have a value in it, a missing category their most frequent one; ties go to the category that
    a nearer row has. Rows with gaps need a distance that takes them. With the distance
    ``{"use": "heterogeneous", "numeric": None, "p": 2, "missing": "ignore"}`` numbers are those of
    scikit-learn's KNNImputer.

    Attributes
    ----------
    nominal_ : ndarray of bool, shape (p,)
        Whether a column is nominal.
    statistics_ : list of length p
        Replacement for missing values in each column. Ties of frequency go to the first category
        of a category dtype, else to the smallest value. None for columns filled by neighbours.
    distance_ : Distance or None
        Fitted; with "knn".

    Raises
    ------
    InputError
        If a value is infinite; if a column that was numeric in training has texts, or its type
        cannot hold the replacement.

    References
    ----------
    R. J. A. Little and D. B. Rubin, *Statistical Analysis with Missing Data*, 2nd ed., Wiley,
    2002, chapter 4 (unconditional means).

    O. Troyanskaya et al., "Missing value estimation methods for DNA microarrays", *Bioinformatics*
    17, 2001 (k nearest neighbours).

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
    >>> ilk.transformer("impute", numeric="knn", nominal="knn", k=1).fit_transform(X)
        age sex
    0  20.0   f
    1  20.0   f
    2  40.0   f
    """

    numeric: str = param(
        default="mean",
        choices=("mean", "median", "most_frequent", "constant", "knn"),
        doc="Replacement for a missing number.",
    )
    nominal: str = param(
        default="most_frequent",
        choices=("most_frequent", "constant", "knn"),
        doc="Replacement for a missing category.",
    )
    k: int = param(
        default=5, ge=1, doc='Rows that fill a gap with "knn"; all, if fewer have a value.'
    )
    distance: DistanceLike | None = slot(
        "distance",
        default=None,
        doc='Finds the nearest rows with "knn"; by default ``heterogeneous`` with '
        '``missing="ignore"``.',
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
            cls(numeric="knn", nominal="knn", k=3),
        ]

    def check_parameters(self) -> None:
        """Check each parameter, and that the number is finite."""
        super().check_parameters()
        check_finite_parameters(self, "fill_number")

    def fit(self, X: Cases, y: Labels | None = None) -> Self:
        """Compute the statistic of each column; y is for distances that learn from it."""
        self.check_parameters()
        frame = as_frame(self, X, reset=True, nan=True)
        nominal = set(nominal_columns(frame))
        self.nominal_ = np.array([label in nominal for label in frame.columns])
        self.statistics_ = [
            self._statistic(frame.iloc[:, i], nominal=bool(is_nominal))
            for i, is_nominal in enumerate(self.nominal_)
        ]
        self._by_rows = [i for i, value in enumerate(self.statistics_) if value is None]
        self.distance_: Any = None
        self._rows: Any = None
        if self._by_rows:
            default = {"use": "ilk-distances/heterogeneous", "missing": "ignore"}
            given = self.resolve_slot("distance")
            distance = build(default, kind="distance") if given is None else given
            self.distance_ = fit_component(distance, frame, y)
            self._rows = frame
        return self

    def transform(self, X: Cases) -> Any:
        """The table without missing values: a data frame for a data frame, else an array."""
        import pandas as pd

        check_fitted(self)
        X = as_table(X)
        frame = as_frame(self, X, reset=False, nan=True)
        now_nominal = set(nominal_columns(frame))
        near = self._near(frame)
        columns = []
        for i, label in enumerate(frame.columns):
            column: pd.Series[Any] = frame.iloc[:, i]
            gaps = int(column.isna().sum())
            value = self.statistics_[i]
            values = near[i] if i in near else np.full(gaps, value, dtype=_kept(value))
            if self.nominal_[i]:
                column = column if label in now_nominal else column.astype(object)
                columns.append(_with_categories(column, values, value))
            else:
                column = self._numeric(column) if label in now_nominal else column
                columns.append(self._with_numbers(column, values))
        filled = pd.concat(columns, axis=1)
        return filled if is_table(X) else filled.to_numpy()

    def _near(self, frame: pd.DataFrame) -> dict[int, np.ndarray]:
        """Values of the nearest rows for the gaps of each column that they fill, by position."""
        gaps = {i: frame.iloc[:, i].isna().to_numpy() for i in self._by_rows}
        rows = np.flatnonzero(np.any(list(gaps.values()), axis=0)) if gaps else np.arange(0)
        if not len(rows):
            return {}
        found: dict[int, list[Any]] = {
            i: [np.empty(0)] * (not gap.any()) for i, gap in gaps.items()
        }
        step = max(_CELLS // len(self._rows), 1)
        for start in range(0, len(rows), step):
            block = rows[start : start + step]
            D = self.distance_.pairwise(frame.iloc[block], self._rows)
            for i, gap in gaps.items():
                if gap[block].any():
                    found[i].append(self._of_nearest(D[gap[block]], i))
        return {i: np.concatenate(parts) for i, parts in found.items()}

    def _of_nearest(self, D: np.ndarray, i: int) -> np.ndarray:
        """Value of column i over the k nearest training rows that have one; array of shape (m,)."""
        import pandas as pd

        column = self._rows.iloc[:, i]
        givers = np.flatnonzero(column.notna())
        _, near = smallest(D[:, givers], min(self.k, len(givers)))
        if not self.nominal_[i]:
            values = column.iloc[givers].to_numpy(dtype=float)[near]
            # rounding must not move it beyond the values
            low, high = values.min(axis=1), values.max(axis=1)
            return np.asarray(np.clip(values.mean(axis=1), low, high))
        codes, categories = pd.factorize(column.iloc[givers].to_numpy(dtype=object))
        counts = np.zeros((len(D), len(categories)), dtype=np.int64)
        votes = codes[near]
        np.add.at(counts, (np.arange(len(D))[:, None], votes), 1)
        of_votes = np.take_along_axis(counts, votes, axis=1)
        first = of_votes.argmax(axis=1)  # the nearest row whose category has most votes
        winners = votes[np.arange(len(D)), first]
        return np.asarray(np.asarray(categories, dtype=object)[winners])

    def _statistic(self, column: pd.Series[Any], *, nominal: bool) -> Any:
        how = self.nominal if nominal else self.numeric
        if nominal:
            check_cells(self, column)
        if how == "constant":
            return self.fill_category if nominal else self.fill_number
        present = column.dropna()
        if present.empty:
            return self._fallback(column, nominal=nominal)
        if how == "knn":
            return None
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

    def _with_numbers(self, column: pd.Series[Any], values: np.ndarray) -> pd.Series[Any]:
        """Fill a numeric column; a nullable one becomes Float64 if it cannot hold the numbers."""
        if not len(values):
            return column
        dtype: Any = getattr(column.dtype, "numpy_dtype", column.dtype)
        if dtype.kind == "f":
            with np.errstate(over="ignore"):
                cast = values.astype(dtype)
        elif _fits(values, dtype):
            cast = values.astype(dtype)
        else:
            column, cast = column.astype("Float64"), values.astype(float)
        bad = np.isinf(cast)
        if bad.any():
            raise InputError(
                f"{display_name(self)}: X, column {column.name!r}, is of type {column.dtype}, "
                f"which cannot hold {values[bad][0].item()!r} for missing values"
            )
        return _filled(column, cast)


def _kept(value: object) -> Any:
    """Type of an array that keeps a value as it is."""
    return None if isinstance(value, int | float | np.number) else object


def _fits(values: np.ndarray, dtype: np.dtype[Any]) -> bool:
    """Tell whether a type of integers or booleans holds all values."""
    low, high = (0, 1) if dtype.kind == "b" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    return bool(((low <= values) & (values <= high) & (values == np.trunc(values))).all())


def _with_categories(column: pd.Series[Any], values: np.ndarray, usual: Any) -> pd.Series[Any]:
    """Fill a nominal column; its categories get the usual value even if it has no gap."""
    import pandas as pd

    if isinstance(column.dtype, pd.CategoricalDtype):
        wanted = dict.fromkeys(values if usual is None else [usual])
        new = [value for value in wanted if value not in column.cat.categories]
        column = column.cat.add_categories(new) if new else column
    return _filled(column, values)


def _filled(column: pd.Series[Any], values: np.ndarray) -> pd.Series[Any]:
    """The column with its missing cells replaced, in order."""
    if not len(values):
        return column
    column = column.copy()
    column.iloc[np.flatnonzero(column.isna())] = values
    return column
