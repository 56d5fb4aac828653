"""A mixture of experts: a gate gives each classifier a weight that depends on the row."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np

import ilk
from ilk import Capabilities, ClassifierLike, RandomState, Seed, check_fitted, param, slot, slots
from ilk_ensembles.base.combined_classifier import cases_of_weight, check_n_jobs
from ilk_ensembles.base.gate import Gate, GateTree
from ilk_ensembles.base.members import (
    each_place,
    fit_each,
    fit_on_drawn,
    seed_members,
)
from ilk_ensembles.base.outputs import check_probabilistic, member_probabilities
from ilk_ensembles.base.progress import VERBOSE, Progress
from ilk_ensembles.base.validation import row_blocks

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ilk import ArrayLike, Cases, Estimator, FittedClassifier, Labels

_TRIAL = 10  # EM rounds from each start before the most likely is selected
_CELLS = 1 << 22  # probabilities held in memory at once: 32 MB of float64
_LEAST = 1e-300  # floor of a probability, so that its logarithm is finite
_NONE = 1e-12  # an expert is not fitted on cases with a smaller share
_DECIDED = 1.0  # standard deviation of the linear functions of a random gate


class MixtureOfExperts(ilk.Classifier):
    """Fits classifiers and a gate jointly, so that each specialises on a part of the cases (EM).

    ``P(c | x) = sum_j g_j(x) P_j(c | x)``, where the gate is
    ``g_j(x) = exp(a_j + b_j x) / sum_l exp(a_l + b_l x)`` over standardised features. Experts
    and gate maximise the weighted log-likelihood ``sum_i w_i ln P(y_i | x_i)``, minus `penalty`
    times half the sum of squares of b, by expectation-maximisation (EM). Each round

    - computes the responsibility of expert j for case i: ``h_ij = g_j(x_i) P_j(y_i | x_i)``,
      divided by the sum over j;
    - refits each expert with weights ``w_i h_ij``; the new one replaces the old if
      ``sum_i w_i h_ij ln P_j(y_i | x_i)`` does not fall, so that rounds never lower the
      log-likelihood, whatever criterion the experts are fitted by;
    - fits the gate to h.

    EM starts from a gate of random coefficients b. All experts see all features.

    With `branches` the mixture is hierarchical [2]_: ``g_ij(x) = g_i(x) g_j|i(x)``, where a gate at
    the top gives each branch i a share, and a gate in each branch its experts j. The gate at the
    top is fitted to ``h_i = sum_j h_ij``, that of a branch to ``h_ij / h_i`` with weights
    ``w_i h_i``; all are parts of the same EM, so a tree takes hardly longer than a single gate. (A
    mixture as `member` of a mixture would run its own EM in each round.)

    Attributes
    ----------
    classes_ : ndarray of shape (C,)
    estimators_ : list of L classifiers
        The experts.
    gate_ : Gate or GateTree
    log_likelihoods_ : ndarray of shape (n_iter_ + 1,)
        Weighted mean over the cases, minus the penalty, at the start and after each round.
    n_iter_ : int
        Rounds from the selected start.
    failures_ : dict of int to IlkError
        Errors of the dropped experts, by position.
    n_features_in_ : int

    Raises
    ------
    ParameterError
        If there is no member, or there are more branches than experts.
    InputError
        If an expert fails, takes no weights, or has no probabilities; the error names it. If X
        contains NaN, or y has one class.

    Warns
    -----
    ConvergenceWarning
        If EM did not converge in `max_iter` rounds.

    Notes
    -----
    Memory: the experts, and L numbers for each case while fitting. Experts that do not maximise
    their likelihood exactly, such as trees, give a generalised EM.

    ``predict`` returns the class of the largest ``predict_proba``; ties go to the first.

    References
    ----------
    .. [1] R. A. Jacobs, M. I. Jordan, S. J. Nowlan and G. E. Hinton, "Adaptive mixtures of local
       experts", *Neural Computation* 3, 1991.
    .. [2] M. I. Jordan and R. A. Jacobs, "Hierarchical mixtures of experts and the EM algorithm",
       *Neural Computation* 6, 1994.
    .. [3] Evaluation slides: Mixture of Experts.
    .. [4] Zaidi 2011: section 10.2; equation 10.5 (whose weights do not depend on x).

    Examples
    --------
    >>> import ilk
    >>> import numpy as np
    >>> X = np.random.default_rng(0).uniform(-1, 1, (400, 2))
    >>> y = X[:, 0] * X[:, 1] > 0  # no straight line divides these
    >>> model = ilk.classifier("mixture_of_experts", n_members=2, random_state=0).fit(X, y)
    >>> float(model.score(X, y)) > 0.9
    True
    >>> model.gate(X).shape
    (400, 2)
    """

    member: ClassifierLike = slot(
        "classifier",
        default="logistic",
        doc="Cloned for each expert. Must take sample weights and give probabilities. One that "
        "overfits any labels leaves nothing for the gate to divide.",
    )
    n_members: int = param(
        default=3,
        ge=1,
        doc="Number of experts, if `members` are left out.",
    )
    members: Sequence[ClassifierLike] | None = slots(
        "classifier",
        default=None,
        doc="Different experts, in place of clones of `member`.",
    )
    branches: int = param(
        default=1,
        ge=1,
        doc="Branches of a hierarchical mixture, between which the experts are divided in order, "
        "as evenly as possible; 1: a single gate.",
    )
    penalty: float = param(default=0.001, ge=0, doc="L2 penalty of the gate's coefficients b.")
    n_starts: int = param(
        default=3,
        ge=1,
        doc="Number of random starts. After 10 rounds the most likely mixture is selected and "
        "continued.",
    )
    max_iter: int = param(default=100, ge=1, doc="Most rounds.")
    tol: float = param(
        default=0.0001,
        ge=0,
        doc="Convergence: stop when the penalised mean log-likelihood rises by less.",
    )
    on_failure: Literal["raise", "drop"] = param(
        default="raise",
        choices=("raise", "drop"),
        doc="'raise': an expert that fails to fit at the start is an error. 'drop': leave it out "
        "and list it in ``failures_``.",
    )
    n_jobs: int | None = param(
        default=None,
        type=int,
        doc="Number of experts fitted, and queried, in parallel threads; -1: one per processor. "
        "Does not change the result.",
    )
    verbose: int = VERBOSE
    random_state: RandomState = param(
        default=None,
        type=Seed,
        doc="Seed of the random starts; also seeds each expert whose own random_state is None.",
    )
    capabilities: ClassVar[Capabilities] = Capabilities(sample_weight=True, probabilistic=True)
    waivers: ClassVar[Mapping[str, str]] = {
        "sklearn:check_sample_weight_equivalence_on_dense_data": (
            "gate and experts are found by iteration: the same to their tolerances (see "
            "check_weights_repeat), not to 1e-7"
        ),
    }

    @classmethod
    def examples(cls) -> list[Self]:
        """Linear experts; different experts, from two starts; two branches."""
        trees = {"use": "decision_tree", "max_depth": 2, "random_state": 0}
        return [
            cls(n_starts=1, max_iter=6, random_state=0),
            cls(members=["logistic", trees], n_starts=2, max_iter=2, n_jobs=2, random_state=0),
            cls(branches=2, n_starts=1, max_iter=4, random_state=0),
        ]

    def check_parameters(self) -> None:
        """Check each parameter, and that there is at least one member."""
        super().check_parameters()
        if self.members is not None and not len(self.members):
            raise self.parameter_error("members", "must have at least one member, got none")
        count = self.n_members if self.members is None else len(self.members)
        if self.branches > count:
            raise self.parameter_error(
                "branches", f"must be at most the number of experts, {count}, got {self.branches}"
            )
        check_n_jobs(self)

    def fit(self, X: Cases, y: Labels, sample_weight: ArrayLike | None = None) -> Self:
        """Fit experts and gate.

        Parameters
        ----------
        X : array of shape (n, p)
        y : array of shape (n,)
        sample_weight : array of shape (n,), optional
            A case of weight 2 counts as two cases, a case of weight 0 as none.
        """
        self.check_parameters()
        X = ilk.check_vectors(self, X, reset=True)
        self.classes_, codes = ilk.check_labels(self, y, X, min_classes=2)
        rng = ilk.check_seed(self, self.random_state)
        members = self._members()
        self._check_members(members)
        weights, X, codes = cases_of_weight(self, sample_weight, X, codes, members)
        data = (X, codes, np.ones(len(codes)) if weights is None else weights)
        with ilk.library_threads(1):  # many small fits: BLAS threads would only wait
            best = self._likeliest(data, members, rng)
        self.estimators_, self.gate_, self._places = best.experts, best.gate, best.places
        self.log_likelihoods_ = np.array(best.log_likelihoods)
        self.n_iter_ = best.n_rounds
        self._warn(best.rise())
        return self

    def _members(self) -> list[Any]:
        from sklearn.base import clone

        if self.members is not None:
            return list(self.resolve_slot("members"))
        member = self.resolve_slot("member")
        return [clone(member, safe=False) for _ in range(self.n_members)]

    def _check_members(self, members: list[Any]) -> None:
        argument = "member" if self.members is None else "members"
        for member in members[:1] if self.members is None else members:
            name = ilk.display_name(member)
            if ilk.is_frozen(member):
                raise self.parameter_error(argument, f"{name} is frozen, but is fitted in rounds")
            if not ilk.takes_weights(member):
                raise ilk.InputError(
                    f"{ilk.display_name(self)}: {argument} ({name}) takes no sample_weight, which "
                    f"experts need"
                )

    def _likeliest(
        self, data: tuple[Any, Any, Any], members: list[Any], rng: np.random.RandomState
    ) -> Mixture:
        """Run short trials from each random start and return the most likely mixture."""
        from sklearn.base import clone

        progress = Progress(self, self.max_iter, self.verbose, "rounds")
        mixtures = []
        for _ in range(self.n_starts):
            fresh = [clone(member, safe=False) for member in members]
            seed_members(self, fresh, None if self.random_state is None else rng)
            mixtures.append(Mixture(self, *data, fresh, rng))
            if self.n_starts > 1:
                self._continue(mixtures[-1], min(_TRIAL, self.max_iter))
        best = max(mixtures, key=lambda mixture: mixture.log_likelihoods[-1])
        self.failures_ = best.failures
        self._continue(best, self.max_iter, progress)
        return best

    def _continue(self, mixture: Mixture, n_rounds: int, progress: Progress | None = None) -> None:
        """Run EM up to `n_rounds` in total, or until convergence."""
        while mixture.n_rounds < n_rounds and mixture.rise() >= self.tol:
            mixture.improve()
            if progress is not None:
                progress.step(f"log-likelihood {mixture.log_likelihoods[-1]:.4g}")

    def _warn(self, rise: float) -> None:
        from sklearn.exceptions import ConvergenceWarning

        if rise >= self.tol:
            warnings.warn(
                f"{ilk.display_name(self)}: {self.max_iter} rounds were not enough: the mean "
                f"log-likelihood still rose by {rise:.2g}",
                ConvergenceWarning,
                stacklevel=3,
            )

    def predict(self, X: Cases) -> np.ndarray:
        """Predicted label of each row; array of shape (n,)."""
        best = self.predict_proba(X).argmax(axis=1)
        return np.asarray(self.classes_[best])

    def outputs(self, X: Cases) -> ilk.Outputs:
        """Labels and probabilities; each expert is asked once."""
        return ilk.Outputs.of_largest(self.classes_, self.predict_proba(X))

    def predict_proba(self, X: Cases) -> np.ndarray:
        """Probability of each class; array of shape (n, C)."""
        check_fitted(self)
        X = ilk.check_vectors(self, X, reset=False)
        size = max(_CELLS // (len(self.estimators_) * len(self.classes_)), 1)
        return np.concatenate([self._block(rows) for rows in row_blocks(X, size)])

    def _block(self, X: np.ndarray) -> np.ndarray:
        def query(_: int, expert: FittedClassifier) -> np.ndarray:
            return member_probabilities(expert, X, self.classes_)

        asked = each_place(self, self.estimators_, query, self.n_jobs, argument=self._places)
        mixed = np.einsum("nl,lnc->nc", self.gate_.shares(X), np.stack(asked))
        # the sum is 1 up to rounding
        return np.asarray(mixed / mixed.sum(axis=1, keepdims=True))

    def gate(self, X: Cases) -> np.ndarray:
        """Weight of each expert for each row; shape (n, L). Rows sum to 1, up to rounding."""
        check_fitted(self)
        return np.asarray(self.gate_.shares(ilk.check_vectors(self, X, reset=False)))


class Mixture:
    """Experts, a gate, and the likelihood of the training labels under them.

    Parameters
    ----------
    owner : MixtureOfExperts
        Named in errors.
    X : ndarray of shape (n, p)
    codes : ndarray of int, shape (n,)
        Positions of the labels among the owner's classes.
    weights : ndarray of shape (n,)
        Positive.
    members : list of classifiers
        Not fitted.
    rng : RandomState
        For the random gate at the start.

    Attributes
    ----------
    experts : list of L classifiers
    places : list of str
        Names of the experts in errors.
    failures : dict of int to IlkError
        Errors of the dropped experts, by position.
    gate : Gate or GateTree
    log_likelihoods : list of float
        Weighted mean over the cases, minus the penalty: at the start, and after each round.
    """

    def __init__(
        self,
        owner: Any,
        X: np.ndarray,
        codes: np.ndarray,
        weights: np.ndarray,
        members: list[Any],
        rng: np.random.RandomState,
    ) -> None:
        self.owner, self.X, self.codes, self.weights = owner, X, codes, weights
        self._labels = owner.classes_[codes]
        self._mass = weights / weights.max()  # so that no sum overflows
        self._mass = self._mass / self._mass.sum()
        data = (X, self._mass, len(members), owner.penalty)
        single = owner.branches == 1
        self.gate: Any = Gate.of(*data) if single else GateTree.of(*data, owner.branches)
        self._rows = self.gate.rows(X)
        self.gate.randomize(rng, _DECIDED)
        self._start(members)

    def _start(self, members: list[Any]) -> None:
        """Fit experts to the shares of a random gate; drop failing ones, if so configured."""
        from sklearn.base import clone

        shares = self.gate.shares(self.X)
        positions, self.experts = fit_each(
            self.owner,
            members,
            lambda at, member: self._fit(clone(member, safe=False), shares[:, at]),
            self.owner.n_jobs,
            on_failure=self.owner.on_failure,
        )
        self.failures = self.owner.failures_
        self._members = [members[at] for at in positions]
        self.places = [f"members[{at}]" for at in positions]
        self.gate.keep(positions)
        with np.errstate(divide="ignore"):
            self._log_shares = np.log(self.gate.shares(self.X))
        asked = each_place(
            self.owner,
            self.experts,
            self._log_likelihoods_of,
            self.owner.n_jobs,
            argument=self.places,
        )
        self._logs = np.column_stack(asked)
        self.log_likelihoods = [self._likelihood()]

    def improve(self) -> None:
        """One round."""
        # E step: the posterior of the experts, given the label
        shares = self._responsibilities()
        # M step, for the gate and for the experts, which maximise separate terms of the expectation
        self._log_shares = self.gate.fit(self._rows, shares, self._mass)

        def one(at: int, expert: Estimator) -> tuple[Any, np.ndarray]:
            return self._better(at, expert, shares[:, at])

        improved = each_place(
            self.owner, self.experts, one, self.owner.n_jobs, argument=self.places
        )
        self.experts = [expert for expert, _ in improved]
        self._logs = np.column_stack([logs for _, logs in improved])
        self.log_likelihoods.append(self._likelihood())

    @property
    def n_rounds(self) -> int:
        """Number of rounds so far."""
        return len(self.log_likelihoods) - 1

    def rise(self) -> float:
        """Rise of the log-likelihood in the last round; infinity before any."""
        if not self.n_rounds:
            return np.inf
        before, after = self.log_likelihoods[-2:]
        return after - before

    def _better(self, at: int, expert: Estimator, share: np.ndarray) -> tuple[Any, np.ndarray]:
        """Refit the expert; return the old one if that has the higher weighted likelihood."""
        from sklearn.base import clone

        before = self._logs[:, at]
        # an expert without responsibility has no cases to be fitted to
        if not (share > _NONE).any():
            return expert, before
        other = self._fit(clone(self._members[at], safe=False), share)
        logs = self._log_likelihoods_of(at, other)
        # a generalised EM step: a refit that lowers its term of the expectation, as that of a
        # regularised or greedy expert may, is refused, so the likelihood never falls
        mass = self._mass * share
        return (other, logs) if mass @ logs >= mass @ before else (expert, before)

    def _fit(self, member: Estimator, share: np.ndarray) -> Any:
        rows = np.flatnonzero(share > _NONE)
        if len(rows) == len(share):
            return check_probabilistic(
                fit_on_drawn(member, self.X, self._labels, self.weights * share)
            )
        weights = self.weights[rows] * share[rows]
        return check_probabilistic(fit_on_drawn(member, self.X[rows], self._labels[rows], weights))

    def _log_likelihoods_of(self, _: int, expert: Any) -> np.ndarray:
        """Log probability by an expert of the label of each case."""
        given = member_probabilities(expert, self.X, self.owner.classes_)
        likelihood = given[np.arange(len(given)), self.codes].astype(float)
        return np.asarray(np.log(np.maximum(likelihood, _LEAST)))

    def _responsibilities(self) -> np.ndarray:
        """Responsibility of each expert for each case; shape (n, L), rows sum to 1."""
        from scipy.special import logsumexp

        # g_j P_j(y) may underflow, its logarithm does not
        joint = self._logs + self._log_shares
        return np.asarray(np.exp(joint - logsumexp(joint, axis=1, keepdims=True)))

    def _likelihood(self) -> float:
        from scipy.special import logsumexp

        logs = self._mass @ logsumexp(self._logs + self._log_shares, axis=1)
        return float(logs - self.gate.loss)
