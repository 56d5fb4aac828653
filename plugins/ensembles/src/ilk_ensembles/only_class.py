"""What stands for a member that was shown a single class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

import ilk
from ilk_ensembles.members import fit_member


@dataclass(eq=False, repr=False)
class OnlyClass(ClassifierMixin, BaseEstimator):
    """Answers the only class it was shown, as whoever saw no other must.

    Many classifiers refuse to learn from one class, which chance may draw for them.

    Parameters
    ----------
    member : classifier
        What it stands for.

    Attributes
    ----------
    classes_ : ndarray of shape (1,)
    """

    member: Any

    def fit(self, X: Any, y: np.ndarray) -> Self:
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Any) -> np.ndarray:
        return np.repeat(self.classes_, ilk.n_rows(X))

    def predict_proba(self, X: Any) -> np.ndarray:
        return np.ones((ilk.n_rows(X), 1))


def fit_on_drawn(member: Any, X: Any, y: np.ndarray, sample_weight: Any = None) -> Any:
    """Fit a member on rows that were drawn for it; `OnlyClass` stands for it if need be."""
    if isinstance(member, OnlyClass):
        member = member.member
    if ilk.is_frozen(member) or (y != y[0]).any():
        return fit_member(member, X, y, sample_weight)
    return OnlyClass(member).fit(X, y)
