"""lda: Gaussian classes that share one covariance; linear discriminants.

Leave-one-out predictions are computed from the covariance of all cases. Without case i of class c,
with deviation d from its mean and n_c cases in its class, the within-class scatter is
``S - n_c/(n_c - 1) d d'`` and the mean of c is ``mu_c - d/(n_c - 1)``. In the principal axes of S
the covariance, shrunk or not, is a diagonal matrix minus a rank-one term. The formula of Sherman
and Morrison inverts it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np

from ilk import ArrayLike, Capabilities, InputError, Prediction, display_name, param
from ilk_learners.classifiers.gaussians import column_lengths, gaussian, ledoit_wolf, noise_of
from ilk_learners.classifiers.posteriors import PRIORS, Posterior, class_priors
from ilk_learners.classifiers.training_cases import TrainingCases, check_cases
from ilk_learners.numerics import (
    common_deviations,
    difference,
    significant,
    softmax,
    spectrum,
    within,
)

if TYPE_CHECKING:
    from ilk import Cases, Estimator, Labels


class LDA(Posterior):
    """Classify by Gaussian classes with a common covariance (linear discriminant analysis).

    Predicts the class c with the largest

    ``delta_c(x) = x' S^(-1) mu_c - 1/2 mu_c' S^(-1) mu_c + ln pi_c``

    with the class mean mu_c, the prior pi_c and the pooled within-class covariance S, divided by
    the number of cases (the maximum-likelihood estimate). x and the means are taken relative to
    the mean of the class means: this changes no difference between classes and loses no digits
    if data are far from the origin. S is neither formed nor inverted. Without shrinkage,
    predictions do not depend on the units of the features.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Sorted.
    means_ : ndarray of shape (n_classes, p)
    priors_ : ndarray of shape (n_classes,)
    vc_dimension_ : int
        Of two classes: the number of features plus 1, that of hyperplanes.
    rank_ : int
        Rank of S, after shrinkage.
    shrinkage_ : float
        The intensity used.

    Raises
    ------
    ParameterError
        If given priors are not positive or do not sum to 1.
    InputError
        If there is only one class; if S is 0, or singular and that is an error (names its rank).

    References
    ----------
    .. [1] Zaidi 2011: section 2.1.1; appendix B; equations 2.4, B.1-B.8 (the term ln pi_c is
       missing in equation 2.4).
    .. [2] R. A. Fisher, "The use of multiple measurements in taxonomic problems", *Annals of
       Eugenics* 7, 1936.
    .. [3] O. Ledoit and M. Wolf, "A well-conditioned estimator for large-dimensional covariance
       matrices", *Journal of Multivariate Analysis* 88, 2004.

    Examples
    --------
    >>> import ilk
    >>> X, y = [[0, 0], [2, 0], [1, 3], [6, 1], [8, 1], [7, 4]], ["a", "a", "a", "b", "b", "b"]
    >>> lda = ilk.classifier("lda").fit(X, y)
    >>> lda.predict([[3, 0], [5, 5]]).tolist(), lda.predict_proba([[4, 2]]).round(2).tolist()
    (['a', 'b'], [[0.44, 0.56]])
    >>> float((lda.leave_one_out(X, y).labels == y).mean())
    1.0
    """

    priors: ArrayLike | str = PRIORS
    shrinkage: float | Literal["auto"] = param(
        default=0.0,
        ge=0,
        le=1,
        choices=("auto",),
        doc='s in 0..1: S is replaced by (1 - s) S + s trace(S)/p I; "auto": the s of Ledoit '
        "and Wolf. It depends on the units of the features, so standardize them first.",
    )
    singular: Literal["error", "minimum_norm"] = param(
        default="error",
        choices=("error", "minimum_norm"),
        doc='What to do if S is singular. "minimum_norm": ignore directions without within-class '
        "variance (the pseudo-inverse of S, for features of within-class variance 1). These "
        "directions may separate the classes best, so this is not the default; shrinkage keeps "
        "them.",
    )
    capabilities: ClassVar[Capabilities] = Capabilities(
        sample_weight=True, probabilistic=True, fast_leave_one_out=True
    )

    @classmethod
    def examples(cls) -> list[Self]:
        return [
            cls(shrinkage=0.1),
            cls(),
            cls(priors="equal", shrinkage=0.2),
            cls(shrinkage="auto"),
            cls(singular="minimum_norm"),
        ]

    def fit(self, X: Cases, y: Labels, sample_weight: ArrayLike | None = None) -> Self:
        """Learn means, priors and the common covariance.

        Parameters
        ----------
        X : array of shape (n, p)
        y : array of shape (n,)
        sample_weight : array of shape (n,), optional
            A case of weight 2 counts as two.
        """
        self.check_parameters()
        cases = check_cases(self, X, y, sample_weight)
        self.classes_ = cases.classes
        self.priors_ = class_priors(self, cases.classes, cases.counts)
        self._fit_covariance(cases)
        return self

    def _fit_covariance(self, cases: TrainingCases) -> None:
        self.means_, D, exponent = within(cases.X, cases.codes, len(cases.classes), cases.weights)
        self._origin = common_deviations(self.means_)[0]
        means = difference(self.means_, self._origin, exponent)
        # the size of the numbers that were subtracted: smaller deviations are rounding errors
        extent = np.abs(D).max(axis=0) + np.abs(means).max(axis=0)
        noise = noise_of(cases.X, exponent, extent)
        covariance = gaussian(
            self, D, exponent, shrinkage=self.shrinkage, weights=cases.weights, noise=noise
        )
        self.rank_, self.shrinkage_, self._exponent = (
            covariance.rank,
            covariance.shrinkage,
            exponent,
        )
        self._check_rank(len(covariance.map))
        whitened = means @ covariance.map
        # with S^-1 = W W', the discriminant is linear in x: coefficients S^-1 mu_c
        self._coefficients = covariance.map @ whitened.T
        self._intercepts = np.log(self.priors_) - (whitened**2).sum(axis=1) / 2
        self._shifted = self._fold(extent)
        far = (whitened**2).sum(axis=1).max() > _FAR
        self._white = (covariance.map, whitened) if far else None

    def _fold(self, extent: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
        """Coefficients and intercepts for x itself, if the origin of the data is near 0.

        Near: within eight times the largest deviations of cases. Then the rounding errors of
        ``x' b`` are at most nine times those of ``(x - origin)' b`` for such deviations.
        """
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            coefficients = np.ldexp(self._coefficients, -self._exponent)
            intercepts = self._intercepts - self._origin @ coefficients
            near = np.abs(self._origin) <= np.ldexp(8 * extent, self._exponent)
        whole = np.isfinite(intercepts).all() and (coefficients != 0).all()
        return (coefficients, intercepts) if near.all() and whole else None

    def _check_rank(self, p: int) -> None:
        if self.rank_ == p or (self.rank_ and self.singular == "minimum_norm"):
            return
        remedy = "" if self.rank_ == 0 else "; set shrinkage, or singular='minimum_norm'"
        raise InputError(
            f"{display_name(self)}: the covariance inside the classes is singular (rank "
            f"{self.rank_} of {p}){remedy}"
        )

    @property
    def vc_dimension_(self) -> int:
        """VC dimension of hyperplanes."""
        return self.n_features_in_ + 1

    def _log_joint(self, X: np.ndarray) -> np.ndarray:
        if self._white is not None:
            return self._by_distance(X, *self._white)
        if self._shifted is not None:
            coefficients, intercepts = self._shifted
            return np.asarray(X @ coefficients + intercepts)
        relative = difference(X, self._origin, self._exponent)
        return np.asarray(relative @ self._coefficients + self._intercepts)

    def _by_distance(self, X: np.ndarray, W: np.ndarray, means: np.ndarray) -> np.ndarray:
        """Discriminants by squared distances: exact between classes that are near to each other.

        Linear ones have errors in proportion to the squared distance of the farthest class.
        """
        relative = difference(X, self._origin, self._exponent)
        with np.errstate(over="ignore", invalid="ignore"):
            Z = np.einsum("ij,jk->ik", relative, W)  # rounded row by row, as distances magnify it
            squared = np.stack([((Z - mean) ** 2).sum(axis=1) for mean in means], axis=1)
            linear = relative @ self._coefficients + self._intercepts
        exact = np.isfinite(squared).all(axis=1, keepdims=True)
        return np.asarray(np.where(exact, np.log(self.priors_) - squared / 2, linear))

    def leave_one_out(self, X: Cases, y: Labels) -> Prediction:
        """Leave-one-out predictions of all cases, from one fit.

        Rank-one updates give mean, prior and covariance without a case, and the intensity of
        Ledoit and Wolf. Cases without which the covariance is (nearly) singular are refitted; if
        it is singular with all cases, all are.

        Parameters
        ----------
        X : array of shape (n, p)
        y : array of shape (n,)

        Returns
        -------
        Prediction
            With probabilities. Leaving out the only case of a class gives it probability 0.

        Raises
        ------
        InputError
            If a fit without a case raises it (names the case).
        """
        from sklearn.base import clone

        self.check_parameters()
        return _leave_one_out(clone(self), X, y)


_FAR = 1e8  # squared distance of a class from the origin, in deviations, from which digits are lost
_CELLS = 2**18  # cells of the arrays of one block: 2 MiB each
_DOUBTFUL = 1e-6  # a smaller remaining share of variance without a case loses digits: refit


def _leave_one_out(lda: LDA, X: Cases, y: Labels) -> Prediction:
    """Leave-one-out predictions of all cases by an unfitted `lda`."""
    cases = check_cases(lda, X, y)
    n, p = cases.X.shape
    _check_classes_left(lda, cases)
    means, D, exponent = within(cases.X, cases.codes, len(cases.classes))
    turned = difference(means, common_deviations(means)[0], exponent)
    extent = np.abs(D).max(axis=0) + np.abs(turned).max(axis=0)
    # shrinkage depends on the units of the features: only without it they may be scaled
    noise = noise_of(cases.X, exponent, extent)
    scale = np.ones(p) if lda.shrinkage else column_lengths(D, np.sqrt(n) * noise)
    values, axes = spectrum(D / scale)
    if not lda.shrinkage and not significant(values, axes, n, noise / scale).all():
        P, doubtful = np.empty((n, len(cases.classes))), np.ones(n, dtype=bool)
    else:
        turned = turned / scale @ axes.T
        P, doubtful = _Downdates(lda, cases, D / scale @ axes.T, turned, values**2).probabilities()
    for i in np.flatnonzero(doubtful):
        P[i] = _refitted(lda, cases, int(i))
    labels = cases.classes[P.argmax(axis=1)]
    return Prediction(cases.classes[cases.codes], labels, cases.classes, P)


def _check_classes_left(lda: LDA, cases: TrainingCases) -> None:
    """Raise if leaving out a case leaves one class, or makes given priors one too many."""
    alone = np.flatnonzero(cases.counts[cases.codes] == 1)
    if alone.size and (len(cases.classes) == 2 or not isinstance(lda.priors, str)):
        label = cases.classes.item(cases.codes[alone[0]])
        what = "priors are given for all classes" if len(cases.classes) > 2 else "1 class is left"
        raise InputError(
            f"{display_name(lda)}: leave_one_out: without row {alone[0]}, the only case of class "
            f"{label!r}, {what}"
        )


def _refitted(lda: Estimator, cases: TrainingCases, i: int) -> np.ndarray:
    from sklearn.base import clone

    rest = np.delete(np.arange(len(cases.X)), i)
    model = clone(lda)
    try:
        model.fit(cases.X[rest], cases.classes[cases.codes[rest]])
    except InputError as error:
        raise InputError(f"{error} (leave_one_out: without row {i})") from None
    P = np.zeros(len(cases.classes))
    P[np.isin(cases.classes, model.classes_)] = model.predict_proba(cases.X[i : i + 1])[0]
    return P


@dataclass(frozen=True)
class _Downdates:
    """Cases in the principal axes of the within-class scatter.

    Attributes
    ----------
    Z : ndarray of shape (n, p)
        Deviations from the class means.
    means : ndarray of shape (n_classes, p)
    scatter : ndarray of shape (p,)
        Sum of the squares of each column of Z.
    """

    lda: Any
    cases: TrainingCases
    Z: np.ndarray
    means: np.ndarray
    scatter: np.ndarray

    def probabilities(self) -> tuple[np.ndarray, np.ndarray]:
        """Leave-one-out probabilities of each case, and which cases must be refitted."""
        n, p = self.Z.shape
        P, left = np.empty((n, len(self.means))), np.empty(n)
        step = max(_CELLS // p, 1)
        for start in range(0, n, step):
            rows = slice(start, min(start + step, n))
            P[rows], left[rows] = self._block(rows)
        return P, ~(left > _DOUBTFUL)

    def _block(self, rows: slice) -> tuple[np.ndarray, np.ndarray]:
        Z, codes = self.Z[rows], self.cases.codes[rows]
        grow = self._growth(codes)
        A, gamma = self._without(rows, grow)
        V = Z / A
        # the denominator of Sherman and Morrison: the share of variance along z left without the
        # case
        left = 1 - gamma * np.einsum("ij,ij->i", Z, V)
        scores = np.empty((len(Z), len(self.means)))
        with np.errstate(all="ignore"):  # doubtful cases are refitted
            for c, mean in enumerate(self.means):
                # deviations from the means without the case, which changes only the mean of its own
                # class
                E = np.where((codes == c)[:, None], Z * grow[:, None], Z + self.means[codes] - mean)
                along = np.einsum("ij,ij->i", E, V)
                # e' (diag(A) - g z z')^-1 e = e' A^-1 e + g (e' A^-1 z)^2 / (1 - g z' A^-1 z)
                squared = np.einsum("ij,ij->i", E, E / A) + gamma * along**2 / left
                scores[:, c] = -squared / 2
            scores += self._log_priors(codes)
            return softmax(scores), left

    def _growth(self, codes: np.ndarray) -> np.ndarray:
        """n_c / (n_c - 1); 0 for the only case of a class, whose deviation is 0."""
        counts = self.cases.counts[codes]
        return np.where(counts > 1, counts / np.maximum(counts - 1, 1), 0.0)

    def _without(self, rows: slice, grow: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """A and g of the covariance ``diag(A) - g z z'`` without each case."""
        n, p = self.Z.shape
        lengths = np.einsum("ij,ij->i", self.Z[rows], self.Z[rows])
        trace = (self.scatter.sum() - grow * lengths) / (n - 1)
        s = self.lda.shrinkage
        s = self._intensities(rows, grow, trace) if s == "auto" else np.full(len(grow), float(s))
        # without case z of n_c, the scatter is S - n_c / (n_c - 1) z z'
        A = (1 - s)[:, None] * self.scatter / (n - 1) + (s * trace / p)[:, None]
        return A, (1 - s) * grow / (n - 1)

    def _intensities(self, rows: slice, grow: np.ndarray, trace: np.ndarray) -> np.ndarray:
        """Intensity of Ledoit and Wolf without each case.

        Leaving out d moves the deviations of its class by a = d/(n_c - 1):
        ``sum |d_j + a|^4 = sum |d_j|^4 + 4 a'v + 4 a'S_c a + 2 |a|^2 tr S_c + n_c |a|^4`` over
        the class, with v the sum of ``|d_j|^2 d_j`` and S_c its scatter; then subtract the term
        of the case itself.
        """
        n, p = self.Z.shape
        Z, codes = self.Z[rows], self.cases.codes[rows]
        counts = self.cases.counts[codes]
        lengths = np.einsum("ij,ij->i", Z, Z)
        a = np.where(counts > 1, 1 / np.maximum(counts - 1, 1), 0.0)
        fourth = np.full(len(Z), (np.einsum("ij,ij->i", self.Z, self.Z) ** 2).sum())
        for c in np.unique(codes):
            those, members = codes == c, self.Z[self.cases.codes == c]
            squares = np.einsum("ij,ij->i", members, members)
            step, length = a[those], lengths[those]
            along = Z[those] @ (squares @ members)
            across = np.einsum("ij,ij->i", Z[those] @ (members.T @ members), Z[those])
            fourth[those] += 4 * step * along + 4 * step**2 * across
            fourth[those] += 2 * step**2 * length * squares.sum()
            fourth[those] += counts[those] * step**4 * length**2
        fourth -= (1 + a) ** 4 * lengths**2
        # |S - g z z'|^2 in the axes of S, where S is a diagonal matrix
        square = (self.scatter**2).sum() - 2 * grow * (Z**2 @ self.scatter) + (grow * lengths) ** 2
        return np.asarray(ledoit_wolf(fourth / (n - 1), square / (n - 1) ** 2, trace, n - 1, p))

    def _log_priors(self, codes: np.ndarray) -> np.ndarray:
        """Logarithm of the prior of each class without each case; array of shape (b, C)."""
        counts, classes = self.cases.counts, self.cases.classes
        result = np.empty((len(codes), len(counts)))
        for c in np.unique(codes):
            rest = counts - (np.arange(len(counts)) == c)
            there = rest > 0
            priors = np.zeros(len(counts))
            priors[there] = class_priors(self.lda, classes[there], rest[there])
            with np.errstate(divide="ignore"):
                result[codes == c] = np.log(priors)
        return result
