"""The classifier `crab`."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ilk
from cases import in_one_test


def crab(X, y, weights=None, **parameters):
    return ilk.classifier("crab", **parameters).fit(X, y, sample_weight=weights)


@pytest.fixture(scope="module")
def iris():
    return ilk.dataset("iris").load().Xy


@pytest.fixture(scope="module")
def rings():
    """Two classes that no single threshold parts."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(300, 3))
    return X, np.where((X[:, :2] ** 2).sum(axis=1) + rng.normal(size=300) / 3 > 1.4, "far", "near")


def oracle(X, positive, n_bins, n_rounds, normalization, epsilon, weights=None):
    """Algorithm 11 as it is printed, with loops; yields F, feature, cost and confidences."""
    n, p = X.shape
    low, high = X.min(axis=0), X.max(axis=0)
    width = np.where(high > low, high - low, 1.0)
    bins = np.minimum(((X - low) / width * n_bins).astype(int), n_bins - 1)
    d = np.ones(n) if weights is None else np.array(weights, dtype=float)
    y = np.where(positive, 1, -1)
    F = np.zeros(n)
    for _ in range(n_rounds):
        d /= d.sum()
        D = (1, 1) if normalization == "joint" else (d[y > 0].sum(), d[y < 0].sum())
        best = None
        for f in range(p):
            plus, minus = np.zeros(n_bins), np.zeros(n_bins)
            for i in range(n):
                if y[i] > 0:
                    plus[bins[i, f]] += d[i] / D[0]
                else:
                    minus[bins[i, f]] += d[i] / D[1]
            cost = 2 * np.sqrt(plus * minus).sum()
            if best is None or cost < best[0] - 1e-12:
                best = cost, f, np.log((plus + epsilon) / (minus + epsilon)) / 2
        cost, f, confidence = best
        F += confidence[bins[:, f]]
        d *= np.exp(-y * confidence[bins[:, f]])
        yield F.copy(), f, cost, confidence


@pytest.mark.parametrize("normalization", ["joint", "class"])
def test_each_round_is_that_of_the_printed_algorithm(rings, normalization):
    X, y = rings
    weights = np.arange(1.0, len(X) + 1)
    ours = crab(X, y, weights, n_bins=7, n_rounds=12, normalization=normalization, epsilon=0.004)
    slow = oracle(X, y == "near", 7, 12, normalization, 0.004, weights)
    for t, ((F, f, cost, confidence), staged) in enumerate(
        zip(slow, ours.staged_decision_function(X), strict=True)
    ):
        assert ours.features_[t, 0] == f
        np.testing.assert_allclose(ours.costs_[t, 0], cost, rtol=1e-9)
        np.testing.assert_allclose(ours.confidences_[t, 0], confidence, atol=1e-9)
        np.testing.assert_allclose(staged, F, atol=1e-9)


@pytest.mark.parametrize("normalization", ["joint", "class"])
def test_more_classes_are_each_against_the_rest(iris, normalization):
    X, y = iris
    parameters = {"n_bins": 9, "n_rounds": 8, "normalization": normalization, "epsilon": 0.01}
    ours = crab(X, y, **parameters)
    for c, label in enumerate(ours.classes_):
        *_, (F, *_) = oracle(X, y == label, 9, 8, normalization, 0.01)
        np.testing.assert_allclose(ours.decision_function(X)[:, c], F, atol=1e-9)
    best = ours.decision_function(X).argmax(axis=1)
    np.testing.assert_array_equal(ours.predict(X), ours.classes_[best])


def test_worked_example():
    """Six cases, three bins, by hand: h+ = (2/6, 1/6, 0), h- = (0, 1/6, 2/6)."""
    X = np.array([[0.0], [0.9], [1.5], [1.6], [2.5], [3.0]])
    y = np.array([1, 1, 1, 0, 0, 0])
    ours = crab(X, y, n_bins=3, n_rounds=1, epsilon=1 / 6)
    np.testing.assert_allclose(ours.costs_, [[2 / 6]])
    np.testing.assert_allclose(ours.confidences_, [[[np.log(3) / 2, 0, -np.log(3) / 2]]])
    np.testing.assert_allclose(ours.error_bounds_, [4 / 6 / np.sqrt(3) + 2 / 6])
    np.testing.assert_allclose(ours.predict_proba([[0.1]]), [[1 / 4, 3 / 4]])
    assert ours.predict([[0.0], [1.5], [3.0]]).tolist() == [1, 0, 0]  # a tie: the first class


