"""knn."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.neighbors import KNeighborsClassifier, NearestNeighbors

import ilk
from cases import in_one_test


def knn(**parameters):
    return ilk.classifier("knn", **parameters)


def oracle(X, y, q, k, *, power=None, zero_decides=True, ties="nearest"):
    """Predict one query step by step, in plain Python."""
    near = sorted((float(np.sqrt(((x - q) ** 2).sum())), i) for i, x in enumerate(X))[:k]
    if near[0][0] == 0 and (zero_decides or power):
        voters = [(d, i) for d, i in near if d == 0]
    else:
        voters = near
    votes = {}
    for d, i in voters:
        votes[y[i]] = votes.get(y[i], 0) + (1 if power is None or d == 0 else d**-power)
    best = [c for c in votes if votes[c] >= max(votes.values()) * (1 - 1e-12)]
    if ties == "prior":
        counts = {c: list(y).count(c) for c in best}
        best = [c for c in best if counts[c] == max(counts.values())]
    elif ties == "reject" and len(best) > 1:
        return None
    return next(y[i] for _, i in near if y[i] in best)


class TestVotes:
    X = [[0.0], [1.0], [4.0], [5.0], [9.0]]
    y = ["a", "a", "b", "b", "b"]

    def test_majority(self):
        model = knn(k=3).fit(self.X, self.y)
        assert model.predict([[2.0], [3.9]]).tolist() == ["a", "b"]
        assert model.predict_proba([[2.0]])[0] == pytest.approx([2 / 3, 1 / 3])

    @pytest.mark.parametrize("power", [1, 2, 0.5])
    def test_inverse_distance(self, power):
        # From 3: 4 at 1, 1 at 2, 5 at 2; equation (2.15).
        model = knn(k=3, vote="inverse_distance", power=power).fit(self.X, self.y)
        votes = np.array([2.0**-power, 1 + 2.0**-power])
        assert model.predict_proba([[3.0]])[0] == pytest.approx(votes / votes.sum())

    def test_weights_beyond_the_range_of_numbers(self):
        model = knn(k=2, vote="inverse_distance", power=3).fit([[0.0], [1.0]], ["a", "b"])
        assert model.predict_proba([[1e-200]])[0] == pytest.approx([1, 0])
        huge = knn(k=2, vote="inverse_distance", power=3, distance="manhattan")
        huge.fit([[1e200], [3e200]], ["a", "b"])
        assert huge.predict_proba([[0.0]])[0] == pytest.approx([27 / 28, 1 / 28])

    @pytest.mark.parametrize(
        "decides", [{"zero_distance": "decides"}, {"vote": "inverse_distance"}]
    )
    def test_a_row_at_distance_zero_decides(self, decides):
        model = knn(k=3, **decides).fit([[0.0], [0.0], [0.0], [1.0]], ["b", "a", "a", "b"])
        assert model.predict_proba([[0.0]])[0] == pytest.approx([2 / 3, 1 / 3])
        model = knn(k=3, **decides).fit(self.X, self.y)
        assert model.predict_proba([[4.0]]).tolist() == [[0, 1]]
        assert model.predict([[1.0]]).tolist() == ["a"]

    def test_or_votes_like_any_other(self):
        model = knn(k=3).fit([[0.0], [1.0], [1.5], [2.0]], ["a", "b", "b", "b"])
        assert model.predict([[0.0]]).tolist() == ["b"]
        assert model.predict_proba([[0.0]])[0] == pytest.approx([1 / 3, 2 / 3])


class TestTies:
    X = [[0.0], [3.0], [7.0], [9.0], [20.0]]
    y = [3, 1, 1, 3, 1]

    def test_nearest(self):
        model = knn(k=2).fit(self.X, self.y)
        assert model.predict([[1.0], [2.0]]).tolist() == [3, 1]

    def test_equally_near_is_the_lower_row(self):
        assert knn(k=2).fit([[1.0], [-1.0]], ["b", "a"]).predict([[0.0]]).tolist() == ["b"]

    def test_prior(self):
        model = knn(k=2, ties="prior").fit(self.X, self.y)
        assert model.predict([[1.0], [2.0]]).tolist() == [1, 1]
        even = knn(k=2, ties="prior").fit(self.X[:4], self.y[:4])
        assert even.predict([[1.0], [2.0]]).tolist() == [3, 1]

    def test_reject(self):
        model = knn(k=2, ties="reject", reject_label=-9).fit(self.X, self.y)
        assert model.predict([[1.0], [5.0]]).tolist() == [-9, 1]
        assert model.predict([[1.0]]).dtype == np.int64

    def test_reject_with_another_type_of_label(self):
        assert knn(k=2, ties="reject").fit(self.X, self.y).predict([[1.0]]).tolist() == [None]
        words = knn(k=2, ties="reject", reject_label="unknown").fit(self.X, list("babab"))
        assert words.predict([[1.0]]).tolist() == ["unknown"]

    @in_one_test
    @pytest.mark.parametrize("mark", [None, -9, "?"])
    @pytest.mark.parametrize("y", [[3, 1, 1, 3, 1], list("baaba")])
    def test_a_row_without_an_answer_scores_as_wrong(self, y, mark):
        model = knn(k=2, ties="reject", reject_label=mark).fit([[0], [2], [3], [5], [6]], y)
        Q = [[1.0], [2.5], [5.5], [5.6]]  # tied, of one class, tied, tied
        assert model.score(Q, [y[0], y[1], y[0], y[0]]) == 0.25
        assert model.score(Q[:2], [y[0], y[1]], sample_weight=[1, 3]) == 0.75
        with pytest.raises(ilk.InputError, match="knn: y has 3 values for the 4 rows"):
            model.score(Q, y[:3])
        search = GridSearchCV(model, {"k": [1, 2]}, cv=2).fit([[0.0], [1.0]] * 6, y[:2] * 6)
        assert search.best_score_ == 1

    def test_reject_label_must_be_new(self):
        with pytest.raises(ilk.ParameterError, match="reject_label must be no label.*got 3"):
            knn(k=2, ties="reject", reject_label=3).fit(self.X, self.y)

    def test_random_is_by_lot_but_repeatable(self):
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(300, 1)), np.tile(["a", "b"], 150)
        Q = rng.normal(size=(200, 1))
        model = knn(k=2, ties="random", random_state=1).fit(X, y)
        answers = model.predict(Q)
        tied = model.predict_proba(Q)[:, 0] == 0.5
        first = y[model.kneighbors(Q)[1][:, 0]]
        assert 0.3 < np.mean(answers[tied] == first[tied]) < 0.7
        assert np.array_equal(answers[~tied], first[~tied])
        assert np.array_equal(model.predict(Q[::-1])[::-1], answers)
        again = clone(model).fit(X, y)
        assert np.array_equal(again.predict(Q), answers)
        other = clone(model).set_params(random_state=2).fit(X, y)
        assert not np.array_equal(other.predict(Q), answers)

    def test_votes_equal_but_for_rounding_are_tied(self):
        # 3 neighbours of "b" at distance 3 weigh as much as one of "a" at distance 1.
        X, y = [[1.0], [-3.0], [3.0], [-3.0]], list("abbb")
        model = knn(k=4, vote="inverse_distance", ties="reject", reject_label="-").fit(X, y)
        assert model.predict([[0.0]]).tolist() == ["-"]


def test_training_error_on_noisy_labels_is_that_of_scikit_learn():
    X, y = ilk.dataset("iris").load().Xy
    rng = np.random.default_rng(0)
    X = X + rng.normal(scale=1e-6, size=X.shape)  # no ties of distances
    noisy = np.where(rng.random(len(y)) < 0.3, rng.permutation(y), y)
    theirs = KNeighborsClassifier(n_neighbors=15).fit(X, noisy)
    model = knn(k=15).fit(X, noisy)
    assert model.predict_proba(X) == pytest.approx(theirs.predict_proba(X))
    assert model.score(X, noisy) == pytest.approx(theirs.score(X, noisy), abs=0.01)
    assert model.score(X, noisy) < 0.85
    assert knn(k=15, zero_distance="decides").fit(X, noisy).score(X, noisy) == 1


@given(
    st.integers(0, 2**31),
    st.integers(1, 7),
    st.sampled_from([None, 1.0, 2.5]),
    st.booleans(),
    st.sampled_from(["nearest", "prior", "reject"]),
)
def test_agrees_with_oracle(seed, k, power, zero_decides, ties):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, size=(15, 2)).astype(float)  # many ties and equal rows
    y = rng.integers(0, 3, size=15)
    y[:2] = [0, 1]
    Q = rng.integers(0, 4, size=(8, 2)).astype(float)
    model = knn(
        k=k,
        vote="majority" if power is None else "inverse_distance",
        power=power or 1.0,
        ties=ties,
        zero_distance="decides" if zero_decides else "votes",
    )
    expected = [
        oracle(X, y.tolist(), q, k, power=power, zero_decides=zero_decides, ties=ties) for q in Q
    ]
    assert model.fit(X, y).predict(Q).tolist() == expected


@in_one_test
@pytest.mark.parametrize("k", [1, 4, 9])
@pytest.mark.parametrize(
    ("vote", "weights"), [("majority", "uniform"), ("inverse_distance", "distance")]
)
def test_agrees_with_sklearn(blobs, k, vote, weights):
    X, y, Q = blobs
    theirs = KNeighborsClassifier(k, weights=weights, algorithm="brute").fit(X, y)
    ours = knn(k=k, vote=vote).fit(X, y)
    probabilities = theirs.predict_proba(Q)
    assert np.allclose(ours.predict_proba(Q), probabilities)
    distances, indices = ours.kneighbors(Q)
    assert np.array_equal(indices, theirs.kneighbors(Q)[1])
    assert np.allclose(distances, theirs.kneighbors(Q)[0])
    untied = np.sort(probabilities)[:, -1] > np.sort(probabilities)[:, -2] + 1e-9
    assert np.array_equal(ours.predict(Q)[untied], theirs.predict(Q)[untied])


KERNELS = {
    "shepard": lambda d, h: np.exp(-d / h),
    "gaussian": lambda d, h: np.exp(-((d / h) ** 2) / 2),
    "epanechnikov": lambda d, h: np.maximum(0.75 * (1 - (d / h) ** 2), 0),
}


@pytest.mark.parametrize("k", [1, 4, 9])
@pytest.mark.parametrize("vote", KERNELS)
class TestKernelsAgreeWithSklearn:
    def test_one_width(self, blobs, vote, k):
        X, y, Q = blobs
        theirs = KNeighborsClassifier(k, weights=lambda d: KERNELS[vote](d, 5.0)).fit(X, y)
        ours = knn(k=k, vote=vote, width=5).fit(X, y)
        assert np.allclose(ours.predict_proba(Q), theirs.predict_proba(Q), rtol=1e-10)
        assert np.array_equal(ours.predict(Q), theirs.predict(Q))

    def test_width_of_each_query(self, blobs, vote, k):
        X, y, Q = blobs
        h = NearestNeighbors(n_neighbors=k + 1).fit(X).kneighbors(Q)[0][:, -1:]
        theirs = KNeighborsClassifier(k, weights=lambda d: KERNELS[vote](d, h)).fit(X, y)
        ours = knn(k=k, vote=vote).fit(X, y)
        assert np.allclose(ours.predict_proba(Q), theirs.predict_proba(Q), rtol=1e-10)
        assert np.array_equal(ours.predict(Q), theirs.predict(Q))


def test_worked_kernels():
    # From 2: 1 at 1, 0 at 2; the next one, 5, at 3 gives the width.
    X, y = [[0.0], [1.0], [5.0], [9.0]], ["a", "b", "b", "b"]
    for vote, near, far in (
        ("shepard", np.exp(-1 / 3), np.exp(-2 / 3)),
        ("gaussian", np.exp(-1 / 18), np.exp(-4 / 18)),
        ("epanechnikov", 8 / 9, 5 / 9),
    ):
        model = knn(k=2, vote=vote).fit(X, y)
        shares = np.array([far, near]) / (near + far)
        assert model.predict_proba([[2.0]])[0] == pytest.approx(shares)
        assert model.explain([2.0]).votes == pytest.approx([1, far / near])


@given(st.integers(0, 2**31), st.sampled_from(["majority", "inverse_distance", *KERNELS]))
def test_what_does_not_matter(seed, vote):
    rng = np.random.default_rng(seed)
    X, Q = rng.normal(size=(30, 3)), rng.normal(size=(20, 3))
    y = rng.integers(0, 3, 30)
    y[:2] = [0, 1]
    shares = knn(k=4, vote=vote).fit(X, y).predict_proba(Q)
    order = rng.permutation(30)
    shuffled = knn(k=4, vote=vote).fit(X[order], y[order]).predict_proba(Q)
    assert np.allclose(shuffled, shares, rtol=1e-12)
    scaled = knn(k=4, vote=vote).fit(X * 2.0**40, y).predict_proba(Q * 2.0**40)
    assert np.array_equal(scaled, shares)
    names = np.array(["z", "y", "x"])  # in the other order
    renamed = knn(k=4, vote=vote).fit(X, names[y]).predict_proba(Q)
    assert np.array_equal(renamed[:, ::-1], shares)


def test_exact_where_squares_lose_digits():
    rng = np.random.default_rng(0)
    X = 1e8 + rng.integers(0, 1000, size=(200, 3)).astype(float)
    y, Q = rng.integers(0, 2, 200), 1e8 + rng.integers(0, 1000, size=(50, 3)).astype(float)
    near = np.argsort(((X[None] - Q[:, None]) ** 2).sum(axis=2), axis=1, kind="stable")[:, 0]
    assert np.array_equal(knn(k=1).fit(X, y).predict(Q), y[near])


class TestClassOutliers:
    def test_by_hand(self):
        X = [[0.0], [1.0], [2.0], [10.0], [11.0], [12.0], [1.5]]
        model = knn(k=2).fit(X, list("aaabbbb"))
        # Of the nearest two others, of another class: 0: 1, 6 -> 1; 1: 6, 0 -> 1; 2: 6, 1 -> 1;
        # 6: 1, 2 -> 2; the b at 10 to 12 have each other.
        assert model.class_outliers(0).tolist() == [0, 1, 2, 6]
        assert model.class_outliers(1).tolist() == [6]
        assert model.class_outliers(2).tolist() == []

    def test_twins_are_neighbours(self):
        X = [[0.0], [0.0], [5.0], [6.0]]
        assert knn(k=1).fit(X, list("abbb")).class_outliers(0).tolist() == [0, 1]

    @given(st.integers(0, 2**31), st.integers(1, 6), st.integers(0, 6))
    def test_agrees_with_plain_counting(self, seed, k, r):
        rng = np.random.default_rng(seed)
        X, y = rng.integers(0, 4, size=(12, 2)).astype(float), rng.integers(0, 3, 12)
        y[:2] = [0, 1]
        expected = []
        for i in range(12):
            far = [(float(((X[j] - X[i]) ** 2).sum()), j) for j in range(12) if j != i]
            if sum(y[j] != y[i] for _, j in sorted(far)[:k]) > r:
                expected.append(i)
        assert knn(k=k).fit(X, y).class_outliers(r).tolist() == expected

    def test_with_metric_learners(self, blobs, local_metric):
        X, y, _ = blobs
        learned = knn(k=3, metric_learner="rca").fit(X, y)
        Z = learned.metric_learner_.transform(X)
        expected = knn(k=3).fit(Z, y).class_outliers(1)
        assert np.array_equal(learned.class_outliers(1), expected)
        local = knn(k=3, metric_learner="weighted").fit(X, y)
        rows = local.kneighbors(X, 4)[1][:, 1:]  # no two rows are equal
        assert np.array_equal(
            local.class_outliers(1), np.flatnonzero((y[rows] != y[:, None]).sum(axis=1) > 1)
        )

    def test_errors(self, blobs):
        X, y, _ = blobs
        with pytest.raises(NotFittedError):
            knn().class_outliers(1)
        with pytest.raises(ilk.ParameterError, match="knn: r must be an integer >= 0, got -1"):
            knn().fit(X, y).class_outliers(-1)
        with pytest.raises(ilk.InputError, match="k must be at most 119"):
            knn(k=120).fit(X, y).class_outliers(1)


@in_one_test
@pytest.mark.parametrize(
    "labels", [["no", "yes"], [-1, 1], [False, True], [10, 3]], ids=lambda labels: str(labels[0])
)
def test_labels_of_any_type(labels):
    y = np.array(labels)[[0, 0, 1, 1]]
    model = knn(k=1).fit([[0.0], [1.0], [5.0], [6.0]], y)
    assert model.predict([[0.2], [5.2]]).tolist() == labels
    assert model.classes_.tolist() == sorted(labels)


class TestInputs:
    def test_table_with_nominal_columns(self):
        X = pd.DataFrame({"size": [1.0, 2.0, 9.0], "color": ["red", "red", "blue"]})
        model = knn(k=1, distance="heterogeneous").fit(X, ["a", "a", "b"])
        query = pd.DataFrame({"size": [6.0], "color": ["red"]})
        assert model.predict(query).tolist() == ["a"]
        assert model.feature_names_in_.tolist() == ["size", "color"]
        assert model.explain(query).indices.tolist() == [1]
        assert model.explain(X.iloc[2]).prediction == "b"
        with pytest.raises(ilk.InputError, match="feature names"):
            model.predict(query.rename(columns={"color": "colour"}))

    def test_table_under_a_distance_on_vectors(self):
        X = pd.DataFrame({"size": [1.0, 2.0], "color": ["red", "blue"]})
        with pytest.raises(ilk.InputError, match="knn: X has nominal columns.*heterogeneous"):
            knn(k=1).fit(X, ["a", "b"])

    def test_texts(self):
        def lengths(a, b):
            return abs(len(a) - len(b))

        model = knn(k=1, distance=ilk.distance("callable", function=lengths))
        model.fit(["a", "abcde"], ["short", "long"])
        assert model.predict(["ab", "abcd"]).tolist() == ["short", "long"]
        assert model.explain("abc").indices.tolist() == [0]
        with pytest.raises(ilk.InputError, match="single text"):
            model.predict("abc")
        with pytest.raises(ilk.InputError, match="0 rows"):
            model.predict([])

    def test_signatures_and_histograms(self):
        X = [([[0.0], [1.0]], [0.5, 0.5]), ([[8.0], [9.0]], [0.3, 0.7])]
        signatures = [(np.array(p), np.array(w)) for p, w in X]
        model = knn(k=1, distance="emd").fit(signatures, ["left", "right"])
        assert model.predict([(np.array([[2.0]]), np.array([1.0]))]).tolist() == ["left"]
        H = np.array([[0.9, 0.1, 0.0], [0.1, 0.1, 0.8]])
        model = knn(k=1, distance="chi2").fit(H, [1, 2])
        assert model.predict([[0.5, 0.4, 0.1]]).tolist() == [1]

    def test_views(self):
        X = pd.DataFrame({"r": [0.0, 9, 0], "g": [1.0, 9, 1], "name": ["dot", "dot", "dash"]})
        distance = {
            "use": "combined",
            "views": {"color": ["r", "g"], "label": ["name"]},
            "weights": {"color": 1, "label": 3},
        }
        model = knn(k=1, distance=distance).fit(X, ["a", "b", "c"])
        assert model.predict(pd.DataFrame({"r": [1.0], "g": [0.0], "name": ["dash"]})) == ["c"]
        assert model.predict(X).tolist() == ["a", "b", "c"]

    def test_precomputed(self, blobs):
        X, y, Q = blobs
        points = np.vstack([X, Q])
        D = ilk.distance("euclidean").pairwise(points)
        rows = np.arange(len(points))[:, None]
        model = knn(distance=ilk.distance("precomputed", matrix=D)).fit(rows[:120], y)
        expected = knn().fit(X, y)
        assert np.array_equal(model.predict(rows[120:]), expected.predict(Q))
        assert model.explain([125]).prediction == expected.explain(Q[5]).prediction

    def test_any_distance(self, blobs):
        X, y, Q = blobs
        theirs = KNeighborsClassifier(3, metric="minkowski", p=3).fit(X, y)
        ours = knn(k=3, distance={"use": "minkowski", "p": 3}).fit(X, y)
        assert np.array_equal(ours.kneighbors(Q)[1], theirs.kneighbors(Q)[1])

    def test_float32_and_layout(self, blobs):
        X, y, Q = blobs
        expected = knn().fit(X, y).predict(Q)
        X, Q = np.asfortranarray(X), np.repeat(Q, 2, axis=0)[::2]
        X.setflags(write=False)
        assert np.array_equal(knn().fit(X, y).predict(Q), expected)
        assert knn().fit(X.astype(np.float32), y).kneighbors(Q.astype(np.float32))[0].dtype == (
            np.float32
        )


class TestMetricLearner:
    def test_global(self, blobs):
        X, y, Q = blobs
        rca = ilk.metric_learner("rca").fit(X, y)
        by_hand = knn().fit(rca.transform(X), y)
        inside = knn(metric_learner="rca").fit(X, y)
        assert np.array_equal(inside.kneighbors(Q)[1], by_hand.kneighbors(rca.transform(Q))[1])
        assert np.array_equal(inside.predict(Q), by_hand.predict(rca.transform(Q)))
        assert inside.explain(Q[0]).indices.tolist() == inside.kneighbors(Q[:1])[1][0].tolist()

    @in_one_test
    @pytest.mark.parametrize("learner", ["rca", "pca", "lfda", "identity"])
    @pytest.mark.parametrize("dtype", [np.float64, np.float32])
    def test_a_query_equal_to_a_row_is_at_distance_zero(self, learner, dtype):
        rng = np.random.default_rng(0)
        X, y = (rng.normal(size=(90, 13)) + 100).astype(dtype), np.arange(90) % 3
        model = knn(k=3, metric_learner=learner, zero_distance="decides").fit(X, y)
        assert (model.kneighbors(X)[0][:, 0] == 0).all()
        assert all(model.kneighbors(x[None])[0][0, 0] == 0 for x in X[:20])
        assert [model.explain(x).prediction for x in X[:20]] == y[:20].tolist()

    def test_frozen_and_foreign(self, blobs):
        X, y, Q = blobs
        rca = ilk.metric_learner("rca").fit(X[::2], y[::2])
        kept = knn(metric_learner=ilk.frozen(rca)).fit(X, y)
        assert np.array_equal(kept.metric_learner_.components_, rca.components_)
        foreign = knn(metric_learner=PCA(2)).fit(X, y)
        assert np.array_equal(
            foreign.predict(Q),
            knn(metric_learner={"use": "pca", "n_components": 2}).fit(X, y).predict(Q),
        )

    def test_local(self, blobs, local_metric):
        X, y, Q = blobs
        model = knn(k=3, metric_learner="weighted").fit(X, y)
        assert model.index_ is None
        expected = local_metric().fit(X, y).kneighbors(Q, 3)[1]
        assert np.array_equal(model.kneighbors(Q)[1], expected)
        nearest = model.set_params(k=1).fit(X, y).predict(Q)
        assert np.array_equal(nearest, y[expected[:, 0]])

    @in_one_test
    @pytest.mark.parametrize("how", [str, dict, type])
    @pytest.mark.parametrize(
        ("slot", "value"),
        [("distance", "manhattan"), ("distance", {"use": "minkowski", "p": 1})],
    )
    def test_local_beside_a_distance(self, blobs, local_metric, how, slot, value):
        learner = {str: "weighted", dict: {"use": "weighted"}, type: local_metric()}[how]
        with pytest.raises(ilk.ParameterError, match=f"{slot} must be left at.*'weighted'"):
            knn(metric_learner=learner, **{slot: value})

    def test_local_beside_an_index(self, local_metric):
        class Other(ilk.Index):
            def fit(self, X, y=None, *, distance):
                return self

            def kneighbors(self, Q, k):
                raise NotImplementedError

        with pytest.raises(ilk.ParameterError, match="index must be left at 'brute'"):
            knn(metric_learner="weighted", index=Other())

    def test_local_beside_the_defaults_written_out(self, local_metric, blobs):
        X, y, _ = blobs
        model = knn(metric_learner="weighted", index={"use": "brute"}, distance="euclidean")
        ilk.seeded(model, 0)  # opens every slot
        assert model.fit(X, y).distance_ is None


class TestErrors:
    def test_k_beyond_the_training_rows(self):
        with pytest.raises(
            ilk.InputError, match="knn: k must be at most 2, the number of training rows.*got 3"
        ):
            knn(k=3).fit([[0.0], [1.0]], ["a", "b"])

    def test_no_row_left_to_give_the_width(self):
        X, y = [[0.0], [1.0]], ["a", "b"]
        with pytest.raises(ilk.InputError, match="at most 1, .*vote='gaussian' with width.*got 2"):
            knn(k=2, vote="gaussian").fit(X, y)
        assert knn(k=2, vote="gaussian", width="last_neighbor").fit(X, y).predict([[2]]) == ["b"]
        assert knn(k=2, vote="gaussian", width=1).fit(X, y).predict([[2]]) == ["b"]

    def test_lengths(self):
        with pytest.raises(ilk.InputError, match="y has 1 values for the 2 rows"):
            knn(k=1).fit([[0.0], [1.0]], ["a"])

    def test_nan(self):
        with pytest.raises(ilk.InputError, match="knn: X has NaN at row 1, column 0"):
            knn(k=1).fit([[0.0], [np.nan]], ["a", "b"])

    def test_other_number_of_features(self, blobs):
        X, y, Q = blobs
        with pytest.raises(ilk.InputError, match="2 features.*expecting 3"):
            knn().fit(X, y).predict(Q[:, :2])

    @in_one_test
    @pytest.mark.parametrize(
        ("parameters", "message"),
        [
            ({"k": 0}, "k must be an integer >= 1, got 0"),
            ({"vote": "mayority"}, "did you mean 'majority'"),
            ({"power": 0}, "power must be a number > 0"),
            ({"width": 0}, "width must be 'next_neighbor' or 'last_neighbor' or a number > 0"),
            ({"width": "next_neighbour"}, "did you mean 'next_neighbor'"),
            ({"ties": "first"}, "ties must be"),
            ({"distance": 3}, "distance must be a distance"),
        ],
    )
    def test_parameters(self, parameters, message):
        with pytest.raises(ilk.ParameterError, match=message):
            knn(**parameters)

    def test_explaining_several(self, blobs):
        X, y, Q = blobs
        with pytest.raises(ilk.InputError, match="one object, got 2 rows"):
            knn().fit(X, y).explain(Q[:2])


class TestExplain:
    def test_adds_up(self, blobs):
        X, y, Q = blobs
        model = knn(k=7, vote="inverse_distance", power=2).fit(X, y)
        for q, prediction, shares in zip(Q, model.predict(Q), model.predict_proba(Q), strict=True):
            why = model.explain(q)
            assert why.prediction == prediction
            assert list(why.shares.values()) == pytest.approx(shares.tolist())
            assert np.array_equal(y[why.indices], why.labels)
            assert why.votes == pytest.approx((why.distances[0] / why.distances) ** 2)
            by_hand = [why.votes[why.labels == c].sum() for c in why.shares]
            assert np.array(by_hand) / why.votes.sum() == pytest.approx(shares)

    @pytest.mark.parametrize("kind", ["classifier", "regressor"])
    def test_an_object_that_is_a_number_of_a_matrix(self, kind):
        points = np.array([0.0, 1.0, 3.0, 7.0])
        table = ilk.distance("precomputed", matrix=np.abs(np.subtract.outer(points, points)))
        model = getattr(ilk, kind)("knn", k=2, distance=table).fit(np.arange(3), [0, 1, 1])
        for x in (3, np.int64(3), [3], np.array([[3]])):
            assert model.explain(x).distances.tolist() == [4, 6]
        with pytest.raises(ilk.InputError, match="one object .*, got the number 3"):
            knn(k=1).fit([[0.0], [1.0]], ["a", "b"]).explain(3)

    def test_reads_as_a_table(self):
        text = str(knn(k=2).fit([[0.0], [3.0], [9.0]], list("aba")).explain([1.0]))
        assert text.splitlines() == [
            "prediction a",
            "  a: 0.500",
            "  b: 0.500",
            "     row    distance    vote  label",
            "       0           1       1  a",
            "       1           2       1  b",
        ]


def test_a_class_missing_from_a_fold():
    X, y = np.arange(12.0)[:, None], np.array(list("aaaabbbbcccc"))
    model = knn(k=3).fit(X[:8], y[:8])
    assert model.classes_.tolist() == ["a", "b"]
    assert model.predict_proba(X[8:]).tolist() == [[0, 1]] * 4
    assert model.score(X[8:], y[8:]) == 0


def test_after_an_editor():
    X = [[0.0], [0.1], [0.2], [0.3], [5.0], [5.1], [5.2], [5.3]]
    y = ["a", "a", "b", "a", "b", "b", "b", "b"]
    steps = [{"editor": "enn"}, {"classifier": {"use": "knn", "k": 1}}]
    assert ilk.Pipeline(steps).fit(X, y).predict([[0.2]]).tolist() == ["a"]
    assert knn(k=1).fit(X, y).predict([[0.2]]).tolist() == ["b"]


def test_in_scikit_learns_tools(blobs):
    X, y, _ = blobs
    search = GridSearchCV(knn(), {"k": [1, 9], "distance__p": [1, 2]}, cv=3)
    search.estimator.set_params(distance="minkowski")
    assert search.fit(X, y).best_params_["k"] == 9
    assert cross_val_score(knn(), X, y).mean() > 0.5


def test_spec_round_trip():
    model = knn(k=3, distance={"use": "minkowski", "p": 1}, vote="inverse_distance")
    spec = ilk.to_spec(model)
    assert spec == {
        "use": "knn",
        "k": 3,
        "distance": {"use": "minkowski", "p": 1},
        "vote": "inverse_distance",
    }
    assert ilk.to_spec(ilk.build(spec, kind="classifier")) == spec


@given(
    seed=st.integers(0, 2**16),
    vote=st.sampled_from([{}, {"vote": "inverse_distance"}, {"vote": "gaussian", "width": 1.0}]),
    ties=st.sampled_from(["nearest", "prior"]),
)
def test_weights_count_as_copies_where_all_rows_vote(seed, vote, ties):
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 4, (8, 2)).astype(float), rng.integers(0, 2, 8)
    w = rng.integers(1, 4, 8)
    rows, Q = np.repeat(np.arange(8), w), rng.integers(0, 4, (6, 2)).astype(float)
    weighted = knn(k=8, ties=ties, **vote).fit(X, y, sample_weight=7.5 * w)  # the unit is free
    copied = knn(k=int(w.sum()), ties=ties, **vote).fit(X[rows], y[rows])
    assert np.allclose(weighted.predict_proba(Q), copied.predict_proba(Q), atol=1e-12)
    assert (weighted.predict(Q) == copied.predict(Q)).all()


def test_weights_multiply_votes_of_the_k_nearest():
    X, y = [[0.0], [1.0], [2.0], [9.0]], ["a", "b", "b", "a"]
    model = knn(k=3).fit(X, y, sample_weight=[3, 1, 1, 100])
    assert model.predict_proba([[0.5]]).tolist() == [[0.6, 0.4]]  # the last is no neighbour
    assert model.predict([[0.5]]).tolist() == ["a"]
    assert knn(k=3).fit(X, y).predict([[0.5]]).tolist() == ["b"]
    assert model.class_prior_.tolist() == [103 / 105, 2 / 105]
    assert model.explain([0.5]).votes.tolist() == [3, 1, 1]
    refitted = model.fit(X, y)  # without weights
    assert refitted.predict([[0.5]]).tolist() == ["b"]


def test_rows_of_weight_0_are_absent_and_keep_the_numbers_of_the_others():
    X, y = [[0.0], [1.0], [2.0], [9.0]], ["z", "b", "b", "a"]
    model = knn(k=2).fit(X, y, sample_weight=[0, 1, 1, 1])
    assert model.classes_.tolist() == ["a", "b"]
    near, rows, labels = model.nearest_cases([[0.0]])
    assert (near.tolist(), rows.tolist(), labels.tolist()) == ([[1, 2]], [[1, 2]], [["b", "b"]])
    assert model.kneighbors([[8.0]], 1)[1].tolist() == [[3]]
    assert model.explain([8.0]).indices.tolist() == [3, 2]
    assert model.class_outliers(1).tolist() == [3]
    with pytest.raises(ilk.InputError, match="k must be at most 3"):
        knn(k=4).fit(X, y, sample_weight=[0, 1, 1, 1])


def test_weights_survive_saving_and_are_refused_for_blocks(tmp_path):
    X, y = np.array([[0.0], [1.0], [2.0]]), np.array([0, 1, 1])
    model = knn(k=2).fit(X, y, sample_weight=[5, 1, 0.0])
    ilk.save(model, tmp_path / "m.ilk")
    again = ilk.load(tmp_path / "m.ilk")
    assert again.predict_proba([[1.0]]).tolist() == model.predict_proba([[1.0]]).tolist()
    mapped = np.memmap(tmp_path / "X", dtype=float, mode="w+", shape=X.shape)
    mapped[:] = X
    with pytest.raises(ilk.InputError, match="sample_weight must be above 0 where X is read block"):
        knn(k=1).fit(mapped, y, sample_weight=[5, 1, 0.0])
    weighted = knn(k=3).fit(mapped, y, sample_weight=[5, 1, 1])
    assert weighted.predict([[1.0]]).tolist() == [0]
