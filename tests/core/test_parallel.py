"""Blocks of rows in threads."""

import sys
import threading

import pytest

import ilk
from cases import in_one_test


@in_one_test
@pytest.mark.parametrize("n_threads", [1, 2, 5])
@pytest.mark.parametrize(("n", "size"), [(0, 3), (1, 3), (7, 3), (9, 3), (5, 100), (4, 0)])
def test_every_row_is_worked_on_once(n, size, n_threads):
    done, lock = [], threading.Lock()

    def work(start, stop):
        with lock:
            done.extend(range(start, stop))

    with ilk.threads(n_threads):
        ilk.in_blocks(work, n, size)
    assert sorted(done) == list(range(n))


def test_as_many_threads_as_are_allowed_work_at_once():
    barrier = threading.Barrier(3, timeout=10)
    with ilk.threads(3):
        ilk.in_blocks(lambda start, stop: barrier.wait(), 3, 1)  # one thread would wait for ever


def test_blocks_inside_blocks_start_no_more_threads():
    inner = []

    def work(start, stop):
        inner.append(ilk.n_threads())
        here = threading.get_ident()
        ilk.in_blocks(lambda a, b: inner.append(threading.get_ident() == here), 4, 1)

    with ilk.threads(2):
        ilk.in_blocks(work, 2, 1)
        assert ilk.n_threads() == 2
    assert inner.count(1) == 2 + 8  # True == 1
    assert False not in inner


@pytest.mark.parametrize("n_threads", [1, 3])
def test_the_first_error_is_raised_and_no_more_blocks_are_begun(n_threads):
    begun = []

    def work(start, stop):
        begun.append(start)
        if start == 2:
            raise KeyError("here")

    with ilk.threads(n_threads), pytest.raises(KeyError, match="here"):
        ilk.in_blocks(work, 1000, 1)
    assert len(begun) < 1000


def test_the_limit_ends_with_its_block(monkeypatch):
    monkeypatch.setenv("ILK_THREADS", "7")
    with ilk.threads(3):
        with ilk.threads(2):
            assert ilk.n_threads() == 2
        assert ilk.n_threads() == 3
    assert ilk.n_threads() == 7


def test_the_environment_has_the_say(monkeypatch):
    monkeypatch.delenv("ILK_THREADS", raising=False)
    monkeypatch.setenv("NUMBA_NUM_THREADS", "4")
    assert ilk.n_threads() == 4
    monkeypatch.setenv("ILK_THREADS", "6")
    assert ilk.n_threads() == 6
    monkeypatch.delenv("ILK_THREADS")
    monkeypatch.delenv("NUMBA_NUM_THREADS")
    assert ilk.n_threads() >= 1


@pytest.mark.parametrize("value", ["0", "-1", "many", "1.5"])
def test_bad_environment(monkeypatch, value):
    monkeypatch.setenv("ILK_THREADS", value)
    with pytest.raises(ilk.ParameterError, match=f"ILK_THREADS.*{value}"):
        ilk.n_threads()


@in_one_test
@pytest.mark.parametrize("value", [0, -2, 1.0, True, "x", None])
def test_bad_limit(value):
    with (
        pytest.raises(ilk.ParameterError, match="n: must be a number of threads"),
        ilk.threads(value),
    ):
        pass


def test_libraries_are_limited_and_set_free_again():
    from threadpoolctl import threadpool_info, threadpool_limits

    def counts():
        return {pool["num_threads"] for pool in threadpool_info()}

    with threadpool_limits(2):
        before = counts()
        with ilk.library_threads(1):
            assert counts() == {1}
        assert counts() == before
    with pytest.raises(ilk.ParameterError, match="at least 1, got 0"):
        ilk.library_threads(0)


def test_libraries_are_looked_for_again_after_an_import(monkeypatch):
    from ilk import parallel

    with ilk.library_threads(1):
        found = parallel._libraries(len(sys.modules))
    assert parallel._libraries(len(sys.modules)) is found
    monkeypatch.setitem(sys.modules, "a_module_of_this_test", object())
    assert parallel._libraries(len(sys.modules)) is not found
