"""Sets of hashable things as rows of a sparse matrix."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from numbers import Number
from typing import Any

import numpy as np
import scipy.sparse as sp

import ilk


@dataclass(frozen=True)
class Sets:
    """Finite sets.

    Attributes
    ----------
    rows : csr_matrix of shape (n, n_things)
        1 where a set has a member.
    sizes : ndarray of shape (n,)
        Numbers of members, including members without a column.
    things : list
        The members that the columns represent.
    """

    rows: Any
    sizes: np.ndarray
    things: list[Any]

    @property
    def shape(self) -> tuple[int]:
        """The number of sets."""
        return (len(self.sizes),)

    def __len__(self) -> int:
        return len(self.sizes)

    def __getitem__(self, rows: int | slice | np.ndarray) -> Sets:
        chosen = [int(rows)] if isinstance(rows, int | np.integer) else rows
        return Sets(self.rows[chosen], self.sizes[chosen], self.things)

    def among(self, things: list[Any]) -> Sets:
        """Return the same sets with other columns; members without a column count in sizes only."""
        if things is self.things:
            return self
        column = {thing: place for place, thing in enumerate(things)}
        places = np.array([column.get(thing, -1) for thing in self.things], dtype=np.int64)
        known = np.flatnonzero(places >= 0)
        shape = len(self.things), len(things)
        ones = np.ones(len(known))
        renaming = sp.csr_matrix((ones, (known, places[known])), shape=shape)
        return Sets(self.rows @ renaming, self.sizes, things)

    def common(self, other: Sets) -> np.ndarray:
        """Numbers of common members of every pair; both have the same columns."""
        return np.asarray((self.rows @ other.rows.T).toarray())


def as_sets(
    owner: object, X: Sequence[Any], argument: str, members: Callable[[str | bytes], Iterable[Any]]
) -> Sets:
    """Return sets, lists of words or of other non-numeric things, and texts as `Sets`.

    Parameters
    ----------
    owner : Component
        Named in errors.
    X : sequence
    argument : str
    members : callable
        Gives the members of a text or bytes.

    Raises
    ------
    InputError, InputTypeError
        Naming the first row of another type, or with a member that is missing or not hashable.
    """
    column: dict[Any, int] = {}
    positions: list[list[int]] = []
    for row, item in enumerate(X):
        things = _members(owner, item, f"{argument} has", row, members)
        positions.append(sorted(column.setdefault(thing, len(column)) for thing in things))
    sizes = np.array([len(each) for each in positions])
    ends = np.concatenate([[0], np.cumsum(sizes)])
    indices = np.array([place for each in positions for place in each], dtype=np.int64)
    shape = len(positions), len(column)
    return Sets(sp.csr_matrix((np.ones(len(indices)), indices, ends), shape), sizes, list(column))


def _members(
    owner: object, item: Any, has: str, row: int, members: Callable[[str | bytes], Iterable[Any]]
) -> set[Any]:
    name = ilk.display_name(owner)
    if isinstance(item, str | bytes):
        return set(members(item))
    is_set = isinstance(item, AbstractSet)
    if not isinstance(item, AbstractSet | list | tuple) and getattr(item, "ndim", 0) != 1:
        raise ilk.InputTypeError(
            f"{name}: {has} a {type(item).__name__} at row {row}, expected a set, a list of words, "
            f"or a text"
        )
    try:
        things = set(item)
    except TypeError as error:
        raise ilk.InputTypeError(f"{name}: {has} at row {row} an {error}") from None
    if not is_set and any(isinstance(thing, Number) for thing in things):
        raise ilk.InputTypeError(
            f"{name}: {has} numbers in a {type(item).__name__} at row {row}; vectors must be rows "
            f"of one array of a numeric type (np.asarray(X, dtype=float)), sets of numbers sets"
        )
    odd = [thing for thing in things if thing is None or thing != thing]  # noqa: PLR0124  # NaN
    if odd:
        raise ilk.InputError(f"{name}: {has} a set with a missing member ({odd[0]}) at row {row}")
    return things
