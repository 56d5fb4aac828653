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


def test_inner_functions_serve_compiled_ones_only():
    @ilk.compiled(inner=True)
    def half(x):
        return x / 2

    @ilk.compiled
    def quarter(x):
        return half(half(x))

    assert quarter(3.0) == 0.75
    with pytest.raises(ilk.IlkError, match="half: only compiled functions"):
        half(3.0)


def test_functions_stay_as_they_are_while_numba_is_disabled(monkeypatch):
    from numba.core import config

    monkeypatch.setattr(config, "DISABLE_JIT", True)

    def half(x):
        return x / 2

    assert ilk.compiled(half) is half
    assert ilk.compiled(inner=True)(half) is half
