"""Checks of transformers and metric learners: the linear map, its metric, and local metrics."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.spatial.distance import cdist

from ilk.errors import InputError
from ilk.inputs import n_rows, take
from ilk.interfaces.metric_learner import LocalMetric
from ilk.interfaces.transformer import Transformer
from ilk.pipeline import Pipeline
from ilk.testing.checks.learning import answer, comparable, trained
from ilk.testing.data import Standardizing, renamings
from ilk.testing.expectations import expect, expect_error, expect_same
from ilk.testing.registered import check
from ilk.testing.subject import Subject, learned, result, takes_tables, takes_vectors
from ilk.testing.use import DATA_KINDS, as_comparable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ilk.component import Component


def _learner_slots(component: Component) -> list[str]:
    declared = component.parameters.items()
    return [name for name, each in declared if each.slot == "metric_learner" and not each.many]


def _takes_learner(component: Component) -> bool:
    return takes_vectors(component) and bool(_learner_slots(component))


def is_transformer(component: object) -> bool:
    """Tell whether a component transforms; a local metric does not."""
    return isinstance(component, Transformer)


@check("transformer", "metric_learner", when=is_transformer)
def check_rows_kept(subject: Subject) -> None:
    """`transform` returns one row for each row of X."""
    X = subject.data().X
    out = learned(subject).transform(X)
    expect(n_rows(out) == n_rows(X), f"expected {n_rows(X)} rows, got {n_rows(out)}")
    expect(np.ndim(out) == 2, f"expected two dimensions, got shape {np.shape(out)}")


@check("transformer", "metric_learner", when=is_transformer)
def check_fit_transform(subject: Subject) -> None:
    """`fit_transform(X, y)` is `fit(X, y).transform(X)`."""
    X, y = subject.data()
    got = as_comparable(subject.seeded().fit_transform(X, y))
    expect_same(got, answer(subject, learned(subject), X), "fit_transform(X, y)", rtol=1e-6)


@check("transformer", "metric_learner", when=is_transformer)
def check_feature_names_out(subject: Subject) -> None:
    """`get_feature_names_out` returns a distinct name for each output column."""
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
    """A numeric transformer refuses nominal columns and names an encoder."""
    X, y = subject.sample_of("tables")
    expect_error(
        lambda: trained(subject, X, y),
        "nominal columns",
        mentions=[subject.names(), "color", "one_hot"],
    )


@check("transformer", "metric_learner", capability="stateless", when=is_transformer)
def check_stateless(subject: Subject) -> None:
    """A declared stateless transformer is independent of the rows it was fitted to."""
    X, y = subject.data()
    expected = result(subject)
    for rows in (np.arange(1, n_rows(X)), np.arange(0, n_rows(X), 2)):
        fitted = trained(subject, take(X, rows), y[rows])
        expect_same(
            answer(subject, fitted, X), expected, f"transform after fit to {len(rows)} rows"
        )


def _is_global(component: object) -> bool:
    return not isinstance(component, LocalMetric)


@check("metric_learner", when=_is_global)
def check_components(subject: Subject) -> None:
    """`components_` is L of shape (d, p), and transform(X) differs from X L' by a shift only."""
    X = subject.vectors().X
    learner = learned(subject, subject.vector_kind)
    L = learner.components_
    expect(np.ndim(L) == 2, f"expected components_ of shape (d, p), got {np.shape(L)}")
    expect(L.shape[1] == X.shape[1], f"expected {X.shape[1]} columns, got {L.shape[1]}")
    Z = learner.transform(X)
    shift = Z[:1] - X[:1] @ L.T
    expect_same(Z - shift, X @ L.T, "transform(X) without its shift", rtol=1e-6, atol=1e-8)


@check("metric_learner", when=_is_global)
def check_metric_matrix(subject: Subject) -> None:
    """`metric_matrix_` is L'L and has no negative eigenvalue."""
    learner = learned(subject, subject.vector_kind)
    A = np.asarray(learner.metric_matrix_)
    L = learner.components_
    expect_same(A, L.T @ L, "metric_matrix_", rtol=1e-6)
    lowest = float(np.linalg.eigvalsh((A + A.T) / 2)[0])
    bound = -1e-9 * max(float(np.abs(A).max()), 1.0)
    expect(lowest >= bound, f"expected eigenvalues >= 0, got {lowest}")


@check("metric_learner", when=_is_global)
def check_learned_distance(subject: Subject) -> None:
    """`distance()` on vectors is the Euclidean distance after `transform`."""
    X = subject.vectors().X
    learner = learned(subject, subject.vector_kind)
    Z = learner.transform(X)
    expect_same(learner.distance().pairwise(X), cdist(Z, Z), "distance().pairwise(X)", atol=1e-7)


