"""The ensemble `co_training`."""

import os
import re
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import parametrize_with_checks

import ilk
from cases import in_one_test
from ilk_ensembles.base.semi_supervised import class_growth, label_surest

VIEWS = {"left": [0, 1], "right": [2, 3]}


def make(n=200, classes=2, seed=0, apart=3.0):
    """Rows of which each view alone tells the classes, about."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % classes)
    X = rng.normal(size=(n, 4))
    X[:, 0] += apart * y
    X[:, 2] -= apart * y
    return X, np.array(["ant", "bee", "cat", "dog"])[y]


def masked(y, every=20):
    """Labels of every so many rows; "?" for the others."""
    some = y.astype("<U7")
    some[np.arange(len(y)) % every > 0] = "?"
    return some


def fitted(X, y, **parameters):
    given = {"views": VIEWS, "unlabeled": "?", "random_state": 0, **parameters}
    return ilk.classifier("co_training", **given).fit(X, y)


def slow(X, y, growth, n_rounds):
    """Co-training by table 1 of Blum and Mitchell, with all unlabelled rows for the pool."""
    labels = dict(enumerate(y.tolist()))
    labels = {row: label for row, label in labels.items() if label != "?"}
    history = []
    for number in range(1, n_rounds + 1):
        left = [row for row in range(len(X)) if row not in labels]
        if not left:
            break
        offers = {}
        known = sorted(labels)
        for name, view in VIEWS.items():
            member = GaussianNB().fit(X[known][:, view], [labels[row] for row in known])
            found = member.predict_proba(X[left][:, view])
            for code, label in enumerate(member.classes_):
                share = 1 / len(member.classes_)
                own = [(found[i, code], row) for i, row in enumerate(left)]
                own = [(sure, row) for sure, row in own if sure > share]
                for sure, row in sorted(own, reverse=True)[:growth]:
                    offers.setdefault(row, []).append((sure, label, name))
        for row in sorted(offers):
            sure, label, name = max(offers[row])
            labels[row] = label
            history.append((number, row, name, label, sure))
    return history


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("growth", [1, 4])
def test_agrees_with_the_printed_algorithm(classes, growth):
    X, y = make(120, classes, apart=2.0)
    y = masked(y, 6)
    ours = fitted(X, y, member=GaussianNB(), growth=growth, n_rounds=8, pool_size=None)
    expected = slow(X, y, growth, 8)
    got = ours.history_
    order = np.lexsort((got["row"], got["round"]))
    assert len(expected) > 8
    for at, column in enumerate(("round", "row", "view", "label")):
        np.testing.assert_array_equal(got[column][order], [entry[at] for entry in expected])
    np.testing.assert_allclose(got["confidence"][order], [e[4] for e in expected], rtol=1e-9)
    final = y.copy()
    final[got["row"]] = got["label"]
    rows = final != "?"
    parts = [
        GaussianNB().fit(X[rows][:, c], final[rows]).predict_proba(X[:, c]) for c in VIEWS.values()
    ]
    product = parts[0] * parts[1]
    np.testing.assert_allclose(
        ours.predict_proba(X), product / product.sum(axis=1, keepdims=True), rtol=1e-6, atol=1e-12
    )


def test_labels_what_is_true_and_helps():
    """Views that are independent given the class: five labels of each become nearly all."""
    X, y = make(1000, apart=2.5)
    rng = np.random.default_rng(1)
    scores = []
    for seed in range(8):
        some = np.full(len(y), "?", dtype="<U7")
        for label in ("ant", "bee"):
            rows = rng.permutation(np.flatnonzero(y == label))[:2]
            some[rows] = label
        before = fitted(X, some, n_rounds=0, random_state=seed).score(X, y)
        after = fitted(X, some, random_state=seed)
        scores.append((before, after.score(X, y)))
        assert (after.history_["label"] == y[after.history_["row"]]).mean() > 0.8
    assert np.mean([after - before for before, after in scores]) > 0.05


@pytest.mark.parametrize("seed", range(3))
def test_rare_class_is_not_lost(seed):
    """Growth counts never round to zero: peers then label everything as the common class."""
    rng = np.random.default_rng(seed)
    y = np.array(["common"] * 950 + ["rare"] * 50)
    X = rng.normal(size=(1000, 4))
    X[950:, [0, 2]] += 6
    some = y.astype("<U7")
    some[:910] = "?"
    some[953:] = "?"
    ours = fitted(X, some, random_state=seed)
    assert ours.growth_.tolist() == [10, 1]
    counts = Counter(ours.history_["label"].tolist())
    assert counts["rare"] >= 5
    assert (ours.predict(X[950:]) == "rare").mean() > 0.9


def test_rare_class_that_hardly_shows_keeps_its_share():
    """Views seldom find it the most probable, and still it grows with the other."""
    y = np.where(np.arange(2000) % 25 == 0, "rare", "common")
    before, after = [], []
    for seed in range(5):
        X = np.random.default_rng(seed).normal(size=(2000, 4))
        X[y == "rare"] += [2, 0, 2, 0]
        some = np.where(np.arange(2000) < 75, y, "?")
        models = [fitted(X, some, n_rounds=n, random_state=seed) for n in (0, 30)]
        assert 0.02 < (models[1].history_["label"] == "rare").mean() < 0.15
        found = [(model.predict(X)[y == "rare"] == "rare").mean() for model in models]
        before.append(found[0])
        after.append(found[1])
    assert np.mean(after) > np.mean(before) + 0.1


@in_one_test
@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ([5, 15], [1, 3]),
        ([1, 1, 1], [1, 1, 1]),
        ([2, 3], [1, 2]),
        ([1000, 1], [10, 1]),
        ([1, 40, 400], [1, 1, 10]),
        ([7, 7, 8], [1, 1, 1]),
    ],
)
def test_growth_by_class_shares(counts, expected):
    """B&M's 1 and 3 for one to three; at least 1 always."""
    counts = np.array(counts)
    found = class_growth(None, None, np.arange(len(counts)), counts)
    assert found.tolist() == expected


