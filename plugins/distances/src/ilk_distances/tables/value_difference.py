"""value_difference: nominal values are close if the same classes have them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

import ilk
from ilk import Array, ArrayLike, param
from ilk.neighbors import check_feature_weights, feature_weights
from ilk_distances.tables.coded import UNKNOWN, Coded, share_gaps
from ilk_distances.tables.heterogeneous import TableDistance, Terms

if TYPE_CHECKING:
    from ilk import Cases, Labels


class ValueDifference(TableDistance):
    """Value difference metric (VDM): differences of class shares, summed over nominal columns.

    ``d(x, y) = sum_f w_f sum_c |P(c | x_f) - P(c | y_f)|^q``, where P(c | v) is the share of class
    c among the training rows with the value v in column f. `fit` needs the classes. With ``q=1``
    it is the distance of Cost and Salzberg (MVDM); with ``weighted=True`` that of Stanfill and
    Waltz, in which the value of the query has a weight: ``sqrt(sum_c P(c | x_f)^2)``, large for
    values that tell the classes apart. It is then not symmetric.

    - Every column is nominal, whatever its type; `heterogeneous` with
      ``nominal="value_difference"`` compares numbers as numbers.
    - A value unseen in training has the class shares of all training rows.
    - A missing value (None, NaN, NA) is a value like others: it has the class shares of the
      training rows in which it is missing.
    - Different values with the same class shares are at distance 0. With ``q=1``, unweighted, the
      triangle inequality holds.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Sorted.
    categories_ : tuple of ndarray
        Training values of each column.
    shares_ : list of ndarray
        Of each column, array of shape (n_values + 2, n_classes): class shares of an unseen value,
        of a missing one, and of the training values.
    n_features_in_ : int
    feature_names_in_ : list or None
        Names of the columns, if fitted on a data frame; queries may have them in any order.
    nominal_ : ndarray of bool, shape (n_features,)
        All true.
    levels_ : dict
        Empty: ordered categories are compared by class shares, too.

    Raises
    ------
    ParameterError
        If there is not one weight for each column.
    InputError
        If `fit` gets no classes, a number is infinite, or the columns are not the training columns.
    InputTypeError
        If a cell is not a single value but, for example, a list.

    Notes
    -----
    PEBLS of Cost and Salzberg also weights training cases by their past success; a distance of two
    rows cannot.

    References
    ----------
    .. [1] C. Stanfill and D. Waltz, "Toward memory-based reasoning", Communications of the ACM 29,
       1986.
    .. [2] S. Cost and S. Salzberg, "A weighted nearest neighbor algorithm for learning with
       symbolic features", Machine Learning 10, 1993.

    Examples
    --------
    >>> import ilk, pandas as pd
    >>> X = pd.DataFrame({"color": ["red", "red", "blue", "blue", "green"]})
    >>> d = ilk.distance("value_difference", q=1).fit(X, ["a", "a", "a", "b", "b"])
    >>> d.pairwise(X.iloc[[0, 2, 4]])
    array([[0., 1., 2.],
           [1., 0., 1.],
           [2., 1., 0.]])
    >>> d.between(["red"], ["violet"])  # unseen: a has 3 of 5 rows, b has 2
    0.8
    """

    q: float = param(default=2.0, ge=1, doc="Exponent of the differences of class shares.")
    weighted: bool = param(
        default=False, doc="Weight each column by the class shares of the query's value."
    )
    smoothing: float = param(
        default=0.0,
        ge=0,
        doc="Rows, with the class shares of all training rows, that are added to those of each "
        "value before class shares are computed.",
    )
    weights: ArrayLike | None = param(
        default=None,
        type=Array,
        form="array of shape (n_features,)",
        doc="At least 0, in the order of the columns; 1 for each by default.",
    )
    capabilities: ClassVar[ilk.Capabilities] = ilk.Capabilities(
        inputs=("tables", "vectors"), symmetric=True, needs_fit=True, nan=True
    )

    @classmethod
    def examples(cls) -> list[Self]:
        """Return the default, MVDM, and the weighted form."""
        return [cls(), cls(q=1.0, smoothing=1.0), cls(weighted=True)]

    @property
    def symmetric(self) -> bool:
        """Whether the query's value has no weight."""
        return not self.weighted

    def check_parameters(self) -> None:
        """Check that the weights are a vector of non-negative numbers, not all zero."""
        super().check_parameters()
        check_feature_weights(self)

    def fit(self, X: Cases, y: Labels | None = None) -> Self:
        """Learn the class shares of the values.

        Parameters
        ----------
        X : table or array of shape (n, p)
        y : array of shape (n,)
            Classes.
        """
        self.check_parameters()
        columns, labels = self._columns_for_fit(ilk.as_table(X))
        feature_weights(self, len(columns))
        vars(self).pop("categories_", None)
        coded = self._coded(columns, labels, single=False)
        self._learn_shares(coded, y, self.smoothing, "hamming or heterogeneous")
        return self

    def _coded(
        self, columns: list[Any], labels: list[Any], single: bool, argument: str = "X"
    ) -> Coded:
        import pandas as pd

        for column, label in zip(columns, labels, strict=True):
            if column.dtype.kind == "f":  # infinity is a fault of a computation, no value
                cells = pd.Series(column).to_numpy(dtype=float, na_value=np.nan)
                place = f"{argument}, column {label!r},"
                ilk.check_finite(self, cells, argument=place, nan=True)
        return super()._coded(columns, labels, single, argument)

    @property
    def _by_shares(self) -> bool:
        return True

    def _differences(self, f: int, codes: np.ndarray) -> np.ndarray:
        some = self.shares_[f][codes - UNKNOWN]
        gaps = share_gaps(some, self.shares_[f], self.q)
        if self.weighted:
            gaps *= np.sqrt((some**2).sum(axis=1, keepdims=True))
        given = feature_weights(self, self.n_features_in_)
        return gaps if given is None else given[f] * gaps

    def _terms(self) -> Terms:
        given = feature_weights(self, self.n_features_in_)
        counts = np.ones(self.n_features_in_, dtype=bool) if given is None else given > 0
        return Terms(
            numeric=np.empty(0, dtype=bool),
            nominal=counts,
            halves=np.empty(0),
            numbers=np.empty((0, 4)),
            codes=np.ones((int(counts.sum()), 2)),  # weights are in the differences
            everything=float(counts.sum()),
            largest=0.0,
        )
