"""one_hot and ordinal: categories of nominal columns as numbers."""

from __future__ import annotations

from abc import abstractmethod
from itertools import count
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np

from ilk import (
    Capabilities,
    InputError,
    OneToOneFeatureMixin,
    Param,
    Transformer,
    as_table,
    check_fitted,
    date_columns,
    days_of,
    did_you_mean,
    display_name,
    is_table,
    param,
)
from ilk import nominal_columns as nominal_columns_of
from ilk_learners.numerics import check_finite_parameters
from ilk_learners.transformers.frames import as_frame, check_cells, distinct, keys_of, positions

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from ilk import Cases, Labels

MISSING = -1  # code of a missing value, as in pandas
UNSEEN = -2  # code of a value that no training row has


class Encoder(OneToOneFeatureMixin, Transformer):
    """Learns the categories of nominal columns; numeric columns pass through in place."""

    capabilities: ClassVar[Capabilities] = Capabilities(inputs=("vectors", "tables"))
    columns: str | Sequence[str | int] = param(
        default="nominal",
        type=list,
        choices=("nominal",),
        items=Param((str, int)),
        form='"nominal" or list of str or int',
        doc="Encoded columns: all columns that are not numeric, or these names, positions or "
        'patterns (``"color_*"``).',
    )

    def fit(self, X: Cases, y: Labels | None = None) -> Self:
        """Learn the categories; y is ignored."""
        self.check_parameters()
        frame = as_frame(self, self._with_days(X), reset=True, nan=False)
        self.encoded_ = _positions(self, frame, self.columns)
        self.categories_ = {i: self._categories(frame.iloc[:, i]) for i in self.encoded_}
        return self

    def transform(self, X: Cases) -> Any:
        """Encoded rows; float array with a row for each row of X."""
        check_fitted(self)
        frame = as_frame(self, self._with_days(X), reset=False, nan=False)
        self._check_numeric(frame)
        return self._encode(frame)

    def _with_days(self, X: Any) -> Any:
        """X with numbers of days in place of dates, unless they are named to be encoded."""
        X = as_table(X)
        dates = date_columns(X) if is_table(X) else []
        if dates and not isinstance(self.columns, str):
            labels = list(X.columns)
            named = {labels[at] for at in positions(self, labels, self.columns)}
            dates = [name for name in dates if name not in named]
        return X.assign(**{name: days_of(X[name]) for name in dates}) if dates else X

    def _categories(self, column: pd.Series[Any]) -> list[Any]:
        """The categories declared by its dtype, in that order, or the sorted distinct values."""
        import pandas as pd

        check_cells(self, column)
        if isinstance(column.dtype, pd.CategoricalDtype):
            return list(column.cat.categories)
        return distinct(self, column)

    @abstractmethod
    def _encode(self, frame: pd.DataFrame) -> np.ndarray:
        """Return the output for a checked table."""

    def _check_numeric(self, frame: pd.DataFrame) -> None:
        """Reject texts in a column that was numeric in training."""
        for label in nominal_columns_of(frame):
            position = frame.columns.get_loc(label)
            if position not in self.encoded_:
                raise InputError(
                    f"{display_name(self)}: X, column {label!r}, is of type {frame[label].dtype}, "
                    f"was numeric in training, and is not encoded; give it as numbers"
                )

    def _codes(self, frame: pd.DataFrame, position: int) -> np.ndarray:
        """Code of each cell: its position among the categories, `MISSING` or `UNSEEN`."""
        import pandas as pd

        column = frame.iloc[:, position]
        check_cells(self, column)
        known = keys_of(self.categories_[position])
        if isinstance(column.dtype, pd.CategoricalDtype):
            places = known.get_indexer(keys_of(column.cat.categories))
            codes = np.append(places, -1)[column.cat.codes.to_numpy()]
        else:
            codes = known.get_indexer(keys_of(column))
        codes = np.where(codes < 0, UNSEEN, codes)
        codes[column.isna().to_numpy()] = MISSING
        return codes

    def _refuse(self, frame: pd.DataFrame, position: int, bad: np.ndarray, remedy: str) -> None:
        """Raise for the first invalid cell, if any, with a remedy."""
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
        """float32 if every numeric column is, else float64."""
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


