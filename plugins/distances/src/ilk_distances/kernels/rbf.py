"""The radial basis function kernel over any distance."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

import ilk
from ilk import Param
from ilk_distances.vectors.minkowski import Norm


class RBF(ilk.Kernel):
    """Radial basis function kernel: ``k(x, y) = exp(-d(x, y)^2 / (2 sigma^2))``.

    It takes what its distance takes. Over the Euclidean distance it is positive definite; over
    others it need not be.

    Sigma is a number, or comes from the training data:

    - ``"mean_distance"``: ``sigma^2 = mean of d(x_i, x_j)^2`` over the pairs of different rows.
      (The printed equation (2.25) divides by N^2, counting the N zeros of rows with themselves;
      its sigma^2 is ours times (N - 1) / N.)
    - ``"neighbors"``: ``sigma`` is the mean distance of a row to its `n_neighbors` nearest other
      rows, over all rows.

    Both are exact, take time quadratic in the number of rows, and hold 32 MiB of distances at
    a time.

    Parameters
    ----------
    sigma : {"mean_distance", "neighbors"}, float or array of shape (n_features,), \
default="mean_distance"
        Greater than 0. An array scales each feature of vectors by a sigma of its own:
        ``k(x, y) = exp(-d(x / sigma, y / sigma)^2 / 2)``.
    distance : distance, default="euclidean"
    n_neighbors : int, default=7
        For ``"neighbors"``; fewer where there are not so many other rows.

    Attributes
    ----------
    sigma_ : float or ndarray of shape (n_features,)
    distance_ : distance
        Fitted.
    width_ : int or None
        Number of features, of data that have any.

    Raises
    ------
    ParameterError
        If a sigma is not finite and positive, or there is not one for each feature.
    InputError
        If sigma is to be taken from training rows that are all equal (or fewer than two), or
        from an infinite distance.

    References
    ----------
    .. [1] N. A. Zaidi, *Metric Learning and Scale Estimation in High Dimensional Machine Learning
       Problems with an Application to Generic Object Recognition*, thesis, Monash University,
       2011, equation (2.25).

    Examples
    --------
    >>> import ilk
    >>> kernel = ilk.kernel("rbf").fit([[0.0], [3.0]])
    >>> kernel.sigma_
    3.0
    >>> kernel.gram([[0.0], [3.0]]).round(4)
    array([[1.    , 0.6065],
           [0.6065, 1.    ]])
    """

    parameters: ClassVar[Mapping[str, Param]] = {
        "sigma": Param(
            (float, ilk.Array),
            gt=0,
            choices=("mean_distance", "neighbors"),
            doc="Width, for all features or each, or how to take it from the data.",
        ),
        "distance": Param(slot="distance", doc="Compares the objects."),
        "n_neighbors": Param(int, ge=1, doc="Nearest rows that sigma 'neighbors' looks at."),
    }
    capabilities: ClassVar[ilk.Capabilities] = ilk.Capabilities(
        symmetric=True, needs_fit=True, gram_gradient=True
    )

    def __init__(
        self, sigma: Any = "mean_distance", distance: Any = "euclidean", n_neighbors: int = 7
    ) -> None:
        self.sigma = sigma
        self.distance = distance
        self.n_neighbors = n_neighbors

    @classmethod
    def examples(cls) -> list[RBF]:
        """Return one for each way to get sigma."""
        return [cls(), cls("neighbors"), cls(2.0)]

    def check_parameters(self) -> None:
        """Check that every sigma is finite and positive."""
        super().check_parameters()
        if isinstance(self.sigma, str):
            return
        sigma = np.asarray(self.sigma, dtype=float)
        if sigma.ndim > 1 or sigma.size == 0:
            raise self.parameter_error(
                "sigma", f"must be a number or a vector, got shape {sigma.shape}"
            )
        if not (np.isfinite(sigma) & (sigma > 0)).all():
            raise self.parameter_error("sigma", f"must be finite and greater than 0, got {sigma}")

    def fit(self, X: Any, y: Any = None) -> Self:
        """Fit the distance and take sigma from the training rows, unless it is given."""
        self.check_parameters()
        distance = self.resolve_slot("distance")
        if not isinstance(self.sigma, str):
            self.sigma_ = np.array(self.sigma, float) if np.ndim(self.sigma) else float(self.sigma)
            X = self._rescaled(X)
        self.distance_ = ilk.fit_component(distance, X, y)
        X = self.distance_.check_input(X)
        self.width_ = _width(X)
        if isinstance(self.sigma, str):
            self.sigma_ = self._from_data(X)
        return self

    def gram(self, X: Any, Y: Any = None) -> np.ndarray:
        """Kernel values of every row of X with every row of Y (X itself if left out)."""
        return _gaussian(self._ratios(X, Y))

    def diagonal(self, X: Any) -> np.ndarray:
        """k(x, x) of every row: 1 unless the distance of an object to itself is not 0."""
        check_is_fitted(self)
        n = ilk.n_rows(X)
        blocks = (ilk.take(X, rows) for rows in _row_blocks(n, _DIAGONAL))
        return np.concatenate([np.diagonal(self.gram(block)) for block in blocks])

    def gram_gradient(self, X: Any) -> tuple[np.ndarray, np.ndarray]:
        """Gram matrix and its derivatives with respect to log sigma, or the log of each sigma.

        With a sigma for each feature the distance must be Euclidean.

        Returns
        -------
        gram : ndarray of shape (n, n)
        gradient : ndarray of shape (n, n, 1) or (n, n, n_features)
        """
        ratios = self._ratios(X)
        gram = _gaussian(ratios)
        if np.ndim(self.sigma_) == 0:
            return gram, _damped(gram, ratios)[:, :, None]
        weights = self._square_weights()
        gradient = np.empty((*gram.shape, len(weights)))
        for f, column in enumerate(self._rescaled(X).T):
            part = np.abs(np.subtract.outer(column, column)) * np.sqrt(weights[f])
            gradient[:, :, f] = _damped(gram, part)
        return gram, gradient

    def _rescaled(self, X: Any, argument: str = "X") -> Any:
        """Divide each feature by its sigma, if each has one."""
        if np.ndim(self.sigma_) == 0:
            return X
        X = ilk.check_vectors(self, X, argument=argument)
        sigma = np.asarray(self.sigma_, dtype=X.dtype)
        if len(sigma) != X.shape[1]:
            raise self.parameter_error(
                "sigma", f"must have one value for each of {X.shape[1]} features, got {len(sigma)}"
            )
        return X / sigma

    def _ratios(self, X: Any, Y: Any = None) -> np.ndarray:
        """Distances divided by sigma."""
        check_is_fitted(self)
        pair = [self._checked(X)] if Y is None else [self._checked(X), self._checked(Y, "Y")]
        D = self.distance_.pairwise(*pair)
        if np.ndim(self.sigma_):
            return D  # type: ignore[no-any-return]  # the slot is Any
        with np.errstate(over="ignore", under="ignore"):
            return np.asarray(D / self.sigma_)

    def _checked(self, X: Any, argument: str = "X") -> Any:
        X = self.distance_.check_input(self._rescaled(X, argument), argument)
        if _width(X) != self.width_:
            name = ilk.display_name(self)
            raise ilk.InputError(
                f"{name}: {argument} has {_width(X)} features, but {name} was fitted with "
                f"{self.width_} features"
            )
        return X

    def _square_weights(self) -> np.ndarray:
        distance = self.distance_
        if not (isinstance(distance, Norm) and distance.p == 2):
            name = ilk.display_name(distance)
            raise self.parameter_error(
                "distance", f"must be euclidean for gradients with a sigma per feature, got {name}"
            )
        n_features = np.size(self.sigma_)
        given = distance.weights
        return np.ones(n_features) if given is None else np.asarray(given, dtype=float)

    def _from_data(self, X: Any) -> float:
        name, n = ilk.display_name(self), ilk.n_rows(X)
        if n < 2:
            raise ilk.InputError(
                f"{name}: sigma {self.sigma!r} needs at least 2 rows of X, got {n}"
            )
        if self.sigma == "mean_distance":
            sigma = _root_mean_square(self.distance_, X, n)
        else:
            sigma = _mean_neighbor_distance(self.distance_, X, min(int(self.n_neighbors), n - 1))
        if sigma == 0:
            raise ilk.InputError(
                f"{name}: sigma {self.sigma!r} is 0, as every row of X has the rows it is compared "
                f"with at distance 0; give sigma as a number"
            )
        if not np.isfinite(sigma):
            raise ilk.InputError(
                f"{name}: sigma {self.sigma!r} is {sigma}: a distance is not finite"
            )
        return sigma


_DIAGONAL = 64  # rows whose gram matrix is made to get its diagonal
_PAIRS = 2**22  # distances held at once


def _width(X: Any) -> int | None:
    """Number of features; None of objects that have none."""
    shape: tuple[int, ...] = getattr(X, "shape", ())
    return int(shape[1]) if len(shape) == 2 else None


def _gaussian(ratios: np.ndarray) -> np.ndarray:
    with np.errstate(over="ignore", under="ignore"):
        gram: np.ndarray = np.square(ratios)
        gram *= -0.5
        np.exp(gram, out=gram)
    return gram


def _damped(gram: np.ndarray, ratios: np.ndarray) -> np.ndarray:
    """``gram * ratios^2``, 0 where the ratios are so large that gram is 0."""
    with np.errstate(under="ignore"):
        return np.asarray(gram * np.square(np.where(gram > 0, ratios, 0)))


def _row_blocks(n: int, size: int) -> Iterator[np.ndarray]:
    for start in range(0, n, size):
        yield np.arange(start, min(start + size, n))


def _root_mean_square(distance: Any, X: Any, n: int) -> float:
    """Root of the mean squared distance over the pairs of different rows."""
    unit = float(distance.pairwise(ilk.take(X, [0]), X).max()) or 1.0  # squares stay in range
    if not np.isfinite(unit):
        return unit
    total, n_pairs = 0.0, 0
    for rows in _row_blocks(n, max(_PAIRS // n, 1)):
        first = int(rows[0]) if distance.symmetric else 0
        D = distance.pairwise(ilk.take(X, rows), ilk.take(X, np.arange(first, n)))
        D = np.asarray(D, dtype=float)
        if distance.symmetric:
            D = D[np.triu_indices(len(D), 1, D.shape[1])]
        else:
            D = D[rows[:, None] != np.arange(n)]
        D = D / unit
        total += float(D @ D)
        n_pairs += len(D)
    return unit * float(np.sqrt(total / n_pairs))


def _mean_neighbor_distance(distance: Any, X: Any, k: int) -> float:
    """Mean distance of the rows to their k nearest other rows."""
    D, indices = distance.kneighbors(X, X, k + 1)
    own = indices == np.arange(len(D))[:, None]
    own[~own.any(axis=1), -1] = True  # a row pushed out by k + 1 others that are as near
    return float(D[~own].mean(dtype=float))
