"""Checks of everything that works on data frames or on lists of objects."""

from __future__ import annotations

from typing import TYPE_CHECKING

import joblib
import numpy as np

from ilk.testing.checks.data import answer, expect_rows_apart, trained
from ilk.testing.expectations import expect, expect_error, expect_same
from ilk.testing.registered import check
from ilk.testing.subject import OBJECT_KINDS, takes_objects, takes_tables
from ilk.testing.use import ANSWERING_KINDS, DATA_KINDS
from ilk.testing.usual import learned, result

if TYPE_CHECKING:
    from ilk.testing.subject import Subject


@check(*DATA_KINDS, on="first", when=takes_tables)
def check_row_labels_ignored(subject: Subject) -> None:
    """Rows of a data frame count by position, whatever their labels."""
    for example, kind in subject.abler(["tables"]):
        X, y = example.sample_of(kind)
        relabelled = X.set_axis(np.arange(len(X))[::-1] + 100, axis=0)
        got = example.use.run(example.seeded(), relabelled, y)
        expect_same(got, result(example, kind), "the result for other row labels")


@check(*ANSWERING_KINDS, on="first", when=takes_tables)
def check_missing_column(subject: Subject) -> None:
    """Queries that lack a column are an error that names the component."""
    for example, kind in subject.abler(["tables"]):
        X = example.sample_of(kind).X
        component, narrow = learned(example, kind), X.iloc[:, :-1]
        pairs = {"distance": "pairwise", "kernel": "gram"}.get(subject.kind)
        expect_error(
            lambda: (
                getattr(component, pairs)(X, narrow)  # noqa: B023  # called before the next turn
                if pairs  # noqa: B023
                else answer(example, component, narrow)  # noqa: B023
            ),
            "queries without the last column",
            mentions=[example.names()],
        )


@check(*DATA_KINDS, on="first", when=takes_objects)
def check_object_array(subject: Subject) -> None:
    """An object array gives what the list gives."""
    for example, kind in subject.abler(OBJECT_KINDS):
        X, y = example.sample_of(kind)
        array = np.empty(len(X), dtype=object)
        for i, item in enumerate(X):
            array[i] = item
        got = example.use.run(example.seeded(), array, y)
        expect_same(got, result(example, kind), f"the result for an object array of {kind}")


@check(*ANSWERING_KINDS, on="first", when=lambda c: len(c.capabilities.inputs) > 1)
def check_other_inputs(subject: Subject) -> None:
    """On each further kind of input, data stay as they are and rows get their own answers."""
    for example, kind in subject.abler(subject.inputs[1:]):
        X, y = example.sample_of(kind)
        before = joblib.hash((X, y))
        component = trained(example, X, y)
        expect_rows_apart(example, component, kind, n=16, alone=1)
        expect(joblib.hash((X, y)) == before, f"expected {kind} unchanged, got other values")
