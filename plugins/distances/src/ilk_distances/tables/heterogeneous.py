"""Distances on tables: the base of those that add up columns; heterogeneous."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np

import ilk
from ilk import Array, ArrayLike, check_fitted, param
from ilk.neighbors import all_positive, check_feature_weights, feature_weights
from ilk_distances.tables.coded import (
    MISSING,
    UNKNOWN,
    Coded,
    class_shares,
    code,
    columns_of,
    nominal_by_type,
    ranked,
    share_gaps,
    together,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ilk import Cases, Labels


class TableDistance(ilk.Distance):
    """A sum over the columns of a table; subclasses set how the columns are compared.

    `fit` of a subclass calls `_columns_for_fit`, sets ``nominal_`` and ``levels_`` unless every
    column is nominal and, if nominal values are compared by class shares, calls `_learn_shares`.
    """

    aligns_columns = True

    def _columns_for_fit(self, X: Cases) -> tuple[list[Any], list[Any]]:
        """Columns of training rows, and their names or positions; sets the features."""
        columns, labels = columns_of(self, X)
        self.feature_names_in_ = labels if ilk.is_table(X) else None
        self.n_features_in_ = len(columns)
        self.levels_: dict[int, list[Any]] = {}
        self.nominal_ = np.ones(len(columns), dtype=bool)
        return columns, labels

    def _learn_shares(self, coded: Coded, y: Labels | None, smoothing: float, remedy: str) -> None:
        """Set the class shares of the values of the nominal columns.

        Raises
        ------
        InputError
            If y is None; the message ends in the remedy.
        """
        name = ilk.display_name(self)
        if y is None:
            raise ilk.InputError(
                f"{name}: y is missing: nominal values are compared by the classes of the rows "
                f"that have them; give the classes to fit(X, y), or the fitted distance as "
                f"ilk.frozen(distance), or take {remedy}"
            )
        self.classes_, classes = ilk.check_labels(self, y, coded.codes)
        self.categories_ = coded.categories
        self.shares_ = [
            class_shares(codes, len(values), classes, len(self.classes_), smoothing)
            for codes, values in zip(coded.codes.T, coded.categories, strict=True)
        ]

    @abstractmethod
    def _differences(self, f: int, codes: np.ndarray) -> np.ndarray:
        """Weighted differences of some codes of nominal column f to the codes -2, -1, 0, ..."""

    def _lookups(self, X: Coded, terms: Terms) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Differences of the codes of X to all codes, in the form of `fill`."""
        columns = np.flatnonzero(terms.nominal & self._by_shares)
        starts, tables = np.empty((len(columns), len(X)), dtype=np.int64), [np.empty(0)]
        widths, size = np.empty(len(columns), dtype=np.int64), 0
        for at, f in enumerate(columns):
            # a table has no more rows than X
            codes, places = np.unique(X.codes[:, f], return_inverse=True)
            table = self._differences(int(f), codes)
            widths[at] = table.shape[1]
            starts[at] = size + places * table.shape[1]
            size += table.size
            tables.append(table.ravel())
        return starts, widths, np.concatenate(tables)

    @property
    @abstractmethod
    def _by_shares(self) -> bool:
        """Whether nominal values are compared by their class shares."""

    @abstractmethod
    def _terms(self) -> Terms:
        """Terms of the features that count."""

    def pairwise(self, X: Cases, Y: Cases | None = None) -> np.ndarray:
        """Distances of every row of X to every row of Y (X itself if left out)."""
        from ilk_distances.tables.feature_sums import fill

        X, Y = self.check_pair(X, Y)
        terms = self._terms()
        lookups = self._lookups(X, terms)
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
                lookups,
                (terms.everything, terms.largest),
                terms.square,
                terms.ignore,
                start,
                D[start:stop],
            )
            if terms.square:
                np.sqrt(D[start:stop], out=D[start:stop])
                D[start:stop] *= terms.unit

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
        return self._coded(columns, labels, single, argument)

    def _coded(
        self, columns: list[Any], labels: list[Any], single: bool, argument: str = "X"
    ) -> Coded:
        """Columns as numbers and codes; after `_learn_shares` the codes of the training values."""
        columns = ranked(self, columns, labels, self.levels_, argument)
        coded, categories = code(self, columns, labels, self.nominal_, argument)
        self._check_coded(coded, labels, argument)
        rows = together(coded, categories, single)
        return rows.recoded(self.categories_) if hasattr(self, "categories_") else rows

    def _check_coded(
        self, columns: tuple[np.ndarray, ...], labels: list[Any], argument: str
    ) -> None:
        """Raise if a missing value is an error."""

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


