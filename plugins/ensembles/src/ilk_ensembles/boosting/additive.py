"""Additive models: voting weights of boosted members, staged sums, and probabilities."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

import ilk

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ilk import Cases

EDGE = 1e-10
"""Minimum lead of a member over random guessing."""
_PERFECT = 2.0**-52  # error assigned to a perfect member, so that its weight is finite
_LEAST = 2.0**-1022  # error of an imperfect member whose wrong weights underflow
_CELLS = 1 << 14  # entries of X per block: they, and the support of its rows, stay in the cache
_COMPILED = 1 << 18  # fewer comparisons take numpy less time than loading compiled code
_NOTHING = ilk.Capabilities()
_TIED = 1e-12  # relative rounding error of summed support: closer values tie


def voting_weight(error: float, n_classes: int = 2) -> float:
    """``(ln((1 - e) / e) + ln(C - 1)) / 2``, for an error e below 1."""
    error = max(error, _LEAST)
    # log1p keeps the digits of a small error
    return float((np.log1p(-error) - np.log(error) + np.log(n_classes - 1)) / 2)


def decisive_weight(others: float, n_classes: int = 2, learning_rate: float = 1.0) -> float:
    """Voting weight of a perfect member: larger than the total of all members before it."""
    return others + learning_rate * voting_weight(_PERFECT, n_classes)


def settle_ties(support: np.ndarray, scale: float) -> np.ndarray:
    """Set support within rounding of the row's maximum equal to the maximum.

    Parameters
    ----------
    support : ndarray of shape (m, C)
    scale : float
        Scale of the summands, which bounds their rounding error.
    """
    most = support.max(axis=1, keepdims=True)
    return np.where(support >= most - _TIED * scale, most, support)


def vote_probabilities(votes: np.ndarray) -> np.ndarray:
    """Probabilities in proportion to ``exp(2 votes)``; array of shape (m, C)."""
    # relative to the largest: exp cannot overflow
    shares = np.exp(2 * (votes - votes.max(axis=1, keepdims=True)))
    shares /= shares.sum(axis=1, keepdims=True)
    return np.asarray(shares)


def feature_shares(member: Any, n_features: int) -> np.ndarray:
    """Importance of each feature for a member; sums to 1, or 0 if it uses no feature.

    Raises
    ------
    AttributeError
        If the member has neither ``feature_`` nor ``feature_importances_``.
    """
    feature = getattr(member, "feature_", None)
    if feature is None:
        return np.asarray(member.feature_importances_)
    shares = np.zeros(n_features)
    if feature >= 0:
        shares[feature] = 1
    return shares


@dataclass(frozen=True)
class Splits:
    """Members that compare one feature with one threshold, in flat arrays.

    Attributes
    ----------
    features : ndarray of int, shape (T,)
    thresholds : ndarray of shape (T,)
    columns : ndarray of int, shape (T, 2)
        Column of the support that a row at or below the threshold, or above it, adds to.
    amounts : ndarray of shape (T, 2)
        Its addend.
    scale : float
        Of the support after all members.
    """

    features: np.ndarray
    thresholds: np.ndarray
    columns: np.ndarray
    amounts: np.ndarray
    scale: float

    @classmethod
    def of_members(
        cls, members: Sequence[Any], alphas: np.ndarray, classes: np.ndarray, p: int
    ) -> Splits | None:
        """Splits of classifiers that vote; None unless all declare `one_threshold`."""
        if not all(getattr(m, "capabilities", _NOTHING).one_threshold for m in members):
            return None
        labels = np.array([m.classes_[m.leaf_weights_.argmax(axis=1)] for m in members])
        columns = np.minimum(np.searchsorted(classes, labels), len(classes) - 1)
        features = np.array([member.feature_ for member in members])
        if not np.array_equal(classes[columns], labels) or features.max() >= p:
            return None
        thresholds = np.array([member.threshold_ for member in members], dtype=float)
        amounts = np.repeat(alphas[:, None], 2, axis=1)
        return cls(
            np.maximum(features, 0), thresholds, columns, amounts, float(np.cumsum(alphas)[-1])
        )

    def add(self, X: np.ndarray, support: np.ndarray) -> None:
        """Add what all members say of each row to the support (n, C), member by member."""
        from ilk_ensembles.boosting.bin_kernels import add_sides

        def work(start: int, stop: int) -> None:
            rows = slice(start, stop)
            add_sides(X[rows], *self._arrays, support[rows])

        ilk.in_blocks(work, len(X), max(_CELLS // X.shape[1], 16))

    def staged(self, X: np.ndarray, support: np.ndarray) -> Iterator[np.ndarray]:
        """Add what one member after another says, and yield the support each time."""
        rows = np.arange(len(X))
        for feature, threshold, columns, amounts in zip(*self._arrays, strict=True):
            sides = (X[:, feature] > threshold).astype(np.intp)
            support[rows, columns[sides]] += amounts[sides]
            yield support

    @property
    def _arrays(self) -> tuple[np.ndarray, ...]:
        return self.features, self.thresholds, self.columns, self.amounts


class StagedClassifier(ilk.Classifier):
    """Predicts the class of largest support, at the end or after each round.

    A subclass sets ``classes_`` in `fit`. `predict` always returns the class of the largest
    `predict_proba`, and of the largest `decision_function`.
    """

    @abstractmethod
    def _staged_support(self, X: Cases) -> Iterator[tuple[np.ndarray, float]]:
        """Yield the support, of shape (m, C), after each round, and its scale.

        The same array is yielded each time. A NotFittedError is raised before anything else.
        """

    def _splits(self) -> Splits | None:
        """The members as splits; None if some of them are not."""
        return None

    @abstractmethod
    def _to_probabilities(self, support: np.ndarray) -> np.ndarray:
        """Probabilities from support; array of shape (m, C)."""

    def predict(self, X: Cases) -> np.ndarray:
        """Label of largest support; ties go to the first class; array of shape (m,)."""
        self.classes_: np.ndarray
        best = self._support(X).argmax(axis=1)
        return np.asarray(self.classes_[best])

    def predict_proba(self, X: Cases) -> np.ndarray:
        """Probability of each class; array of shape (m, C)."""
        return self._to_probabilities(self._support(X))

    def decision_function(self, X: Cases) -> np.ndarray:
        """Support for each class, of shape (m, C); for two classes the second's lead, (m,)."""
        return _lead(self._support(X))

    def outputs(self, X: Cases) -> ilk.Outputs:
        """Labels, probabilities and scores; each member is asked once."""
        support = self._support(X)
        return ilk.Outputs(
            lambda: np.asarray(self.classes_[support.argmax(axis=1)]),
            lambda: self._to_probabilities(support),
            lambda: _lead(support),
        )

    def staged_predict(self, X: Cases) -> Iterator[np.ndarray]:
        """Yield the labels after each round, equal to those of a fit with fewer rounds."""
        for support in self._staged(X):
            yield np.asarray(self.classes_[support.argmax(axis=1)])

    def staged_predict_proba(self, X: Cases) -> Iterator[np.ndarray]:
        """Yield the probabilities after each round."""
        return map(self._to_probabilities, self._staged(X))

    def staged_decision_function(self, X: Cases) -> Iterator[np.ndarray]:
        """Yield the `decision_function` after each round."""
        return map(_lead, self._staged(X))

    def _support(self, X: Cases) -> np.ndarray:
        """Support after the last round, ties settled; array of shape (m, C)."""
        support, scale = np.empty(0), 0.0
        ilk.check_fitted(self)
        splits = self._splits()
        if splits is not None and ilk.n_rows(X) * len(splits.features) > _COMPILED:
            X = ilk.encoded_vectors(self, X, reset=False)
            support = np.zeros((len(X), len(self.classes_)))
            splits.add(X, support)
            return settle_ties(support, splits.scale)
        for support, scale in self._staged_support(X):  # noqa: B007  # only the last are used
            pass
        return settle_ties(support, scale)

    def _staged(self, X: Cases) -> Iterator[np.ndarray]:
        """Support after each round, ties settled."""
        return (settle_ties(support, scale) for support, scale in self._staged_support(X))


