"""knn: the votes of the nearest training rows."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from ilk import (
    Capabilities,
    Classifier,
    Outputs,
    Param,
    Prediction,
    RandomState,
    Seed,
    check_fitted,
    check_labels,
    check_seed,
    check_stored,
    n_rows,
    param,
)
from ilk_learners.neighbors import (
    VOTES_ONLY,
    Explanation,
    Nearest,
    n_of_other_classes,
    neighbors_of_others,
)
from ilk_learners.votes import Ballot

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ilk import ArrayLike, Cases, Labels
    from ilk_learners.votes import Ties


class KNN(Nearest, Classifier):
    """Classify by the votes of the k nearest training rows, under any distance.

    The class with the most votes wins. The vote of a row at distance d has the weight (h is the
    bandwidth)

    - majority: 1;
    - inverse_distance: ``d^(-power)``, equation (2.15) of [1]_;
    - shepard: ``exp(-d / h)``, equation (2.16) of [1]_;
    - gaussian: ``exp(-d^2 / (2 h^2))``, equation (2.11) of [2]_ in (2.13);
    - epanechnikov: ``max(1 - (d / h)^2, 0)``, equation (2.14) of [2]_ without its 3/4, which
      cancels. If no row is within h, only the rows at the smallest distance vote.

    Sample weights multiply the votes.

    All k vote, even if some equal the query. With inverse distances, or with
    ``zero_distance="decides"`` (the default of version 0.1), rows at distance zero exclude the
    others.

    If all training rows are of one class (an editor may leave such), that class is predicted.

    It accepts the input of its distance: vectors, sparse rows, tables with nominal columns, texts,
    ... A search holds k neighbours per query, plus the memory of the index.

    A memory-mapped array (`numpy.memmap`) or a numeric Dask array is never loaded as a whole. With
    the index brute and a distance of vectors that learns nothing from them, each search reads the
    training rows block by block, or Dask's scheduler computes them; see brute for the cost.
    Predictions are the same, and NumPy arrays. Queries may be such arrays with any index, and y may
    be a Dask array. Other components reject Dask arrays. A model fitted on a Dask array can be
    pickled (with its graph) but not saved by `ilk.save`; for a memory-mapped file the rows are
    saved.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Sorted.
    class_prior_ : ndarray of shape (n_classes,)
        Share of each class in the training rows.
    distance_, index_, metric_learner_ : components
        Fitted; the first two are None with a local metric, the third without a metric learner.
    n_features_in_ : int
        Where the rows are vectors or tables.

    Raises
    ------
    ParameterError
        If a local metric is combined with a given distance or index, or if `reject_label` is one
        of the classes.
    InputError
        If there are fewer than k training rows, or the distance does not accept X.
    InputTypeError
        If X is a Dask array and the index, the distance or the metric learner needs all rows.

    References
    ----------
    .. [1] Cunningham 2008: sections 2.4, 2.4.5; equations 2.15-2.16; figure 2.1.
    .. [2] Zaidi 2011: section 2.1.3; equations 2.11-2.14; figure 2.2.
    .. [3] T. M. Cover and P. E. Hart, "Nearest neighbor pattern classification", IEEE Transactions
       on Information Theory 13, 1967.
    .. [4] K. Hechenbichler and K. Schliep, "Weighted k-nearest-neighbor techniques and ordinal
       classification", discussion paper 399, SFB 386, LMU Munich, 2004: the width that is the
       distance of neighbour k + 1.
    .. [5] Arras: K-Nearest Neighbor Classifier; K-NN Learning; K-NN Inference and Decision; K-NN
       Example; Parameter k.

    Examples
    --------
    >>> import ilk
    >>> knn = ilk.classifier("knn", k=3, vote="inverse_distance")
    >>> knn = knn.fit([[0.0], [1.0], [4.0], [5.0]], ["a", "a", "b", "b"])
    >>> knn.predict([[1.5], [5.0]]).tolist()
    ['a', 'b']
    >>> print(knn.explain([2.0]))
    prediction a
      a: 0.750
      b: 0.250
         row    distance    vote  label
           1           1       1  a
           0           2     0.5  a
           2           2     0.5  b
    >>> X, y = ilk.dataset("iris").load().Xy
    >>> left_out = ilk.classifier("knn").leave_one_out(X, y)
    >>> round(float((left_out.labels == y).mean()), 2)
    0.97
    """

    ties: Ties = param(
        default="nearest",
        choices=("nearest", "random", "prior", "reject"),
        doc="How to settle ties between the classes with the most votes: by the nearest of their "
        "rows; by one of their rows at random (the same neighbours always give the same answer, "
        "in any order of the queries); by frequency in training, then the nearest row; or not at "
        "all, with the answer `reject_label`.",
    )
    reject_label: str | float | bool | None = param(
        default=None,
        type=(str, int, float, bool),
        doc="The answer for a rejected query; must not be a training label.",
    )
    random_state: RandomState = param(default=None, type=Seed, doc='For ``ties="random"``.')
    capabilities: ClassVar[Capabilities] = replace(Nearest.capabilities, probabilistic=True)
    late: ClassVar[tuple[str, ...]] = Nearest.late
    waivers: ClassVar[Mapping[str, str]] = {**Nearest.waivers, "check_weights_repeat": VOTES_ONLY}

    @classmethod
    def examples(cls) -> list[Self]:
        return [
            # first for scikit-learn's checks: they know no ties, which shares do not settle
            cls(k=4, vote="inverse_distance", power=2, ties="prior"),
            cls(k=3),
            cls(k=1),
            cls(k=3, vote="inverse_distance", ties="random", random_state=0),
            cls(k=5, vote="shepard", width=2.0),
            cls(k=3, vote="gaussian"),
            cls(k=4, vote="epanechnikov", width="last_neighbor"),
        ]

    def fit(self, X: Cases, y: Labels, sample_weight: ArrayLike | None = None) -> Self:
        """Store the training rows and labels.

        Parameters
        ----------
        X : data of n rows, of any kind that the distance takes
        y : array of shape (n,)
        sample_weight : array of shape (n,), optional
            Each multiplies the votes of its row, and counts for the frequency of its class; rows
            of weight 0 are absent. The k neighbours, and the fit of distance, index and metric
            learner, do not depend on the other weights.
        """
        self.check_parameters()
        X = self._checked_rows(X)
        self.classes_, codes = check_labels(self, y, X)
        X, self.codes_ = self._weighted(X, codes, sample_weight)
        if len(self.codes_) < len(codes):
            self.classes_, self.codes_ = check_labels(self, self.classes_[self.codes_])
        self._check_reject_label()
        counts = np.bincount(self.codes_, vars(self).get("weights_"))
        self.class_prior_ = counts / counts.sum()
        if self.ties == "random":
            self._lots = check_seed(self, self.random_state).random_sample(len(self.codes_))
        self._take_rows(X, self.classes_[self.codes_])
        return self

    def _check_reject_label(self) -> None:
        if self.ties == "reject" and self.reject_label in self.classes_.tolist():
            raise self.parameter_error(
                "reject_label", f"must be no label of the training rows, got {self.reject_label!r}"
            )

    def check_loaded(self) -> None:
        """Check that the class code of each stored training row exists."""
        super().check_loaded()
        shape = (n_rows(self._rows),)
        check_stored(self, "codes_", shape, least=0, below=len(self.classes_))

    def predict(self, X: Cases) -> Any:
        """Predicted label of each row; array of shape (m,)."""
        _, rows, weights = self._voters(X)
        return self._labels(*self._ballot.winners(rows, weights))

    def predict_proba(self, X: Cases) -> np.ndarray:
        """Share of the votes of each class; array of shape (m, n_classes)."""
        _, rows, weights = self._voters(X)
        return self._ballot.shares(rows, weights)

    def outputs(self, X: Cases) -> Outputs:
        """Labels and probabilities of each row, from one search for neighbours."""
        _, rows, weights = self._voters(X)
        ballot = self._ballot
        return Outputs(
            lambda: self._labels(*ballot.winners(rows, weights)),
            lambda: ballot.shares(rows, weights),
        )

    def explain(self, x: object) -> Explanation:
        """Explain the prediction for one object (or data of one row) by its neighbours."""
        near, rows, weights = self._voters(self._one(x))
        shares = self._ballot.shares(rows, weights)[0]
        return Explanation(
            prediction=self._labels(*self._ballot.winners(rows, weights))[0],
            indices=self._numbered(rows[0]),
            labels=self._targets(rows[0]),
            distances=near[0],
            votes=np.ones(len(rows[0])) if weights is None else weights[0],
            shares=dict(zip(self.classes_.tolist(), shares.tolist(), strict=True)),
        )

    def _targets(self, rows: np.ndarray) -> np.ndarray:
        return np.asarray(self.classes_[self.codes_[rows]])

    def class_outliers(self, r: int) -> np.ndarray:
        """Training rows with more than r rows of other classes among their k nearest others.

        A row is not its own neighbour; rows equal to it are.

        Parameters
        ----------
        r : int
            At least 0; from k on the result is empty.

        Returns
        -------
        ndarray of int
            Row numbers, ascending.

        References
        ----------
        Arras: K-NN Learning.
        """
        problem = Param(int, ge=0).problem(r)
        if problem:
            raise self.parameter_error("r", problem)
        check_fitted(self)
        _, rows = neighbors_of_others(self, self._search, self._rows, self.k)
        return self._numbered(np.flatnonzero(n_of_other_classes(self.codes_, rows) > r))

    @property
    def fast_leave_one_out(self) -> bool:
        """Whether `leave_one_out` equals refitting without each row.

        It does not if ties are broken at random without a fixed `random_state`.
        """
        by_open_lot = self.ties == "random" and self.random_state is None
        return super().fast_leave_one_out and not by_open_lot

    def leave_one_out(self, X: Cases, y: Labels) -> Prediction:
        """Predict each row by a classifier fitted on all the others.

        One neighbour search gives exactly the result of refitting for each row. It needs a distance
        that learns nothing from the training rows, an exact index, and no metric learner (see
        `fast_leave_one_out`).

        Parameters
        ----------
        X : data of n rows
        y : array of shape (n,)

        Returns
        -------
        Prediction
            The only member of a class gets probability 0 for it.

        Raises
        ------
        ParameterError
            If a component must be refitted for each row; the message names it.
        InputError
            If there are fewer than k other rows.
        """
        return self._twin(X, y)._left_out()  # noqa: SLF001  # one of this class

    def _left_out(self) -> Prediction:
        """Leave-one-out predictions of the training rows."""
        _, rows, weights = self._voters_among_others()
        winners, tied = self._ballot.winners(rows, weights, left_out=True)
        return Prediction(
            truth=self.classes_[self.codes_],
            labels=self._labels(winners, tied),
            classes=self.classes_,
            probabilities=self._ballot.shares(rows, weights),
            rejected=tied if self.ties == "reject" else None,
        )

    @property
    def _ballot(self) -> Ballot:
        lots = self._lots if self.ties == "random" else None
        return Ballot(self.codes_, len(self.classes_), self.ties, lots, vars(self).get("weights_"))

    def _labels(self, winners: np.ndarray, tied: np.ndarray) -> np.ndarray:
        labels = np.asarray(self.classes_[winners])
        return self._reject(labels, tied) if self.ties == "reject" else labels

    def _reject(self, labels: np.ndarray, rejected: np.ndarray) -> np.ndarray:
        """Insert `reject_label`, in an array whose dtype holds it and the labels."""
        mark = np.asarray(self.reject_label)
        same = mark.dtype.kind == labels.dtype.kind
        result = labels.astype(np.result_type(labels, mark) if same else object)
        result[rejected] = self.reject_label
        return result
