"""The most memory that knn takes on a file of rows."""

import subprocess
import sys

import numpy as np
import pytest

PROGRAM = """\
import sys, tracemalloc
import numpy as np, ilk
path, n, p = sys.argv[1], 500_000, 100
X = np.memmap(path, dtype="f8", mode="r", shape=(n, p))
y, Q = np.arange(n) % 3, np.ones((20, p))
knn = ilk.classifier("knn").fit(np.asarray(X[:1000]), y[:1000])
knn.predict_proba(Q), knn.index_.radius_neighbors(Q, 1.0)  # compiled, all of it
def peak():
    return next(int(l.split()[1]) / 1024 for l in open("/proc/self/status") if "VmHWM" in l)
open("/proc/self/clear_refs", "w").write("5")
before = peak()
knn = ilk.classifier("knn").fit(X, y)
assert knn.kneighbors(Q, 3)[1][0].tolist() == [5, 250_000, 499_999]
knn.predict(Q), knn.predict_proba(X[:30])
assert knn.index_.radius_neighbors(Q, 9.0)[1][0].tolist() == [5, 250_000, 499_999]
print(peak() - before)
"""


@pytest.fixture(scope="module")
def large_file(tmp_path_factory):
    """400 MB of which all but a few rows are zeros that take no room on the disk."""
    path = tmp_path_factory.mktemp("large") / "rows.bin"
    X = np.memmap(path, dtype="f8", mode="w+", shape=(500_000, 100))
    X[[5, 250_000, 499_999]] = 1.0
    X.flush()
    return path


@pytest.mark.skipif(sys.platform != "linux", reason="reads the peak of memory in /proc")
def test_a_file_of_400_mb_takes_less_than_50(large_file):
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, large_file], capture_output=True, text=True, check=True
    )
    assert float(done.stdout) < 50