def test_cost_bounds_the_training_error_where_weights_are_joint(rings):
    """For epsilon near 0 the cost is Z, and its product over the rounds bounds the error."""
    X, y = rings
    ours = crab(X, y, n_bins=6, n_rounds=40, epsilon=1e-12)
    products = ours.costs_[:, 0].cumprod()
    errors = np.array([np.mean(labels != y) for labels in ours.staged_predict(X)])
    assert (errors <= products + 1e-9).all()
    np.testing.assert_allclose(ours.error_bounds_, products, rtol=1e-3)
    assert errors[-1] < 0.15
    assert products[-1] < 0.7


def test_cost_of_each_class_by_itself_bounds_nothing():
    """Where one class is rare its normalised cost falls below the error that is made."""
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(400, 1)), np.r_[np.zeros(380, int), np.ones(20, int)]
    X[y == 1] += 2
    ours = crab(X, y, n_bins=8, n_rounds=1, normalization="class")
    halves = ours.costs_[0, 0] / 2
    assert np.mean(ours.predict(X) != y) > 1.5 * np.mean(crab(X, y, n_bins=8).predict(X) != y)
    assert 0 < halves < 1


@given(
    seed=st.integers(0, 2**31),
    n_classes=st.integers(2, 4),
    n_bins=st.sampled_from([2, 5, 300]),
    normalization=st.sampled_from(["joint", "class"]),
    epsilon=st.sampled_from([1e-9, 1e-2, 1.0]),
)
def test_invariants(seed, n_classes, n_bins, normalization, epsilon):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(n_classes, 60))
    X = rng.normal(size=(n, 3)).round(1)
    y = np.r_[np.arange(n_classes), rng.integers(0, n_classes, n - n_classes)]
    weights = rng.integers(1, 4, n).astype(float)
    ours = crab(
        X, y, weights, n_rounds=15, n_bins=n_bins, normalization=normalization, epsilon=epsilon
    )
    share = weights / weights.sum()
    staged = list(ours.staged_decision_function(X))
    for F, labels, bound, P in zip(
        staged,
        ours.staged_predict(X),
        ours.error_bounds_,
        ours.staged_predict_proba(X),
        strict=True,
    ):
        signs = np.where(y[:, None] == np.arange(n_classes), 1, -1)[:, -F.reshape(n, -1).shape[1] :]
        np.testing.assert_allclose(bound, share @ np.exp(-signs * F.reshape(n, -1)).sum(axis=1))
        assert share @ (labels != y) <= bound * (1 + 1e-9)
        np.testing.assert_array_equal(ours.classes_[P.argmax(axis=1)], labels)
    np.testing.assert_array_equal(staged[-1], ours.decision_function(X))
    np.testing.assert_array_equal(ours.predict_proba(X), P)
    np.testing.assert_allclose(P.sum(axis=1), 1)
    assert (ours.costs_ <= (1 if normalization == "joint" else 2) * (1 + 1e-12)).all()
    if normalization == "joint":
        assert (np.diff(ours.error_bounds_) <= 1e-12).all()
    mixed = rng.permutation(n)
    again = crab(X[mixed], y[mixed], weights[mixed], **ours.get_params())
    if np.array_equal(again.features_, ours.features_):  # rounding may settle ties otherwise
        np.testing.assert_allclose(again.decision_function(X), staged[-1], atol=1e-6)


def test_weight_two_is_a_case_twice_and_zero_is_none(iris):
    X, y = iris
    times = np.random.default_rng(0).integers(0, 3, len(X))
    X = np.c_[X, np.where(times == 0, 1e6, X[:, 0])]  # the range of bins is of cases that count
    repeated = np.repeat(np.arange(len(X)), times)
    weighted = crab(X, y, times.astype(float), n_rounds=20)
    twice = crab(X[repeated], y[repeated], n_rounds=20)
    np.testing.assert_array_equal(weighted.features_, twice.features_)
    np.testing.assert_allclose(weighted.confidences_, twice.confidences_, atol=1e-9)
    np.testing.assert_array_equal(weighted.bins_.high, twice.bins_.high)


