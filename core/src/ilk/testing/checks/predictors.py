"""Checks of regressors, detectors and clusterers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ilk.inputs import n_rows, take
from ilk.testing.checks.data import trained
from ilk.testing.expectations import expect, expect_error, expect_same
from ilk.testing.registered import check

if TYPE_CHECKING:
    from ilk.testing.subject import Subject


@check("regressor")
def check_numbers_predicted(subject: Subject) -> None:
    """`predict` gives a finite number for each row."""
    X, y = subject.data()
    got = np.asarray(trained(subject, X, y + 0.5).predict(X))
    expect(got.shape == y.shape, f"expected shape {y.shape}, got {got.shape}")
    expect(got.dtype.kind == "f", f"expected floats, got {got.dtype}")
    expect(np.isfinite(got).all(), "expected finite numbers, got others")


@check("regressor")
def check_constant_target(subject: Subject) -> None:
    """A target that is constant is predicted."""
    X, y = subject.data()
    got = trained(subject, X, np.full(len(y), 2.5)).predict(X)
    expect_same(got, np.full(len(y), 2.5), "predictions of a constant target", atol=0.05)


@check("regressor")
def check_targets_refused(subject: Subject) -> None:
    """Words, NaN, too few targets and none are errors that name the component."""
    X, y = subject.data()
    spoiled = y.astype(float)
    spoiled[3] = np.nan
    for what, bad in (
        ("targets that are words", np.full(len(y), "word")),
        ("NaN in y", spoiled),
        ("one target too few", y[:-1]),
        ("y=None", None),
    ):
        expect_error(
            lambda: trained(subject, X, bad),  # noqa: B023  # called before the next turn
            what,
            mentions=[subject.names()],
        )


@check("regressor", on="first", capability="fast_leave_one_out", slow=True)
def check_leave_one_out_numbers(subject: Subject) -> None:
    """`leave_one_out` gives the numbers that refitting without each case gives."""
    X, y = subject.data(20)
    targets = y + np.linspace(0, 1, 20)
    got = subject.seeded().leave_one_out(X, targets)
    expected = []
    for i in range(n_rows(X)):
        rest = np.delete(np.arange(n_rows(X)), i)
        model = trained(subject, take(X, rest), targets[rest])
        expected.append(model.predict(take(X, [i]))[0])
    expect_same(got, np.array(expected), "the numbers of leave_one_out", rtol=1e-6)


@check("detector")
def check_inliers(subject: Subject) -> None:
    """`predict` gives +1 or -1, as the sign of `decision_function` says."""
    X, y = subject.data(40)
    detector = trained(subject, X, y)
    Q = np.vstack([X, 50 * X]) if isinstance(X, np.ndarray) else X
    got, scores = np.asarray(detector.predict(Q)), np.asarray(detector.decision_function(Q))
    expect(got.dtype.kind == "i", f"expected integers, got {got.dtype}")
    expect(set(got.tolist()) <= {-1, 1}, f"expected +1 and -1, got {sorted(set(got.tolist()))}")
    n = n_rows(Q)
    expect(scores.shape == (n,), f"expected scores of shape ({n},), got {scores.shape}")
    expect_same(got, np.where(scores < 0, -1, 1), "predictions, by the sign of the scores")


@check("detector")
def check_labels_ignored(subject: Subject) -> None:
    """`fit` does not look at y."""
    X, y = subject.data(40)
    expected = trained(subject, X, y).decision_function(X)
    expect_same(trained(subject, X, None).decision_function(X), expected, "scores without y")


@check("clusterer")
def check_cluster_labels(subject: Subject) -> None:
    """`labels_` has an integer for each row, -1 for noise, and `fit_predict` returns it."""
    X, y = subject.data(40)
    labels = np.asarray(trained(subject, X, y).labels_)
    expect(labels.shape == (40,), f"expected labels_ of shape (40,), got {labels.shape}")
    expect(labels.dtype.kind == "i", f"expected integers, got {labels.dtype}")
    expect((labels >= -1).all(), f"expected clusters from 0 and -1 for noise, got {labels.min()}")
    expect_same(subject.seeded().fit_predict(X, y), labels, "fit_predict(X, y)")
    without = np.asarray(trained(subject, X, None).labels_)
    expect(without.shape == (40,), f"expected labels_ without y too, got shape {without.shape}")