def _lead(support: np.ndarray) -> np.ndarray:
    if support.shape[1] == 2:
        return np.asarray(support[:, 1] - support[:, 0])
    return support


def one_against_rest(scores: np.ndarray, best: np.ndarray) -> np.ndarray:
    """``1 / (1 + exp(-2 F))`` of each class, divided by their sum.

    Parameters
    ----------
    scores : ndarray of shape (m, 1) or (m, C)
        F of each class; of the second class only, where there are two.
    best : ndarray of int, shape (m,)
        The predicted class: where rounding makes another class as probable, the predicted
        class gets the next larger float.

    Returns
    -------
    ndarray of shape (m, C)
    """
    from scipy.special import log_expit

    both = np.hstack([-scores, scores]) if scores.shape[1] == 1 else scores
    # exp(-2 F) may overflow, the logarithm of the probability does not
    logs = log_expit(2 * both)
    shares = np.exp(logs - logs.max(axis=1, keepdims=True))
    shares /= shares.sum(axis=1, keepdims=True)
    rows = np.arange(len(shares))
    most = shares.max(axis=1)
    tied = shares.argmax(axis=1) != best
    # the smallest number above the tied share: the label of largest support stays the most probable
    shares[rows[tied], best[tied]] = np.nextafter(most[tied], 2)
    return np.asarray(shares)
