"""Sequences of symbols: texts, bytes, lists of hashable things."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import ilk
from ilk_distances.strings.documents import is_missing, listed

CHARACTERS = 0x110000  # as many symbols as there are code points can be written as texts


@dataclass(frozen=True)
class Sequences:
    """Sequences of one kind.

    Attributes
    ----------
    items : list of str, of bytes, or of tuple
    kind : {"texts", "bytes", "lists"}
    """

    items: list[Any]
    kind: str

    @property
    def shape(self) -> tuple[int]:
        """The number of sequences."""
        return (len(self.items),)

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, rows: Any) -> Any:
        if isinstance(rows, int | np.integer):
            return self.items[rows]
        if isinstance(rows, slice):
            return Sequences(self.items[rows], self.kind)
        return Sequences([self.items[i] for i in np.arange(len(self))[rows]], self.kind)


def as_sequences(owner: object, X: Any, argument: str = "X") -> Sequences:
    """Return a list of texts, of bytes, or of lists of hashable symbols as sequences.

    Raises
    ------
    InputError, InputTypeError
        Naming the row of the first that is missing, of another kind than the first row, or
        has a symbol that is not hashable or does not equal itself (NaN).
    """
    if isinstance(X, Sequences):
        return X
    if isinstance(X, np.ndarray) and X.dtype.kind in "fc":
        raise ilk.InputTypeError(
            f"{ilk.display_name(owner)}: {argument} is an array of {X.dtype}, which are no "
            f"symbols; take a distance of vectors"
        )
    items = [
        _sequence(owner, item, argument, i) for i, item in enumerate(listed(owner, X, argument))
    ]
    kinds = [_kind(item) for item in items]
    other = next((i for i, kind in enumerate(kinds) if kind != kinds[0]), None)
    if other is not None:
        raise ilk.InputTypeError(
            f"{ilk.display_name(owner)}: {argument} has {kinds[0]} at row 0 and {kinds[other]} at "
            f"row {other}, which cannot be compared"
        )
    return Sequences(items, kinds[0])


def check_same_kind(owner: object, X: Sequences, Y: Sequences) -> None:
    """Raise an InputTypeError if one has texts, say, and the other bytes."""
    if X.kind != Y.kind:
        raise ilk.InputTypeError(
            f"{ilk.display_name(owner)}: X has {X.kind} but Y has {Y.kind}, which cannot be "
            f"compared"
        )


def _kind(item: Any) -> str:
    return "texts" if isinstance(item, str) else "bytes" if isinstance(item, bytes) else "lists"


def _sequence(owner: object, item: Any, argument: str, row: int) -> Any:
    if isinstance(item, str | bytes):
        return item
    name = ilk.display_name(owner)
    if isinstance(item, bytearray | memoryview):
        return bytes(item)
    if is_missing(item):
        raise ilk.InputError(f"{name}: {argument} has a missing value ({item}) at row {row}")
    if not isinstance(item, list | tuple) and getattr(item, "ndim", 0) != 1:
        raise ilk.InputTypeError(
            f"{name}: {argument} has a {type(item).__name__} at row {row}, expected a text, bytes "
            f"or a list of hashable symbols"
        )
    symbols = tuple(item.tolist() if isinstance(item, np.ndarray) else item)
    try:
        odd = [symbol for symbol in set(symbols) if symbol != symbol]  # noqa: PLR0124  # NaN
    except TypeError as error:
        raise ilk.InputTypeError(f"{name}: {argument} has at row {row} an {error}") from None
    if odd:
        raise ilk.InputError(f"{name}: {argument} has a missing value ({odd[0]}) at row {row}")
    return symbols


def as_texts(
    X: Sequence[tuple[Any, ...]], Y: Sequence[tuple[Any, ...]]
) -> tuple[Sequence[Any], Sequence[Any]]:
    """Write each symbol of both as one character, or as a number if there are too many.

    Equal symbols get the same; unlike hashes, different ones never do.
    """
    codes: dict[Any, int] = {}
    numbers = [
        [[codes.setdefault(s, len(codes)) for s in item] for item in each] for each in (X, Y)
    ]
    if len(codes) > CHARACTERS:
        return numbers[0], numbers[1]
    x, y = (["".join(map(chr, item)) for item in each] for each in numbers)
    return x, y
