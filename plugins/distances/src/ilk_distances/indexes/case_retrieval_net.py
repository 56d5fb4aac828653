"""Case retrieval net: activation spreads from the values of a query to the cases that have them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

import ilk
from ilk.neighbors.checks import check_radius, training_rows
from ilk_distances.indexes.candidates import Candidates
from ilk_distances.indexes.entities import Net, coded, terms_of
from ilk_distances.indexes.exact import paired_queries

_BLOCK = 2**22  # activations held at once


class CaseRetrievalNet(ilk.Index):
    """Case retrieval net: spreads activation from a query's values to the cases; exact.

    For nominal and binned data. The net has an *information entity* for each value of each
    feature, linked by *similarity arcs* to like values of the feature and by *relevance arcs*
    to the cases that have the value. A query activates the entities of its values, these pass
    activation along the similarity arcs, and all pass it on along the relevance arcs:

    ``activation(c) = sum_f w_f sigma_f(q_f, c_f)``, with ``sigma_f = most_f - delta_f``,

    so that for a distance which is a sum over features, ``d(q, c) = sum_f w_f delta_f(q_f, c_f)``,
    the most active cases are the nearest; `most_f` is what the feature adds to the distance
    where nothing is in common. Under overlap (hamming, nominal columns) an entity is like itself
    alone, and only cases that share a value with the query are touched at all. A numeric value
    is like all others of its feature, the less the farther: keep these few by binning. A missing
    value has no entity, and so nothing in common with anything.

    It takes the distances ``hamming``, and ``heterogeneous`` with ``missing="max"`` or
    ``"error"``. Answers are those of brute force, ties included: the most active cases, and
    all whose activation differs from theirs by no more than rounding can, are compared by
    the distance itself.

    Attributes
    ----------
    distance_ : Distance
        As given to `fit`.
    X_ : data of n rows
        Training rows as the distance takes them.
    cases_ : Coded
        The same rows, nominal values as codes.
    net_ : Net
        Entities and their arcs to the cases.
    n_entities_ : int
    n_distance_evaluations_ : int
        How many distances have been computed since `fit`; spreading activation takes none.

    Raises
    ------
    InputError
        If the distance is another (named), k is not within 1..n, or a radius is negative.

    References
    ----------
    .. [1] M. Lenz and H.-D. Burkhard, "Case retrieval nets: basic ideas and extensions", *KI-96:
       Advances in Artificial Intelligence*, Springer, 1996, pp. 227-239.
    .. [2] P. Cunningham, M. Cord and S. J. Delany, "Supervised Learning", in *Machine Learning
       Techniques for Multimedia*, Springer, 2008, section 2.4.3.

    Examples
    --------
    >>> import ilk, pandas as pd
    >>> X = pd.DataFrame({"color": ["red", "red", "blue"], "size": ["big", "small", "small"]})
    >>> net = ilk.index("case_retrieval_net")
    >>> net = net.fit(X, distance=ilk.distance("ilk-distances/heterogeneous").fit(X))
    >>> net.n_entities_
    4
    >>> query = pd.DataFrame({"color": ["red"], "size": ["small"]})
    >>> net.kneighbors(query, 2)
    (array([[0., 1.]]), array([[1, 0]]))
    """

    capabilities: ClassVar[ilk.Capabilities] = ilk.Capabilities(
        inputs=("tables", "vectors"), nan=True
    )

    @classmethod
    def example_distance(cls) -> Any:
        """Return a distance of the kind it takes."""
        return ilk.distance("ilk-distances/heterogeneous")

    def fit(self, X: Any, y: Any = None, *, distance: Any) -> Self:
        """Take training rows and an already fitted distance; y is ignored."""
        self.check_parameters()
        self.X_ = training_rows(self, distance, X)
        terms = terms_of(self, distance, self.X_)
        self.distance_ = distance
        self.cases_ = coded(self.X_)
        self.net_ = Net.of(self.cases_, terms)
        self.n_entities_ = int(self.net_.first[-1])
        self.n_distance_evaluations_ = 0
        return self

    def check_loaded(self) -> None:
        """Check that entities are linked to training rows."""
        ilk.check_stored(self.net_, "cases", (None,), least=0, below=ilk.n_rows(self.X_))
        if self.n_entities_ != self.net_.first[-1]:
            raise ilk.stored_fault(self, f"n_entities_ must be {self.net_.first[-1]}")

    def kneighbors(self, Q: Any, k: int) -> tuple[np.ndarray, np.ndarray]:
        """The k nearest training rows of each query, nearest first, ties by lower index."""
        check_is_fitted(self)
        n = ilk.n_rows(self.X_)
        self.check_k(k, n)
        near, where = [], []
        for queries, candidates in self._found(Q, int(k)):
            found = candidates.nearest(self.distance_, queries, self.X_, int(k))
            near.append(found[0])
            where.append(found[1])
            self.n_distance_evaluations_ += found[2]
        return np.concatenate(near), np.concatenate(where)

    def radius_neighbors(self, Q: Any, r: float) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """The training rows within distance r (inclusive) of each query, nearest first."""
        check_is_fitted(self)
        r = check_radius(self, r)
        near: list[np.ndarray] = []
        where: list[np.ndarray] = []
        for queries, activation in self._activations(Q):
            least = np.minimum(self.net_.terms.total - r, activation.max(axis=1))
            candidates = self._at_least(activation, least, queries)
            found = candidates.within(self.distance_, queries, self.X_, r)
            near += found[0]
            where += found[1]
            self.n_distance_evaluations_ += found[2]
        return near, where

    def _found(self, Q: Any, k: int) -> Iterator[tuple[Any, Candidates]]:
        """Yield queries and the cases that may be among the k nearest of each."""
        return self._shared(Q, k) if self.net_.terms.countable else self._best(Q, k)

    def _shared(self, Q: Any, k: int) -> Iterator[tuple[Any, Candidates]]:
        """Yield queries and the k cases that share the most values with each."""
        from ilk_distances.indexes.spreading import most_shared

        net, n = self.net_, ilk.n_rows(self.X_)
        most = len(net.terms.places)
        for queries, (begins, entities, _) in self._activated(Q):
            where = np.empty((len(begins) - 1, k), np.int64)

            def work(first: int, last: int, begins: Any = begins, out: Any = where) -> None:
                part, shared = begins[first : last + 1], np.empty(n, np.int16)
                most_shared(part, entities, net.starts, net.cases, most, shared, out[first:last])  # noqa: B023

            ilk.in_blocks(work, len(where), 64)
            yield queries, _candidates(where.ravel(), np.full(len(where), k))

    def _best(self, Q: Any, k: int) -> Iterator[tuple[Any, Candidates]]:
        """Yield queries and the cases that may be among the k most active for each."""
        for queries, activation in self._activations(Q):
            n = activation.shape[1]
            least = np.partition(activation, n - k, axis=1)[:, n - k]
            yield queries, self._at_least(activation, least, queries)

    def _activations(self, Q: Any) -> Iterator[tuple[Any, np.ndarray]]:
        """Yield queries and how much each activates every case."""
        from ilk_distances.indexes.spreading import spread

        net = self.net_
        for queries, (begins, entities, much) in self._activated(Q):
            activation = np.zeros((len(begins) - 1, ilk.n_rows(self.X_)))

            def work(first: int, last: int, begins: Any = begins, out: Any = activation) -> None:
                part = begins[first : last + 1]
                spread(part, entities, much, net.starts, net.cases, out[first:last])  # noqa: B023

            ilk.in_blocks(work, len(activation), 64)
            yield queries, activation

    def _activated(self, Q: Any) -> Iterator[tuple[Any, tuple[np.ndarray, ...]]]:
        """Yield queries, a block at a time, and the entities that each activates."""
        Q = paired_queries(self.distance_, Q, self.X_)
        size = max(_BLOCK // (ilk.n_rows(self.X_) + self.n_entities_), 1)
        for start in range(0, ilk.n_rows(Q), size):
            queries = Q[start : start + size]
            yield queries, self.net_.activated(coded(queries).in_terms_of(self.cases_))

    def _at_least(self, activation: np.ndarray, least: np.ndarray, queries: Any) -> Candidates:
        """The cases at least so active, or less by no more than rounding may make of it.

        Where a distance may come out as infinite these are all cases: they tie.
        """
        terms, single = self.net_.terms, coded(queries).single and self.cases_.single
        kind = np.finfo(np.float32 if single else np.float64)
        with np.errstate(over="ignore", invalid="ignore"):
            largest = terms.total + np.abs(activation).max(axis=1)
            slack = 8 * (len(terms.places) + 4) * kind.eps * largest
            bound = np.where(terms.total - least + slack < kind.max, least - slack, -np.inf)
        who, which = np.nonzero(~(activation < bound[:, None]))
        return _candidates(which, np.bincount(who, minlength=len(activation)))


def _candidates(rows: np.ndarray, sizes: np.ndarray) -> Candidates:
    return Candidates(rows, np.cumsum(sizes), np.arange(len(sizes)))
