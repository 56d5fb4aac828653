"""renn, all_knn and class_outliers against their definitions and imbalanced-learn."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from imblearn.under_sampling import AllKNN, RepeatedEditedNearestNeighbours

import ilk
from cases import in_one_test


@st.composite
def labelled(draw, classes=3, least=6, most=30):
    """Points on a small grid, so that distances tie and points coincide, with labels."""
    n = draw(st.integers(least, most))
    points = st.tuples(st.integers(0, 5), st.integers(0, 5))
    X = np.array(draw(st.lists(points, min_size=n, max_size=n)), dtype=float)
    y = np.array(draw(st.lists(st.integers(0, classes - 1), min_size=n, max_size=n)))
    return X, y


def kept(name, X, y, **parameters):
    editor = ilk.editor(name, **parameters)
    editor.fit_resample(X, y)
    return editor.sample_indices_.tolist()


def edited(X, y, rows, k, **parameters):
    """Rows that one pass of enn keeps of some."""
    return [rows[i] for i in kept("enn", X[rows], y[rows], k=k, **parameters)]


def variants():
    return st.fixed_dictionaries(
        {
            "rule": st.sampled_from(["plurality", "all"]),
            "ties": st.sampled_from(["keep", "remove", "nearest"]),
        }
    )


@given(labelled(), st.integers(1, 4), variants())
def test_renn_is_enn_again_and_again(data, k, variant):
    X, y = data
    rows = list(range(len(y)))
    while len(rows) > 1:
        left = edited(X, y, rows, min(k, len(rows) - 1), **variant)
        if left == rows:
            break
        rows = left
    assert kept("renn", X, y, k=k, **variant) == rows


@given(labelled(), st.integers(1, 4), st.integers(1, 3))
def test_renn_stops_after_as_many_passes(data, k, passes):
    X, y = data
    rows = list(range(len(y)))
    for _ in range(passes):
        if len(rows) > 1:
            rows = edited(X, y, rows, min(k, len(rows) - 1))
    assert kept("renn", X, y, k=k, max_passes=passes) == rows


def test_renn_is_a_fixed_point_of_enn():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(600, 4))
    y = (X[:, 0] + rng.normal(size=600) > 0).astype(int)
    X_kept, y_kept = ilk.editor("renn", k=5).fit_resample(X, y)
    assert len(y_kept) < len(kept("enn", X, y, k=5))
    assert len(kept("enn", X_kept, y_kept, k=5)) == len(y_kept)


@in_one_test
@pytest.mark.parametrize(("rule", "kind_sel"), [("plurality", "mode"), ("all", "all")])
@pytest.mark.parametrize("k", [1, 3, 5])
def test_renn_is_imbalanced_learns_where_that_comes_to_an_end(rule, kind_sel, k):
    # The one class stays much smaller than the other, so that the peer does not stop early.
    rng = np.random.default_rng(k)
    X = rng.normal(size=(500, 2))
    y = (X[:, 0] + 0.7 * rng.normal(size=500) > 1.2).astype(int)
    peer = RepeatedEditedNearestNeighbours(
        kind_sel=kind_sel, sampling_strategy="all", n_neighbors=k, max_iter=1000
    )
    X_peer, y_peer = peer.fit_resample(X, y)
    assert len(kept("enn", X_peer, y_peer, k=k, rule=rule)) == len(y_peer)
    assert kept("renn", X, y, k=k, rule=rule) == sorted(peer.sample_indices_.tolist())


def test_renn_goes_on_where_a_peer_stops():
    """A class may become the smaller one, and vanish."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 2))
    y = (rng.random(120) < 0.45).astype(int)
    peer = RepeatedEditedNearestNeighbours(kind_sel="all", sampling_strategy="all")
    X_peer, y_peer = peer.fit_resample(X, y)
    assert len(kept("enn", X_peer, y_peer, rule="all")) < len(y_peer)
    ours = kept("renn", X, y, rule="all")
    assert len(kept("enn", X[ours], y[ours], rule="all")) == len(ours) < len(y_peer)


@given(labelled(), st.integers(1, 4), variants())
def test_all_knn_flags_for_every_number(data, k, variant):
    X, y = data
    rows = list(range(len(y)))
    expected = set(rows)
    for fewer in range(1, k + 1):
        expected &= set(edited(X, y, rows, fewer, **variant))
    assert kept("all_knn", X, y, k=k, **variant) == sorted(expected)


@given(labelled(), st.integers(1, 4), variants())
def test_all_knn_by_turns(data, k, variant):
    X, y = data
    rows = list(range(len(y)))
    for fewer in range(1, k + 1):
        if len(rows) > fewer:
            rows = edited(X, y, rows, fewer, **variant)
    assert kept("all_knn", X, y, k=k, sequential=True, **variant) == rows


def test_all_knn_by_turns_is_imbalanced_learns():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(300, 3))
    y = (X[:, 0] + rng.normal(size=300) > 0.3).astype(int)
    peer = AllKNN(kind_sel="all", sampling_strategy="all", n_neighbors=3, allow_minority=True)
    peer.fit_resample(X, y)
    ours = kept("all_knn", X, y, k=3, rule="all", sequential=True)
    assert ours == sorted(peer.sample_indices_.tolist())


@given(labelled(), st.integers(1, 5), st.data())
def test_class_outliers_count_neighbours_of_other_classes(data, k, more):
    X, y = data
    r = more.draw(st.integers(0, k - 1))
    D = np.sqrt(((X[:, None] - X[None]) ** 2).sum(axis=-1))
    expected = []
    for i in range(len(y)):
        others = sorted((j for j in range(len(y)) if j != i), key=lambda j: (D[i, j], j))[:k]
        if sum(y[j] != y[i] for j in others) <= r:
            expected.append(i)
    assert kept("class_outliers", X, y, k=k, r=r) == expected


def test_class_outliers_are_those_of_knn(blobs):
    X, y, _ = blobs
    found = ilk.classifier("knn", k=5).fit(X, y).class_outliers(2)
    left = kept("class_outliers", X, y, k=5, r=2)
    assert sorted([*np.asarray(found).tolist(), *left]) == list(range(len(y)))
    assert kept("class_outliers", X, y) == left


@pytest.mark.parametrize("r", [3, 7])
def test_an_r_that_no_case_exceeds_is_refused(r):
    with pytest.raises(
        ilk.ParameterError, match=rf"class_outliers: r must be less than k = 3.*{r}"
    ):
        kept("class_outliers", [[0.0]] * 9, [0, 1, 2] * 3, k=3, r=r)


@pytest.mark.parametrize("name", ["renn", "all_knn", "class_outliers"])
def test_too_few_cases_are_named(name):
    with pytest.raises(ilk.InputError, match=rf"{name}: k must be at most 3, .*got 4"):
        kept(name, [[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1], k=4)
