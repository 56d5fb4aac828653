"""Compiled functions compute as NumPy does, and leave Numba as it was."""

from pathlib import Path

import pytest

import ilk

pytest.importorskip("numba")


def test_numba_s_configuration_is_left_as_it_was():
    from numba.core import config

    before = config.CACHE_DIR
    ilk.compiled(lambda x: x)
    assert before == config.CACHE_DIR


def test_flags_that_touch_nan_are_refused():
    with pytest.raises(ilk.IlkError, match="nnan"):
        ilk.compiled(fastmath={"nnan", "contract"})


def test_division_by_zero_is_numpy_s():
    @ilk.compiled
    def divide(x, y):
        return x / y

    assert divide(1.0, 0.0) == float("inf")
    assert Path(divide.py_func.__code__.co_filename) == Path(__file__)


@ilk.compiled
def double(x):
    return 2 * x


@ilk.compiled
def square(x):
    return x * x


def of_both(function):
    @ilk.compiled
    def twice(x):
        return function(function(x))

    return twice


def test_functions_made_by_one_function_have_caches_of_their_own(tmp_path, monkeypatch):
    """Stored once for each function that they close over, and found again."""
    monkeypatch.setenv("ILK_CACHE", str(tmp_path))
    for _ in range(2):
        results = [of_both(function)(3) for function in (double, square)]
        assert results == [12, 81]
    assert len(list(tmp_path.rglob("*.nbi"))) == 2
    hits = of_both(square)
    hits(3)
    assert sum(hits.stats.cache_hits.values()) == 1
