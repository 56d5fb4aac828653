"""Metrics of rows without labels: identity, whitening, inverse roots of (singular) covariances."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from ilk import Capabilities, InputError, check_vectors, display_name, param
from ilk_learners.metric_learners.linear import (
    LinearMetricLearner,
    check_components,
    report_where_known,
)
from ilk_learners.numerics import (
    common_deviations,
    fix_signs,
    map_back,
    rounding,
    significant,
    thin_spectrum,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ilk import Cases, Labels


class Identity(LinearMetricLearner):
    """Keep the features as they are: L = I, the Euclidean distance.

    Use it where a metric learner is required but none is wanted: as a baseline, or in a view of
    `block_diagonal`. With `n_components` it keeps the first features, as ``init="identity"`` of
    other learners does.

    Attributes
    ----------
    components_ : ndarray of shape (d, p)
        L: the first d rows of the identity.
    report_ : Report or None
        Leave-one-out error of the nearest neighbour before and after; None without y.

    Raises
    ------
    InputError
        If n_components exceeds the number of features.

    References
    ----------
    Zaidi 2011: section 2.4.

    Examples
    --------
    >>> import ilk
    >>> X = [[0.0, 1.0], [2.0, 5.0]]
    >>> ilk.metric_learner("identity").fit(X).metric_matrix_
    array([[1., 0.],
           [0., 1.]])
    """

    n_components: int | None = param(
        default=None,
        type=int,
        ge=1,
        doc="Number of features to keep, from the first; None: all.",
    )
    capabilities: ClassVar[Capabilities] = Capabilities(stateless=True)

    waivers: ClassVar[Mapping[str, str]] = {
        "check_invariant#1": "keeps the first feature",
    }

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(), cls(n_components=1, report=False)]

    def fit(self, X: Cases, y: Labels | None = None) -> Self:
        """Set L; y is used only for the report."""
        self.check_parameters()
        X = check_vectors(self, X, reset=True)
        d = check_components(self, self.n_components, X.shape[1])
        self.components_ = np.eye(d, X.shape[1], dtype=X.dtype)
        self.report_ = report_where_known(self, X, y) if len(X) > 1 else None
        return self

    def _mapped(self, X: np.ndarray) -> np.ndarray:
        return X[:, : len(self.components_)].copy()


class Whitening(LinearMetricLearner):
    """Make features uncorrelated, of variance 1: the Mahalanobis distance of all points.

    With the covariance matrix ``S = U D U'`` (divided by n - 1), ``L = D^(-1/2) U'``, so that
    ``L S L' = I`` and the metric is ``L'L = S^(-1)``. S is never formed: a singular value
    decomposition of the deviations from the mean gives U and D.

    The thesis, below its equation (2.17), mixes two conventions and prints
    ``L = Phi Lambda^(-1/2)``; with its ``A = S^(-1) = Phi Lambda Phi'`` it should be
    ``Lambda^(1/2) Phi'``, the L above.

    If S is singular, because of constant or dependent features or too few rows, directions without
    variance (up to rounding: that of float32, if X is) are left out; with `shrinkage` all are kept.
    `transform` does not centre the data; this does not affect distances.

    Attributes
    ----------
    components_ : ndarray of shape (d, p)
        L, the direction of largest variance first.
    rank_ : int
        Rank of S, before shrinkage.
    report_ : Report or None
        Leave-one-out error of the nearest neighbour before and after; None without y.

    Raises
    ------
    InputError
        If all rows are equal, n_components exceeds the number of directions with variance, or the
        result overflows.

    References
    ----------
    Zaidi 2011: section 2.4; equation 2.17.

    Examples
    --------
    >>> import ilk
    >>> X = [[0, 1], [4, 1], [2, 0], [2, 2]]
    >>> ilk.metric_learner("whitening").fit(X).metric_matrix_.round(3)
    array([[0.375, 0.   ],
           [0.   , 1.5  ]])
    """

    n_components: int | None = param(
        default=None,
        type=int,
        ge=1,
        doc="Number of dimensions to keep, largest variance first; None: the rank of S.",
    )
    shrinkage: float = param(
        default=0.0,
        ge=0,
        le=1,
        doc="s in 0..1: S becomes (1 - s) S + s trace(S)/p I.",
    )

    @classmethod
    def examples(cls) -> list[Self]:
        return [
            cls(report=False),
            cls(n_components=1, report=False),
            cls(shrinkage=0.1, report=False),
        ]

    def fit(self, X: Cases, y: Labels | None = None) -> Self:
        """Learn L from rows X; y is used only for the report."""
        self.check_parameters()
        X = check_vectors(self, X, reset=True, min_rows=2)
        check_components(self, self.n_components, X.shape[1])
        _, deviations, exponent = common_deviations(X)
        roots, axes = self._axes(deviations, rounding(X, exponent))
        d = self._n_directions(roots)
        # in these coordinates the covariance is the identity
        components = fix_signs(axes[:d]) / roots[:d, None]
        self.components_ = map_back(self, components, exponent, X.dtype)
        self.report_ = report_where_known(self, X, y)
        return self

    def _axes(self, deviations: np.ndarray, noise: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Positive standard deviations, descending, and their directions."""
        n, p = deviations.shape
        s = self.shrinkage
        values, axes = thin_spectrum(deviations)
        kept = significant(values, axes, n, noise)
        self.rank_ = int(kept.sum())
        if self.rank_ == 0:
            raise InputError(f"{display_name(self)}: X has no variance: all rows are equal")
        if s == 0:
            # D'D = (n - 1) S: singular values of D over sqrt(n - 1) are standard deviations
            return values[kept] / np.sqrt(n - 1), axes[kept]
        # with shrinkage, directions without variance count too: complete the basis
        if len(axes) < p:
            axes = np.vstack([axes, _rest(axes)])
        variances = np.append(values, np.zeros(p - len(values))) ** 2 / (n - 1)
        # the eigenvalues of (1 - s) S + s trace(S) / p I, of the same eigenvectors
        return np.sqrt((1 - s) * variances + s * variances.mean()), axes

    def _n_directions(self, roots: np.ndarray) -> int:
        wanted = len(roots) if self.n_components is None else int(self.n_components)
        if wanted > len(roots):
            raise InputError(
                f"{display_name(self)}: n_components must be at most {len(roots)}, the rank of the "
                f"covariance, got {wanted}; with shrinkage all directions are kept"
            )
        return wanted


