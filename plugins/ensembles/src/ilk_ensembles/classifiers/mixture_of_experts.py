"""A mixture of experts: a gate says, from the row, how much each classifier counts."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np
from scipy.special import logsumexp
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted
from threadpoolctl import threadpool_limits

import ilk
from ilk import Capabilities, ClassifierLike, RandomState, Seed, param, slot, slots
from ilk_ensembles.base.combined_classifier import check_member_weights, check_n_jobs
from ilk_ensembles.base.gate import Gate
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

_TRIAL = 10  # rounds from each start, before one of them goes on
_CELLS = 1 << 22  # probabilities that are held at once: 32 MB
_LEAST = 1e-300  # of a probability, so that its logarithm is finite
_NONE = 1e-12  # an expert with a smaller share of a case is not fitted on it
_DECIDED = 1.0  # deviation of a random gate's linear functions


class MixtureOfExperts(ilk.Classifier):
    """Fits classifiers and a gate together, so that each is an expert on a part of the cases.

    ``P(c | x) = sum_j g_j(x) P_j(c | x)``, where the gate is
    ``g_j(x) = exp(a_j + b_j x) / sum_l exp(a_l + b_l x)`` over standardised features. Experts
    and gate are fitted by expectation and maximisation of the weighted log-likelihood
    ``sum_i w_i ln P(y_i | x_i)``, less `penalty` times half the sum of squares of b. Each round

    - finds how much expert j accounts for case i: ``h_ij = g_j(x_i) P_j(y_i | x_i)``, divided by
      the sum over j;
    - fits each expert anew, to weights ``w_i h_ij``; it replaces the one before if
      ``sum_i w_i h_ij ln P_j(y_i | x_i)`` is no less, so that rounds never lower the
      log-likelihood, whatever experts maximise;
    - lets the gate learn h.

    It begins with a gate of random coefficients b. All experts see all features.

    Attributes
    ----------
    classes_ : ndarray of shape (C,)
    estimators_ : list of L classifiers
        The experts.
    gate_ : Gate
    log_likelihoods_ : ndarray of shape (n_iter_ + 1,)
        Weighted mean over the cases, less the penalty, at the start and after each round.
    n_iter_ : int
        Rounds from the start that is kept.
    failures_ : dict of int to IlkError
        Why experts were left out, by their position.
    n_features_in_ : int

    Raises
    ------
    ParameterError
        If there is no member.
    InputError
        If an expert fails, takes no weights, or gives no probabilities; names it. If X holds
        NaN, or y has one class.

    Warns
    -----
    ConvergenceWarning
        If `max_iter` rounds were not enough.

    Notes
    -----
    Memory is that of the experts, and L numbers for each case while fitting. Experts that can
    only be fitted by less than the maximum, such as trees, make a generalised EM.

    ``predict`` is the class of the largest ``predict_proba``, the first among equals.

    References
    ----------
    .. [1] R. A. Jacobs, M. I. Jordan, S. J. Nowlan and G. E. Hinton, "Adaptive mixtures of local
       experts", *Neural Computation* 3, 1991.
    .. [2] M. I. Jordan and R. A. Jacobs, "Hierarchical mixtures of experts and the EM algorithm",
       *Neural Computation* 6, 1994.
    .. [3] *System Evaluation*, lecture slides: mixture of experts. N. A. Zaidi, PhD thesis, Monash
       University, 2011, section 10.2 and equation (10.5), whose weights do not depend on x.

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
        doc="Cloned for each expert. Must take sample weights and give probabilities; one that "
        "can learn any labels by heart leaves nothing to divide.",
    )
    n_members: int = param(
        default=3,
        ge=1,
        doc="How many experts there are, where `members` are left out.",
    )
    members: Sequence[ClassifierLike] | None = slots(
        "classifier",
        default=None,
        doc="Experts that differ, in place of clones of `member`.",
    )
    penalty: float = param(default=0.001, ge=0, doc="On the squares of the gate's coefficients b.")
    n_starts: int = param(
        default=3,
        ge=1,
        doc="How many random gates are begun with. After 10 rounds the most likely mixture "
        "goes on.",
    )
    max_iter: int = param(default=100, ge=1, doc="Most rounds.")
    tol: float = param(
        default=0.0001,
        ge=0,
        doc="Rounds end when the mean log-likelihood, less the penalty, rises by less.",
    )
    on_failure: Literal["raise", "drop"] = param(
        default="raise",
        choices=("raise", "drop"),
        doc="An expert that cannot be fitted at the start is an error, or is left out and "
        "listed in ``failures_``.",
    )
    n_jobs: int | None = param(
        default=None,
        type=int,
        doc="How many experts are fitted, and asked, at once (threads); -1: one per processor. "
        "The result is the same.",
    )
    verbose: int = VERBOSE
    random_state: RandomState = param(
        default=None,
        type=Seed,
        doc="For the gates begun with, and for each expert whose own random state is None.",
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
        """Linear experts; experts that differ, from two starts."""
        trees = {"use": "decision_tree", "max_depth": 2, "random_state": 0}
        return [
            cls(n_starts=1, max_iter=6, random_state=0),
            cls(members=["logistic", trees], n_starts=2, max_iter=2, n_jobs=2, random_state=0),
        ]

    def check_parameters(self) -> None:
        """Check each parameter, and that there is a member."""
        super().check_parameters()
        if self.members is not None and not len(self.members):
            raise self.parameter_error("members", "must have at least one member, got none")
        check_n_jobs(self)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit experts and gate.

        Parameters
        ----------
        X : array of shape (n, p)
        y : array of shape (n,)
        sample_weight : array of shape (n,), optional
            A case of weight 2 counts as two, one of weight 0 as none.
        """
        self.check_parameters()
        X = ilk.check_vectors(self, X, reset=True)
        self.classes_, codes = ilk.check_labels(self, y, X, min_classes=2)
        rng = ilk.check_seed(self, self.random_state)
        members = self._members()
        self._check_members(members)
        weights = check_member_weights(self, sample_weight, codes, members)
        weights = np.ones(len(codes)) if weights is None else weights
        some = np.flatnonzero(weights)
        data = (X, codes, weights) if len(some) == len(X) else (X[some], codes[some], weights[some])
        with threadpool_limits(1):  # fits are many and small, and threads only wait
            best = self._likeliest(data, members, rng)
        self.estimators_, self.gate_, self._places = best.experts, best.gate, best.places
        self.log_likelihoods_ = np.array(best.log_likelihoods)
        self.n_iter_ = best.n_rounds
        self._warn(best.rise())
        return self

    def _members(self) -> list[Any]:
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
                    f"{ilk.display_name(self)}: {argument} ({name}) takes no sample_weight, as "
                    f"experts must"
                )

    def _likeliest(
        self, data: tuple[Any, Any, Any], members: list[Any], rng: np.random.RandomState
    ) -> Mixture:
        """The best of a few short trials, when it no longer gets better."""
        progress = Progress(self, self.max_iter, self.verbose, "rounds")
        found = []
        for _ in range(self.n_starts):
            fresh = [clone(member, safe=False) for member in members]
            seed_members(self, fresh, None if self.random_state is None else rng)
            found.append(Mixture(self, *data, fresh, rng))
            if self.n_starts > 1:
                self._go_on(found[-1], min(_TRIAL, self.max_iter))
        best = max(found, key=lambda mixture: mixture.log_likelihoods[-1])
        self.failures_ = best.failures
        self._go_on(best, self.max_iter, progress)
        return best

    def _go_on(self, mixture: Mixture, n_rounds: int, progress: Progress | None = None) -> None:
        """Rounds until there are so many, or the last has not raised the likelihood enough."""
        while mixture.n_rounds < n_rounds and mixture.rise() >= self.tol:
            mixture.improve()
            if progress is not None:
                progress.step(f"log-likelihood {mixture.log_likelihoods[-1]:.4g}")

    def _warn(self, rise: float) -> None:
        if rise >= self.tol:
            warnings.warn(
                f"{ilk.display_name(self)}: {self.max_iter} rounds were not enough: the mean "
                f"log-likelihood still rose by {rise:.2g}",
                ConvergenceWarning,
                stacklevel=3,
            )

    def predict(self, X: Any) -> np.ndarray:
        """Predicted label of each row; array of shape (n,)."""
        best = self.predict_proba(X).argmax(axis=1)
        return np.asarray(self.classes_[best])

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probability of each class; array of shape (n, C)."""
        check_is_fitted(self)
        X = ilk.check_vectors(self, X, reset=False)
        size = max(_CELLS // (len(self.estimators_) * len(self.classes_)), 1)
        return np.concatenate([self._block(rows) for rows in row_blocks(X, size)])

    def _block(self, X: np.ndarray) -> np.ndarray:
        def ask(_: int, expert: Any) -> np.ndarray:
            return member_probabilities(expert, X, self.classes_)

        asked = each_place(self, self.estimators_, ask, self.n_jobs, argument=self._places)
        mixed = np.einsum("nl,lnc->nc", self.gate_.shares(X), np.stack(asked))
        return np.asarray(mixed / mixed.sum(axis=1, keepdims=True))

    def gate(self, X: Any) -> np.ndarray:
        """How much each expert counts for each row; shape (n, L). Rows sum to 1, up to rounding."""
        check_is_fitted(self)
        return self.gate_.shares(ilk.check_vectors(self, X, reset=False))


class Mixture:
    """Experts, a gate, and how likely they make the labels of the training cases.

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
        For the gate that is begun with.

    Attributes
    ----------
    experts : list of L classifiers
    places : list of str
        What errors call them.
    failures : dict of int to IlkError
        Why others were left out, by their position.
    gate : Gate
    log_likelihoods : list of float
        Weighted mean over the cases, less the gate's penalty: of the start, and of each round.
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
        self.gate = Gate.of(X, self._mass, len(members), owner.penalty)
        self._rows = self.gate.rows(X)
        slopes = rng.normal(size=(len(members), X.shape[1]))
        self.gate.coef_[:, 1:] = _DECIDED * slopes / np.sqrt(X.shape[1])
        self._start(members)

    def _start(self, members: list[Any]) -> None:
        """Fit experts to the shares of a random gate; drop those that fail, where asked to."""
        shares = self.gate.shares(self.X)
        kept, self.experts = fit_each(
            self.owner,
            members,
            lambda at, member: self._fit(clone(member, safe=False), shares[:, at]),
            self.owner.n_jobs,
            on_failure=self.owner.on_failure,
        )
        self.failures = self.owner.failures_
        self._members = [members[at] for at in kept]
        self.places = [f"members[{at}]" for at in kept]
        self.gate.coef_ = self.gate.coef_[kept]
        with np.errstate(divide="ignore"):
            self._log_shares = np.log(self.gate.shares(self.X))
        asked = each_place(
            self.owner, self.experts, self._own, self.owner.n_jobs, argument=self.places
        )
        self._logs = np.column_stack(asked)
        self.log_likelihoods = [self._likelihood()]

    def improve(self) -> None:
        """One round."""
        shares = self._responsibilities()
        self._log_shares = self.gate.fit(self._rows, shares, self._mass)

        def one(at: int, expert: Any) -> tuple[Any, np.ndarray]:
            return self._better(at, expert, shares[:, at])

        found = each_place(self.owner, self.experts, one, self.owner.n_jobs, argument=self.places)
        self.experts = [expert for expert, _ in found]
        self._logs = np.column_stack([logs for _, logs in found])
        self.log_likelihoods.append(self._likelihood())

    @property
    def n_rounds(self) -> int:
        """How many rounds there were."""
        return len(self.log_likelihoods) - 1

    def rise(self) -> float:
        """By how much the last round has raised the log-likelihood; infinity before any."""
        if not self.n_rounds:
            return np.inf
        before, after = self.log_likelihoods[-2:]
        return after - before

    def _better(self, at: int, expert: Any, share: np.ndarray) -> tuple[Any, np.ndarray]:
        """The expert fitted anew, or the one before where that accounts better for its share."""
        before = self._logs[:, at]
        if not (share > _NONE).any():
            return expert, before
        other = self._fit(clone(self._members[at], safe=False), share)
        logs = self._own(at, other)
        own = self._mass * share
        return (other, logs) if own @ logs >= own @ before else (expert, before)

    def _fit(self, member: Any, share: np.ndarray) -> Any:
        rows = np.flatnonzero(share > _NONE)
        if len(rows) == len(share):
            return check_probabilistic(
                fit_on_drawn(member, self.X, self._labels, self.weights * share)
            )
        weights = self.weights[rows] * share[rows]
        return check_probabilistic(fit_on_drawn(member, self.X[rows], self._labels[rows], weights))

    def _own(self, _: int, expert: Any) -> np.ndarray:
        """Logarithm of what an expert gives the label of each case."""
        given = member_probabilities(expert, self.X, self.owner.classes_)
        own = given[np.arange(len(given)), self.codes].astype(float)
        return np.asarray(np.log(np.maximum(own, _LEAST)))

    def _responsibilities(self) -> np.ndarray:
        """How much of each case each expert accounts for; shape (n, L), rows sum to 1."""
        joint = self._logs + self._log_shares
        return np.asarray(np.exp(joint - logsumexp(joint, axis=1, keepdims=True)))

    def _likelihood(self) -> float:
        logs = self._mass @ logsumexp(self._logs + self._log_shares, axis=1)
        return float(logs - self.gate.penalty / 2 * (self.gate.coef_[:, 1:] ** 2).sum())
