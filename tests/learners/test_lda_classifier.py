"""The classifier called lda."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.covariance import ledoit_wolf
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

import ilk
from cases import in_one_test


def lda(**parameters):
    return ilk.classifier("lda", **parameters)


def by_refitting(model, X, y):
    """Probabilities of each row after a fit to the others."""
    classes = np.unique(y)
    P = np.zeros((len(X), len(classes)))
    for i in range(len(X)):
        rest = np.delete(np.arange(len(X)), i)
        model.fit(X[rest], y[rest])
        P[i, np.isin(classes, model.classes_)] = model.predict_proba(X[i : i + 1])[0]
    return P


def deviations(X, y):
    means = np.array([X[y == c].mean(axis=0) for c in np.unique(y)])
    return X - means[np.searchsorted(np.unique(y), y)], means


def test_worked():
    # Means 1 and 5, pooled variance 1 over 5 rows: 4/5; priors 2/5 and 3/5.
    X, y = [[0.0], [2.0], [4.0], [5.0], [6.0]], ["a", "a", "b", "b", "b"]
    model = lda().fit(X, y)
    assert model.means_.ravel().tolist() == [1, 5]
    assert model.priors_ == pytest.approx([0.4, 0.6])
    # delta_b - delta_a = (5 - 1) x / S - (25 - 1) / (2 S) + ln(3/2).
    expected = [4 * x / 0.8 - 12 / 0.8 + np.log(1.5) for x in (0.0, 3.0, 7.0)]
    assert model.decision_function([[0.0], [3.0], [7.0]]) == pytest.approx(expected)
    assert model.predict([[2.9], [3.0]]).tolist() == ["a", "b"]  # the larger prior counts
    assert lda(priors="equal").fit(X, y).predict([[2.99], [3.01]]).tolist() == ["a", "b"]


@pytest.mark.parametrize("priors", ["empirical", "equal", (0.7, 0.1, 0.2)], ids=str)
def test_agrees_with_scikit_learn(blobs, priors):
    X, y, Q = blobs
    X, y = X[:95], y[:95]  # classes of different size
    given = {"empirical": None, "equal": [1 / 3] * 3}.get(priors, priors)
    # Given other priors, scikit-learn weighs covariances by them; only then do we differ.
    model = lda(priors=list(priors) if isinstance(priors, tuple) else priors).fit(X, y)
    D, means = deviations(X, y)
    S = D.T @ D / len(X)
    expected = Q @ np.linalg.solve(S, means.T) - 0.5 * np.einsum(
        "ci,ic->c", means, np.linalg.solve(S, means.T)
    )
    expected += np.log(
        np.bincount(np.searchsorted([-1, 2, 7], y)) / len(y) if given is None else given
    )
    expected -= expected.mean(axis=1, keepdims=True)
    got = model.decision_function(Q)
    assert np.allclose(got - got.mean(axis=1, keepdims=True), expected)
    if given is None:
        theirs = LinearDiscriminantAnalysis(solver="lsqr").fit(X, y)
        assert np.allclose(model.predict_proba(Q), theirs.predict_proba(Q))
        svd = LinearDiscriminantAnalysis(solver="svd").fit(X, y)
        logs = np.log(svd.predict_proba(Q)) - np.log(model.priors_)
        ours = np.log(model.predict_proba(Q)) - np.log(model.priors_)
        ratio = (logs - logs[:, :1])[:, 1:] / (ours - ours[:, :1])[:, 1:]
        divisor = len(X) * ratio  # n, or n - 3 in earlier versions
        assert np.allclose(divisor, len(X)) or np.allclose(divisor, len(X) - 3)


@pytest.mark.parametrize("shrinkage", [0.0, 0.3, 1.0])
def test_shrinkage_agrees_with_scikit_learn(blobs, shrinkage):
    X, y, Q = blobs
    theirs = LinearDiscriminantAnalysis(solver="lsqr", shrinkage=shrinkage or None).fit(X, y)
    model = lda(shrinkage=shrinkage).fit(X, y)
    assert np.allclose(model.predict_proba(Q), theirs.predict_proba(Q))
    assert model.shrinkage_ == shrinkage


@pytest.mark.parametrize("n", [8, 60])
def test_ledoit_and_wolf(n):
    rng = np.random.default_rng(n)
    X, y = rng.normal(size=(n, 12)) * np.arange(1, 13), np.arange(n) % 2
    D, means = deviations(X, y)
    S, intensity = ledoit_wolf(D, assume_centered=True)
    model = lda(shrinkage="auto").fit(X, y)
    assert model.shrinkage_ == pytest.approx(intensity)
    difference = means[1] - means[0]
    expected = (X - means.mean(axis=0)) @ np.linalg.solve(S, difference)
    assert np.allclose(model.decision_function(X), expected)


class TestLeaveOneOut:
    @pytest.mark.parametrize(
        "parameters",
        [
            {},
            {"priors": "equal"},
            {"priors": [0.2, 0.3, 0.5]},
            {"shrinkage": 0.2},
            {"shrinkage": 1.0},
            {"shrinkage": "auto"},
        ],
        ids=str,
    )
    def test_is_refitting(self, blobs, parameters):
        X, y, _ = blobs
        X, y = X[:100] * [1, 1e-6, 1e6], y[:100]
        model = lda(**parameters)
        got = model.leave_one_out(X, y)
        assert np.allclose(got.probabilities, by_refitting(model, X, y), atol=1e-10)
        assert got.labels.tolist() == got.classes[got.probabilities.argmax(axis=1)].tolist()
        assert got.truth.tolist() == y.tolist()

    @given(
        seed=st.integers(0, 10**6),
        n=st.integers(9, 20),
        p=st.integers(1, 12),
        shrinkage=st.sampled_from([0.1, 0.9, "auto"]),
        priors=st.sampled_from(["empirical", "equal"]),
    )
    def test_is_refitting_for_few_rows(self, seed, n, p, shrinkage, priors):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(n, p)).round(1) + rng.integers(0, 3, n)[:, None]
        y = np.array(["b", "c", "d"])[rng.integers(0, 3, n)]
        y[:5] = "a", "b", "b", "c", "c"  # one class with a single row
        model = lda(shrinkage=shrinkage, priors=priors)
        got = model.leave_one_out(X, y)
        assert np.allclose(got.probabilities, by_refitting(model, X, y), atol=1e-8)

    def test_class_that_vanishes_has_no_probability(self, blobs):
        X, y, _ = blobs
        y = np.where(np.arange(len(y)) == 3, 99, y)
        got = lda().leave_one_out(X, y)
        assert got.classes.tolist() == [-1, 2, 7, 99]
        assert got.probabilities[3, 3] == 0
        assert got.probabilities.sum(axis=1) == pytest.approx(1)
        assert np.allclose(got.probabilities, by_refitting(lda(), X, y), atol=1e-10)

    def test_row_that_holds_a_direction_alone_is_fitted_again(self, blobs):
        X, y, _ = blobs
        X = np.column_stack([X, np.zeros(len(X))])
        X[5, 3] = 1.0  # without row 5 the last feature is constant
        with pytest.raises(ilk.InputError, match="singular .rank 3 of 4.*without row 5"):
            lda().leave_one_out(X, y)
        model = lda(singular="minimum_norm")
        got = model.leave_one_out(X, y)
        assert np.allclose(got.probabilities, by_refitting(model, X, y), atol=1e-9)

    def test_singular_covariance(self, blobs):
        X, y, _ = blobs
        X, y = np.column_stack([X, X[:, 0]])[::4], y[::4]
        with pytest.raises(ilk.InputError, match="lda: .*singular .rank 3 of 4"):
            lda().leave_one_out(X, y)
        model = lda(singular="minimum_norm")
        assert np.allclose(
            model.leave_one_out(X, y).probabilities, by_refitting(model, X, y), atol=1e-10
        )

    def test_one_class_left_is_an_error(self):
        X = [[0.0], [1.0], [3.0]]
        with pytest.raises(ilk.InputError, match="without row 2, the only case of class 'b', 1 cl"):
            lda().leave_one_out(X, ["a", "a", "b"])
        with pytest.raises(ilk.InputError, match="row 0, .* priors are given for all classes"):
            lda(priors=[0.2, 0.3, 0.5]).leave_one_out([*X, [4.0], [5.0]], ["c", "a", "a", "b", "b"])

    def test_leaves_the_component_as_it_was(self, blobs):
        model = lda(shrinkage=0.1)
        model.leave_one_out(*blobs[:2])
        assert vars(model) == vars(lda(shrinkage=0.1))


def test_units_do_not_matter(blobs):
    X, y, Q = blobs
    expected = lda().fit(X, y).predict_proba(Q)
    for units in ([1e-12, 1, 1e12], [1e-150, 1e-150, 1e-150], [1e150, 1e-100, 1e120]):
        assert np.allclose(lda().fit(X * units, y).predict_proba(Q * units), expected, atol=1e-9)
    M = np.array([[1e3, 1, 0], [0, 1e-3, 2], [5, 0, 1]])
    assert np.allclose(lda().fit(X @ M, y).predict_proba(Q @ M), expected, atol=1e-6)


def test_far_from_the_origin(blobs):
    X, y, Q = (np.round(a, 4) if a.dtype == float else a for a in blobs)
    expected = lda().fit(X, y).predict_proba(Q)
    far = lda().fit(X + 2.0**30, y).predict_proba(Q + 2.0**30)
    assert np.allclose(far, expected, atol=1e-5)


def test_weights_are_repetitions(blobs):
    X, y, Q = blobs
    w = np.random.default_rng(0).integers(0, 4, len(y))
    rows = np.repeat(np.arange(len(y)), w)
    for parameters in ({}, {"shrinkage": 0.2}, {"shrinkage": "auto"}, {"priors": "equal"}):
        repeated = lda(**parameters).fit(X[rows], y[rows])
        weighted = lda(**parameters).fit(X, y, sample_weight=w)
        assert np.allclose(weighted.decision_function(Q), repeated.decision_function(Q))
        assert np.allclose(weighted.means_, repeated.means_)
    half = lda().fit(X, y, sample_weight=w / 2)
    assert np.allclose(half.predict_proba(Q), lda().fit(X[rows], y[rows]).predict_proba(Q))


class TestSingular:
    def test_is_an_error_that_tells_what_to_do(self, blobs):
        X, y, _ = blobs
        X = np.column_stack([X, X @ [1, 2, 3]])
        with pytest.raises(
            ilk.InputError, match="lda: .*inside the classes is singular .rank 3 of 4.; set shrink"
        ):
            lda().fit(X, y)
        assert lda(shrinkage=0.01).fit(X, y).predict(X).shape == y.shape

    def test_minimum_norm_leaves_copies_out(self, blobs):
        X, y, Q = blobs
        expected = lda().fit(X, y).predict_proba(Q)
        model = lda(singular="minimum_norm").fit(np.hstack([X, X[:, :2] * 1e5]), y)
        assert model.rank_ == 3
        assert np.allclose(model.predict_proba(np.hstack([Q, Q[:, :2] * 1e5])), expected)

    def test_minimum_norm_is_the_pseudo_inverse(self):
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(9, 20)), np.arange(9) % 3
        D, means = deviations(X, y)
        scale = np.sqrt((D**2).mean(axis=0))
        S = (D / scale).T @ (D / scale) / len(X)
        M = (means - means.mean(axis=0)) / scale
        A = np.linalg.pinv(S, rcond=1e-10)
        expected = (X - means.mean(axis=0)) / scale @ A @ M.T - np.einsum(
            "ci,ij,cj->c", M, A, M
        ) / 2
        got = lda(singular="minimum_norm").fit(X, y).decision_function(X)
        assert np.allclose(got, expected + np.log(1 / 3))

    def test_feature_constant_inside_classes_is_not_hidden_by_rounding(self):
        rng = np.random.default_rng(0)
        y = np.arange(40) % 4
        X = np.column_stack([rng.normal(size=40), np.array([0.1, 0.7, 1 / 3, 123.4])[y]])
        for offset in (0, 1e6):
            with pytest.raises(ilk.InputError, match="rank 1 of 2"):
                lda().fit(X + offset, y)

    def test_no_deviation_at_all(self):
        with pytest.raises(ilk.InputError, match="singular .rank 0 of 1.$"):
            lda(singular="minimum_norm").fit([[0.0], [0.0], [1.0]], [0, 0, 1])


class TestPriors:
    def test_must_be_probabilities(self):
        for priors, said in (
            ([0.5, 0.6], "must have the sum 1"),
            ([1.5, -0.5], "one number above 0"),
            ([[0.5, 0.5]], "one number above 0"),
            ("even", "must be 'empirical' or 'equal' or an array"),
        ):
            with pytest.raises(ilk.ParameterError, match=f"lda: priors .*{said}"):
                lda(priors=priors).fit([[0.0], [1.0], [3.0]], [0, 0, 1])

    def test_must_be_one_for_each_class(self, blobs):
        with pytest.raises(ilk.InputError, match="lda: priors has 2 numbers, y has 3 classes"):
            lda(priors=[0.5, 0.5]).fit(*blobs[:2])


def test_labels_of_any_kind(blobs):
    X, y, Q = blobs
    expected = lda().fit(X, y).predict(Q)
    names = np.vectorize({-1: "z", 2: "a", 7: "m"}.get)
    assert np.array_equal(lda().fit(X, names(y)).predict(Q), names(expected))
    two = y != 7
    flags = lda().fit(X[two], y[two] > 0).predict(Q)
    assert flags.dtype == bool
    assert np.array_equal(flags, lda().fit(X[two], y[two]).predict(Q) > 0)


def test_one_class_is_an_error():
    with pytest.raises(ilk.InputError, match="lda: y has 1 class"):
        lda().fit([[0.0], [1.0]], ["a", "a"])


def test_query_too_far_away_is_an_error(blobs):
    X, y, _ = blobs
    with pytest.raises(ilk.InputError, match="lda: decision_function.X. has .* at row 1"):
        lda().fit(X * 1e-10, y).predict([[0.0, 0, 0], [1e308, 1e308, 0]])


@pytest.mark.parametrize("name", ["lda", "qda"])
def test_features_too_unequal_for_an_inverse(blobs, name):
    X, y, *_ = blobs
    X = X * np.r_[1e12, 1e-300, np.ones(X.shape[1] - 2)]
    with pytest.raises(ilk.InputError, match=f"{name}: features vary so unequally"):
        ilk.classifier(name).fit(X, y)


@in_one_test
@pytest.mark.parametrize("name", ["lda", "qda", "naive_bayes", "decision_tree"])
def test_weights_with_an_infinite_sum(blobs, name):
    X, y, *_ = blobs
    with pytest.raises(ilk.InputError, match=f"{name}: sample_weight has a sum that is infinite"):
        ilk.classifier(name).fit(X, y, sample_weight=np.full(len(X), 1.7e308))


@pytest.mark.parametrize("origin", [0.0, 0.3, 3.0, 1e3, 1e9])
def test_digits_at_any_distance_from_the_origin(origin):
    """Beside exact fractions: an error of a few units in the last place of the largest term."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 60)
    X = rng.normal(size=(60, 4)) + y[:, None] + origin
    model = lda().fit(X, y)
    relative = [
        [Fraction(x) - Fraction(o) for x, o in zip(row, model._origin, strict=True)] for row in X
    ]
    weights = [[Fraction(v) for v in row] for row in model._coefficients.T]
    unit = Fraction(2) ** model._exponent
    exact = np.array(
        [
            [
                float(sum(a * b for a, b in zip(row, w, strict=True)) / unit + Fraction(i))
                for w, i in zip(weights, model._intercepts, strict=True)
            ]
            for row in relative
        ]
    )
    assert (model._shifted is None) == (origin > 100)
    assert model.decision_function(X) == pytest.approx(exact, abs=2e-14 * np.abs(exact).max())


@pytest.mark.parametrize("far", [1e3, 1e5, 1e9, 1e12])
def test_near_classes_are_told_apart_however_far_another_is(far):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(90, 2)), np.repeat([0, 1, 2], 30)
    X[y == 2, 0] += 2
    X[y == 0, 1] += far
    model = ilk.classifier("lda").fit(X, y)
    np.testing.assert_array_equal(model.predict(X) == 0, y == 0)
    # the exact log ratio of the near two depends on their covariance and means only
    within = X - model.means_[y]
    inverse = np.linalg.inv(within.T @ within / len(X))
    near = X[y > 0]
    a, b = ((near - mean) @ inverse * (near - mean) for mean in model.means_[1:])
    P = model.predict_proba(near)[:, 1:]
    ratio = np.log(P[:, 0] / P[:, 1])
    np.testing.assert_allclose(ratio, (b - a).sum(axis=1) / 2, rtol=1e-3, atol=2e-3)
