"""rca."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.linalg import eigh, sqrtm
from sklearn.covariance import ledoit_wolf_shrinkage
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

import ilk

pytestmark = pytest.mark.filterwarnings("ignore::ilk_learners.metric_learners.linear.MetricWarning")


def within_covariance(X, chunklets):
    """Equation (4.5), one point after the other; a negative chunklet is none."""
    total, q = np.zeros((X.shape[1],) * 2), 0
    for j in {int(c) for c in chunklets if c >= 0}:
        points = X[chunklets == j]
        mean = points.mean(axis=0)
        for x in points:
            total += np.outer(x - mean, x - mean)
            q += 1
    return total / q


@pytest.fixture
def data():
    rng = np.random.default_rng(3)
    y = np.repeat([0, 1, 2], 15)
    X = rng.normal(size=(45, 4)) * [1, 5, 0.2, 2] + 3 * rng.normal(size=(3, 4))[y]
    return X, y


def test_worked():
    # Deviations (+-1, 0) and (0, +-2), four points: A = diag(1/2, 2).
    X = np.array([[9, 0], [11, 0], [50, 3], [50, 7]], dtype=float)
    rca = ilk.metric_learner("rca").fit(X, ["a", "a", "b", "b"])
    assert np.allclose(rca.components_, np.diag([np.sqrt(2), np.sqrt(1 / 2)]))
    assert (rca.rank_, rca.n_chunklets_, rca.shrinkage_) == (2, 2, 0)


def test_agrees_with_definition(data):
    X, y = data
    rca = ilk.metric_learner("rca").fit(X, y)
    A = within_covariance(X, y)
    assert np.allclose(rca.components_, np.linalg.inv(sqrtm(A)))
    assert np.allclose(rca.metric_matrix_, np.linalg.inv(A))
    assert np.allclose(within_covariance(rca.transform(X), y), np.eye(4))


@given(st.integers(0, 2**31))
def test_metric_is_invariant_under_linear_maps(seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, size=40)
    X = rng.normal(size=(40, 3))
    M = np.linalg.qr(rng.normal(size=(3, 3)))[0] * rng.uniform(0.1, 10, size=3)
    metric = ilk.metric_learner("rca").fit(X, y).metric_matrix_
    mapped = ilk.metric_learner("rca").fit(X @ M.T + 7, y).metric_matrix_
    assert np.allclose(M.T @ mapped @ M, metric, rtol=1e-6, atol=1e-8)


def test_units_do_not_matter_to_accuracy(data):
    # The squared scales span 24 orders of magnitude; a covariance matrix would be useless.
    X, y = data
    scales = np.array([1e-6, 1, 1e3, 1e6])
    rca = ilk.metric_learner("rca").fit(X * scales, y)
    expected = np.linalg.inv(within_covariance(X, y)) / np.outer(scales, scales)
    assert np.allclose(rca.metric_matrix_ / expected, 1, rtol=1e-3)


def test_chunklets_by_number(data):
    X, y = data
    chunklets = np.where(np.arange(45) % 3 == 0, -1, y + 10)
    rca = ilk.metric_learner("rca", chunklets=chunklets).fit(X)
    assert rca.n_chunklets_ == 3
    assert np.allclose(rca.metric_matrix_, np.linalg.inv(within_covariance(X, chunklets)))


def test_chunklets_are_classes_by_default_also_with_label_minus_one(data):
    X, y = data
    with_minus = ilk.metric_learner("rca").fit(X, np.array([-1, 0, 1])[y])
    assert np.array_equal(with_minus.components_, ilk.metric_learner("rca").fit(X, y).components_)


def test_chunklets_in_a_spec(data):
    X, y = data
    rca = ilk.build({"use": "rca", "chunklets": y.tolist()}, kind="metric_learner")
    assert np.allclose(rca.fit(X).components_, ilk.metric_learner("rca").fit(X, y).components_)
    assert ilk.to_spec(rca)["chunklets"] == y.tolist()


@pytest.mark.parametrize("number", [1, 2, 4])
def test_fewer_components_are_the_leading_generalised_eigenvectors(data, number):
    X, y = data
    rca = ilk.metric_learner("rca", n_components=number).fit(X, y)
    A = within_covariance(X, y)
    _, vectors = eigh(np.cov(X.T, bias=True), A)  # normalised to v'Av = 1
    leading = vectors[:, ::-1][:, :number].T
    assert np.allclose(rca.metric_matrix_, leading.T @ leading)
    assert np.allclose(rca.components_ @ A @ rca.components_.T, np.eye(number))


def test_fewer_components_span_what_lda_spans(data):
    X, y = data
    ours = ilk.metric_learner("rca", n_components=2).fit(X, y).components_
    theirs = LinearDiscriminantAnalysis(solver="eigen").fit(X, y).scalings_[:, :2].T
    angles = np.linalg.svd(np.linalg.qr(ours.T)[0].T @ np.linalg.qr(theirs.T)[0])[1]
    assert angles == pytest.approx([1, 1])


@pytest.mark.parametrize("shrinkage", [0.1, 1.0])
def test_shrinkage(data, shrinkage):
    X, y = data
    A = within_covariance(X, y)
    shrunk = (1 - shrinkage) * A + shrinkage * np.trace(A) / 4 * np.eye(4)
    rca = ilk.metric_learner("rca", shrinkage=shrinkage).fit(X, y)
    assert np.allclose(rca.metric_matrix_, np.linalg.inv(shrunk))


class TestSingular:
    @pytest.fixture
    def few(self):
        """More features than points."""
        rng = np.random.default_rng(1)
        return rng.normal(size=(8, 12)), np.repeat([0, 1], 4)

    def test_reduce(self, few):
        X, y = few
        rca = ilk.metric_learner("rca").fit(X, y)
        assert rca.rank_ == 6
        assert rca.components_.shape == (6, 12)
        Z = rca.transform(X)
        assert np.allclose(within_covariance(Z, y), np.eye(6))
        axes = np.linalg.svd(X - X.mean(axis=0))[2][:6]  # principal components
        A = axes @ within_covariance(X, y) @ axes.T
        assert np.allclose(rca.metric_matrix_, axes.T @ np.linalg.inv(A) @ axes)

    def test_reduce_leaves_out_a_component_without_variation_inside(self):
        # The leading principal component only tells the classes apart: its weight would be
        # infinite.
        inside = np.array([[4, 1], [-4, 1], [4, -1], [-4, -1]])
        X = np.column_stack([np.repeat([0, 100], 4), np.vstack([inside, inside])])
        rca = ilk.metric_learner("rca").fit(X, np.repeat([0, 1], 4))
        assert rca.rank_ == 2
        assert np.allclose(rca.metric_matrix_, np.diag([0, 1 / 16, 1]))

    def test_copied_feature(self, data):
        X, y = data
        double = ilk.metric_learner("rca").fit(np.column_stack([X, X[:, 0]]), y)
        single = ilk.metric_learner("rca").fit(X, y)
        ours = double.transform(np.column_stack([X, X[:, 0]]))
        assert double.rank_ == 4
        distances = [((Z[:, None] - Z[None]) ** 2).sum(-1) for Z in (ours, single.transform(X))]
        assert np.allclose(*distances)

    def test_shrink(self, few):
        X, y = few
        rca = ilk.metric_learner("rca", singular="shrink").fit(X, y)
        means = np.array([X[y == c].mean(axis=0) for c in (0, 1)])
        assert rca.shrinkage_ == pytest.approx(
            ledoit_wolf_shrinkage(X - means[y], assume_centered=True)
        )
        A = within_covariance(X, y)
        shrunk = (1 - rca.shrinkage_) * A + rca.shrinkage_ * np.trace(A) / 12 * np.eye(12)
        assert np.allclose(rca.metric_matrix_, np.linalg.inv(shrunk))

    def test_error(self, few):
        with pytest.raises(ilk.InputError, match="singular .rank 6 of 12.; set shrinkage"):
            ilk.metric_learner("rca", singular="error").fit(*few)

    def test_asked_for_more_components_than_are_left(self, few):
        with pytest.raises(ilk.InputError, match="n_components must be at most 6.*got 7"):
            ilk.metric_learner("rca", n_components=7).fit(*few)

    def test_nothing_varies(self):
        with pytest.raises(ilk.InputError, match="covariance inside the chunklets is 0"):
            ilk.metric_learner("rca", singular="shrink").fit([[1.0], [2.0]], ["a", "b"])


def test_wrong_chunklets(data):
    X, y = data
    with pytest.raises(ilk.InputError, match="chunklets has 3 values for the 45 rows"):
        ilk.metric_learner("rca", chunklets=[0, 0, 1]).fit(X)
    with pytest.raises(ilk.ParameterError, match="chunklets must be integers"):
        ilk.metric_learner("rca", chunklets=y + 0.5).fit(X)
    with pytest.raises(ilk.ParameterError, match="not negative"):
        ilk.metric_learner("rca", chunklets=np.full(45, -1)).fit(X)
    with pytest.raises(ilk.InputError, match="y is None"):
        ilk.metric_learner("rca").fit(X)


def test_float32_and_string_labels(data):
    X, y = data
    rca = ilk.metric_learner("rca").fit(X.astype(np.float32), np.array(["u", "v", "w"])[y])
    assert rca.transform(X.astype(np.float32)).dtype == np.float32


def test_as_distance(data):
    X, y = data
    rca = ilk.metric_learner("rca").fit(X, y)
    D = rca.distance().pairwise(X[:3], X[3:5])
    difference = X[1] - X[3]
    assert D[1, 0] == pytest.approx(np.sqrt(difference @ rca.metric_matrix_ @ difference))


@pytest.mark.filterwarnings("default::ilk_learners.metric_learners.linear.MetricWarning")
def test_breast_cancer_is_hurt_unless_shrunk():
    """Nearly dependent features: their differences, mere noise, get most of the weight."""
    X, y = ilk.dataset("breast_cancer").load().Xy
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    with pytest.warns(UserWarning, match="rca: the learned metric is worse"):
        plain = ilk.metric_learner("rca").fit(X, y).report_
    shrunk = ilk.metric_learner("rca", shrinkage=0.1).fit(X, y).report_
    assert plain.after > plain.before + 0.01
    assert shrunk.after < plain.after - 0.01


def test_no_report_without_labels(data):
    X, y = data
    assert ilk.metric_learner("rca", chunklets=y).fit(X).report_ is None
    assert ilk.metric_learner("rca", report=False).fit(X, y).report_ is None


def test_more_features_than_can_be_squared():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 20_000)), np.repeat([0, 1, 2], 10)
    rca = ilk.metric_learner("rca").fit(X, y)
    assert rca.components_.shape == (27, 20_000)
    assert np.allclose(within_covariance(rca.transform(X), y), np.eye(27))
