"""Parameters of kernels set by alignment and polarization."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar
from sklearn.exceptions import ConvergenceWarning

import ilk
from cases import in_one_test
from ilk_learners.kernel_parameters import KernelParameters
from ilk_learners.svm import tuning
from ilk_learners.svm.tuning import Target, weighted_slopes

CRITERIA = ["alignment", "polarization"]


@pytest.fixture
def rows():
    """Two classes told by the first of four features, 50 rows and 20."""
    rng = np.random.default_rng(1)
    y = np.repeat([1, -1], [50, 20])
    X = rng.normal(size=(70, 4))
    X[:, 0] += 1.5 * y
    return X, y


def svm(criterion, kernel="rbf", **parameters):
    return ilk.classifier("svm", kernel=kernel, kernel_tuning=criterion, **parameters)


def gram(X, sigma):
    Z = X / sigma
    return np.exp(-((Z[:, None] - Z) ** 2).sum(axis=2) / 2)


class TestCriteria:
    def test_polarization_of_two_classes_of_equal_size(self):
        """It is that of Baram, sum_ij y_i y_j k(x_i, x_j), but for the factor 1 / (2 n^2)."""
        rng = np.random.default_rng(0)
        y = np.repeat([1.0, -1.0], 15)
        K = gram(rng.normal(size=(30, 2)), 1.0)
        got = Target((y > 0).astype(int), "polarization").value(K.copy())
        assert got == pytest.approx(y @ K @ y / (2 * 30**2))

    def test_polarization_is_how_far_apart_the_means_are(self):
        """Of two classes of any size: the squared distance of their means, but for a factor."""
        rng = np.random.default_rng(0)
        X, codes = rng.normal(size=(30, 2)), np.repeat([0, 1], [25, 5])
        apart = X[codes == 0].mean(axis=0) - X[codes == 1].mean(axis=0)
        got = Target(codes, "polarization").value(X @ X.T)
        factor = 2 * (25 * 5 / 30) ** 2 / 30**2
        assert got == pytest.approx(factor * apart @ apart)

    @given(st.integers(0, 2**16), st.integers(2, 4))
    def test_alignment_is_that_of_cortes(self, seed, n_classes):
        rng = np.random.default_rng(seed)
        codes = np.r_[np.arange(n_classes), rng.integers(n_classes, size=20)]
        K = gram(rng.normal(size=(len(codes), 3)), 1.5)
        got = Target(codes, "alignment").value(K.copy())
        n = len(codes)
        H = np.eye(n) - 1 / n
        centered = H @ K @ H, H @ np.where(codes[:, None] == codes, 1, -1) @ H
        norms = [np.linalg.norm(matrix) for matrix in centered]
        assert got == pytest.approx(np.sum(centered[0] * centered[1]) / (norms[0] * norms[1]))

    @pytest.mark.parametrize("criterion", CRITERIA)
    def test_a_constant_kernel_has_none(self, criterion):
        codes = np.repeat([0, 1, 2], [20, 3, 1])
        value, W = Target(codes, criterion)._value_and_weights(np.ones((24, 24)))
        assert value == pytest.approx(0, abs=1e-15)
        assert np.isfinite(W).all()

    @pytest.mark.parametrize("criterion", CRITERIA)
    def test_names_and_order_of_classes_do_not_matter(self, criterion):
        rng = np.random.default_rng(0)
        codes = rng.integers(3, size=25)
        K = gram(rng.normal(size=(25, 2)), 1.0)
        order = rng.permutation(25)
        one = Target(codes, criterion).value(K.copy())
        renamed = Target(np.array([2, 0, 1])[codes], criterion).value(K.copy())
        shuffled = Target(codes[order], criterion).value(K[np.ix_(order, order)])
        assert renamed == pytest.approx(one)
        assert shuffled == pytest.approx(one)


KERNELS = [
    {"use": "rbf", "sigma": 1.3},
    {"use": "rbf", "sigma": [0.8, 1.5, 2.0, 1.0]},
    {"use": "polynomial", "degree": 2, "gamma": 0.3, "coef0": 0.5},
    {"use": "rational"},
]


class TestGradients:
    @in_one_test
    @pytest.mark.parametrize("criterion", CRITERIA)
    @pytest.mark.parametrize("kernel", KERNELS, ids=lambda k: f"{k['use']}{len(k)}")
    def test_numerically(self, rows, criterion, kernel):
        X, y = rows
        codes = (y > 0).astype(int)
        fitted = ilk.build(kernel, kind="kernel").fit(X, y)
        parameters, target = KernelParameters(fitted), Target(codes, criterion)

        def value(logarithms):
            moved = parameters.kernel(logarithms).fit(X, y)
            return target.value(np.array(moved.gram(X)))

        at = 0.3 * np.random.default_rng(0).normal(size=parameters.size)
        _, gradient = target.with_gradient(parameters.kernel(at).fit(X, y), X)
        steps = 1e-5 * np.eye(parameters.size)
        numeric = [(value(at + step) - value(at - step)) / 2e-5 for step in steps]
        assert gradient == pytest.approx(numeric, rel=1e-4, abs=1e-7)

    @pytest.mark.parametrize("limit", [1, 10**4, 10**5, 10**9])
    def test_in_blocks(self, rows, limit):
        X, y = rows
        kernel = ilk.kernel("rbf", sigma=[1.0, 2.0, 1.0, 0.5]).fit(X, y)
        W = np.random.default_rng(0).normal(size=(70, 70))
        W = W + W.T
        expected = np.tensordot(W, kernel.gram_gradient(X)[1])
        assert weighted_slopes(kernel, X, W, limit=limit) == pytest.approx(expected)


class TestParameters:
    def test_numbers_in_the_order_of_gradients(self, rows):
        kernel = ilk.kernel("polynomial", gamma=0.5, coef0=2.0).fit(*rows)
        parameters = KernelParameters(kernel)
        gradients = kernel.gram_gradient(rows[0])[1]
        assert parameters.size == gradients.shape[2] == 2
        assert list(parameters.start) == ["coef0", "gamma"]
        assert parameters.values(np.log([2.0, 3.0])) == pytest.approx({"coef0": 4, "gamma": 1.5})

    def test_of_what_was_taken_from_data(self, rows):
        kernel = ilk.kernel("rbf").fit(*rows)
        parameters = KernelParameters(kernel)
        assert parameters.start == {"sigma": kernel.sigma_}
        assert parameters.kernel(np.log([2.0])).sigma == pytest.approx(2 * kernel.sigma_)

    def test_what_is_in_slots_is_not_learned_again(self, rows):
        kernel = ilk.kernel("rbf", distance="mahalanobis").fit(*rows)
        moved = KernelParameters(kernel).kernel(np.zeros(1)).fit(rows[0][:5], rows[1][:5])
        assert moved.gram(rows[0]) == pytest.approx(kernel.gram(rows[0]))

    def test_kernels_without_numbers(self, rows):
        assert KernelParameters(ilk.kernel("linear").fit(*rows)).size == 0


class TestTuning:
    @pytest.mark.parametrize("criterion", CRITERIA)
    def test_one_sigma(self, rows, criterion):
        """The best of a search in one dimension."""
        X, y = rows
        model = svm(criterion).fit(X, y)
        target = Target((y > 0).astype(int), criterion)
        found = minimize_scalar(
            lambda log: -target.value(gram(X, np.exp(log))), bounds=(-2, 3), method="bounded"
        )
        assert model.tuning_.curve[-1] == pytest.approx(-found.fun, rel=1e-5)
        assert model.kernel_.sigma_ == pytest.approx(np.exp(found.x), rel=0.02)
        assert model.tuning_.values == {"sigma": model.kernel_.sigma_}
        assert model.tuning_.criterion == criterion

    @pytest.mark.parametrize("criterion", CRITERIA)
    def test_a_sigma_for_each_feature(self, rows, criterion):
        X, y = rows
        model = svm(criterion, ilk.kernel("rbf", sigma=np.full(4, 2.0))).fit(X, y)
        curve = np.array(model.tuning_.curve)
        assert (np.diff(curve) >= 0).all()
        assert curve[-1] > curve[0]
        assert model.kernel_.sigma_[0] < 0.5 * model.kernel_.sigma_[1:].min()

    @pytest.mark.parametrize("criterion", CRITERIA)
    def test_a_kernel_without_gradients(self, rows, criterion):
        """Close to what one with gradients finds."""
        X, y = rows
        kernel = {"use": "substitution", "distance": "euclidean", "sigma": 9.0}
        model = svm(criterion, kernel).fit(X, y)
        best = svm(criterion, {"use": "rbf", "sigma": 9.0}).fit(X, y).tuning_.curve[-1]
        assert model.tuning_.curve[-1] == pytest.approx(best, rel=1e-3)
        assert model.kernel_.sigma == model.tuning_.values["sigma"]

    def test_many_classes_of_unequal_size(self, blobs):
        X, y, Q = blobs
        keep = np.r_[0:40, 40:60, 80:85]
        for criterion in CRITERIA:
            model = svm(criterion, {"use": "rbf", "sigma": 50.0}).fit(X[keep], y[keep])
            assert 0.1 < model.kernel_.sigma_ < 20
            assert model.predict(Q).shape == (30,)

    def test_machines_are_those_of_the_tuned_kernel(self, rows):
        X, y = rows
        model = svm("alignment").fit(X, y)
        plain = ilk.classifier("svm", kernel=ilk.kernel("rbf", sigma=model.kernel_.sigma_))
        assert model.decision_function(X) == pytest.approx(plain.fit(X, y).decision_function(X))
        assert plain.tuning_ is None

    def test_texts(self):
        texts = ["aaab", "aaba", "abaa", "baaa", "bbba", "bbab", "babb", "abbb"]
        kernel = {"use": "substitution", "distance": "levenshtein", "sigma": 30.0}
        model = svm("alignment", kernel).fit(texts, [0] * 4 + [1] * 4)
        assert model.kernel_.sigma < 10
        assert model.predict(["aaaa", "bbbb"]).tolist() == [0, 1]

    @pytest.mark.parametrize("unit", [1e-12, 1e12])
    def test_units_do_not_matter(self, rows, unit):
        X, y = rows
        one, other = svm("polarization").fit(X, y), svm("polarization").fit(X * unit, y)
        assert other.kernel_.sigma_ == pytest.approx(one.kernel_.sigma_ * unit, rel=1e-3)

    def test_single_precision(self, rows):
        X, y = rows
        one, other = svm("alignment").fit(X, y), svm("alignment").fit(X.astype(np.float32), y)
        assert other.kernel_.sigma_ == pytest.approx(one.kernel_.sigma_, rel=1e-2)

    def test_some_rows_of_many(self, rows, monkeypatch):
        """Each class is there, in proportion."""
        monkeypatch.setattr(tuning, "_ROWS", 35)
        X, y = rows
        assert svm("alignment").fit(X, y).tuning_.n_rows in {35, 36, 37}
        some = tuning._some(np.r_[np.zeros(200, int), 1, np.full(99, 2)])
        assert 200 in some
        assert np.sum(some < 200) == pytest.approx(2 * np.sum(some > 200), abs=3)
        assert tuning._some(np.zeros(35, int)).tolist() == list(range(35))

    def test_what_cannot_be_tuned(self, rows):
        with pytest.raises(ilk.ParameterError, match="'none' for the kernel linear: it has no num"):
            svm("alignment", "linear").fit(*rows)
        frozen = ilk.frozen(ilk.kernel("rbf").fit(*rows))
        with pytest.raises(ilk.ParameterError, match="kernel_tuning must be 'none' for a kernel"):
            svm("alignment", frozen).fit(*rows)
        with pytest.raises(ilk.ParameterError, match="kernel_tuning must be"):
            svm("aligment")

    def test_it_warns_when_it_has_not_converged(self, rows, monkeypatch):
        monkeypatch.setattr(tuning, "_ITERATIONS", 1)
        with pytest.warns(ConvergenceWarning, match="svm: kernel_tuning not converged after 1"):
            svm("alignment", ilk.kernel("rbf", sigma=np.full(4, 2.0))).fit(*rows)
