"""Checks of editors, which select rows, and of relevance measures, which rank features."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ilk.inputs import n_rows, take
from ilk.interfaces.classifier import Classifier
from ilk.pipeline import Pipeline
from ilk.testing.data import renamings
from ilk.testing.expectations import expect, expect_error, expect_same
from ilk.testing.registered import check

if TYPE_CHECKING:
    from ilk.arrays import Cases, Labels
    from ilk.testing.subject import Subject


def _mixed(subject: Subject, n: int = 30) -> tuple[Any, np.ndarray]:
    """Return data with some wrong labels, so that editing has an effect."""
    X, y = subject.data(n)
    y = y.copy()
    y[[2, 9, 16]] = 1 - y[[2, 9, 16]]
    return X, y


@check("editor")
def check_kept_rows(subject: Subject) -> None:
    """The result consists of the rows of X and y at `sample_indices_`, in order."""
    X, y = _mixed(subject)
    editor = subject.seeded()
    kept_X, kept_y = editor.fit_resample(X, y)
    selected = np.asarray(editor.sample_indices_)
    expect(selected.dtype.kind == "i", f"expected integer indices, got {selected.dtype}")
    expect((np.diff(selected) > 0).all(), f"expected ascending indices, each once, got {selected}")
    inside = len(selected) > 0 and selected[0] >= 0 and selected[-1] < n_rows(X)
    expect(inside, f"expected indices within 0..{n_rows(X) - 1}, got {selected}")
    expect_same(kept_y, y[selected], "the labels returned")
    expect(type(kept_X) is type(X), f"expected a {type(X).__name__}, got {type(kept_X).__name__}")
    expect(n_rows(kept_X) == len(selected), f"expected {len(selected)} rows, got {n_rows(kept_X)}")
    for position in range(len(selected)):
        got, expected = take(kept_X, [position]), take(X, [selected[position]])
        expect(
            repr(got) == repr(expected), f"expected row {selected[position]}: {expected}, got {got}"
        )


@check("editor")
def check_reduction(subject: Subject) -> None:
    """`reduction_` is the share of removed cases."""
    X, y = _mixed(subject)
    editor = subject.seeded()
    editor.fit_resample(X, y)
    expected = 1 - len(editor.sample_indices_) / n_rows(X)
    expect_same(editor.reduction_, expected, "reduction_")


@check("editor")
def check_editing_ignores_names(subject: Subject) -> None:
    """Renaming the classes does not change the selected cases."""
    X, y = _mixed(subject)
    expected = subject.use.run(subject.seeded(), X, y)
    for what, labels in renamings(y):
        got = subject.use.run(subject.seeded(), X, labels)
        expect_same(got, expected, f"sample_indices_ with {what}")


@check("editor")
def check_editor_as_step(subject: Subject) -> None:
    """It is accepted as a pipeline step, and later steps are fitted to the selected cases."""
    X, y = _mixed(subject)
    pipeline = Pipeline([{"editor": subject.seeded()}, {"classifier": _Count()}]).fit(X, y)
    n_selected = len(subject.use.run(subject.seeded(), X, y))
    got = pipeline["classifier"].n_
    expect(got == n_selected, f"expected the next step to get {n_selected} cases, got {got}")


class _Count(Classifier):
    """A classifier that only counts its training cases."""

    def fit(self, X: Cases, y: Labels) -> _Count:
        self.n_ = len(y)
        self.classes_ = np.unique(np.asarray(y))
        return self

    def predict(self, X: Cases) -> Any:
        return np.full(n_rows(X), self.classes_[0])


@check("editor")
def check_editor_labels_missing(subject: Subject) -> None:
    """Missing labels, or too few, are errors that name the component."""
    X, y = subject.data()
    for what, bad in (("y=None", None), ("one label too few", y[:-1])):
        expect_error(
            lambda: subject.seeded().fit_resample(X, bad),  # noqa: B023  # called at once
            what,
            mentions=[subject.names()],
        )


@check("relevance")
def check_scores(subject: Subject) -> None:
    """`scores` returns a finite number >= 0 for each feature."""
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
    """Renaming the classes does not change the scores."""
    X, y = subject.vectors()
    expected = subject.seeded().scores(X, y)
    for what, labels in renamings(y, any_order=True):
        expect_same(subject.seeded().scores(X, labels), expected, f"scores with {what}", rtol=1e-5)
