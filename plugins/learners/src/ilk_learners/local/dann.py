"""dann: a discriminant analysis around each query stretches its neighbourhood."""

from __future__ import annotations

from typing import ClassVar, Self

import numpy as np

import ilk
from ilk import param
from ilk_learners.local.adaptive import AdaptiveMetric
from ilk_learners.numerics import check_finite_parameters, deviations

_LEAST = 50  # minimal default size of a neighbourhood, as in Hastie and Tibshirani
_NUMBERS = 2**20  # numbers of neighbourhoods held at once: 8 MiB
_SMALLEST = 1e-140  # smaller deviations, relative to the largest number, count as constant


class DANN(AdaptiveMetric):
    """Stretch the neighbourhood along directions in which the classes around do not differ.

    The K_m training rows nearest to the query q, in the Euclidean metric at first, have the weights
    ``w_i = (1 - (d_i / h)^3)^3``, where h is the distance of the last of them. They give the
    weighted class means and shares and the within-class and between-class matrices ::

        pi_c = sum_{y_i = c} w_i / sum_i w_i
        W = sum_i w_i (x_i - m_{y_i}) (x_i - m_{y_i})' / sum_i w_i
        B = sum_c pi_c (m_c - m) (m_c - m)'
        A = W^-1/2 (W^-1/2 B W^-1/2 + epsilon I) W^-1/2 = W^-1 B W^-1 + epsilon W^-1

    and ``d(x, q)^2 = (x - q)' A (x - q)``. The K_m nearest can be updated under it. Distances have
    no unit: a common unit of all features does not matter. Features should have comparable spread
    for the first neighbourhood, as after the transformer standardize.

    *Small regions.* With few rows, or equal ones, W is (nearly) singular. In units in which each
    feature has variance 1 over all training rows, W's eigenvalues (or diagonal) are raised to at
    least `floor` times the features' mean variance in the neighbourhood; larger ones stay as
    printed. With one class around, B is 0 and W alone gives the metric. If all K_m rows are equally
    far, they have equal weights. If all are equal, the mean variance is taken as 1. Features that
    are constant over all training rows have no influence. *Ties* go to the lower index; rows as far
    as the last have weight 0, so it does not matter which of them are among the K_m.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    report_ : Report
        Leave-one-out error of the nearest neighbour, Euclidean and under this metric. A left-out
        row does not influence its own metric, except through the unit of the floor.

    Raises
    ------
    InputError
        If y has only one class, or k is larger than the number of training rows.

    References
    ----------
    T. Hastie, R. Tibshirani, "Discriminant adaptive nearest neighbor classification", *IEEE
    Transactions on Pattern Analysis and Machine Intelligence* 18, 1996.

    Zaidi 2011: sections 2.4.5, 6.1; equation 6.2 (which omits the weights of W and B).

    Examples
    --------
    >>> import ilk
    >>> X = [[0, 3], [1, 0], [2, 2], [7, 1], [8, 3], [9, 0]]
    >>> learner = ilk.metric_learner("dann").fit(X, ["a", "a", "a", "b", "b", "b"])
    >>> learner.local_metric([4, 1]).round(1)
    array([[17. , -0.5],
           [-0.5,  1.3]])
    >>> learner.kneighbors([[4, 1]], 3)[1]
    array([[2, 1, 3]])
    """

    n_metric_neighbors: int | None = param(
        default=None,
        type=int,
        ge=1,
        doc="K_m; None: a fifth of the rows, at least 50. At most all rows are used.",
    )
    epsilon: float = param(default=1.0, gt=0, doc="Makes the neighbourhood rounder.")
    n_iterations: int = param(
        default=1,
        ge=1,
        doc="Number of metric updates, each from the neighbourhood under the previous metric.",
    )
    diagonal: bool = param(
        default=True,
        doc="Whether to estimate only the diagonal of W, as Hastie and Tibshirani advise.",
    )
    floor: float = param(
        default=0.1,
        gt=0,
        le=1,
        doc="Lower bound of the within-class variance along any direction, relative to that of "
        "the neighbourhood. With 0.001 the full form had 20.2% errors instead of 18.0% (10 sets, "
        "standardised, 5-NN, 2-fold; the diagonal one in 17.8% with either).",
    )
    unitless: ClassVar[bool] = True

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(), cls(n_metric_neighbors=15, n_iterations=3, diagonal=False, report=False)]

    def check_parameters(self) -> None:
        super().check_parameters()
        check_finite_parameters(self, "epsilon")

    def _prepare(self) -> None:
        mean, centered, exponents = deviations(self.columns_.T)
        self.mean_ = mean
        self.deviation_ = np.ldexp(np.sqrt(np.mean(centered**2, axis=0)), exponents)

    def _nearest(
        self, Q: np.ndarray, k: int, left_out: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        with ilk.library_threads(1):  # our own threads run the blocks
            return super()._nearest(Q, k, left_out)

    def _metrics(self, Q: np.ndarray, left_out: np.ndarray) -> np.ndarray:
        maps, weights, _ = self._adapted(Q, left_out)
        if not self.diagonal:
            return maps
        diagonal_maps = np.sqrt(weights)[:, None, :] * np.eye(Q.shape[1])
        return np.concatenate([maps, diagonal_maps], axis=1)

    def _candidates(
        self, Q: np.ndarray, k: int, left_out: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray | None]:
        return self._adapted(Q, left_out)[2], None

    def _adapted(
        self, Q: np.ndarray, left_out: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Maps (m, d, p) and weights (m, p) of the metrics, and all squared distances."""
        equal = (self.deviation_ > _SMALLEST).astype(float)
        maps, weights = np.empty((len(Q), 0, Q.shape[1])), np.tile(equal, (len(Q), 1))
        squares = self._squares(Q, maps, weights, left_out)
        for _ in range(int(self.n_iterations)):
            maps, weights = self._from_neighbors(*self._around(squares, left_out))
            squares = self._squares(Q, maps, weights, left_out)
        return maps, weights, squares

    def _squares(
        self, Q: np.ndarray, maps: np.ndarray, weights: np.ndarray, left_out: np.ndarray
    ) -> np.ndarray:
        from ilk_learners.local.distance_kernels import mapped, weighted

        squares = np.empty((len(Q), len(self.codes_)))
        weighted(self.columns_, Q, weights, squares)
        if maps.size:
            added = np.empty_like(squares)
            mapped(self.columns_, Q, maps, added)
            squares += added
        seen = np.flatnonzero(left_out >= 0)
        squares[seen, left_out[seen]] = np.inf
        return squares

    def _around(self, squares: np.ndarray, left_out: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The K_m nearest rows of each query, and their weights, which sum to 1."""
        n = len(self.codes_) - int((left_out >= 0).any())
        wanted = max(n // 5, _LEAST) if self.n_metric_neighbors is None else self.n_metric_neighbors
        near, rows = ilk.smallest(squares, min(int(wanted), n))
        near = np.sqrt(near)
        last = near[:, -1:]
        # the tricube weights of Hastie and Tibshirani
        weights = (1 - (near / np.where(last > 0, last, 1)) ** 3) ** 3
        # all rows as far as the last one: equal weights
        weights[weights.sum(axis=1) == 0] = 1.0
        return rows, weights / weights.sum(axis=1, keepdims=True)

    def _from_neighbors(
        self, rows: np.ndarray, weights: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        m, size = rows.shape
        step = max(_NUMBERS // (size * len(self.columns_)), 1)
        parts = [
            self._discriminant(rows[start : start + step], weights[start : start + step])
            for start in range(0, m, step)
        ]
        maps, feature_weights = zip(*parts, strict=True)
        return np.concatenate(maps), np.concatenate(feature_weights)

    def _discriminant(self, rows: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Maps and weights of neighbourhoods; their squared lengths add up to the metric."""
        known = self.deviation_ > _SMALLEST
        unit = np.where(known, self.deviation_, 1.0)
        Z = np.moveaxis(self.columns_[:, rows], 0, -1) - self.mean_
        Z = np.where(known, Z, 0.0) / unit
        between, Z = _class_means(Z, self.codes_[rows], weights, len(self.classes_))
        diagonal = np.matmul(weights[:, None, :], Z**2)[:, 0]
        # the trace of the neighbourhood's covariance: that within classes plus that of their means
        # relative to the mean variance of a feature there: it keeps W invertible
        around = (diagonal + np.sum(between**2, axis=1)).sum(axis=1, keepdims=True)
        least = self.floor * np.where(around > 0, around / max(known.sum(), 1), 1.0)
        inverse = known / unit
        if self.diagonal:
            spread = np.maximum(diagonal, least)
            # W^-1 B W^-1 + epsilon W^-1 (Hastie and Tibshirani), as a map and as weights
            return between / spread[:, None, :] * inverse, self.epsilon / spread * inverse**2
        within = np.matmul(np.swapaxes(Z * weights[..., None], 1, 2), Z)
        values, vectors = np.linalg.eigh(within)
        values = np.maximum(values, least)[:, None, :]
        # B^1/2 W^-1, in the eigenvectors of W
        turned = np.matmul(between, vectors) / values
        maps = np.matmul(turned, np.swapaxes(vectors, 1, 2))
        ridge = np.swapaxes(vectors * np.sqrt(self.epsilon / values), 1, 2)
        both = np.concatenate([maps, ridge], axis=1)
        triangle = np.linalg.qr(both, mode="r")  # the same metric, faster to apply
        return triangle * inverse, np.zeros((len(rows), len(unit)))


def _class_means(
    Z: np.ndarray, codes: np.ndarray, weights: np.ndarray, n_classes: int
) -> tuple[np.ndarray, np.ndarray]:
    """Roots of B, ``pi_c^1/2 (m_c - m)``, and deviations of rows from the means of classes.

    Parameters
    ----------
    Z : ndarray of shape (m, K, p)
    codes, weights : ndarray of shape (m, K)
        Weights of each neighbourhood sum to 1.
    """
    shares = np.where(codes[:, None, :] == np.arange(n_classes)[:, None], weights[:, None, :], 0.0)
    prior = shares.sum(axis=2)[..., None]
    means = np.matmul(shares, Z) / np.where(prior > 0, prior, 1)
    between = np.sqrt(prior) * (means - np.sum(prior * means, axis=1, keepdims=True))
    return between, Z - np.take_along_axis(means, codes[..., None], axis=1)
