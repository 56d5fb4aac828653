"""knn: the weighted mean of the targets of the nearest training rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from ilk import Regressor
from ilk_learners.neighbors import Explanation, Nearest
from ilk_learners.validation import read_numbers

if TYPE_CHECKING:
    from ilk import ArrayLike, Cases, Labels

_LARGE = np.finfo(float).max / 4  # beyond it a difference of targets may overflow


class KNNRegressor(Nearest, Regressor):
    """Predict the mean of the k nearest training rows' targets, under any distance.

    ``y(x) = sum_i w_i y_i / sum_i w_i`` over the k nearest rows (Nadaraya and Watson), where the
    weight of a row at distance d is (h is the bandwidth)

    - majority: 1, equation (2.12) of [1]_;
    - inverse_distance: ``d^(-power)``, equation (2.15) of [2]_;
    - shepard: ``exp(-d / h)``, equation (2.16) of [2]_;
    - gaussian: ``exp(-d^2 / (2 h^2))``, equations (2.11) and (2.13) of [1]_;
    - epanechnikov: ``max(1 - (d / h)^2, 0)``, equation (2.14) of [1]_ without its 3/4, which
      cancels. If no row is within h, only the rows at the smallest distance have a weight.

    Sample weights multiply these weights.

    A mean never exceeds the range of its targets; the mean of equal targets is exactly their value.

    Attributes
    ----------
    y_ : ndarray of shape (n,)
        Targets of the training rows.
    distance_, index_, metric_learner_ : components
        Fitted; the first two are None with a local metric, the third without a metric learner.
    n_features_in_ : int
        Where the rows are vectors or tables.

    Raises
    ------
    ParameterError
        If a local metric is combined with a given distance or index.
    InputError
        If there are fewer than k training rows, y is not finite numbers, or the distance does not
        accept X.

    References
    ----------
    .. [1] Zaidi 2011: section 2.1.3; equations 2.11-2.14, 4.8.
    .. [2] Cunningham 2008: section 2.4.
    .. [3] E. A. Nadaraya, "On estimating regression", Theory of Probability and its Applications 9,
       1964.
    .. [4] G. S. Watson, "Smooth regression analysis", Sankhya A 26, 1964.

    Examples
    --------
    >>> import ilk
    >>> knn = ilk.regressor("knn", k=2, vote="inverse_distance")
    >>> knn = knn.fit([[0.0], [1.0], [4.0]], [0.0, 3.0, 12.0])
    >>> knn.predict([[2.0], [4.0]]).tolist()
    [2.0, 12.0]
    >>> print(knn.explain([2.0]))
    prediction 2.0
         row    distance    vote  target
           1           1       1  3.0
           0           2     0.5  0.0
    """

    late: ClassVar[tuple[str, ...]] = Nearest.late

    @classmethod
    def examples(cls) -> list[Self]:
        return [
            cls(),
            cls(k=4, vote="inverse_distance", power=2),
            cls(vote="gaussian"),
            cls(k=6, vote="epanechnikov", width="last_neighbor"),
            cls(vote="shepard", width=3.0, zero_distance="decides"),
        ]

    def fit(self, X: Cases, y: Labels, sample_weight: ArrayLike | None = None) -> Self:
        """Store the training rows and targets.

        Parameters
        ----------
        X : data of n rows, of any kind that the distance takes
        y : array of shape (n,)
        sample_weight : array of shape (n,), optional
            Each multiplies the weight of its row in the means; rows of weight 0 are absent. The k
            neighbours, and the fit of distance, index and metric learner, do not depend on the
            other weights.
        """
        self.check_parameters()
        X = self._checked_rows(X)
        X, self.y_ = self._weighted(X, read_numbers(self, y, X), sample_weight)
        self._take_rows(X, self.y_)
        return self

    def predict(self, X: Cases) -> np.ndarray:
        """Predicted number for each row; array of shape (m,)."""
        _, rows, weights = self._voters(X)
        return _means(self.y_[rows], weights)

    def explain(self, x: object) -> Explanation:
        """Explain the prediction for one object (or data of one row) by its neighbours."""
        near, rows, weights = self._voters(self._one(x))
        return Explanation(
            prediction=float(_means(self.y_[rows], weights)[0]),
            indices=self._numbered(rows[0]),
            labels=self._targets(rows[0]),
            distances=near[0],
            votes=np.ones(len(rows[0])) if weights is None else weights[0],
        )

    def _targets(self, rows: np.ndarray) -> np.ndarray:
        return np.asarray(self.y_[rows])

    def leave_one_out(self, X: Cases, y: Labels) -> np.ndarray:
        """Prediction for each row by a regressor fitted on all the others; array of shape (n,).

        One neighbour search gives exactly the result of refitting for each row. It needs a distance
        that learns nothing from the training rows, an exact index, and no metric learner (see
        `fast_leave_one_out`).

        Raises
        ------
        ParameterError
            If a component must be refitted for each row; the message names it.
        InputError
            If there are fewer than k other rows.
        """
        return self._twin(X, y)._left_out()  # noqa: SLF001  # one of this class

    def _left_out(self) -> np.ndarray:
        _, rows, weights = self._voters_among_others()
        return _means(self.y_[rows], weights)


def _means(targets: np.ndarray, weights: np.ndarray | None) -> np.ndarray:
    """Weighted means of rows, relative to the first target: exact for equal targets."""
    low, high = targets.min(axis=1), targets.max(axis=1)
    if max(-low.min(), high.max()) > _LARGE:
        return np.asarray(4 * _means(targets / 4, weights))
    first = targets[:, :1]
    beyond = targets - first
    if weights is None:
        mean = beyond.mean(axis=1)
    else:
        mean = (beyond * weights).sum(axis=1) / weights.sum(axis=1)
    return np.asarray(np.clip(first[:, 0] + mean, low, high))