def _rest(axes: np.ndarray) -> np.ndarray:
    """An orthonormal basis of the orthogonal complement of orthonormal rows."""
    return np.linalg.qr(axes.T, mode="complete")[0].T[len(axes) :]


def inverse_root(
    owner: Any,
    root: np.ndarray,
    points: Callable[[], np.ndarray],
    *,
    what: str,
    noise: np.ndarray,
) -> np.ndarray:
    """L with L A L' = I for A = root' root, shrunk or reduced by the parameters of `owner`.

    Parameters
    ----------
    owner : Component
        With the parameters `shrinkage` and `singular`; gets ``rank_`` and ``shrinkage_``.
    root : ndarray of shape (m, p)
    points : callable
        Returns a matrix T such that T'T is the scatter of all points; the space is reduced to their
        leading principal components.
    what : str
        Name of A in errors, such as "the covariance inside ...".
    noise : ndarray of shape (p,)
        Rounding errors in the columns of `root`, see `ilk_learners.numerics.rounding`.

    Returns
    -------
    ndarray of shape (d, p)
        The symmetric A^(-1/2), unless reduced.

    Raises
    ------
    InputError
        If A is 0, or singular and that is an error.
    """
    values, vectors = thin_spectrum(root)
    m, p = root.shape
    owner.rank_ = int(significant(values, vectors, m, noise).sum())
    owner.shrinkage_ = float(owner.shrinkage)
    if owner.rank_ == 0:
        raise InputError(f"{display_name(owner)}: {what} is 0: there is nothing to learn from")
    if owner.rank_ < p and owner.shrinkage == 0:
        if owner.singular == "error":
            raise InputError(
                f"{display_name(owner)}: {what} is singular (rank {owner.rank_} of {p}); set "
                f"shrinkage, or another singular"
            )
        if owner.singular == "reduce":
            return _reduced(root, points(), owner.rank_, noise)
        owner.shrinkage_ = _intensity(owner, root)
    return _shrunk(values, vectors, owner.shrinkage_)


