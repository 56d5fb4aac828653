"""What dann, adamenn, svm_local and localized must stand: threads, types, degenerate data."""

import pickle
import warnings

import numpy as np
import pytest
from sklearn.base import clone

import ilk
from cases import in_one_test
from ilk_learners.metric_learners.linear import MetricWarning

EACH = pytest.mark.parametrize(
    ("name", "params"),
    [
        ("dann", {}),
        ("dann", {"diagonal": False, "n_iterations": 2}),
        ("adamenn", {}),
        ("adamenn", {"M": 2, "K0": 10}),
        ("svm_local", {}),
        ("localized", {}),
        ("localized", {"learner": "lda", "n_neighbors": 20}),
    ],
)


def learn(name, params, X, y):
    return ilk.metric_learner(name, report=False, **params).fit(X, y)


def same(got, expected):
    assert all(np.array_equal(*pair) for pair in zip(got, expected, strict=True))


@EACH
def test_distances_are_under_the_local_metric(blobs, name, params):
    X, y, Q = blobs
    learner = learn(name, params, X, y)
    near, where = learner.kneighbors(Q, 6)
    for q, distances, rows in zip(Q, near, where, strict=True):
        A = learner.local_metric(q)
        A = np.diag(A) if A.ndim == 1 else A
        expected = np.sqrt(np.einsum("nf,fg,ng->n", X - q, A, X - q))
        np.testing.assert_allclose(distances, expected[rows], rtol=1e-9, atol=1e-9)
        if name != "localized":  # there only rows around the query are ranked
            assert rows.tolist() == np.argsort(expected, kind="stable")[:6].tolist()


@EACH
def test_neither_threads_nor_blocks_matter(switched, name, params):
    X, y, Q, _ = switched
    Q = Q[:90]
    learner = learn(name, params, X, y)
    with ilk.threads(1):
        expected = learner.kneighbors(Q, 6)
    with ilk.threads(4):
        same(learner.kneighbors(Q, 6), expected)
        some = [learner.kneighbors(Q[i : i + 1], 6) for i in range(10)]
    same([np.vstack(part) for part in zip(*some, strict=True)], [p[:10] for p in expected])


@in_one_test
@EACH
def test_single_precision(blobs, name, params):
    X, y, Q = (part.astype(np.float32) if part.dtype == float else part for part in blobs)
    learner = learn(name, params, X, y)
    near, where = learner.kneighbors(Q, 3)
    assert near.dtype == np.float32
    assert learner.kneighbors(Q.astype(float), 3)[0].dtype == float
    double = learn(name, params, X.astype(float), y).kneighbors(Q.astype(float), 3)
    assert np.array_equal(where, double[1])
    np.testing.assert_allclose(near, double[0], rtol=2e-5, atol=1e-6)


@EACH
def test_pickle_clone_and_names_of_classes(blobs, name, params):
    X, y, Q = blobs
    learner = learn(name, params, X, y)
    expected = learner.kneighbors(Q, 3)
    same(pickle.loads(pickle.dumps(learner)).kneighbors(Q, 3), expected)
    same(clone(learner).fit(X, y).kneighbors(Q, 3), expected)
    for labels in (np.array(["a", "b", "c"])[np.unique(y, return_inverse=True)[1]], 7 * y):
        same(learn(name, params, X, labels).kneighbors(Q, 3), expected)


@EACH
def test_in_knn_a_pipeline_and_a_spec(switched, name, params):
    X, y, Q, _ = switched
    Q = Q[:60]
    knn = {"use": "knn", "k": 3, "metric_learner": {"use": name, "report": False, **params}}
    spec = {"steps": [{"transformer": "standardize"}, {"classifier": knn}]}
    pipeline = ilk.build(spec)
    got = pipeline.fit(X, y).predict(Q)
    standard = ilk.transformer("standardize").fit(X)
    where = learn(name, params, standard.transform(X), y).kneighbors(standard.transform(Q), 3)[1]
    above = np.mean(y[where] == "above", axis=1) > 0.5
    assert got.tolist() == np.where(above, "above", "below").tolist()
    assert ilk.build(ilk.to_spec(pipeline)).fit(X, y).predict(Q).tolist() == got.tolist()


