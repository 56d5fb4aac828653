"""cnn, snn and reduced_nn against their definitions, written with loops."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ilk


@st.composite
def labelled(draw, classes=3, most=25):
    """Points on a small grid, so that distances tie and points coincide, with labels."""
    n = draw(st.integers(2, most))
    points = st.tuples(st.integers(0, 4), st.integers(0, 4))
    X = np.array(draw(st.lists(points, min_size=n, max_size=n)), dtype=float)
    y = np.array(draw(st.lists(st.integers(0, classes - 1), min_size=n, max_size=n)))
    return X, y


def distances(X):
    return np.sqrt(((X[:, None] - X[None]) ** 2).sum(axis=-1))


def nearest(D, i, among):
    """Number of the nearest case, ties by lower number."""
    return min(among, key=lambda j: (D[i, j], j))


def possible(D, y):
    """Cases without an equal case of another class."""
    return [i for i in range(len(y)) if not ((D[i] == 0) & (y != y[i])).any()]


def kept(name, X, y, **parameters):
    editor = ilk.editor(name, **parameters)
    editor.fit_resample(X, y)
    return editor.sample_indices_.tolist()


def condensed(D, y, order):
    store = []
    while True:
        before = len(store)
        for i in order:
            if i not in store and (not store or y[nearest(D, i, store)] != y[i]):
                store.append(i)
        if len(store) == before:
            return sorted(store)


@given(labelled())
def test_cnn_is_what_hart_describes(data):
    X, y = data
    assert kept("cnn", X, y) == condensed(distances(X), y, range(len(y)))


@given(labelled(), st.integers(0, 100))
def test_cnn_in_other_orders(data, seed):
    X, y = data
    D = distances(X)
    order = np.random.RandomState(seed).permutation(len(y))
    assert kept("cnn", X, y, order="random", random_state=seed) == condensed(D, y, order)
    nun = [
        min((D[i, j] for j in range(len(y)) if y[j] != y[i]), default=np.inf) for i in range(len(y))
    ]
    assert kept("cnn", X, y, order="nun") == condensed(D, y, np.argsort(nun, kind="stable"))


@pytest.mark.parametrize("name", ["cnn", "snn", "reduced_nn"])
@given(data=labelled())
def test_what_is_kept_classifies_every_case(name, data):
    X, y = data
    D, store = distances(X), kept(name, X, y)
    for i in possible(D, y):
        assert y[nearest(D, i, store)] == y[i]


def test_a_consistent_set_by_the_classifier(blobs):
    X, y, _ = blobs
    for name in ("cnn", "snn", "reduced_nn"):
        X_kept, y_kept = ilk.editor(name).fit_resample(X, y)
        assert len(y_kept) < len(y)
        assert ilk.classifier("knn", k=1).fit(X_kept, y_kept).score(X, y) == 1


def covering(D, y):
    """Greedy cover of each class by the matrix of what covers what."""
    n = len(y)
    nun = [min((D[i, j] for j in range(n) if y[j] != y[i]), default=np.inf) for i in range(n)]
    covers = np.array([[y[i] == y[j] and D[i, j] < nun[i] for i in range(n)] for j in range(n)])
    open_, chosen = covers.any(axis=0), []
    while open_.any():
        best = int((covers & open_).sum(axis=1).argmax())
        chosen.append(best)
        open_ &= ~covers[best]
    return covers, sorted(chosen)


@given(labelled())
def test_snn_covers_every_case_that_can_be(data):
    X, y = data
    covers, chosen = covering(distances(X), y)
    found = kept("snn", X, y)
    assert covers[found].any(axis=0).tolist() == covers.any(axis=0).tolist()
    assert found == chosen


@given(labelled(most=40), st.sampled_from([1, 2, 5]))
def test_snn_is_the_same_however_many_are_looked_at_together(data, few):
    from ilk_learners.editors import snn

    X, y = data
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(snn, "_CANDIDATES", few)
        assert kept("snn", X, y) == covering(distances(X), y)[1]


def test_snn_ends_where_no_case_is_near_itself():
    """Nothing covers a case that is farther from itself than from one of another class."""
    D = np.random.default_rng(0).random((40, 40)) + np.eye(40)
    y = np.arange(40) % 2
    editor = ilk.editor("snn", distance=ilk.distance("precomputed", matrix=D))
    editor.fit_resample(np.arange(40), y)
    covers, chosen = covering(D, y)
    assert 0 < covers.any(axis=0).sum() < 40
    assert editor.sample_indices_.tolist() == chosen


def test_snn_leaves_a_class_out_that_nothing_covers():
    X = [[0.0], [0.0], [3.0], [4.0]]
    assert kept("snn", X, list("abbb")) == [2]


def test_snn_keeps_away_from_the_border():
    X = [[0.0], [1.0], [2.0], [4.0], [5.0], [6.0]]
    assert kept("snn", X, list("aaabbb")) == [1, 3]
    assert kept("cnn", X, list("aaabbb")) == [0, 3]


def reduced(D, y, start, order, check_self):
    store = list(start)
    for case in order:
        if case not in store or len(store) == 1:
            continue
        rest = [j for j in store if j != case]
        asked = [i for i in range(len(y)) if check_self or i != case]
        before = [y[nearest(D, i, store)] == y[i] for i in asked]
        after = [y[nearest(D, i, rest)] == y[i] for i in asked]
        if all(a or not b for a, b in zip(after, before, strict=True)):
            store = rest
    return sorted(store)


@given(labelled(most=18), st.booleans(), st.booleans())
def test_reduced_nn_is_what_gates_describes(data, check_self, whole):
    X, y = data
    D, cases = distances(X), range(len(y))
    start = cases if whole else condensed(D, y, cases)
    found = kept("reduced_nn", X, y, start="all" if whole else "cnn", check_self=check_self)
    assert found == reduced(D, y, start, cases, check_self)


@given(labelled())
def test_reduced_nn_begins_with_the_condensed_set(data):
    X, y = data
    assert set(kept("reduced_nn", X, y)) <= set(kept("cnn", X, y))


@pytest.mark.parametrize("name", ["cnn", "snn", "reduced_nn"])
def test_of_one_class_one_case_is_enough(name):
    X = np.random.default_rng(0).normal(size=(30, 2))
    assert len(kept(name, X, np.zeros(30))) == 1


@pytest.mark.parametrize("name", ["cnn", "reduced_nn"])
def test_equal_cases_of_different_classes_end(name):
    X, y = np.zeros((6, 2)), [0, 1, 2, 0, 1, 2]
    found = kept(name, X, y)
    assert 0 in found
    assert len(found) <= 6


def test_cnn_is_the_same_in_blocks_of_any_size(monkeypatch, blobs):
    from ilk_learners.editors import cnn

    X, y, _ = blobs
    expected = kept("cnn", X, y)
    for size in (1, 2, 7, 1000):
        monkeypatch.setattr(cnn, "_BLOCK", size)
        monkeypatch.setattr(cnn, "_FEW", size - 1)
        assert kept("cnn", X, y) == expected


def test_a_wrong_order_is_named():
    with pytest.raises(ilk.ParameterError, match="cnn: order must be .* got 'sorted'"):
        kept("cnn", [[0.0], [1.0]], [0, 1], order="sorted")
