"""The radial basis function kernel over any distance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import ilk
from ilk import Array, ArrayLike, DistanceLike, param, slot
from ilk_distances.kernels.of_distance import (
    DistanceKernel,
    is_euclidean,
    unfitted_too,
)

if TYPE_CHECKING:
    from ilk import Cases


class RBF(DistanceKernel):
    """Radial basis function kernel: ``k(x, y) = exp(-d(x, y)^2 / (2 sigma^2))``.

    It takes any data that its distance takes. Over the Euclidean distance it is positive
    definite; over others it need not be (the kernel substitution checks and repairs this). An
    asymmetric distance is symmetrized: ``d(x, y)^2`` becomes the mean of ``d(x, y)^2`` and
    ``d(y, x)^2``.

    Sigma is a number, or computed from the training data:

    - ``"mean_distance"``: ``sigma^2 = mean of d(x_i, x_j)^2`` over the pairs of different rows.
      (The printed equation (2.25) divides by N^2, counting the N zeros of rows with themselves;
      its sigma^2 is ours times (N - 1) / N.)
    - ``"neighbors"``: ``sigma`` is the mean distance of a row to its `n_neighbors` nearest other
      rows, over all rows.

    Both are exact, and hold 32 MiB of distances at a time. Both take time quadratic in the number
    of rows, but the first takes linear time over the Euclidean distance without weights, where it
    is twice the variance of the rows.

    Attributes
    ----------
    sigma_ : float or ndarray of shape (n_features,)
    distance_ : distance
        Fitted.
    width_ : int or None
        Number of features; None for data without features.

    Raises
    ------
    ParameterError
        If a sigma is not finite and positive, or their number is not that of the features.
    InputError
        If sigma is to be computed from training rows that are all equal (or fewer than two), or
        from an infinite distance.

    References
    ----------
    .. [1] Zaidi 2011: sections 2.2, 2.4.3; equations 2.11, 2.25, 2.29, D.18.
    .. [2] Cunningham 2008: section 2.3.3; equation 2.12.
    .. [3] Evaluation slides: Examples of Kernels.

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

    sigma: float | ArrayLike | str = param(
        default="mean_distance",
        type=(float, Array),
        gt=0,
        choices=("mean_distance", "neighbors"),
        form='{"mean_distance", "neighbors"}, float or array of shape (n_features,)',
        doc="Greater than 0. An array scales each feature of vectors by its own sigma: "
        "``k(x, y) = exp(-d(x / sigma, y / sigma)^2 / 2)``.",
    )
    distance: DistanceLike = slot("distance", default="euclidean", doc="Compares the objects.")

    @classmethod
    def examples(cls) -> list[RBF]:
        """Return one for each way to get sigma."""
        return [cls(), cls(sigma="neighbors"), cls(sigma=2.0), cls(sigma=[1.0, 2.0, 3.0, 4.0])]

    @property
    def induces_metric(self) -> bool:
        """Whether the distance is a weighted Euclidean one without zero weights."""
        return self._is_over_euclidean()

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

    @unfitted_too
    def gram_gradient(self, X: Cases) -> tuple[np.ndarray, np.ndarray]:
        """Gram matrix and its derivatives with respect to log sigma, or the log of each sigma.

        With a sigma for each feature the distance must be Euclidean.

        Returns
        -------
        gram : ndarray of shape (n, n)
        gradient : ndarray of shape (n, n, 1) or (n, n, n_features)
        """
        if np.ndim(self.sigma_) == 0:
            return super().gram_gradient(X)
        gram = self.gram(X)
        weights = self._square_weights()
        gradient = np.empty((*gram.shape, len(weights)))
        for f, column in enumerate(self._mapped(X).T):
            # the derivative by log sigma_f is the kernel times w_f (x_f - y_f)^2 in units of
            # sigma_f
            part = np.abs(np.subtract.outer(column, column)) * np.sqrt(weights[f] / 2)
            gradient[:, :, f] = self._slopes(gram, np.square(np.where(gram > 0, part, 0)))
        return gram, gradient

    def _fit_distance(self, X: Cases, y: Any) -> tuple[Any, Any]:
        distance = self.resolve_slot("distance")
        if np.ndim(self.sigma):
            self.sigma_ = np.array(self.sigma, dtype=float)
        X = self._mapped(X)
        return ilk.fit_component(distance, X, y), X

    def _sigma(self, given: float | np.ndarray | str, X: Cases | None) -> Any:
        return self.sigma_ if np.ndim(given) else super()._sigma(given, X)

    def _mapped(self, X: Any, argument: str = "X") -> Any:
        """Divide each feature by its sigma, if each has one."""
        import scipy.sparse as sp

        if np.ndim(self.sigma) == 0:
            return X
        X = ilk.check_vectors(self, X, argument=argument, sparse=True)
        sigma = np.asarray(self.sigma_, dtype=X.dtype)
        if len(sigma) != X.shape[1]:
            raise self.parameter_error(
                "sigma", f"must have one value for each of {X.shape[1]} features, got {len(sigma)}"
            )
        with np.errstate(over="ignore"):
            scaled = X @ sp.diags_array(1 / sigma) if ilk.is_sparse(X) else X / sigma
        ilk.check_finite(self, scaled, argument=f"{argument} / sigma")
        return scaled

    def _square_weights(self) -> np.ndarray:
        distance = self.distance_
        if not is_euclidean(distance):
            name = ilk.display_name(distance)
            raise self.parameter_error(
                "distance", f"must be euclidean for gradients with a sigma per feature, got {name}"
            )
        n_features = np.size(self.sigma_)
        given = distance.weights
        return np.ones(n_features) if given is None else np.asarray(given, dtype=float)
