"""qda: Gaussian classes, each with its own covariance; quadratic discriminants."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, Self

import numpy as np

from ilk import ArrayLike, InputError, display_name, param
from ilk_learners.classifiers.gaussians import Gaussian, gaussian, noise_of
from ilk_learners.classifiers.posteriors import PRIORS, Posterior, class_priors
from ilk_learners.classifiers.training_cases import TrainingCases, check_cases
from ilk_learners.numerics import difference, rounding, within

if TYPE_CHECKING:
    from ilk import Cases, Labels


class QDA(Posterior):
    """Classify by Gaussian classes with one covariance each (quadratic discriminant analysis).

    Predicts the class c with the largest

    ``delta_c(x) = -1/2 ln |S_c| - 1/2 (x - mu_c)' S_c^(-1) (x - mu_c) + ln pi_c``

    with the class mean mu_c, the prior pi_c and the class covariance S_c, divided by the number of
    its cases (the maximum-likelihood estimate). No S_c is formed or inverted. Without shrinkage,
    predictions do not depend on the units of the features.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Sorted.
    means_ : ndarray of shape (n_classes, p)
    priors_ : ndarray of shape (n_classes,)
    shrinkages_ : ndarray of shape (n_classes,)
        The intensity used for each class.
    pooled_ : ndarray of bool, shape (n_classes,)
        Whether a class uses the pooled covariance.
    vc_dimension_ : int
        Of two classes: (p + 1)(p + 2) / 2, that of quadratic borders of p features.

    Raises
    ------
    ParameterError
        If given priors are not positive or do not sum to 1.
    InputError
        If there is only one class; if a covariance is singular and that is an error (names the
        class and the rank), or the pooled one is singular too.

    References
    ----------
    .. [1] Zaidi 2011: section 2.1.1; appendix B; equations 2.5, B.9-B.10 (the term ln pi_c is
       missing in equation 2.5).

    Examples
    --------
    >>> import ilk
    >>> X = [[-1.0], [0.0], [1.0], [-9.0], [0.0], [9.0]]
    >>> qda = ilk.classifier("qda").fit(X, ["near", "near", "near", "wide", "wide", "wide"])
    >>> qda.predict([[0.5], [-4.0], [4.0]]).tolist()
    ['near', 'wide', 'wide']
    """

    priors: ArrayLike | str = PRIORS
    shrinkage: float | Literal["auto"] = param(
        default=0.0,
        ge=0,
        le=1,
        choices=("auto",),
        doc='s in 0..1: each S becomes (1 - s) S + s trace(S)/p I; "auto": the s of '
        "Ledoit and Wolf for that class. It depends on the units of the features, so "
        "standardize them first.",
    )
    singular: Literal["error", "pooled"] = param(
        default="error",
        choices=("error", "pooled"),
        doc="What to do with a class whose covariance is singular, as with no more cases than "
        'features. "pooled": use the pooled within-class covariance of lda. A pseudo-inverse '
        "gives no density to compare with other classes.",
    )

    @classmethod
    def examples(cls) -> list[Self]:
        return [
            cls(shrinkage=0.1, singular="pooled"),
            cls(),
            cls(priors="equal", shrinkage=0.2),
            cls(shrinkage="auto"),
        ]

    def fit(self, X: Cases, y: Labels, sample_weight: ArrayLike | None = None) -> Self:
        """Estimate mean, prior and covariance of each class.

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
        means, gaussians = zip(
            *(self._of_class(cases, c) for c in range(len(cases.classes))), strict=True
        )
        self.means_ = np.concatenate(means)
        p = cases.X.shape[1]
        # a covariance of rank < p has no inverse, and its Gaussian no density
        self.pooled_ = np.array([each.rank < p for each in gaussians])
        if self.pooled_.any():
            common = self._pooled(cases, gaussians)
            gaussians = tuple(common if each.rank < p else each for each in gaussians)
        self.shrinkages_ = np.array([each.shrinkage for each in gaussians])
        self._gaussians: tuple[Gaussian, ...] = gaussians
        return self

    def _of_class(self, cases: TrainingCases, c: int) -> tuple[np.ndarray, Gaussian]:
        those = cases.codes == c
        weights = None if cases.weights is None else cases.weights[those]
        X = cases.X[those]
        mean, D, exponent = within(X, np.zeros(len(X), int), 1, weights)
        noise = rounding(X, exponent)
        return mean, gaussian(
            self, D, exponent, shrinkage=self.shrinkage, weights=weights, noise=noise
        )

    def _pooled(self, cases: TrainingCases, gaussians: tuple[Gaussian, ...]) -> Gaussian:
        """Pooled within-class covariance if it replaces singular ones, else None."""
        first = int(self.pooled_.argmax())
        rank, p = gaussians[first].rank, cases.X.shape[1]
        label = cases.classes.item(first)
        if self.singular == "error":
            count = int((cases.codes == first).sum())
            remedy = "set shrinkage, or " if rank and not self.shrinkage else "set "
            raise InputError(
                f"{display_name(self)}: the covariance of class {label!r}, of {count} "
                f"{'case' if count == 1 else 'cases'}, is singular (rank {rank} of {p}); {remedy}"
                f"singular='pooled'"
            )
        _, D, exponent = within(cases.X, cases.codes, len(cases.classes), cases.weights)
        noise = noise_of(cases.X, exponent, np.abs(D).max(axis=0))
        common = gaussian(
            self, D, exponent, shrinkage=self.shrinkage, weights=cases.weights, noise=noise
        )
        if common.rank < p:
            remedy = "; set shrinkage" if common.rank else ""
            raise InputError(
                f"{display_name(self)}: the covariances of class {label!r} and inside all classes "
                f"are singular (rank {rank} and {common.rank} of {p}){remedy}"
            )
        return common

    @property
    def vc_dimension_(self) -> int:
        """VC dimension of quadratic borders: the number of products of at most two features."""
        return math.comb(self.n_features_in_ + 2, 2)

    def _log_joint(self, X: np.ndarray) -> np.ndarray:
        result = np.empty((len(X), len(self.classes_)))
        for c, (mean, each) in enumerate(zip(self.means_, self._gaussians, strict=True)):
            whitened = difference(X, mean, each.exponent) @ each.map
            # the log density of a Gaussian, up to the constant that all classes share
            result[:, c] = -(each.log_det + np.einsum("ij,ij->i", whitened, whitened)) / 2
        return np.asarray(result + np.log(self.priors_))
