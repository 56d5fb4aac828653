"""The executor `serial`."""

import threading
from concurrent import futures

import pytest

import ilk
from ilk_evaluation import ExecutorError
from ilk_evaluation.executors.relay import RelayExecutor


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


class Relay(RelayExecutor):
    """Notes the calls that it passes on."""

    def __init__(self):
        super().__init__("the relay")
        self.calls = {}

    def _pack(self, fn, args, kwargs):
        return (fn, args, kwargs)

    def _pass_on(self, number, task):
        self.calls[number] = task


def test_calls_that_run_elsewhere_end_each_on_its_own_or_all_together():
    relay = Relay()
    one, two, three, four = [relay.submit(pow, 2, exponent) for exponent in range(4)]
    assert relay.calls[3] == (pow, (2, 3), {})
    relay._complete(2, "late", None)
    relay._complete(1, None, KeyError("worse"))
    assert three.result(timeout=0) == "late"
    assert isinstance(two.exception(timeout=0), KeyError)
    assert not one.done()
    relay._lose(ExecutorError("gone"))
    relay._lose(ExecutorError("gone again"))
    relay._complete(0, 1, None)  # an answer on its way when the place was lost
    assert [str(future.exception(timeout=0)) for future in (one, four)] == ["gone"] * 2
    with pytest.raises(ExecutorError, match="^gone$"):
        relay.submit(pow, 2, 5)
    relay.shutdown()  # waits for nothing
    with pytest.raises(RuntimeError, match="the relay is closed"):
        relay.submit(pow, 2, 5)