@in_one_test
@pytest.mark.parametrize("scale", [1e-300, 1e-12, 1e12, 1e300])
def test_scale_of_weights_does_not_matter(rings, scale):
    X, y = rings
    weights = np.linspace(1, 2, len(X))
    np.testing.assert_allclose(
        crab(X, y, scale * weights, n_rounds=20).decision_function(X),
        crab(X, y, weights, n_rounds=20).decision_function(X),
        rtol=1e-6,
    )


@in_one_test
@pytest.mark.parametrize("scale", [1e-320, 1e-12, 2.0**40, 1e12, 1e308])
def test_scale_of_features_does_not_matter(iris, scale):
    X, y = iris
    X = (X - X.min(axis=0)) / np.ptp(X, axis=0)
    X = np.floor(16 * X) / 16 + 1 / 32  # in the middle of a bin, whatever rounding does
    X[[0, 60], :] = [[0.0], [1.0]]
    one = crab(X, y, n_rounds=10)
    other = crab((X - 0.5) * scale * 1.5, y, n_rounds=10)
    np.testing.assert_array_equal(other.features_, one.features_)
    np.testing.assert_allclose(other.confidences_, one.confidences_, atol=1e-9)
    np.testing.assert_array_equal(other.predict((X - 0.5) * scale * 1.5), one.predict(X))


def test_query_outside_the_range_falls_into_the_end_bin(rings):
    X, y = rings
    ours = crab(X, y)
    ends = X.min(axis=0), X.max(axis=0)
    for end, far in zip(ends, (-1e308, 1e308), strict=True):
        np.testing.assert_array_equal(
            ours.decision_function([end]), ours.decision_function([np.full(3, far)])
        )


def test_bin_without_cases_says_nothing():
    ours = crab([[0.0], [1.0], [9.0], [10.0]], [0, 0, 1, 1], n_bins=10, n_rounds=3)
    assert ours.decision_function([[5.0]]) == 0
    assert ours.predict_proba([[5.0]]).tolist() == [[0.5, 0.5]]
    assert ours.predict([[5.0]]) == 0


def test_constant_features_say_what_is_more_frequent():
    X, y = np.ones((5, 2)), ["a", "b", "b", "b", "a"]
    ours = crab(X, y)
    assert ours.predict([[1, 1], [-7, 7]]).tolist() == ["b", "b"]
    assert ours.n_rounds_ < 5
    assert not ours.feature_importances_[1]
    assert crab(X, y, normalization="class").n_rounds_ == 1
    np.testing.assert_allclose(ours.predict_proba(X), [[0.4, 0.6]] * 5, atol=0.01)
    np.testing.assert_allclose(
        crab(X, y, normalization="class").predict_proba(X), np.full((5, 2), 0.5)
    )


def test_constant_feature_beside_another_is_never_taken_after_the_first_round(rings):
    X, y = rings
    ours = crab(np.c_[np.ones(len(X)), X], y)
    assert not (ours.features_[1:] == 0).any()
    np.testing.assert_array_equal(crab(X, y).features_, ours.features_ - 1)


def test_duplicate_features_tie_to_the_first(rings):
    X, y = rings
    assert crab(np.c_[X, X], y).features_.max() < 3


def test_feature_importances_rank_what_matters():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(500, 6))
    ours = crab(X, X[:, 4] + 0.5 * X[:, 1] > 0)
    assert np.argsort(ours.feature_importances_)[::-1][:2].tolist() == [4, 1]
    np.testing.assert_allclose(ours.feature_importances_.sum(), 1)
    total = -np.log(ours.error_bounds_[-1])
    assert total > 0


def test_figure_of_the_thesis_needs_few_rounds():
    """Blocks in two dimensions: the first rounds part most of them."""
    rng = np.random.default_rng(0)
    corners = np.array([[0, 0], [2, 0], [0, 2], [3, 3]])
    X = np.vstack([corner + rng.random((100, 2)) for corner in corners])
    y = np.repeat(["A", "A", "B", "B"], 100)
    errors = [np.mean(labels != y) for labels in crab(X, y, n_rounds=5).staged_predict(X)]
    assert errors[0] <= 0.25
    assert errors[4] <= 0.01


