"""decision_stump."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.tree import DecisionTreeClassifier

import ilk
from cases import in_one_test
from ilk_learners.classifiers import classifier_kernels, decision_stump


def stump(criterion="error"):
    return ilk.classifier("decision_stump", criterion=criterion)


def best_by_definition(X, y, w, criterion):
    """Badness, feature and threshold of the best split, by looking at each of them."""
    X, y, w = X[w > 0], y[w > 0], w[w > 0]
    classes = np.unique(y)

    def badness(side):
        sums = np.array([w[side & (y == c)].sum() for c in classes])
        if criterion == "error":
            return sums.sum() - sums.max()
        return sums.sum() - (sums**2).sum() / sums.sum()

    found = []
    for f in range(X.shape[1]):
        values = np.unique(X[:, f])
        for low, high in pairwise(values):
            below = X[:, f] <= low
            found.append((badness(below) + badness(~below), f, (low + high) / 2))
    return min(found, key=lambda split: (round(split[0], 9), *split[1:]), default=None)


def problem(draw, n_classes):
    n, p = draw(st.integers(2, 12)), draw(st.integers(1, 3))
    cells = st.lists(st.integers(-3, 3), min_size=n * p, max_size=n * p)
    X = np.array(draw(cells), dtype=float).reshape(n, p)
    y = np.array(draw(st.lists(st.integers(0, n_classes - 1), min_size=n, max_size=n)))
    y[:2] = 0, 1
    w = np.array(draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)), dtype=float)
    w[0] += not w.any()
    return X, y, w


problems = st.composite(problem)


def test_worked():
    # Cumulative sums of w_i y_i along the feature: -1, -3, -2, 1, 2: least after the second.
    X, y, w = [[1], [2], [4], [5], [9]], [-1, -1, 1, 1, 1], [1, 2, 1, 3, 1]
    model = stump().fit(X, y, sample_weight=w)
    assert (model.feature_, model.threshold_, model.error_) == (0, 3.0, 0.0)
    assert model.predict([[3.0], [3.1], [-99]]).tolist() == [-1, 1, -1]
    assert model.leaf_weights_.tolist() == [[3 / 8, 0], [0, 5 / 8]]


def test_worked_with_errors():
    # With all weights 1 the third row is wrong left of 5, or the fourth right of it.
    X, y = [[1], [2], [4], [6], [8]], ["a", "a", "b", "a", "b"]
    model = stump().fit(X, y)
    assert model.threshold_ == 3.0  # and so would 7.0: the lower one
    assert model.error_ == pytest.approx(1 / 5)
    assert model.predict_proba([[0], [9]]) == pytest.approx(np.array([[1, 0], [1 / 3, 2 / 3]]))
    heavy = stump().fit(X, y, sample_weight=[1, 1, 1, 5, 1])
    assert (heavy.threshold_, heavy.error_) == (7.0, pytest.approx(1 / 9))


@pytest.mark.parametrize("criterion", ["error", "gini"])
@pytest.mark.parametrize("n_classes", [2, 3])
@given(data=st.data())
def test_is_the_best_of_all(criterion, n_classes, data):
    X, y, w = data.draw(problems(n_classes))
    model = stump(criterion).fit(X, y, sample_weight=w)
    best = best_by_definition(X, y, w, criterion)
    if best is None:
        assert (model.feature_, model.threshold_) == (-1, np.inf)
        return
    assert (model.feature_, model.threshold_) == best[1:]
    wrong = w[model.predict(X) != y].sum()
    assert model.error_ * w.sum() == pytest.approx(wrong)
    if criterion == "error":
        assert wrong == pytest.approx(best[0])


@pytest.mark.parametrize("criterion", ["error", "gini"])
@pytest.mark.parametrize("n_classes", [2, 4])
@given(data=st.data())
def test_weights_are_repetitions(criterion, n_classes, data):
    X, y, w = data.draw(problems(n_classes))
    y[:2] = 0, 1
    w[:2] += 1
    rows = np.repeat(np.arange(len(X)), w.astype(int))
    weighted = stump(criterion).fit(X, y, sample_weight=w)
    repeated = stump(criterion).fit(X[rows], y[rows])
    assert (weighted.feature_, weighted.threshold_) == (repeated.feature_, repeated.threshold_)
    assert np.array_equal(weighted.predict(X), repeated.predict(X))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_gini_agrees_with_scikit_learn(n_classes):
    rng = np.random.default_rng(n_classes)
    for _ in range(10):
        X = rng.integers(0, 1000, size=(200, 5)).astype(float)
        y = (X[:, 2] / 1000 * n_classes + rng.normal(0, 0.7, 200)).clip(0, n_classes - 1) // 1
        w = rng.integers(1, 5, 200).astype(float)
        theirs = DecisionTreeClassifier(max_depth=1, random_state=0).fit(X, y, sample_weight=w)
        ours = stump("gini").fit(X, y, sample_weight=w)
        assert ours.feature_ == theirs.tree_.feature[0]
        assert ours.threshold_ == theirs.tree_.threshold[0]
        assert np.allclose(ours.predict_proba(X), theirs.predict_proba(X))
        least = stump().fit(X, y, sample_weight=w).error_
        assert least <= w[theirs.predict(X) != y].sum() / w.sum() + 1e-12


def test_presorted_is_the_same(blobs):
    X, y, Q = blobs
    rng = np.random.default_rng(0)
    for criterion in ("error", "gini"):
        handle = stump(criterion).presort(X)
        for labels in (y, y == 2, np.where(y > 0, "yes", "no")):
            w = rng.random(len(y))
            model = stump(criterion).fit(X, labels, w, presorted=handle)
            plain = stump(criterion).fit(X, labels, w)
            assert (model.feature_, model.threshold_) == (plain.feature_, plain.threshold_)
            assert np.array_equal(model.predict_proba(Q), plain.predict_proba(Q))
            assert model.n_features_in_ == 3


def test_presorted_sees_labels_that_changed_in_place(blobs):
    X, y, _ = blobs
    labels, handle = (y == 2).astype(int), stump().presort(X)
    stump().fit(X, labels, presorted=handle)
    labels[:] = y == 7
    again = stump().fit(X, labels, presorted=handle)
    assert again.threshold_ == stump().fit(X, labels).threshold_


def test_presorted_takes_an_equal_table_and_keeps_names(blobs):
    pandas = pytest.importorskip("pandas")
    X, y, _ = blobs
    table = pandas.DataFrame(X, columns=["u", "v", "w"])
    handle = stump().presort(table)
    assert stump().fit(table, y, presorted=handle).feature_names_in_.tolist() == ["u", "v", "w"]
    model = stump().fit(table.copy(), y, presorted=handle)
    assert model.threshold_ == stump().fit(X, y).threshold_


def test_presorted_of_other_rows_is_refused(blobs):
    X, y, _ = blobs
    handle = stump().presort(X)
    with pytest.raises(ilk.InputError, match="decision_stump: presorted was made from another X"):
        stump().fit(X + 1, y, presorted=handle)
    with pytest.raises(ilk.InputTypeError, match="presorted must be the result of presort.X."):
        stump().fit(X, y, presorted=np.argsort(X, axis=0))


def test_presort_does_not_fit(blobs):
    model = stump()
    model.presort(blobs[0])
    assert vars(model) == {"criterion": "error"}


def test_many_rows_take_larger_numbers():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(70_000, 2))
    y = X[:, 1] > 0.25
    handle = stump().presort(X)
    assert handle.order.dtype == np.uint32
    model = stump().fit(X, y, presorted=handle)
    assert (model.feature_, model.error_) == (1, 0)
    assert stump().presort(X[:1000]).order.dtype == np.uint16


def test_threads_change_nothing():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(9000, 40)), rng.integers(0, 3, 9000)
    with ilk.threads(1):
        one = stump().fit(X, y)
    with ilk.threads(3):
        three = stump().fit(X, y)
    assert (one.feature_, one.threshold_) == (three.feature_, three.threshold_)


@in_one_test
@pytest.mark.parametrize(
    ("low", "high", "threshold"),
    [
        (1.6e308, 1.7e308, 1.65e308),
        (-1.7e308, 1.7e308, 0.0),
        (-1.7e308, -1.6e308, -1.65e308),
        (5e-324, 1.5e-323, 1e-323),
        (0.0, 5e-324, 0.0),
        (1.0, np.nextafter(1.0, 2), 1.0),
        (np.nextafter(1.0, 0), 1.0, np.nextafter(1.0, 0)),
        (-0.0, 2.0, 1.0),
    ],
)
def test_thresholds_of_any_size(low, high, threshold):
    model = stump().fit([[low], [high]], ["low", "high"])
    assert model.threshold_ == pytest.approx(threshold, rel=1e-15, abs=0)
    assert model.predict([[low], [high]]).tolist() == ["low", "high"]


def test_single_precision():
    low, high = np.float32(1), np.nextafter(np.float32(1), np.float32(2))
    X = np.array([[low], [high], [high]], dtype=np.float32)
    model = stump().fit(X, [0, 1, 1])
    assert float(low) < model.threshold_ < float(high)  # which no float32 does
    assert model.predict(X).tolist() == [0, 1, 1]


def test_equal_values_are_not_split():
    X = [[0.0, 1.0], [-0.0, 1.0], [0.0, 1.0], [0.0, 1.0]]
    model = stump().fit(X, ["a", "a", "a", "b"])
    assert (model.feature_, model.threshold_, model.error_) == (-1, np.inf, 0.25)
    assert model.predict([[9.0, 9.0]]).tolist() == ["a"]
    assert model.predict_proba([[9.0, 9.0]]).tolist() == [[0.75, 0.25]]


def test_ties_up_to_rounding_go_to_the_first():
    # 0.1 + 0.2 and 0.3 differ by rounding: the same cases in another order.
    X = np.array([[1, 1], [2, 3], [3, 2], [4, 4.0]])
    w = np.array([0.1, 0.2, 0.3, 0.6])
    model = stump().fit(np.hstack([X, X]), [0, 0, 0, 1], sample_weight=w)
    assert (model.feature_, model.threshold_) == (0, 3.5)


def test_order_of_rows_and_names_of_classes_do_not_matter(blobs):
    X, y, Q = blobs
    w = np.random.default_rng(0).random(len(y))
    order = np.random.default_rng(1).permutation(len(y))
    for criterion in ("error", "gini"):
        model = stump(criterion).fit(X, y, w)
        shuffled = stump(criterion).fit(X[order], y[order], w[order])
        assert (shuffled.feature_, shuffled.threshold_) == (model.feature_, model.threshold_)
        names = np.vectorize({-1: "b", 2: "c", 7: "a"}.get)
        named = stump(criterion).fit(X, names(y), w)
        assert np.array_equal(named.predict(Q), names(model.predict(Q)))


def test_weights_of_any_size(blobs):
    X, y, _ = blobs
    w = np.random.default_rng(0).random(len(y))
    expected = stump().fit(X, y, w)
    for scale in (2.0**-1000, 2.0**1023):
        model = stump().fit(X, y, w * scale)
        assert (model.feature_, model.threshold_) == (expected.feature_, expected.threshold_)
        assert model.leaf_weights_ == pytest.approx(expected.leaf_weights_)


def test_gini_sees_a_light_side():
    X, y = [[0.0], [1.0], [2.0]], [0, 0, 1]
    model = stump("gini").fit(X, y, sample_weight=[1, 1, 1e-30])
    assert model.threshold_ == 0.5  # both thresholds leave nothing, up to rounding: the lower
    alone = stump("gini").fit(X[1:], y[1:], sample_weight=[1, 1e-30])
    assert alone.threshold_ == 1.5


def test_bad_weights_are_refused():
    for weights, said in (([1, -1], "at least 0, got -1"), ([0, 0], "must not be all 0")):
        with pytest.raises(ilk.InputError, match=said):
            stump().fit([[0.0], [1.0]], [0, 1], sample_weight=weights)


def test_one_class_is_an_error():
    with pytest.raises(ilk.InputError, match="decision_stump: y has 1 class"):
        stump().fit([[0.0], [1.0]], ["a", "a"])


def test_class_without_weight_stays_known():
    model = stump().fit([[0.0], [1.0], [2.0]], list("abc"), sample_weight=[1, 1, 0])
    assert model.classes_.tolist() == ["a", "b", "c"]
    assert model.predict([[0.0], [2.0]]).tolist() == ["a", "b"]


@st.composite
def repeated_fits(draw):
    """Tables with ties, labels of two classes, and weights that tie or nearly tie thresholds."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, p = draw(st.integers(6, 60)), draw(st.integers(1, 4))
    X = rng.integers(0, draw(st.integers(1, 40)), (n, p)).astype(float)
    X[:, -1] = X[:, 0] if draw(st.booleans()) else X[:, -1]
    y = np.append(rng.integers(0, 2, n - 2), [0, 1])
    nearly = 1 + rng.integers(0, 4, n) * n * 5e-14  # sums differ by about the rounding of ties
    weights = [np.ones(n), nearly, rng.random(n) + 1e-3, 10.0 ** rng.integers(-25, 3, n)]
    return X, y, draw(st.sampled_from(weights))


