"""boosted_experts: three experts and a gate, the cases first divided as boosting does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal, Self

import numpy as np
from sklearn.linear_model import LinearRegression
from sklearn.utils.validation import check_is_fitted
from threadpoolctl import threadpool_limits

import ilk
from ilk import Capabilities, Param
from ilk_ensembles.base.gate import Gate
from ilk_ensembles.base.members import failure
from ilk_ensembles.base.outputs import number_each
from ilk_ensembles.base.progress import VERBOSE, Progress
from ilk_ensembles.base.validation import check_numbers
from ilk_ensembles.boosting.mixing import Mixing
from ilk_ensembles.boosting.teaching import METHOD, Teacher, weighed_rows

_BIG = 0.25  # share of the cases' weight whose errors are big, where no threshold is given


class BoostedExperts(ilk.Regressor):
    """Combines three boosted regressors by a gate that looks at the row (boosted mixture).

    First the cases are divided as by Schapire's boosting, an error above a threshold standing
    for a wrong answer [2]_:

    1. the first expert is fitted to all cases;
    2. the second to weights that give half to those on which the first has a big error;
    3. the third to the cases on which just one of the two has one (if there are none, to those
       on which both have; else to all).

    From there they are a mixture of experts [1]_: expert j gives y a normal distribution about
    what it says, f_j(x), of variance s_j, and is taken with chance
    ``g_j(x) = exp(a_j + b_j x) / sum_l exp(a_l + b_l x)``. Expectation and maximisation
    repeat: from ``h_ij``, the chance that expert j made y_i, the experts are fitted anew to
    weights ``w_i h_ij``, the variances follow, and the gate learns h. The prediction is
    ``sum_j g_j(x) f_j(x)``.

    Parameters
    ----------
    member : regressor, optional
        The kind of expert. If left out: least squares (scikit-learn's LinearRegression).
    threshold : float, optional
        What is a big error, in units of y, is above it. If left out: what a quarter of the
        cases' weight is above, among errors of the first expert.
    rule : {"gate", "median"}, default="gate"
        "median": the median of the three boosted experts, without a gate or further rounds, as
        in threshold-based boosting [2]_.
    n_rounds : int, default=20
        Rounds of expectation and maximisation; fewer where the likelihood rises by less than
        `tol`. A round that lowers it, as experts other than linear ones may, is undone. With 0
        the gate is fitted to the boosted experts as they are.
    tol : float, default=1e-4
        Of the mean log-likelihood of a case.
    penalty : float, default=1e-3
        On the squares of the gate's coefficients b, over standardised features.
    method : {"weighting", "resampling"}, default="weighting"
        Whether experts take weights, or n rows are drawn by them, with replacement.
    verbose : int, default=0
        1: a line at each tenth of the rounds; 2: at each round.
    random_state : int or numpy generator, optional
        For draws, and for each expert whose own random state is None.

    Attributes
    ----------
    estimators_ : list of 3 regressors
    threshold_ : float
        What is a big error is above it.
    variances_ : ndarray of shape (3,)
        s_j; at least a millionth of that of y. Not with the median.
    log_likelihoods_ : ndarray of shape (T,)
        Weighted mean over the cases, with the boosted experts, then after each round kept.
    gate_ : Gate
        Not with the median.
    n_features_in_ : int

    Raises
    ------
    InputError
        If an expert fails (none can be left out: each learns from what those before it missed), or
        takes no weights where `method` is "weighting"; if X holds NaN; if y or weights are wrong.

    Notes
    -----
    With weighting, rows are first put into the order of `ilk.row_order`: their order does not
    matter.

    This is a reading. [1]_ says that a mixture of experts suits regression where the partition
    of the cases is first made "in a boostlike manner", and combines by confidence; what a wrong
    answer is in regression is from [2]_. The gate here is the usual softmax of a linear function
    of x ([3]_, "weights are input-dependent"), and all experts see all cases, weighted, where
    boosting by filtering needs new ones. Where the boosted experts all say the same, as straight
    lines on data that are symmetric about 0, no round can tell them apart.

    References
    ----------
    .. [1] R. Avnimelech and N. Intrator, "Boosted mixture of experts: an ensemble learning
       scheme", *Neural Computation* 11, 1999.
    .. [2] R. Avnimelech and N. Intrator, "Boosting regression estimators", *Neural Computation*
       11, 1999.
    .. [3] *System Evaluation*, lecture slides: mixture of experts. Cunningham, Cord and Delany
       (2008), sec. 2.5.5.

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

    parameters: ClassVar[Mapping[str, Param]] = {
        "member": Param(slot="regressor", none=True, doc="Each expert; default: least squares."),
        "threshold": Param(float, ge=0, none=True, doc="Errors above it are big."),
        "rule": Param(choices=("gate", "median"), doc="How experts are combined."),
        "n_rounds": Param(int, ge=0, doc="Rounds of expectation and maximisation."),
        "tol": Param(float, ge=0, doc="By how much a round must raise the likelihood."),
        "penalty": Param(float, gt=0, doc="On the squares of the gate's coefficients."),
        "method": METHOD,
        "verbose": VERBOSE,
        "random_state": Param(ilk.Seed, none=True, doc="For draws, and members without a seed."),
    }
    capabilities: ClassVar[Capabilities] = Capabilities(sample_weight=True)

    def __init__(
        self,
        member: Any = None,
        *,
        threshold: float | None = None,
        rule: Literal["gate", "median"] = "gate",
        n_rounds: int = 20,
        tol: float = 1e-4,
        penalty: float = 1e-3,
        method: Literal["weighting", "resampling"] = "weighting",
        verbose: int = 0,
        random_state: Any = None,
    ) -> None:
        self.member = member
        self.threshold = threshold
        self.rule = rule
        self.n_rounds = n_rounds
        self.tol = tol
        self.penalty = penalty
        self.method = method
        self.verbose = verbose
        self.random_state = random_state

    @classmethod
    def examples(cls) -> list[Self]:
        """Return straight lines, gated or not, and neighbours from drawn rows."""
        drawn = cls("knn", n_rounds=2, method="resampling", random_state=0)
        return [cls(n_rounds=4), cls(rule="median", threshold=0.5), drawn]

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Boost three experts, then let them and the gate learn together.

        Parameters
        ----------
        X : array of shape (n, p)
        y : array of shape (n,)
        sample_weight : array of shape (n,), optional
            A case of weight 2 counts as two (with "weighting"), one of weight 0 as none.

        Returns
        -------
        BoostedExperts
            Itself.
        """
        self.check_parameters()
        X = ilk.check_vectors(self, X, reset=True)
        y = check_numbers(self, y, X)
        rows, weights = weighed_rows(self, X, sample_weight, len(y))
        if rows is not None:
            X, y = X[rows], y[rows]
        if self.method == "weighting":
            order = ilk.row_order(X, y, weights)
            X, y, weights = X[order], y[order], weights[order]
        rng = ilk.check_seed(self, self.random_state)
        member = LinearRegression() if self.member is None else self.resolve_slot("member")
        mixing = Mixing(Teacher(self, member, X, self.method, rng), y, weights)
        self.threshold_ = mixing.boost(self.threshold, _BIG)
        if self.rule == "gate":
            self.gate_ = Gate.of(X, weights, len(mixing.experts), self.penalty)
            with threadpool_limits(1):  # the gate's steps are small, and threads only wait
                mixing = self._mix(mixing, X)
            with np.errstate(over="ignore", under="ignore"):  # of squares that no float holds
                self.variances_ = mixing.variances * mixing.unit * mixing.unit
        self.estimators_ = mixing.experts
        return self

    def _mix(self, mixing: Mixing, X: np.ndarray) -> Mixing:
        """Rounds of expectation and maximisation, as long as they raise the likelihood."""
        rows = self.gate_.rows(X)
        found = [mixing.start(self.gate_, rows)]
        progress = Progress(self, self.n_rounds, self.verbose, "rounds")
        for number in range(self.n_rounds):
            before = self.gate_.coef_
            other = mixing.improved(self.gate_, rows, number)
            likelihood = other.likelihood()
            progress.step(f"log-likelihood {likelihood:.4g}")
            if likelihood < found[-1]:
                self.gate_.coef_ = before
                break
            mixing = other
            found.append(likelihood)
            if likelihood - found[-2] < self.tol:
                break
        self.log_likelihoods_ = np.array(found)
        return mixing

    def predict(self, X: Any) -> np.ndarray:
        """Predicted number for each row; array of shape (m,)."""
        check_is_fitted(self)
        X = ilk.check_vectors(self, X, reset=False)
        said = self._said(X)
        if self.rule == "median":
            return np.asarray(np.median(said, axis=1))
        return np.asarray((self.gate_.shares(X) * said).sum(axis=1))

    def gate(self, X: Any) -> np.ndarray:
        """How much each expert is listened to for each row; shape (m, 3).

        Rows sum to 1, up to rounding.

        Raises
        ------
        ParameterError
            If experts are combined by the median.
        """
        check_is_fitted(self)
        if self.rule == "median":
            raise self.parameter_error("rule", "must be 'gate' for there to be one, got 'median'")
        return self.gate_.shares(ilk.check_vectors(self, X, reset=False))

    def _said(self, X: np.ndarray) -> np.ndarray:
        """What each expert says; array of shape (m, 3)."""
        said = np.empty((len(X), len(self.estimators_)))
        for number, expert in enumerate(self.estimators_):
            try:
                said[:, number] = number_each(expert.predict(X), len(X))
            except Exception as error:
                raise failure(self, f"estimators_[{number}]", expert, error) from error
        return said