@given(st.lists(st.integers(1, 10**6), min_size=2, max_size=8))
def test_growth_is_never_zero(counts):
    found = class_growth(None, None, np.arange(len(counts)), np.array(counts))
    assert found.min() >= 1
    assert found.max() <= 10


def test_growth_of_each_class():
    X, y = make(200, 3)
    y = masked(y, 5)
    growth = {"bee": 2, "ant": 1, "cat": 3}
    ours = fitted(X, y, growth=growth, n_rounds=1, pool_size=None)
    assert ours.growth_.tolist() == [1, 2, 3]
    counts = Counter(ours.history_["label"].tolist())
    assert all(growth[label] <= counts[label] <= 2 * growth[label] for label in growth)
    numbers = ilk.classifier("co_training", views=VIEWS, growth={"1": 2, "0": 1}, unlabeled=-1)
    codes = np.unique(y, return_inverse=True)[1] - 1
    two = numbers.fit(X[codes < 2], codes[codes < 2])
    assert two.growth_.tolist() == [1, 2]


class TestLabelSurest:
    def test_view_labels_what_it_is_surest_of(self):
        outputs = np.array([[[0.9, 0.1], [0.6, 0.4], [0.7, 0.3]]])
        found = label_surest(outputs, np.array([2, 2]))
        assert found.at.tolist() == [0, 2]
        assert found.codes.tolist() == [0, 0]

    def test_rare_class_grows_though_never_most_probable(self):
        outputs = np.array([[[0.95, 0.05], [0.7, 0.3], [0.6, 0.4], [0.99, 0.01]]])
        found = label_surest(outputs, np.array([3, 1]))
        assert found.at.tolist() == [0, 2, 3]
        assert found.codes.tolist() == [0, 1, 0]

    def test_one_view_with_two_labels_for_a_row(self):
        found = label_surest(np.array([[[0.7, 0.3]]]), np.array([4, 1]))
        assert (found.at.tolist(), found.codes.tolist()) == ([0], [1])  # 0.7 is below 4/5
        found = label_surest(np.array([[[0.7, 0.3]]]), np.array([2, 1]))
        assert (found.at.tolist(), found.codes.tolist()) == ([0], [0])
        found = label_surest(np.array([[[0.5, 0.3, 0.2]]]), np.array([2, 1, 5]))
        assert found.codes.tolist() == [0]

    def test_row_that_tells_nothing_is_left(self):
        assert not len(label_surest(np.full((2, 3, 4), 0.25), np.ones(4, dtype=int)).at)

    def test_views_that_agree(self):
        outputs = np.array([[[0.9, 0.1]], [[0.95, 0.05]]])
        found = label_surest(outputs, np.array([1, 1]))
        assert (found.codes.tolist(), found.views.tolist()) == ([0], [1])
        assert found.confidence.tolist() == [0.95]

    def test_surer_view_decides_a_conflict(self):
        outputs = np.array([[[0.9, 0.1]], [[0.2, 0.8]]])
        found = label_surest(outputs, np.array([1, 1]))
        assert (found.codes.tolist(), found.views.tolist()) == ([0], [0])

    def test_equally_sure_views_leave_a_conflict(self):
        outputs = np.array([[[1.0, 0.0], [0.6, 0.4]], [[0.0, 1.0], [0.7, 0.3]]])
        found = label_surest(outputs, np.array([2, 2]))
        assert found.at.tolist() == [1]
        third = np.concatenate([outputs, [[[0.0, 1.0], [0.5, 0.5]]]])
        assert label_surest(third, np.array([2, 2])).at.tolist() == [1]

    def test_view_that_did_not_choose_a_row_has_no_say(self):
        outputs = np.array([[[0.9, 0.1], [0.95, 0.05]], [[0.3, 0.7], [0.4, 0.6]]])
        found = label_surest(outputs, np.array([1, 1]))
        assert found.at.tolist() == [0, 1]
        assert found.codes.tolist() == [1, 0]

    @given(st.integers(0, 2**32 - 1), st.integers(1, 4), st.integers(1, 30), st.integers(2, 4))
    def test_counts(self, seed, n_views, m, n_classes):
        rng = np.random.default_rng(seed)
        outputs = rng.dirichlet(np.ones(n_classes), size=(n_views, m)).round(1) + 1e-3
        outputs /= outputs.sum(axis=2, keepdims=True)
        growth = rng.integers(1, 4, size=n_classes)
        found = label_surest(outputs, growth)
        for at, code, view, confidence in zip(*found, strict=True):
            assert confidence == pytest.approx(outputs[view, at, code])
            assert confidence > growth[code] / growth.sum() - 1e-12
        for view in range(n_views):
            own = found.codes[found.views == view]
            assert (np.bincount(own, minlength=n_classes) <= growth).all()


