"""The executor `serial`."""

import threading
from concurrent import futures

import pytest

import ilk


def test_runs_at_once_in_this_thread():
    seen = []
    with ilk.executor("serial").open() as pool:
        future = pool.submit(lambda value: seen.append(value) or threading.get_ident(), 7)
        assert seen == [7]
        assert future.done()
    assert future.result() == threading.get_ident()


def test_is_an_executor_of_the_standard_library():
    with ilk.executor("serial").open() as pool:
        assert isinstance(pool, futures.Executor)
        assert list(pool.map(pow, [1, 2, 3], [2, 2, 2])) == [1, 4, 9]
        done = futures.as_completed([pool.submit(pow, 2, 3), pool.submit(pow, 3, 2)])
        assert sorted(future.result() for future in done) == [8, 9]
    assert ilk.executor("serial").n_workers == 1


def test_error_stays_in_its_future():
    with ilk.executor("serial").open() as pool:
        future = pool.submit(divmod, 1, 0)
        assert pool.submit(divmod, 7, 2).result() == (3, 1)
    with pytest.raises(ZeroDivisionError):
        future.result()


@pytest.mark.parametrize("signal", [KeyboardInterrupt, SystemExit])
def test_interrupt_passes_through(signal):
    def interrupted():
        raise signal

    with pytest.raises(signal), ilk.executor("serial").open() as pool:
        pool.submit(interrupted)


def test_closed_executor_takes_no_work():
    with ilk.executor("serial").open() as pool:
        pass
    with pytest.raises(RuntimeError, match="closed"):
        pool.submit(print)


def test_numbers_no_system_takes_are_refused():
    """Waiting for 1e300 seconds overflows, and a million processes never have started."""
    for use, argument, value in (
        ("loky", "timeout", 1e300),
        ("dask", "timeout", 1e300),
        ("dask", "patience", 1e300),
        *((use, "workers", 10**12) for use in ("loky", "dask", "mpi")),
        *((use, "inner_threads", 10**12) for use in ("loky", "dask", "mpi", "serial")),
    ):
        with pytest.raises(ilk.SpecError, match=f"{argument}: must be .*, <= "):
            ilk.build({"use": use, argument: value}, kind="executor")
