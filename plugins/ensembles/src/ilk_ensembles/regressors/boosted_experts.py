"""boosted_experts: three experts and a gate, initialized by boosting."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np

import ilk
from ilk import Capabilities, RandomState, RegressorLike, check_fitted, param, slot
from ilk_ensembles.base.gate import Gate
from ilk_ensembles.base.members import failure
from ilk_ensembles.base.outputs import number_per_row
from ilk_ensembles.base.progress import VERBOSE, Progress
from ilk_ensembles.base.validation import check_numbers
from ilk_ensembles.boosting.weak_learner import RANDOM_STATE, WeakLearner, weighted_rows

if TYPE_CHECKING:
    from ilk import ArrayLike, Cases, Estimator

_BIG = 0.25  # default share of the cases' weight with big errors
_FLOOR = 1e-6  # least variance of an expert's noise, as a share of the targets' variance
_ROUNDING = 2.0**-104  # squared rounding error of a target, relative to the largest squared


class BoostedExperts(ilk.Regressor):
    """Combines three boosted regressors by a gate that depends on the row (boosted mixture).

    The cases are first divided by Schapire's boosting, in which an error above a threshold
    counts as a wrong answer [2]_:

    1. the first expert is fitted to all cases;
    2. the second to weights that give half of the mass to the big errors of the first;
    3. the third to the cases on which exactly one of the two has a big error (if there are
       none, to those on which both have; else to all).

    From there they are trained as a mixture of experts [1]_. Expert j models y by a normal
    distribution with mean f_j(x), its prediction, and variance s_j, and has the probability
    ``g_j(x) = exp(a_j + b_j x) / sum_l exp(a_l + b_l x)``. Expectation-maximisation (EM)
    repeats: from the responsibilities ``h_ij``, the probability that expert j generated y_i,
    refit the experts to weights ``w_i h_ij``, update the variances, and fit the gate to h. The
    prediction is ``sum_j g_j(x) f_j(x)``.

    Attributes
    ----------
    estimators_ : list of 3 regressors
    threshold_ : float
        Errors above it are big.
    variances_ : ndarray of shape (3,)
        s_j; at least a millionth of the variance of y. Not with the median.
    log_likelihoods_ : ndarray of shape (T,)
        Weighted mean over the cases, for the boosted experts and after each round kept.
    gate_ : Gate
        Not with the median.
    n_features_in_ : int

    Raises
    ------
    InputError
        If an expert fails (none can be dropped: each learns from the errors of those before), or
        takes no weights and `method` is "weighting"; if X has NaN; if y or weights are invalid.

    Notes
    -----
    With weighting, rows are first sorted by `ilk.row_order`, so that their order does not
    matter.

    This is one interpretation. [1]_ proposes for regression a mixture of experts where the
    partition of the cases is first made "in a boostlike manner", and combines by confidence;
    [2]_ defines a wrong answer in regression. The gate here is the usual softmax of a linear
    function of x ([3]_, "weights are input-dependent"), and all experts see all cases, weighted,
    where boosting by filtering needs new ones. If the boosted experts predict the same, as
    straight lines on data that are symmetric about 0, no round can separate them.

    References
    ----------
    .. [1] R. Avnimelech and N. Intrator, "Boosted mixture of experts: an ensemble learning scheme",
       *Neural Computation* 11, 1999.
    .. [2] R. Avnimelech and N. Intrator, "Boosting regression estimators", *Neural Computation* 11,
       1999.
    .. [3] Evaluation slides: Mixture of Experts.
    .. [4] Cunningham 2008: section 2.5.5.

    Examples
    --------
    >>> import ilk
    >>> import numpy as np
    >>> X = np.linspace(-1, 1, 200)[:, None]
    >>> experts = ilk.regressor("boosted_experts").fit(X, abs(X[:, 0] - 0.3))
    >>> float(experts.score(X, abs(X[:, 0] - 0.3))) > 0.99  # straight lines, gated
    True
    >>> experts.gate(X[:1]).shape
    (1, 3)
    """

    member: RegressorLike | None = slot(
        "regressor",
        default=None,
        doc="Cloned for each expert. If left out: scikit-learn's LinearRegression.",
    )
    threshold: float | None = param(
        default=None,
        type=float,
        ge=0,
        doc="Errors above it, in units of y, are big. If left out: the value that a quarter of "
        "the cases' weight exceeds, among errors of the first expert.",
    )
    rule: Literal["gate", "median"] = param(
        default="gate",
        choices=("gate", "median"),
        doc='"median": the median of the three boosted experts, without a gate or EM '
        "rounds, as in threshold-based boosting [2]_.",
    )
    n_rounds: int = param(
        default=20,
        ge=0,
        doc="EM rounds; fewer where the likelihood rises by less "
        "than `tol`. A round that lowers it, which nonlinear experts can cause, is "
        "undone. With 0 the gate is fitted to the boosted experts.",
    )
    tol: float = param(default=0.0001, ge=0, doc="Convergence: rise of the mean log-likelihood.")
    penalty: float = param(
        default=0.001,
        gt=0,
        lt=np.inf,
        doc="L2 penalty of the gate's coefficients b, over standardised features.",
    )
    method: Literal["weighting", "resampling"] = param(
        default="weighting",
        choices=("weighting", "resampling"),
        doc="Whether experts take weights, or n rows are resampled by them, with replacement.",
    )
    verbose: int = VERBOSE
    random_state: RandomState = RANDOM_STATE
    capabilities: ClassVar[Capabilities] = Capabilities(sample_weight=True)

    @classmethod
    def examples(cls) -> list[Self]:
        """Return straight lines, with gate or median, and neighbours on resampled rows."""
        drawn = cls(member="knn", n_rounds=2, method="resampling", random_state=0)
        return [cls(n_rounds=4), cls(rule="median", threshold=0.5), drawn]

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Boost three experts, then train them and the gate jointly by EM.

        Parameters
        ----------
        X : array of shape (n, p)
        y : array of shape (n,)
        sample_weight : array of shape (n,), optional
            A case of weight 2 counts as two cases (with "weighting"), a case of weight 0 as none.

        Returns
        -------
        BoostedExperts
            The fitted ensemble.
        """
        from sklearn.linear_model import LinearRegression

        self.check_parameters()
        X = self._checked(X, reset=True)
        y = check_numbers(self, y, X)
        rows, weights = weighted_rows(self, X, sample_weight, len(y))
        if rows is not None:
            X, y = X[rows], y[rows]
        if self.method == "weighting":
            # a canonical order: the sums of weights do not depend on the given one
            order = ilk.row_order(X, y, weights)
            X, y, weights = X[order], y[order], weights[order]
        rng = ilk.check_seed(self, self.random_state)
        member = LinearRegression() if self.member is None else self.resolve_slot("member")
        mixing = ExpertMixture(WeakLearner(self, member, X, self.method, rng), y, weights)
        self.threshold_ = mixing.boost(self.threshold, _BIG)
        if self.rule == "gate":
            self.gate_ = Gate.of(X, weights, len(mixing.experts), self.penalty)
            with ilk.library_threads(1):  # the gate's steps are small: BLAS threads would only wait
                mixing = self._mix(mixing, X)
            with np.errstate(over="ignore", under="ignore"):  # of squares out of range
                self.variances_ = mixing.variances * mixing.unit * mixing.unit
        self.estimators_ = mixing.experts
        return self

    def _checked(self, X: Any, *, reset: bool) -> np.ndarray:
        """Check rows; scikit-learn's regression would compute in the precision of float32."""
        checked: np.ndarray = ilk.check_vectors(self, X, reset=reset)
        return checked.astype(float, copy=False) if self.member is None else checked

    def _mix(self, mixing: ExpertMixture, X: np.ndarray) -> ExpertMixture:
        """Run EM rounds while they raise the likelihood."""
        rows = self.gate_.rows(X)
        likelihoods = [mixing.start(self.gate_, rows)]
        progress = Progress(self, self.n_rounds, self.verbose, "rounds")
        for number in range(self.n_rounds):
            before = self.gate_.coef_
            other = mixing.improved(self.gate_, rows, number)
            likelihood = other.likelihood()
            progress.step(f"log-likelihood {likelihood:.4g}")
            if likelihood < likelihoods[-1]:
                self.gate_.coef_ = before
                break
            mixing = other
            likelihoods.append(likelihood)
            if likelihood - likelihoods[-2] < self.tol:
                break
        self.log_likelihoods_ = np.array(likelihoods)
        return mixing

    def predict(self, X: Cases) -> np.ndarray:
        """Predicted number for each row; array of shape (m,)."""
        check_fitted(self)
        X = self._checked(X, reset=False)
        outputs = self._member_outputs(X)
        if self.rule == "median":
            return np.asarray(np.median(outputs, axis=1))
        return np.asarray((self.gate_.shares(X) * outputs).sum(axis=1))

    def gate(self, X: Cases) -> np.ndarray:
        """Weight of each expert for each row; shape (m, 3).

        Rows sum to 1, up to rounding.

        Raises
        ------
        ParameterError
            If experts are combined by the median.
        """
        check_fitted(self)
        if self.rule == "median":
            raise self.parameter_error("rule", "must be 'gate' for there to be one, got 'median'")
        return self.gate_.shares(self._checked(X, reset=False))

    def _member_outputs(self, X: np.ndarray) -> np.ndarray:
        """Predictions of each expert; array of shape (m, 3)."""
        outputs = np.empty((len(X), len(self.estimators_)))
        for number, expert in enumerate(self.estimators_):
            try:
                outputs[:, number] = number_per_row(expert.predict(X), len(X))
            except Exception as error:
                raise failure(self, f"estimators_[{number}]", expert, error) from error
        return outputs


