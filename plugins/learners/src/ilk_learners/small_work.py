"""Work that is too small to be shared among threads of numeric libraries."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any

from threadpoolctl import threadpool_limits


def single_threaded(when: bool) -> AbstractContextManager[Any]:
    """Keep BLAS and OpenMP to one thread in a ``with`` block, if the work is that small.

    Small products and factors take longer in several threads than in one, ten times so where
    the processors have other work: each thread waits for the others.
    """
    return threadpool_limits(1) if when else nullcontext()
