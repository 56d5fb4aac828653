"""Information entities: the values that cases have, the cases that have them, and who is alike."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import pandas as pd

import ilk
from ilk.neighbors.weights import weights_for
from ilk_distances.tables.coded import Coded
from ilk_distances.tables.heterogeneous import Heterogeneous


@dataclass(frozen=True)
class Terms:
    """A distance that is a sum over features: what each of them adds.

    Attributes
    ----------
    places : ndarray of int
        The features that add something: where they stand among the nominal or the numeric ones.
    weights : ndarray of float
    most : ndarray of float
        What a feature adds, before it is weighted, where nothing is in common.
    scales : ndarray of float
        Divisor of numeric differences; NaN where a feature is nominal.
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
        """The distance of cases that have nothing in common."""
        return float(self.weights @ self.most)

    @property
    def countable(self) -> bool:
        """Whether the distance depends on nothing but how many features agree."""
        alike = bool(np.isnan(self.scales).all()) and len(set(self.weights.tolist())) < 2
        return alike and len(self.weights) < 2**15  # which are counted in 16 bits


def terms_of(owner: object, distance: Any, X: Any) -> Terms:
    """What each feature of training rows adds to a distance.

    Raises
    ------
    InputError
        Naming both, if the distance is no such sum.
    """
    if ilk.shipped_name(distance) == "hamming":
        p = X.shape[1]
        weight = 1 / max(p, 1) if distance.normalize else 1.0
        return Terms(np.arange(p), np.full(p, weight), np.ones(p), np.full(p, np.nan))
    if isinstance(distance, Heterogeneous) and distance.missing != "ignore":
        return _heterogeneous(distance)
    raise ilk.InputError(
        f"{ilk.display_name(owner)}: distance must be hamming, or heterogeneous with missing='max' "
        f"or 'error', which are sums of what each feature adds; got "
        f"{ilk.display_name(distance)}: {distance!r}"
    )


def _heterogeneous(distance: Heterogeneous) -> Terms:
    given = weights_for(distance, distance.n_features_in_)
    weights = np.ones(distance.n_features_in_) if given is None else np.asarray(given, float)
    kept = np.flatnonzero((weights > 0) & (distance.scales_ > 0))
    nominal = distance.nominal_[kept]
    places = np.where(
        distance.nominal_, np.cumsum(distance.nominal_), np.cumsum(~distance.nominal_)
    )
    scales = np.where(nominal, np.nan, distance.scales_[kept])
    most = np.where(nominal, 1.0, distance.ranges_[kept] / distance.scales_[kept])
    return Terms(places[kept] - 1, weights[kept], most, scales)


def coded(X: Any) -> Coded:
    """Return rows column by column, nominal ones as codes of the values they have."""
    if isinstance(X, Coded):
        return X
    pairs = [pd.factorize(column) for column in X.T]
    codes = np.array([codes for codes, _ in pairs], dtype=np.int64).reshape(len(pairs), len(X)).T
    categories = tuple(np.asarray(values) for _, values in pairs)
    return Coded(np.empty((len(X), 0)), codes, categories, X.dtype == np.float32)


@dataclass(frozen=True)
class Net:
    """Entities of each feature, and the cases each is linked to.

    Attributes
    ----------
    terms : Terms
    values : tuple of ndarray or None
        For each feature that adds something the numbers its entities stand for, ascending; None
        if it is nominal: then they stand for codes.
    first : ndarray of int
        Number of the first entity of each of these features, and of all entities at the end.
    starts : ndarray of int, shape (n_entities + 1,)
        Where the cases of each entity begin in `cases`.
    cases : ndarray of int
    """

    terms: Terms
    values: tuple[np.ndarray | None, ...]
    first: np.ndarray
    starts: np.ndarray
    cases: np.ndarray

    def check_loaded(self) -> None:
        """Check that each feature has its entities, and links a case to one of them at most."""
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
                raise ilk.stored_fault(self, f"values of feature {f} are not those it has")

    @classmethod
    def of(cls, rows: Coded, terms: Terms) -> Self:
        """Link the values of some rows to the rows that have them."""
        values: list[np.ndarray | None] = []
        sizes: list[int] = []
        entities, cases = [], []
        for column, scale in zip(terms.columns(rows), terms.scales, strict=True):
            nominal = np.isnan(scale)
            known = np.flatnonzero(column >= 0 if nominal else ~np.isnan(column))
            own, codes = np.unique(column[known], return_inverse=True)
            values.append(None if nominal else own)
            entities.append((column[known] if nominal else codes) + sum(sizes))
            sizes.append(int(column.max()) + 1 if nominal else len(own))
            cases.append(known)
        every = np.concatenate([np.empty(0, np.int64), *entities])
        order = np.argsort(every, kind="stable")
        starts = np.searchsorted(every[order], np.arange(sum(sizes) + 1))
        linked = np.concatenate([np.empty(0, np.int64), *cases])[order]
        return cls(terms, tuple(values), np.append(0, np.cumsum(sizes, dtype=int)), starts, linked)

    def activated(self, queries: Coded) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The entities that queries activate: where each query's begin, which, and how much."""
        parts = list(self._activated(queries))
        who = np.concatenate([np.empty(0, np.int64), *(part[0] for part in parts)])
        order = np.argsort(who, kind="stable")
        starts = np.searchsorted(who[order], np.arange(len(queries) + 1))
        which = np.concatenate([np.empty(0, np.int64), *(part[1] for part in parts)])
        much = np.concatenate([np.empty(0), *(part[2] for part in parts)])
        return starts, which[order], much[order]

    def _activated(self, queries: Coded) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
        """Yield for each feature: queries, entities, activation that is similarity times weight."""
        terms = self.terms
        for f, column in enumerate(terms.columns(queries)):
            values, weight = self.values[f], terms.weights[f]
            if values is None:
                known = np.flatnonzero((column >= 0) & (column < self.first[f + 1] - self.first[f]))
                yield known, self.first[f] + column[known], np.full(len(known), weight)
                continue
            known = np.flatnonzero(~np.isnan(column))
            with np.errstate(over="ignore"):
                gaps = np.abs(column[known][:, None] / 2 - values / 2) / (terms.scales[f] / 2)
                much = weight * (terms.most[f] - gaps)
            which = np.broadcast_to(self.first[f] + np.arange(len(values)), gaps.shape)
            yield np.repeat(known, len(values)), which.ravel(), much.ravel()
