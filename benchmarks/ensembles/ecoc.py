"""ecoc beside scikit-learn's OutputCodeClassifier, with as many columns.

ecoc chooses the best of 1000 codes first; the peer draws one, which may have constant columns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from measure import Row, compare
from sklearn.datasets import load_digits, load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OutputCodeClassifier
from sklearn.tree import DecisionTreeClassifier

import ilk

if TYPE_CHECKING:
    from collections.abc import Iterator


def rows() -> Iterator[Row]:
    """Yield rows of fit and predict for two data sets, each with light and heavy members."""
    members = {
        "logistic": LogisticRegression(max_iter=1000),
        "decision_tree": DecisionTreeClassifier(random_state=0),
    }
    for data, (X, y) in {
        "iris": load_iris(return_X_y=True),
        "digits": load_digits(return_X_y=True),
    }.items():
        Z = (X - X.mean(axis=0)) / np.maximum(X.std(axis=0), 1e-9)
        for name, member in members.items():
            yield from _beside(f"{data}, {name}", Z, y, name, member)


def _beside(what: str, X: np.ndarray, y: np.ndarray, name: str, member: Any) -> Iterator[Row]:
    ours = ilk.classifier("ecoc", member=name, random_state=0).fit(X, y)
    n_columns = ours.code_.shape[1]
    size = n_columns / len(ours.classes_)
    theirs = OutputCodeClassifier(member, code_size=size, random_state=0).fit(X, y)
    note = (
        f"{n_columns} columns; accuracy {ours.score(X, y):.3f}, the peer {theirs.score(X, y):.3f}"
    )
    peer = "scikit-learn OutputCodeClassifier"
    yield compare(
        f"ecoc: fit, {what}", peer, 1, lambda: ours.fit(X, y), lambda: theirs.fit(X, y), note=note
    )
    yield compare(
        f"ecoc: predict, {what}", peer, 1, lambda: ours.predict(X), lambda: theirs.predict(X)
    )