class OneHot(Encoder):
    """Encode each nominal column as one column of 0 and 1 for each of its categories.

    Numeric columns pass through, dates as numbers of days. The columns of its categories replace
    each encoded column in place: the categories declared by its category dtype, in that order,
    else the sorted distinct training values.

    Attributes
    ----------
    categories_ : dict of int to list
        Categories of each encoded column, by position.
    ranked_ : list of int
        Positions of the columns that become ranks.
    origins_ : ndarray of int
        Position of the input column of each output column.

    Raises
    ------
    InputError
        If there is a missing value or an unseen category and the parameters do not allow it; always
        for a missing value in a numeric column (see ``impute``). Names column and row.

    References
    ----------
    T. Hastie, R. Tibshirani and J. Friedman, *The Elements of Statistical Learning*, 2nd ed.,
    Springer, 2009, section 2.2 (dummy variables).

    Examples
    --------
    >>> import ilk
    >>> import pandas as pd
    >>> X = pd.DataFrame({"size": [1.5, 2.0], "color": ["red", "blue"]})
    >>> encoder = ilk.transformer("one_hot").fit(X)
    >>> encoder.transform(X)
    array([[1.5, 0. , 1. ],
           [2. , 1. , 0. ]])
    >>> encoder.get_feature_names_out().tolist()
    ['size', 'color_blue', 'color_red']
    """

    unseen: str = param(
        default="error",
        choices=("error", "zeros"),
        doc="A category unseen in training: an error, or 0 in every column.",
    )
    missing: str = param(
        default="error",
        choices=("error", "zeros", "category"),
        doc="A missing value in an encoded column: an error, 0 in every column, or a separate "
        "category (``None``) in columns with missing values in training.",
    )

    drop: Literal["first", "if_binary"] | None = param(
        default=None,
        choices=("first", "if_binary"),
        none=True,
        doc="Whether the first category of each encoded column has no output column: of every "
        "column, or of those with two categories. A row of that category is 0 in the others; so "
        'is one for which ``"zeros"`` stands.',
    )

    ordered: Literal["categories", "ranks"] = param(
        default="categories",
        choices=("categories", "ranks"),
        doc="Whether columns of ordered categories get a column for each category, or one of ranks "
        "0, 1, ... (-1 for values that the parameters allow but that are no category).",
    )

    @classmethod
    def examples(cls) -> list[Self]:
        return [
            cls(),
            cls(unseen="zeros", missing="category"),
            cls(drop="first"),
            cls(drop="if_binary"),
        ]

    def _categories(self, column: pd.Series[Any]) -> list[Any]:
        missing = [None] if self.missing == "category" and column.hasnans else []
        return super()._categories(column) + missing

    def fit(self, X: Cases, y: Labels | None = None) -> Self:
        """Learn the categories; y is ignored."""
        super().fit(X, y)
        X = as_table(X)
        by_rank = self.ordered == "ranks" and is_table(X)
        self.ranked_ = [i for i in self.encoded_ if by_rank and _is_ordered(X, i)]
        for i in self.ranked_:
            self.categories_[i] = [each for each in self.categories_[i] if each is not None]
        return self

    def _encode(self, frame: pd.DataFrame) -> np.ndarray:
        widths = self._widths()
        starts = np.concatenate([[0], np.cumsum(widths)])
        result = np.zeros((len(frame), starts[-1]), dtype=self._dtype(frame))
        for position, start in enumerate(starts[:-1]):
            if position not in self.categories_:
                result[:, start] = frame.iloc[:, position]
                continue
            codes = self._accepted(frame, position) - self._n_dropped(position)
            if position in self.ranked_:
                result[:, start] = np.maximum(codes, -1)
                continue
            rows = np.flatnonzero(codes >= 0)
            result[rows, start + codes[rows]] = 1
        return result

    def _accepted(self, frame: pd.DataFrame, position: int) -> np.ndarray:
        """Codes of a column; negative if every output column stays 0."""
        codes = self._codes(frame, position)
        missing = codes == MISSING
        if self.missing == "error":
            self._refuse(frame, position, missing, "impute it, or set missing")
        if self.missing == "category" and position not in self.ranked_:
            known = None in self.categories_[position]
            codes[missing] = len(self.categories_[position]) - 1 if known else UNSEEN
        if self.unseen == "error":
            self._refuse(frame, position, codes == UNSEEN, "unseen='zeros' lets it through")
        return codes

    def _widths(self) -> list[int]:
        widths = dict.fromkeys(range(self.n_features_in_), 1)
        for i in set(self.categories_) - set(self.ranked_):
            widths[i] = len(self.categories_[i]) - self._n_dropped(i)
        return list(widths.values())

    def _n_dropped(self, position: int) -> int:
        """Number of first categories of an encoded column without an output column."""
        if position in self.ranked_:
            return 0
        binary = len(self.categories_[position]) == 2
        return int(self.drop == "first" or (self.drop == "if_binary" and binary))

    @property
    def origins_(self) -> np.ndarray:
        """Position of the input column of each output column; array of int."""
        return np.repeat(np.arange(self.n_features_in_), self._widths())

    def get_feature_names_out(self, input_features: Sequence[str] | None = None) -> Any:
        """``<column>_<category>`` for encoded columns, original names for the others.

        Duplicate names get a number: ``<column>_<category>_2``.
        """
        names = super().get_feature_names_out(input_features)
        replaced = set(self.categories_) - set(self.ranked_)
        taken = {name for position, name in enumerate(names) if position not in replaced}
        every: list[str] = []
        for position, name in enumerate(names):
            if position not in replaced:
                every.append(name)
                continue
            for category in self.categories_[position][self._n_dropped(position) :]:
                every.append(_free(f"{name}_{category}", taken))
                taken.add(every[-1])
        return np.array(every, dtype=object)


