"""gp beside scikit-learn's GaussianProcessClassifier: processor time, and memory beyond the data.

Each is fitted in a process of its own, from the same start, by the same optimiser, for the same
marginal likelihood.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from measure import Row

if TYPE_CHECKING:
    from collections.abc import Iterator

PEER = "scikit-learn GaussianProcessClassifier"
N, P = 2000, 50
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


def rows() -> Iterator[Row]:
    """Yield a row of times and one of memory."""
    ours, theirs = _measured("ours"), _measured("theirs")
    work = f"gp, {N} x {P}, width and variance optimised"
    note = f"log marginal likelihood {ours['evidence']:.4f}, theirs {theirs['evidence']:.4f}"
    seconds = ours["seconds"]
    yield Row(work, PEER, 3, theirs["seconds"] / seconds, seconds, note)
    note = f"memory: {ours['megabytes']:.0f} MB, theirs {theirs['megabytes']:.0f} MB"
    yield Row(work, PEER, 2, theirs["megabytes"] / ours["megabytes"], seconds, note)


def _measured(which: str) -> dict[str, float]:
    environment = {**os.environ, **dict.fromkeys(THREADS, "1")}
    environment["PYTHONPATH"] = str(Path(__file__).parents[1])
    command = [sys.executable, __file__, which]
    done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def _data() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N, P))
    return X, (X[:, :5].sum(axis=1) + 2 * rng.normal(size=N) > 0).astype(int)


def _ours(X: np.ndarray, y: np.ndarray) -> float:
    import ilk

    with ilk.threads(1):
        model = ilk.classifier("gp", optimize="isotropic").fit(X, y)
    return float(model.log_marginal_likelihood_)


def _theirs(X: np.ndarray, y: np.ndarray) -> float:
    from sklearn.gaussian_process import GaussianProcessClassifier
    from sklearn.gaussian_process.kernels import RBF, ConstantKernel

    width = float(np.sqrt(2 * X.var(axis=0, ddof=1).sum()))  # root of the mean squared distance
    kernel = ConstantKernel(1.0) * RBF(width)
    model = GaussianProcessClassifier(kernel).fit(X, y)
    return float(model.log_marginal_likelihood_value_)


def _report(which: str) -> None:
    """Fit in this process, after a small fit that loads what is needed."""
    X, y = _data()
    fit = {"ours": _ours, "theirs": _theirs}[which]
    warnings.simplefilter("ignore")
    fit(X[:100], y[:100])
    before, start = _peak(), time.process_time()
    evidence = fit(X, y)
    seconds = time.process_time() - start
    print(json.dumps({"seconds": seconds, "megabytes": _peak() - before, "evidence": evidence}))


def _peak() -> float:
    """Largest resident memory so far, in MB."""
    kilobytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return kilobytes / (1024**2 if sys.platform == "darwin" else 1024)


if __name__ == "__main__":
    _report(sys.argv[1])