@pytest.mark.parametrize("n_classes", [2, 6])
def test_threads_change_nothing(n_classes):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(3000, 40)), rng.integers(0, n_classes, 3000)
    with ilk.threads(1):
        one = crab(X, y, n_rounds=10)
        scores = one.decision_function(X)
    with ilk.threads(3):
        three = crab(X, y, n_rounds=10)
        np.testing.assert_array_equal(three.decision_function(X), scores)
    np.testing.assert_array_equal(one.confidences_, three.confidences_)
    np.testing.assert_array_equal(one.costs_, three.costs_)


@in_one_test
@pytest.mark.parametrize("labels", [["no", "yes"], [-1, 1], [False, True], [7, 3]], ids=str)
def test_labels_of_every_type(rings, labels):
    X, y = rings
    named = np.array(labels)[(y == "near").astype(int)]
    ours = crab(X, named)
    assert ours.classes_.tolist() == sorted(labels)
    assert ours.predict(X).dtype == named.dtype
    assert ours.score(X, named) > 0.9


def test_probabilities_agree_with_labels_where_they_saturate(iris):
    X, y = iris
    ours = crab(X, y, n_rounds=400, epsilon=1e-9)
    assert ours.decision_function(X).max() > 500
    P = ours.predict_proba(X)
    np.testing.assert_array_equal(ours.classes_[P.argmax(axis=1)], ours.predict(X))
    np.testing.assert_allclose(P.sum(axis=1), 1)


def test_float32_read_only_and_strided(rings):
    X, y = rings
    small = X.astype(np.float32)
    wide = np.asfortranarray(small.astype(float))
    wide.flags.writeable = False
    strided = np.repeat(small, 2, axis=1)[:, ::2]
    expected = crab(small, y).decision_function(small)
    for other in (wide, strided):
        np.testing.assert_array_equal(crab(other, y).decision_function(other), expected)


def test_class_of_one_case_and_two_cases_in_all(iris):
    assert crab([[0.0], [1.0]], ["a", "b"]).predict([[0.0], [1.0]]).tolist() == ["a", "b"]
    X, y = iris
    y = np.where(np.arange(len(y)) == 77, "lone", y)
    assert "lone" in crab(X, y, normalization="class").classes_


def test_progress(rings, capsys):
    crab(*rings, n_rounds=20, verbose=1)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 10
    assert lines[-1].startswith("crab: 20 of 20 rounds, ")
    assert "training error at most 0." in lines[-1]


@in_one_test
@pytest.mark.parametrize(
    ("X", "y", "weights", "message"),
    [
        ([[0.0], [np.nan]], [0, 1], None, "X has NaN at row 1, column 0"),
        ([[0.0], [1.0]], ["a", "a"], None, "y has 1 class"),
        ([[0.0], [1.0]], [0, 1], [1, -1], "sample_weight must be finite and at least 0"),
        ([[0.0], [1.0]], [0, 1], [1, np.nan], "sample_weight must be finite and at least 0"),
        ([[0.0], [1.0]], [0, 1], [0, 0], "sample_weight must not be all 0"),
        ([[0.0], [1.0]], [0, 1], [0, 1], "sample_weight is zero for every case of class 0"),
        ([[0.0], [1.0]], [0, 1, 1], None, "y has 3 values"),
    ],
)
def test_bad_data_is_named(X, y, weights, message):
    with pytest.raises(ilk.InputError, match=f"crab: {message}"):
        crab(X, y, weights)


@in_one_test
@pytest.mark.parametrize(
    "parameters", [{"n_bins": 1}, {"n_bins": 2**17}, {"n_rounds": 0}, {"epsilon": 0.0}], ids=str
)
def test_bad_parameters_are_named(parameters):
    with pytest.raises(ilk.ParameterError, match=f"crab: {next(iter(parameters))} must"):
        crab([[0.0], [1.0]], [0, 1], **parameters)


def test_scores_as_blocks_do(rings):
    """Rows are scored in blocks; what a row gets does not depend on the others."""
    X, y = rings
    ours = crab(X, y)
    many = np.tile(X, (700, 1))
    np.testing.assert_array_equal(
        ours.decision_function(many), np.tile(ours.decision_function(X), 700)
    )