def _is_ordered(X: Any, position: int) -> bool:
    """Whether a column of a data frame has ordered categories."""
    return bool(getattr(X.dtypes.iloc[position], "ordered", False))


def _free(name: str, taken: set[str]) -> str:
    numbered = (f"{name}_{number}" for number in count(2))
    return name if name not in taken else next(each for each in numbered if each not in taken)


class Ordinal(Encoder):
    """Encode each nominal column by the positions of its categories: 0, 1, 2, ...

    Numeric columns pass through, dates as numbers of days. The order is that declared by the
    column's category dtype, else that of the sorted distinct training values.

    Attributes
    ----------
    categories_ : dict of int to list
        Categories of each encoded column, by position.

    Raises
    ------
    InputError
        If there is a missing value or an unseen category and the parameters do not allow it; always
        for a missing value in a numeric column (see ``impute``). Names column and row.

    References
    ----------
    T. Hastie, R. Tibshirani and J. Friedman, *The Elements of Statistical Learning*, 2nd ed.,
    Springer, 2009, section 2.2 (numeric codes).

    Examples
    --------
    >>> import ilk
    >>> import pandas as pd
    >>> size = pd.Categorical(["large", "small"], categories=["small", "medium", "large"])
    >>> X = pd.DataFrame({"size": size, "price": [9.5, 4.0]})
    >>> ilk.transformer("ordinal").fit_transform(X)
    array([[2. , 9.5],
           [0. , 4. ]])
    """

    unseen: str | float = param(
        default="error",
        type=float,
        choices=("error",),
        doc="A category unseen in training: an error, or this number.",
    )
    missing: str | float = param(
        default="error",
        type=float,
        choices=("error", "keep"),
        doc="A missing value in an encoded column: an error, NaN, or this number.",
    )

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(), cls(unseen=-1, missing="keep")]

    def check_parameters(self) -> None:
        """Check each parameter, and that the numbers are finite."""
        super().check_parameters()
        check_finite_parameters(self, "unseen", "missing")

    def _encode(self, frame: pd.DataFrame) -> np.ndarray:
        result = np.empty(frame.shape, dtype=self._dtype(frame))
        for position in range(frame.shape[1]):
            encoded = position in self.categories_
            column: Any = frame.iloc[:, position]
            result[:, position] = self._numbers(frame, position) if encoded else column
        return result

    def _numbers(self, frame: pd.DataFrame, position: int) -> np.ndarray:
        codes = self._codes(frame, position)
        numbers = codes.astype(float)
        for code, value, name in (
            (MISSING, self.missing, "missing"),
            (UNSEEN, self.unseen, "unseen"),
        ):
            if value == "error":
                self._refuse(frame, position, codes == code, f"a number as {name} lets it through")
            else:
                numbers[codes == code] = np.nan if value == "keep" else value
        return numbers