class Heterogeneous(TableDistance):
    """Distance on numeric and nominal columns, each compared in its own way.

    ``d(x, y) = (sum_f w_f delta_f(x_f, y_f)^p)^(1/p)``. On a numeric feature delta is
    ``|x_f - y_f| / range_f`` (or another `numeric` scale). On a nominal one it is 0 (equal) or 1
    (different) or, with ``nominal="value_difference"``,
    ``(sum_c |P(c | x_f) - P(c | y_f)|^q)^(1/q)`` with the share P(c | v) of class c among the
    training rows with the value v. `fit` learns ranges and shares. The default is Gower's sum;
    with ``p=2`` and ``missing="one"`` it is HEOM of Wilson and Martinez, with
    ``nominal="value_difference"`` and ``numeric="4std"`` besides their HVDM.

    - A numeric feature that is constant in training contributes 0, unless ``numeric=None``.
    - A query outside the training range may contribute more than 1: differences are not clipped.
    - A nominal value unseen in training equals itself and differs from all others; under
      "value_difference" it has the class shares of all training rows.
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
    classes_ : ndarray of shape (n_classes,)
        With ``nominal="value_difference"``, as the next two; sorted.
    categories_ : tuple of ndarray
        Training values of each nominal feature.
    shares_ : list of ndarray
        Of each nominal feature, array of shape (n_values + 2, n_classes): class shares of an unseen
        value, of a missing one, and of the training values.

    Raises
    ------
    ParameterError
        If there is not one weight for each column, or `nominal_columns` names no column.
    InputError
        If a numeric column has a value that is not a finite number (such as a text or an integer
        with more digits than a float holds), the columns are not the training columns, or a
        value is missing and ``missing="error"``; names row and column. If `fit` gets no classes
        although ``nominal="value_difference"``.
    InputTypeError
        If a nominal cell is not a single value but, for example, a list or a complex number.

    References
    ----------
    .. [1] Cunningham 2008: section 2.4; equations 2.13-2.14 (numeric features are scaled to the
       range 0 to 1 there).
    .. [2] D. R. Wilson and T. R. Martinez, "Improved heterogeneous distance functions", Journal of
       Artificial Intelligence Research 6, 1997: HEOM, HVDM.

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
    nominal: Literal["overlap", "value_difference"] = param(
        default="overlap",
        choices=("overlap", "value_difference"),
        doc='Comparison of nominal values. ``"overlap"``: 0 if equal, else 1. '
        '``"value_difference"``: by the classes of the training rows that have them.',
    )
    numeric: Literal["range", "std", "4std"] | None = param(
        default="range",
        choices=("range", "std", "4std"),
        none=True,
        doc="Divisor of numeric differences: the range, the standard deviation or four standard "
        "deviations of the training values, or none.",
    )
    p: Literal[1, 2] = param(
        default=1,
        choices=(1, 2),
        doc="1: the sum of the contributions; 2: the root of the sum of their squares.",
    )
    q: float = param(
        default=2.0, ge=1, doc="Exponent of the differences of class shares; 2 in HVDM."
    )
    smoothing: float = param(
        default=0.0,
        ge=0,
        doc="Rows, with the class shares of all training rows, that are added to those of each "
        "nominal value before their class shares are compared.",
    )
    nominal_columns: Sequence[Any] | str = param(
        default="auto",
        type=list,
        choices=("auto",),
        form='"auto" or list',
        doc="The nominal columns: names of a data frame's, positions of an array's. "
        '``"auto"``: of a data frame those whose type is not numeric, and booleans, but neither '
        "dates nor ordered categories; of an "
        "array of objects those with anything but numbers; of a numeric array none.",
    )
    missing: Literal["max", "one", "ignore", "error"] = param(
        default="max",
        choices=("max", "one", "ignore", "error"),
        doc='Treatment of a missing value (None, NaN, NA) on one side or both. ``"max"``: a '
        "numeric feature contributes the largest difference found in training, which is 1 with the "
        "default `numeric`, a nominal one 1 (so an object with a missing value is not at distance "
        '0 from itself). ``"one"``: every feature contributes 1, as in HEOM and HVDM. '
        '``"ignore"``: the feature is left out and the sum over the others '
        "is multiplied by the total weight over theirs, as in Gower's coefficient; with "
        'nothing left to compare the distance is what ``"max"`` gives. ``"error"``: an '
        "error that names row and column.",
    )
    capabilities: ClassVar[ilk.Capabilities] = ilk.Capabilities(
        inputs=("tables", "vectors"), symmetric=True, needs_fit=True, nan=True
    )

    @classmethod
    def examples(cls) -> list[Heterogeneous]:
        """Return HVDM, one for each policy that accepts missing values, and other scales."""
        hvdm = cls(nominal="value_difference", numeric="4std", p=2, missing="one")
        return [
            cls(),
            cls(missing="ignore"),
            cls(numeric="std"),
            cls(numeric=None, p=2),
            hvdm,
            cls(nominal="value_difference", q=1.0, smoothing=1.0, missing="ignore"),
        ]

    @property
    def metric(self) -> bool:
        """Whether missing values are an error, no weight is zero, and values overlap or differ."""
        return self.missing == "error" and not self._by_shares and all_positive(self.weights)

    def check_parameters(self) -> None:
        """Check that the weights are a vector of non-negative numbers, not all zero."""
        super().check_parameters()
        check_feature_weights(self)

    def fit(self, X: Cases, y: Labels | None = None) -> Self:
        """Learn which columns are nominal, the ranges of the others, and the class shares.

        Parameters
        ----------
        X : table or array of shape (n, p)
        y : array of shape (n,), optional
            Classes; ignored unless ``nominal="value_difference"``.
        """
        self.check_parameters()
        X = ilk.as_table(X)
        columns, labels = self._columns_for_fit(X)
        feature_weights(self, len(columns))
        self.nominal_ = self._nominal(X, columns, labels)
        self.ranges_ = np.full(len(columns), np.nan)
        self.scales_ = np.ones(len(columns))
        self.levels_ = {
            f: list(column.dtype.categories)
            for f, column in enumerate(columns)
            if getattr(column.dtype, "ordered", False) and not self.nominal_[f]
        }
        for name in ("classes_", "categories_", "shares_"):
            vars(self).pop(name, None)
        coded = self._coded(columns, labels, single=False)
        if self._by_shares:
            self._learn_shares(coded, y, self.smoothing, "nominal='overlap'")
        for f, values in zip(np.flatnonzero(~self.nominal_), coded.numbers.T, strict=True):
            self._learn(int(f), values)
        return self

    def _nominal(self, X: Cases, columns: list[Any], labels: list[Any]) -> np.ndarray:
        if isinstance(self.nominal_columns, str):
            return nominal_by_type(X, columns)
        for label in self.nominal_columns:
            if label not in labels:
                hint = ilk.did_you_mean(label, [name for name in labels if isinstance(name, str)])
                raise self.parameter_error(
                    "nominal_columns", f"must name columns of X, got {label!r}{hint}"
                )
        return np.isin(
            np.arange(len(labels)), [labels.index(label) for label in self.nominal_columns]
        )

    def _learn(self, f: int, values: np.ndarray) -> None:
        known = values[~np.isnan(values)]
        with np.errstate(over="ignore"):
            self.ranges_[f] = np.ptp(known) if known.size else 0.0
        if not np.isfinite(self.ranges_[f]):
            raise ilk.InputError(
                f"{ilk.display_name(self)}: the range of the values in column {f} of X is infinite"
            )
        if self.numeric is not None and self.ranges_[f] == 0:
            self.scales_[f] = 0.0
        elif self.numeric == "range":
            self.scales_[f] = self.ranges_[f]
        elif self.numeric is not None:
            # relative to the range, so that no square underflows
            share = ((known - known.min()) / self.ranges_[f]).std()  # no square vanishes
            factor = 4.0 if self.numeric == "4std" else 1.0
            self.scales_[f] = max(factor * share * self.ranges_[f], np.nextafter(0, 1))

    def _check_coded(
        self, columns: tuple[np.ndarray, ...], labels: list[Any], argument: str
    ) -> None:
        if self.missing != "error":
            return
        for column, label in zip(columns, labels, strict=True):
            missing = _missing(column)
            if missing.any():
                raise ilk.InputError(
                    f"{ilk.display_name(self)}: {argument} has a missing value (NaN) at row "
                    f"{int(np.argmax(missing))}, column {label!r}; missing='max' or 'ignore' would "
                    f"take it"
                )

    @property
    def _by_shares(self) -> bool:
        return self.nominal == "value_difference"

    def _differences(self, f: int, codes: np.ndarray) -> np.ndarray:
        shares = self.shares_[f]
        gaps = share_gaps(shares[codes - UNKNOWN], shares, self.q)
        if self.q != self.p:
            gaps **= self.p / self.q
        one = (1 / self._unit) ** self.p
        gaps *= one
        gone = 0.0 if self.missing == "ignore" else one
        gaps[codes == MISSING] = gone
        gaps[:, MISSING - UNKNOWN] = gone
        return np.asarray(self._weights()[self.nominal_][f] * gaps)

    def _weights(self) -> np.ndarray:
        given = feature_weights(self, self.n_features_in_)
        return np.ones(self.n_features_in_) if given is None else given

    @property
    def _unit(self) -> float:
        """Unit of squared differences, so that numbers that are not scaled do not overflow."""
        if self.p == 1 or self.numeric is not None:
            return 1.0
        return float(np.nanmax(self.ranges_, initial=0.0)) or 1.0

    def _terms(self) -> Terms:
        weights, power, unit = self._weights(), self.p, self._unit
        counts = (weights > 0) & (self.scales_ > 0)
        # shares relative to the largest weight: their sums cannot overflow
        shares = weights / weights.max()
        numeric, nominal = counts & ~self.nominal_, counts & self.nominal_
        scales = self.scales_[numeric] * unit
        most = weights[numeric] * (self.ranges_[numeric] / scales) ** power
        # a difference of numbers of opposite sign may overflow, half of it may not
        halves = np.where(scales > 1, 0.5, 1.0)
        gone = {"ignore": np.zeros_like(most), "one": weights[numeric] * (1 / unit) ** power}
        same = weights[nominal] * (1 / unit) ** power
        with np.errstate(over="ignore"):
            largest = float(most.sum() + same.sum())
        return Terms(
            numeric=counts[~self.nominal_],
            nominal=counts[self.nominal_],
            halves=halves,
            numbers=np.column_stack(
                [scales * halves, weights[numeric], gone.get(self.missing, most), shares[numeric]]
            ),
            codes=np.column_stack([same, shares[nominal]]),
            everything=reduce(add, [*shares[numeric], *shares[nominal]], 0.0),  # as `fill` adds
            largest=largest,
            square=power != 1,
            ignore=self.missing == "ignore",
            unit=unit,
        )


@dataclass(frozen=True)
class Terms:
    """Scales and weights of the features for `fill`, and which features count.

    Numbers are halved if a difference may overflow although its quotient by the scale does not.
    With `square` the distance is the root of the sum of squares, times the unit.
    """

    numeric: np.ndarray
    nominal: np.ndarray
    halves: np.ndarray
    numbers: np.ndarray
    codes: np.ndarray
    everything: float
    largest: float
    square: bool = False
    ignore: bool = False
    unit: float = 1.0

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