@given(repeated_fits())
def test_buckets_find_what_a_search_of_all_rows_finds(case):
    X, y, weights = case
    stump = ilk.classifier("decision_stump")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(decision_stump, "_MANY", 1)
        patch.setattr(decision_stump, "_BUCKET", 3)
        again = clone(stump).fit(X, y, weights, presorted=stump.presort(X))
    once = clone(stump).fit(X, y, weights)
    assert (again.feature_, again.threshold_) == (once.feature_, once.threshold_)
    np.testing.assert_array_equal(again.leaf_weights_, once.leaf_weights_)


def test_a_feature_of_near_ties_is_searched_as_a_whole(monkeypatch):
    n, unsure = 60, []
    rng = np.random.default_rng(3)
    usual = classifier_kernels.search_buckets
    monkeypatch.setattr(decision_stump, "_MANY", 1)
    monkeypatch.setattr(decision_stump, "_BUCKET", 3)
    monkeypatch.setattr(
        classifier_kernels, "search_buckets", lambda *a: (usual(*a), unsure.append(a[-1].min()))
    )
    stump = ilk.classifier("decision_stump")
    for _ in range(60):
        X, y = (
            rng.integers(0, 9, (n, 3)).astype(float),
            np.append(rng.integers(0, 2, n - 2), [0, 1]),
        )
        weights = 1 + rng.integers(0, 4, n) * n * 5e-14
        again = clone(stump).fit(X, y, weights, presorted=stump.presort(X))
        once = clone(stump).fit(X, y, weights)
        assert (again.feature_, again.threshold_) == (once.feature_, once.threshold_)
    assert -2 in unsure


def test_boosting_of_many_rows_is_that_of_fits_of_their_own(monkeypatch):
    monkeypatch.setattr(decision_stump, "_MANY", 1)
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=(9000, 3)), rng.integers(0, 4, (9000, 2))])
    y = (X[:, 0] + X[:, 3] + rng.normal(size=9000) > 1).astype(int)
    boosted = ilk.classifier("adaboost", n_members=12).fit(X, y)
    weights = np.full(9000, 1 / 9000)
    for member, alpha in zip(boosted.estimators_, boosted.alphas_, strict=True):
        alone = ilk.classifier("decision_stump").fit(X, y, weights)
        assert (alone.feature_, alone.threshold_) == (member.feature_, member.threshold_)
        weights = weights * np.exp(np.where(alone.predict(X) == y, -alpha, alpha))
        weights /= weights.sum()
