"""Boundaries of a support vector machine near points, and which way they face."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.svm import SVC

import ilk

_HALVINGS = 20  # of the way from a point to a row beyond the boundary
_MOST = 100  # rows whose distances from the boundary are averaged
_QUERIES = 32  # of them looked at together


@dataclass(frozen=True)
class Boundaries:
    """A machine with the Gaussian kernel for each pair of classes, and what it was made from.

    Attributes
    ----------
    machine : SVC
    rows : ndarray of shape (n, p)
    beyond : ndarray of bool, shape (n, n_pairs)
        On which side of each pair's boundary a row is.
    """

    machine: SVC
    rows: np.ndarray
    codes: np.ndarray
    beyond: np.ndarray

    @classmethod
    def of(cls, rows: np.ndarray, codes: np.ndarray, C: float, gamma: float | str) -> Self:
        """Fit the machine to rows of two classes or more."""
        variance = float(rows.var())
        if isinstance(gamma, str):
            gamma = 1 / (rows.shape[1] * variance) if variance > 0 else 1.0
        machine = SVC(C=C, gamma=gamma, decision_function_shape="ovo").fit(rows, codes)
        beyond = _pairwise(machine, rows) > 0
        return cls(machine, rows, codes, beyond)

    def reach(self) -> float:
        """Mean distance of rows, evenly spread over all, from the boundary; 0 if there is none."""
        n = len(self.rows)
        some = self.rows[np.unique(np.linspace(0, n - 1, min(n, _MOST)).astype(int))]
        distances = np.empty(len(some))

        def work(start: int, stop: int) -> None:
            distances[start:stop] = self.normals(some[start:stop])[1]

        ilk.in_blocks(work, len(some), _QUERIES)
        known = distances[np.isfinite(distances)]
        return float(known.mean()) if known.size else 0.0

    def normals(self, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Gradients near points on the boundary of their class that is nearest, of length 1.

        Returns
        -------
        normals : ndarray of shape (m, p)
            0 where the machine is flat.
        distances : ndarray of shape (m,)
            From that point of the boundary; infinite if no row is beyond it.
        """
        values = _pairwise(self.machine, points)
        pairs = self._nearest_boundary(values)
        coef, bias = self._functions(pairs)
        far, known = self._other_side(points, pairs, values[np.arange(len(points)), pairs] > 0)
        near, side = points, self._values(points, coef, bias) > 0
        for _ in range(_HALVINGS):
            middle = near + (far - near) / 2
            same = ((self._values(middle, coef, bias) > 0) == side)[:, None]
            near, far = np.where(same, middle, near), np.where(same, far, middle)
        gradient = self._gradients(near, coef)
        largest = np.abs(gradient).max(axis=1, keepdims=True)
        gradient /= np.where(largest > 0, largest, 1)
        length = np.sqrt(np.sum(gradient**2, axis=1, keepdims=True))
        distances = np.sqrt(np.sum((near - points) ** 2, axis=1))
        return gradient / np.where(length > 0, length, 1), np.where(known, distances, np.inf)

    def _nearest_boundary(self, values: np.ndarray) -> np.ndarray:
        """Of the pairs with the class of most votes, that whose function is nearest to 0."""
        classes = len(self.machine.classes_)
        first, second = np.triu_indices(classes, 1)
        votes = np.zeros((len(values), classes), dtype=int)
        for pair, (a, b) in enumerate(zip(first, second, strict=True)):
            votes[:, a] += values[:, pair] > 0
            votes[:, b] += values[:, pair] <= 0
        winner = votes.argmax(axis=1)[:, None]
        own = (first == winner) | (second == winner)
        return np.asarray(np.where(own, np.abs(values), np.inf).argmin(axis=1))

    def _functions(self, pairs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Coefficients (m, n_support) and constants (m,) of the functions of some pairs."""
        first, second = (each[pairs] for each in np.triu_indices(len(self.machine.classes_), 1))
        owner = np.repeat(np.arange(len(self.machine.classes_)), self.machine.n_support_)
        dual, m = self.machine.dual_coef_, len(pairs)
        coef = np.zeros((m, len(owner)))
        for i in range(m):
            a, b = owner == first[i], owner == second[i]
            coef[i, a] = dual[second[i] - 1, a]
            coef[i, b] = dual[first[i], b]
        return coef, self.machine.intercept_[pairs]

    def _other_side(
        self, points: np.ndarray, pairs: np.ndarray, side: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """The nearest row of the pair's classes beyond the boundary, and whether there is one."""
        first, second = (each[pairs] for each in np.triu_indices(len(self.machine.classes_), 1))
        names = self.machine.classes_
        own = (self.codes == names[first][:, None]) | (self.codes == names[second][:, None])
        own &= side[:, None] != self.beyond[:, pairs].T
        squares = np.where(own, _squares(points, self.rows), np.inf)
        return np.asarray(self.rows[squares.argmin(axis=1)]), own.any(axis=1)

    def _kernel(self, points: np.ndarray) -> np.ndarray:
        return np.exp(-float(self.machine.gamma) * _squares(points, self.machine.support_vectors_))

    def _values(self, points: np.ndarray, coef: np.ndarray, bias: np.ndarray) -> np.ndarray:
        return np.asarray(np.sum(coef * self._kernel(points), axis=1) + bias)

    def _gradients(self, points: np.ndarray, coef: np.ndarray) -> np.ndarray:
        """Gradients of the functions, but for a factor of -2 gamma."""
        shares = coef * self._kernel(points)
        mean = np.matmul(shares[:, None, :], self.machine.support_vectors_)[:, 0]
        return np.asarray(shares.sum(axis=1, keepdims=True) * points - mean)


def _pairwise(machine: SVC, points: np.ndarray) -> np.ndarray:
    values: Any = machine.decision_function(points)
    return np.asarray(values).reshape(len(points), -1)


def _squares(points: np.ndarray, rows: np.ndarray) -> np.ndarray:
    from ilk_learners.local.squares import weighted

    squares = np.empty((len(points), len(rows)))
    columns = np.ascontiguousarray(rows.T)
    weighted(columns, np.ascontiguousarray(points), np.ones(points.shape), squares)
    return squares