class ExpertMixture:
    """Experts and a gate, fitted to targets.

    Parameters
    ----------
    learner : WeakLearner
    y : ndarray of shape (n,)
    weights : ndarray of shape (n,)
        They sum to 1.

    Attributes
    ----------
    experts : list of regressors
    outputs : ndarray of shape (n, L)
        Their predictions for the training rows.
    variances : ndarray of shape (L,)
        In units of `unit` squared.
    unit : float
        A power of two near the largest target; errors are divided by it before squaring, so
        that squares do not overflow.
    log_shares : ndarray of shape (n, L)
        Logarithms of the gate's shares.
    """

    def __init__(self, learner: WeakLearner, y: np.ndarray, weights: np.ndarray) -> None:
        self.learner, self.y, self.weights = learner, y, weights
        # a power of 2: dividing by it is exact, and squares of the quotients do not overflow
        self.unit = 2.0 ** min(int(np.frexp(np.abs(y).max())[1]), 1023)
        spread = float(weights @ ((y - weights @ y) / self.unit) ** 2)
        # an expert that fits its cases exactly would have an infinite density
        self.floor = max(_FLOOR * spread, _ROUNDING) if spread > 0 else 1.0
        self.experts: list[Any] = []
        self.outputs = np.empty((len(y), 0))
        self.variances = np.empty(0)
        self.log_shares = np.empty((len(y), 0))

    def boost(self, threshold: float | None, share: float) -> float:
        """Fit the three boosted experts; return the threshold of big errors.

        Parameters
        ----------
        threshold : float or None
            None: the value that the given share of the cases' weight exceeds, among errors of the
            first expert.
        share : float
        """
        first = self._errors(self._add(self.weights))
        if threshold is None:
            threshold = _quantile(first, self.weights, 1 - share)
        big = first > threshold
        # the second expert learns from cases on which the first is right as often as wrong
        second = self._errors(self._add(_halves(self.weights, big))) > threshold
        # the third decides between the two where exactly one errs; if nowhere, where both do
        self._add(_only(self.weights, big != second, big & second))
        return float(threshold)

    def start(self, gate: Gate, rows: np.ndarray) -> float:
        """Fit the gate to the responsibilities of the boosted experts; return the likelihood."""
        # equal shares for the first responsibilities; one update of each part follows
        self.variances = self._variances(np.ones(self.outputs.shape))
        self.log_shares = np.full(self.outputs.shape, -np.log(self.outputs.shape[1]))
        self.log_shares = gate.fit(rows, self.responsibilities(), self.weights)
        self.variances = self._variances(self.responsibilities())
        return self.likelihood()

    def improved(self, gate: Gate, rows: np.ndarray, number: int) -> ExpertMixture:
        """Return the mixture after one EM round."""
        other = ExpertMixture(self.learner, self.y, self.weights)
        shares = self.responsibilities()
        for column in range(shares.shape[1]):
            mass = self.weights * shares[:, column]
            if mass.sum() > 0:
                other._add(mass / mass.sum(), number)
            else:  # no responsibility: it is not refitted
                other._append(self.experts[column], self.outputs[:, column])
        other.log_shares = gate.fit(rows, shares, self.weights)
        other.variances = other._variances(shares)
        return other

    def responsibilities(self) -> np.ndarray:
        """Posterior probability of each expert for each target; shape (n, L), rows sum to 1."""
        from scipy.special import logsumexp

        joint = self._joint()
        return np.asarray(np.exp(joint - logsumexp(joint, axis=1, keepdims=True)))

    def likelihood(self) -> float:
        """Weighted mean log density of the targets."""
        from scipy.special import logsumexp

        # the density of y, from that of y / unit
        return float(self.weights @ logsumexp(self._joint(), axis=1) - np.log(self.unit))

    def _joint(self) -> np.ndarray:
        # ln of the normal density of the error, plus ln of the share of the expert
        logs = -(self._squares() / self.variances + np.log(2 * np.pi * self.variances)) / 2
        return np.asarray(logs + self.log_shares)

    def _squares(self) -> np.ndarray:
        return np.asarray(((self.y[:, None] - self.outputs) / self.unit) ** 2)

    def _variances(self, shares: np.ndarray) -> np.ndarray:
        mass = self.weights[:, None] * shares
        squares = (mass * self._squares()).sum(axis=0)
        totals = mass.sum(axis=0)
        # an expert without mass gets the floor
        return np.asarray(np.maximum(squares / np.where(totals > 0, totals, 1), self.floor))

    def _add(self, weights: np.ndarray, number: int | None = None) -> np.ndarray:
        number = len(self.experts) if number is None else number
        expert = self.learner.fit(number, self.y, weights)
        outputs = self.learner.query(
            number, expert, lambda m, X: number_per_row(m.predict(X), len(self.y))
        )
        self._append(expert, outputs)
        return np.asarray(outputs)

    def _append(self, expert: Estimator, outputs: np.ndarray) -> None:
        self.experts.append(expert)
        self.outputs = np.column_stack([self.outputs, outputs])

    def _errors(self, outputs: np.ndarray) -> np.ndarray:
        return np.asarray(np.abs(outputs - self.y))


def _quantile(values: np.ndarray, weights: np.ndarray, share: float) -> float:
    """Weighted quantile: the least value with the given share of the weight at or below it."""
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(weights[order])
    # the tolerance covers rounding of the cumulative sums
    return float(values[order[(reached >= (share - 1e-12) * reached[-1]).argmax()]])


def _halves(weights: np.ndarray, some: np.ndarray) -> np.ndarray:
    """Weights scaled so that the cases in `some` have half of the mass, the others half."""
    inside, outside = weights[some].sum(), weights[~some].sum()
    if not (inside > 0 and outside > 0):
        return weights
    return np.asarray(np.where(some, weights / (2 * inside), weights / (2 * outside)))


def _only(weights: np.ndarray, *choices: np.ndarray) -> np.ndarray:
    """Weights restricted to the first nonempty choice of cases; all weights if none is."""
    for some in choices:
        total = weights[some].sum()
        if total > 0:
            return np.where(some, weights / total, 0.0)
    return weights
