"""nearest_mean: the class whose mean is nearest (template matching)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np

from ilk import (
    Capabilities,
    Classifier,
    InputError,
    KernelLike,
    available_if,
    check_fitted,
    check_labels,
    check_vectors,
    display_name,
    fit_component,
    is_sparse,
    n_rows,
    param,
    refuse_sparse,
    slot,
    take,
)
from ilk_learners.numerics import (
    class_sums,
    common_deviations,
    difference,
    finite,
    rounding,
    significant,
    softmax,
    spectrum,
    within,
)
from ilk_learners.validation import check_objects, with_input_tags

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ilk import Cases, Labels, Matrix

_CELLS = 2**22  # cells of a Gram matrix held at once: 32 MiB
_CANCELS = 2.0**-6  # a squared distance below this share of its terms lost digits
_FAINT = 1e-140  # squares of shorter lengths are subnormal and lose digits


def _has_density(self: NearestMean) -> bool:
    return self.kernel is None


class NearestMean(Classifier):
    """Assign each row to the class with the nearest mean, under equal priors.

    Euclidean: ``|x - mu_c|^2``. Mahalanobis: ``(x - mu_c)' S^(-1) (x - mu_c)`` with the pooled
    within-class covariance S, divided by n. With a kernel the means are in its feature space::

        |phi(x) - mu_c|^2 = k(x, x) - 2/n_c sum_i k(x, x_i) + 1/n_c^2 sum_ij k(x_i, x_j).

    ``predict_proba`` assumes Gaussian classes with this covariance (Euclidean: the mean
    within-class variance in every direction) and equal priors; a kernel has none. Ties go to the
    first class.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Sorted.
    means_ : ndarray of shape (n_classes, p)
        Absent with a kernel.
    kernel_ : kernel or None
        Fitted.

    Raises
    ------
    ParameterError
        If a kernel is combined with the Mahalanobis distance, or shrinkage with the Euclidean.
    InputError
        If the within-class covariance is singular (names its rank) and not shrunk; if a distance or
        a decision value overflows or underflows.

    References
    ----------
    .. [1] Zaidi 2011: sections 2.1.1, 2.1.2; equations 2.2-2.3, 2.6-2.10. For unequal priors see
       lda.

    Examples
    --------
    >>> import ilk
    >>> X = [[0, 0], [0, 2], [1, 5], [3, 3], [5, 1]]
    >>> ilk.classifier("nearest_mean").fit(X, ["a", "a", "b", "b", "b"]).predict([[1, 1]])
    array(['a'], dtype='<U1')
    """

    metric: Literal["euclidean", "mahalanobis"] = param(
        default="euclidean",
        choices=("euclidean", "mahalanobis"),
        doc="The distance between a row and a mean.",
    )
    shrinkage: float = param(
        default=0.0,
        ge=0,
        le=1,
        doc="s in 0..1, for the Mahalanobis distance: S becomes (1 - s) S + s trace(S)/p I.",
    )
    kernel: KernelLike | None = slot(
        "kernel",
        default=None,
        doc="Means and (Euclidean) distances are in its space; X may be any input of the kernel.",
    )
    capabilities: ClassVar[Capabilities] = Capabilities(probabilistic=True, sparse=True)

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(), cls(metric="mahalanobis", shrinkage=0.1)]

    def check_parameters(self) -> None:
        """Check each parameter and their combination."""
        super().check_parameters()
        if self.kernel is not None and self.metric != "euclidean":
            raise self.parameter_error(
                "metric", f"must be 'euclidean' with a kernel, got {self.metric!r}"
            )
        if self.shrinkage and self.metric != "mahalanobis":
            raise self.parameter_error(
                "shrinkage", f"must be 0 unless metric='mahalanobis', got {self.shrinkage}"
            )

    def fit(self, X: Any, y: Labels | None) -> Self:
        """Estimate the means and, for the Mahalanobis distance, the covariance.

        Parameters
        ----------
        X : array of shape (n, p); with a kernel its input
        y : array of shape (n,)
        """
        self.check_parameters()
        self.kernel_ = None if self.kernel is None else self.resolve_slot("kernel")
        if self.kernel_ is None:
            X = self._vectors(X, reset=True)
        else:
            X = check_objects(self, self.kernel_, X, reset=True)
        self.classes_, codes = check_labels(self, y, X, min_classes=2)
        if self.kernel_ is None:
            self._fit_means(X, codes)
        else:
            self._fit_kernel(X, codes)
        return self

    def _vectors(self, X: Cases, *, reset: bool) -> Any:
        """Rows as floats; sparse rows have no covariance that fits into memory."""
        if self.metric == "mahalanobis":
            refuse_sparse(self, X)
        return check_vectors(self, X, reset=reset, sparse=True)

    def _fit_means(self, X: Any, codes: np.ndarray) -> None:
        if is_sparse(X):
            self._fit_sparse_means(X, codes)
            return
        self.means_, deviations, self._exponent = within(X, codes, len(self.classes_))
        if self.metric == "euclidean":
            # the mean variance of a feature is the unit of the posteriors
            square = np.vdot(deviations, deviations) / X.size
            spread = np.atleast_1d(np.ldexp(np.sqrt(square), self._exponent))
            finite(self, spread, "the mean variation of X inside the classes")
            self._map, self._spread = None, float(spread[0])
        else:
            noise = rounding(X, self._exponent)
            self._map, self._spread = self._whitening(deviations / np.sqrt(len(X)), noise), 1.0
            self._origin = common_deviations(self.means_)[0]

    def _fit_sparse_means(self, X: Any, codes: np.ndarray) -> None:
        # in units of the largest value: squares neither overflow nor underflow
        exponent = int(np.frexp(np.abs(X.data).max(initial=0.0))[1])
        X = X.astype(float)
        X.data = np.ldexp(X.data, -exponent)
        means = class_sums(X, codes, len(self.classes_), mean=True)
        self.means_, self._exponent = np.ldexp(means, exponent), exponent
        square = 0.0
        for c, mean in enumerate(means):
            rows = X[codes == c]
            near = mean[rows.indices]
            # of stored values, and of the zeros of a feature
            square += np.square(rows.data - near).sum()
            absent = rows.shape[0] - np.bincount(rows.indices, minlength=len(mean))
            square += absent @ np.square(mean)
        spread = np.sqrt(square / (X.shape[0] * X.shape[1]))
        self._map, self._spread = None, float(np.ldexp(spread, exponent))
        finite(self, np.atleast_1d(self._spread), "the mean variation of X inside the classes")

    def _whitening(self, deviations: np.ndarray, noise: np.ndarray) -> np.ndarray:
        """W with W W' = S^(-1), so that X W (X in units) has Euclidean distances."""
        values, vectors = spectrum(deviations)
        n = len(deviations)
        rank = int(significant(values, vectors, n, noise / np.sqrt(n)).sum())
        s = self.shrinkage
        if rank == 0 or (rank < len(values) and s == 0):
            remedy = "" if rank == 0 else "; set shrinkage"
            raise InputError(
                f"{display_name(self)}: the covariance inside the classes is singular (rank "
                f"{rank} of {len(values)}){remedy}"
            )
        # eigenvalues of the shrunk covariance, (1 - s) S + s trace(S) / p I
        variances = values**2
        return np.asarray(vectors.T / np.sqrt((1 - s) * variances + s * variances.mean()))

    def _fit_kernel(self, X: Cases, codes: np.ndarray) -> None:
        self.kernel_ = fit_component(self.kernel_, X, self.classes_[codes])
        self._rows = X
        shares = np.eye(len(self.classes_))[codes]
        self._shares = shares / shares.sum(axis=0)
        # the mean of k over all pairs of a class: the squared length of its mean in the feature
        # space
        self._norms = np.einsum("ic,ic->c", self._shares, self._similarities(X))

    def _similarities(self, Q: Cases) -> np.ndarray:
        """Mean kernel value between each row and each class; array of shape (m, n_classes)."""
        kernel: Any = self.kernel_
        blocks = [kernel.gram(part, self._rows) @ self._shares for part in self._blocks(Q)]
        return np.concatenate(blocks)

    def _blocks(self, Q: Cases) -> Iterator[Any]:
        step = max(_CELLS // len(self._shares), 1)
        for start in range(0, n_rows(Q), step):
            yield take(Q, np.arange(start, min(start + step, n_rows(Q))))

    def _distances(self, X: Any) -> np.ndarray:
        check_fitted(self)
        if self.kernel_ is not None:
            X = check_objects(self, self.kernel_, X, reset=False)
            squares = np.asarray(self.kernel_.diagonal(X))[:, None]
            # the kernel trick; rounding may bring a squared distance below 0
            squared = squares - 2 * self._similarities(X) + self._norms
            return np.asarray(np.sqrt(np.maximum(squared, 0.0)))
        X = self._vectors(X, reset=False)
        if self._map is None:
            D = _euclidean(X, self.means_)
        else:
            D = _euclidean(self._mapped(X), self._mapped(self.means_))
        nearest = D.min(axis=1)
        return D if np.isfinite(nearest).all() else finite(self, nearest, "X, less any mean,")

    def _mapped(self, X: np.ndarray) -> np.ndarray:
        with np.errstate(over="ignore", invalid="ignore"):
            return finite(self, difference(X, self._origin, self._exponent) @ self._map)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.metric == "euclidean"
        return tags if self.kernel is None else with_input_tags(self, "kernel", tags)

    def predict(self, X: Cases) -> Any:
        """Predicted label of each row; array of shape (m,)."""
        nearest = self._distances(X).argmin(axis=1)
        return self.classes_[nearest]

    def decision_function(self, X: Matrix) -> np.ndarray:
        """Minus the squared distance to each mean; array of shape (m, n_classes).

        With two classes: the squared distance to the first mean minus that to the second, array of
        shape (m,).
        """
        D = self._distances(X)
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            if len(self.classes_) == 2:
                # a^2 - b^2 = (a - b) (a + b), without cancellation
                gap, total = D[:, 0] - D[:, 1], D[:, 0] + D[:, 1]
            else:
                gap, total = -D, D
            values = gap * total
        lost = ~np.isfinite(values) | ((values == 0) & (gap != 0))
        if lost.any():
            raise InputError(
                f"{display_name(self)}: the squared distances of row {np.argwhere(lost)[0][0]} of "
                f"X are too large or too small for a number; standardize X first"
            )
        return np.asarray(values)

    @available_if(_has_density)
    def predict_proba(self, X: Cases) -> np.ndarray:
        """Posterior probability of each class; array of shape (m, n_classes)."""
        D = self._distances(X)
        nearest = D.min(axis=1, keepdims=True)
        if self._spread == 0:  # every training row is its class's mean
            return np.asarray((nearest == D) / (nearest == D).sum(axis=1, keepdims=True))
        with np.errstate(
            over="ignore", invalid="ignore"
        ):  # difference of squares, factored against cancellation
            half = (D - nearest) / self._spread / 2 * (D / self._spread + nearest / self._spread)
        return softmax(np.where(nearest < D, -half, 0.0))


def _euclidean(X: Any, means: np.ndarray) -> np.ndarray:
    """Distances of rows and means; recomputed with scaling if squares over- or underflow."""
    from scipy.spatial.distance import cdist

    if is_sparse(X):
        return _sparse_euclidean(X.astype(float), means)
    D = np.asarray(cdist(X, means))
    doubtful = ((D < _FAINT) | np.isinf(D)).any(axis=1)
    rows = X[doubtful].astype(float, copy=False)
    if len(rows):
        with np.errstate(over="ignore", under="ignore"):
            D[doubtful] = np.stack([np.hypot.reduce(rows - m, axis=1) for m in means], axis=1)
    return D


def _sparse_euclidean(X: Any, means: np.ndarray) -> np.ndarray:
    """The same for sparse rows, by products; rows where digits cancel are made dense."""
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        squares = np.ravel(X.multiply(X).sum(axis=1))[:, None] + np.square(means).sum(axis=1)
        D = np.asarray(squares - 2 * (X @ means.T))
        doubtful = np.flatnonzero(~((squares * _CANCELS < D) & (D > _FAINT) & (np.inf > D)).all(1))
        D = np.sqrt(np.maximum(D, 0))
    step = max(_CELLS // means.shape[1], 1)
    for start in range(0, len(doubtful), step):
        rows = doubtful[start : start + step]
        D[rows] = _euclidean(X[rows].toarray(), means)
    return np.asarray(D)