def test_history():
    X, y = make(150)
    some = masked(y, 10)
    ours = fitted(X, some, pool_size=20)
    history = pd.DataFrame(ours.history_)
    assert list(history) == ["round", "row", "view", "label", "confidence"]
    assert history["row"].is_unique
    assert (some[history["row"]] == "?").all()
    assert history["round"].is_monotonic_increasing
    assert set(history["view"]) <= set(VIEWS)
    assert history["confidence"].between(0.5, 1).all()
    rounds = np.full(150, -1)
    rounds[some != "?"] = 0
    rounds[history["row"]] = history["round"]
    np.testing.assert_array_equal(ours.labeled_round_, rounds)
    assert ours.n_rounds_ == history["round"].max()


def test_stops_when_no_row_is_left():
    X, y = make(60)
    ours = fitted(X, masked(y, 6), n_rounds=500)
    assert (ours.labeled_round_ >= 0).all()
    assert ours.n_rounds_ < 50


def test_pool_is_all_that_a_round_looks_at():
    X, y = make(200)
    ours = fitted(X, masked(y, 10), pool_size=3, growth=50, n_rounds=4)
    assert Counter(ours.history_["round"].tolist()) == dict.fromkeys(range(1, 5), 3)
    ours = fitted(X, masked(y, 10), pool_size=None, growth=500)
    assert ours.n_rounds_ == 1
    assert len(ours.history_["row"]) == 180


def test_no_rounds_is_multiview_on_what_is_labelled():
    X, y = make(100)
    some = masked(y, 5)
    ours = fitted(X, some, n_rounds=0)
    rows = some != "?"
    other = ilk.classifier("multiview", views=VIEWS, combiner="product").fit(X[rows], y[rows])
    np.testing.assert_allclose(ours.predict_proba(X), other.predict_proba(X), rtol=1e-9)
    assert ours.n_rounds_ == 0
    assert all(len(column) == 0 for column in ours.history_.values())


