"""Tables of names and with gaps: naive_bayes and impute by neighbours beside scikit-learn's."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from measure import Row, compare
from sklearn.impute import KNNImputer
from sklearn.naive_bayes import CategoricalNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OrdinalEncoder

import ilk

if TYPE_CHECKING:
    from collections.abc import Iterator


def rows() -> Iterator[Row]:
    """Yield a row for texts, for categories, and for gaps."""
    rng = np.random.default_rng(0)
    names = [f"v{i}" for i in range(10)]
    texts = pd.DataFrame({f"c{i}": rng.choice(names, 100_000) for i in range(10)})
    y = rng.integers(0, 3, 100_000)
    theirs = make_pipeline(OrdinalEncoder(), CategoricalNB())
    ours = ilk.classifier("naive_bayes")
    for what, X in (("texts", texts), ("categories", texts.astype("category"))):
        gap = ours.fit(X, y).predict_proba(X) - theirs.fit(X, y).predict_proba(X)
        assert np.abs(gap).max() < 1e-9  # the same probabilities
        yield compare(
            f"naive_bayes: fit and predict, 100,000 x 10 nominal, {what}",
            "OrdinalEncoder and CategoricalNB",
            1,
            lambda X=X: ours.fit(X, y).predict(X),
            lambda X=X: theirs.fit(X, y).predict(X),
        )
    yield _gaps(rng)


def _gaps(rng: np.random.Generator) -> Row:
    Z = rng.normal(size=(4000, 12))
    Z[rng.random(Z.shape) < 0.1] = np.nan
    euclidean = {"use": "heterogeneous", "numeric": None, "p": 2, "missing": "ignore"}
    ours = ilk.transformer("impute", numeric="knn", distance=euclidean)
    assert np.allclose(ours.fit_transform(Z), KNNImputer().fit_transform(Z))
    return compare(
        "impute by 5 neighbours, 4000 x 12, 10 % missing",
        "KNNImputer",
        1,
        lambda: ours.fit(Z).transform(Z),
        lambda: KNNImputer().fit(Z).transform(Z),
    )
