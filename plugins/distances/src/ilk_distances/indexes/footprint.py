"""Footprint-based retrieval: first the nearest landmark cases, then their related cases."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

import ilk
from ilk import CompetenceModel, check_fitted, param
from ilk.neighbors import training_rows
from ilk_distances.indexes.approximate import checked_recall

if TYPE_CHECKING:
    from ilk import Cases, CaseSets, Distance, Labels, Matrix


class Footprint(ilk.Index):
    """Footprint-based retrieval: searches landmark cases, then around the nearest; approximate.

    Training models the competence of cases. Case c *solves* t if it has the same class and is
    among the `n_neighbors` nearest other cases of t; every case solves itself. With

    - ``Coverage(c) = {t: c solves t}`` and ``Reachability(t) = {c: c solves t}``,
    - ``Related(c)``, the union of the two,
    - *competence groups*, the cases whose related sets overlap, directly or through others,
    - ``RelativeCoverage(c) = sum of 1 / |Reachability(t)| over t in Coverage(c)``,

    the *footprint* is chosen by CNN-FP: in the order of decreasing relative coverage (ties by
    index) a case is selected unless an earlier selected case solves it. So the footprint solves
    every case.

    A query is compared with the footprint, then with the related sets of the `n_references`
    nearest footprint cases; the k nearest of these are the answer. If they are fewer than k, the
    number of references is doubled for that query until there are enough; the whole footprint
    always suffices. The answer therefore always has k rows, but not always the k nearest: `fit`
    measures the recall on 100 rows and warns if it is below 0.8, and `ilk_distances.recall`
    measures it on other queries. Takes any distance.

    Attributes
    ----------
    distance_ : Distance
        As given to `fit`.
    X_ : data of n rows
        Training rows as the distance takes them.
    coverage_, reachability_, related_ : CaseSets
        ``coverage_[c]`` has the indices of the cases that c solves, ``reachability_[c]`` those
        of the cases that solve c, ``related_[c]`` both.
    relative_coverage_ : ndarray of shape (n,)
    groups_ : ndarray of int, shape (n,)
        The competence group of each case, numbered from 0.
    footprint_ : ndarray of int, shape (n_footprint,)
        Indices of the footprint cases, ascending.
    recall_ : float
        Measured by `fit` on 100 training rows: the share of their 10 nearest rows that are found.
    n_distance_evaluations_ : int
        Number of computed distances, including those between all cases.

    Warns
    -----
    RecallWarning
        If `recall_` is below 0.8.

    Raises
    ------
    InputError
        If there are no labels, or k is not within 1..n.

    References
    ----------
    .. [1] B. Smyth and E. McKenna, "Footprint-based retrieval", *Case-Based Reasoning Research and
       Development* (ICCBR-99), LNCS 1650, Springer, 1999, pp. 343-357.
    .. [2] Cunningham 2008: section 2.4.3.

    Examples
    --------
    >>> import ilk
    >>> X, y = [[0.0], [1.0], [2.0], [7.0], [8.0]], ["a", "a", "a", "b", "b"]
    >>> index = ilk.index("footprint", n_neighbors=2, n_references=1)
    >>> index.fit(X, y, distance=ilk.distance("euclidean")).footprint_
    array([0, 3])
    >>> index.groups_
    array([0, 0, 0, 1, 1], dtype=int32)
    >>> index.kneighbors([[1.6]], 2)[1]
    array([[2, 1]])
    """

    exact: ClassVar[bool] = False
    remedy: ClassVar[str] = "more n_references or n_neighbors"
    n_neighbors: int = param(
        default=10,
        ge=1,
        doc="Number of nearest cases that may solve a case. More give larger related sets: fewer "
        "landmarks, better answers, more distances.",
    )
    n_references: int = param(
        default=4,
        ge=1,
        doc="Number of nearest footprint cases whose related sets the second stage searches. The "
        "source uses one.",
    )

    @classmethod
    def examples(cls) -> list[Footprint]:
        """Return one with the defaults, and one with the smallest search."""
        return [cls(), cls(n_neighbors=1, n_references=1)]

    def fit(self, X: Cases, y: Labels | None = None, *, distance: Distance) -> Self:
        """Model competence from training rows, their labels and an already fitted distance."""
        self.check_parameters()
        self.X_ = training_rows(self, distance, X)
        _, codes = ilk.check_labels(self, y, self.X_)
        self.distance_ = distance
        n = ilk.n_rows(self.X_)
        k = min(self.n_neighbors, n - 1)
        model = CompetenceModel.of(codes, _others(distance, self.X_, k))
        self.coverage_, self.reachability_ = model.coverage, model.reachability
        self.related_, self.relative_coverage_ = model.related, model.relative_coverage
        self.groups_ = model.groups
        self.footprint_ = _cnn_fp(self.coverage_, self.relative_coverage_)
        self.n_distance_evaluations_ = n * n if k else 0
        self.recall_ = checked_recall(self)
        return self

    def check_loaded(self) -> None:
        """Check that the footprint and the related sets have training rows."""
        n = ilk.n_rows(self.X_)
        footprint = ilk.check_stored(self, "footprint_", (None,), least=0, below=n)
        if not len(footprint) or len(self.related_) != n:
            raise ilk.stored_fault(self, f"related_ and footprint_ must be of {n} cases")

    def kneighbors(self, Q: Cases, k: int) -> tuple[np.ndarray, np.ndarray]:
        """The k nearest of the cases around the nearest footprint cases, nearest first.

        Ties go to the lower index.
        """
        check_fitted(self)
        self.check_k(k, ilk.n_rows(self.X_))
        ilk.refuse_sparse(self, Q, "Q")
        Q = self.distance_.check_input(Q, "Q")
        answers: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
        pending, n_references = np.arange(ilk.n_rows(Q)), self.n_references
        # double the references until the related cases are enough: those of the whole footprint are
        # all cases, so the loop ends
        while pending.size:
            n_references = min(n_references, len(self.footprint_))
            answered = self._around(Q, pending, n_references, int(k))
            answers += answered
            pending = np.setdiff1d(pending, np.concatenate([[], *(a[0] for a in answered)]))
            n_references *= 2
        rows = np.concatenate([queries for queries, _, _ in answers])
        # queries were answered in groups: back to their order
        back = np.argsort(rows)
        near = np.concatenate([distances for _, distances, _ in answers])[back]
        return near, np.concatenate([indices for _, _, indices in answers])[back]

    def _around(
        self, Q: Cases | None, queries: np.ndarray, n_references: int, k: int
    ) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """Answer the queries whose references have at least k related cases.

        Queries with the same references are compared with the same cases in one call.
        """
        # sorted, so that equal sets of references form one group
        references = np.sort(self._references(ilk.take(Q, queries), n_references), axis=1)
        places, group = np.unique(references, axis=0, return_inverse=True)
        order = np.argsort(group.ravel(), kind="stable")
        starts = np.searchsorted(group.ravel()[order], np.arange(len(places) + 1))
        answers = []
        for place, start, stop in zip(places, starts[:-1], starts[1:], strict=True):
            # the search is restricted to cases that are related to the references: the method's
            # approximation
            cases = self.related_.union(self.footprint_[place])
            # too few: these queries are answered later, from more references
            if len(cases) < k:
                continue
            mine = queries[order[start:stop]]
            among = ilk.take(self.X_, cases)
            near, where = self.distance_.kneighbors(ilk.take(Q, mine), among, k)
            self.n_distance_evaluations_ += len(mine) * len(cases)
            answers.append((mine, near, cases[where]))
        return answers

    def _references(self, Q: Matrix, n_references: int) -> np.ndarray:
        """Positions in the footprint of the cases nearest to each query."""
        landmarks = ilk.take(self.X_, self.footprint_)
        self.n_distance_evaluations_ += ilk.n_rows(Q) * len(self.footprint_)
        return np.asarray(self.distance_.kneighbors(Q, landmarks, n_references)[1])


def _cnn_fp(coverage: CaseSets, weight: np.ndarray) -> np.ndarray:
    """Select cases that solve all others by CNN-FP, in the order of decreasing relative coverage.

    One pass is enough: a solved case stays solved when cases are added.
    """
    solved = np.zeros(len(coverage), dtype=bool)
    chosen = []
    falling = np.argsort(-np.round(weight, 10), kind="stable")  # equal sums differ by rounding
    for case in falling.tolist():
        if not solved[case]:
            chosen.append(case)
            solved[coverage[case]] = True
    return np.sort(np.array(chosen, dtype=np.int64))


def _others(distance: Distance, X: Matrix, k: int) -> np.ndarray:
    """The k nearest other cases of each; array of int, shape (n, k)."""
    if k == 0:
        return np.empty((ilk.n_rows(X), 0), dtype=int)
    return ilk.without_itself(*distance.kneighbors(X, X, k + 1))[1]
