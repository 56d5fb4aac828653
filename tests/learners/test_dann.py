"""DANN beside its formulas written out with loops, and what small regions do."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.linalg import sqrtm

import ilk
from cases import in_one_test


def dann(**params):
    return ilk.metric_learner("dann", report=False, **params)


def written_out(X, y, q, n_near=None, epsilon=1.0, n_iterations=1, diagonal=True, floor=0.1):
    """The metric at q, by Hastie and Tibshirani's steps."""
    n, p = X.shape
    n_near = min(n_near or max(n // 5, 50), n)
    unit = X.std(axis=0)
    A = np.eye(p)
    for _ in range(n_iterations):
        d = np.array([np.sqrt((x - q) @ A @ (x - q)) for x in X])
        rows = np.argsort(d, kind="stable")[:n_near]
        h = d[rows[-1]]
        w = {i: (1 - (d[i] / h) ** 3) ** 3 for i in rows}
        total = sum(w.values())
        mean = sum(w[i] * X[i] for i in rows) / total
        W, B = np.zeros((p, p)), np.zeros((p, p))
        for c in set(y[rows].tolist()):
            own = [i for i in rows if y[i] == c]
            weight = sum(w[i] for i in own)
            if weight == 0:
                continue
            center = sum(w[i] * X[i] for i in own) / weight
            B += weight / total * np.outer(center - mean, center - mean)
            W += sum(w[i] * np.outer(X[i] - center, X[i] - center) for i in own) / total
        W = W / np.outer(unit, unit)
        values, vectors = np.linalg.eigh(np.diag(np.diag(W)) if diagonal else W)
        around = np.mean(np.diag(W + B / np.outer(unit, unit)))
        W = (vectors * np.maximum(values, floor * around)) @ vectors.T * np.outer(unit, unit)
        root = np.linalg.inv(np.real(sqrtm(W)))
        A = root @ (root @ B @ root + epsilon * np.eye(p)) @ root
    return A


VARIANTS = pytest.mark.parametrize(
    "params",
    [
        {},
        {"diagonal": False},
        {"n_iterations": 3, "n_metric_neighbors": 40},
        {"diagonal": False, "n_iterations": 3, "epsilon": 0.2, "floor": 1e-6},
        {"diagonal": False, "n_metric_neighbors": 3},
    ],
)


class TestWrittenOut:
    @in_one_test
    @VARIANTS
    def test_metric_and_neighbors(self, blobs, params):
        X, y, Q = blobs
        X = X @ [[1.0, 0.5, 0.0], [0.0, 1.0, 0.3], [0.2, 0.0, 2.0]]
        learner = dann(**params).fit(X, y)
        near, where = learner.kneighbors(Q[:8], 7)
        options = {("n_near" if k == "n_metric_neighbors" else k): v for k, v in params.items()}
        for i, q in enumerate(Q[:8]):
            A = written_out(X, y, q, **options)
            np.testing.assert_allclose(learner.local_metric(q), A, rtol=1e-8, atol=1e-9)
            d = np.sqrt(np.einsum("nf,fg,ng->n", X - q, A, X - q))
            assert where[i].tolist() == np.argsort(d, kind="stable")[:7].tolist()
            np.testing.assert_allclose(near[i], d[where[i]], rtol=1e-9)

    def test_default_neighborhood_is_a_fifth_of_many_rows(self):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(400, 2))
        y = rng.integers(2, size=400)
        A = dann().fit(X, y).local_metric([0.3, 0.1])
        assert np.array_equal(A, dann(n_metric_neighbors=80).fit(X, y).local_metric([0.3, 0.1]))
        np.testing.assert_allclose(A, written_out(X, y, np.array([0.3, 0.1])), rtol=1e-9)

    @pytest.mark.parametrize("diagonal", [True, False])
    @given(data=st.data())
    def test_distances_are_under_the_local_metric(self, diagonal, data):
        n, p = data.draw(st.integers(2, 14)), data.draw(st.integers(1, 3))
        cells = st.lists(st.integers(0, 3), min_size=n * p, max_size=n * p)
        X = np.array(data.draw(cells), dtype=float).reshape(n, p)
        labels = st.lists(st.integers(0, 1), min_size=n, max_size=n)
        y = data.draw(labels.filter(lambda values: len(set(values)) > 1))
        size = data.draw(st.integers(1, 6))
        learner = dann(diagonal=diagonal, n_metric_neighbors=size).fit(X, y)
        q = X[0] + 0.25
        A = learner.local_metric(q)
        near, where = learner.kneighbors([q], n)
        assert sorted(where[0].tolist()) == list(range(n))
        expected = np.sqrt(np.einsum("nf,fg,ng->n", X - q, A, X - q))
        np.testing.assert_allclose(near[0], expected[where[0]], rtol=1e-9, atol=1e-12)
        assert np.linalg.eigvalsh(A).min() >= -1e-9 * np.abs(A).max()


class TestByHand:
    def test_two_classes_on_a_line(self):
        """Three rows around 0, the last, as far as h, has no weight."""
        X = np.array([[-1.0], [1.0], [2.0], [9.0]])
        learner = dann(n_metric_neighbors=3, floor=1e-6).fit(X, ["a", "b", "a", "b"])
        # the weights of -1 and 1 are equal: W is 0, raised to the floor; B is 1
        W = 1e-6
        np.testing.assert_allclose(learner.local_metric([0.0]), [[1 / W**2 + 1 / W]])

    def test_stretches_along_the_boundary(self):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(300, 2))
        y = X[:, 0] - X[:, 1] > 0
        for diagonal in (True, False):
            A = dann(diagonal=diagonal).fit(X, y).local_metric([0.0, 0.0])
            across, along = np.array([1, -1]) / 2**0.5, np.array([1, 1]) / 2**0.5
            assert across @ A @ across > 2 * (along @ A @ along)

    def test_full_metric_turns_with_the_data(self, blobs):
        """Without a floor that depends on the features."""
        X, y, Q = blobs
        turn = np.linalg.qr(np.random.default_rng(1).normal(size=(3, 3)))[0]
        options = {"diagonal": False, "floor": 1e-9, "n_iterations": 2}
        near, where = dann(**options).fit(X, y).kneighbors(Q, 5)
        again, rows = dann(**options).fit(X @ turn, y).kneighbors(Q @ turn, 5)
        assert np.array_equal(rows, where)
        np.testing.assert_allclose(again, near, rtol=1e-9)


