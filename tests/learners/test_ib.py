"""ib2 and ib3 against their pseudo-code, written with loops."""

import math
from collections import Counter
from functools import cache
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ilk
from cases import in_one_test


@st.composite
def labelled(draw, classes=3, most=30):
    """Points on a small grid, so that distances tie and points coincide, with labels."""
    n = draw(st.integers(2, most))
    points = st.tuples(st.integers(0, 4), st.integers(0, 4))
    X = np.array(draw(st.lists(points, min_size=n, max_size=n)), dtype=float)
    y = np.array(draw(st.lists(st.integers(0, classes - 1), min_size=n, max_size=n)))
    return X, y


def squares(X):
    return ((X[:, None] - X[None]) ** 2).sum(axis=-1)


def by_border(D, y):
    nun = [
        min((D[i, j] for j in range(len(y)) if y[j] != y[i]), default=np.inf) for i in range(len(y))
    ]
    return np.argsort(nun, kind="stable")


def edited(name, X, y, **parameters):
    editor = ilk.editor(name, **parameters)
    editor.fit_resample(X, y)
    return editor


def kept(name, X, y, **parameters):
    return edited(name, X, y, **parameters).sample_indices_.tolist()


def stored_wrong(D, y, order):
    store = []
    for i in order:
        if not store or y[min(store, key=lambda j: (D[i, j], j))] != y[i]:
            store.append(i)
    return sorted(store)


@given(labelled(), st.integers(0, 100))
def test_ib2_stores_what_it_gets_wrong(data, seed):
    X, y = data
    D = squares(X)
    random = np.random.RandomState(seed).permutation(len(y))
    assert kept("ib2", X, y) == stored_wrong(D, y, range(len(y)))
    assert kept("ib2", X, y, order="random", random_state=seed) == stored_wrong(D, y, random)
    assert kept("ib2", X, y, order="nun") == stored_wrong(D, y, by_border(D, y))


@given(labelled())
def test_ib2_is_the_beginning_of_cnn(data):
    X, y = data
    assert set(kept("ib2", X, y)) <= set(kept("cnn", X, y))


@cache
def interval(successes, trials, confidence):
    """The two proportions that are z deviations of their own from the one observed."""
    if trials == 0:
        return 0.0, 1.0
    z, p = NormalDist().inv_cdf((1 + confidence) / 2), successes / trials
    middle = p + z * z / (2 * trials)
    spread = z * math.sqrt(p * (1 - p) / trials + z * z / (4 * trials**2))
    return (middle - spread) / (1 + z * z / trials), (middle + spread) / (1 + z * z / trials)


class Trusting:
    """IB3 with lists only; draws are the numbers that choose where nobody is acceptable."""

    def __init__(self, D, y, accept=0.9, drop=0.7, draws=None):
        self.D, self.y, self.accept, self.drop, self.draws = D, y, accept, drop, draws
        self.store, self.seen, self.record = [], Counter(), {}

    def acceptable(self, j):
        frequency = interval(self.seen[self.y[j]], self.seen.total(), self.accept)
        return interval(*self.record[j], self.accept)[0] > frequency[1]

    def poor(self, j):
        frequency = interval(self.seen[self.y[j]], self.seen.total(), self.drop)
        return interval(*self.record[j], self.drop)[1] < frequency[0]

    def run(self, order):
        for place, x in enumerate(order):
            self.see(x, place)
        good = [j for j in self.store if self.acceptable(j)]
        return sorted(good or self.store), sorted(self.store)

    def see(self, x, place):
        near = self.D[x]
        good = [j for j in self.store if self.acceptable(j)]
        decides = min(good or self.store, key=lambda j: (near[j], j), default=None)
        if self.draws is not None and self.store and not good:
            decides = self.store[int(self.draws[place] * len(self.store))]
        self.seen[self.y[x]] += 1  # cases of each class
        within = [j for j in self.store if near[j] <= near[decides]]
        if decides is None or self.y[decides] != self.y[x]:
            self.store.append(x)
            self.record[x] = (0, 0)
        for j in within:
            right, tried = self.record[j]
            self.record[j] = (right + (self.y[j] == self.y[x]), tried + 1)
            if len(self.store) > 1 and self.poor(j):
                self.store.remove(j)


