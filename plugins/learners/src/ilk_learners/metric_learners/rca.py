"""rca: relevant component analysis, whitening by the variation inside chunklets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal, Self

import numpy as np
from sklearn.covariance import ledoit_wolf_shrinkage

from ilk import Array as ArrayParam
from ilk import InputError, Param, check_labels, check_same_length, check_vectors, display_name
from ilk_learners.linear import LinearMetricLearner, fix_signs, rank_of, spectrum, within
from ilk_learners.magnitude import common_deviations, map_back


class RCA(LinearMetricLearner):
    """Whiten by the covariance inside chunklets: small groups known to be of one class.

    With q points in r chunklets, x_ji the points and m_j the mean of chunklet j::

        A = 1/q sum_j sum_i (x_ji - m_j) (x_ji - m_j)',    L = A^(-1/2).

    A is never formed: L comes from a singular value decomposition of the deviations. The
    metric L'L = A^(-1) does not change with the units, nor under any invertible linear map,
    of the features (without `shrinkage`, and where A is not singular).

    Parameters
    ----------
    chunklets : "labels" or array of int, shape (n,), default="labels"
        Every class is a chunklet, or the chunklet of each training row by number. In the
        array any negative number marks a point that is in no chunklet (also where -1 is an
        ordinary label in y); y is not needed then.
    shrinkage : float, default=0.0
        s in 0..1: A is replaced by (1 - s) A + s trace(A)/p I.
    n_components : int or None, default=None
        How many dimensions are kept: those in which the variance of all points is largest
        in relation to that inside chunklets (Fisher's criterion), scaled as by L.
    singular : {"reduce", "shrink", "error"}, default="reduce"
        What to do where A has rank below p. "reduce": work in the space of the
        leading principal components of all points, as many as A has rank, leaving out those
        with which it would be singular again. "shrink": shrink with the intensity of Ledoit
        and Wolf. "error": raise.

    Attributes
    ----------
    components_ : ndarray of shape (d, p)
        L: A^(-1/2), symmetric, where nothing was reduced.
    rank_ : int
        Rank of A, before shrinkage.
    shrinkage_ : float
        The intensity that was used.
    n_chunklets_ : int
        Number of chunklets.

    Raises
    ------
    InputError
        If no point differs from the mean of its chunklet, if A is singular and
        ``singular="error"``, or if more components are asked for than are left; if a number
        in the result would be too large.

    References
    ----------
    Bar-Hillel, Hertz, Shental, Weinshall, "Learning a Mahalanobis metric from equivalence
    constraints", JMLR 6, 2005. Zaidi 2011, equation (4.5); Ledoit and Wolf, JMA 88, 2004.

    Examples
    --------
    >>> import ilk
    >>> X = [[0, 0], [0, 2], [9, 1], [9, 3], [4, 1], [6, 1]]
    >>> rca = ilk.metric_learner("rca").fit(X, ["a", "a", "b", "b", "c", "c"])
    >>> rca.metric_matrix_.round(3)
    array([[3. , 0. ],
           [0. , 1.5]])
    """

    parameters: ClassVar[Mapping[str, Param]] = {
        "chunklets": Param(
            ArrayParam,
            choices=("labels",),
            doc="The chunklet of each training row; negative: in none.",
        ),
        "shrinkage": Param(float, ge=0, le=1, doc="Share of a multiple of the identity in A."),
        "n_components": Param(int, ge=1, none=True, doc="How many dimensions are kept."),
        "singular": Param(choices=("reduce", "shrink", "error"), doc="If A has not full rank."),
    }

    def __init__(
        self,
        chunklets: Any = "labels",
        shrinkage: float = 0.0,
        n_components: int | None = None,
        singular: Literal["reduce", "shrink", "error"] = "reduce",
    ) -> None:
        self.chunklets = chunklets
        self.shrinkage = shrinkage
        self.n_components = n_components
        self.singular = singular

    @classmethod
    def examples(cls) -> list[Self]:
        return [
            cls(),
            cls(n_components=1),
            cls(shrinkage=0.1),
            cls(singular="shrink"),
        ]

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn L from rows X and labels y (left out where chunklets are given)."""
        self.check_parameters()
        X = check_vectors(self, X, reset=True, min_rows=2)
        member, groups = self._chunklets_of(X, y)
        self.n_chunklets_ = int(groups.max()) + 1
        rows = X if member.all() else X[member]
        _, deviations, exponent = within(rows, groups, self.n_chunklets_)
        deviations /= np.sqrt(len(rows))
        basis, values, vectors = self._spectrum(X, deviations)
        root = self._inverse_root(values, vectors)
        components = root if basis is None else root @ basis
        if self.n_components is not None:
            components = self._leading(X, components, self.n_components)
        self.components_ = map_back(self, components, exponent, X.dtype)
        return self

    def _chunklets_of(self, X: np.ndarray, y: Any) -> tuple[np.ndarray, np.ndarray]:
        """Which rows are in a chunklet, and in which, numbered from 0."""
        if isinstance(self.chunklets, str):
            _, groups = check_labels(self, y, X)
            return np.ones(len(X), dtype=bool), groups
        codes = np.asarray(self.chunklets)
        check_same_length(self, X, codes, "chunklets")
        if codes.ndim != 1 or codes.dtype.kind not in "iu":
            raise self.parameter_error(
                "chunklets", f"must be integers, one a row, got {codes.dtype} {codes.shape}"
            )
        member = codes >= 0
        if not member.any():
            raise self.parameter_error("chunklets", "must have a number that is not negative")
        return member, np.unique(codes[member], return_inverse=True)[1]

    def _spectrum(
        self, X: np.ndarray, deviations: np.ndarray
    ) -> tuple[np.ndarray | None, np.ndarray, np.ndarray]:
        """Root eigenvalues and eigenvectors of A, in a basis where it has full rank."""
        values, vectors = spectrum(deviations)
        self.rank_ = rank_of(values, deviations.shape)
        self.shrinkage_ = float(self.shrinkage)
        if self.rank_ == 0:
            raise InputError(
                f"{display_name(self)}: X has no variation inside the chunklets to learn from"
            )
        if self.rank_ == len(values) or self.shrinkage > 0:
            return None, values, vectors
        if self.singular == "error":
            raise InputError(
                f"{display_name(self)}: the covariance inside the chunklets is singular (rank "
                f"{self.rank_} of {len(values)}); set shrinkage, or singular to 'reduce' or "
                f"'shrink'"
            )
        if self.singular == "shrink":
            self.shrinkage_ = self._intensity(deviations)
            return None, values, vectors
        return self._reduced(X, deviations)

    def _intensity(self, deviations: np.ndarray) -> float:
        intensity = float(ledoit_wolf_shrinkage(deviations, assume_centered=True))
        if intensity == 0:
            raise InputError(
                f"{display_name(self)}: the intensity of Ledoit and Wolf is 0 for so few points; "
                f"set shrinkage"
            )
        return intensity

    def _reduced(
        self, X: np.ndarray, deviations: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Choose the first principal components among which A has full rank."""
        _, axes = spectrum(common_deviations(X)[1])
        chosen = fix_signs(axes)[_independent(deviations @ axes.T, self.rank_)]
        values, vectors = spectrum(deviations @ chosen.T)
        return chosen, values, vectors

    def _inverse_root(self, values: np.ndarray, vectors: np.ndarray) -> np.ndarray:
        """A^(-1/2) from the root eigenvalues and the eigenvectors (rows) of A."""
        s, variances = self.shrinkage_, values**2
        scale = np.sqrt((1 - s) * variances + s * variances.mean()) if s else values
        return np.asarray((vectors.T / scale) @ vectors)

    def _leading(self, X: np.ndarray, components: np.ndarray, number: int) -> np.ndarray:
        """Turn the whitened space to its axes of largest total variance; keep the first."""
        if number > len(components):
            raise InputError(
                f"{display_name(self)}: n_components must be at most {len(components)}, the "
                f"dimensions that are left, got {number}"
            )
        _, axes = spectrum(common_deviations(X)[1] @ components.T)
        return np.asarray(fix_signs(axes[:number]) @ components)


def _independent(columns: np.ndarray, number: int) -> list[int]:
    """Positions of the first columns that depend linearly on none before them."""
    shortest = np.linalg.norm(columns, 2) * max(columns.shape) * np.finfo(float).eps
    kept: list[int] = []
    basis = np.zeros((len(columns), number))
    for position, column in enumerate(columns.T):
        rest = column - basis @ (basis.T @ column)
        rest -= basis @ (basis.T @ rest)  # once more, for what rounding left
        length = np.linalg.norm(rest)
        if length > shortest and len(kept) < number:
            basis[:, len(kept)] = rest / length
            kept.append(position)
    return kept
