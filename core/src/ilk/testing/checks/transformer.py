"""Checks of transformers, metric learners' linear maps included."""

from __future__ import annotations

from typing import Any

import numpy as np

from ilk.inputs import n_rows, take
from ilk.interfaces.transformer import Transformer
from ilk.testing.checks.data import answer, trained
from ilk.testing.expectations import expect, expect_error, expect_same
from ilk.testing.registered import check
from ilk.testing.subject import Subject, takes_tables, takes_vectors
from ilk.testing.usual import learned, result


def is_transformer(component: Any) -> bool:
    """Tell whether a component transforms; a local metric does not."""
    return isinstance(component, Transformer)


@check("transformer", "metric_learner", when=is_transformer)
def check_rows_kept(subject: Subject) -> None:
    """`transform` gives one row for each row of X."""
    X = subject.data().X
    out = learned(subject).transform(X)
    expect(n_rows(out) == n_rows(X), f"expected {n_rows(X)} rows, got {n_rows(out)}")
    expect(np.ndim(out) == 2, f"expected two dimensions, got shape {np.shape(out)}")


@check("transformer", "metric_learner", when=is_transformer)
def check_fit_transform(subject: Subject) -> None:
    """`fit_transform(X, y)` is `fit(X, y).transform(X)`."""
    X, y = subject.data()
    got = subject.seeded().fit_transform(X, y)
    got = got.toarray() if hasattr(got, "toarray") else got
    expect_same(got, answer(subject, learned(subject), X), "fit_transform(X, y)", rtol=1e-6)


@check("transformer", "metric_learner", when=is_transformer)
def check_feature_names_out(subject: Subject) -> None:
    """`get_feature_names_out` names each column of the output, all different."""
    X = subject.data().X
    component = learned(subject)
    names = list(component.get_feature_names_out())
    width = np.shape(component.transform(X))[1]
    expect(len(names) == width, f"expected {width} names for {width} columns, got {names}")
    expect(len(set(names)) == width, f"expected names that differ, got {names}")
    wrong = [name for name in names if not isinstance(name, str)]
    expect(not wrong, f"expected strings, got {wrong}")


@check(
    "transformer",
    "metric_learner",
    when=lambda c: is_transformer(c) and takes_vectors(c) and not takes_tables(c),
)
def check_nominal_refused(subject: Subject) -> None:
    """A numeric transformer refuses nominal columns and names what encodes them."""
    X, y = subject.sample_of("tables")
    expect_error(
        lambda: trained(subject, X, y),
        "nominal columns",
        mentions=[subject.names(), "color", "one_hot"],
    )


@check("transformer", "metric_learner", capability="stateless", when=is_transformer)
def check_stateless(subject: Subject) -> None:
    """What declares to be stateless makes the same of a row, whatever rows it was fitted to."""
    X, y = subject.data()
    expected = result(subject)
    for rows in (np.arange(1, n_rows(X)), np.arange(0, n_rows(X), 2)):
        fitted = trained(subject, take(X, rows), y[rows])
        expect_same(
            answer(subject, fitted, X), expected, f"transform after fit to {len(rows)} rows"
        )
