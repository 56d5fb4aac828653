"""The most memory that editors take, each in a process of its own, a copy of one with imports."""

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import os
import re
import sys
from pathlib import Path

import numpy as np

import ilk

def resident(what):
    return int(re.search(what + r":\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1]) / 1024

def measure(name, n):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, size=n)
    X = rng.normal(size=(n, 2)) + 3.0 * y[:, None]
    editor = ilk.editor(name)
    editor.fit_resample(X[:500], y[:500])  # imports and compiles
    before = resident("VmRSS")
    editor.fit_resample(X, y)
    print(name, resident("VmHWM") - before, flush=True)

import numba, sklearn.utils  # once for all: they take longer than the editors
for name, n in zip(sys.argv[1::2], sys.argv[2::2]):
    ilk.editor(name)
    if not (process := os.fork()):
        measure(name, int(n))
        os._exit(0)
    assert os.waitpid(process, 0)[1] == 0
"""


SIZES = {
    "all_knn": 14_000,
    "class_outliers": 14_000,
    "cnn": 14_000,
    "enn": 14_000,
    "reduced_nn": 14_000,
    "renn": 14_000,
    "snn": 20_000,  # whose blocks are larger
}


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="tells the peak on Linux only")
def test_many_cases_take_some_megabytes():
    """A matrix of distances would take 1.5 GB (3 GB), one of bits 23 MB (48 MB)."""
    sizes = [str(part) for pair in SIZES.items() for part in pair]
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *sizes], capture_output=True, text=True, check=True
    )
    peaks = dict(line.split() for line in done.stdout.splitlines())
    assert peaks.keys() == SIZES.keys()
    for name, n in SIZES.items():
        assert float(peaks[name]) < 0.8 * n**2 / 8 / 2**20, name