def leading(components: np.ndarray, root: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rotate a space to the principal axes of other rows in it.

    Parameters
    ----------
    components : ndarray of shape (d, p)
    root : ndarray of shape (m, p)

    Returns
    -------
    values : ndarray of shape (min(m, d),)
        Root of the scatter of `root` along each axis, descending.
    components : ndarray of shape (min(m, d), p)
    """
    values, axes = thin_spectrum(root @ components.T)
    return values, np.asarray(fix_signs(axes @ components))


def _shrunk(values: np.ndarray, vectors: np.ndarray, s: float) -> np.ndarray:
    """((1 - s) A + s trace(A)/p I)^(-1/2), for the root eigenvalues and eigenvectors of A."""
    p = vectors.shape[1]
    if not s:
        # the symmetric root, V diag(1 / values) V', keeps close to the original axes
        return np.asarray((vectors.T / values) @ vectors)
    added = s * float((values**2).sum()) / p
    inside = 1 / np.sqrt((1 - s) * values**2 + added)
    outside = (
        0.0 if len(values) == p else 1 / np.sqrt(added)
    )  # eigenvalue of the missing directions
    # all missing directions share one eigenvalue, so their basis is not needed
    return np.asarray((vectors.T * (inside - outside)) @ vectors + outside * np.eye(p))


def _intensity(owner: object, root: np.ndarray) -> float:
    from sklearn.covariance import ledoit_wolf_shrinkage

    intensity = float(ledoit_wolf_shrinkage(root, assume_centered=True))
    if intensity == 0:
        raise InputError(
            f"{display_name(owner)}: the intensity of Ledoit and Wolf is 0 for so few points; "
            f"set shrinkage"
        )
    return intensity


def _reduced(root: np.ndarray, points: np.ndarray, rank: int, noise: np.ndarray) -> np.ndarray:
    """L in the space of leading principal components in which A has full rank."""
    _, axes = thin_spectrum(points)
    # the first components, in the order of variance, that A distinguishes
    doubt = np.sqrt(max(root.shape)) * np.linalg.norm(axes * noise, axis=1)
    chosen = fix_signs(axes)[_independent(root @ axes.T, rank, doubt)]
    # on the space of the chosen components A has full rank
    values, vectors = thin_spectrum(root @ chosen.T)
    return np.asarray((vectors.T / values) @ vectors @ chosen)


def _independent(columns: np.ndarray, number: int, doubt: np.ndarray) -> list[int]:
    """Positions of the first linearly independent columns; `doubt` is the error of each."""
    # shorter remainders are rounding errors
    norm = float(np.linalg.norm(columns, 2))
    shortest = np.maximum(norm * max(columns.shape) * np.finfo(float).eps, doubt)
    independent: list[int] = []
    basis = np.zeros((len(columns), number))
    for position, column in enumerate(columns.T):
        if len(independent) == number:
            break
        rest = column - basis @ (basis.T @ column)
        rest -= basis @ (basis.T @ rest)  # a second time, against rounding
        length = np.linalg.norm(rest)
        if length > shortest[position]:
            basis[:, len(independent)] = rest / length
            independent.append(position)
    return independent
