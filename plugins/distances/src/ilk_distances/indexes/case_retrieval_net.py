"""Case retrieval net: activation spreads from the values of a query to cases with these values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

import ilk
from ilk.neighbors import check_radius, feature_weights, training_rows
from ilk_distances.indexes.candidates import Candidates
from ilk_distances.indexes.exact import paired_queries
from ilk_distances.tables.coded import Coded
from ilk_distances.tables.heterogeneous import Heterogeneous

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ilk import Cases, Distance, Labels

_BLOCK = 2**22  # activations in memory at a time


class CaseRetrievalNet(ilk.Index):
    """Case retrieval net: spreads activation from a query's values to the cases; exact.

    For nominal and binned data. The net has an *information entity* for each value of each
    feature, with *similarity arcs* to similar values of the feature and *relevance arcs* to the
    cases with the value. A query activates the entities of its values. Activation spreads along
    the similarity arcs to other entities, and from all entities along the relevance arcs:

    ``activation(c) = sum_f w_f sigma_f(q_f, c_f)``, with ``sigma_f = most_f - delta_f``,

    so that for a distance that is a sum over features, ``d(q, c) = sum_f w_f delta_f(q_f, c_f)``,
    the most active cases are the nearest; `most_f` is the contribution of the feature to the
    distance of cases without a common value. Under overlap (hamming, nominal columns) an entity
    is similar only to itself, and only cases that share a value with the query are visited. A
    numeric value is similar to all others of its feature, decreasing with their difference:
    binning keeps them few. A missing value has no entity and is similar to no value.

    It takes the distances ``hamming``, and ``heterogeneous`` with ``missing="max"`` or
    ``"error"``. Answers are those of brute force, ties included: the distance itself compares
    the most active cases, and all cases whose activation equals theirs up to rounding.

    Attributes
    ----------
    distance_ : Distance
        As given to `fit`.
    X_ : data of n rows
        Training rows as the distance takes them.
    cases_ : Coded
        The same rows, nominal values as codes.
    net_ : Net
        Entities and their relevance arcs.
    n_entities_ : int
    n_distance_evaluations_ : int
        Number of distances computed since `fit`; spreading activation computes none.

    Raises
    ------
    InputError
        If the distance is another one (it is named), k is not within 1..n, or a radius is
        negative.

    References
    ----------
    .. [1] M. Lenz and H.-D. Burkhard, "Case retrieval nets: basic ideas and extensions", *KI-96:
       Advances in Artificial Intelligence*, Springer, 1996, pp. 227-239.
    .. [2] Cunningham 2008: section 2.4.3.

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

    aligns_columns = True
    capabilities: ClassVar[ilk.Capabilities] = ilk.Capabilities(
        inputs=("tables", "vectors"), nan=True
    )

    @classmethod
    def example_distance(cls) -> Any:
        """Return a supported distance."""
        return ilk.distance("ilk-distances/heterogeneous")

    def fit(self, X: Cases, y: Labels | None = None, *, distance: Distance) -> Self:
        """Take training rows and an already fitted distance; y is ignored."""
        self.check_parameters()
        self.X_ = training_rows(self, distance, X)
        terms = _terms_of(self, distance, self.X_)
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

    def kneighbors(self, Q: Cases, k: int) -> tuple[np.ndarray, np.ndarray]:
        """The k nearest training rows of each query, nearest first, ties by lower index."""
        ilk.check_fitted(self)
        n = ilk.n_rows(self.X_)
        self.check_k(k, n)
        near, where = [], []
        for queries, candidates in self._nearest_candidates(Q, int(k)):
            nearest = candidates.nearest(self.distance_, queries, self.X_, int(k))
            near.append(nearest[0])
            where.append(nearest[1])
            self.n_distance_evaluations_ += nearest[2]
        return np.concatenate(near), np.concatenate(where)

    def radius_neighbors(self, Q: Cases, r: float) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """The training rows within distance r (inclusive) of each query, nearest first."""
        ilk.check_fitted(self)
        r = check_radius(self, r)
        near: list[np.ndarray] = []
        where: list[np.ndarray] = []
        for queries, activation in self._activations(Q):
            # cases within r have an activation of at least total - r; the most active one is a
            # candidate in any case
            least = np.minimum(self.net_.terms.total - r, activation.max(axis=1))
            candidates = self._at_least(activation, least, queries)
            inside = candidates.within(self.distance_, queries, self.X_, r)
            near += inside[0]
            where += inside[1]
            self.n_distance_evaluations_ += inside[2]
        return near, where

    def _nearest_candidates(self, Q: Cases | None, k: int) -> Iterator[tuple[Any, Candidates]]:
        """Yield queries and the cases that may be among the k nearest of each."""
        return self._shared(Q, k) if self.net_.terms.countable else self._best(Q, k)

    def _shared(self, Q: Cases | None, k: int) -> Iterator[tuple[Any, Candidates]]:
        """Yield queries and the k cases that share the most values with each."""
        from ilk_distances.indexes.spreading_activation import most_shared

        net, n = self.net_, ilk.n_rows(self.X_)
        most = len(net.terms.places)
        for queries, (begins, entities, _) in self._activated(Q):
            where = np.empty((len(begins) - 1, k), np.int64)

            def work(first: int, last: int, begins: Any = begins, out: np.ndarray = where) -> None:
                part, shared = begins[first : last + 1], np.empty(n, np.int16)
                most_shared(part, entities, net.starts, net.cases, most, shared, out[first:last])  # noqa: B023

            ilk.in_blocks(work, len(where), 64)
            yield queries, _candidates(where.ravel(), np.full(len(where), k))

    def _best(self, Q: Cases | None, k: int) -> Iterator[tuple[Any, Candidates]]:
        """Yield queries and the cases that may be among the k most active for each."""
        for queries, activation in self._activations(Q):
            n = activation.shape[1]
            # the k-th largest activation; cases with less, beyond rounding, cannot be among the k
            # nearest
            least = np.partition(activation, n - k, axis=1)[:, n - k]
            yield queries, self._at_least(activation, least, queries)

    def _activations(self, Q: Cases | None) -> Iterator[tuple[Any, np.ndarray]]:
        """Yield queries and how much each activates every case."""
        from ilk_distances.indexes.spreading_activation import spread

        net = self.net_
        for queries, (begins, entities, much) in self._activated(Q):
            activation = np.zeros((len(begins) - 1, ilk.n_rows(self.X_)))

            def work(
                first: int, last: int, begins: Any = begins, out: np.ndarray = activation
            ) -> None:
                part = begins[first : last + 1]
                spread(part, entities, much, net.starts, net.cases, out[first:last])  # noqa: B023

            ilk.in_blocks(work, len(activation), 64)
            yield queries, activation

    def _activated(self, Q: Cases | None) -> Iterator[tuple[Any, tuple[np.ndarray, ...]]]:
        """Yield queries, a block at a time, and the entities that each activates."""
        Q = paired_queries(self, Q)
        size = max(_BLOCK // (ilk.n_rows(self.X_) + self.n_entities_), 1)
        for start in range(0, ilk.n_rows(Q), size):
            queries = Q[start : start + size]
            yield queries, self.net_.activated(coded(queries).in_terms_of(self.cases_))

    def _at_least(self, activation: np.ndarray, least: np.ndarray, queries: Cases) -> Candidates:
        """The cases whose activation is at least a threshold, up to rounding.

        If distances may be infinite, these are all cases, because they tie.
        """
        terms, single = self.net_.terms, coded(queries).single and self.cases_.single
        kind = np.finfo(np.float32 if single else np.float64)
        with np.errstate(over="ignore", invalid="ignore"):
            largest = terms.total + np.abs(activation).max(axis=1)
            # rounding of a sum over features, in both orders of summation
            slack = 8 * (len(terms.places) + 4) * kind.eps * largest
            # the distance of a case below the bound may be infinite: then all cases are candidates
            bound = np.where(terms.total - least + slack < kind.max, least - slack, -np.inf)
        # negated, so that NaN counts as a candidate
        numbers, cases = np.nonzero(~(activation < bound[:, None]))
        return _candidates(cases, np.bincount(numbers, minlength=len(activation)))


def _candidates(rows: np.ndarray, sizes: np.ndarray) -> Candidates:
    return Candidates(rows, np.cumsum(sizes), np.arange(len(sizes)))


@dataclass(frozen=True)
class Terms:
    """The terms of a distance that is a sum over features.

    Attributes
    ----------
    places : ndarray of int
        Positions of the features of positive weight among the nominal or the numeric ones.
    weights : ndarray of float
    most : ndarray of float
        Unweighted term of a feature without a common value.
    scales : ndarray of float
        Divisor of numeric differences; NaN for a nominal feature.
    """

    places: np.ndarray
    weights: np.ndarray
    most: np.ndarray
    scales: np.ndarray

    def columns(self, rows: Coded) -> list[np.ndarray]:
        """The codes or numbers of each of these features."""
        pairs = zip(self.places.tolist(), np.isnan(self.scales), strict=True)
        return [(rows.codes if nominal else rows.numbers)[:, f] for f, nominal in pairs]

    @property
    def total(self) -> float:
        """The distance of cases without common values."""
        return float(self.weights @ self.most)

    @property
    def countable(self) -> bool:
        """Whether the distance depends only on the number of equal features."""
        alike = bool(np.isnan(self.scales).all()) and len(set(self.weights.tolist())) < 2
        return alike and len(self.weights) < 2**15  # counts fit into int16


def _terms_of(owner: object, distance: Any, X: np.ndarray) -> Terms:
    """Split a distance of training rows into the terms of the features.

    Raises
    ------
    InputError
        Naming both, if the distance is not such a sum.
    """
    if ilk.shipped_name(distance) == "hamming":
        p = X.shape[1]
        weight = 1 / max(p, 1) if distance.normalize else 1.0
        return Terms(np.arange(p), np.full(p, weight), np.ones(p), np.full(p, np.nan))
    if isinstance(distance, Heterogeneous) and _is_plain(distance):
        return _heterogeneous(distance)
    raise ilk.InputError(
        f"{ilk.display_name(owner)}: distance must be hamming, or heterogeneous with nominal="
        f"'overlap', p=1 and missing='max' or 'error', which are sums over features; got "
        f"{ilk.display_name(distance)}: {distance!r}"
    )


def _is_plain(distance: Heterogeneous) -> bool:
    by_equality = distance.nominal == "overlap" and distance.p == 1
    return by_equality and distance.missing in ("max", "error")


def _heterogeneous(distance: Heterogeneous) -> Terms:
    given = feature_weights(distance, distance.n_features_in_)
    weights = np.ones(distance.n_features_in_) if given is None else np.asarray(given, float)
    weighted = np.flatnonzero((weights > 0) & (distance.scales_ > 0))
    nominal = distance.nominal_[weighted]
    places = np.where(
        distance.nominal_, np.cumsum(distance.nominal_), np.cumsum(~distance.nominal_)
    )
    scales = np.where(nominal, np.nan, distance.scales_[weighted])
    most = np.where(nominal, 1.0, distance.ranges_[weighted] / distance.scales_[weighted])
    return Terms(places[weighted] - 1, weights[weighted], most, scales)


def coded(X: Any) -> Coded:
    """Return rows column by column, nominal columns as codes of their values."""
    import pandas as pd

    if isinstance(X, Coded):
        return X
    pairs = [pd.factorize(column) for column in X.T]
    codes = np.array([codes for codes, _ in pairs], dtype=np.int64).reshape(len(pairs), len(X)).T
    categories = tuple(np.asarray(values) for _, values in pairs)
    return Coded(np.empty((len(X), 0)), codes, categories, X.dtype == np.float32)


@dataclass(frozen=True)
class Net:
    """Entities of each feature, and their relevance arcs.

    Attributes
    ----------
    terms : Terms
    values : tuple of ndarray or None
        For each feature of positive weight the values of its entities, ascending; None if it is
        nominal, because entities are then codes.
    first : ndarray of int
        First entity of each of these features; the last element is the number of entities.
    starts : ndarray of int, shape (n_entities + 1,)
        Start of the cases of each entity in `cases`.
    cases : ndarray of int
    """

    terms: Terms
    values: tuple[np.ndarray | None, ...]
    first: np.ndarray
    starts: np.ndarray
    cases: np.ndarray

    def check_loaded(self) -> None:
        """Check that each feature has its entities and links a case to at most one of them."""
        p = len(self.terms.places)
        for name in ("weights", "most", "scales"):
            ilk.check_stored(self.terms, name, (p,), kinds="f")
        ilk.check_stored(self, "first", (p + 1,), spans=len(self.starts) - 1)
        ilk.check_stored(self, "starts", (None,), spans=len(self.cases))
        linked = np.split(self.cases, self.starts[self.first[1:-1]])
        if len(self.values) != p or any(len(np.unique(one)) < len(one) for one in linked):
            raise ilk.stored_fault(self, "a case has two values of a feature")
        for f, values in enumerate(self.values):
            if values is not None and len(values) != self.first[f + 1] - self.first[f]:
                raise ilk.stored_fault(self, f"values of feature {f} do not match its entities")

    @classmethod
    def of(cls, rows: Coded, terms: Terms) -> Self:
        """Link the values of some rows to the rows with these values."""
        values: list[np.ndarray | None] = []
        sizes: list[int] = []
        entities, cases = [], []
        for column, scale in zip(terms.columns(rows), terms.scales, strict=True):
            nominal = np.isnan(scale)
            known = np.flatnonzero(column >= 0 if nominal else ~np.isnan(column))
            unique, codes = np.unique(column[known], return_inverse=True)
            values.append(None if nominal else unique)
            entities.append((column[known] if nominal else codes) + sum(sizes))
            sizes.append(int(column.max()) + 1 if nominal else len(unique))
            cases.append(known)
        every = np.concatenate([np.empty(0, np.int64), *entities])
        order = np.argsort(every, kind="stable")
        starts = np.searchsorted(every[order], np.arange(sum(sizes) + 1))
        linked = np.concatenate([np.empty(0, np.int64), *cases])[order]
        return cls(terms, tuple(values), np.append(0, np.cumsum(sizes, dtype=int)), starts, linked)

    def activated(self, queries: Coded) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The activated entities: start of each query's, their numbers, and activations."""
        parts = list(self._activated(queries))
        numbers = np.concatenate([np.empty(0, np.int64), *(part[0] for part in parts)])
        order = np.argsort(numbers, kind="stable")
        starts = np.searchsorted(numbers[order], np.arange(len(queries) + 1))
        entities = np.concatenate([np.empty(0, np.int64), *(part[1] for part in parts)])
        activations = np.concatenate([np.empty(0), *(part[2] for part in parts)])
        return starts, entities[order], activations[order]

    def _activated(self, queries: Coded) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """Yield for each feature: queries, entities, activation that is similarity times weight."""
        terms = self.terms
        for f, column in enumerate(terms.columns(queries)):
            values, weight = self.values[f], terms.weights[f]
            if values is None:
                # values that no training row has activate no entity
                known = np.flatnonzero((column >= 0) & (column < self.first[f + 1] - self.first[f]))
                yield known, self.first[f] + column[known], np.full(len(known), weight)
                continue
            known = np.flatnonzero(~np.isnan(column))
            with np.errstate(over="ignore"):
                # halved: the difference of two huge numbers could overflow
                gaps = np.abs(column[known][:, None] / 2 - values / 2) / (terms.scales[f] / 2)
                much = weight * (terms.most[f] - gaps)
            which = np.broadcast_to(self.first[f] + np.arange(len(values)), gaps.shape)
            yield np.repeat(known, len(values)), which.ravel(), much.ravel()
