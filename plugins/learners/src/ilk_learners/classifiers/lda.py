"""lda: Gaussian classes that share one covariance; linear discriminants."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal, Self

import numpy as np
from sklearn.base import clone

from ilk import Capabilities, InputError, Param, Prediction, display_name
from ilk_learners.classifiers.cases import Cases, check_cases
from ilk_learners.classifiers.gaussians import SHRINKAGE, gaussian
from ilk_learners.classifiers.posteriors import Posterior
from ilk_learners.classifiers.priors import PRIORS, class_priors
from ilk_learners.linear import within
from ilk_learners.magnitude import common_deviations, difference


class LDA(Posterior):
    """Classify by Gaussian classes with a common covariance (linear discriminant analysis).

    The class c with the largest

    ``delta_c(x) = x' S^(-1) mu_c - 1/2 mu_c' S^(-1) mu_c + ln pi_c``

    with its mean mu_c and prior pi_c, and the covariance inside the classes S, pooled and
    divided by the number of cases (the estimate of maximum likelihood). x and the means are
    taken relative to the mean of the class means, which changes no difference between classes
    and loses no digits where data are far from the origin. S is neither formed nor inverted.
    Without shrinkage, answers do not depend on the units of the features.

    Parameters
    ----------
    priors : {"empirical", "equal"} or array of shape (n_classes,), default="empirical"
        The pi: the share of each class among the training cases, the same for all, or
        numbers in the order of the sorted classes.
    shrinkage : float or "auto", default=0.0
        s in 0..1: S is replaced by (1 - s) S + s trace(S)/p I; "auto": the s of Ledoit and
        Wolf. It depends on the units of the features, so standardize them first.
    singular : {"error", "minimum_norm"}, default="error"
        What to do where S is singular. "minimum_norm": differences along directions in which
        no class varies count nothing (the pseudo-inverse of S, for features of variance 1
        inside the classes). They may be those that tell classes apart best, so this must be
        asked for; shrinkage keeps them.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Sorted.
    means_ : ndarray of shape (n_classes, p)
    priors_ : ndarray of shape (n_classes,)
    rank_ : int
        Of S, after shrinkage.
    shrinkage_ : float
        The intensity that was used.

    Raises
    ------
    ParameterError
        If given priors are not positive with the sum 1.
    InputError
        If there is one class; if S is 0, or singular where that is an error (names its rank).

    References
    ----------
    .. [1] N. A. Zaidi, *Metric Learning and Scale Estimation in High Dimensional Machine Learning
       Problems with an Application to Generic Object Recognition*, PhD thesis, Monash University,
       2011, equation (2.4) and appendix B, equation (B.7). The term ln pi_c is missing in (2.4).
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

    parameters: ClassVar[Mapping[str, Param]] = {
        "priors": PRIORS,
        "shrinkage": SHRINKAGE,
        "singular": Param(choices=("error", "minimum_norm"), doc="If S has not full rank."),
    }
    capabilities: ClassVar[Capabilities] = Capabilities(
        sample_weight=True, probabilistic=True, fast_leave_one_out=True
    )

    def __init__(
        self,
        priors: Any = "empirical",
        shrinkage: float | Literal["auto"] = 0.0,
        singular: Literal["error", "minimum_norm"] = "error",
    ) -> None:
        self.priors = priors
        self.shrinkage = shrinkage
        self.singular = singular

    @classmethod
    def examples(cls) -> list[Self]:
        return [
            cls(shrinkage=0.1),
            cls(),
            cls(priors="equal", shrinkage=0.2),
            cls(shrinkage="auto"),
            cls(singular="minimum_norm"),
        ]

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
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

    def _fit_covariance(self, cases: Cases) -> None:
        self.means_, D, exponent = within(cases.X, cases.codes, len(cases.classes), cases.weights)
        self._origin = common_deviations(self.means_)[0]
        means = difference(self.means_, self._origin, exponent)
        extent = np.abs(D).max(axis=0) + np.abs(means).max(axis=0)
        found = gaussian(
            self, D, exponent, shrinkage=self.shrinkage, weights=cases.weights, extent=extent
        )
        self.rank_, self.shrinkage_, self._exponent = found.rank, found.shrinkage, exponent
        self._check_rank(len(found.map))
        whitened = means @ found.map
        self._coefficients = found.map @ whitened.T
        self._intercepts = np.log(self.priors_) - (whitened**2).sum(axis=1) / 2

    def _check_rank(self, p: int) -> None:
        if self.rank_ == p or (self.rank_ and self.singular == "minimum_norm"):
            return
        remedy = "" if self.rank_ == 0 else "; set shrinkage, or singular='minimum_norm'"
        raise InputError(
            f"{display_name(self)}: the covariance inside the classes is singular (rank "
            f"{self.rank_} of {p}){remedy}"
        )

    def _log_joint(self, X: np.ndarray) -> np.ndarray:
        relative = difference(X, self._origin, self._exponent)
        return np.asarray(relative @ self._coefficients + self._intercepts)

    def leave_one_out(self, X: Any, y: Any) -> Prediction:
        """What a fit without it says of each case, all of them from one fit.

        Mean, prior and covariance without a case follow from those with it by changes of rank
        one, as does the intensity of Ledoit and Wolf. Only cases without which the covariance
        is (nearly) singular are fitted again, and all cases where it is singular with them.

        Parameters
        ----------
        X : array of shape (n, p)
        y : array of shape (n,)

        Returns
        -------
        Prediction
            With probabilities. A class whose only case is left out has probability 0.

        Raises
        ------
        InputError
            If a fit without a case would (names the case).
        """
        from ilk_learners.classifiers.leaving_out import leave_one_out

        self.check_parameters()
        return leave_one_out(clone(self), X, y)