class TestSmallRegions:
    @pytest.mark.parametrize("diagonal", [True, False])
    def test_one_class_around(self, diagonal):
        rng = np.random.default_rng(0)
        X = np.vstack([rng.normal(size=(60, 2)), rng.normal(size=(60, 2)) + 100])
        y = np.repeat([0, 1], 60)
        params = {"diagonal": diagonal, "n_metric_neighbors": 50, "floor": 1e-9}
        A = dann(**params).fit(X, y).local_metric([0.0, 0.0])
        np.testing.assert_allclose(
            A, written_out(X, y, np.zeros(2), 50, diagonal=diagonal, floor=1e-9), rtol=1e-7
        )
        assert np.linalg.eigvalsh(A).min() > 0

    @pytest.mark.parametrize("diagonal", [True, False])
    def test_one_row(self, diagonal):
        """A region of one row: all variances at the floor."""
        X, y = np.array([[0.0, 0.0], [2.0, 4.0], [0.0, 4.0], [2.0, 0.0]]), [0, 1, 0, 1]
        learner = dann(n_metric_neighbors=1, floor=0.25, diagonal=diagonal).fit(X, y)
        np.testing.assert_allclose(learner.local_metric([0.1, 0.1]), np.diag([4.0, 1.0]))

    def test_all_rows_as_far(self):
        """Of a square around the query all rows weigh the same."""
        X, y = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]]), [0, 0, 1, 1]
        A = dann(floor=0.1).fit(X, y).local_metric([0.0, 0.0])
        np.testing.assert_allclose(A, np.diag([1 / 0.1**2 + 1 / 0.1, 1.0]), atol=1e-12)

    @pytest.mark.parametrize("diagonal", [True, False])
    def test_constant_feature_counts_for_nothing(self, blobs, diagonal):
        X, y, Q = blobs
        more = np.insert(X, 1, 7.0, axis=1), np.insert(Q, 1, 9.0, axis=1)
        learner, plain = (dann(diagonal=diagonal, n_metric_neighbors=30) for _ in range(2))
        assert not learner.fit(more[0], y).local_metric(more[1][0])[1].any()
        for got, expected in zip(
            learner.kneighbors(more[1], 3), plain.fit(X, y).kneighbors(Q, 3), strict=True
        ):
            np.testing.assert_allclose(got, expected, rtol=1e-9)

    @pytest.mark.parametrize("diagonal", [True, False])
    def test_equal_rows_by_lower_index(self, diagonal):
        X = np.repeat([[0.0, 1.0], [1.0, 0.0]], 4, axis=0)
        learner = dann(diagonal=diagonal).fit(X, [0, 0, 0, 1, 1, 1, 1, 1])
        near, where = learner.kneighbors([[0.1, 0.9]], 6)
        assert where.tolist() == [[0, 1, 2, 3, 4, 5]]
        assert near[0, 0] == near[0, 3] < near[0, 4] == near[0, 5]

    def test_more_columns_than_rows(self):
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(12, 30)), np.repeat([0, 1], 6)
        A = dann(diagonal=False).fit(X, y).local_metric(X[0])
        assert np.linalg.eigvalsh(A).min() > 0


@in_one_test
@pytest.mark.parametrize("diagonal", [True, False])
@pytest.mark.parametrize("exponent", [-900, -40, 40, 900])
def test_distances_have_no_unit(blobs, diagonal, exponent):
    X, y, Q = blobs
    expected = dann(diagonal=diagonal).fit(X, y).kneighbors(Q, 4)
    scaled = dann(diagonal=diagonal).fit(np.ldexp(X, exponent), y)
    near, where = scaled.kneighbors(np.ldexp(Q, exponent), 4)
    assert np.array_equal(where, expected[1])
    np.testing.assert_allclose(near, expected[0], rtol=1e-12)


def test_metric_that_no_number_holds(blobs):
    learner = dann().fit(np.ldexp(blobs[0], -900), blobs[1])
    with pytest.raises(ilk.InputError, match="dann: rows vary so little that the metric has inf"):
        learner.local_metric(np.zeros(3))


@in_one_test
@pytest.mark.parametrize(
    ("argument", "value"),
    [("epsilon", 0.0), ("epsilon", np.inf), ("floor", 0.0), ("n_iterations", 0)],
)
def test_parameters(blobs, argument, value):
    with pytest.raises(ilk.ParameterError, match=f"dann: {argument} must be"):
        dann(**{argument: value}).fit(*blobs[:2])