@pytest.mark.parametrize("unlabeled", [None, "?"])
def test_all_labelled_is_multiview(unlabeled):
    X, y = make(100)
    ours = fitted(X, y, unlabeled=unlabeled)
    other = ilk.classifier("multiview", views=VIEWS, combiner="product").fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), other.predict_proba(X), rtol=1e-9)
    assert not ours.labeled_round_.any()


class TestUnlabeled:
    def test_nothing_is_unlabelled_unless_asked_for(self):
        X, y = make(60)
        codes = np.where(np.arange(60) % 3 > 0, -1, (y == "bee").astype(int))
        ours = fitted(X, codes, unlabeled=None)
        assert ours.classes_.tolist() == [-1, 0, 1]
        assert fitted(X, codes, unlabeled=-1).classes_.tolist() == [0, 1]

    @pytest.mark.parametrize(
        ("names", "mark"),
        [
            (["no", "yes"], "?"),
            ([0, 1], -1),
            ([1, 2], 0),
            ([-1, 1], 0),
            ([0.0, 1.0], -1),
            ([0, 1], "?"),
            ([False, True], -1),
            ([False, True], "none"),
        ],
        ids=str,
    )
    def test_mark_of_every_type(self, names, mark):
        X, y = make(80)
        codes = (y == "bee").astype(int)
        expected = fitted(X, np.where(np.arange(80) % 8 > 0, "?", y)).history_
        labels = [mark if i % 8 else names[code] for i, code in enumerate(codes)]
        for several in (labels, np.array(labels, dtype=object), pd.Series(labels, dtype=object)):
            ours = fitted(X, several, unlabeled=mark)
            assert ours.classes_.tolist() == names
            np.testing.assert_array_equal(ours.history_["row"], expected["row"])
            assert set(ours.predict(X).tolist()) == set(names)

    def test_zero_and_false_are_different(self):
        X, y = make(40)
        truth = (y == "bee").tolist()
        ours = fitted(X, truth, unlabeled=0)
        assert ours.classes_.tolist() == [False, True]
        assert not ours.labeled_round_.any()

    def test_categories(self):
        X, y = make(80)
        some = masked(y, 8)
        ours = fitted(X, pd.Series(some, dtype="category"))
        np.testing.assert_array_equal(ours.history_["row"], fitted(X, some).history_["row"])

    def test_all_unlabelled(self):
        with pytest.raises(ilk.InputError, match=r"co_training: y marks every row as .* \('\?'\)"):
            fitted(np.eye(4), ["?"] * 4)

    def test_one_labelled_class(self):
        with pytest.raises(ilk.InputError, match=r"co_training: y has 1 class \('a'\), at least 2"):
            fitted(np.eye(4), ["a", "a", "?", "?"])

    def test_errors_name_the_right_row(self):
        X = np.eye(4)
        with pytest.raises(ilk.InputError, match="y: has NaN or None at row 3"):
            fitted(X, ["?", "a", "b", None])
        X[3, 2] = np.nan
        with pytest.raises(ilk.InputError, match="co_training: view 'right' has NaN at row 3"):
            fitted(X, ["a", "b", "?", "?"])

    def test_class_with_one_labelled_row(self):
        X, y = make(60, 3)
        some = np.full(60, "?", dtype="<U7")
        for label in np.unique(y):
            some[np.flatnonzero(y == label)[0]] = label
        ours = fitted(X, some)
        assert ours.classes_.tolist() == ["ant", "bee", "cat"]
        assert np.isfinite(ours.predict_proba(X)).all()
        assert len(ours.history_["row"]) > 10

    def test_fewer_unlabelled_than_growth(self):
        X, y = make(30)
        some = y.astype("<U7")
        some[:2] = "?"
        ours = fitted(X, some, growth=25)
        assert sorted(ours.history_["row"]) == [0, 1]
        assert ours.n_rounds_ == 1


