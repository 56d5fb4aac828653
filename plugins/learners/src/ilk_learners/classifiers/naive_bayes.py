"""naive_bayes: features modelled as independent within each class."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np

from ilk import (
    ArrayLike,
    Capabilities,
    encoded_vectors,
    in_blocks,
    is_sparse,
    param,
    refuse_sparse,
)
from ilk_learners.classifiers.posteriors import PRIORS, Posterior, class_priors
from ilk_learners.classifiers.training_cases import TrainingCases, check_cases
from ilk_learners.numerics import class_sums, deviations

if TYPE_CHECKING:
    from ilk import Cases, Labels

_CODES = {"use": "ilk-learners/ordinal", "unseen": -1.0, "missing": -1.0}
_ROWS = 256  # queries per block: one task of a thread


class NaiveBayes(Posterior):
    """Classify by densities of single features, assumed independent within each class.

    Predicts the class c with the largest ``ln pi_c + sum_f ln p_cf(x_f)``, with the prior pi_c and
    the density p_cf of feature f in class c: a Gaussian with the mean and variance in the class
    (divided by the number of cases), or a kernel density (Parzen windows),

    ``p_cf(x) = 1/n_c sum_i 1/h_cf phi((x - x_if) / h_cf)``,    phi the standard Gaussian.

    For a nominal column of a data frame p_cf(v) is the share of category v in class c,
    ``(n_cfv + s) / (n_cf + s K_f)`` with the smoothing s, the K_f categories of the column (those
    declared by its type, or those of the training rows) and the numbers of cases of class c that
    have category v, or any. Missing categories are not counted. A column in which a row has no
    category, or one unseen in training, is left out of the product for that row.

    Logarithms are computed from differences to the means or the cases, in units of each feature's
    size: no digits are lost far from the origin or far from all cases.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Sorted.
    priors_ : ndarray of shape (n_classes,)
    means_ : ndarray of shape (n_classes, p)
        Of the numeric columns, as the widths.
    widths_ : ndarray of shape (n_classes, p)
        Standard deviation of each Gaussian, or bandwidth of each kernel, at least the floor; 0 for
        features left out.
    category_shares_ : dict of int to ndarray of shape (n_classes, n_categories)
        Of each nominal column, by its position.
    encoder_ : Ordinal or None
        Encodes the nominal columns, if there are any; its ``categories_`` are those of the shares.

    Raises
    ------
    ParameterError
        If given priors are not positive or do not sum to 1.
    InputError
        If there is only one class.

    Notes
    -----
    Kernel densities store the training rows, and each prediction uses all of them: O(n p) per
    query, with memory for one block of queries.

    References
    ----------
    .. [1] Zaidi 2011: section 5.2.
    .. [2] G. H. John and P. Langley, "Estimating continuous distributions in Bayesian classifiers",
       UAI 1995.
    .. [3] B. W. Silverman, *Density Estimation for Statistics and Data Analysis*, Chapman and Hall,
       1986, equation (3.28).

    Examples
    --------
    >>> import ilk
    >>> X, y = [[-2.0], [-1.9], [2.0], [2.1], [-0.1], [0.1]], ["out"] * 4 + ["in"] * 2
    >>> bayes = ilk.classifier("naive_bayes", density="kernel", width=0.3).fit(X, y)
    >>> bayes.predict([[1.9], [0.1]])
    array(['out', 'in'], dtype='<U3')
    """

    density: Literal["gaussian", "kernel"] = param(
        default="gaussian",
        choices=("gaussian", "kernel"),
        doc="Density model of a feature within a class.",
    )
    width: float | Literal["silverman", "scott"] = param(
        default="silverman",
        type=float,
        gt=0,
        choices=("silverman", "scott"),
        doc="Bandwidth of kernels, in standard deviations of the feature within the class: (4/(3 "
        "n_c))^(1/5), n_c^(-1/5), or the number.",
    )
    priors: ArrayLike | str = PRIORS
    floor: float = param(
        default=0.001,
        gt=0,
        doc="Lower bound of the standard deviation of a Gaussian and of the bandwidth of a "
        "kernel, in standard deviations of the feature over all cases. Constant features are left "
        "out.",
    )

    smoothing: float = param(
        default=1.0,
        gt=0,
        lt=np.inf,
        doc="Cases that are added to each category in each class before shares are computed "
        "(Laplace: 1).",
    )
    capabilities: ClassVar[Capabilities] = Capabilities(
        inputs=("vectors", "tables"), sample_weight=True, probabilistic=True, sparse=True
    )

    @classmethod
    def examples(cls) -> list[Self]:
        return [
            cls(),
            cls(density="kernel"),
            cls(density="kernel", width="scott", priors="equal"),
            cls(density="kernel", width=0.5),
        ]

    def fit(self, X: Cases, y: Labels, sample_weight: ArrayLike | None = None) -> Self:
        """Estimate the priors, and the densities of all features in all classes.

        Parameters
        ----------
        X : array of shape (n, p), or data frame, also with nominal columns
        y : array of shape (n,)
        sample_weight : array of shape (n,), optional
            A case of weight 2 counts as two.
        """
        self.check_parameters()
        if self.density == "kernel":
            refuse_sparse(self, X)
        self.encoder_: Any = None  # as long as X is not a table with nominal columns
        read = partial(encoded_vectors, encoder=_CODES, sample_weight=sample_weight)
        cases = check_cases(self, X, y, sample_weight, read=read)
        self.classes_ = cases.classes
        self.priors_ = class_priors(self, cases.classes, cases.counts)
        self._points = None
        if is_sparse(cases.X):
            self._nominal = np.empty(0, dtype=np.intp)
            self.category_shares_: dict[int, np.ndarray] = {}
            self._measure_sparse(cases)
            return self
        cases = self._count(cases)
        mean, rows, self._exponents = deviations(cases.X)
        self._origin = np.ldexp(mean, -self._exponents)
        weights = np.ones(len(rows)) if cases.weights is None else cases.weights
        self._measure(cases, rows, weights)
        if self.density == "kernel":
            each = [cases.codes == c for c in range(len(cases.classes))]
            self._points = [(rows[those].T.copy(), weights[those]) for those in each]
        return self

    def _count(self, cases: TrainingCases) -> TrainingCases:
        """Set the shares of categories in each class; return the cases without nominal columns."""
        categories = {} if self.encoder_ is None else self.encoder_.categories_
        self._nominal = np.array(sorted(categories), dtype=np.intp)
        self.category_shares_ = {}
        for f in self._nominal.tolist():
            known = cases.X[:, f] >= 0
            counts = np.zeros((len(self.classes_), len(categories[f])))
            weights = 1.0 if cases.weights is None else cases.weights[known]
            np.add.at(counts, (cases.codes[known], cases.X[known, f].astype(np.intp)), weights)
            counts += self.smoothing
            self.category_shares_[f] = counts / counts.sum(axis=1, keepdims=True)
        if not len(self._nominal):
            return cases
        return replace(cases, X=np.delete(cases.X, self._nominal, axis=1))

    def _measure(self, cases: TrainingCases, rows: np.ndarray, weights: np.ndarray) -> None:
        """Mean and bandwidth of each feature in each class, in units of the features' sizes."""
        counts, shape = cases.counts, (len(cases.classes), rows.shape[1])
        means, variances = np.empty(shape), np.empty(shape)
        spare = np.empty_like(rows)  # for the rows of one class after another
        for c, count in enumerate(counts):
            those = np.flatnonzero(cases.codes == c)
            members = np.take(rows, those, axis=0, out=spare[: len(those)], mode="clip")
            shares = weights[those] / count
            means[c] = shares @ members
            members -= means[c]
            variances[c] = shares @ np.square(members, out=members)
        self._take_moments(cases, means, variances)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.density == "gaussian"
        return tags

    def _measure_sparse(self, cases: TrainingCases) -> None:
        """The same from sparse rows: the zeros of a feature are counted, not visited."""
        X, counts, p = cases.X, cases.counts, cases.X.shape[1]
        low, high = (end(axis=0).toarray().ravel().astype(float) for end in (X.min, X.max))
        _, self._exponents = np.frexp(np.maximum(high, -low))
        near_one = np.ldexp(X.data.astype(float), -self._exponents[X.indices])
        X = type(X)((near_one, X.indices, X.indptr), shape=X.shape)
        weights = np.ones(X.shape[0]) if cases.weights is None else cases.weights
        means = class_sums(X, cases.codes, len(counts), cases.weights, mean=True)
        variances = np.empty(means.shape)
        for c, mean in enumerate(means):
            rows = X[cases.codes == c]
            each = np.repeat(weights[cases.codes == c], np.diff(rows.indptr))
            stored = np.bincount(rows.indices, each, minlength=p)
            squares = each * np.square(rows.data - mean[rows.indices])
            total = np.bincount(rows.indices, squares, minlength=p)
            # weights of the zeros; a difference of sums may be below 0 by rounding
            rest = np.maximum(counts[c] - stored, 0)
            variances[c] = (total + rest * np.square(mean)) / counts[c]
        constant = low == high
        self._origin = np.where(constant, np.ldexp(low, -self._exponents), 0.0)
        means[:, constant] = variances[:, constant] = 0.0
        self._take_moments(cases, means, variances)

    def _take_moments(self, cases: TrainingCases, means: np.ndarray, variances: np.ndarray) -> None:
        """Take means and variances of all features in all classes, and find the widths."""
        counts = cases.counts
        shares = counts / counts.sum()
        # the variance of all cases: within the classes plus that of the class means
        overall = shares @ (variances + (means - shares @ means) ** 2)
        # without a floor, a feature that is constant in a class would have an infinite density
        least = self.floor * np.sqrt(overall)
        factors = np.array([self._factor(count) for count in counts])[:, None]
        self._means = means
        self._widths = np.where(least > 0, np.maximum(np.sqrt(variances) * factors, least), 0.0)
        # features that are constant in all cases tell no class from another
        self._used = np.flatnonzero(least > 0)
        self._counts = cases.counts
        self.means_ = np.ldexp(self._means + self._origin, self._exponents)
        self.widths_ = np.ldexp(self._widths, self._exponents)

    def _factor(self, count: float) -> float:
        """Bandwidth in standard deviations within a class, given its number of cases."""
        if self.density == "gaussian":
            return 1.0
        if isinstance(self.width, str):
            # (4 / (3 n))^(1/5) = (0.75 n)^(-1/5)
            return float((count * (0.75 if self.width == "silverman" else 1.0)) ** -0.2)
        return float(self.width)

    def _read(self, X: Cases) -> Any:
        if self._points is not None:
            refuse_sparse(self, X)
        return encoded_vectors(self, X, _CODES, reset=False)

    def _log_joint(self, X: Any) -> np.ndarray:
        if is_sparse(X):
            return self._log_joint_sparse(X)
        if not len(self._nominal):
            return self._log_densities(X)
        result = self._log_densities(np.delete(X, self._nominal, axis=1))
        for f, shares in self.category_shares_.items():
            known = X[:, f] >= 0
            result[known] += np.log(shares).T[X[known, f].astype(np.intp)]
        return result

    def _log_densities(self, X: np.ndarray) -> np.ndarray:
        """Logarithm of the priors and of the densities of the numeric columns."""
        rows = np.ldexp(X.astype(float, copy=False), -self._exponents)
        rows -= self._origin
        used = self._used
        if self._points is None and len(used) < rows.shape[1]:
            rows = rows[:, used]
        result = np.tile(np.log(self.priors_), (len(X), 1))
        for c, (mean, width) in enumerate(zip(self._means, self._widths, strict=True)):
            # the normalization of the Gaussian, up to the constant that all classes share
            result[:, c] -= np.log(width[used]).sum()
            if self._points is None:
                z = rows - mean[used]
                z /= width[used]
                result[:, c] -= np.einsum("ij,ij->i", z, z) / 2
            else:
                # a kernel density is the mean, not the sum, over the cases of the class
                result[:, c] -= len(used) * np.log(self._counts[c])
                result[:, c] += self._log_kernels(rows, c)
        return result

    def _log_joint_sparse(self, X: Any) -> np.ndarray:
        """Gaussian densities of sparse rows: those of zeros, changed where a value is stored."""
        used = np.zeros(X.shape[1], dtype=bool)
        used[self._used] = True
        numbers = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
        kept = used[X.indices]
        numbers, columns = numbers[kept], X.indices[kept]
        values = np.ldexp(X.data[kept].astype(float), -self._exponents[columns])
        result = np.tile(np.log(self.priors_), (X.shape[0], 1))
        for c, (mean, width) in enumerate(zip(self._means, self._widths, strict=True)):
            widths = width[self._used]
            empty = -(mean + self._origin)[self._used] / widths  # z of a zero
            result[:, c] -= np.log(widths).sum() + np.square(empty).sum() / 2
            # (z + d)^2 - z^2 = d (d + 2 z)
            places = np.searchsorted(self._used, columns)
            d = values / widths[places]
            changes = np.bincount(numbers, d * (d + 2 * empty[places]), minlength=X.shape[0])
            result[:, c] -= changes / 2
        return result

    def _log_kernels(self, rows: np.ndarray, c: int) -> np.ndarray:
        """Sum over features of the log kernel densities of class c."""
        from ilk_learners.classifiers.classifier_kernels import log_density

        result = np.zeros(len(rows))
        assert self._points is not None
        points, weights = self._points[c]
        columns = np.ascontiguousarray(rows.T)

        def work(start: int, stop: int) -> None:
            for f in self._used:
                block = columns[f, start:stop]
                log_density(block, points[f], weights, self._widths[c, f], result[start:stop])

        in_blocks(work, len(rows), _ROWS)
        return result
