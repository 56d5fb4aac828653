"""pca: the directions of largest variance; truncated_svd: those of largest sums of squares."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from ilk import (
    Capabilities,
    InputError,
    RandomState,
    Seed,
    check_fitted,
    check_seed,
    check_vectors,
    display_name,
    is_sparse,
    param,
)
from ilk_learners.metric_learners.linear import LinearMetricLearner, report_where_known
from ilk_learners.numerics import (
    common_deviations,
    finite,
    map_back,
    rounding,
    significant,
)

if TYPE_CHECKING:
    from sklearn import decomposition

    from ilk import Cases, Labels


class PCA(LinearMetricLearner):
    """Project on the orthogonal directions of largest variance (principal components).

    The rows of L are the leading eigenvectors of the covariance matrix, each divided by the
    square root of its eigenvalue if `whiten`. ``transform(X) = (X - mean) L'``: the shift does not
    affect distances; without `center` it is omitted, as in other metric learners.
    The entry of largest magnitude in each row of L is positive, so the result is deterministic.
    scikit-learn's PCA computes the full factorization.

    Attributes
    ----------
    components_ : ndarray of shape (d, p)
        L.
    mean_ : ndarray of shape (p,)
        Mean of the training rows.
    explained_variance_, explained_variance_ratio_ : ndarray of shape (d,)
        Variance of the training rows along each component (divided by n - 1), and its share.
        Only the variance may overflow to infinity or underflow to 0.
    report_ : Report or None
        Leave-one-out error of the nearest neighbour before and after; None without y.

    Raises
    ------
    InputError
        If n_components exceeds min(n, p), or with `whiten` the rank: directions without variance
        cannot be scaled to variance 1. If the result overflows.

    References
    ----------
    Jolliffe, *Principal Component Analysis*, 2nd ed., Springer 2002.

    Zaidi 2011: sections 2.4, 3.4; figures 4.8-4.9.

    Examples
    --------
    >>> import ilk
    >>> pca = ilk.metric_learner("pca", n_components=1).fit([[0, 0], [1, 2], [2, 4]])
    >>> pca.components_.round(3)
    array([[0.447, 0.894]])
    >>> pca.transform([[1, 2], [2, 4]]).round(3)
    array([[0.   ],
           [2.236]])
    >>> pca.inverse_transform([[2.236]]).round(2)
    array([[2., 4.]])
    """

    n_components: float | None = param(
        default=None,
        type=(int, float),
        gt=0,
        doc="Number of components; a float below 1: enough to explain more than this share of the "
        "variance; None: min(n, p), or with `whiten` the rank.",
    )
    whiten: bool = param(default=False, doc="Whether to scale each component to variance 1.")
    center: bool = param(
        default=True,
        doc="Whether to subtract the training mean before projecting.",
    )

    @classmethod
    def examples(cls) -> list[Self]:
        return [
            cls(),
            cls(n_components=1, report=False),
            cls(n_components=0.9, whiten=True, report=False),
            cls(center=False),
        ]

    def check_parameters(self) -> None:
        """Check each parameter, and that a share of the variance is below 1."""
        super().check_parameters()
        wanted = self.n_components
        if isinstance(wanted, float | np.floating) and wanted >= 1:
            raise self.parameter_error(
                "n_components", f"must be an integer, or as a share below 1, got {wanted!r}"
            )

    def fit(self, X: Cases, y: Labels | None = None) -> Self:
        """Learn the components; y is used only for the report."""
        from sklearn import decomposition

        self.check_parameters()
        X = check_vectors(self, X, reset=True, min_rows=2)
        wanted = self.n_components
        if isinstance(wanted, int | np.integer):
            self._check_number(int(wanted), min(X.shape), "min(n_samples, n_features)")
        needs_variance = self.whiten or isinstance(wanted, float | np.floating)
        mean, deviations, exponent = common_deviations(X)
        if needs_variance and not deviations.any():
            raise InputError(f"{display_name(self)}: X has no variance: all rows are equal")
        if isinstance(wanted, np.floating):  # scikit-learn rejects float32
            wanted = float(wanted)
        with np.errstate(invalid="ignore"):  # 0 / 0 without variance
            model = decomposition.PCA(wanted, svd_solver="full").fit(deviations)
        self.mean_ = mean.astype(X.dtype)
        noise = rounding(X, exponent)
        number = self._whitened_number(model, len(X), noise) if self.whiten else None
        components = self._leading_components(model, number, exponent)
        # unit vectors have no unit; whitening divides by deviations in units of 2^exponent
        self.components_ = map_back(self, components, exponent if self.whiten else 0, X.dtype)
        self.report_ = report_where_known(self, X, y)
        return self

    def _leading_components(
        self, model: decomposition.PCA, number: int | None, exponent: int
    ) -> np.ndarray:
        """Set the variances of the leading components; return these, scaled if `whiten`."""
        variances = model.explained_variance_[:number]
        with np.errstate(over="ignore"):
            # variances are those of rows in units of 2^exponent
            self.explained_variance_ = np.ldexp(variances, 2 * exponent)
        self.explained_variance_ratio_ = np.nan_to_num(model.explained_variance_ratio_[:number])
        components = np.asarray(model.components_[:number])
        return components / np.sqrt(variances)[:, None] if self.whiten else components

    def _whitened_number(self, model: decomposition.PCA, n: int, noise: np.ndarray) -> int:
        kept = significant(model.singular_values_, model.components_, n, noise)
        rank = len(kept) if kept.all() else int(kept.argmin())  # the leading directions
        if isinstance(self.n_components, int | np.integer):
            self._check_number(int(self.n_components), rank, "the rank, for whiten=True")
        elif rank == 0:
            raise InputError(
                f"{display_name(self)}: X has no variance to scale: all rows are equal"
            )
        # directions without variance cannot be scaled
        return min(rank, int(model.n_components_))

    def _check_number(self, wanted: int, most: int, what: str) -> None:
        if wanted > most:
            raise InputError(
                f"{display_name(self)}: n_components must be at most {most} ({what}), got {wanted}"
            )

    def transform(self, X: Cases) -> Any:
        """Project rows on the components; array of shape (n, d)."""
        if not self.center:
            return super().transform(X)
        check_fitted(self)
        X = check_vectors(self, X, reset=False)
        with np.errstate(over="ignore", invalid="ignore"):
            return self._mapped(X - self.mean_.astype(X.dtype))

    def inverse_transform(self, X: Cases) -> Any:
        """Rows of the features with these projections, on the plane of the components.

        Parameters
        ----------
        X : array of shape (n, d)
            Projections, as `transform` gives them.

        Returns
        -------
        ndarray of shape (n, p)
            The rows of the plane that are nearest to the projected ones.
        """
        check_fitted(self)
        Z = check_vectors(self, X)
        L = self.components_.astype(float)
        if Z.shape[1] != len(L):
            raise InputError(
                f"{display_name(self)}: X has {Z.shape[1]} features, but there are {len(L)} "
                f"components"
            )
        sizes = np.abs(L).max(axis=1, keepdims=True)  # squares of L may overflow
        sizes *= np.linalg.norm(L / sizes, axis=1, keepdims=True)
        with np.errstate(over="ignore", invalid="ignore"):
            rows = (Z / sizes.T) @ (L / sizes) + (self.mean_ if self.center else 0)
        return finite(self, rows.astype(Z.dtype, copy=False), "X, taken back,")


class TruncatedSVD(LinearMetricLearner):
    """Project on the directions of largest sums of squares, without centring.

    The rows of L are the leading right singular vectors of X, computed by scikit-learn's
    randomized truncated singular value decomposition. Nothing is subtracted, so sparse rows are
    never made dense: of counts or weights of words this is latent semantic analysis. The output
    is dense. The entry of largest magnitude in each row of L is positive.

    Attributes
    ----------
    components_ : ndarray of shape (d, p)
        L.
    singular_values_ : ndarray of shape (d,)
    explained_variance_ratio_ : ndarray of shape (d,)
        Share of the variance of the training rows along each component.
    report_ : Report or None
        Leave-one-out error of the nearest neighbour before and after; None without y, and for
        sparse rows.

    Raises
    ------
    InputError
        If n_components exceeds min(n, p), or X has values so large that squares overflow.

    References
    ----------
    S. Deerwester, S. T. Dumais, G. W. Furnas, T. K. Landauer and R. Harshman, "Indexing by latent
    semantic analysis", *Journal of the American Society for Information Science* 41, 1990.
    N. Halko, P. G. Martinsson and J. A. Tropp, "Finding structure with randomness", *SIAM Review*
    53, 2011.

    Examples
    --------
    >>> import ilk
    >>> from scipy.sparse import csr_array
    >>> X = csr_array([[2.0, 0.0, 0.0], [0.0, 1.0, 1.0], [0.0, 2.0, 2.0]])
    >>> svd = ilk.transformer("truncated_svd", n_components=2, random_state=0)
    >>> svd.fit_transform(X).round(3)
    array([[0.   , 2.   ],
           [1.414, 0.   ],
           [2.828, 0.   ]])
    """

    n_components: int | None = param(
        default=None,
        type=int,
        ge=1,
        doc="Number of components; None: 100, or min(n, p) if that is less.",
    )
    n_iter: int = param(
        default=5,
        ge=0,
        doc="Power iterations; more are more precise where singular values decay slowly.",
    )
    random_state: RandomState = param(default=None, type=Seed, doc="For the random projection.")
    capabilities: ClassVar[Capabilities] = Capabilities(sparse=True)

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(random_state=0), cls(n_iter=7, random_state=0, report=False)]

    def fit(self, X: Cases, y: Labels | None = None) -> Self:
        """Learn the components; y is used only for the report."""
        from sklearn import decomposition

        self.check_parameters()
        rows: Any = check_vectors(self, X, reset=True, min_rows=2, sparse=True)
        most = min(rows.shape)
        d = min(100, most) if self.n_components is None else int(self.n_components)
        if d > most:
            raise InputError(
                f"{display_name(self)}: n_components must be at most {most} (min(n_samples, "
                f"n_features)), got {d}"
            )
        largest = np.abs(rows.data if is_sparse(rows) else rows).max(initial=0)
        exponent = max(int(np.frexp(largest)[1]), -1000)
        model = decomposition.TruncatedSVD(
            d, n_iter=int(self.n_iter), random_state=check_seed(self, self.random_state)
        )
        with np.errstate(invalid="ignore", divide="ignore"):  # 0 / 0 without variance
            # near 1, squares neither overflow nor vanish
            near_one = rows * rows.dtype.type(2.0**-exponent)
            model.fit(near_one if rows.shape[1] > 1 else _with_zeros(near_one))
        components = np.asarray(model.components_)[:, : rows.shape[1]]
        chosen = np.abs(components).argmax(axis=1)
        signs = np.where(components[np.arange(d), chosen] < 0, -1, 1)
        self.components_ = (components * signs[:, None]).astype(rows.dtype)
        with np.errstate(over="ignore"):
            self.singular_values_ = np.ldexp(model.singular_values_.astype(float), exponent)
        self.explained_variance_ratio_ = np.nan_to_num(model.explained_variance_ratio_)
        self.report_ = None if is_sparse(rows) else report_where_known(self, rows, y)
        return self

    def transform(self, X: Cases) -> Any:
        """Project rows on the components; array of shape (n, d)."""
        check_fitted(self)
        rows: Any = check_vectors(self, X, reset=False, sparse=True)
        if not is_sparse(rows):
            return self._mapped(rows)
        with np.errstate(over="ignore", invalid="ignore"):
            return finite(
                self, np.asarray(rows @ self.components_.T.astype(rows.dtype, copy=False))
            )


def _with_zeros(column: Any) -> Any:
    """A second feature that is 0: scikit-learn refuses a single one."""
    import scipy.sparse as sp

    if is_sparse(column):
        return sp.hstack([column, column * 0], format="csr")
    return np.hstack([column, np.zeros_like(column)])
