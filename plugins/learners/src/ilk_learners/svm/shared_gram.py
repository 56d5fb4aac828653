"""A Gram matrix computed once, for machines that differ in everything but the kernel."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from ilk import Capabilities, IlkError, Kernel, Param, frozen, to_spec
from ilk_learners.svm.definiteness import is_definite
from ilk_learners.svm.gram import gram_matrix

BUDGET = 2**29
"""Bytes of the Gram matrices of a split; beyond them machines compute their own."""


class SharedGram(Kernel):
    """Kernel values of training rows, and of test rows with them, by the numbers of rows.

    Training rows are 0 .. n - 1, test rows n .. n + m - 1. For all training rows, in order, the
    matrix itself is given out, which is not copied.

    It is made by `shared_gram` and `precomputed`.
    """

    induces_metric: ClassVar[bool] = True  # machines need not look whether it is definite
    parameters: ClassVar[Mapping[str, Param]] = {}
    capabilities: ClassVar[Capabilities] = Capabilities(inputs=("indices",), symmetric=True)

    def __init__(self) -> None:
        self.values_: tuple[np.ndarray, np.ndarray] = (np.empty((0, 0)), np.empty((0, 0)))

    def gram(self, X: Any, Y: Any = None) -> np.ndarray:
        """Kernel values of rows X with training rows Y (X if left out)."""
        train, test = self.values_
        n = len(train)
        rows, columns = np.ravel(X), np.ravel(X if Y is None else Y)
        source = train if not rows.size or rows[0] < n else test
        rows = rows - (0 if source is train else n)
        every = np.arange(n)
        if source is train and np.array_equal(rows, every) and np.array_equal(columns, every):
            return train
        return np.asarray(source[rows][:, columns])

    def diagonal(self, X: Any) -> np.ndarray:
        """k(x, x) of training rows."""
        rows = np.ravel(X)
        return np.asarray(self.values_[0][rows, rows])


def fits(classifier: Any, n: int, m: int) -> bool:
    """Tell whether the matrices of n training and m test rows are within the budget.

    That of training rows must also be within the ``memory`` that the classifier has, in mebibytes.
    """
    return 8 * n * (n + m) <= BUDGET and 8 * n * n <= classifier.memory * 2**20


def shared_gram(kernel: Any, train: Any, test: Any) -> Any:
    """A frozen `SharedGram` of a fitted kernel; None if it is not positive semi-definite.

    Parameters
    ----------
    kernel : kernel
        Fitted.
    train, test : data of n and m rows
    """
    within = gram_matrix(kernel, train)
    if not np.isfinite(within).all() or not is_definite(kernel, within):
        return None  # machines say so, each by its name
    return precomputed(within, np.ascontiguousarray(kernel.gram(test, train), dtype=float))


def precomputed(train: np.ndarray, test: np.ndarray | None = None) -> Any:
    """A frozen `SharedGram` of matrices, which are not copied and can be written no more.

    Parameters
    ----------
    train : ndarray of shape (n, n)
        Positive semi-definite, or known not to be.
    test : ndarray of shape (m, n), optional
    """
    test = train[:0] if test is None else test
    train.flags.writeable = test.flags.writeable = False
    shared = SharedGram()
    shared.values_ = (train, test)
    return frozen(shared)


def gram_key(classifier: Any) -> str | None:
    """What classifiers that can share a Gram matrix have in common; None if this one cannot.

    One can if it declares ``gram_parameters``, the names of the parameters on which its kernel
    depends, the first of them the slot of the kernel, and has ``learn_kernel(X, y)``, which
    gives the fitted kernel.
    """
    names = getattr(classifier, "gram_parameters", ())
    if not names:
        return None
    values = {name: getattr(classifier, name) for name in names}
    try:
        values[names[0]] = to_spec(values[names[0]], kind="kernel")
        return json.dumps(values, sort_keys=True, default=repr)
    except IlkError:  # holds what no spec can say
        return None
