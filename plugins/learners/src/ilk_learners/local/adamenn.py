"""adamenn: features weighted by how well each predicts the classes around a query."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

import ilk
from ilk import param
from ilk_learners.local.adaptive import AdaptiveMetric
from ilk_learners.numerics import check_finite_parameters


class ADAMENN(AdaptiveMetric):
    """Weight features by how well each alone predicts the classes around the query (ADAMENN).

    The loss of feature f at a training row z is a chi-squared distance ::

        r_f(z) = sum_c (P(c | z) - P(c | x_f = z_f))^2 / P(c | x_f = z_f)

    where P(c | z) is the share of class c among the `K1` rows nearest to z. P(c | x_f = z_f) is its
    share among `L` of the `K2` rows nearest to z: the nearest along f, and ties of the last. The
    mean loss over the `K0` rows z nearest to the query gives the weights ::

        R_f = max_g mean r_g - mean r_f,      w_f = exp(c R_f) / sum_g exp(c R_g)

    of the metric ``d(x, q)^2 = sum_f w_f (x_f - q_f)^2``. "Nearest" uses the current weights, equal
    at first; they are updated `M` times. Features should have comparable spread, as after the
    transformer standardize.

    *Small regions.* With fewer rows than K0, K1 or K2 all are used, and L is at most K2. A class
    without rows along f has the share of half a row in the denominator. *Ties* go to the lower
    index.

    `fit` finds the rows near each training row under equal weights. So the first weights of a query
    need only one search; each further step needs K0 searches.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    lists_ : ndarray of int32, shape (n, K2 + 1)
        The rows nearest to each training row, itself included.
    report_ : Report
        Leave-one-out error of the nearest neighbour, Euclidean and under this metric. A left-out
        row does not influence its own metric.

    Raises
    ------
    ParameterError
        If K1 or L is larger than K2.
    InputError
        If y has only one class, or k is larger than the number of training rows.

    References
    ----------
    C. Domeniconi, J. Peng, D. Gunopulos, "Locally adaptive metric nearest-neighbor classification",
    *IEEE Transactions on Pattern Analysis and Machine Intelligence* 24, 2002.

    Zaidi 2011: section 6.1; equations 6.3-6.4. The denominator of equation 6.4 is misprinted, and
    the average over rows around the query and the weights are left out. M is interpreted as the
    number of steps.

    Examples
    --------
    >>> import ilk
    >>> X = [[0, 3], [1, 0], [2, 2], [7, 1], [8, 3], [9, 0]]
    >>> learner = ilk.metric_learner("adamenn", K0=3, K1=3, K2=6, L=3)
    >>> learner.fit(X, ["a", "a", "a", "b", "b", "b"]).local_metric([1, 0]).round(2)
    array([1., 0.])
    >>> learner.kneighbors([[1, 0]], 3)[1]
    array([[1, 2, 0]])
    """

    K0: int = param(default=40, ge=1, doc="Rows around the query whose losses are averaged.")
    K1: int = param(
        default=1,
        ge=1,
        doc="Rows for the class shares at a row; 1, the row alone, had the lowest error "
        "(17.2%, with 3 18.1%; 9 sets, standardised, 5-NN, 2-fold).",
    )
    K2: int = param(
        default=50,
        ge=1,
        doc="Rows among which the nearest along a feature are found.",
    )
    L: int = param(default=20, ge=1, doc="Rows for the class shares along a feature.")
    M: int = param(default=1, ge=1, doc="Number of updates of the weights.")
    c: float = param(default=5.0, ge=0, doc="Influence of losses; 0: equal weights.")

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(), cls(K0=8, K1=3, K2=20, L=5, M=2, c=1.0, report=False)]

    def check_parameters(self) -> None:
        super().check_parameters()
        check_finite_parameters(self, "c")
        for one, other in (("K1", "K2"), ("L", "K2")):
            most, got = getattr(self, other), getattr(self, one)
            if got > most:
                raise self.parameter_error(one, f"must be at most {other} = {most}, got {got}")

    def _prepare(self) -> None:
        from ilk_learners.local.distance_kernels import weighted

        p, n = self.columns_.shape
        # one more than K2, because a row left out of the training set may be on its list
        size = min(int(self.K2) + 1, n)
        self.lists_ = np.empty((n, size), dtype=np.int32)

        def work(start: int, stop: int) -> None:
            rows = np.ascontiguousarray(self.columns_[:, start:stop].T, dtype=float)
            squares = np.empty((len(rows), n))
            weighted(self.columns_, rows, np.full((len(rows), p), 1.0 / p), squares)
            self.lists_[start:stop] = ilk.smallest(squares, size)[1]

        ilk.in_blocks(work, n, self._block_size(n))

    def _sizes(self, left_out: np.ndarray) -> tuple[int, int, int, int]:
        n = len(self.codes_) - int((left_out >= 0).any())
        K0, K1, K2, L = (min(int(size), n) for size in (self.K0, self.K1, self.K2, self.L))
        return K0, K1, K2, L

    def _metrics(self, Q: np.ndarray, left_out: np.ndarray) -> Any:
        from ilk_learners.local.distance_kernels import adapt

        weights = np.empty(Q.shape)
        adapt(
            self.columns_,
            self.codes_,
            len(self.classes_),
            Q,
            left_out,
            self.lists_,
            self._sizes(left_out),
            int(self.M),
            float(self.c),
            weights,
        )
        return weights
