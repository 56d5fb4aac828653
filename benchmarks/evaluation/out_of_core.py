"""Neighbours of rows that are not in memory: of a file of 400 MB, and of a Dask array."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

import dask.array as da
import numpy as np
from measure import Row, compare

import ilk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

N, P = 500_000, 100
MOST = 50  # MiB of memory that a search may take beside what is there before


def rows() -> Iterator[Row]:
    """Yield rows of time beside the same search in memory, and of memory."""
    rng = np.random.default_rng(0)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "rows.bin"
        written = np.memmap(file, dtype=float, mode="w+", shape=(N, P))
        for start in range(0, N, 50_000):
            written[start : start + 50_000] = rng.normal(size=(50_000, P))
        written.flush()
        del written
        y, Q = rng.integers(0, 3, N), rng.normal(size=(200, P))
        mapped = np.memmap(file, dtype=float, mode="r", shape=(N, P))
        yield from _memory(mapped, y, Q)
        loaded = ilk.classifier("knn").fit(np.array(mapped), y)
        chunked = da.from_array(mapped, chunks=(20_000, P))
        for name, X in (("file", mapped), ("Dask array", chunked)):
            ours = ilk.classifier("knn").fit(X, y)
            same = np.array_equal(ours.kneighbors(Q)[1], loaded.kneighbors(Q)[1])
            yield compare(
                f"5-NN, 200 queries in a {name} of {N:,} x {P}",
                "ours, in memory",
                1 / 1.3,
                lambda ours=ours: ours.predict(Q),
                lambda: loaded.predict(Q),
                repeats=3,
                clock=perf_counter,
                note="the same neighbours" if same else "OTHER NEIGHBOURS",
            )


def _memory(mapped: np.ndarray, y: np.ndarray, Q: np.ndarray) -> Iterator[Row]:
    if sys.platform != "linux":
        return
    ilk.classifier("knn").fit(np.array(mapped[:1000]), y[:1000]).predict(Q)  # compiled before

    def work() -> None:
        ilk.classifier("knn").fit(mapped, y).predict(Q)

    peak, seconds = _peak(work)
    yield Row(
        "fit and 200 queries in a file of 400 MB: memory",
        f"a limit of {MOST} MiB",
        1.0,
        MOST / peak,
        seconds,
        f"{peak:.0f} MiB at the most",
    )


def _peak(work: Callable[[], None]) -> tuple[float, float]:
    """MiB by which the memory of this process grows, pages of files included; seconds."""
    Path("/proc/self/clear_refs").write_text("5", encoding="utf-8")  # forget the peak so far
    before, start = _high_water(), perf_counter()
    work()
    return max(_high_water() - before, 0.1), perf_counter() - start


def _high_water() -> float:
    lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))