class TestLabeledFraction:
    @in_one_test
    @pytest.mark.parametrize("fraction", [0.05, 0.3, 1.0, 1e-6])
    def test_share_of_each_class(self, fraction):
        rng = np.random.default_rng(0)
        y = np.repeat(["a", "b", "c"], [200, 60, 3])
        X = rng.normal(size=(263, 4)) + np.repeat([0, 4, 8], [200, 60, 3])[:, None]
        ours = fitted(X, y, labeled_fraction=fraction)
        used = Counter(y[ours.labeled_round_ == 0].tolist())
        expected = {c: max(int(fraction * n + 0.5), 1) for c, n in Counter(y.tolist()).items()}
        assert used == expected

    def test_baseline_sees_the_same_labels(self):
        X, y = make(200)
        parameters = {"unlabeled": None, "labeled_fraction": 0.05, "random_state": 7}
        after, before = (fitted(X, y, n_rounds=n, **parameters) for n in (30, 0))
        used = after.labeled_round_ == 0
        np.testing.assert_array_equal(used, before.labeled_round_ == 0)
        other = ilk.classifier("multiview", views=VIEWS, combiner="product").fit(X[used], y[used])
        np.testing.assert_allclose(before.predict_proba(X), other.predict_proba(X), rtol=1e-9)
        again = fitted(X, y, **{**parameters, "random_state": 8})
        assert (used != (again.labeled_round_ == 0)).any()

    def test_beside_a_mark(self):
        X, y = make(200)
        some = masked(y, 2)
        ours = fitted(X, some, labeled_fraction=0.1)
        assert (ours.labeled_round_ == 0).sum() == 10
        assert (some[ours.labeled_round_ == 0] != "?").all()

    @in_one_test
    @pytest.mark.parametrize("fraction", [0, 1.5, -0.1, "some"])
    def test_wrong_fraction(self, fraction):
        with pytest.raises(ilk.ParameterError, match="co_training: labeled_fraction must be"):
            fitted(*make(20), labeled_fraction=fraction)


@pytest.mark.parametrize("combiner", ["product", "sum", "max", "min"])
@pytest.mark.parametrize("member", ["naive_bayes", "nearest_mean"])
def test_prediction_has_the_largest_probability(combiner, member):
    X, y = make(200, 4, apart=1.0)
    ours = fitted(X, masked(y, 5), combiner=combiner, member=member)
    expected = ours.classes_[ours.predict_proba(X).argmax(axis=1)]
    np.testing.assert_array_equal(ours.predict(X), expected)


def test_three_views_and_members_of_their_own():
    X, y = make(200)
    views = {**VIEWS, "both": [0, 2]}
    ours = fitted(X, masked(y, 10), views=views, members={"both": {"use": "knn", "k": 3}})
    assert [type(m).__name__ for m in ours.estimators_] == ["NaiveBayes", "NaiveBayes", "KNN"]
    assert ours.score(X, y) > 0.9
    assert set(ours.history_["view"]) == {"left", "right", "both"}


def test_rule_that_learns_and_labels():
    X, y = make(200)
    for combiner in ("stacking", "majority"):
        assert fitted(X, masked(y, 5), combiner=combiner).score(X, y) > 0.85


def test_halves_at_random_without_views():
    X, y = make(200)
    some = masked(y, 10)
    first, again = (fitted(X, some, views=None) for _ in range(2))
    assert first.views_ == ["first", "second"]
    columns = [c.tolist() for c in first.columns_.values()]
    assert sorted(np.concatenate(columns)) == [0, 1, 2, 3]
    assert columns == [c.tolist() for c in again.columns_.values()]
    drawn = {tuple(fitted(X, some, views=None, random_state=s).columns_["first"]) for s in range(8)}
    assert len(drawn) > 2
    table = fitted(pd.DataFrame(X, columns=[3, 2, 1, 0]), some, views=None)
    assert [c.tolist() for c in table.columns_.values()] == columns
    with pytest.raises(ilk.InputError, match=r"X has 1 feature\(s\), two views need at least 2"):
        fitted(X[:, :1], some, views=None)


