"""The distance substitution kernel, with a check for definiteness and a repair."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

import ilk
from ilk import DistanceLike, check_fitted, param, slot
from ilk_distances.kernels.feature_space import positions, same_objects, square_differences
from ilk_distances.kernels.gram import least_eigenvalue, positive_part
from ilk_distances.kernels.of_distance import (
    DistanceKernel,
)

if TYPE_CHECKING:
    from ilk import Cases, Labels


class Substitution(DistanceKernel):
    """Distance substitution kernel: any distance in ``k(x, y) = exp(-d(x, y)^2 / (2 sigma^2))``.

    Over a non-Euclidean distance the kernel need not be positive semi-definite, and a support
    vector machine then no longer maximizes a margin. `fit` computes the eigenvalues of the Gram
    matrix K of the training rows; if some are negative (by more than 1e-10 of the norm of K) it
    repairs the kernel:

    - ``"clip"``: negative eigenvalues become 0. With K = V S V' and the positive ones in
      ``V+ S+ V+'``, the repaired kernel is ``k'(x, y) = f(x) f(y)'`` with the features
      ``f(x) = k(x, X) V+ S+^(-1/2)``, so it is positive semi-definite on any rows. On training
      rows it gives ``V+ S+ V+'``, the nearest such matrix to K; for a row q and the training
      rows it gives ``k(q, X) V+ V+'``: the projection that repairs K, applied to new rows.
      Every new row needs its distances to all training rows.
    - ``"shift"``: the smallest eigenvalue is subtracted from the diagonal, that is, from k(x, y)
      of equal objects only: ``k'(x, y) = k(x, y) - s [x = y]``. Values of new rows with training
      rows do not change. Among new rows the kernel may still be indefinite.
    - ``"error"``: an error is raised.

    If no eigenvalue is negative the kernel stays unchanged. The check takes memory quadratic and
    time cubic in the number of training rows; the kernel rbf omits it. An asymmetric distance is
    symmetrized: ``d(x, y)^2`` becomes the mean of ``d(x, y)^2`` and ``d(y, x)^2``.

    Attributes
    ----------
    sigma_ : float
    distance_ : distance
        Fitted.
    width_ : int or None
        Number of features; None for data without features.
    least_eigenvalue_ : float
        Smallest eigenvalue of the Gram matrix of the training rows; 0 if none is negative.
    projection_ : ndarray of shape (n, r) or None
        ``V+ S+^(-1/2)``, if eigenvalues were clipped.
    features_ : ndarray of shape (n, r) or None
        ``V+ S+^(1/2)``, the features of the training rows, if eigenvalues were clipped.
    training_ : data of n rows or None
        The training rows, if eigenvalues were clipped.

    Raises
    ------
    ParameterError
        If sigma is not finite and positive.
    InputError
        If the Gram matrix of the training rows has a negative eigenvalue and the repair is
        ``"error"``; otherwise like the kernel rbf.

    References
    ----------
    .. [1] B. Haasdonk and C. Bahlmann, "Learning with distance substitution kernels", *Pattern
       Recognition, DAGM Symposium*, 2004.
    .. [2] Y. Chen, E. K. Garcia, M. R. Gupta, A. Rahimi and L. Cazzanti, "Similarity-based
       classification: concepts and algorithms", *Journal of Machine Learning Research* 10, 2009.
    .. [3] Zaidi 2011: section 2.4.3; equation 2.18.

    Examples
    --------
    >>> import ilk
    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1], [2, 1]]
    >>> kernel = ilk.kernel("substitution", distance="chebyshev", sigma=3.0).fit(X)
    >>> round(kernel.least_eigenvalue_, 4)
    -0.0324
    >>> ilk.is_positive_semidefinite(kernel.gram(X))
    True
    """

    distance: DistanceLike = slot("distance", default="manhattan", doc="Compares the objects.")
    sigma: float | str = param(
        default="mean_distance",
        type=float,
        gt=0,
        choices=("mean_distance", "neighbors"),
        doc="Greater than 0, or computed from the training data, as in the kernel rbf.",
    )
    repair: str = param(
        default="clip",
        choices=("clip", "shift", "error"),
        doc="Repair of negative eigenvalues of the Gram matrix.",
    )
    capabilities: ClassVar[ilk.Capabilities] = replace(
        DistanceKernel.capabilities, gram_gradient=False
    )

    @classmethod
    def examples(cls) -> list[Substitution]:
        """Return one for each repair; the wide ones over chebyshev need it."""
        return [
            cls(),
            cls(distance="chebyshev", sigma=20.0),
            cls(distance="chebyshev", sigma=20.0, repair="shift"),
            cls(distance="euclidean", sigma="neighbors", repair="error"),
        ]

    @property
    def needs_fit(self) -> bool:
        """Always true: the kernel of the training rows is checked."""
        return True

    def fit(self, X: Cases, y: Labels | None = None) -> Self:
        """Fit the distance, compute the bandwidth from the training rows, repair the kernel."""
        super().fit(X, y)
        self.least_eigenvalue_ = 0.0
        self.projection_: np.ndarray | None
        self.features_: np.ndarray | None
        self.projection_ = self.features_ = self.training_ = None
        X = self._checked(_in_double(X))
        K = self._apply(self._values, X)
        if ilk.is_positive_semidefinite(K):
            return self
        self.least_eigenvalue_ = least_eigenvalue(K)
        if self.repair == "error":
            raise ilk.InputError(
                f"{ilk.display_name(self)}: the Gram matrix of X has the eigenvalue "
                f"{self.least_eigenvalue_:.3g}: the kernel over "
                f"{ilk.display_name(self.distance_)} is not positive semi-definite; "
                f"repair it by 'clip' or 'shift'"
            )
        if self.repair == "clip":
            values, vectors = positive_part(K)
            # K+ = V diag(values) V': rows of V diag(values)^1/2 are features of the training rows,
            # and k(x) V diag(values)^-1/2 extends them to others (Nystroem)
            self.projection_, self.features_ = vectors / np.sqrt(values), vectors * np.sqrt(values)
            self.training_ = X
        return self

    def gram(self, X: Cases, Y: Cases | None = None) -> np.ndarray:
        """Kernel values of every row of X with every row of Y (X itself if left out)."""
        check_fitted(self)
        if self.projection_ is not None:
            left = self._features(X)
            G = left @ (left if Y is None else self._features(Y)).T
            return _as_given(G, X, X if Y is None else Y)
        G = super().gram(X, Y)
        if self.least_eigenvalue_ < 0:
            # K - least I on training rows: the shift acts where both objects are the same
            G[same_objects(X, Y)] -= self.least_eigenvalue_
        return G

    def diagonal(self, X: Cases) -> np.ndarray:
        """k(x, x) of every row; array of shape (n,)."""
        check_fitted(self)
        if self.projection_ is not None:
            return _as_given(np.square(self._features(X)).sum(axis=1), X)
        diagonal = super().diagonal(X)
        return np.asarray(diagonal - diagonal.dtype.type(self.least_eigenvalue_))

    def squared_distances(self, X: Cases, Y: Cases | None = None) -> np.ndarray:
        """``k(x, x) - 2 k(x, y) + k(y, y)``; 0 for equal objects."""
        check_fitted(self)
        if self.projection_ is None and self.least_eigenvalue_ == 0:
            return super().squared_distances(X, Y)
        same = same_objects(X, Y)
        if self.projection_ is not None:
            left = self._features(X)
            D = square_differences(left, left if Y is None else self._features(Y))
        else:
            # the shift is in k(x, x) and in k(y, y), but not in k(x, y) of different objects
            D = super().squared_distances(X, Y) - 2 * self.least_eigenvalue_
        D[same] = 0
        return _as_given(D, X, X if Y is None else Y)

    def _features(self, X: Cases | None) -> np.ndarray:
        """The features whose products are the clipped kernel; stored for training rows."""
        assert self.projection_ is not None
        assert self.features_ is not None
        X = self._checked(_in_double(X))
        # training rows have their features exactly, not up to the rounding of the extension
        known = positions(X, self.training_)
        F = np.asarray(self.features_[known])
        new = np.flatnonzero(known < 0)
        step = max(_PAIRS // len(self.projection_), 1)
        for start in range(0, len(new), step):
            rows = new[start : start + step]
            K = self._apply(self._values, ilk.take(X, rows), self.training_)
            F[rows] = K @ self.projection_
        return F


_PAIRS = 2**22  # kernel values with training rows in memory at a time: 32 MiB


def _in_double(X: Any) -> Any:
    """Convert to float64: eigenvalues need more digits than float32 has."""
    return X.astype(float) if getattr(X, "dtype", None) == np.float32 else X


def _as_given(values: np.ndarray, *inputs: Any) -> np.ndarray:
    single = all(getattr(X, "dtype", None) == np.float32 for X in inputs)
    return values.astype(np.float32) if single else values
