"""The gating rule: weights of the members that depend on the case."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

import ilk
from ilk import Capabilities, ClassifierLike, check_fitted, param, slot
from ilk_ensembles.base.members import failure
from ilk_ensembles.base.outputs import member_probabilities
from ilk_ensembles.combiners.support import SupportCombiner, as_outputs, combine_blocks
from ilk_ensembles.combiners.weights import held_out_codes, normalized

if TYPE_CHECKING:
    from ilk import ArrayLike, Cases, Labels

_LEAST = 1e-300  # floor of a probability, so that its logarithm is finite


class Gating(SupportCombiner):
    """Gating: the members' mean support, with weights predicted for each case by a classifier.

    ``combined_k(x) = sum_j g_j(x) P_j(k | x)``, where ``g_j(x)`` is the probability by the gate
    that member j is the best for x. The gate is trained on held-out samples by
    expectation-maximisation (EM): it learns to predict from ``x_i`` the responsibility of member
    j for sample i, ``h_ij = g_j(x_i) P_j(y_i | x_i)`` divided by its sum over j. The members are
    not refitted; the classifier `mixture_of_experts` fits them, too.

    Attributes
    ----------
    gate_ : classifier
        Its labels are positions of members.
    loss_curve_ : list of float
        Mean negative log-likelihood of the held-out labels before each round, and at the end.
    n_iter_ : int

    Raises
    ------
    ParameterError
        If the gate takes no weights or gives no probabilities.
    InputError
        If X is not given, or outputs have a wrong shape, a value that is negative or not
        finite, or a row of zeros.

    Warns
    -----
    ConvergenceWarning
        If EM did not converge in `max_iter` rounds.

    References
    ----------
    Jacobs, Jordan, Nowlan & Hinton (1991), "Adaptive mixtures of local experts".

    Evaluation slides: Mixture of Experts.

    Zaidi 2011: section 10.2.

    Examples
    --------
    >>> import ilk, numpy as np
    >>> X = np.linspace(-1, 1, 20)[:, None]  # the first member is right on the left
    >>> left = np.where(X < 0, 0.9, 0.2) * [[1, 0]] + np.where(X < 0, 0.1, 0.8) * [[0, 1]]
    >>> rule = ilk.combiner("gating").fit([left, 1 - left], np.zeros(20, dtype=int), X)
    >>> rule.combine([left, 1 - left], X)[[0, -1], 0].round(1).tolist()  # by either alone: 0.9, 0.2
    [0.8, 0.7]
    """

    gate: ClassifierLike = slot(
        "classifier",
        default="logistic",
        doc="Must take sample weights and give probabilities. It sees the same X as the members.",
    )
    max_iter: int = param(default=100, ge=1, doc="Maximum number of EM rounds.")
    tol: float = param(
        default=0.001,
        ge=0,
        doc="Convergence: stop when the mean log-likelihood rises by less.",
    )
    capabilities: ClassVar[Capabilities] = Capabilities(needs_fit=True)

    @classmethod
    def examples(cls) -> list[Self]:
        """Gates of two kinds."""
        return [cls(), cls(gate="naive_bayes", tol=0.1, ties="reject")]

    def fit(self, outputs: ArrayLike, y: Labels, X: Cases | None = None) -> Self:
        """Learn the gate from held-out outputs, the codes of the true labels, and the cases."""
        from sklearn.base import clone
        from sklearn.exceptions import ConvergenceWarning

        self.check_parameters()
        support = normalized(self, outputs)
        codes = held_out_codes(self, support, y)
        X = self._cases(X, len(codes))
        likelihood = np.maximum(support[:, np.arange(len(codes)), codes].T, _LEAST)  # (n, L)
        # equal shares: the first responsibilities follow the likelihoods alone
        weights = np.full(likelihood.shape, 1 / len(support))
        gate = self._checked_gate()
        self.n_members_ = len(support)
        self.loss_curve_ = [_loss(likelihood, weights)]
        for n_iter in range(1, self.max_iter + 1):
            self.n_iter_ = n_iter
            # M step: the gate predicts the responsibilities, which its fit normalizes
            self.gate_ = self._fit_gate(clone(gate, safe=False), X, weights * likelihood)
            # E step: the new shares, which the next round multiplies by the likelihoods
            weights = self._weights(X)
            self.loss_curve_.append(_loss(likelihood, weights))
            if self.loss_curve_[-2] - self.loss_curve_[-1] < self.tol:
                return self
        warnings.warn(
            f"{ilk.display_name(self)}: {self.max_iter} rounds were not enough: the mean "
            f"log-likelihood still rose by {self.loss_curve_[-2] - self.loss_curve_[-1]:.2g}",
            ConvergenceWarning,
            stacklevel=2,
        )
        return self

    def combine(self, outputs: ArrayLike, X: Cases | None = None) -> np.ndarray:
        from ilk_ensembles.combiners.rule_kernels import gated

        self.check_parameters()
        check_fitted(self)
        outputs = as_outputs(self, outputs)
        if len(outputs) != self.n_members_:
            raise ilk.InputError(
                f"{ilk.display_name(self)}: outputs are of {len(outputs)} members, but it was "
                f"fitted with {self.n_members_}"
            )
        weights = np.array(self._weights(self._cases(X, outputs.shape[1])), dtype=float, order="C")
        return combine_blocks(self, outputs, gated, by_sample=[weights])

    def _cases(self, X: Cases | None, n: int) -> Any:
        name = ilk.display_name(self)
        if X is None:
            raise ilk.InputError(f"{name}: needs X, the cases of the outputs")
        if ilk.n_rows(X) != n:
            raise ilk.InputError(f"{name}: X has {ilk.n_rows(X)} rows for {n} samples of outputs")
        return X

    def _checked_gate(self) -> Any:
        gate = self.resolve_slot("gate")
        if not ilk.takes_weights(gate) or not hasattr(gate, "predict_proba"):
            raise self.parameter_error(
                "gate",
                f"must take sample weights and give probabilities, got {ilk.display_name(gate)}",
            )
        return gate

    def _fit_gate(self, gate: Any, X: Cases, shares: np.ndarray) -> Any:
        """Fit the gate on every case once per member, weighted by the member's responsibility."""
        responsible = shares / shares.sum(axis=1, keepdims=True)
        # responsibilities of exactly 0 need no row
        rows, members = np.nonzero(responsible)
        weights = responsible[rows, members]
        try:
            return gate.fit(ilk.take(X, rows), members, sample_weight=weights)
        except Exception as error:
            raise failure(self, "gate", gate, error) from error

    def _weights(self, X: Cases) -> np.ndarray:
        """Weight of each member for each case; shape (n, L)."""
        try:
            return member_probabilities(self.gate_, X, np.arange(self.n_members_))
        except Exception as error:
            raise failure(self, "gate", self.gate_, error) from error


def _loss(likelihood: np.ndarray, weights: np.ndarray) -> float:
    """Mean negative log-likelihood of the labels."""
    return float(-np.log(np.maximum((likelihood * weights).sum(axis=1), _LEAST)).mean())