@check("metric_learner", when=_is_global)
def check_metric_ignores_names(subject: Subject) -> None:
    """Renaming the classes does not change the metric."""
    X, y = subject.vectors()
    expected = learned(subject, subject.vector_kind).metric_matrix_
    scale = float(np.abs(expected).max())
    for what, labels in renamings(y, any_order=True):
        got = trained(subject, X, labels).metric_matrix_
        expect_same(got, expected, f"metric_matrix_ with {what}", rtol=1e-4, atol=1e-6 * scale)


@check("metric_learner", when=_is_global)
def check_learner_as_step(subject: Subject) -> None:
    """It is accepted as a step of a pipeline."""
    X, y = subject.vectors()
    pipeline = Pipeline([{"metric_learner": subject.seeded()}])
    expect_same(
        pipeline.fit(X, y).transform(X),
        learned(subject, subject.vector_kind).transform(X),
        "the transform of a pipeline of one step",
    )


@check("metric_learner", capability="local")
def check_local_neighbors(subject: Subject) -> None:
    """`kneighbors` returns k different rows for each query, nearest first, up to all."""
    Q = subject.vectors(7, seed=1).X
    learner = learned(subject, subject.vector_kind)
    near, where = learner.kneighbors(Q, 5)
    for what, got in (("distances", near), ("indices", where)):
        expect(np.shape(got) == (7, 5), f"expected {what} of shape (7, 5), got {np.shape(got)}")
    expect(np.asarray(where).dtype.kind == "i", f"expected integer indices, got {where.dtype}")
    expect((np.diff(near, axis=1) >= 0).all(), "expected ascending distances, got others")
    distinct = min(len(set(row)) for row in where.tolist())
    expect(distinct == 5, f"expected 5 different rows for each query, got {distinct}")
    n = n_rows(subject.vectors().X)
    _, every = learner.kneighbors(Q, n)
    distinct = min(len(set(row)) for row in every.tolist())
    expect(distinct == n, f"expected all {n} rows for each query with k={n}, got {distinct}")


@check("metric_learner", capability="local")
def check_local_k_range(subject: Subject) -> None:
    """A k outside 1..n is an error that names k and n."""
    X = subject.vectors().X
    learner = learned(subject, subject.vector_kind)
    for k in (0, n_rows(X) + 1):
        expect_error(
            lambda: learner.kneighbors(X, k),  # noqa: B023  # called before the next turn
            f"kneighbors with k={k}",
            errors=InputError,
            mentions=[subject.names(), str(k), str(n_rows(X))],
        )


@check("metric_learner", capability="local")
def check_local_is_declared(subject: Subject) -> None:
    """Only a LocalMetric declares local."""
    expect(
        isinstance(subject.new(), LocalMetric),
        f"expected a LocalMetric where local is declared, got {subject.cls.__mro__}",
    )


@check("metric_learner", when=lambda c: isinstance(c, LocalMetric))
def check_local_ignores_names(subject: Subject) -> None:
    """Renaming the classes does not change the neighbours."""
    X, y = subject.vectors()
    expected = learned(subject, subject.vector_kind).kneighbors(X, 3)[1]
    for what, labels in renamings(y, any_order=True):
        got = trained(subject, X, labels).kneighbors(X, 3)[1]
        expect_same(got, expected, f"neighbours with {what}")


def _changes(X: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
    """Yield changes of units, of the origin, and of the order of features."""
    yield "X in other units (100 X)", 100 * X
    yield "X moved (X + 3)", X + 3
    yield "the features in another order", X[:, ::-1]


@check("metric_learner")
def check_invariant(subject: Subject) -> None:
    """Neighbours do not depend on the unit, the origin or the order of the features."""
    X, y = subject.vectors(60)
    expected = _spacing(subject, X, y)
    for what, changed in _changes(X):
        got = _spacing(subject, changed, y)
        expect_same(got, expected, f"distances for {what}", rtol=0.01, atol=0.01)


def _spacing(subject: Subject, X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Distances of rows under a learner, in units of their mean."""
    out = comparable(subject, subject.use.run(subject.seeded(), X, y))
    out = out[:, 0] if out.ndim > 1 else out  # of a local metric: distances, not indices
    return np.asarray(out / out.mean())


@check(*DATA_KINDS, on="first", when=_takes_learner)
def check_learner_slot_invariant(subject: Subject) -> None:
    """With a metric learner that ignores units, origin and order of features, so do results."""
    X, y = subject.vectors()

    def run(rows: np.ndarray) -> np.ndarray:
        component = subject.seeded()
        slots = {name: Standardizing() for name in _learner_slots(component)}
        return comparable(subject, subject.use.run(component.set_params(**slots), rows, y))

    expected = run(X)
    for what, changed in _changes(X):
        expect_same(run(changed), expected, f"the result for {what}", rtol=1e-5, atol=1e-6)
