"""Classification by the most central row of each class."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

import ilk

BLOCK = 256  # rows whose distances to the rest of their class are held at once


class NearestMedoid(ilk.Classifier):
    """Nearest medoid: a row belongs to the class whose most central row is closest.

    The medoid of a class is that of its rows m with the least sum of d(x, m) over the rows x of
    the class, the first of several. Unlike a mean it exists for any distance, and it is a row one
    can look at.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Sorted.
    medoid_indices_ : ndarray of int, shape (n_classes,)
        Training rows that are medoids.
    medoids_ : ndarray of shape (n_classes, p)
    distance_ : Distance
        Fitted.

    References
    ----------
    L. Kaufman and P. J. Rousseeuw, Finding Groups in Data, Wiley, 1990, chapter 2.

    Examples
    --------
    >>> import ilk
    >>> X, y = [[0.0], [1.0], [50.0], [8.0], [9.0]], ["low", "low", "low", "high", "high"]
    >>> model = ilk.classifier("nearest_medoid", distance="euclidean").fit(X, y)
    >>> model.medoids_.ravel().tolist(), model.predict([[4.0], [5.0]]).tolist()
    ([8.0, 1.0], ['low', 'high'])
    """

    distance: ilk.DistanceLike = ilk.slot(
        "distance",
        default="euclidean",
        doc="Any on vectors; it is fitted on the training rows.",
    )
    capabilities: ClassVar[ilk.Capabilities] = ilk.Capabilities()

    def fit(self, X: Any, y: Any) -> Self:
        self.check_parameters()
        X = ilk.check_vectors(self, X, reset=True)
        self.classes_, codes = ilk.check_labels(self, y, X)
        self.distance_ = ilk.fit_component(self.resolve_slot("distance"), X, y)
        members = [np.flatnonzero(codes == code) for code in range(len(self.classes_))]
        self.medoid_indices_ = np.array([rows[self._most_central(X[rows])] for rows in members])
        self.medoids_ = X[self.medoid_indices_]
        return self

    def _most_central(self, X: np.ndarray) -> int:
        blocks = (X[start : start + BLOCK] for start in range(0, len(X), BLOCK))
        sums = [self.distance_.pairwise(X, block).sum(axis=0) for block in blocks]
        return int(np.concatenate(sums).argmin())

    def predict(self, X: Any) -> np.ndarray:
        check_is_fitted(self)
        X = ilk.check_vectors(self, X, reset=False)
        return self.classes_[self.distance_.pairwise(X, self.medoids_).argmin(axis=1)]
