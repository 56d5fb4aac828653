"""Checks of relevance measures."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ilk.testing.checks.labels import renamings
from ilk.testing.expectations import expect, expect_same
from ilk.testing.registered import check

if TYPE_CHECKING:
    from ilk.testing.subject import Subject


@check("relevance")
def check_scores(subject: Subject) -> None:
    """`scores` gives a finite number >= 0 for each feature."""
    X, y = subject.vectors()
    got = np.asarray(subject.seeded().scores(X, y))
    expect(got.shape == (X.shape[1],), f"expected shape ({X.shape[1]},), got {got.shape}")
    expect((np.isfinite(got) & (got >= 0)).all(), f"expected finite scores >= 0, got {got}")


@check("relevance")
def check_relevant_first(subject: Subject) -> None:
    """A feature that separates the classes scores higher than noise."""
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    X = np.column_stack([rng.normal(size=60), rng.normal(size=60) / 4 + 3 * y, rng.random(60)])
    got = np.asarray(subject.seeded().scores(X, y))
    expect(got.argmax() == 1, f"expected feature 1, which separates, to score most, got {got}")


@check("relevance")
def check_scores_ignore_names(subject: Subject) -> None:
    """Classes may be called anything; other names give the same scores."""
    X, y = subject.vectors()
    expected = subject.seeded().scores(X, y)
    for what, labels in renamings(y, any_order=True):
        expect_same(subject.seeded().scores(X, labels), expected, f"scores with {what}", rtol=1e-5)