@given(
    labelled(),
    st.integers(0, 100),
    st.sampled_from([0.05, 0.3, 0.9]),
    st.sampled_from([0.05, 0.3, 0.7]),
    st.sampled_from(["given", "random", "nun"]),
    st.booleans(),
)
def test_ib3_is_what_its_steps_say(data, seed, accept, drop, order, draws):
    X, y = data
    D, rng = squares(X), np.random.RandomState(seed)
    seen = range(len(y))
    if order != "given":
        seen = rng.permutation(len(y)) if order == "random" else by_border(D, y)
    numbers = rng.random_sample(len(y)) if draws else None
    editor = edited(
        "ib3",
        X,
        y,
        accept=accept,
        drop=drop,
        order=order,
        fallback="random" if draws else "nearest",
        random_state=seed,
    )
    expected = Trusting(D, y, accept, drop, numbers).run([int(i) for i in seen])
    assert (editor.sample_indices_.tolist(), editor.stored_indices_.tolist()) == expected


@in_one_test
@pytest.mark.parametrize("fallback", ["nearest", "random"])
@pytest.mark.parametrize("seed", range(3))
def test_ib3_where_records_are_significant(fallback, seed):
    rng = np.random.RandomState(seed)
    y = rng.randint(2, size=400)
    X = np.round(3 * rng.normal(size=(400, 2))) + 6 * y[:, None]
    y[rng.random_sample(400) < 0.1] ^= 1
    again = np.random.RandomState(seed)
    draws = again.random_sample(400) if fallback == "random" else None
    good, stored = Trusting(squares(X), y, draws=draws).run(list(range(400)))
    editor = edited("ib3", X, y, fallback=fallback, random_state=seed)
    assert editor.sample_indices_.tolist() == good
    assert editor.stored_indices_.tolist() == stored
    assert 0 < len(good) < len(stored)


def test_ib3_leaves_noise_that_ib2_stores():
    rng = np.random.RandomState(0)
    y = rng.randint(2, size=1000)
    X, noisy = rng.normal(size=(1000, 2)) + 5 * y[:, None], rng.random_sample(1000) < 0.1
    y[noisy] ^= 1
    trusted, all_wrong = kept("ib3", X, y), kept("ib2", X, y)
    assert noisy[all_wrong].mean() > 0.3
    assert noisy[trusted].mean() < 0.05


def test_the_interval():
    from ilk_learners.editors.editing_kernels import endpoint

    z = NormalDist().inv_cdf(0.95)
    for successes, trials in [(0, 0), (0, 3), (2, 5), (7, 7), (300, 1000)]:
        low, high = interval(successes, trials, 0.9)
        assert endpoint(successes, trials, -z) == pytest.approx(low, abs=1e-14)
        assert endpoint(successes, trials, z) == pytest.approx(high, abs=1e-14)


@pytest.mark.parametrize("name", ["ib2", "ib3"])
@pytest.mark.parametrize("order", ["given", "random", "nun"])
def test_of_one_class_one_case_is_enough(name, order):
    X = np.random.default_rng(0).normal(size=(30, 2))
    assert len(kept(name, X, np.zeros(30), order=order, random_state=0)) == 1


def test_conflicting_twins():
    X, y = np.zeros((4, 2)), [0, 1, 0, 1]
    assert kept("ib2", X, y) == [0, 1, 3]  # the first of all decides always
    assert kept("ib3", X, y) == Trusting(np.zeros((4, 4)), y).run(range(4))[0]


def test_ib3_is_the_same_in_blocks_of_any_size(monkeypatch, blobs):
    from ilk_learners.editors import ib3

    X, y, _ = blobs
    expected = edited("ib3", X, y, accept=0.5)
    for size in (1, 7, 50):
        monkeypatch.setattr(ib3, "_BLOCK", size)
        found = edited("ib3", X, y, accept=0.5)
        assert found.sample_indices_.tolist() == expected.sample_indices_.tolist()
        assert found.stored_indices_.tolist() == expected.stored_indices_.tolist()


def test_a_wrong_confidence_is_named():
    with pytest.raises(ilk.ParameterError, match="ib3: accept must be .* got 1"):
        kept("ib3", [[0.0], [1.0]], [0, 1], accept=1.0)
