"""Checks of everything that works on data frames or on lists of objects."""

from __future__ import annotations

import numpy as np

from ilk.testing.checks.data import answer, trained
from ilk.testing.expectations import expect_error, expect_same
from ilk.testing.registered import check
from ilk.testing.subject import Subject, takes_objects, takes_tables
from ilk.testing.use import ANSWERING_KINDS, DATA_KINDS


@check(*DATA_KINDS, when=takes_tables)
def check_row_labels_ignored(subject: Subject) -> None:
    """Rows of a data frame count by position, whatever their labels."""
    X, y = subject.tables()
    relabelled = X.set_axis(np.arange(len(X))[::-1] + 100, axis=0)
    expected = subject.use.run(subject.seeded(), X, y)
    got = subject.use.run(subject.seeded(), relabelled, y)
    expect_same(got, expected, "the result for other row labels")


@check(*ANSWERING_KINDS, when=takes_tables)
def check_missing_column(subject: Subject) -> None:
    """Queries that lack a column are an error that names the component."""
    X, y = subject.tables()
    component = trained(subject, X, y)
    expect_error(
        lambda: (
            answer(subject, component, X.iloc[:, :-1])
            if subject.use.by_row
            else getattr(component, "gram" if subject.kind == "kernel" else "pairwise")(
                X, X.iloc[:, :-1]
            )
        ),
        "queries without the last column",
        mentions=[subject.names()],
    )


@check(*DATA_KINDS, when=takes_objects)
def check_object_array(subject: Subject) -> None:
    """An object array gives what the list gives."""
    X, y = subject.objects()
    array = np.empty(len(X), dtype=object)
    for i, item in enumerate(X):
        array[i] = item
    expected = subject.use.run(subject.seeded(), X, y)
    got = subject.use.run(subject.seeded(), array, y)
    expect_same(got, expected, "the result for an object array")
