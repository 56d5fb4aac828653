"""The ensemble `random_subspace`."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.ensemble import BaggingClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

import ilk
from cases import in_one_test


@pytest.fixture(scope="module")
def wine():
    return ilk.dataset("wine").load().Xy


def spread(X, y, member="nearest_mean", n_members=10, random_state=0, **parameters):
    ours = ilk.classifier(
        "random_subspace",
        member=member,
        n_members=n_members,
        random_state=random_state,
        **parameters,
    )
    return ours.fit(X, y)


def test_members_are_those_that_scikit_learn_fits_to_the_same_columns(wine):
    X, y = wine
    theirs = BaggingClassifier(
        GaussianNB(), 8, bootstrap=False, max_features=0.5, random_state=0
    ).fit(X, y)
    ours = spread(X, y, GaussianNB(), 8)
    fits = [GaussianNB().fit(X[:, columns], y) for columns in ours.features_]
    theirs.estimators_, theirs.estimators_features_ = fits, ours.features_
    for fit in fits:  # scikit-learn's ensemble fits members to codes
        fit.classes_ = np.arange(3)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X))
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


@given(st.integers(1, 9), st.floats(0.01, 1), st.integers(0, 1000))
def test_columns_are_drawn_without_replacement(p, share, seed):
    X, y = np.random.default_rng(0).normal(size=(8, p)), np.arange(8) % 2
    ours = spread(X, y, n_members=4, max_features=share, random_state=seed)
    for columns in ours.features_:
        assert len(columns) == max(round(share * p), 1)
        assert (np.diff(columns) > 0).all()
        assert columns.max() < p


def test_every_column_is_drawn_as_often():
    X, y = np.random.default_rng(0).normal(size=(6, 10)), np.arange(6) % 2
    ours = spread(X, y, n_members=500, max_features=3)
    counts = np.bincount(np.concatenate(ours.features_), minlength=10)
    assert abs(counts / 500 - 0.3).max() < 0.08


def test_all_columns_is_the_member_itself(wine):
    X, y = wine
    ours = spread(X, y, GaussianNB(), 3, max_features=1.0)
    np.testing.assert_allclose(ours.predict_proba(X), GaussianNB().fit(X, y).predict_proba(X))


def test_all_rows_are_shown_by_default(wine):
    for rows in spread(*wine).rows_:
        np.testing.assert_array_equal(rows, np.arange(178))


def test_stable_members_gain_from_it():
    """Nearest neighbours among many columns that say similar things (Ho 1998)."""
    X, y = ilk.dataset("digits").load().Xy
    noisy = X + np.random.default_rng(0).normal(scale=9, size=X.shape)
    one = KNeighborsClassifier(1).fit(noisy[::6], y[::6])
    ours = spread(noisy[::6], y[::6], KNeighborsClassifier(1), 30)
    assert ours.score(noisy[1::6], y[1::6]) > one.score(noisy[1::6], y[1::6]) + 0.02


def test_out_of_bag_equals_a_slow_recount(wine):
    X, y = wine[0][::4], wine[1][::4]
    ours = spread(X, y, GaussianNB(), 6, replace=True, oob_score=True, stratified=True)
    for row in range(len(X)):
        said = [
            member.predict_proba(X[row : row + 1, columns])[0]
            for member, rows, columns in zip(
                ours.estimators_, ours.rows_, ours.features_, strict=True
            )
            if row not in rows
        ]
        expected = np.mean(said, axis=0) if said else np.full(3, np.nan)
        np.testing.assert_allclose(ours.oob_decision_function_[row], expected)
    known = ~np.isnan(ours.oob_decision_function_[:, 0])
    found = ours.classes_[ours.oob_decision_function_[known].argmax(axis=1)]
    assert ours.oob_error_ == pytest.approx(np.mean(found != y[known]))
    assert ours.n_never_out_of_bag_ == len(X) - known.sum()


def test_error_out_of_bag_needs_rows_left_out(wine):
    with pytest.raises(ilk.ParameterError, match="random_subspace: oob_score needs rows that"):
        spread(*wine, oob_score=True)


@pytest.mark.parametrize("jobs", [2, -1])
def test_threads_change_nothing(wine, jobs):
    X, y = wine
    member = DecisionTreeClassifier(max_features=2)
    one, many = (spread(X, y, member, n_jobs=n) for n in (1, jobs))
    np.testing.assert_array_equal(one.predict_proba(X), many.predict_proba(X))


def test_more_members_leave_the_first_as_they_are(wine):
    few, many = (spread(*wine, n_members=n) for n in (3, 8))
    for one, other in zip(few.features_, many.features_, strict=False):
        np.testing.assert_array_equal(one, other)


def test_stages_are_smaller_ensembles(wine):
    X, y = wine
    for count, labels in enumerate(spread(X, y, n_members=5).staged_predict(X), start=1):
        np.testing.assert_array_equal(labels, spread(X, y, n_members=count).predict(X))


def test_dropped_members_take_their_columns_along(wine):
    X, y = wine

    class Picky(GaussianNB):
        def fit(self, X, y, sample_weight=None):
            if X[0, 0] > 10:
                raise ValueError("cannot be fitted")
            return super().fit(X, y, sample_weight)

    ours = spread(X, y, Picky(), on_failure="drop")
    assert 0 < len(ours.failures_) < 10
    assert len(ours.features_) == len(ours.estimators_) == 10 - len(ours.failures_)
    assert all(X[0, columns[0]] <= 10 for columns in ours.features_)
    said = [
        member.predict_proba(X[:, columns])
        for member, columns in zip(ours.estimators_, ours.features_, strict=True)
    ]
    np.testing.assert_allclose(ours.predict_proba(X), np.mean(said, axis=0))
    with pytest.raises(
        ilk.InputError, match=r"random_subspace: members\[\d\], on the sample drawn"
    ):
        spread(X, y, Picky())


def test_weights_are_repetition_where_all_rows_are_shown(wine):
    X, y = wine
    weights = np.random.default_rng(0).integers(0, 3, len(y))
    every = np.repeat(np.arange(len(y)), weights)
    ours = ilk.classifier(
        "random_subspace", member="decision_stump", max_features=3, random_state=0
    )
    weighted = ours.fit(X, y, sample_weight=weights).predict_proba(X)
    repeated = ours.fit(X[every], y[every]).predict_proba(X)
    np.testing.assert_allclose(weighted, repeated)


def test_tables_with_nominal_columns():
    data = ilk.dataset("tic_tac_toe").load()
    X, y = data.X, data.y
    member = {"use": "knn", "k": 1, "distance": "heterogeneous"}
    ours = spread(X[::4], y[::4], member, 15, max_features=6)
    assert ours.score(X[1::4], y[1::4]) > 0.75
    assert [len(columns) for columns in ours.features_] == [6] * 15
    own = ours.estimators_[0].predict(X.iloc[1::4, ours.features_[0]])
    assert own.shape == (240,)


def test_columns_of_tables_are_theirs_by_name(wine):
    X, y = wine
    table = pd.DataFrame(X, columns=[f"c{i}" for i in range(13)])
    ours = spread(table, y, "knn")
    assert ours.feature_names_in_.tolist() == list(table.columns)
    np.testing.assert_array_equal(ours.predict(table), spread(X, y, "knn").predict(X))
    with pytest.raises(ilk.InputError, match="random_subspace: X: The feature names"):
        ours.predict(table[table.columns[::-1]])


def test_polars_frames(wine):
    polars = pytest.importorskip("polars")
    X, y = wine
    frame = polars.DataFrame({f"c{i}": X[:, i] for i in range(13)})
    ours = spread(frame, y, replace=True, oob_score=True)
    plain = spread(X, y, replace=True, oob_score=True)
    np.testing.assert_allclose(ours.predict_proba(frame), plain.predict_proba(X))
    assert ours.oob_error_ == plain.oob_error_


def test_sparse_matrices(wine):
    sparse = pytest.importorskip("scipy.sparse")
    X, y = wine
    member = DecisionTreeClassifier(random_state=0)
    expected = spread(X, y, member).predict_proba(X)
    got = spread(sparse.coo_matrix(X), y, member).predict_proba(sparse.csc_matrix(X))
    np.testing.assert_array_equal(got, expected)


@in_one_test
@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"max_features": 14}, "max_features must be at most 13, got 14"),
        ({"max_features": 1.5}, "max_features must be a share of at most 1 or a whole number"),
        ({"max_features": 0}, "max_features must be"),
        ({"max_samples": 179}, "max_samples must be at most 178 without replacement"),
    ],
)
def test_bad_parameters_are_named(wine, parameters, message):
    with pytest.raises(ilk.ParameterError, match=f"random_subspace: {message}"):
        spread(*wine, **parameters)


@pytest.mark.parametrize("X", [["a", "b"], [1.0, 2.0], [[1.0], [2.0, 3.0]]], ids=str)
def test_what_has_no_columns_is_refused(X):
    with pytest.raises(ilk.InputError, match="random_subspace: X"):
        spread(X, ["a", "b"])


def test_missing_cell_is_named_by_its_own_column(wine):
    X, y = wine
    X = X.copy()
    X[100, 4] = np.nan
    with pytest.raises(ilk.InputError, match="random_subspace: X has NaN at row 100, column 4"):
        spread(X, y)


@pytest.mark.parametrize("names", [["no", "yes"], [-1, 1], [False, True]], ids=str)
def test_names_of_classes_do_not_matter(wine, names):
    X, y = wine
    codes = (y == "class_0").astype(int)
    labels = np.array(names)[codes]
    got = spread(X, labels, "decision_tree").predict(X)
    np.testing.assert_array_equal(
        got, np.array(names)[spread(X, codes, "decision_tree").predict(X)]
    )
