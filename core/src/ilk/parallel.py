"""The number of threads of compiled code and libraries, and work in blocks of rows by threads."""

from __future__ import annotations

import os
import sys
import threading
from contextlib import contextmanager
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from ilk.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

_limit: int | None = None  # set by `threads`; None: use the environment
_inside = threading.local()  # set in our threads, which start no threads themselves


def n_threads() -> int:
    """Number of threads that compiled code may use.

    The limit set by `threads`, else the environment variable ``ILK_THREADS``, else
    ``NUMBA_NUM_THREADS``, else the number of processors available to this process.

    Raises
    ------
    ParameterError
        If the variable is not a number of at least 1.
    """
    if getattr(_inside, "busy", False):
        return 1
    if _limit is not None:
        return _limit
    for name in ("ILK_THREADS", "NUMBA_NUM_THREADS"):
        if os.environ.get(name):
            return _checked(os.environ[name], name)
    return _processors()


@contextmanager
def threads(n: int) -> Iterator[None]:
    """Limit compiled code to n threads within a ``with`` block, in this process.

    Results never depend on the number of threads.

    Parameters
    ----------
    n : int
        At least 1.

    Examples
    --------
    >>> import ilk
    >>> with ilk.threads(1):
    ...     ilk.n_threads()
    1
    """
    global _limit  # noqa: PLW0603  # one number for the process, as with BLAS
    before, _limit = _limit, _checked(n, "n")
    try:
        yield
    finally:
        _limit = before


def library_threads(n: int) -> AbstractContextManager[Any]:
    """Limit BLAS and OpenMP to n threads within a ``with`` block, in this process.

    Small products and factorizations are slower in several threads than in one, as each thread
    waits for the others. The libraries are looked for again only after an import, so a block costs
    about 20 microseconds.

    Parameters
    ----------
    n : int
        At least 1.

    Examples
    --------
    >>> import ilk, numpy as np
    >>> with ilk.library_threads(1):
    ...     float(np.ones(3) @ np.ones(3))
    3.0
    """
    limited: AbstractContextManager[Any]
    limited = _libraries(len(sys.modules)).limit(limits=_checked(n, "n"))
    return limited


@lru_cache(maxsize=1)
def _libraries(n_modules: int) -> Any:  # noqa: ARG001  # the key: an import may load a library
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


@contextmanager
def in_this_thread() -> Iterator[None]:
    """Run compiled code without further threads in a ``with`` block of the calling thread."""
    before, _inside.busy = getattr(_inside, "busy", False), True
    try:
        yield
    finally:
        _inside.busy = before


def in_blocks(work: Callable[[int, int], object], n: int, size: int) -> None:
    """Call ``work(start, stop)`` for each block of `size` of n rows, in up to `n_threads` threads.

    Blocks start in order. With one block, one thread, or inside another call, all work runs in
    the calling thread. Threads help only if the work releases the interpreter lock.

    Parameters
    ----------
    work : callable
        Of the first row and the one after the last; its result is dropped.
    n, size : int

    Raises
    ------
    Exception
        The first exception from `work`; blocks not yet started are skipped.

    Examples
    --------
    >>> import ilk
    >>> with ilk.threads(1):
    ...     ilk.in_blocks(print, 5, 2)
    0 2
    2 4
    4 5
    """
    size = max(size, 1)
    blocks = [(start, min(start + size, n)) for start in range(0, n, size)]
    workers = min(n_threads(), len(blocks))
    if workers <= 1:
        for start, stop in blocks:
            work(start, stop)
        return
    _share(work, blocks, workers)


def _share(work: Callable[[int, int], object], blocks: list[tuple[int, int]], workers: int) -> None:
    left = iter(blocks)
    taking = threading.Lock()
    failures: list[BaseException] = []

    def serve() -> None:
        try:
            with in_this_thread():
                while not failures:
                    with taking:
                        block = next(left, None)
                    if block is None:
                        return
                    work(*block)
        except BaseException as error:  # noqa: BLE001  # raised again by the calling thread
            failures.append(error)

    others = [threading.Thread(target=serve, daemon=True) for _ in range(workers - 1)]
    for thread in others:
        thread.start()
    serve()
    for thread in others:
        thread.join()
    if failures:
        raise failures[0]


def _processors() -> int:
    count = getattr(os, "process_cpu_count", None)  # from Python 3.13 on
    if count is not None:
        return count() or 1
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0)) or 1
    return os.cpu_count() or 1


def _checked(n: int | str, name: str) -> int:
    try:
        number = int(n)
    except (TypeError, ValueError):
        number = 0
    if number < 1 or isinstance(n, bool | float):
        raise ParameterError(f"{name}: must be a number of threads of at least 1, got {n!r}")
    return number
