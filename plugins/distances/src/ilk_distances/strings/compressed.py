"""Compressed objects, and how small pairs of them become."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

import ilk

if TYPE_CHECKING:
    from ilk_distances.strings.compressor import Compressor

TOGETHER = 32  # texts that are compressed behind, or given, one other in one go
BRIEF = 512  # bytes of a mean pair, up to which threads would only wait for one another


@dataclass(frozen=True)
class Compressed:
    """The bytes of objects, and the size of each compressed.

    Attributes
    ----------
    texts : list of bytes
    sizes : ndarray of shape (n,)
        C(x), in bytes.
    by : tuple
        Compressor and level, by which the sizes are known.
    """

    texts: list[bytes]
    sizes: np.ndarray
    by: tuple[Any, ...]

    @property
    def shape(self) -> tuple[int]:
        """The number of objects."""
        return (len(self.texts),)

    def __len__(self) -> int:
        return len(self.texts)

    def __getitem__(self, rows: Any) -> Any:
        if isinstance(rows, int | np.integer):
            return self.texts[rows]
        if isinstance(rows, slice):
            return Compressed(self.texts[rows], self.sizes[rows], self.by)
        chosen = np.arange(len(self))[rows]
        return Compressed([self.texts[i] for i in chosen], self.sizes[chosen], self.by)


Sizes = Callable[[bytes, Sequence[bytes]], list[float]]  # of other texts, after or given one
Task = tuple[bytes, Sequence[bytes], np.ndarray, np.ndarray]  # one, others, which, where to


def sizes_alone(compressor: Compressor, texts: list[bytes]) -> np.ndarray:
    """C(x) of each text."""
    sizes = np.zeros(len(texts))

    def work(start: int, stop: int) -> None:
        sizes[start:stop] = compressor.alone(texts[start:stop])

    _spread(work, len(texts), TOGETHER, sum(map(len, texts)) / len(texts))
    return sizes


def sizes_of_pairs(
    compressor: Compressor, X: Sequence[bytes], Y: Sequence[bytes], *, symmetric: bool
) -> np.ndarray:
    """C(xy) of every pair; if symmetric, of the two in the order of `_ranks`."""
    sizes = np.zeros((len(X), len(Y)))
    if not symmetric:
        _run(compressor.after, _tasks(X, Y, sizes))
        return sizes
    x, y = _ranks(X, Y)
    if X is Y:  # each pair once
        place = np.arange(len(X))
        first = (x[:, None] < x) | ((x[:, None] == x) & (place[:, None] <= place))
        _run(compressor.after, _tasks(X, X, sizes, first))
        return np.where(first, sizes, sizes.T)
    first = x[:, None] <= y
    _run(compressor.after, _tasks(X, Y, sizes, first) + _tasks(Y, X, sizes.T, ~first.T))
    return sizes


def sizes_given(compressor: Compressor, X: Sequence[bytes], Y: Sequence[bytes]) -> np.ndarray:
    """C(x | y) of every pair."""
    sizes = np.zeros((len(X), len(Y)))
    _run(compressor.given, _tasks(Y, X, sizes.T))
    return sizes


def _ranks(X: Sequence[bytes], Y: Sequence[bytes]) -> tuple[np.ndarray, np.ndarray]:
    """Places of all texts in the order that pairs are put in: longer first, then by bytes."""
    order = sorted({*X, *Y}, key=lambda text: (-len(text), text))
    rank = {text: place for place, text in enumerate(order)}
    return np.array([rank[text] for text in X]), np.array([rank[text] for text in Y])


def _tasks(
    firsts: Sequence[bytes], others: Sequence[bytes], out: np.ndarray, where: Any = None
) -> list[Task]:
    """What is to be done to fill ``out[i, j]`` (where wanted) for the i-th first, j-th other."""
    return [
        (first, others, chosen[start : start + TOGETHER], out[i])
        for i, first in enumerate(firsts)
        for chosen in [np.arange(len(others)) if where is None else np.flatnonzero(where[i])]
        for start in range(0, len(chosen), TOGETHER)
    ]


def _run(sizes: Sizes, tasks: list[Task]) -> None:
    def work(start: int, stop: int) -> None:
        for one, others, chosen, out in tasks[start:stop]:
            out[chosen] = sizes(one, [others[j] for j in chosen])

    lengths = [len(one) + len(others[chosen[0]]) for one, others, chosen, _ in tasks]
    _spread(work, len(tasks), 1, sum(lengths) / len(lengths))


def _spread(work: Callable[[int, int], None], n: int, size: int, length: float) -> None:
    """Do work in threads, unless what is compressed at once is so short that it does not pay."""
    if length < BRIEF:
        work(0, n)
    else:
        ilk.in_blocks(work, n, size)
