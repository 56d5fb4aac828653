"""Neighbours under the earth mover's distance: pruned search against brute force, bit for bit."""

import numpy as np
import pytest

import ilk
from cases import in_one_test


def emd(**parameters):
    return ilk.distance("emd", **parameters)


def assert_as_brute(d, Q, X, k):
    handle = d.prepare(X)
    near, where = handle.nearest(Q, k)
    expected = ilk.nearest_blocked(d, Q, X, k)
    np.testing.assert_array_equal(near, expected[0])
    np.testing.assert_array_equal(where, expected[1])
    assert near.dtype == expected[0].dtype
    found = d.kneighbors(Q, X, k)
    np.testing.assert_array_equal(found[0], near)
    np.testing.assert_array_equal(found[1], where)
    return handle


@pytest.fixture
def signatures():
    rng = np.random.default_rng(0)
    centres = rng.normal(size=(120, 3)) * 3

    def one(centre):
        m = rng.integers(2, 9)
        return rng.normal(size=(m, 3)) + centre, rng.dirichlet(np.ones(m))

    return [one(centre) for centre in centres]


GROUNDS = ["euclidean", "manhattan", "chebyshev", {"use": "minkowski", "p": 3}, "canberra"]


@in_one_test
@pytest.mark.parametrize("ground", [*GROUNDS, {"use": "euclidean", "weights": [1, 0, 4]}], ids=str)
def test_signatures_with_duplicates(signatures, ground):
    X = signatures + signatures[:40]
    handle = assert_as_brute(emd(ground=ground), signatures[:6], X, 5)
    assert 0 < handle.n_solved_ < 6 * len(X)


def test_bounds_spare_most_solutions(signatures):
    X = [(P + 1e6, w) for P, w in signatures]  # far from the origin, too
    handle = assert_as_brute(emd(), X[:10], X, 1)
    assert handle.n_solved_ <= 0.25 * 10 * len(X)


def test_masses_that_differ(signatures):
    X = [(P, w * (1 + i % 3)) for i, (P, w) in enumerate(signatures)]
    assert_as_brute(emd(extra_mass_penalty=0.5), X[:6], X, 4)
    assert_as_brute(emd(), X[:6], X, 4)
    handle = assert_as_brute(emd(normalize=True), X[:6], X, 4)
    assert handle.n_solved_ < 0.5 * 6 * len(X)


def test_float32(signatures):
    X = [(P.astype(np.float32), w.astype(np.float32)) for P, w in signatures]
    assert_as_brute(emd(), X[:6], X + X[:30], 7)


@in_one_test
@pytest.mark.parametrize(
    "parameters",
    [{}, {"period": 16}, {"positions": True}, {"matrix": True}, {"matrix": False}],
    ids=str,
)
def test_histograms_with_ties(parameters):
    rng = np.random.default_rng(1)
    X = rng.integers(0, 3, (80, 16)) + np.eye(16)[rng.integers(0, 16, 80)]
    grid = np.argwhere(np.ones((4, 4))).astype(float)
    if "positions" in parameters:
        parameters = {"positions": grid}
    elif "matrix" in parameters:
        metric = np.abs(grid[:, None] - grid).sum(axis=2)
        parameters = {"matrix": metric if parameters["matrix"] else metric**2 + np.tri(16)}
    for normalize in (True, False):
        assert_as_brute(emd(normalize=normalize, **parameters), X[:5], np.vstack([X, X[:9]]), 6)


def test_every_object_and_one_object(signatures):
    assert_as_brute(emd(), signatures[:3], signatures, len(signatures))
    assert_as_brute(emd(), signatures[:3], signatures[:1], 1)
    alike = [signatures[0]] * 30
    _, where = emd().kneighbors(alike[:2], alike, 5)
    np.testing.assert_array_equal(where, [[0, 1, 2, 3, 4]] * 2)


def test_many_dimensions():
    rng = np.random.default_rng(0)
    X = [(rng.normal(size=(4, 40)), rng.dirichlet(np.ones(4))) for _ in range(50)]
    assert_as_brute(emd(), X[:3], X, 4)


def test_as_an_index(signatures):
    index = ilk.index("brute").fit(signatures, distance=emd(normalize=True))
    near, where = index.kneighbors(signatures[:4], 3)
    expected = ilk.nearest_blocked(emd(normalize=True), signatures[:4], signatures, 3)
    np.testing.assert_array_equal(where, expected[1])
    np.testing.assert_array_equal(near, expected[0])
    tree = ilk.index("cover_tree").fit(signatures, distance=emd(normalize=True))
    np.testing.assert_array_equal(tree.kneighbors(signatures[:4], 3)[1], expected[1])
    with pytest.raises(ValueError, match="metric"):
        ilk.index("cover_tree").fit(signatures, distance=emd())


def test_the_number_of_neighbours_is_checked(signatures):
    for k in (0, 121):
        with pytest.raises(ilk.InputError, match=f"{k}"):
            emd().prepare(signatures).nearest(signatures[:2], k)
