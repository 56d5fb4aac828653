"""knn, of numbers."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsRegressor

import ilk
from cases import in_one_test

KERNELS = {
    "shepard": lambda d, h: np.exp(-d / h),
    "gaussian": lambda d, h: np.exp(-((d / h) ** 2) / 2),
    "epanechnikov": lambda d, h: np.maximum(0.75 * (1 - (d / h) ** 2), 0),
}


def knn(**parameters):
    return ilk.regressor("knn", **parameters)


@pytest.fixture
def surface():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3))
    return X, np.sin(X[:, 0]) + X[:, 1], rng.normal(size=(30, 3))


class TestMeans:
    X = [[0.0], [1.0], [4.0], [9.0]]
    y = [0, 3, 12, 27]

    def test_by_hand(self):
        assert knn(k=2).fit(self.X, self.y).predict([[0.4], [3.0]]).tolist() == [1.5, 7.5]
        # From 3: 4 at 1, 1 at 2.
        model = knn(k=2, vote="inverse_distance", power=2).fit(self.X, self.y)
        assert model.predict([[3.0]]) == pytest.approx((12 + 3 / 4) / (1 + 1 / 4))
        # The next one, 0, at 3 gives the width.
        model = knn(k=2, vote="epanechnikov").fit(self.X, self.y)
        assert model.predict([[3.0]]) == pytest.approx((12 * 8 / 9 + 3 * 5 / 9) / (13 / 9))

    def test_a_row_at_distance_zero(self):
        X, y = [[0.0], [0.0], [1.0]], [1.0, 2.0, 6.0]
        assert knn(k=3).fit(X, y).predict([[0.0]]) == [3.0]
        assert knn(k=3, zero_distance="decides").fit(X, y).predict([[0.0]]) == [1.5]
        assert knn(k=3, vote="inverse_distance").fit(X, y).predict([[0.0]]) == [1.5]

    @in_one_test
    @pytest.mark.parametrize("vote", ["majority", "inverse_distance", *KERNELS])
    @pytest.mark.parametrize("value", [0.1, -1e308, 3.3e-300, 0.0])
    def test_equal_targets_are_answered_exactly(self, surface, vote, value):
        X, _, Q = surface
        got = knn(k=7, vote=vote).fit(X, np.full(len(X), value)).predict(Q)
        assert (got == value).all()

    def test_targets_whose_differences_overflow(self):
        model = knn(k=2).fit([[0.0], [1.0], [2.0]], [1.7e308, -1.7e308, 1.7e308])
        assert model.predict([[0.4], [1.6]]).tolist() == [0, 0]
        assert knn(k=1).fit([[0.0], [1.0]], [1.7e308, -1.7e308]).predict([[0]]) == [1.7e308]


@pytest.mark.parametrize("k", [1, 5])
class TestAgreesWithSklearn:
    @pytest.mark.parametrize(
        ("vote", "weights"), [("majority", "uniform"), ("inverse_distance", "distance")]
    )
    def test_weights_by_name(self, surface, vote, weights, k):
        X, y, Q = surface
        theirs = KNeighborsRegressor(k, weights=weights).fit(X, y)
        assert np.allclose(knn(k=k, vote=vote).fit(X, y).predict(Q), theirs.predict(Q))

    @pytest.mark.parametrize("vote", KERNELS)
    def test_kernels(self, surface, vote, k):
        X, y, Q = surface
        theirs = KNeighborsRegressor(k, weights=lambda d: KERNELS[vote](d, 4.0)).fit(X, y)
        assert np.allclose(knn(k=k, vote=vote, width=4).fit(X, y).predict(Q), theirs.predict(Q))


def test_kernels_over_all_rows_are_nadaraya_watson(surface):
    X, y, Q = surface
    for width in (0.3, 2.0):
        K = np.exp(-((X[None] - Q[:, None]) ** 2).sum(axis=2) / (2 * width**2))
        got = knn(k=len(X), vote="gaussian", width=width).fit(X, y).predict(Q)
        assert np.allclose(got, K @ y / K.sum(axis=1), rtol=1e-9)


@given(st.integers(0, 2**31), st.sampled_from(["majority", "inverse_distance", *KERNELS]))
def test_what_does_not_matter(seed, vote):
    rng = np.random.default_rng(seed)
    X, Q, y = rng.normal(size=(30, 2)), rng.normal(size=(15, 2)), rng.normal(size=30)
    got = knn(k=4, vote=vote).fit(X, y).predict(Q)
    order = rng.permutation(30)
    assert np.allclose(knn(k=4, vote=vote).fit(X[order], y[order]).predict(Q), got, rtol=1e-12)
    scaled = knn(k=4, vote=vote).fit(X * 2.0**40, y * 2.0**30).predict(Q * 2.0**40)
    assert np.array_equal(scaled, got * 2.0**30)
    moved = knn(k=4, vote=vote).fit(X, y + 5).predict(Q)
    assert np.allclose(moved, got + 5, rtol=1e-12)
    assert ((got >= y.min()) & (got <= y.max())).all()


@given(
    st.integers(0, 2**31),
    st.integers(1, 6),
    st.sampled_from(["majority", "inverse_distance", *KERNELS]),
    st.sampled_from([0.8, "next_neighbor", "last_neighbor"]),
)
def test_leave_one_out_equals_refitting(seed, k, vote, width):
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 4, size=(11, 2)).astype(float), rng.normal(size=11)
    model = knn(k=k, vote=vote, width=width)
    expected = []
    for i in range(11):
        rest = np.delete(np.arange(11), i)
        expected.append(clone(model).fit(X[rest], y[rest]).predict(X[[i]])[0])
    assert model.leave_one_out(X, y).tolist() == expected


class TestInputs:
    def test_texts_and_tables(self):
        model = knn(k=1, distance="levenshtein").fit(["abc", "xyz"], [1.5, 2.5])
        assert model.predict(["abd", "xyy"]).tolist() == [1.5, 2.5]
        X = pd.DataFrame({"size": [1.0, 2.0, 9.0], "color": ["red", "red", "blue"]})
        model = knn(k=2, distance="heterogeneous").fit(X, [1.0, 2.0, 30.0])
        assert model.predict(X.iloc[[0]]).tolist() == [1.5]
        assert model.explain(X.iloc[2]).labels.tolist() == [30.0, 2.0]

    def test_metric_learner_of_numbers(self, surface):
        X, y, Q = surface
        model = knn(metric_learner="mlkr").fit(X, y)
        Z = model.metric_learner_.transform(X)
        by_hand = knn().fit(Z, y).predict(model.metric_learner_.transform(Q))
        assert np.allclose(model.predict(Q), by_hand)

    def test_targets_of_any_type(self, surface):
        X, y, Q = surface
        whole = np.round(y * 10)
        expected = knn().fit(X, whole).predict(Q)
        for given_ in (whole.astype(int), whole.tolist(), pd.Series(whole), whole.astype("f4")):
            got = knn().fit(X, given_).predict(Q)
            assert got.dtype == np.float64
            assert np.array_equal(got, expected)

    @in_one_test
    @pytest.mark.parametrize(
        ("y", "message"),
        [
            (["a", "b"], "knn: y: could not convert string"),
            ([1.0, np.inf], "knn: y has inf at row 1"),
            ([1.0], "knn: y has 1 values for the 2 rows"),
            (None, "knn: .*target y is None"),
            ([[1.0, 2.0], [3.0, 4.0]], "knn: y: "),
        ],
    )
    def test_targets_refused(self, y, message):
        with pytest.raises(ilk.InputError, match=message):
            knn(k=1).fit([[0.0], [1.0]], y)

    def test_too_few_rows(self):
        with pytest.raises(ilk.InputError, match="knn: k must be at most 1, .*n_samples = 1"):
            knn().fit([[0.0]], [1.0])


class TestExplain:
    def test_adds_up(self, surface):
        X, y, Q = surface
        model = knn(k=6, vote="gaussian").fit(X, y)
        for q, prediction in zip(Q, model.predict(Q), strict=True):
            why = model.explain(q)
            assert why.prediction == prediction
            assert np.array_equal(why.labels, y[why.indices])
            assert why.votes @ why.labels / why.votes.sum() == pytest.approx(prediction)
            assert why.shares == {}

    def test_reads_as_a_table(self):
        text = str(knn(k=2).fit([[0.0], [3.0], [9.0]], [1, 2, 4]).explain([1.0]))
        assert text.splitlines() == [
            "prediction 1.5",
            "     row    distance    vote  target",
            "       0           1       1  1.0",
            "       1           2       1  2.0",
        ]


def test_in_scikit_learns_tools(surface):
    X, y, _ = surface
    assert cross_val_score(knn(vote="gaussian"), X, y).mean() > 0.5


def test_spec_round_trip():
    spec = {"use": "knn", "k": 3, "vote": "gaussian", "width": 2.0}
    assert ilk.to_spec(ilk.build(spec, kind="regressor")) == spec


@in_one_test
@pytest.mark.parametrize("vote", ["inverse_distance", "shepard", "gaussian", "epanechnikov"])
def test_rows_infinitely_far_away_have_no_vote(vote):
    X = np.array([[1.0], [2.0], [3.0], [-1.7e308], [-1.7e308]])
    model = ilk.regressor("knn", k=4, vote=vote).fit(X, [1.0, 1.0, 1.0, 5.0, 5.0])
    assert model.predict([[1.7e308]]).tolist() == [1.0]


def test_complex_targets_are_refused():
    with pytest.raises(ilk.InputError, match="knn: y must be real numbers, got complex ones"):
        ilk.regressor("knn", k=1).fit([[0.0], [1.0]], [1 + 2j, 3 + 0j])


def test_sample_weights_multiply_the_weights_of_the_k_nearest():
    X, y = [[0.0], [1.0], [2.0], [9.0]], [0.0, 10.0, 20.0, 5.0]
    model = ilk.regressor("knn", k=2).fit(X, y, sample_weight=[3, 1, 0, 7])
    assert model.predict([[0.5], [0.9]]).tolist() == [2.5, 2.5]
    assert model.predict([[6.0]]).tolist() == [(10 + 7 * 5) / 8]  # the third row is absent
    assert model.nearest_cases([[6.0]])[1].tolist() == [[3, 1]]
    assert model.explain([6.0]).indices.tolist() == [3, 1]
