"""conformal_svm: two passes, the second finer near the border of the first."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC

import ilk
from cases import in_one_test
from ilk_learners.classifiers.conformal_svm import reach


def machine(**parameters):
    return ilk.classifier("conformal_svm", **parameters)


@pytest.fixture
def rings():
    """A ring around a blob, with noise, and queries."""
    rng = np.random.default_rng(4)
    X = rng.normal(size=(120, 2))
    y = np.where(np.hypot(*X.T) + 0.15 * rng.normal(size=120) > 1.1, "out", "in")
    return X, y, rng.normal(size=(40, 2))


def gaussian(X, Y, sigma):
    return np.exp(-((X[:, None] - Y) ** 2).sum(axis=2) / (2 * sigma**2))


def by_hand(X, y, Q, *, sigma, C, tau, normalize):
    """Both passes by scikit-learn on matrices written down from the equations."""
    K = gaussian(X, X, sigma)
    first = SVC(C=C, kernel="precomputed", tol=1e-9).fit(K, y)
    centers, a = X[first.support_], np.abs(first.dual_coef_[0])

    def c(Z):
        return gaussian(Z, centers, tau) @ a

    size = np.sqrt(np.mean(c(X) ** 2)) if normalize else 1.0
    left = c(X) / size
    second = SVC(C=C, kernel="precomputed", tol=1e-9).fit(left[:, None] * K * left, y)
    return second.decision_function((c(Q) / size)[:, None] * gaussian(Q, X, sigma) * left)


class TestTwoClasses:
    @pytest.mark.parametrize("normalize", [True, False])
    @pytest.mark.parametrize("C", [0.5, 20.0])
    def test_against_the_equations(self, rings, C, normalize):
        X, y, Q = rings
        model = machine(
            kernel={"use": "rbf", "sigma": 1.5}, C=C, tau=0.7, normalize=normalize, tol=1e-9
        ).fit(X, y)
        expected = by_hand(X, y, Q, sigma=1.5, C=C, tau=0.7, normalize=normalize)
        size = np.abs(expected).max()  # libsvm has kernel values in single precision
        assert model.decision_function(Q) / size == pytest.approx(expected / size, abs=1e-3)
        said = np.where(model.decision_function(Q) > 0, "out", "in")
        assert model.predict(Q).tolist() == said.tolist()

    def test_against_the_kernel_conformal(self, rings):
        """A plain machine with the kernel that the distances bring."""
        X, y, Q = rings
        base = {"use": "rbf", "sigma": 1.5}
        model = machine(kernel=base, tau=0.7, normalize=False, tol=1e-9).fit(X, y)
        kernel = ilk.kernel("conformal", kernel=base, tau=0.7, svm={"C": 10.0, "tol": 1e-9})
        plain = ilk.classifier("svm", kernel=kernel, C=10.0, tol=1e-9).fit(X, y)
        assert model.factors_[0](Q) == pytest.approx(plain.kernel_.factors(Q), rel=1e-5)
        assert model.decision_function(Q) == pytest.approx(plain.decision_function(Q), abs=1e-4)
        assert model.margin_ == pytest.approx(plain.margin_, rel=1e-4)

    def test_the_factor_is_larger_near_the_border(self, rings):
        X, y, _ = rings
        model = machine(tau=0.4).fit(X, y)
        angles = np.linspace(0, 2 * np.pi, 12)
        circle = 1.1 * np.column_stack([np.cos(angles), np.sin(angles)])
        assert model.factors_[0](circle).mean() > 2 * model.factors_[0](np.zeros((1, 2)))[0]
        assert np.mean(model.factors_[0](X) ** 2) == pytest.approx(1)

    def test_a_hard_margin_does_not_depend_on_the_size_of_the_factor(self):
        rng = np.random.default_rng(0)
        y = np.arange(40) % 2
        X = rng.normal(size=(40, 2)) + 4 * y[:, None]
        one, other = (
            machine(kernel={"use": "rbf", "sigma": 2.0}, C=np.inf, tau=2.0, normalize=n, tol=1e-8)
            for n in (True, False)
        )
        Q = 3 * rng.normal(size=(30, 2))
        values = one.fit(X, y).decision_function(Q)
        assert other.fit(X, y).decision_function(Q) == pytest.approx(values, abs=1e-3)

    def test_support(self, rings):
        X, y, Q = rings
        model = machine().fit(X, y)
        assert model.support_vectors_.tolist() == X[model.support_].tolist()
        assert model.dual_coef_.shape == (1, len(model.support_))
        assert model.dual_coef_.sum() == pytest.approx(0, abs=1e-8)
        c = model.factors_[0]
        K = c(Q)[:, None] * model.kernel_.gram(Q, model.support_vectors_)
        K = K * c(model.support_vectors_)
        expected = K @ model.dual_coef_[0] + model.intercept_[0]
        assert model.decision_function(Q) == pytest.approx(expected)


class TestTau:
    def test_worked(self):
        """Neighbours at 1 and 3; 1 and 2; 2 and 3: the mean square is 28 / 6."""
        distance = ilk.distance("euclidean").fit([[0.0]])
        rows = np.array([[0.0], [1.0], [3.0]])
        assert reach(None, distance, rows, 2) ** 2 == pytest.approx(28 / 6)
        assert reach(None, distance, rows, 9) ** 2 == pytest.approx(28 / 6)
        assert reach(None, distance, rows, 1) ** 2 == pytest.approx((1 + 1 + 4) / 3)

    def test_equal_support_vectors_are_one(self):
        distance = ilk.distance("euclidean").fit([[0.0]])
        assert reach(None, distance, np.array([[0.0], [0.0], [2.0]]), 1) == pytest.approx(2)

    def test_from_the_support_vectors(self, rings):
        X, y, _ = rings
        model = machine(n_neighbors=3).fit(X, y)
        S = X[model.first_support_[0]]
        D = np.sort(np.sqrt(((S[:, None] - S) ** 2).sum(axis=2)), axis=1)[:, 1:4]
        assert model.taus_ == pytest.approx([np.sqrt(np.mean(D**2))])

    @in_one_test
    @pytest.mark.parametrize("unit", [1e-150, 1e-12, 1e12, 1e140])
    def test_units_do_not_matter(self, rings, unit):
        X, y, Q = rings
        one, other = machine().fit(X, y), machine().fit(X * unit, y)
        assert other.taus_ == pytest.approx(one.taus_ * unit)
        assert one.decision_function(Q) == pytest.approx(
            other.decision_function(Q * unit), abs=1e-3
        )

    def test_support_vectors_that_are_all_equal(self):
        X, y = [[1.0], [1.0]], ["a", "b"]
        with pytest.raises(ilk.InputError, match="conformal_svm: the support vectors are all eq"):
            machine(kernel="linear").fit(X, y)
        assert machine(kernel="linear", tau=1.0).fit(X, y).predict([[5.0]]).shape == (1,)


class TestManyClasses:
    def test_each_machine_is_that_of_its_class(self, blobs):
        X, y, Q = blobs
        options = {"kernel": {"use": "rbf", "sigma": 2.0}, "C": 5.0, "tol": 1e-9}
        model = machine(**options).fit(X, y)
        values = model.decision_function(Q)
        assert values.shape == (30, 3)
        for column, label in zip(values.T, model.classes_, strict=True):
            alone = machine(**options).fit(X, y == label)
            assert column == pytest.approx(alone.decision_function(Q), abs=1e-4)
        assert model.predict(Q).tolist() == model.classes_[values.argmax(axis=1)].tolist()
        assert len(model.taus_) == len(model.factors_) == 3

    def test_a_class_of_one_row(self, blobs):
        X, y, _ = blobs
        keep = np.r_[0:81]
        assert set(machine().fit(X[keep], y[keep]).predict(X)) <= {-1, 2, 7}

    def test_order_of_rows_does_not_matter(self, blobs):
        X, y, Q = blobs
        order = np.random.default_rng(0).permutation(len(X))
        one = machine(tol=1e-8).fit(X, y).decision_function(Q)
        other = machine(tol=1e-8).fit(X[order], y[order]).decision_function(Q)
        assert one == pytest.approx(other, abs=1e-4)


class TestData:
    def test_texts(self):
        texts = ["aaab", "aaba", "abaa", "baaa", "bbba", "bbab", "babb", "abbb"]
        kernel = {"use": "rbf", "distance": "levenshtein", "sigma": 1.0}
        model = machine(kernel=kernel, distance="levenshtein").fit(texts, [0] * 4 + [1] * 4)
        assert model.predict(["aaaa", "bbbb"]).tolist() == [0, 1]

    def test_a_distance_that_does_not_take_what_the_kernel_takes(self):
        kernel = {"use": "rbf", "distance": "levenshtein", "sigma": 1.0}
        said = "conformal_svm: distance must take .*, got 'euclidean': euclidean: X: could not"
        with pytest.raises(ilk.InputError, match=said):
            machine(kernel=kernel).fit(["aaa", "bbb"], [0, 1])
        X = np.r_[[[1.0, 2.0], [2.0, 1.0], [3.0, 1.0]] * 4, [[0.0, 0.0]]]
        with pytest.raises(ilk.InputError, match=r"conformal_svm: distance must .*: row 12$"):
            machine(distance="cosine").fit(X, np.arange(13) % 2)

    def test_two_rows(self):
        model = machine(kernel="linear").fit([[0.0], [1.0]], ["a", "b"])
        assert model.predict([[0.1], [0.9]]).tolist() == ["a", "b"]

    def test_float32(self, rings):
        X, y, Q = rings
        one, other = machine().fit(X, y), machine().fit(X.astype(np.float32), y)
        assert one.decision_function(Q) == pytest.approx(other.decision_function(Q), abs=1e-2)

    def test_errors(self, rings):
        X, y, _ = rings
        with pytest.raises(ilk.InputError, match="conformal_svm: y has 1 class"):
            machine().fit(X, np.zeros(len(X)))
        with pytest.raises(ilk.InputError, match="conformal_svm: the Gram matrix of 120 rows"):
            machine(memory=0.01).fit(X, y)
        with pytest.raises(ilk.ParameterError, match="conformal_svm: tau must be"):
            machine(tau="neighbours")

    def test_it_warns_when_it_has_not_converged(self, rings):
        with pytest.warns(ConvergenceWarning, match="conformal_svm: a machine has not converged"):
            machine(max_iter=2).fit(*rings[:2])


def test_tolerance_at_which_there_are_no_support_vectors():
    X, y = np.arange(8.0)[:, None], np.repeat([0, 1], 4)
    assert ilk.classifier("conformal_svm", tol=2.0).fit(X, y).support_.size > 0
    with pytest.raises(ilk.ParameterError, match=r"conformal_svm: tol must be at most 2.*got 2\.5"):
        ilk.classifier("conformal_svm", tol=2.5).fit(X, y)


def test_support_vectors_that_coincide_take_the_reach_of_all_rows():
    svm, distance = ilk.classifier("conformal_svm"), ilk.distance("euclidean")
    centers, X = np.ones((4, 2)), np.array([[0.0, 0.0], [3.0, 4.0]])
    assert reach(svm, distance, centers, 2, X) == 5
    with pytest.raises(ilk.InputError, match="all equal"):
        reach(svm, distance, centers, 2, centers)
