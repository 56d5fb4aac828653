"""Linear discriminants without each case in turn, from the covariance with all of them.

Without case i of class c, with deviation d from its mean and n_c cases in its class, the scatter
inside the classes is ``S - n_c/(n_c - 1) d d'`` and the mean of c is ``mu_c - d/(n_c - 1)``. In the
axes of S the covariance, shrunk or not, is diagonal less such a term of rank one, whose inverse
follows by the formula of Sherman and Morrison.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import softmax
from sklearn.base import clone

from ilk import InputError, Prediction, display_name
from ilk_learners.classifiers.cases import Cases, check_cases
from ilk_learners.classifiers.gaussians import column_lengths, ledoit_wolf
from ilk_learners.classifiers.priors import class_priors
from ilk_learners.linear import rank_of, spectrum, within
from ilk_learners.magnitude import common_deviations, difference

_CELLS = 2**18  # of arrays by block
_DOUBTFUL = 1e-6  # share of a case's variance that is left without it, below which digits are lost


def leave_one_out(lda: Any, X: Any, y: Any) -> Prediction:
    """What an unfitted `lda` says of each case after a fit to the others."""
    cases = check_cases(lda, X, y)
    n, p = cases.X.shape
    _check_classes_left(lda, cases)
    means, D, exponent = within(cases.X, cases.codes, len(cases.classes))
    turned = difference(means, common_deviations(means)[0], exponent)
    extent = np.abs(D).max(axis=0) + np.abs(turned).max(axis=0)
    scale = np.ones(p) if lda.shrinkage else column_lengths(D, extent)
    values, axes = spectrum(D / scale)
    if rank_of(values, D.shape) < p and not lda.shrinkage:
        P, doubtful = np.empty((n, len(cases.classes))), np.ones(n, dtype=bool)
    else:
        turned = turned / scale @ axes.T
        P, doubtful = _Downdates(lda, cases, D / scale @ axes.T, turned, values**2).probabilities()
    for i in np.flatnonzero(doubtful):
        P[i] = _refitted(lda, cases, int(i))
    labels = cases.classes[P.argmax(axis=1)]
    return Prediction(cases.classes[cases.codes], labels, cases.classes, P)


def _check_classes_left(lda: Any, cases: Cases) -> None:
    """Raise if without some case the priors would not fit, or a single class would be left."""
    alone = np.flatnonzero(cases.counts[cases.codes] == 1)
    if alone.size and (len(cases.classes) == 2 or not isinstance(lda.priors, str)):
        label = cases.classes[cases.codes[alone[0]]].item()
        what = "priors are given for all classes" if len(cases.classes) > 2 else "1 class is left"
        raise InputError(
            f"{display_name(lda)}: leave_one_out: without row {alone[0]}, the only case of class "
            f"{label!r}, {what}"
        )


def _refitted(lda: Any, cases: Cases, i: int) -> np.ndarray:
    rest = np.delete(np.arange(len(cases.X)), i)
    model = clone(lda)
    try:
        model.fit(cases.X[rest], cases.classes[cases.codes[rest]])
    except InputError as error:
        raise InputError(f"{error} (leave_one_out: without row {i})") from None
    P = np.zeros(len(cases.classes))
    P[np.isin(cases.classes, model.classes_)] = model.predict_proba(cases.X[i : i + 1])[0]
    return P


@dataclass(frozen=True)
class _Downdates:
    """Cases in the axes of the scatter inside classes.

    Attributes
    ----------
    Z : ndarray of shape (n, p)
        Deviations from the class means.
    means : ndarray of shape (n_classes, p)
    scatter : ndarray of shape (p,)
        Sum of the squares of each column of Z.
    """

    lda: Any
    cases: Cases
    Z: np.ndarray
    means: np.ndarray
    scatter: np.ndarray

    def probabilities(self) -> tuple[np.ndarray, np.ndarray]:
        """Probabilities of each case without it, and which cases had better be fitted again."""
        n, p = self.Z.shape
        P, left = np.empty((n, len(self.means))), np.empty(n)
        step = max(_CELLS // p, 1)
        for start in range(0, n, step):
            rows = slice(start, min(start + step, n))
            P[rows], left[rows] = self._block(rows)
        return P, ~(left > _DOUBTFUL)

    def _block(self, rows: slice) -> tuple[np.ndarray, np.ndarray]:
        Z, own = self.Z[rows], self.cases.codes[rows]
        grow = self._growth(own)
        A, gamma = self._without(rows, grow)
        V = Z / A
        left = 1 - gamma * np.einsum("ij,ij->i", Z, V)
        scores = np.empty((len(Z), len(self.means)))
        with np.errstate(all="ignore"):  # what is doubtful is fitted again
            for c, mean in enumerate(self.means):
                E = np.where((own == c)[:, None], Z * grow[:, None], Z + self.means[own] - mean)
                along = np.einsum("ij,ij->i", E, V)
                squared = np.einsum("ij,ij->i", E, E / A) + gamma * along**2 / left
                scores[:, c] = -squared / 2
            scores += self._log_priors(own)
            return softmax(scores, axis=1), left

    def _growth(self, own: np.ndarray) -> np.ndarray:
        """n_c / (n_c - 1); 0 for the only case of a class, which deviates by 0."""
        counts = self.cases.counts[own]
        return np.where(counts > 1, counts / np.maximum(counts - 1, 1), 0.0)

    def _without(self, rows: slice, grow: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """A and g of the covariance ``diag(A) - g z z'`` without each case."""
        n, p = self.Z.shape
        lengths = np.einsum("ij,ij->i", self.Z[rows], self.Z[rows])
        trace = (self.scatter.sum() - grow * lengths) / (n - 1)
        s = self.lda.shrinkage
        s = self._intensities(rows, grow, trace) if s == "auto" else np.full(len(grow), float(s))
        A = (1 - s)[:, None] * self.scatter / (n - 1) + (s * trace / p)[:, None]
        return A, (1 - s) * grow / (n - 1)

    def _intensities(self, rows: slice, grow: np.ndarray, trace: np.ndarray) -> np.ndarray:
        """Intensity of Ledoit and Wolf without each case.

        Leaving out d moves the deviations of its class by a = d/(n_c - 1):
        ``sum |d_j + a|^4 = sum |d_j|^4 + 4 a'v + 4 a'S_c a + 2 |a|^2 tr S_c + n_c |a|^4`` over
        the class, with v the sum of ``|d_j|^2 d_j`` and S_c its scatter, then less its own.
        """
        n, p = self.Z.shape
        Z, own = self.Z[rows], self.cases.codes[rows]
        counts = self.cases.counts[own]
        lengths = np.einsum("ij,ij->i", Z, Z)
        a = np.where(counts > 1, 1 / np.maximum(counts - 1, 1), 0.0)
        fourth = np.full(len(Z), (np.einsum("ij,ij->i", self.Z, self.Z) ** 2).sum())
        for c in np.unique(own):
            those, members = own == c, self.Z[self.cases.codes == c]
            squares = np.einsum("ij,ij->i", members, members)
            step, length = a[those], lengths[those]
            along = Z[those] @ (squares @ members)
            across = np.einsum("ij,ij->i", Z[those] @ (members.T @ members), Z[those])
            fourth[those] += 4 * step * along + 4 * step**2 * across
            fourth[those] += 2 * step**2 * length * squares.sum()
            fourth[those] += counts[those] * step**4 * length**2
        fourth -= (1 + a) ** 4 * lengths**2
        square = (self.scatter**2).sum() - 2 * grow * (Z**2 @ self.scatter) + (grow * lengths) ** 2
        return np.asarray(ledoit_wolf(fourth / (n - 1), square / (n - 1) ** 2, trace, n - 1, p))

    def _log_priors(self, own: np.ndarray) -> np.ndarray:
        """Logarithm of the prior of each class without each case; array of shape (b, C)."""
        counts, classes = self.cases.counts, self.cases.classes
        result = np.empty((len(own), len(counts)))
        for c in np.unique(own):
            rest = counts - (np.arange(len(counts)) == c)
            there = rest > 0
            priors = np.zeros(len(counts))
            priors[there] = class_priors(self.lda, classes[there], rest[there])
            with np.errstate(divide="ignore"):
                result[own == c] = np.log(priors)
        return result
