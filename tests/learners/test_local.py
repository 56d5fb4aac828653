"""Local metrics: what they share, and what each of them must stand."""

import pickle
import warnings

import numpy as np
import pytest
from sklearn.base import clone

import ilk
from cases import in_one_test
from ilk_learners.local.adaptive import AdaptiveMetric
from ilk_learners.metric_learners.linear import MetricWarning

NAMES = ("boostml1", "boostml2", "machete", "scythe")
EACH = pytest.mark.parametrize("name", NAMES)


class Weighted(AdaptiveMetric):
    """Features count by how large they are in the query; or only those after the first."""

    skip: int = ilk.param(default=0, doc="Features that do not count.")

    def _metrics(self, Q, left_out):
        share = np.abs(Q) / np.abs(Q).sum(axis=1, keepdims=True)
        return np.where(np.arange(Q.shape[1]) < self.skip, 0.0, share)


class Mapped(Weighted):
    """The same features in fewer dimensions, mixed."""

    def _metrics(self, Q, left_out):
        mix = np.arange(2.0 * Q.shape[1]).reshape(2, -1) - 1.0
        return super()._metrics(Q, left_out)[:, None, :] * mix


def learn(name, X, y, **params):
    return ilk.metric_learner(name, report=False, **params).fit(X, y)


def same(got, expected):
    assert all(np.array_equal(*pair) for pair in zip(got, expected, strict=True))


class TestBase:
    @in_one_test
    @pytest.mark.parametrize("cls", [Weighted, Mapped])
    @pytest.mark.parametrize("dtype", [float, np.float32])
    def test_nearest_of_all_rows(self, cls, dtype):
        rng = np.random.default_rng(0)
        X, Q = (rng.normal(size=(m, 5)).astype(dtype) for m in (1100, 9))
        learner = cls(report=False).fit(X, X[:, 0] > 0)
        near, where = learner.kneighbors(Q, 7)
        assert near.dtype == dtype
        for q, distances, rows in zip(Q.astype(float), near, where, strict=True):
            A = learner.local_metric(q)
            A = np.diag(A) if A.ndim == 1 else A
            expected = np.sqrt(np.einsum("nf,fg,ng->n", X - q, A, X - q))
            assert rows.tolist() == np.argsort(expected, kind="stable")[:7].tolist()
            np.testing.assert_allclose(distances, expected[rows], rtol=1e-5)

    @pytest.mark.parametrize("cls", [Weighted, Mapped])
    def test_row_left_out_is_not_its_own_neighbour(self, blobs, cls):
        X, y, _ = blobs
        report = cls().fit(X, y).report_
        rows = [cls(report=False).fit(np.delete(X, i, 0), np.delete(y, i)) for i in range(len(X))]
        wrong = [
            np.delete(y, i)[rows[i].kneighbors(X[i : i + 1], 1)[1][0, 0]] != y[i]
            for i in range(len(X))
        ]
        assert report.after == pytest.approx(np.mean(wrong))
        assert report.n_queries == 120

    def test_worse_than_euclidean(self):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(80, 2))
        with pytest.warns(MetricWarning, match="worse than the Euclidean"):
            learner = Weighted(skip=1).fit(X, X[:, 0] > 0)
        assert learner.report_.after > learner.report_.before

    def test_no_report(self, blobs):
        assert not hasattr(Weighted(report=False).fit(*blobs[:2]), "report_")

    def test_query_too_far(self, blobs):
        learner = Weighted(report=False).fit(*blobs[:2])
        with pytest.raises(ilk.InputError, match=r"too far .* 1e\+200 at row 1, column 2"):
            learner.kneighbors([[0, 0, 0], [0, 0, 1e200]], 1)

    def test_one_vector_at_a_time(self, blobs):
        learner = Weighted(report=False).fit(*blobs[:2])
        assert learner.local_metric([1.0, -1.0, 2.0]).tolist() == [0.25, 0.25, 0.5]
        with pytest.raises(ilk.InputError, match="features"):
            learner.local_metric([0.0, 1.0])


class TestKnn:
    @in_one_test
    @EACH
    def test_votes_of_the_neighbours_it_finds(self, blobs, name):
        X, y, Q = blobs
        learner = ilk.metric_learner(name, report=False)
        knn = ilk.classifier("knn", k=1, metric_learner=learner).fit(X, y)
        assert isinstance(knn.metric_learner_, ilk.LocalMetric)
        where = learn(name, X, y).kneighbors(Q, 1)[1]
        assert np.array_equal(knn.predict(Q), y[where[:, 0]])
        shares = knn.set_params(k=4).fit(X, y).predict_proba(Q)
        where = learn(name, X, y).kneighbors(Q, 4)[1]
        assert np.array_equal(shares[:, 0], np.mean(y[where] == -1, axis=1))

    @EACH
    def test_in_a_pipeline_and_a_spec(self, switched, name):
        X, y, Q, _ = switched
        knn = {"use": "knn", "k": 3, "metric_learner": {"use": name, "L": 15, "report": False}}
        pipeline = ilk.build({"steps": [{"transformer": "standardize"}, {"classifier": knn}]})
        got = pipeline.fit(X, y).predict(Q)
        standard = ilk.transformer("standardize").fit(X)
        Z, queries = standard.transform(X), standard.transform(Q)
        learner = ilk.metric_learner(name, L=15, report=False)
        direct = ilk.classifier("knn", k=3, metric_learner=learner)
        assert np.array_equal(got, direct.fit(Z, y).predict(queries))
        assert ilk.build(ilk.to_spec(pipeline)).fit(X, y).predict(Q).tolist() == got.tolist()

    @EACH
    def test_features_that_matter_in_places_only(self, switched, name):
        X, y, Q, expected = switched
        learners = ilk.metric_learner(name, report=False), None
        error, before = (
            np.mean(ilk.classifier("knn", metric_learner=learner).fit(X, y).predict(Q) != expected)
            for learner in learners
        )
        assert error < before - 0.03

    @pytest.mark.parametrize("name", ["boostml2", "scythe"])
    def test_weights_of_features_that_matter_in_places_only(self, switched, name):
        X, y, *_ = switched
        learner = learn(name, X, y)
        left, right = (np.zeros((1, 12)) + 0.5 for _ in range(2))
        left[0, 0], right[0, 0] = -0.6, 0.6
        assert learner.local_metric(left)[[1, 2]].argmax() == 0
        assert learner.local_metric(right)[[1, 2]].argmax() == 1