@EACH
def test_features_that_matter_in_places_only(switched, name, params):
    X, y, Q, expected = switched
    before = np.mean(ilk.classifier("knn").fit(X, y).predict(Q) != expected)
    learner = ilk.metric_learner(name, report=False, **params)
    error = np.mean(ilk.classifier("knn", metric_learner=learner).fit(X, y).predict(Q) != expected)
    assert error < before + (0.03 if name == "adamenn" or params else -0.03)


@EACH
def test_a_row_left_out_shapes_nothing(blobs, name, params):
    """What the report finds is what a learner finds that has never seen the row."""
    X, y, _ = blobs
    X, y = X[::2], y[::2]
    if name == "svm_local":
        pytest.skip("its report keeps a fifth of the rows from each machine")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MetricWarning)
        report = ilk.metric_learner(name, **params).fit(X, y).report_
    wrong = []
    for i in range(len(X)):
        learner = learn(name, params, np.delete(X, i, axis=0), np.delete(y, i))
        row = learner.kneighbors(X[i : i + 1], 1)[1][0, 0]
        wrong.append(np.delete(y, i)[row] != y[i])
    slack = 1 / 60 if name == "dann" else 0  # the unit of its floor is that of all rows
    assert report.after == pytest.approx(np.mean(wrong), abs=slack + 1e-9)


@in_one_test
@EACH
def test_one_class(blobs, name, params):
    with pytest.raises(ilk.InputError, match=f"{name}: y has 1 class"):
        learn(name, params, blobs[0], np.zeros(120, dtype=int))


def degenerate():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(60, 4)), np.repeat([-1, 1], 30)
    X[:, 0] += y
    return {
        "constant": (np.insert(X, 2, 3.0, axis=1), y),
        "all constant": (np.ones_like(X), y),
        "twice the same column": (X[:, [0, 0, 1, 1]], y),
        "rows twice": (np.vstack([X, X]), np.r_[y, y]),
        "rows twice, of other classes": (np.vstack([X, X]), np.r_[y, -y]),
        "fewer rows than columns": (rng.normal(size=(6, 30)), [0, 0, 0, 1, 1, 1]),
        "a class of one": (X, np.r_[5, np.full(59, 2)]),
        "a class a row": (X, np.arange(60)),
        "two points": (X[[0, 59]], ["a", "b"]),
        "two points at one place": (X[[0, 0]], ["a", "b"]),
        "one feature": (X[:, :1], y),
        "unbalanced": (rng.normal(size=(202, 3)), np.r_[np.zeros(200, int), 1, 1]),
        "tiny": (X * 1e-12, y),
        "huge": (X * 1e12, y),
        "smallest numbers": (X * 1e-300, y),
        "largest numbers": (X / np.abs(X).max() * 1e308, y),
        "far from the origin": (X + 1e9, y),
        "columns of every size": (X * [1e-12, 1, 1e12, 1], y),
        "binary": ((X > 0).astype(float), y),
    }


@EACH
@pytest.mark.parametrize("case", degenerate())
@pytest.mark.parametrize("single", [False, True])
def test_degenerate_data(name, params, case, single):
    X, y = degenerate()[case]
    if (name, case, single) == ("localized", "smallest numbers", False):
        X = X * 1e180  # the learner's map would be too large a number, see test_localized.py
    if single:
        X = np.clip(X, -1e38, 1e38).astype(np.float32)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MetricWarning)
        warnings.filterwarnings("ignore", "The number of unique classes")
        learner = ilk.metric_learner(name, **params).fit(X, y)
        near, where = learner.kneighbors(X, min(len(X), 5))
    assert np.isfinite(near).all()
    assert (np.diff(near, axis=1) >= 0).all()
    assert all(len(set(row)) == len(row) for row in where.tolist())
    assert (near[:, 0] == 0).all()
    assert 0 <= learner.report_.after <= 1


@in_one_test
@EACH
def test_there_is_one_metric_for_one_query(blobs, name, params):
    X, y, Q = blobs
    learner = learn(name, params, X, y)
    assert np.array_equal(learner.local_metric(Q[:1]), learner.local_metric(Q[0]))
    with pytest.raises(ilk.InputError, match=f"{name}: x must be one query, got 2 rows"):
        learner.local_metric(Q[:2])
