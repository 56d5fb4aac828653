"""Support vector machines of neighbourhoods: trained on a few rows each, the last ones kept."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ilk_learners.svm.libsvm import solve

_LOCK = threading.Lock()  # one for all, as it is held for a moment only


@dataclass(frozen=True)
class LocalMachine:
    """One against the rest for each class among a few rows: ``k(x, rows) @ weights + bias``.

    Attributes
    ----------
    present : ndarray of int, shape (c,)
        Codes of the classes.
    weights : ndarray of shape (K, c)
        Dual coefficients, y_i alpha_i.
    bias : ndarray of shape (c,)
    width : float
        Sigma of the kernel, where it is one of distances.
    """

    present: np.ndarray
    weights: np.ndarray
    bias: np.ndarray
    width: float

    def values(self, similarities: np.ndarray) -> np.ndarray:
        """Decision value of each class for rows of kernel values; array of shape (m, c)."""
        return np.asarray(similarities @ self.weights + self.bias)


def train(gram: np.ndarray, codes: np.ndarray, C: float, tol: float, width: float) -> LocalMachine:
    """Train on the Gram matrix of rows of at least two classes.

    Of two classes one machine is trained, as the other's is its opposite.
    """
    present = np.unique(codes)
    asked = present[1:] if len(present) == 2 else present
    gram, bounds = np.ascontiguousarray(gram), np.full(len(codes), C)
    weights, bias = np.zeros((len(codes), len(asked))), np.empty(len(asked))
    for column, c in enumerate(asked):
        found = solve(gram, np.where(codes == c, 1.0, -1.0), bounds, tol=tol, max_iter=None)
        weights[found.rows, column] = found.coef
        bias[column] = found.intercept
    if len(present) == 2:
        weights, bias = np.hstack([-weights, weights]), np.concatenate([-bias, bias])
    return LocalMachine(present, weights, bias, width)


@dataclass
class Kept:
    """Machines by the rows they were trained on, of which those not asked for longest go.

    Copies on disk or in other processes begin without machines.

    Attributes
    ----------
    size : int
        How many are kept.
    n_trained, n_pure : int
        Machines that were trained, and queries that needed none.
    """

    size: int
    n_trained: int = 0
    n_pure: int = 0
    machines: OrderedDict[bytes, LocalMachine] = field(default_factory=OrderedDict, repr=False)

    def find(self, rows: np.ndarray) -> LocalMachine | None:
        """Return the machine of these rows, if there is one."""
        key = rows.tobytes()
        with _LOCK:
            if key in self.machines:
                self.machines.move_to_end(key)
            return self.machines.get(key)

    def keep(self, rows: np.ndarray, machine: LocalMachine) -> None:
        """Keep a machine that was trained."""
        with _LOCK:
            self.n_trained += 1
            self.machines[rows.tobytes()] = machine
            while len(self.machines) > self.size:
                self.machines.popitem(last=False)

    def count_pure(self, n: int) -> None:
        """Add queries that needed no machine."""
        with _LOCK:
            self.n_pure += n

    def __getstate__(self) -> dict[str, Any]:
        return {"size": self.size, "n_trained": self.n_trained, "n_pure": self.n_pure}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, machines=OrderedDict())
