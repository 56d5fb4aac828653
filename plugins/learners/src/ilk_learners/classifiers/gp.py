"""gp: Gaussian process classification."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np

from ilk import (
    Array,
    ArrayLike,
    Capabilities,
    Classifier,
    KernelLike,
    RandomState,
    Seed,
    check_fitted,
    check_labels,
    display_name,
    fit_component,
    n_rows,
    param,
    take,
)
from ilk_learners.gaussian_processes.classification import (
    Evidence,
    Logistic,
    Softmax,
    Solved,
    solve,
)
from ilk_learners.gaussian_processes.covariance import (
    Covariance,
    check_not_frozen,
)
from ilk_learners.gaussian_processes.marginal_likelihood import (
    KERNEL,
    MAX_STEPS,
    N_RESTARTS,
    SMALL,
    blocks,
    gram,
)
from ilk_learners.gaussian_processes.predictions import (
    choose,
    latent,
    log_odds,
    moments,
    probabilities,
)
from ilk_learners.kernel_parameters import KernelParameters
from ilk_learners.numerics import check_finite_parameters, single_threaded
from ilk_learners.validation import read_rows, with_input_tags

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ilk import Cases, Kernel, Labels
    from ilk_learners.gaussian_processes.newton import Likelihood
    from ilk_learners.gaussian_processes.predictions import Latents

_FACTORS = (0.25, 0.5, 1.0, 2.0, 4.0)  # of the numbers of a kernel, tried by cross-validation


class GP(Classifier):
    """Gaussian process classification by Laplace's approximation.

    The prior of the latent values f is Gaussian with covariance ``v k(x, z)``. A row belongs to
    the second class with probability ``1 / (1 + exp(-f))``. The posterior is approximated by a
    Gaussian around its mode. The mode satisfies ``f = v K g`` for the gradient g of the
    log-likelihood; Newton's method finds it. Probabilities are averages over the Gaussian of the
    latent value at x. It has mean ``v k(x)' g`` and variance
    ``v k(x, x) - v k(x)' (v K + W^-1)^-1 v k(x)``, where W is minus the Hessian of the
    log-likelihood.

    More than two classes: one problem for each class against the rest (ova), whose probabilities
    are divided by their sum; or one latent value per class and a softmax over them (algorithms
    3.3 and 3.4 of [1]_; the printed log marginal likelihood leaves out ``log |M|``).

    v and the hyper-parameters of the kernel can be optimised, separately for each problem: they
    then maximise the log marginal likelihood ``log p(y | f) - f' g / 2 - log |I + v K W| / 2`` by
    its analytic gradient (equations (5.20) to (5.24) of [1]_). A maximum at which predictions do
    not depend on the rows is left for two more starts. Cross-validation can choose them instead.

    It accepts the input of its kernel. Memory: one n x n matrix for each problem (class against
    the rest); with softmax C + 1 of them for C classes. Fitting holds one more, or two with
    softmax and `optimize`. For kernels other than rbf over a Euclidean distance it holds one more
    for each hyper-parameter that is optimised.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Sorted.
    kernels_ : list of kernel
        Fitted, with the chosen hyper-parameters: one, or one per problem if optimised.
    signal_variances_ : ndarray of shape (len(kernels_),)
    problems_ : list
        Modes and curvatures: one for two classes, one per class, or one for softmax.
    jitter_ : float
        Added to the diagonal of ``v K`` (the largest of all problems) if it was not positive
        semi-definite: 0, or 1e-12 times the mean of that diagonal, or 10, 100, ... times as much,
        up to 1e-3.
    log_marginal_likelihood_ : float
        Approximate; with one class against the rest the sum over problems.
    n_iter_ : int
        Matrix factorizations needed to reach the mode, the maximum over problems.
    n_features_in_ : int
        Where the rows are vectors or tables.

    Raises
    ------
    ParameterError
        If the kernel has no hyper-parameter to optimise, or no gradient.
    InputError
        If there are fewer than two classes, or the kernel is not positive semi-definite.

    Warns
    -----
    ConvergenceWarning
        If Newton's method or the optimiser has not converged.

    References
    ----------
    .. [1] C. E. Rasmussen and C. K. I. Williams, *Gaussian Processes for Machine Learning*, MIT
       Press, 2006, chapters 3 and 5.
    .. [2] Zaidi 2011: sections 2.4.4, 9.1; appendix E; equations 2.27-2.31, 9.1, E.31-E.39.

    Examples
    --------
    >>> import ilk
    >>> X, y = ilk.dataset("iris").load().Xy
    >>> gp = ilk.classifier("gp", optimize="isotropic").fit(X[::2], y[::2])
    >>> round(gp.score(X[1::2], y[1::2]), 2)
    0.97
    >>> gp.predict_proba(X[:1]).round(1).tolist()
    [[0.7, 0.1, 0.2]]
    """

    kernel: KernelLike = KERNEL
    signal_variance: float = param(default=1.0, gt=0, doc="v, where it starts if it is optimised.")
    multi_class: Literal["ova", "softmax"] = param(
        default="ova",
        choices=("ova", "softmax"),
        doc="They differ slightly even for two classes: a difference of two latent values has "
        "twice the variance of one.",
    )
    optimize: Literal["none", "isotropic", "ard", "cv"] = param(
        default="none",
        choices=("none", "isotropic", "ard", "cv"),
        doc="Hyper-parameters to optimise. None; v and each number of the kernel (isotropic: for "
        "rbf a common factor of its bandwidths); for rbf over a Euclidean distance of vectors, v "
        "and a bandwidth for each feature; or, by cross-validation, one factor of the kernel's "
        "numbers among `factors`: the most accurate one, then the one of the highest "
        "log-probability.",
    )
    factors: ArrayLike = param(
        default=_FACTORS,
        type=Array,
        form="array",
        doc='For "cv": multiples of the kernel\'s initial numbers.',
    )
    folds: int = param(default=5, ge=2, doc='For "cv"; at most one for each row.')
    n_restarts: int = N_RESTARTS
    tol: float = param(
        default=1e-08,
        gt=0,
        doc="Newton's decrement at which a mode is reached: the log posterior is then less "
        "than ``tol^2`` below its maximum.",
    )
    max_iter: int = param(default=100, ge=1, doc="Most iterations to a mode.")
    max_steps: int = MAX_STEPS
    random_state: RandomState = param(default=None, type=Seed, doc="For restarts and folds.")
    capabilities: ClassVar[Capabilities] = Capabilities(
        inputs=("vectors", "histograms", "tables", "strings", "signatures", "sets", "views"),
        probabilistic=True,
        sparse=True,
    )

    @classmethod
    def examples(cls) -> list[Self]:
        return [
            cls(),
            cls(multi_class="softmax"),
            cls(optimize="isotropic"),
            cls(optimize="ard", n_restarts=1, max_steps=25, random_state=0),
            cls(optimize="cv", random_state=0),
            cls(kernel={"use": "polynomial", "degree": 2}, signal_variance=4.0),
        ]

    def check_parameters(self) -> None:
        """Check each parameter, that the numbers are finite, and that factors are positive."""
        super().check_parameters()
        check_finite_parameters(self, "signal_variance", "tol")
        factors = np.asarray(self.factors, dtype=float)
        if factors.ndim != 1 or not factors.size:
            raise self.parameter_error(
                "factors", f"must be a list of numbers, got shape {factors.shape}"
            )
        if not (np.isfinite(factors) & (factors > 0)).all():
            raise self.parameter_error("factors", f"must be finite and above 0, got {factors}")

    def fit(self, X: Cases, y: Labels) -> Self:
        """Optimise the hyper-parameters, then find the modes.

        Parameters
        ----------
        X : data of n rows, of any kind that the kernel takes
        y : array of shape (n,)
        """
        self.check_parameters()
        kernel: Any = self.seeded_slot("kernel")
        X = read_rows(self, kernel, X, reset=True)
        self.classes_, codes = check_labels(self, y, X, min_classes=2)
        kernel = fit_component(kernel, X, self.classes_[codes])
        with single_threaded(when=len(codes) <= SMALL):
            if self.optimize in ("isotropic", "ard"):
                self._fit_each(kernel, X, codes)
            else:
                self._fit_all(kernel, X, codes)
        self.log_marginal_likelihood_ = sum(each.log_evidence for each in self.problems_)
        self.n_iter_ = max(each.n_iter for each in self.problems_)
        self.jitter_ = max(each.jitter for each in self.problems_)
        self._rows = X
        return self

    def _fit_all(self, kernel: Kernel, X: Cases, codes: np.ndarray) -> None:
        """Solve all problems with one covariance."""
        if self.optimize == "cv":
            kernel = self._chosen(kernel, X, codes)
        self.kernels_ = [kernel]
        self.signal_variances_ = np.array([self.signal_variance], dtype=float)
        K = gram(kernel, float(self.signal_variance), X)
        self.problems_ = self._solved(K, codes, len(self.classes_))

    def _fit_each(self, kernel: Kernel, X: Cases, codes: np.ndarray) -> None:
        """Optimise and solve each problem in turn."""
        labels = self.classes_[codes]
        covariance = Covariance(self, kernel, X, labels, self.optimize)
        self.kernels_, variances, self.problems_ = [], [], []
        start = float(self.signal_variance)
        for likelihood in self._likelihoods(codes, len(self.classes_)):
            evidence = Evidence(self, likelihood, covariance, X, start)
            kernel, variance, solved = evidence.maximum()
            self.problems_.append(solved)
            self.kernels_.append(kernel)
            variances.append(variance)
        self.signal_variances_ = np.array(variances)

    def _solved(self, K: np.ndarray, codes: np.ndarray, n_classes: int) -> list[Solved]:
        return [solve(self, each, K) for each in self._likelihoods(codes, n_classes)]

    def _likelihoods(self, codes: np.ndarray, n_classes: int) -> list[Likelihood]:
        if self.multi_class == "softmax":
            return [Softmax(codes, n_classes)]
        # for two classes one problem suffices: its latent value has the sign of the second class
        positive = range(1 if n_classes == 2 else 0, n_classes)
        return [Logistic(np.where(codes == c, 1.0, -1.0)) for c in positive]

    def _chosen(self, kernel: Kernel, X: Cases, codes: np.ndarray) -> Any:
        """Multiply the kernel's numbers by the factor chosen in cross-validation."""
        check_not_frozen(self, kernel)
        parameters = KernelParameters(kernel)
        if not parameters.size:
            raise self.parameter_error(
                "optimize",
                f"must not be 'cv' with the kernel {display_name(kernel)}, which has no numbers",
            )

        def moved(factor: float) -> Any:
            logarithms = np.full(parameters.size, np.log(factor))
            return parameters.kernel(logarithms).fit(X, self.classes_[codes])

        def scores(factor: float, folds: list[Any]) -> tuple[int, float]:
            # one matrix of all rows serves all folds
            K = gram(moved(factor), float(self.signal_variance), X)
            parts = [self._fold_scores(K, codes, *fold) for fold in folds]
            return sum(right for right, _ in parts), sum(total for _, total in parts)

        return moved(choose(self, codes, scores))

    def _fold_scores(
        self, K: np.ndarray, codes: np.ndarray, train: np.ndarray, test: np.ndarray
    ) -> tuple[int, float]:
        """Correct predictions and log-probability of test rows, from the covariance of all rows."""
        present, known = np.unique(codes[train], return_inverse=True)
        problems = self._solved(K[np.ix_(train, train)], known, len(present))
        k, prior = K[np.ix_(test, train)], np.diagonal(K)[test]
        # classes absent from the training rows of a fold get the smallest probability
        P = np.full((len(test), len(self.classes_)), np.finfo(float).tiny)
        P[:, present] = probabilities([latent(each, prior, k.copy()) for each in problems])
        chosen = np.maximum(P[np.arange(len(test)), codes[test]], np.finfo(float).tiny)
        return int((P.argmax(axis=1) == codes[test]).sum()), float(np.log(chosen).sum())

    def predict(self, X: Cases) -> Any:
        """Label of the largest probability for each row; array of shape (m,)."""
        check_fitted(self)
        if len(self.classes_) > 2:
            best = self.predict_proba(X).argmax(axis=1)
            return self.classes_[best]
        # the latent mean is k(x)' a: no variance is needed for the label
        means = [
            np.vstack([each.a @ k.T for each, _, k in self._covariances(Q)])
            for Q in self._blocks(X)
        ]
        # the sign of the mean decides: the average over a symmetric density lies on the same side
        first, last = np.concatenate(means, axis=1)[[0, -1]]
        softmax = self.multi_class == "softmax"
        return self.classes_[(last > (first if softmax else 0)).astype(int)]

    def predict_proba(self, X: Cases) -> np.ndarray:
        """Probability of each class, averaged over latent values; array of shape (m, n_classes).

        The average is exact to 1e-13; with softmax and more than two classes to about 1e-3, from
        a fixed set of points.
        """
        return np.concatenate([probabilities(each) for each in self._latents(X)])

    def decision_function(self, X: Cases) -> np.ndarray:
        """Log-odds of each class; array of shape (m, n_classes), with two classes (m,).

        They belong to the averaged probabilities before normalization. So they order rows and
        classes as `predict_proba` does, unlike latent means.
        """
        odds = np.concatenate([log_odds(each) for each in self._latents(X)])
        return odds[:, -1] if len(self.classes_) == 2 else odds

    def latent(self, X: Cases) -> tuple[np.ndarray, np.ndarray]:
        """Means and variances of the latent values.

        Returns
        -------
        mean, variance : ndarray of shape (m, n_classes), or (m,) for two classes and ova
        """
        parts = [moments(each) for each in self._latents(X)]
        mean, variance = (np.concatenate(each) for each in zip(*parts, strict=True))
        return mean, variance

    def _latents(self, X: Cases) -> Iterator[Latents]:
        """Means and (co)variances of latent values of each problem, for some rows at a time."""
        check_fitted(self)
        for Q in self._blocks(X):
            yield [latent(each, prior, k.copy()) for each, prior, k in self._covariances(Q)]

    def _blocks(self, X: Cases) -> Iterator[Any]:
        X = read_rows(self, self.kernels_[0], X, reset=False)
        return (take(X, rows) for rows in blocks(n_rows(X), n_rows(self._rows)))

    def _covariances(self, Q: Cases) -> list[tuple[Solved, np.ndarray, np.ndarray]]:
        """Each problem, with prior variances of queries and covariances with training rows."""
        pairs = []
        for kernel, variance in zip(self.kernels_, self.signal_variances_, strict=True):
            prior = variance * np.asarray(kernel.diagonal(Q), dtype=float)
            pairs.append((prior, gram(kernel, variance, Q, self._rows)))
        # one covariance for all problems, or one for each
        shared = pairs * (len(self.problems_) // len(pairs))
        return [(each, *pair) for each, pair in zip(self.problems_, shared, strict=True)]

    def __sklearn_tags__(self) -> Any:
        """Take the input tags of the kernel; a bandwidth for each feature needs dense rows."""
        tags = with_input_tags(self, "kernel", super().__sklearn_tags__())
        tags.input_tags.sparse &= self.optimize != "ard"
        return tags
