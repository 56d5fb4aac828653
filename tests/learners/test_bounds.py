"""Relevances lie from 0 to 1 to the last bit, where docstrings state that.

tests/exhaustive searches with many more rows, by the same functions.
"""

import numpy as np
import pytest

import ilk

AT_MOST_1 = {"correlation", "iterative_relief", "relief", "relieff", "simba"}


def hard_rows(n, seed):
    """Features of which some say all of the classes, and classes of unequal size."""
    rng = np.random.default_rng(seed)
    y = (np.arange(n) % 3 == 0).astype(int)
    columns = [y, y * 0.7 + 0.1, rng.integers(0, 2, n) * 0.1 + 0.3, y * 1e-300, y * 1e300]
    return np.column_stack([*columns, rng.random(n), np.ones(n)]), y


def check_scores(name, n, seed):
    X, y = hard_rows(n, seed)
    rng = np.random.default_rng(seed)
    for example in ilk.registry("relevance").get(name).examples():
        for target in (y, rng.integers(0, 3, n), y * 0.3 + 0.1, rng.normal(size=n)):
            try:
                scores = ilk.seeded(example, 0).scores(X, target)
            except ilk.IlkError:  # takes classes only
                continue
            assert np.isfinite(scores).all(), f"seed {seed}: {scores}"
            assert (scores >= 0).all(), f"seed {seed}: {scores.min()}"
            if name in AT_MOST_1:
                assert (scores <= 1).all(), f"seed {seed}: {scores.max()}"


@pytest.mark.parametrize("name", ilk.relevances())
def test_no_score_is_out_of_bounds(name):
    for n in (18, 26, 27):
        check_scores(name, n, n)


@pytest.mark.parametrize("name", sorted(AT_MOST_1))
def test_a_feature_that_is_the_class_has_score_1_at_most(name):
    for n in range(18, 24):
        y = np.arange(n) % 2
        assert 1 - 1e-9 < ilk.relevance(name).scores(y[:, None], y)[0] <= 1


@pytest.mark.parametrize(("low", "high"), [(0.0, 1.0), (-1.0, 1.0), (0.1, 0.7), (-1e300, 1e300)])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_minmax_stays_within_its_interval(low, high, dtype):
    if dtype is np.float32 and high > 1e30:
        return
    rng = np.random.default_rng(0)
    X = (rng.normal(size=(500, 8)) * 10.0 ** rng.integers(-30, 30, 8)).astype(dtype)
    Z = ilk.transformer("minmax", low=low, high=high).fit_transform(X)
    assert dtype(low) <= Z.min()
    assert Z.max() <= dtype(high)
