"""The most memory that editors take, each in a process of its own."""

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import re
import sys
from pathlib import Path

import numpy as np

import ilk

def resident(what):
    return int(re.search(what + r":\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1]) / 1024

rng = np.random.default_rng(0)
n = int(sys.argv[2])
y = rng.integers(0, 2, size=n)
X = rng.normal(size=(n, 2)) + 3.0 * y[:, None]
editor = ilk.editor(sys.argv[1])
editor.fit_resample(X[:500], y[:500])  # imports and compiles
before = resident("VmRSS")
editor.fit_resample(X, y)
print(resident("VmHWM") - before)
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="tells the peak on Linux only")
@pytest.mark.parametrize(
    ("name", "n"),
    [
        ("all_knn", 14_000),
        ("class_outliers", 14_000),
        ("cnn", 14_000),
        ("enn", 14_000),
        ("reduced_nn", 14_000),
        ("renn", 14_000),
        ("snn", 20_000),  # whose blocks are larger
    ],
)
def test_many_cases_take_some_megabytes(name, n):
    """A matrix of distances would take 1.5 GB (3 GB), one of bits 23 MB (48 MB)."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, name, str(n)], capture_output=True, text=True, check=True
    )
    assert float(done.stdout) < 0.8 * n**2 / 8 / 2**20
