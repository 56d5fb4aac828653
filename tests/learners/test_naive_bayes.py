"""naive_bayes."""

import numpy as np
import pytest
from scipy.stats import gaussian_kde, norm
from sklearn.naive_bayes import GaussianNB

import ilk


def naive_bayes(**parameters):
    return ilk.classifier("naive_bayes", **parameters)


def differences(model, Q):
    """Log joints relative to the first class, which is what is left of them without constants."""
    values = model.decision_function(Q)
    return values if values.ndim == 1 else values[:, 1:] - values[:, :1]


def test_worked():
    # Means 1 and 6, variances 1 and 4, priors 1/2.
    model = naive_bayes().fit([[0.0], [2.0], [4.0], [8.0]], ["a", "a", "b", "b"])
    assert (model.means_.tolist(), model.widths_.tolist()) == ([[1], [6]], [[1], [2]])
    a, b = norm(1, 1).pdf(3), norm(6, 2).pdf(3)
    assert model.predict_proba([[3.0]])[0] == pytest.approx([a / (a + b), b / (a + b)])


def test_worked_kernel():
    # Standard deviation 1 and width 1/2 in both classes.
    model = naive_bayes(density="kernel", width=0.5)
    model.fit([[-1.0], [1.0], [9.0], [11.0]], ["a", "a", "b", "b"])
    a, b = ((norm(m - 1, 0.5).pdf(3.0) + norm(m + 1, 0.5).pdf(3.0)) / 2 for m in (0, 10))
    assert model.decision_function([[3.0]]) == pytest.approx([np.log(b) - np.log(a)])


@pytest.mark.parametrize("priors", [None, [0.2, 0.5, 0.3]], ids=str)
def test_gaussian_agrees_with_scikit_learn(blobs, priors):
    X, y, Q = blobs
    X, y = X[:100], y[:100]
    theirs = GaussianNB(priors=priors, var_smoothing=0).fit(X, y)
    ours = naive_bayes(priors=priors or "empirical").fit(X, y)
    assert np.allclose(ours.predict_proba(Q), theirs.predict_proba(Q))
    assert np.allclose(ours.widths_**2, theirs.var_)


@pytest.mark.parametrize("rule", ["silverman", "scott", 0.4])
def test_kernel_agrees_with_scipy(blobs, rule):
    X, y, Q = blobs
    X, y = X[:100], y[:100]
    model = naive_bayes(density="kernel", width=rule).fit(X, y)
    expected = []
    for i, c in enumerate(model.classes_):
        total = np.log(np.mean(y == c))
        for f in range(3):
            points = X[y == c, f]
            scipys = gaussian_kde(points, bw_method=rule)
            width = scipys.factor * points.std()
            assert model.widths_[i, f] == pytest.approx(width)
            # scipy multiplies the factor with the standard deviation of divisor n - 1.
            total += gaussian_kde(points, bw_method=width / points.std(ddof=1)).logpdf(Q[:, f])
        expected.append(total)
    expected = np.array(expected).T
    assert np.allclose(differences(model, Q), expected[:, 1:] - expected[:, :1])


@pytest.mark.parametrize("density", ["gaussian", "kernel"])
class TestBoth:
    def test_units_and_origin_do_not_matter(self, density, blobs):
        X, y, Q = blobs
        model = naive_bayes(density=density)
        expected = differences(model.fit(X, y), Q)
        for units in ([1e-12, 1, 1e12], [1e-300, 1e-200, 1e-150], [1e300, 1e-100, 1e200]):
            got = differences(model.fit(X * units, y), Q * units)
            assert np.allclose(got, expected)
        far = differences(model.fit(X + 2.0**26, y), Q + 2.0**26)
        assert np.allclose(far, expected, rtol=1e-4, atol=1e-4)

    def test_far_queries_have_an_answer(self, density, blobs):
        X, y, Q = blobs
        model = naive_bayes(density=density).fit(X, y)
        values = model.decision_function(Q * 1e6)
        assert np.isfinite(values).all()
        assert len(np.unique(values, axis=1)[0]) == 3
        assert np.allclose(model.predict_proba(Q * 1e6).sum(axis=1), 1)

    def test_weights_are_repetitions(self, density, blobs):
        X, y, Q = blobs
        w = np.random.default_rng(0).integers(0, 4, len(y))
        rows = np.repeat(np.arange(len(y)), w)
        weighted = naive_bayes(density=density).fit(X, y, sample_weight=w)
        repeated = naive_bayes(density=density).fit(X[rows], y[rows])
        assert np.allclose(weighted.decision_function(Q), repeated.decision_function(Q))

    def test_constant_features_say_nothing(self, density, blobs):
        X, y, Q = blobs
        model = naive_bayes(density=density)
        expected = model.fit(X, y).decision_function(Q)
        with_constant = np.column_stack([np.full(len(X), 0.1), X])
        model.fit(with_constant, y)
        assert (model.widths_[:, 0] == 0).all()
        got = model.decision_function(np.column_stack([np.arange(len(Q)), Q]))
        assert np.allclose(got, expected)

    def test_feature_that_is_constant_inside_a_class_has_the_least_width(self, density):
        X, y = np.array([[0.1], [0.1], [0.1], [2.0], [7.0]]), [0, 0, 0, 1, 1]
        model = naive_bayes(density=density, floor=0.01).fit(X, y)
        assert model.widths_[0, 0] == pytest.approx(0.01 * X.std())
        assert model.predict([[0.1], [0.1 + 0.02 * X.std()], [1.5]]).tolist() == [0, 0, 1]

    def test_nothing_but_constants_leaves_the_priors(self, density):
        model = naive_bayes(density=density).fit(np.ones((5, 2)), list("abbbb"))
        assert model.predict_proba([[0, 9]])[0] == pytest.approx([0.2, 0.8])

    def test_class_of_one_row(self, density, blobs):
        X, y, Q = blobs
        y = np.where(np.arange(len(y)) == 0, 99, y)
        model = naive_bayes(density=density).fit(X, y)
        assert model.predict(X[:1]).tolist() == [99]
        assert np.isfinite(model.decision_function(Q)).all()

    def test_order_of_rows_does_not_matter(self, density, blobs):
        X, y, Q = blobs
        order = np.random.default_rng(0).permutation(len(y))
        expected = naive_bayes(density=density).fit(X, y).decision_function(Q)
        got = naive_bayes(density=density).fit(X[order], y[order]).decision_function(Q)
        assert np.allclose(got, expected)


def test_threads_change_nothing(blobs):
    X, y, _ = blobs
    Q = np.random.default_rng(0).normal(size=(1000, 3))
    model = naive_bayes(density="kernel").fit(X, y)
    with ilk.threads(1):
        one = model.decision_function(Q)
    with ilk.threads(3):
        assert np.array_equal(model.decision_function(Q), one)


def test_kernels_see_two_heaps():
    rng = np.random.default_rng(0)
    X = np.r_[rng.normal(-5, 1, 50), rng.normal(5, 1, 50), rng.normal(0, 1, 50)][:, None]
    y = np.repeat(["out", "in"], [100, 50])
    kernel = naive_bayes(density="kernel").fit(X, y)
    assert (kernel.predict(X) == y).mean() > 0.97
    assert kernel.predict([[-30.0], [30.0], [0.0]]).tolist() == ["out", "out", "in"]
