"""block_diagonal."""

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize

import ilk
from cases import in_one_test
from ilk_learners.metric_learners.block_diagonal import aligned

pytestmark = pytest.mark.filterwarnings("ignore::ilk_learners.metric_learners.linear.MetricWarning")

VIEWS = {"first": [0, 1], "second": [4, 3]}


@pytest.fixture
def data():
    rng = np.random.default_rng(3)
    y = np.repeat(["a", "b", "c"], 20)
    return rng.normal(size=(60, 5)) + np.repeat(rng.normal(size=(3, 5)), 20, axis=0), y


def fitted(X, y, **parameters):
    return ilk.metric_learner("block_diagonal", **{"views": VIEWS, **parameters}).fit(X, y)


@in_one_test
@pytest.mark.parametrize("weights", ["uniform", "pyramid", "alignment", "search", [0.5, 3]])
@pytest.mark.parametrize("learner", ["rca", "identity"])
def test_is_the_weighted_sum_of_squared_distances(data, weights, learner):
    X, y = data
    block = fitted(X, y, learner=learner, weights=weights, random_state=0)
    total = 0
    for (view, columns), weight in zip(VIEWS.items(), block.weights_, strict=True):
        own = ilk.metric_learner(learner, report=False).fit(X[:, columns], y)
        assert np.array_equal(own.components_, block.learners_[view].components_)
        total = total + weight * own.distance().pairwise(X[:, columns]) ** 2
    assert np.allclose(block.distance().pairwise(X) ** 2, total, rtol=1e-12, atol=1e-12)
    A = block.metric_matrix_
    assert not A[np.ix_([0, 1], [3, 4])].any()
    assert not A[2].any()
    assert np.allclose(block.transform(X), X @ block.components_.T, rtol=1e-12, atol=1e-14)


def test_learner_by_view(data):
    X, y = data
    block = fitted(X, y, learner="whitening", parts={"second": {"use": "lda", "n_components": 1}})
    assert type(block.learners_["first"]).__name__ == "Whitening"
    assert block.learners_["second"].components_.shape == (1, 2)
    assert block.components_.shape == (3, 5)


def test_euclidean_in_every_view_is_euclidean(data):
    """Equation (10.2) with A = I is the concatenation of views (HML1)."""
    X, y = data
    block = fitted(X, y, views={"a": [0, 2], "b": [1, 3, 4]})
    assert np.array_equal(block.metric_matrix_, np.eye(5))


def test_pyramid():
    block = fitted(
        np.eye(6), None, views={n: [n_] for n_, n in enumerate("abc")}, weights="pyramid"
    )
    assert block.weights_.tolist() == [1 / 8, 1 / 4, 1 / 2]


def test_overlapping_views_add_up(data):
    X, y = data
    block = fitted(X, y, views={"a": [0, 1], "b": [1]}, weights=[1, 3])
    assert np.allclose(np.diag(block.metric_matrix_), [1, 4, 0, 0, 0])


def test_data_frame(data):
    X, y = data
    table = pd.DataFrame(X, columns=list("pqrst"))
    named = fitted(table, y, views={"first": ["p", "q"], "second": ["t", 3]}, learner="rca")
    assert np.array_equal(named.components_, fitted(X, y, learner="rca").components_)
    assert np.allclose(named.transform(table), X @ named.components_.T)


class TestAlignment:
    def test_is_the_best(self, data):
        X, y = data
        views = [X[:, c] - X[:, c].mean(axis=0) for c in ([0, 1], [2], [3, 4])]
        codes = np.unique(y, return_inverse=True)[1]
        G = np.where(codes[:, None] == codes, 1.0, -1.0)
        centre = np.eye(60) - 1 / 60

        def alignment(w):
            K = sum(a * Z @ Z.T for a, Z in zip(w, views, strict=True))
            G_ = centre @ G @ centre
            return np.vdot(K, G_) / np.linalg.norm(K) / np.linalg.norm(G_)

        found = aligned(views, codes)
        best = minimize(lambda w: -alignment(w**2), np.ones(3), tol=1e-12).x ** 2
        assert alignment(found) >= alignment(best) - 1e-9
        assert found / found.sum() == pytest.approx(best / best.sum(), abs=1e-3)
        assert found.mean() == pytest.approx(1)

    def test_a_view_of_noise_gets_hardly_any(self):
        rng = np.random.default_rng(0)
        y = np.arange(300) % 2
        X = np.column_stack([y + 0.1 * rng.normal(size=300), rng.normal(size=(300, 2))])
        found = fitted(X, y, views={"signal": [0], "noise": [1, 2]}, weights="alignment").weights_
        assert found[1] < 0.05 * found[0]

    @pytest.mark.parametrize("unit", [2.0**-500, 2.0**500])
    def test_unit(self, data, unit):
        X, y = data
        expected = fitted(X, y, weights="alignment").weights_
        assert np.allclose(fitted(X * unit, y, weights="alignment").weights_, expected)

    def test_nothing_to_learn(self):
        X = np.array([[-1.0, 1], [1, 1], [-1, 1], [1, 1]])
        with pytest.raises(ilk.InputError, match="no view is aligned with the labels"):
            fitted(X, [0, 0, 1, 1], views={"a": [0], "b": [1]}, weights="alignment")