def test_names_of_classes_do_not_matter():
    X, y = make(150, 3)
    some = masked(y, 10)
    names = {"ant": "x1", "bee": "x2", "cat": "x3", "?": "?"}
    other = fitted(X, np.array([names[label] for label in some])).history_
    ours = fitted(X, some).history_
    np.testing.assert_array_equal(other["row"], ours["row"])
    np.testing.assert_array_equal(other["label"], [names[label] for label in ours["label"]])


def test_threads_change_nothing():
    X, y = make(200)
    tree = {"use": "sklearn", "estimator": "ExtraTreeClassifier", "params": {"max_depth": 2}}
    one, two, other = (
        fitted(X, masked(y, 10), member=tree, n_jobs=jobs, random_state=seed)
        for jobs, seed in ((1, 0), (2, 0), (1, 1))
    )
    np.testing.assert_array_equal(one.predict_proba(X), two.predict_proba(X))
    for column, values in one.history_.items():
        np.testing.assert_array_equal(values, two.history_[column])
    assert (one.predict_proba(X) != other.predict_proba(X)).any()


def test_progress(capsys):
    X, y = make(100)
    fitted(X, masked(y, 10), n_rounds=3, verbose=2)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 3
    assert lines[0].startswith("co_training: 1 of 3 rounds")
    assert "rows labelled" in lines[0]


def test_data_frames():
    X, y = make(120)
    some = masked(y, 10)
    table = pd.DataFrame(X, columns=list("abcd"))
    ours = fitted(table, some, views={"left": ["a", "b"], "right": ["c", "d"]})
    np.testing.assert_array_equal(ours.history_["row"], fitted(X, some).history_["row"])
    assert ours.feature_names_in_.tolist() == list("abcd")


