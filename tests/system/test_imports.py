"""What a process must not import before it is used."""

import subprocess
import sys

import pytest

from pages import ROOT

PLUGINS = {path.name for path in ROOT.glob("plugins/*/src/ilk_*")}
HEAVY = {"numba", "cvxpy", "sklearn", "scipy", "pandas", "matplotlib", "polars"} | PLUGINS


@pytest.mark.parametrize(
    "code",
    [
        "import ilk",
        "from ilk.cli import main; sys.argv = ['ilk', '--help']; main()",
        "from ilk.cli import main; sys.argv = ['ilk', 'list']; main()",
    ],
    ids=["import ilk", "ilk --help", "ilk list"],
)
def test_start_is_light(code):
    report = "print(*sorted({name.partition('.')[0] for name in sys.modules}), file=sys.stderr)"
    script = f"import atexit, sys\natexit.register(lambda: {report})\n{code}"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    loaded = set(done.stderr.split())
    assert "ilk" in loaded
    assert not loaded & HEAVY


def test_dask_is_not_imported_for_other_data():
    program = (
        "import ilk, sys, numpy as np; X = np.eye(6);"
        "ilk.classifier('knn', k=1).fit(X, [0, 1] * 3).predict(X); assert 'dask' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
