"""Seeds and counts of every kind that numpy has."""

import numpy as np
import pytest

import ilk


@pytest.mark.parametrize(
    "make", [lambda: 3, lambda: np.random.default_rng(3), lambda: np.random.RandomState(3)]
)
def test_random_ties_take_every_kind_of_seed(make):
    X, y = [[0.0], [2.0], [0.0], [2.0]], [0, 1, 0, 1]
    answers = [
        ilk.classifier("knn", k=4, ties="random", random_state=make()).fit(X, y).predict([[1.0]])
        for _ in range(2)
    ]
    assert answers[0] == answers[1]


@pytest.mark.parametrize("seed", [-1, 2**32, 2**70])
def test_seeds_beyond_the_range_are_named(seed):
    with pytest.raises(ilk.ParameterError, match=f"knn: random_state must be .*got {seed}"):
        ilk.classifier("knn", ties="random", random_state=seed)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int64])
def test_k_of_any_integer_type(dtype):
    X, y = np.arange(300.0)[:, None], np.arange(300) // 150
    for k in (3, 127):
        small = ilk.classifier("knn", k=dtype(k)).fit(X, y)
        assert small.predict(X).tolist() == ilk.classifier("knn", k=k).fit(X, y).predict(X).tolist()
        kept = ilk.make("editor", "enn", k=dtype(k)).fit_resample(X, y)[0]
        np.testing.assert_array_equal(kept, ilk.make("editor", "enn", k=k).fit_resample(X, y)[0])