class Nothing(ClassifierMixin, BaseEstimator):
    """Gives NaN for every class."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return self.classes_[[0] * len(X)]

    def predict_proba(self, X):
        return np.full((len(X), len(self.classes_)), np.nan)


@pytest.mark.parametrize(
    ("member", "message"),
    [
        (SVC(), r"co_training: view 'right' \(SVC\): has no predict_proba"),
        (Nothing(), r"co_training: view 'right' \(Nothing\): gives the probability nan, for row 0"),
        ({"use": "knn", "k": 99}, r"co_training: view 'right' \(knn\): .*k must be at most"),
    ],
)
def test_failing_member_is_named(member, message):
    X, y = make(60)
    with pytest.raises(ilk.InputError, match=message):
        fitted(X, masked(y, 10), members={"right": member})


class Few(GaussianNB):
    """Cannot be fitted to more than so many rows."""

    def __init__(self, most=12):
        super().__init__()
        self.most = most

    def fit(self, X, y):
        if len(y) > self.most:
            raise ValueError("too many")
        return super().fit(X, y)


THREE = {"left": [0, 1], "right": [2, 3], "both": [0, 2]}


@pytest.mark.parametrize("n_jobs", [None, 2])
@pytest.mark.parametrize("member", [SVC(), Few(0), {"use": "knn", "k": 99}])
def test_failing_view_is_left_out(member, n_jobs):
    X, y = make(200)
    some = masked(y)
    given = {"views": THREE, "members": {"left": member}, "n_jobs": n_jobs}
    ours = fitted(X, some, **given, on_failure="drop")
    assert ours.views_ == ["right", "both"]
    assert list(ours.failures_) == ["left"]
    assert str(ours.failures_["left"]).startswith("co_training: view 'left'")
    rest = fitted(X, some, views={name: THREE[name] for name in ours.views_})
    np.testing.assert_array_equal(ours.predict_proba(X), rest.predict_proba(X))
    for name, column in rest.history_.items():
        np.testing.assert_array_equal(ours.history_[name], column)


def test_view_that_fails_in_a_later_round_is_left_out_from_there_on():
    X, y = make(200)
    some = masked(y)
    given = {"views": THREE, "members": {"left": Few(20)}}
    with pytest.raises(ilk.InputError, match=r"co_training: view 'left' \(Few\): too many"):
        fitted(X, some, **given)
    ours = fitted(X, some, **given, on_failure="drop")
    assert ours.views_ == ["right", "both"]
    assert list(ours.failures_) == ["left"]
    labelled = ours.history_["round"][ours.history_["view"] == "left"]
    sizes = [np.sum((ours.labeled_round_ >= 0) & (ours.labeled_round_ < r)) for r in range(1, 31)]
    assert 1 < labelled.max() < ours.n_rounds_ == 30
    assert labelled.max() == np.sum(np.array(sizes) <= 20)
    assert len(ours.estimators_) == 2


def test_two_views_must_be_left():
    X, y = make(200)
    members = {"left": Few(0), "both": Few(14)}
    with pytest.raises(
        ilk.InputError, match=r"co_training: one view is left, two are needed.*view 'both' \(Few\)"
    ):
        fitted(X, masked(y), views=THREE, members=members, on_failure="drop")
    with pytest.raises(ilk.InputError, match="co_training: every member failed; the first: .*left"):
        fitted(X, masked(y), member=Few(0), on_failure="drop")


def test_probabilities_are_needed_only_while_rows_are_labelled():
    X, y = make(60)
    assert fitted(X, y, member=SVC(), combiner="majority").score(X, y) > 0.9
    assert fitted(X, masked(y, 3), member=SVC(), combiner="majority", n_rounds=0).n_rounds_ == 0


@in_one_test
@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"views": {}}, "views must"),
        ({"views": {"a": [0]}}, "views must be two or more to label rows for each other, got 1"),
        ({"views": "data"}, "views is 'data', which an experiment replaces"),
        ({"views": {"a": [0], "b": [9]}}, r"views \['b'\] must give positions"),
        ({"members": {"rihgt": "knn"}}, "members must name views, got 'rihgt'.*'right'"),
        ({"growth": 0}, "growth must be"),
        ({"growth": {"ant": 1}}, r"growth must name every class, lacks \['bee'\]"),
        ({"growth": {"ant": 1, "be": 1}}, "growth must name classes, got 'be'.*'bee'"),
        ({"growth": {"ant": 1, "bee": 0}}, r"growth \['bee'\] must be an integer >= 1"),
        ({"pool_size": 0}, "pool_size must be"),
        ({"n_rounds": -1}, "n_rounds must be"),
        ({"reject_label": "?"}, "reject_label must not be the mark of unlabelled rows"),
        ({"reject_label": "bee"}, "reject_label must not be one of the classes"),
        ({"n_jobs": 0}, "n_jobs must not be 0"),
    ],
)
def test_wrong_parameters(parameters, message):
    X, y = make(40)
    with pytest.raises(ilk.ParameterError, match=f"co_training: {message}"):
        fitted(X, masked(y, 10), **parameters)


DATA = Path(os.environ.get("ILK_DATA", Path(__file__).parents[2] / ".." / "shared" / "data"))


@pytest.mark.skipif(not (DATA / "datasets.toml").exists(), reason="needs the folder of data sets")
def test_handwritten_digits_with_five_labels_in_a_hundred():
    data = ilk.dataset("folder", path=DATA, name="mfeat").load()
    X, y = data.table(), data.y
    model = ilk.classifier("co_training", views="data", labeled_fraction=0.05, random_state=0)
    ilk.with_views(model, data.views)
    after = model.fit(X[::2], y[::2]).score(X[1::2], y[1::2])
    before = model.set_params(n_rounds=0).fit(X[::2], y[::2]).score(X[1::2], y[1::2])
    assert after > before + 0.02


@pytest.mark.slow
@parametrize_with_checks([ilk.classifier("co_training")])
def test_scikit_learns_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize(
    ("given", "mark", "label"),
    [
        ("?", "? ", "'? '"),
        (" ?", "?", "'?'"),
        ("-1", -1, "-1"),
        (-1, "-1", "'-1'"),
    ],
)
def test_mark_that_reads_as_a_label_is_refused(given, mark, label):
    """Else all rows would be taken as labelled, the mark being one more class."""
    X, y = make(60)
    labels = y.astype(object) if isinstance(mark, int) else np.array([f"c{c}" for c in y])
    labels = labels.astype(object)
    labels[::3] = mark
    model = ilk.classifier("co_training", views=VIEWS, unlabeled=given)
    with pytest.raises(
        ilk.InputError, match=re.escape(f"unlabeled is {given!r}, but y has {label}")
    ):
        model.fit(X, labels)
