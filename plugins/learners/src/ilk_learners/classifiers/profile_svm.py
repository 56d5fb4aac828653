"""profile_svm: a support vector machine for each cluster of the training rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from ilk import (
    Capabilities,
    Classifier,
    ClustererLike,
    KernelLike,
    RandomState,
    Seed,
    check_fitted,
    check_labels,
    check_seed,
    check_vectors,
    display_name,
    is_frozen,
    param,
    seeded,
    slot,
)
from ilk_learners.classifiers.svm import SVM
from ilk_learners.classifiers.training_cases import as_scores, no_decision, put
from ilk_learners.numerics import check_finite_parameters

if TYPE_CHECKING:
    from ilk import Cases, Labels


class ProfileSVM(Classifier):
    """Train a support vector machine in each cluster of the training rows (Profile SVM).

    The machine of the nearest cluster predicts a query. The clusters of mag_kmeans are compact and
    balance the classes as far as compactness allows. A cluster of one class, or of equal rows,
    needs no machine: it predicts its most frequent class. (A query in an empty cluster, which
    mag_kmeans never has, gets the most frequent class of all rows.) With more than two classes
    each machine separates each class of its cluster from the rest.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Sorted.
    clusterer_ : clusterer
        Fitted.
    svms_ : list of SVM or None
        Fitted: one per cluster, None if it needs none.
    n_features_in_ : int

    Raises
    ------
    ParameterError
        If the clusterer has no ``predict``.
    InputError
        If there are fewer than two classes, or fewer rows than clusters.

    Notes
    -----
    ``decision_function`` gives the values of the classes of a cluster. In a cluster without a
    machine it is 1 for the predicted class and -1 for the others. If several classes are present,
    an absent one has -1, or a value just below their smallest.

    References
    ----------
    .. [1] H. Cheng, P.-N. Tan and R. Jin, "Efficient algorithm for localized support vector
       machine", *IEEE Transactions on Knowledge and Data Engineering* 22(4), 2010.
    .. [2] Zaidi 2011: section 8.1.

    Examples
    --------
    >>> import ilk
    >>> X, y = ilk.dataset("iris").load().Xy
    >>> clusterer = ilk.clusterer("mag_kmeans", n_clusters=4)
    >>> svm = ilk.classifier("profile_svm", clusterer=clusterer, random_state=0)
    >>> svm = svm.fit(X[::2], y[::2])
    >>> round(svm.score(X[1::2], y[1::2]), 2)
    0.96
    >>> [None if each is None else each.classes_.tolist() for each in svm.svms_]
    [None, ['versicolor', 'virginica'], ['versicolor', 'virginica'], None]
    """

    clusterer: ClustererLike = slot(
        "clusterer",
        default="mag_kmeans",
        doc="Must predict clusters of queries; it is fitted with the labels.",
    )
    C: float = param(default=10.0, gt=0, doc="Cost of a violated margin; inf: a hard margin.")
    kernel: KernelLike = slot(
        "kernel",
        default="rbf",
        doc="Fitted in each cluster (so its bandwidth is local).",
    )
    tol: float = param(
        default=0.001,
        gt=0,
        doc="Tolerated violation of the optimality conditions, for the solver.",
    )
    random_state: RandomState = param(
        default=None,
        type=Seed,
        doc="Replaces random states of the clusterer that are None.",
    )
    capabilities: ClassVar[Capabilities] = Capabilities()

    @classmethod
    def examples(cls) -> list[Self]:
        few = {"use": "mag_kmeans", "n_clusters": 3, "balance": 0.1}
        return [cls(), cls(clusterer=few, kernel="linear")]

    def check_parameters(self) -> None:
        """Check each parameter, and that the tolerance is finite."""
        super().check_parameters()
        check_finite_parameters(self, "tol")

    def fit(self, X: Cases, y: Labels) -> Self:
        """Find the clusters and train a machine in each.

        Parameters
        ----------
        X : array of shape (n, p)
        y : array of shape (n,)
        """
        self.check_parameters()
        X = check_vectors(self, X, reset=True)
        self.classes_, codes = check_labels(self, y, X, min_classes=2)
        rng = check_seed(self, self.random_state)
        clusterer = self.resolve_slot("clusterer")
        if not hasattr(clusterer, "predict"):
            name = display_name(clusterer)
            raise self.parameter_error("clusterer", f"must be one that predicts, got {name}")
        if is_frozen(clusterer):
            self.clusterer_, clusters = clusterer, np.asarray(clusterer.predict(X))
        else:
            seeded(clusterer, int(rng.randint(2**31 - 1)))
            self.clusterer_ = clusterer.fit(X, self.classes_[codes])
            clusters = np.asarray(self.clusterer_.labels_)
        members = [np.flatnonzero(clusters == j) for j in range(clusters.max(initial=-1) + 1)]
        self.svms_ = [self._machine(X[rows], self.classes_[codes[rows]]) for rows in members]
        every = [codes[rows] if len(rows) else codes for rows in members] + [codes]
        self._answers = np.array([np.bincount(c).argmax() for c in every])
        return self

    def _machine(self, rows: np.ndarray, labels: np.ndarray) -> SVM | None:
        if not len(labels) or (labels == labels[0]).all() or (rows == rows[0]).all():
            return None
        kernel = self.seeded_slot("kernel")
        return SVM(kernel=kernel, C=self.C, tol=self.tol, strategy="ova").fit(rows, labels)

    def predict(self, X: Cases) -> Any:
        """Predicted label of each row; array of shape (m,)."""
        best = self._decisions(X).argmax(axis=1)
        return self.classes_[best]

    def decision_function(self, X: Cases) -> np.ndarray:
        """Decision value of each row and class; shape (m, n_classes), or (m,) for two classes."""
        return as_scores(self._decisions(X))

    def _decisions(self, X: Cases) -> np.ndarray:
        check_fitted(self)
        X = check_vectors(self, X, reset=False)
        clusters = np.asarray(self.clusterer_.predict(X))
        clusters = np.where(clusters < len(self.svms_), clusters, -1)
        decisions = no_decision(len(X), len(self.classes_))
        decisions[np.arange(len(X)), self._answers[clusters]] = 1
        for j, svm in enumerate(self.svms_):
            members = np.flatnonzero(clusters == j)
            if svm is not None and members.size:
                f = svm.decision_function(X[members])
                f = np.column_stack([-f, f]) if f.ndim == 1 else f
                put(decisions, members, np.searchsorted(self.classes_, svm.classes_), f)
        return decisions
