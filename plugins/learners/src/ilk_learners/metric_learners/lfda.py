"""lfda: discriminants that preserve clusters within classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, Self

import numpy as np

from ilk import InputError, check_labels, check_vectors, display_name, param
from ilk_learners.metric_learners.linear import (
    LinearMetricLearner,
    check_components,
    report_where_known,
)
from ilk_learners.metric_learners.whitening import inverse_root
from ilk_learners.numerics import (
    common_deviations,
    fix_signs,
    map_back,
    rounding,
    significant,
    subtract_means,
    thin_spectrum,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ilk import Cases, Labels

_NUMBERS = 2**16  # distances per block: it stays in the cache
_MOST = 2**21  # most distances stored (16 MiB); more are computed twice


class LFDA(LinearMetricLearner):
    """Local Fisher discriminants: like `lda`, but only near rows of a class attract each other.

    Rows of one class have the affinity ``A_ij = exp(-|x_i - x_j|^2 / (s_i s_j))``. s_i is the
    distance of row i to its k-th nearest row of the class (local scaling); in a smaller class to
    the farthest; if that is 0, to the nearest at a positive distance. The scatters are

        W = 1/2 sum_ij w_ij (x_i - x_j)(x_i - x_j)',   w_ij = A_ij / n_c   in class c, else 0
        B = 1/2 sum_ij b_ij (x_i - x_j)(x_i - x_j)',   b_ij = A_ij (1/n - 1/n_c), else 1/n

    and the rows of L solve ``B v = r W v``, the largest r first, with ``v' W v = n - C``. If all
    affinities are 1, this is `lda`. There may be more than C - 1 directions.
    Some weights in B are negative, but B is positive semi-definite: it is
    ``sum_c (1 - n_c/n) (S_c - W_c)`` plus the scatter of class means, and the total scatter S_c of
    class c is at least its part W_c of W. The problem is solved as the symmetric one of W and
    W + B, in coordinates in which all points have covariance 1. So L is real and all r >= 0.

    Affinities are computed in blocks of rows: memory grows with n, not with its square.

    Attributes
    ----------
    components_ : ndarray of shape (d, p)
        L.
    ratios_ : ndarray of shape (d,)
        The r of each direction, descending.
    rank_ : int
        Rank of W, before shrinkage.
    shrinkage_ : float
        As given.
    report_ : Report or None
        Leave-one-out error of the nearest neighbour before and after; None if not requested.

    Raises
    ------
    InputError
        If there is only one class; if all rows of each class are equal; if W is singular and
        ``singular="error"``; if n_components exceeds the number of directions.

    References
    ----------
    Sugiyama, "Dimensionality reduction of multimodal labeled data by local Fisher discriminant
    analysis", *JMLR* 8, 2007.

    Examples
    --------
    The class "a" has two clusters, with "b" between them: its mean does not separate them.

    >>> import ilk
    >>> X = [[-9, 0], [-9, 4], [-8, 2], [9, 0], [9, 4], [8, 2], [0, 0], [0, 4], [1, 2], [-1, 2]]
    >>> lfda = ilk.metric_learner("lfda", n_components=1, n_neighbors=2, embedding="orthonormal")
    >>> abs(lfda.fit(X, list("aaaaaabbbb")).components_.round(1))
    array([[1., 0.]])
    """

    n_components: int | None = param(
        default=None,
        type=int,
        ge=1,
        doc='Number of directions; None: all (with ``embedding="weighted"`` those with r > 0).',
    )
    n_neighbors: int = param(default=7, ge=1, doc="The k of local scaling.")
    embedding: Literal["weighted", "plain", "orthonormal"] = param(
        default="weighted",
        choices=("weighted", "plain", "orthonormal"),
        doc='"weighted": each direction is multiplied by the root of its r; directions with r = 0 '
        'separate nothing and are left out. "plain": as above. "orthonormal": an orthonormal '
        "basis of the leading directions.",
    )
    shrinkage: float = param(
        default=0.0,
        ge=0,
        le=1,
        doc="s in 0..1: W becomes (1 - s) W + s trace(W)/q I, in the q coordinates in which all "
        "points have covariance 1.",
    )
    singular: Literal["reduce", "error"] = param(
        default="reduce",
        choices=("reduce", "error"),
        doc="What to do if W is singular among these points (fewer rows than features, say). "
        '"reduce": project on their leading principal components, as many as the rank of W, '
        'without the components that would make it singular again. "error": raise.',
    )

    @classmethod
    def examples(cls) -> list[Self]:
        return [
            cls(),
            cls(n_components=1, embedding="plain", report=False),
            cls(n_components=2, embedding="orthonormal", n_neighbors=3, report=False),
            cls(shrinkage=0.1, report=False),
        ]

    def fit(self, X: Cases, y: Labels | None = None) -> Self:
        """Learn L from rows X and labels y."""
        self.check_parameters()
        X = check_vectors(self, X, reset=True, min_rows=2)
        classes, groups = check_labels(self, y, X, min_classes=2)
        check_components(self, self.n_components, X.shape[1])
        _, rows, exponent = common_deviations(X)
        values, axes = thin_spectrum(rows)
        noise = rounding(X, exponent)
        kept = significant(values, axes, len(X), noise)
        if not kept.any():
            raise InputError(f"{display_name(self)}: X has no variance: all rows are equal")
        # in these coordinates all points have covariance 1
        basis = axes[kept] * (np.sqrt(len(X)) / values[kept, None])
        local, mixture = _scatters(rows, rows @ basis.T, groups, int(self.n_neighbors))
        number = max(len(X) - len(classes), 1)
        doubt = np.linalg.norm(basis * noise, axis=1)
        components = self._directions(local / number, mixture / number, doubt) @ basis
        unit = exponent
        if self.embedding == "orthonormal":
            components, unit = fix_signs(np.linalg.qr(components.T)[0].T), 0
        self.components_ = map_back(self, fix_signs(components), unit, X.dtype)
        self.report_ = report_where_known(self, X, y)
        return self

    def _directions(self, W: np.ndarray, M: np.ndarray, noise: np.ndarray) -> np.ndarray:
        """Solve ``M v = (r + 1) W v``, M = W + B; sets `ratios_`."""
        from scipy.linalg import eigh

        weights, vectors = eigh(W)
        root = np.sqrt(np.maximum(weights, 0))[:, None] * vectors.T
        # directions below rounding are no part of the range of W
        root = root[weights > max(float(weights[-1]), 0.0) * len(W) * 1e-14]
        if not len(root):
            raise InputError(
                f"{display_name(self)}: rows of equal class are all equal: there is nothing to "
                f"learn from"
            )
        white = inverse_root(
            self,
            root,
            lambda: np.diag(np.linspace(2, 1, len(W))),  # the coordinates are already their axes
            what="the local scatter inside the classes",
            noise=noise / np.sqrt(len(W)),  # W is a mean of squares, root a matrix of so many rows
        )
        if self.shrinkage:
            # shrinkage of W changes M = W + B by the same amount
            M = M + self.shrinkage * (np.trace(W) / len(W) * np.eye(len(W)) - W)
        # in coordinates in which W is the identity, M v = (r + 1) v
        ratios, turn = eigh(white @ M @ white.T)
        ratios, directions = np.maximum(ratios[::-1] - 1, 0), turn.T[::-1] @ white
        d = self._n_directions(ratios)
        self.ratios_ = ratios[:d]
        factor = np.sqrt(ratios[:d, None]) if self.embedding == "weighted" else 1.0
        return np.asarray(directions[:d] * factor)

    def _n_directions(self, ratios: np.ndarray) -> int:
        left = len(ratios)
        if self.embedding == "weighted":
            left = int((ratios > 1e-12).sum())
        if left == 0:
            raise InputError(f"{display_name(self)}: no direction separates the classes")
        wanted = left if self.n_components is None else int(self.n_components)
        if wanted > left:
            raise InputError(
                f"{display_name(self)}: n_components must be at most {left}, the directions that "
                f"are left, got {wanted}"
            )
        return wanted


class _Scatters(NamedTuple):
    local: np.ndarray
    mixture: np.ndarray


def _scatters(X: np.ndarray, Z: np.ndarray, groups: np.ndarray, k: int) -> _Scatters:
    """W and W + B of rows Z, with affinities by the distances of the same rows X.

    W + B is a sum of positive semi-definite parts: with the local scatter W_c of class c and its
    total scatter S_c, it is ``sum_c (n_c/n) W_c + (1 - n_c/n) S_c`` plus the scatter of means.
    """
    n, q = Z.shape
    Z = Z.copy()
    means = subtract_means(Z, groups, int(groups.max()) + 1)
    counts = np.bincount(groups)
    local = np.zeros((q, q))
    mixture = (means.T * counts) @ means
    order = np.argsort(groups, kind="stable")
    for rows in np.split(order, np.cumsum(counts)[:-1]):
        inside = Z[rows]
        near = _local_scatter(X[rows], inside, k) / len(rows)
        local += near
        # pairs of a class have the weights A_ij / n, all others 1 / n: the total scatter, without
        # the share n_c / n of the scatter inside each class
        share = len(rows) / n
        mixture += share * near + (1 - share) * (inside.T @ inside)
    return _Scatters((local + local.T) / 2, (mixture + mixture.T) / 2)


def _local_scatter(X: np.ndarray, Z: np.ndarray, k: int) -> np.ndarray:
    """Z' (diag(A 1) - A) Z, for the affinities A of rows of one class."""
    n, q = Z.shape
    if n == 1:
        return np.zeros((q, q))
    scale = np.empty(n)
    whole = list(_squares(X)) if n * n <= _MOST else None
    for rows, squares in whole or _squares(X):
        scale[rows] = np.sqrt(_kth(squares, min(k, n - 1)))
    total = np.zeros((q, q))
    for rows, squares in whole or _squares(X):
        # A_ij = exp(-squares / (s_i s_j)), in the memory of the squares
        A = np.divide(squares, -(scale[rows, None] * scale), out=squares)
        np.exp(A, out=A)
        total += Z[rows].T @ (A.sum(axis=1)[:, None] * Z[rows] - A @ Z)
    return total


def _kth(squares: np.ndarray, k: int) -> np.ndarray:
    """The k-th smallest of each row, or the smallest positive one; 1 if all are 0."""
    kth = np.partition(squares, k, axis=1)[:, k]
    zero = kth == 0
    if zero.any():
        elsewhere = squares[zero]
        least = np.where(elsewhere > 0, elsewhere, np.inf).min(axis=1)
        kth[zero] = np.where(np.isfinite(least), least, 1.0)
    return np.asarray(kth)


def _squares(X: np.ndarray) -> Iterator[tuple[slice, np.ndarray]]:
    """Squared distances of blocks of rows to all rows; rounding errors are set to 0."""
    X = X - X.mean(axis=0)
    lengths = np.einsum("ij,ij->i", X, X)
    size = max(1, _NUMBERS // len(X))
    for start in range(0, len(X), size):
        rows = slice(start, start + size)
        squares = X[rows] @ X.T
        squares *= -2
        sums = lengths[rows, None] + lengths
        squares += sums
        # rounding of the expansion |x|^2 + |z|^2 - 2 x'z
        squares[squares < 1e-14 * sums] = 0.0
        yield rows, squares
