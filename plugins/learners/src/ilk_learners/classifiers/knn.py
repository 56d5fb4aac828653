"""knn: the votes of the nearest training rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ilk import (
    Capabilities,
    Classifier,
    IlkError,
    InputError,
    LocalMetric,
    Param,
    Seed,
    check_k,
    check_labels,
    check_seed,
    display_name,
    fit_component,
    is_table,
    n_rows,
    one_row,
)
from ilk_learners.classifiers.explanation import Explanation
from ilk_learners.classifiers.local import is_default, is_local, name_of
from ilk_learners.objects import check_objects
from ilk_learners.votes import first_voter, leaders, tally


class KNN(Classifier):
    """Classify by the votes of the k nearest training rows, under any distance.

    Each of the k nearest rows votes for its class, with weight 1 or with weight d^(-n) for
    its distance d. A training row at distance zero decides: if there are such rows among
    the k nearest, only they vote. The class with most votes wins.

    It takes whatever its distance takes: vectors, tables with nominal columns, texts, ...

    Parameters
    ----------
    k : int, default=5
        How many neighbours vote.
    distance : distance, default="euclidean"
        Any; it is fitted on the training rows.
    index : index, default="brute"
        How neighbours are found.
    metric_learner : metric learner, default=None
        A global one is fitted first, and rows are compared after its map. A local one finds
        the neighbours itself, in place of distance and index.
    vote : {"majority", "inverse_distance"}, default="majority"
        Weight of a vote: 1, or d^(-power).
    power : float, default=1.0
        The n of inverse distances; the larger, the less far neighbours count.
    ties : {"nearest", "random", "prior", "reject"}, default="nearest"
        Which of the classes with the most votes wins: the one of the nearest row among
        theirs; that of one of their rows by lot (the same neighbours always give the same
        answer, whatever the order of the queries); the most frequent one in training, and
        if that does not tell, the nearest; or none, which answers `reject_label`.
    zero_distance : {"decides", "votes"}, default="decides"
        Whether rows at distance zero silence the others also in majority votes. Among
        inverse distances they always do.
    reject_label : label, default=None
        The answer where nothing is answered; no label of the training rows.
    random_state : int, generator or None, default=None
        For ``ties="random"``.

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
        If there are fewer than k training rows, fewer than two classes, or X is nothing
        that the distance takes.

    References
    ----------
    .. [1] P. Cunningham, M. Cord and S. J. Delany, "Supervised Learning", in *Machine Learning
       Techniques for Multimedia*, Springer, 2008, section 2.4, equation (2.15).
    .. [2] T. M. Cover and P. E. Hart, "Nearest neighbor pattern classification", IEEE
       Transactions on Information Theory 13, 1967.

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
    """

    parameters: ClassVar[Mapping[str, Param]] = {
        "k": Param(int, ge=1, doc="How many neighbours vote."),
        "distance": Param(slot="distance", doc="How far apart rows are."),
        "index": Param(slot="index", doc="How neighbours are found."),
        "metric_learner": Param(
            slot="metric_learner",
            none=True,
            doc="Global: rows are compared after its map; local: it finds the neighbours.",
        ),
        "vote": Param(choices=("majority", "inverse_distance"), doc="Weight of a vote."),
        "power": Param(float, gt=0, doc="Exponent of inverse distances."),
        "ties": Param(
            choices=("nearest", "random", "prior", "reject"),
            doc="Which of the classes with the most votes wins.",
        ),
        "zero_distance": Param(
            choices=("decides", "votes"), doc="Whether rows at distance zero silence the others."
        ),
        "reject_label": Param(
            (str, int, float, bool), none=True, doc="The answer where nothing is answered."
        ),
        "random_state": Param(Seed, doc="For ties by lot."),
    }
    capabilities: ClassVar[Capabilities] = Capabilities(
        inputs=(
            "vectors",
            "histograms",
            "tables",
            "strings",
            "signatures",
            "sets",
            "views",
            "indices",
        ),
        probabilistic=True,
    )

    def __init__(
        self,
        k: int = 5,
        distance: Any = "euclidean",
        index: Any = "brute",
        metric_learner: Any = None,
        vote: Literal["majority", "inverse_distance"] = "majority",
        power: float = 1.0,
        ties: Literal["nearest", "random", "prior", "reject"] = "nearest",
        zero_distance: Literal["decides", "votes"] = "decides",
        reject_label: Any = None,
        random_state: Any = None,
    ) -> None:
        self.k = k
        self.distance = distance
        self.index = index
        self.metric_learner = metric_learner
        self.vote = vote
        self.power = power
        self.ties = ties
        self.zero_distance = zero_distance
        self.reject_label = reject_label
        self.random_state = random_state

    @classmethod
    def examples(cls) -> list[Self]:
        return [
            cls(k=3),
            cls(k=1),
            cls(k=4, vote="inverse_distance", power=2, ties="prior"),
            cls(k=3, vote="inverse_distance", ties="random", random_state=0),
        ]

    def check_parameters(self) -> None:
        """Check each parameter, and that a local metric stands alone."""
        super().check_parameters()
        if not is_local(self.metric_learner):
            return
        for name, default in (("index", "brute"), ("distance", "euclidean")):
            if not is_default(getattr(self, name), name, default):
                raise self.parameter_error(
                    name,
                    f"must be left at {default!r} with the local metric learner "
                    f"{name_of(self.metric_learner)!r}, which finds the neighbours itself",
                )

    def fit(self, X: Any, y: Any) -> Self:
        """Take the training rows and their labels.

        Parameters
        ----------
        X : data of n rows, of any kind that the distance takes
        y : array of shape (n,)
        """
        self.check_parameters()
        learner: Any = None if self.metric_learner is None else self.resolve_slot("metric_learner")
        local = isinstance(learner, LocalMetric)
        distance = None if local else self.resolve_slot("distance")
        X = check_objects(self, distance if learner is None else learner, X, reset=True)
        self.classes_, self.codes_ = check_labels(self, y, X, min_classes=2)
        check_k(self, self.k, n_rows(X))
        self._check_reject_label()
        labels = self.classes_[self.codes_]
        self.class_prior_ = np.bincount(self.codes_) / len(self.codes_)
        if self.ties == "random":
            self._lots = check_seed(self, self.random_state).random_sample(len(labels))
        if learner is not None:
            learner = fit_component(learner, X, labels)
        self.metric_learner_ = learner
        self.distance_ = self.index_ = None
        if not local:
            Z = X if learner is None else learner.transform(X)
            self.distance_ = fit_component(distance, Z, labels)
            index = self.resolve_slot("index")
            self.index_ = fit_component(index, Z, labels, distance=self.distance_)
        return self

    def _check_reject_label(self) -> None:
        if self.ties == "reject" and self.reject_label in self.classes_.tolist():
            raise self.parameter_error(
                "reject_label", f"must be no label of the training rows, got {self.reject_label!r}"
            )

    def kneighbors(self, X: Any, k: int | None = None) -> tuple[np.ndarray, np.ndarray]:
        """The nearest training rows of each query, nearest first, ties by lower index.

        Parameters
        ----------
        X : data of m rows
        k : int, optional
            As many as vote, if left out.

        Returns
        -------
        distances : ndarray of shape (m, k)
        indices : ndarray of int, shape (m, k)
        """
        check_is_fitted(self)
        k = self.k if k is None else k
        learner: Any = self.metric_learner_
        Q = check_objects(self, self.distance_ if learner is None else learner, X, reset=False)
        if self.index_ is None:
            near, rows = learner.kneighbors(Q, k)
        else:
            near, rows = self.index_.kneighbors(Q if learner is None else learner.transform(Q), k)
        return near, rows

    def predict(self, X: Any) -> Any:
        """Predicted label of each row; array of shape (m,)."""
        near, rows = self.kneighbors(X)
        return self._answers(self._votes(near, rows), rows)

    def predict_proba(self, X: Any) -> np.ndarray:
        """Share of the votes of each class; array of shape (m, n_classes)."""
        return _shares(self._votes(*self.kneighbors(X)))

    def explain(self, x: Any) -> Explanation:
        """Tell which neighbours decide about one object, given as one or as data of one row."""
        single = is_table(x) or getattr(x, "ndim", 1) == 2
        row = x if single else one_row(x)
        if n_rows(row) != 1:
            raise InputError(f"{display_name(self)}: x must be one object, got {n_rows(row)} rows")
        near, rows = self.kneighbors(row)
        votes, weights = self._votes(near, rows), self._weights(near)
        return Explanation(
            prediction=self._answers(votes, rows)[0],
            shares=dict(zip(self.classes_.tolist(), _shares(votes)[0].tolist(), strict=True)),
            indices=rows[0],
            labels=self.classes_[self.codes_[rows[0]]],
            distances=near[0],
            votes=np.ones(len(rows[0])) if weights is None else weights[0],
        )

    def _votes(self, near: np.ndarray, rows: np.ndarray) -> np.ndarray:
        return tally(self.codes_[rows], self._weights(near), len(self.classes_))

    def _weights(self, near: np.ndarray) -> np.ndarray | None:
        """Vote of each neighbour, in relation to the nearest one's; None: all the same."""
        nearest = near[:, :1]
        zero = nearest == 0
        if self.vote == "majority":
            if self.zero_distance == "votes" or not zero.any():
                return None
            return np.where(zero, near == 0, 1.0)
        with np.errstate(invalid="ignore", divide="ignore", under="ignore"):
            weights = (nearest / near.astype(float, copy=False)) ** self.power
        return np.where(near == nearest, 1.0, np.where(zero, 0.0, weights))

    def _answers(self, votes: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """Label with the most votes for each query; ties as `ties` says."""
        best, codes = leaders(votes), self.codes_[rows]
        tied = best.sum(axis=1) > 1
        if self.ties == "random" and tied.any():
            lots = np.where(np.take_along_axis(best, codes, axis=1), self._lots[rows], np.inf)
            drawn = np.take_along_axis(codes, lots.argmin(axis=1)[:, None], axis=1)
            return np.asarray(self.classes_[drawn[:, 0]])
        if self.ties == "prior":
            prior = np.where(best, self.class_prior_, 0.0)
            best &= prior == prior.max(axis=1, keepdims=True)
        labels = self.classes_[first_voter(best, codes)]
        return self._reject(labels, tied) if self.ties == "reject" else np.asarray(labels)

    def _reject(self, labels: np.ndarray, rejected: np.ndarray) -> np.ndarray:
        """Put `reject_label` in, in an array that can hold it beside the labels."""
        mark = np.asarray(self.reject_label)
        same = mark.dtype.kind == labels.dtype.kind
        result = labels.astype(np.result_type(labels, mark) if same else object)
        result[rejected] = self.reject_label
        return result

    def __sklearn_tags__(self) -> Any:
        """Input tags are those of the distance, or of the metric learner before it."""
        tags = super().__sklearn_tags__()
        name = "distance" if self.metric_learner is None else "metric_learner"
        try:
            component = self.resolve_slot(name)
        except IlkError:  # said when it is fitted
            return tags
        if hasattr(component, "__sklearn_tags__"):
            tags.input_tags = component.__sklearn_tags__().input_tags
        return tags


def _shares(votes: np.ndarray) -> np.ndarray:
    return np.asarray(votes / votes.sum(axis=1, keepdims=True))
