"""knn: the votes of the nearest training rows."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ilk import (
    Capabilities,
    Classifier,
    Param,
    Prediction,
    RandomState,
    Seed,
    check_labels,
    check_seed,
    check_stored,
    n_rows,
    param,
)
from ilk_learners.neighbors import Explanation, Nearest, n_of_other_classes, neighbors_of_others
from ilk_learners.votes import Ballot

if TYPE_CHECKING:
    from ilk_learners.votes import Ties


class KNN(Nearest, Classifier):
    """Classify by the votes of the k nearest training rows, under any distance.

    The class with the most votes wins. The vote of a row at distance d weighs, for width h

    - majority: 1;
    - inverse_distance: ``d^(-power)``, equation (2.15) of [1]_;
    - shepard: ``exp(-d / h)``, equation (2.16) of [1]_;
    - gaussian: ``exp(-d^2 / (2 h^2))``, equation (2.11) of [2]_ in (2.13);
    - epanechnikov: ``max(1 - (d / h)^2, 0)``, equation (2.14) of [2]_ without its 3/4, which
      cancels. Where no row is within h, those as near as the nearest vote alone.

    A training row at distance zero decides: if there are such rows among the k nearest, only
    they vote.

    Where the training rows are all of one class, as an editor may leave them, that is the answer.

    It takes whatever its distance takes: vectors, tables with nominal columns, texts, ...
    A search holds k neighbours for each query and what the index needs.

    A memory-mapped array (`numpy.memmap`) or a Dask array of numbers is never loaded whole: with
    the index brute and a distance of vectors that learns nothing from them, training rows are
    read, or computed by Dask's own scheduler, block by block, at each search; brute says what
    that takes. Answers are the same, and NumPy arrays. Queries may be such arrays whatever finds
    the neighbours, and y may be a Dask array. Of other components a Dask array is refused. What
    is fitted on one can be pickled (its graph is) but not saved by `ilk.save`; of a file the rows
    are saved.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Sorted.
    class_prior_ : ndarray of shape (n_classes,)
        Share of each class in the training rows.
    distance_, index_, metric_learner_ : components
        Fitted; the first two are None with a local metric, the third where there is none.
    n_features_in_ : int
        Where the rows are vectors or tables.

    Raises
    ------
    ParameterError
        If a local metric stands beside a distance or an index of your own, or if
        `reject_label` is one of the classes.
    InputError
        If there are fewer than k training rows, or X is nothing that the distance takes.
    InputTypeError
        If X is a Dask array and the index, the distance or the metric learner needs all rows.

    References
    ----------
    .. [1] P. Cunningham, M. Cord and S. J. Delany, "Supervised Learning", in *Machine Learning
       Techniques for Multimedia*, Springer, 2008, section 2.4, equations (2.15) and (2.16).
    .. [2] N. A. Zaidi, *Metric Learning and Scale Estimation in High Dimensional Machine Learning
       Problems with an Application to Generic Object Recognition*, thesis, Monash University,
       2011, equations (2.11) to (2.14).
    .. [3] T. M. Cover and P. E. Hart, "Nearest neighbor pattern classification", IEEE
       Transactions on Information Theory 13, 1967.
    .. [4] K. Hechenbichler and K. Schliep, "Weighted k-nearest-neighbor techniques and ordinal
       classification", discussion paper 399, SFB 386, LMU Munich, 2004: the width that is
       the distance of neighbour k + 1.

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
        doc="Which of the classes with the most votes wins: the one of the nearest row among "
        "theirs; that of one of their rows by lot (the same neighbours always give the "
        "same answer, whatever the order of the queries); the most frequent one in "
        "training, and if that does not tell, the nearest; or none, which answers "
        "`reject_label`.",
    )
    reject_label: str | float | bool | None = param(
        default=None,
        type=(str, int, float, bool),
        doc="The answer where nothing is answered; no label of the training rows.",
    )
    random_state: RandomState = param(default=None, type=Seed, doc='For ``ties="random"``.')
    capabilities: ClassVar[Capabilities] = replace(Nearest.capabilities, probabilistic=True)

    @classmethod
    def examples(cls) -> list[Self]:
        return [
            cls(k=3),
            cls(k=1),
            cls(k=4, vote="inverse_distance", power=2, ties="prior"),
            cls(k=3, vote="inverse_distance", ties="random", random_state=0),
            cls(k=5, vote="shepard", width=2.0),
            cls(k=3, vote="gaussian"),
            cls(k=4, vote="epanechnikov", width="last_neighbor"),
        ]

    def fit(self, X: Any, y: Any) -> Self:
        """Take the training rows and their labels.

        Parameters
        ----------
        X : data of n rows, of any kind that the distance takes
        y : array of shape (n,)
        """
        self.check_parameters()
        X = self._checked_rows(X)
        self.classes_, self.codes_ = check_labels(self, y, X)
        self._check_reject_label()
        counts = np.bincount(self.codes_)
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
        """Check that each training row is of a class that there is."""
        shape = (n_rows(self._rows),)
        check_stored(self, "codes_", shape, least=0, below=len(self.classes_))

    def predict(self, X: Any) -> Any:
        """Predicted label of each row; array of shape (m,)."""
        _, rows, weights = self._voters(X)
        return self._labels(*self._ballot.winners(rows, weights))

    def predict_proba(self, X: Any) -> np.ndarray:
        """Share of the votes of each class; array of shape (m, n_classes)."""
        _, rows, weights = self._voters(X)
        return self._ballot.shares(rows, weights)

    def explain(self, x: Any) -> Explanation:
        """Tell which neighbours decide about one object, given as one or as data of one row."""
        near, rows, weights = self._voters(self._one(x))
        shares = self._ballot.shares(rows, weights)[0]
        return Explanation(
            prediction=self._labels(*self._ballot.winners(rows, weights))[0],
            indices=rows[0],
            labels=self.classes_[self.codes_[rows[0]]],
            distances=near[0],
            votes=np.ones(len(rows[0])) if weights is None else weights[0],
            shares=dict(zip(self.classes_.tolist(), shares.tolist(), strict=True)),
        )

    def class_outliers(self, r: int) -> np.ndarray:
        """Training rows that have more than r of other classes among their k nearest others.

        A row itself is none of its neighbours, rows equal to it are.

        Parameters
        ----------
        r : int
            At least 0; from k on there are none.

        Returns
        -------
        ndarray of int
            Numbers of the rows, ascending.

        References
        ----------
        K. Arras, slides on supervised learning, part 3, Social Robotics Lab, Freiburg.
        """
        problem = Param(int, ge=0).problem(r)
        if problem:
            raise self.parameter_error("r", problem)
        check_is_fitted(self)
        _, rows = neighbors_of_others(self, self._search, self._rows, self.k)
        return np.flatnonzero(n_of_other_classes(self.codes_, rows) > r)

    @property
    def fast_leave_one_out(self) -> bool:
        """Whether `leave_one_out` gives what fitting anew for each row would.

        It does not where ties are broken by lots that no `random_state` fixes.
        """
        by_open_lot = self.ties == "random" and self.random_state is None
        return super().fast_leave_one_out and not by_open_lot

    def leave_one_out(self, X: Any, y: Any) -> Prediction:
        """What is said about each row by a classifier fitted on all the others.

        It is what fitting anew for each row would give, to the last digit, from one search for
        neighbours. It needs a distance that learns nothing from the training rows, an exact
        index, and no metric learner (`fast_leave_one_out` tells).

        Parameters
        ----------
        X : data of n rows
        y : array of shape (n,)

        Returns
        -------
        Prediction
            A class has probability 0 for its only member.

        Raises
        ------
        ParameterError
            If a component would have to be fitted anew for each row; it is named.
        InputError
            If there are fewer than k other rows.
        """
        return self._twin(X, y)._left_out()  # noqa: SLF001  # one of this class

    def _left_out(self) -> Prediction:
        """Answers for the training rows."""
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
        return Ballot(self.codes_, len(self.classes_), self.ties, lots)

    def _labels(self, winners: np.ndarray, tied: np.ndarray) -> np.ndarray:
        labels = np.asarray(self.classes_[winners])
        return self._reject(labels, tied) if self.ties == "reject" else labels

    def _reject(self, labels: np.ndarray, rejected: np.ndarray) -> np.ndarray:
        """Put `reject_label` in, in an array that can hold it beside the labels."""
        mark = np.asarray(self.reject_label)
        same = mark.dtype.kind == labels.dtype.kind
        result = labels.astype(np.result_type(labels, mark) if same else object)
        result[rejected] = self.reject_label
        return result
