"""Checks of components that work on vectors, data frames or lists of objects."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from unittest import SkipTest

import joblib
import numpy as np
import pandas as pd
import scipy.sparse as sp

from ilk.errors import InputError
from ilk.inputs import is_sparse, is_table
from ilk.interfaces.metric_learner import LocalMetric
from ilk.testing.checks.learning import answer, comparable, expect_rows_apart, trained
from ilk.testing.expectations import CheckFailed, expect, expect_error, expect_same
from ilk.testing.registered import check, claims
from ilk.testing.subject import (
    OBJECT_KINDS,
    VECTOR_KINDS,
    Subject,
    learned,
    result,
    takes_objects,
    takes_tables,
    takes_vectors,
)
from ilk.testing.use import ANSWERING_KINDS, DATA_KINDS, PAIRS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ilk.arrays import Cases, Labels


@contextmanager
def _by_check_vectors() -> Iterator[None]:
    """Add to the message of a failure how a component can raise the right error."""
    try:
        yield
    except CheckFailed as failed:
        how = "ilk.check_vectors(self, X) returns X checked, or raises such an error"
        raise CheckFailed(f"{failed}; {how}") from failed.__cause__


def _run(subject: Subject, X: Cases, y: Labels) -> Any:
    return subject.use.run(subject.seeded(), X, y)


def _same_for(subject: Subject, changed: Any, what: str) -> None:
    got = _run(subject, changed, subject.vectors().y)
    expect_same(got, result(subject, subject.vector_kind), f"the result for {what}", rtol=1e-6)


@check(*DATA_KINDS, when=takes_vectors)
def check_read_only(subject: Subject) -> None:
    """A read-only array gives the result of a writable one."""
    X = subject.vectors().X.copy()
    X.flags.writeable = False
    _same_for(subject, X, "a read-only array")


@check(*DATA_KINDS, when=takes_vectors)
def check_memory_layout(subject: Subject) -> None:
    """Arrays in Fortran order, with strides or with negative strides give the same result."""
    X = subject.vectors().X
    wide = np.full((2 * len(X), 2 * X.shape[1]), 7.0)
    wide[::2, ::2] = X
    _same_for(subject, np.asfortranarray(X), "an array in Fortran order")
    _same_for(subject, wide[::2, ::2], "a strided view")
    _same_for(subject, X[::-1].copy()[::-1], "a view with negative strides")


@check(*DATA_KINDS, when=takes_vectors)
def check_list_of_rows(subject: Subject) -> None:
    """Nested lists give the result of the array."""
    _same_for(subject, subject.vectors().X.tolist(), "a list of rows")


@check(*DATA_KINDS, when=takes_vectors)
def check_numeric_table(subject: Subject) -> None:
    """A data frame of numbers gives the result of the array, whatever its row labels."""
    import pandas as pd

    X = subject.vectors().X
    columns = [f"f{i}" for i in range(X.shape[1])]
    table = pd.DataFrame(X, columns=columns, index=np.arange(len(X))[::-1] + 100)
    _same_for(subject, table, "a data frame of numbers")


@check(*DATA_KINDS, when=takes_vectors)
def check_float32(subject: Subject) -> None:
    """float32 is accepted and gives the result of float64, up to its precision."""
    X, y = subject.vectors()
    single = X.astype(np.float32)
    _expect_as_exact(subject, single, single.astype(float), y, "float32", 1e-3)


# The data of the following checks are exact in float32, so that only a computation in float32, or
# a tolerance of the wrong size, can tell both types apart. Of collinear data the dependence is
# not exact after rounding to float32; its check runs on one example only, but in the quick tier.


@check(*DATA_KINDS, when=takes_vectors, slow=True)
def check_float32_offset(subject: Subject) -> None:
    """float32 of values around 10,000 gives the result of the same values in float64."""
    X, y = subject.sample_of(subject.vector_kind, 60, apart=0.3)
    single = _allowed(subject, X + 10_000).astype(np.float32)
    _expect_as_exact(subject, single, single.astype(float), y, "float32 around 10,000", 1e-2)


@check(*DATA_KINDS, when=takes_vectors, slow=True)
def check_float32_badly_scaled(subject: Subject) -> None:
    """float32 of columns of sizes 1e-4 to 1e4 gives the result of the same values in float64."""
    X, y = subject.vectors(60)
    single = _allowed(subject, X * 10.0 ** np.linspace(-4, 4, X.shape[1])).astype(np.float32)
    _expect_as_exact(subject, single, single.astype(float), y, "badly scaled float32", 1e-2)


@check(*DATA_KINDS, on="first", when=takes_vectors)
def check_float32_collinear(subject: Subject) -> None:
    """float32 of linearly dependent columns gives the result of float64, where it has one."""
    X, y = subject.vectors(60)
    mixed = X @ np.sqrt(np.arange(1.0, 4 * X.shape[1] + 1).reshape(-1, 4))
    dependent = _allowed(subject, np.hstack([X, mixed]))
    single = dependent.astype(np.float32)
    _expect_as_exact(subject, single, dependent, y, "float32 of dependent columns", 1e-2)


def _allowed(subject: Subject, X: np.ndarray) -> np.ndarray:
    """X itself; as histograms where the component takes only these."""
    return X / X.sum(axis=1, keepdims=True) if subject.vector_kind == "histograms" else X


def _expect_as_exact(
    subject: Subject, single: np.ndarray, exact: np.ndarray, y: Labels, what: str, tol: float
) -> None:
    """Compare the results for rows in float32 and in float64."""
    try:
        expected = comparable(subject, _run(subject, exact, y))
    except InputError:
        expect_error(lambda: _run(subject, single, y), what, errors=InputError)
        return
    got = comparable(subject, _run(subject, single, y))
    scale = float(np.max(np.abs(expected))) if expected.dtype.kind == "f" else 1.0
    expect_same(got, expected, f"the result for {what}", rtol=tol, atol=tol * scale)


def _spoiled(subject: Subject, value: float) -> tuple[Any, Any]:
    X, y = subject.vectors()
    X = X.copy()
    X[3, 1] = value
    return X, y


@check(*DATA_KINDS, when=lambda c: takes_vectors(c) and not claims(c, "nan"))
@_by_check_vectors()
def check_nan_refused(subject: Subject) -> None:
    """NaN is an error that names the component and the row."""
    X, y = _spoiled(subject, np.nan)
    expect_error(
        lambda: _run(subject, X, y),
        "X with NaN in row 3",
        errors=ValueError,
        mentions=[subject.names(), "NaN", "row 3"],
    )


@check(*DATA_KINDS, on="first", capability="nan", when=takes_vectors)
def check_nan_taken(subject: Subject) -> None:
    """If missing values are declared, NaN is accepted."""
    _run(subject, *_spoiled(subject, np.nan))


@check(*DATA_KINDS, when=takes_vectors)
@_by_check_vectors()
def check_infinity_refused(subject: Subject) -> None:
    """Infinity is an error that names the component and the row."""
    X, y = _spoiled(subject, np.inf)
    expect_error(
        lambda: _run(subject, X, y),
        "X with inf in row 3",
        errors=ValueError,
        mentions=[subject.names(), "inf", "row 3"],
    )


@check(*ANSWERING_KINDS, when=lambda c: takes_vectors(c) and not claims(c, "nan"))
@_by_check_vectors()
def check_nan_query_refused(subject: Subject) -> None:
    """NaN in a query is an error that names the component and the row."""
    component = learned(subject, subject.vector_kind)
    X, _ = _spoiled(subject, np.nan)
    expect_error(
        lambda: answer(subject, component, X),
        "a query with NaN in row 3",
        errors=ValueError,
        mentions=[subject.names(), "NaN", "row 3"],
    )


@check(*DATA_KINDS, when=takes_vectors)
@_by_check_vectors()
def check_one_dimension_refused(subject: Subject) -> None:
    """A one-dimensional array is an error that names the component."""
    X, y = subject.vectors()
    expect_error(
        lambda: _run(subject, X[:, 0], y), "X of one dimension", mentions=[subject.names()]
    )


@check(*DATA_KINDS, when=lambda c: takes_vectors(c) and not takes_tables(c))
@_by_check_vectors()
def check_text_refused(subject: Subject) -> None:
    """An array of words is an error that names the component."""
    X, y = subject.vectors()
    words = np.full(X.shape, "word")
    expect_error(lambda: _run(subject, words, y), "X of words", mentions=[subject.names()])


@check(*ANSWERING_KINDS, when=takes_vectors)
def check_wrong_width(subject: Subject) -> None:
    """Queries with another number of features are an error with the component and both numbers."""
    X = subject.vectors().X
    component = learned(subject, subject.vector_kind)
    wide, narrow = X.shape[1], X.shape[1] - 1
    if not subject.use.by_row and not claims(component, "needs_fit"):
        expect_error(
            lambda: getattr(component, PAIRS[subject.kind])(X, X[:, :narrow]),
            f"Y with {narrow} features for X with {wide}",
            mentions=[subject.names(), str(narrow), str(wide)],
        )
        return
    expect_error(
        lambda: answer(subject, component, X[:, :narrow]),
        f"queries with {narrow} features after training with {wide}",
        mentions=[subject.names(), str(narrow), str(wide)],
    )


@check(*DATA_KINDS, when=lambda c: takes_vectors(c) and not claims(c, "sparse"))
@_by_check_vectors()
def check_sparse_refused(subject: Subject) -> None:
    """A sparse matrix is an error that names the component and a remedy."""
    X, y = subject.vectors()
    expect_error(
        lambda: _run(subject, sp.csr_matrix(X), y),
        "a sparse X",
        mentions=[subject.names(), "sparse", ("takes them", "dense", "toarray")],
    )


def _some_zeros(subject: Subject) -> tuple[np.ndarray, Any]:
    X, y = subject.vectors()
    X = np.where(np.abs(X) < np.median(np.abs(X)) / 2, 0, X)
    return X, y


def _untidy(X: np.ndarray) -> Any:
    """CSR with columns in descending order, a value in two parts, zeros, and 64-bit indices."""
    n, p = X.shape
    columns = np.tile(np.append(np.arange(p)[::-1], 0), n)
    values = np.concatenate([X[:, ::-1], X[:, :1]], axis=1)
    values[:, -2:] /= 2
    ends = np.arange(n + 1, dtype=np.int64) * (p + 1)
    untidy = sp.csr_array((values.ravel(), columns.astype(np.int64), ends), shape=(n, p))
    untidy.has_sorted_indices = untidy.has_canonical_format = False
    return untidy


@check(*DATA_KINDS, capability="sparse", when=takes_vectors)
def check_sparse_taken(subject: Subject) -> None:
    """If sparse rows are declared, those of any format give the result of the dense array."""
    X, y = _some_zeros(subject)
    expected = _run(subject, X, y)
    formats = {
        "a CSR matrix": sp.csr_matrix(X),
        "a COO array": sp.coo_array(X),
        "CSR with unsorted columns, duplicates and zeros": _untidy(X),
    }
    for what, rows in formats.items():
        got = _run(subject, rows, y)
        got = got.toarray() if is_sparse(got) else got
        expect_same(got, expected, f"the result for {what}", rtol=1e-6, atol=1e-9)


@check(*ANSWERING_KINDS, capability="sparse", when=takes_vectors)
def check_sparse_queries(subject: Subject) -> None:
    """If sparse rows are declared, sparse queries after dense training give the dense answers."""
    X, y = _some_zeros(subject)
    component = trained(subject, X, y)
    got, expected = (answer(subject, component, Q) for Q in (sp.csr_array(X), X))
    got = got.toarray() if is_sparse(got) else got
    expect_same(got, expected, "the answers for sparse queries", rtol=1e-6, atol=1e-9)


@check(*DATA_KINDS, capability="sparse", when=takes_vectors)
@_by_check_vectors()
def check_sparse_faults(subject: Subject) -> None:
    """A stored infinity, or a NaN, is an error that names the component and the row."""
    X, y = _some_zeros(subject)
    for value, what in ((np.inf, "inf"), (np.nan, "NaN")):
        if what == "NaN" and claims(subject.new(), "nan"):
            continue
        spoiled = X.copy()
        spoiled[3, 1] = value
        rows = sp.csr_array(spoiled)
        expect_error(
            lambda: _run(subject, rows, y),  # noqa: B023  # called before the next turn
            f"sparse X with {what} in row 3",
            errors=ValueError,
            mentions=[subject.names(), what, "row 3", "column 1"],
        )


@check(
    "distance",
    "kernel",
    "transformer",
    "metric_learner",
    when=lambda c: takes_vectors(c) and not isinstance(c, LocalMetric),
)
def check_dtype_kept(subject: Subject) -> None:
    """float64 input gives float64, and float32 input gives float32; of a kernel perhaps float64."""
    X, y = subject.vectors()
    for dtype in (np.float64, np.float32):
        values = X.astype(dtype)
        got = np.asarray(answer(subject, trained(subject, values, y), values))
        wider = subject.kind == "kernel" and got.dtype == np.float64
        expect(
            got.dtype == dtype or wider,
            f"expected {dtype.__name__} for {dtype.__name__}, got {got.dtype}",
        )


@check(*DATA_KINDS, on="first", when=takes_tables)
def check_row_labels_ignored(subject: Subject) -> None:
    """Rows of a data frame are used by position, whatever their labels."""
    for example, kind in subject.abler(["tables"]):
        X, y = example.sample_of(kind)
        relabelled = X.set_axis(np.arange(len(X))[::-1] + 100, axis=0)
        got = example.use.run(example.seeded(), relabelled, y)
        expect_same(got, result(example, kind), "the result for other row labels")


@check(*ANSWERING_KINDS, on="first", when=takes_tables)
def check_missing_column(subject: Subject) -> None:
    """Queries without a column of the training data are an error that names the component."""
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


@check("distance", "kernel", "index")
def check_columns_reordered(subject: Subject) -> None:
    """Queries with the columns of training in another order get the same answer, or an error."""
    if subject.data_kind not in {*VECTOR_KINDS, "tables", "views"}:
        raise SkipTest("its data have no columns")
    X, y = subject.data()
    if not is_table(X):
        X = pd.DataFrame(X, columns=[f"c{i}" for i in range(X.shape[1])])
    pairs = PAIRS.get(subject.kind)
    component = trained(subject, X, y)

    def asked(Q: pd.DataFrame) -> Any:
        return getattr(component, pairs)(Q, X) if pairs else answer(subject, component, Q)

    Q = X.iloc[:12]
    expected, turned = asked(Q), Q[list(Q.columns[::-1])]
    try:
        got = asked(turned)
    except InputError as error:
        named = any(name in str(error) for name in subject.names())
        expect(named, f"expected an error that names the component, got {error}")
        return
    expect_same(got, expected, "the answer for columns in another order", rtol=1e-6)


@check(*DATA_KINDS, on="first", when=takes_objects)
def check_object_array(subject: Subject) -> None:
    """An object array gives the result of the list."""
    for example, kind in subject.abler(OBJECT_KINDS):
        X, y = example.sample_of(kind)
        array = np.empty(len(X), dtype=object)
        for i, item in enumerate(X):
            array[i] = item
        got = example.use.run(example.seeded(), array, y)
        expect_same(got, result(example, kind), f"the result for an object array of {kind}")


@check(*ANSWERING_KINDS, on="first", when=lambda c: len(c.capabilities.inputs) > 1)
def check_other_inputs(subject: Subject) -> None:
    """Other declared inputs are left unchanged, and rows are answered independently."""
    for example, kind in subject.abler(subject.inputs[1:]):
        X, y = example.sample_of(kind)
        before = joblib.hash((X, y))
        component = trained(example, X, y)
        expect_rows_apart(example, component, kind, n=16, alone=1)
        expect(joblib.hash((X, y)) == before, f"expected {kind} unchanged, got other values")
