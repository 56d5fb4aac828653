"""Distance on tables with numeric and nominal columns."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

import ilk
from ilk import Array, ArrayLike, check_fitted, param
from ilk.neighbors import all_positive, check_feature_weights, feature_weights
from ilk_distances.tables.coded import (
    MISSING,
    Coded,
    code,
    columns_of,
    nominal_by_type,
    ranked,
    together,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ilk import Cases, Labels


class Heterogeneous(ilk.Distance):
    """Distance on numeric and nominal columns: overlap on nominal, scaled difference on numeric.

    ``d(x, y) = sum_f w_f delta_f(x_f, y_f)``, where delta is 0 (equal) or 1 (different) on a
    nominal feature and ``|x_f - y_f| / range_f`` on a numeric one. `fit` learns the ranges.

    - A numeric feature that is constant in training contributes 0, unless ``scale=None``.
    - A query outside the training range may contribute more than 1: differences are not clipped.
    - A nominal value unseen in training equals itself and differs from all others.
    - Dates count as numbers of days, ordered categories as ranks 0, 1, ...

    Attributes
    ----------
    n_features_in_ : int
    feature_names_in_ : list or None
        Names of the columns, if fitted on a data frame; queries may have them in any order.
    nominal_ : ndarray of bool, shape (n_features,)
    levels_ : dict of int to list
        Levels of ordered categories, by position; their ranks are compared.
    ranges_ : ndarray of shape (n_features,)
        Largest minus smallest training value; NaN for nominal features.
    scales_ : ndarray of shape (n_features,)
        Divisors of the differences; 0 for a numeric feature that is ignored because it is
        constant (or has no values), 1 for nominal features.

    Raises
    ------
    ParameterError
        If there is not one weight for each column, or `nominal` names no column.
    InputError
        If a numeric column has a value that is not a finite number (such as a text or an integer
        with more digits than a float holds), the columns are not the training columns, or a
        value is missing and ``missing="error"``; names row and column.
    InputTypeError
        If a nominal cell is not a single value but, for example, a list or a complex number.

    References
    ----------
    .. [1] P. Cunningham, M. Cord and S. J. Delany, "Supervised Learning", in *Machine Learning
       Techniques for Multimedia*, Springer, 2008, equations (2.13) and (2.14), which take numeric
       features as scaled to the range 0 to 1.

    Examples
    --------
    >>> import ilk, pandas as pd
    >>> X = pd.DataFrame({"age": [20, 30, 60], "city": ["Bonn", "Rome", "Rome"]})
    >>> d = ilk.distance("heterogeneous").fit(X)
    >>> d.ranges_
    array([40., nan])
    >>> d.pairwise(X)
    array([[0.  , 1.25, 2.  ],
           [1.25, 0.  , 0.75],
           [2.  , 0.75, 0.  ]])
    """

    weights: ArrayLike | None = param(
        default=None,
        type=Array,
        form="array of shape (n_features,)",
        doc="At least 0, in the order of the columns; 1 for each by default.",
    )
    nominal: Sequence[Any] | str = param(
        default="auto",
        type=list,
        choices=("auto",),
        form='"auto" or list',
        doc="The nominal columns: names of a data frame's, positions of an array's. "
        '``"auto"``: of a data frame those whose type is not numeric, and booleans, but neither '
        "dates nor ordered categories; of an "
        "array of objects those with anything but numbers; of a numeric array none.",
    )
    missing: str = param(
        default="max",
        choices=("max", "ignore", "error"),
        doc='Treatment of a missing value (None, NaN, NA) on one side or both. ``"max"``: the '
        "feature contributes the largest difference found in training, which is 1 with the "
        "default `scale` (so an object with a missing value is not at distance 0 "
        'from itself). ``"ignore"``: the feature is left out and the sum over the others '
        "is multiplied by the total weight over theirs, as in Gower's coefficient; with "
        'nothing left to compare the distance is what ``"max"`` gives. ``"error"``: an '
        "error that names row and column.",
    )
    scale: str | None = param(
        default="range",
        choices=("range", "std"),
        none=True,
        doc="Divisor of numeric differences: the range or the standard deviation of the "
        "training values, or none.",
    )
    aligns_columns = True
    capabilities: ClassVar[ilk.Capabilities] = ilk.Capabilities(
        inputs=("tables", "vectors"), symmetric=True, needs_fit=True, nan=True
    )

    @classmethod
    def examples(cls) -> list[Heterogeneous]:
        """Return one for each policy that accepts missing values, and other scales."""
        return [cls(), cls(missing="ignore"), cls(scale="std"), cls(scale=None)]

    @property
    def metric(self) -> bool:
        """Whether missing values are an error and no weight is zero."""
        return self.missing == "error" and all_positive(self.weights)

    def check_parameters(self) -> None:
        """Check that the weights are a vector of non-negative numbers, not all zero."""
        super().check_parameters()
        check_feature_weights(self)

    def fit(self, X: Cases, y: Labels | None = None) -> Self:
        """Learn which columns are nominal, and the ranges of the others."""
        self.check_parameters()
        X = ilk.as_table(X)
        columns, labels = columns_of(self, X)
        feature_weights(self, len(columns))
        self.feature_names_in_ = labels if ilk.is_table(X) else None
        self.n_features_in_ = len(columns)
        self.nominal_ = self._nominal(X, columns, labels)
        self.ranges_ = np.full(len(columns), np.nan)
        self.scales_ = np.ones(len(columns))
        self.levels_ = {
            f: list(column.dtype.categories)
            for f, column in enumerate(columns)
            if getattr(column.dtype, "ordered", False) and not self.nominal_[f]
        }
        columns = ranked(self, columns, labels, self.levels_, "X")
        coded, _ = code(self, columns, labels, self.nominal_, "X")
        if self.missing == "error":
            self._refuse_missing(coded, labels, "X")
        for f in np.flatnonzero(~self.nominal_).tolist():
            self._learn(f, coded[f])
        return self

    def _nominal(self, X: Cases, columns: list[Any], labels: list[Any]) -> np.ndarray:
        if self.nominal == "auto":
            return nominal_by_type(X, columns)
        for label in self.nominal:
            if label not in labels:
                hint = ilk.did_you_mean(label, [name for name in labels if isinstance(name, str)])
                raise self.parameter_error(
                    "nominal", f"must name columns of X, got {label!r}{hint}"
                )
        return np.isin(np.arange(len(labels)), [labels.index(label) for label in self.nominal])

    def _learn(self, f: int, values: np.ndarray) -> None:
        known = values[~np.isnan(values)]
        with np.errstate(over="ignore"):
            self.ranges_[f] = np.ptp(known) if known.size else 0.0
        if not np.isfinite(self.ranges_[f]):
            raise ilk.InputError(
                f"{ilk.display_name(self)}: the range of the values in column {f} of X is infinite"
            )
        if self.scale is not None and self.ranges_[f] == 0:
            self.scales_[f] = 0.0
        elif self.scale == "range":
            self.scales_[f] = self.ranges_[f]
        elif self.scale == "std":
            # relative to the range, so that no square underflows
            share = ((known - known.min()) / self.ranges_[f]).std()  # no square vanishes
            self.scales_[f] = max(share * self.ranges_[f], np.nextafter(0, 1))

    def pairwise(self, X: Cases, Y: Cases | None = None) -> np.ndarray:
        """Distances of every row of X to every row of Y (X itself if left out)."""
        from ilk_distances.tables.feature_sums import fill

        X, Y = self.check_pair(X, Y)
        terms = self._terms()
        D = np.empty((len(X), len(Y)))
        numbers, codes = (
            (terms.numbers_of(X), terms.numbers_of(Y)),
            (terms.codes_of(X), terms.codes_of(Y)),
        )

        def work(start: int, stop: int) -> None:
            fill(
                numbers,
                terms.numbers,
                codes,
                terms.codes,
                (terms.everything, terms.largest),
                self.missing == "ignore",
                start,
                D[start:stop],
            )

        ilk.in_blocks(work, len(X), _PAIRS // max(len(Y), 1) + 1)
        with np.errstate(over="ignore", under="ignore"):
            return D.astype(np.float32) if X.single and Y.single else D

    def prepare(self, X: Cases) -> ilk.Prepared:
        """Return a handle on X, with nominal values coded once."""
        return ilk.Prepared(self, self.check_input(X))

    def between(self, x: object, y: Labels) -> float:
        """Distance between two single rows."""
        return float(self.pairwise(_one(x), _one(y))[0, 0])

    def check_input(self, X: Cases, argument: str = "X") -> Coded:
        """Return X with numeric columns as floats and nominal ones as codes."""
        check_fitted(self)
        if isinstance(X, Coded):
            return X
        X = ilk.as_table(X)
        single = getattr(X, "dtype", None) == np.float32
        columns, labels = self._matched(*columns_of(self, X, argument), ilk.is_table(X), argument)
        columns = ranked(self, columns, labels, self.levels_, argument)
        coded, categories = code(self, columns, labels, self.nominal_, argument)
        if self.missing == "error":
            self._refuse_missing(coded, labels, argument)
        return together(coded, categories, single)

    def check_pair(self, X: Cases, Y: Cases | None = None) -> tuple[Coded, Coded]:
        """Return X and Y (X again if None) with the same codes for the same values."""
        X = self.check_input(X)
        if Y is None:
            return X, X
        Y = self.check_input(Y, "Y")
        return X.in_terms_of(Y), Y

    def _matched(
        self, columns: list[Any], labels: list[Any], named: bool, argument: str
    ) -> tuple[list[Any], list[Any]]:
        """Return the columns in the order of the training columns."""
        name = ilk.display_name(self)
        if named and self.feature_names_in_ is not None:
            by_label = dict(zip(labels, columns, strict=True))
            wanted = self.feature_names_in_
            lacking = [label for label in wanted if label not in by_label]
            surplus = [label for label in labels if label not in wanted]
            if lacking or surplus:
                what = f"lacks {lacking}" if lacking else f"has {surplus} that"
                tail = "" if lacking else " were not there"
                raise ilk.InputError(f"{name}: {argument} {what} the columns of training{tail}")
            return [by_label[label] for label in wanted], wanted
        if len(columns) != self.n_features_in_:
            raise ilk.InputError(
                f"{name}: {argument} has {len(columns)} features, but {name} was fitted with "
                f"{self.n_features_in_} features"
            )
        return columns, labels

    def _refuse_missing(
        self, columns: tuple[np.ndarray, ...], labels: list[Any], argument: str
    ) -> None:
        for column, label in zip(columns, labels, strict=True):
            missing = _missing(column)
            if missing.any():
                raise ilk.InputError(
                    f"{ilk.display_name(self)}: {argument} has a missing value (NaN) at row "
                    f"{int(np.argmax(missing))}, column {label!r}; missing='max' or 'ignore' would "
                    f"take it"
                )

    def _terms(self) -> _Terms:
        """Terms of the features that count."""
        given = feature_weights(self, self.n_features_in_)
        weights = np.ones(self.n_features_in_) if given is None else given
        counts = (weights > 0) & (self.scales_ > 0)
        # shares relative to the largest weight: their sums cannot overflow
        shares = weights / weights.max()
        numeric, nominal = counts & ~self.nominal_, counts & self.nominal_
        scales = self.scales_[numeric]
        most = weights[numeric] * (self.ranges_[numeric] / scales)
        # a difference of numbers of opposite sign may overflow, half of it may not
        halves = np.where(scales > 1, 0.5, 1.0)
        gone = np.zeros_like(most) if self.missing == "ignore" else most
        with np.errstate(over="ignore"):
            largest = float(most.sum() + weights[nominal].sum())
        return _Terms(
            numeric=counts[~self.nominal_],
            nominal=counts[self.nominal_],
            halves=halves,
            numbers=np.column_stack([scales * halves, weights[numeric], gone, shares[numeric]]),
            codes=np.column_stack([weights[nominal], shares[nominal]]),
            everything=reduce(add, [*shares[numeric], *shares[nominal]], 0.0),  # as `fill` adds
            largest=largest,
        )


@dataclass(frozen=True)
class _Terms:
    """Scales and weights of the features for `fill`, and which features count.

    Numbers are halved if a difference may overflow although its quotient by the scale does not.
    """

    numeric: np.ndarray
    nominal: np.ndarray
    halves: np.ndarray
    numbers: np.ndarray
    codes: np.ndarray
    everything: float
    largest: float

    def numbers_of(self, X: Coded) -> np.ndarray:
        """The numbers that count, a row for each feature."""
        return np.ascontiguousarray((X.numbers[:, self.numeric] * self.halves).T)

    def codes_of(self, X: Coded) -> np.ndarray:
        """The codes that count, a row for each feature."""
        return np.ascontiguousarray(X.codes[:, self.nominal].T)


_PAIRS = 2**16  # pairs in a block: large beside the cost of starting a thread


def _missing(column: np.ndarray) -> np.ndarray:
    return np.asarray(np.isnan(column) if column.dtype.kind == "f" else column == MISSING)


def _one(x: object) -> Any:
    """A single row as a table whose columns keep the types of the values."""
    if isinstance(x, list | tuple):
        return np.array([x], dtype=object)
    return ilk.one_row(x)
