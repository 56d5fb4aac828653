"""Checks of datasets: what is loaded."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ilk.inputs import is_table, n_rows, nominal_columns
from ilk.interfaces.dataset import Data
from ilk.testing.expectations import expect
from ilk.testing.registered import check

if TYPE_CHECKING:
    from ilk.testing.subject import Subject


@check("dataset")
def check_loads_data(subject: Subject) -> None:
    """`load` gives Data with a label for each row."""
    data = subject.new().load()
    expect(isinstance(data, Data), f"expected Data, got {type(data).__name__}")
    expect(n_rows(data.X) > 0, "expected rows, got none")
    expect(np.ndim(data.y) == 1, f"expected labels of one dimension, got {np.shape(data.y)}")
    expect(len(data.y) == n_rows(data.X), f"expected {n_rows(data.X)} labels, got {len(data.y)}")
    expect(len(data) == len(data.y), f"expected len {len(data.y)}, got {len(data)}")


@check("dataset")
def check_labels_complete(subject: Subject) -> None:
    """No label is missing, and there are two classes or more."""
    y = subject.new().load().y
    missing = [i for i, label in enumerate(y.tolist()) if label is None or label != label]  # noqa: PLR0124
    expect(not missing, f"expected every label, got none in rows {missing[:5]}")
    expect(len(np.unique(y)) >= 2, f"expected at least 2 classes, got {np.unique(y)}")


@check("dataset")
def check_loads_again(subject: Subject) -> None:
    """Loading again gives the same data, another object."""
    first, second = subject.new().load(), subject.new().load()
    expect(first.fingerprint == second.fingerprint, "expected the same fingerprint, got another")
    if isinstance(first.X, np.ndarray):
        shared = np.shares_memory(first.X, second.X)
        expect(not shared, "expected data of its own from each load, got shared memory")


@check("dataset")
def check_columns(subject: Subject) -> None:
    """Names fit the columns, nominal columns have category dtype, views are made of columns."""
    data = subject.new().load()
    if np.ndim(data.X) != 2:
        return
    width, names = np.shape(data.X)[1], list(data.feature_names)
    expect(len(names) == width, f"expected {width} feature names, got {len(names)}")
    if is_table(data.X):
        columns = [str(name) for name in data.X.columns]
        expect(columns == names, f"expected the feature names {columns}, got {names}")
        nominal = [str(name) for name in nominal_columns(data.X)]
        expect(nominal == list(data.nominal), f"expected nominal={nominal}, got {data.nominal}")
        plain = [name for name in nominal if str(data.X[name].dtype) != "category"]
        expect(not plain, f"expected category dtype of nominal columns, got others: {plain}")
    else:
        expect(not data.nominal, f"expected no nominal columns in an array, got {data.nominal}")
    strange = [name for view in data.views.values() for name in view if name not in names]
    expect(not strange, f"expected views of known columns, got {strange}")


@check("dataset")
def check_title(subject: Subject) -> None:
    """`title` is a short name of one line."""
    title = subject.new().title()
    expect(title and "\n" not in title, f"expected a name of one line, got {title!r}")