class TestEach:
    @EACH
    def test_neither_threads_nor_blocks_matter(self, switched, name):
        X, y, Q, _ = switched
        learner = learn(name, X, y)
        with ilk.threads(1):
            expected = learner.kneighbors(Q, 6)
        with ilk.threads(4):
            same(learner.kneighbors(Q, 6), expected)
            some = [learner.kneighbors(Q[i : i + 1], 6) for i in range(20)]
        same([np.vstack(part) for part in zip(*some, strict=True)], [p[:20] for p in expected])

    @EACH
    def test_a_row_left_out_shapes_nothing(self, blobs, name):
        """What the report finds is what a learner finds that has never seen the row."""
        X, y, _ = blobs
        X, y = X[::2], y[::2]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", MetricWarning)
            report = ilk.metric_learner(name).fit(X, y).report_
        wrong = []
        for i in range(len(X)):
            others, labels = np.delete(X, i, axis=0), np.delete(y, i)
            row = learn(name, others, labels).kneighbors(X[i : i + 1], 1)[1][0, 0]
            wrong.append(labels[row] != y[i])
        assert report.after == pytest.approx(np.mean(wrong))

    @in_one_test
    @EACH
    def test_single_precision(self, blobs, name):
        X, y, Q = (part.astype(np.float32) if part.dtype == float else part for part in blobs)
        learner = learn(name, X, y)
        assert learner.columns_.dtype == np.float32
        near, where = learner.kneighbors(Q, 3)
        assert near.dtype == np.float32
        assert learner.kneighbors(Q.astype(float), 3)[0].dtype == float
        double = learn(name, X.astype(float), y).kneighbors(Q.astype(float), 3)
        assert np.array_equal(where, double[1])
        np.testing.assert_allclose(near, double[0], rtol=1e-6)

    @in_one_test
    @EACH
    def test_read_only_memory(self, blobs, name):
        X, y, Q = blobs
        learner = learn(name, X, y)
        expected = learner.kneighbors(Q, 3)
        for array in (learner.columns_, learner.order_, learner.codes_):
            array.flags.writeable = False
        same(learner.kneighbors(Q, 3), expected)

    @in_one_test
    @EACH
    def test_pickle_and_clone(self, blobs, name):
        X, y, Q = blobs
        learner = learn(name, X, y)
        expected = learner.kneighbors(Q, 3)
        same(pickle.loads(pickle.dumps(learner)).kneighbors(Q, 3), expected)
        same(clone(learner).fit(X, y).kneighbors(Q, 3), expected)

    @in_one_test
    @EACH
    def test_names_of_classes(self, blobs, name):
        X, y, Q = blobs
        expected = learn(name, X, y).kneighbors(Q, 3)
        for labels in (np.array(["b", "a", "c"])[np.unique(y, return_inverse=True)[1]], -7 * y):
            near, where = learn(name, X, labels).kneighbors(Q, 3)
            assert np.array_equal(where, expected[1])
            np.testing.assert_allclose(near, expected[0], rtol=1e-13)

    @in_one_test
    @EACH
    def test_one_class(self, blobs, name):
        with pytest.raises(ilk.InputError, match=f"{name}: y has 1 class"):
            learn(name, blobs[0], np.zeros(120, dtype=int))

    @in_one_test
    @EACH
    @pytest.mark.parametrize(("argument", "value"), [("L", 0), ("n_neighbors", 0), ("L", 2.5)])
    def test_parameters(self, blobs, name, argument, value):
        with pytest.raises(ilk.ParameterError, match=f"{name}: {argument} must be.*{value}"):
            learn(name, *blobs[:2], **{argument: value})


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
        "classes of two": (X, np.arange(60) // 2),
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


@in_one_test
@EACH
@pytest.mark.parametrize("case", degenerate())
@pytest.mark.parametrize("single", [False, True])
def test_degenerate_data(name, case, single):
    X, y = degenerate()[case]
    if single:
        X = np.clip(X, -1e38, 1e38).astype(np.float32)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MetricWarning)
        learner = ilk.metric_learner(name).fit(X, y)
    near, where = learner.kneighbors(X, min(len(X), 5))
    assert np.isfinite(near).all()
    assert (np.diff(near, axis=1) >= 0).all()
    assert all(len(set(row)) == len(row) for row in where.tolist())
    assert (near[:, 0] == 0).all()
    weights = learner.local_metric(X[0])
    assert (weights >= 0).all()
    assert weights.sum() == pytest.approx(1)
    assert 0 <= learner.report_.after <= 1