class TestSearch:
    def test_finds_the_view_that_matters(self):
        rng = np.random.default_rng(0)
        y = rng.integers(0, 2, size=200)
        X = np.column_stack([y + 0.2 * rng.normal(size=200), 50 * rng.normal(size=(200, 3))])
        block = fitted(
            X, y, views={"noise": [1, 2, 3], "signal": [0]}, weights="search", random_state=0
        )
        assert block.report_.after < 0.05
        assert block.report_.before > 0.3

    def test_seed(self, data):
        found = [fitted(*data, weights="search", random_state=s).components_ for s in (5, 5)]
        assert np.array_equal(*found)

    def test_names_do_not_matter(self, data):
        X, y = data
        names = {"a": "z", "b": "y", "c": "x"}
        found = [
            fitted(X, labels, weights="search", random_state=0).weights_
            for labels in (y, [names[label] for label in y])
        ]
        assert np.array_equal(*found)

    def test_classes_of_one_row(self):
        assert np.isfinite(fitted(np.eye(5), list("abcde"), weights="search").weights_).all()


@in_one_test
@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"views": {}}, "views must name at least one view"),
        ({"views": {"a": []}}, r"views \['a'\] must have a column"),
        ({"views": {"a": [5]}}, r"views \['a'\] must give positions of columns of X, got 5"),
        ({"views": {"a": ["p"]}}, r"views \['a'\] must give positions of columns of X, got 'p'"),
        ({"views": {"a": [1, 1]}}, r"views \['a'\] names a column twice"),
        ({"parts": {"frist": "rca"}}, "parts must name views, got 'frist'.*first"),
        ({"weights": [1]}, "weights must be one number for each of 2 views"),
        ({"weights": [0, 0]}, "weights must be finite, at least 0 and not all 0"),
        ({"weights": [1, -1]}, "weights must be finite, at least 0 and not all 0"),
        ({"weights": {"first": 1}}, "weights must be for the views"),
        ({"weights": {"first": 1, "second": "x"}}, r"weights \['second'\] must be a number"),
        ({"weights": "alignement"}, "did you mean 'alignment'"),
    ],
)
def test_wrong_parameters(data, parameters, message):
    with pytest.raises(ilk.ParameterError, match=f"block_diagonal: {message}|{message}"):
        fitted(*data, **parameters)


def test_learner_without_a_map(data, local_metric):
    with pytest.raises(ilk.ParameterError, match="learner must have a linear map, got weighted"):
        fitted(*data, learner="weighted")


def test_error_names_the_view(data):
    X, y = data
    X = X.copy()
    X[:, [3, 4]] = 1.0
    with pytest.raises(ilk.InputError, match="block_diagonal: view 'second': whitening: X has no"):
        fitted(X, y, learner="whitening")


def test_learned_weights_need_labels(data):
    with pytest.raises(ilk.InputError, match="block_diagonal: .*y is None"):
        fitted(data[0], None, weights="alignment")


def test_views_by_pattern_position_and_data_set():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(20, 4)), columns=["a_1", "b_1", "a_2", "b_2"])
    y = np.arange(20) % 2
    named = {"a": ["a_1", "a_2"], "b": ["b_1", "b_2"]}
    expected = fitted(X, y, views=named, learner="whitening").components_
    for views in ({"a": ["a_*"], "b": ["b_?"]}, [["a_*"], ["b_*"]], [[0, 2], [1, 3]]):
        got = fitted(X, y, views=views, learner="whitening").components_
        assert np.array_equal(got, expected)
    told = ilk.metric_learner("block_diagonal", views="data", learner="whitening")
    assert np.array_equal(ilk.with_views(told, named).fit(X, y).components_, expected)
    with pytest.raises(ilk.ParameterError, match="views is 'data', which an experiment replaces"):
        fitted(X, y, views="data")
