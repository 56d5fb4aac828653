"""Distances by compression: how much smaller two texts become when compressed together."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

import ilk
from ilk import Function, param
from ilk_distances.strings.compressors import COMPRESSORS, make_compressor
from ilk_distances.strings.documents import as_bytes
from ilk_distances.strings.extras import installed

if TYPE_CHECKING:
    from ilk import Cases
    from ilk_distances.strings.compressors import Compressor


class WindowWarning(UserWarning):
    """A text is longer than the window of its compressor, so similarity is missed."""


class CompressionBased(ilk.Distance):
    """A distance of texts, bytes or files that compares their compressed sizes."""

    compressor: str | Callable[[bytes], Any] = param(
        default="zlib",
        type=Function,
        choices=tuple(COMPRESSORS),
        form='{"zlib", "bz2", "lzma", "zstd", "lz4", "isal"} or callable',
        doc="A callable takes bytes and returns them compressed, or only the compressed size. "
        "The last three need the extra ``text``. To use a function by name, also in specs, "
        "register a subclass whose class attribute `compressor` is the function.",
    )
    level: int | None = param(
        default=None,
        type=int,
        doc="Compression level: 1 to 9 (zlib, 6 by default; bz2, 9), 0 to 9 (lzma, 6), 1 to "
        "22 (zstd, 3), 0 to 12 (lz4, 0), 0 to 3 (isal, 2).",
    )
    symmetric: bool = param(
        default=True,
        doc="The order of two texts changes C(xy) by some bytes. True: the longer text comes "
        "first, at equal length the one whose bytes sort first, so that d(x, y) = d(y, x) "
        "exactly, at the cost of one compression. False: x comes first.",
    )
    encoding: str = param(default="utf-8", doc="Encoding of texts to bytes.")
    capabilities: ClassVar[ilk.Capabilities] = ilk.Capabilities(inputs=("strings",), symmetric=True)
    relies_on: ClassVar[tuple[str, ...]] = installed("isal", "lz4", "zstandard")

    @classmethod
    def examples(cls) -> list[Self]:
        """Return one for each compressor that is installed, and one that is not symmetric."""
        there = {"isal": "isal", "lz4": "lz4", "zstd": "zstandard"}
        optional = [name for name, library in there.items() if library in cls.relies_on]
        return [
            cls(),
            cls(symmetric=False),
            *(cls(compressor=name) for name in ("bz2", "lzma", *optional)),
        ]

    def check_parameters(self) -> None:
        """Check each parameter, that the compressor has the level, and Python the encoding."""
        super().check_parameters()
        self._check_level()
        try:
            "".encode(self.encoding)
        except LookupError as error:
            raise self.parameter_error(
                "encoding", f"must name an encoding of texts, got {self.encoding!r}: {error}"
            ) from None

    def _check_level(self) -> None:
        if self.level is None:
            return
        if not isinstance(self.compressor, str):
            raise self.parameter_error(
                "level", f"must be None if compressor is a function, got {self.level}"
            )
        low, high = COMPRESSORS[self.compressor].levels
        if not low <= self.level <= high:
            raise self.parameter_error(
                "level",
                f"must be an integer from {low} to {high} for {self.compressor}, got {self.level}",
            )

    def check_input(self, X: Any, argument: str = "X") -> Compressed:
        """Return the bytes of each object with their compressed sizes.

        Checked input is returned unchanged.
        """
        by = (self.compressor, self.level)
        if isinstance(X, Compressed) and X.by == by:
            return X
        compressor = self._compressor()
        known = isinstance(X, Compressed)
        texts = X.texts if known else as_bytes(self, X, argument, self.encoding)
        self._warn(compressor, texts, argument)
        return Compressed(texts, _sizes_alone(compressor, texts), by)

    def _compressor(self) -> Compressor:
        self.check_parameters()
        return make_compressor(self, self.compressor, self.level)

    def _warn(self, compressor: Compressor, texts: list[bytes], argument: str) -> None:
        row = max(range(len(texts)), key=lambda i: len(texts[i]))
        if len(texts[row]) > compressor.reach:
            warnings.warn(
                f"{ilk.display_name(self)}: {argument} has {len(texts[row])} bytes at row {row}; "
                f"{self.compressor} misses similarity in texts longer than "
                f"{compressor.reach:.0f} bytes; use lzma or zstd, which look back over any length",
                WindowWarning,
                stacklevel=4,
            )

    def prepare(self, X: Cases) -> ilk.Prepared:
        """Return a handle on X, compressed once."""
        return ilk.Prepared(self, self.check_input(X))

    def _joint(self, X: Compressed, Y: Compressed) -> np.ndarray:
        """C(xy) of every pair."""
        compressor = self._compressor()
        return _sizes_of_pairs(compressor, X.texts, Y.texts, symmetric=self.symmetric)


class NCD(CompressionBased):
    """Normalised compression distance: the compressed size that one text adds to the other.

    ``d(x, y) = (C(xy) - min(C(x), C(y))) / max(C(x), C(y))``, where C is the compressed size of
    a text minus that of an empty text: headers, checksums and end marks carry no information and
    would make short texts similar. It is about 0 for texts with the same content and about 1
    for unrelated texts, and may slightly exceed 1. If C(xy) is less than both C(x) and C(y), and
    for two empty texts, it is 0.

    It is no metric, only close to one: d(x, x) is not 0, because a compressor has to encode
    that the second x repeats the first. Measured on English prose, d(x, x) was at most::

        bytes       zlib  isal  zstd  lz4   lzma  bz2
        500-2000    0.13  0.18  0.14  0.16  0.07  0.25
        4000-32000  0.06  0.06  0.02  0.03  0.03  0.27

    On random strings of four letters zlib (level 6) stays under 0.05 up to 8000 bytes, but
    gives 0.94 at 12000, because it limits its search among many similar matches. lzma stays
    under 0.06 there.

    On bytes that hardly compress (random ones, base64) isal of level 1 or 2 gives up to 1 from
    4000 bytes on, as if nothing were repeated; its level 3 stays under 0.07 up to its window.

    C(x) is computed once for each object. zlib's state after x is reused for all the texts
    appended to it, which changes no size. Long texts are compressed in threads.

    Raises
    ------
    ParameterError
        If there is no such level or encoding.
    MissingLibraryError
        If the library of the compressor is not installed; names what to install.
    InputError, InputTypeError
        If X is not a sequence of texts, bytes or paths (`pathlib.Path`; the files are read), or
        one of them cannot be encoded or read; names the row. If a function returns neither
        bytes nor a size.

    Warns
    -----
    WindowWarning
        If an object is longer than the compressor looks back: 32505 bytes (zlib), 32768
        (isal), 65535 (lz4), half a block of ``level`` times 100000 bytes (bz2). Beyond,
        d(x, x) jumps up. lzma and zstd (in its long mode) look back over any length.

    References
    ----------
    .. [1] Cunningham 2008: section 2.4.2.2; equation 2.24.
    .. [2] R. Cilibrasi and P. Vitanyi, "Clustering by compression", IEEE Transactions on
       Information Theory 51, 2005.

    Examples
    --------
    >>> import ilk
    >>> X = ["the cat sat on the mat, the dog sat on the log",
    ...      "the dog sat on the mat, the cat sat on the log",
    ...      "pairs of numbers have no common divisor at all"]
    >>> D = ilk.distance("ncd").pairwise(X)
    >>> bool(D[0, 1] < 0.5 < D[0, 2])
    True
    """

    def pairwise(self, X: Any, Y: Any = None) -> np.ndarray:
        """Distances of every object of X to every object of Y (X itself if left out)."""
        X, Y = self.check_pair(X, Y)
        least = np.minimum(X.sizes[:, None], Y.sizes)
        # 0 / 0 for two texts that compress to nothing
        most = np.maximum(X.sizes[:, None], Y.sizes)
        more = np.maximum(self._joint(X, Y) - least, 0)
        return np.asarray(np.divide(more, most, out=np.zeros_like(more), where=most > 0))


class Compression(CompressionBased):
    """Compression distance: the conditional sizes of two texts, relative to their joint size.

    ``d(x, y) = (C(x|y) + C(y|x)) / C(xy)``, where C(xy) is the size of both texts compressed
    as one, and C(x|y) the size of x compressed by a compressor that knows y: zlib, isal, zstd
    and lz4 get y as their dictionary. bz2, lzma and functions take no dictionary; for them
    (and for zstd, if both texts are longer than a quarter of its window, 512 KiB at level 3)
    ``C(x|y) = C(yx) - C(y)``, or 0 if that is negative. The size of an empty text is subtracted
    from each size, as in `ncd`. Two empty texts are at distance 0.

    It is about 0 for texts with the same content and about 1 for unrelated texts, and no
    metric, only close to one. Measured on English prose, d(x, x) was at most::

        bytes       zlib  isal  zstd  lz4   lzma  bz2
        500-2000    0.22  0.24  0.36  0.39  0.13  0.40
        4000-32000  0.09  0.09  0.04  0.06  0.05  0.42

    Raises
    ------
    ParameterError, MissingLibraryError, InputError, InputTypeError
        As `ncd` does.

    Warns
    -----
    WindowWarning
        As `ncd` does.

    References
    ----------
    .. [1] Cunningham 2008: section 2.4.2.2; equation 2.23.

    Examples
    --------
    >>> import ilk
    >>> X = ["the cat sat on the mat, the dog sat on the log",
    ...      "the dog sat on the mat, the cat sat on the log",
    ...      "pairs of numbers have no common divisor at all"]
    >>> D = ilk.distance("compression").pairwise(X)
    >>> bool(D[0, 1] < 0.5 < D[0, 2])
    True
    """

    def pairwise(self, X: Any, Y: Any = None) -> np.ndarray:
        """Distances of every object of X to every object of Y (X itself if left out)."""
        same = Y is None or X is Y
        X, Y = self.check_pair(X, Y)
        compressor = self._compressor()
        x_given_y = _sizes_given(compressor, X.texts, Y.texts)
        y_given_x = x_given_y if same else _sizes_given(compressor, Y.texts, X.texts)
        both = self._joint(X, Y)
        added = x_given_y + y_given_x.T
        return np.asarray(np.divide(added, both, out=np.zeros_like(both), where=both > 0))


@dataclass(frozen=True)
class Compressed:
    """The bytes of objects, and the size of each compressed.

    Attributes
    ----------
    texts : list of bytes
    sizes : ndarray of shape (n,)
        C(x), in bytes.
    by : tuple
        Compressor and level that gave the sizes.
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

    def __getitem__(self, rows: np.ndarray) -> Any:
        if isinstance(rows, int | np.integer):
            return self.texts[rows]
        if isinstance(rows, slice):
            return Compressed(self.texts[rows], self.sizes[rows], self.by)
        chosen = np.arange(len(self))[rows]
        return Compressed([self.texts[i] for i in chosen], self.sizes[chosen], self.by)


def _sizes_alone(compressor: Compressor, texts: list[bytes]) -> np.ndarray:
    """C(x) of each text."""
    sizes = np.zeros(len(texts))

    def work(start: int, stop: int) -> None:
        sizes[start:stop] = compressor.alone(texts[start:stop])

    _spread(work, len(texts), _TOGETHER, sum(map(len, texts)) / len(texts))
    return sizes


def _sizes_of_pairs(
    compressor: Compressor, X: Sequence[bytes], Y: Sequence[bytes], *, symmetric: bool
) -> np.ndarray:
    """C(xy) of every pair; if symmetric, in the order of `_ranks`."""
    sizes = np.zeros((len(X), len(Y)))
    if not symmetric:
        _run(compressor.after, _tasks(X, Y, sizes))
        return sizes
    x, y = _ranks(X, Y)
    if X is Y:  # compress each unordered pair once
        place = np.arange(len(X))
        # of an unordered pair the text of lower rank comes first; equal texts by position
        first = (x[:, None] < x) | ((x[:, None] == x) & (place[:, None] <= place))
        _run(compressor.after, _tasks(X, X, sizes, first))
        return np.where(first, sizes, sizes.T)
    first = x[:, None] <= y
    # pairs in which y comes first are compressed in that order, too
    _run(compressor.after, _tasks(X, Y, sizes, first) + _tasks(Y, X, sizes.T, ~first.T))
    return sizes


def _sizes_given(compressor: Compressor, X: Sequence[bytes], Y: Sequence[bytes]) -> np.ndarray:
    """C(x | y) of every pair."""
    sizes = np.zeros((len(X), len(Y)))
    _run(compressor.given, _tasks(Y, X, sizes.T))
    return sizes


_TOGETHER = 32  # texts in one task: they share the compressor's state after the first text
_BRIEF = 512  # mean bytes of a pair, up to which threads only wait for the interpreter lock
_Sizes = Callable[[bytes, Sequence[bytes]], list[float]]  # (first, others) to sizes
_Task = tuple[bytes, Sequence[bytes], np.ndarray, np.ndarray]  # first, others, rows, columns


def _ranks(X: Sequence[bytes], Y: Sequence[bytes]) -> tuple[np.ndarray, np.ndarray]:
    """Ranks of all texts in the order within pairs: longer first, then by bytes."""
    order = sorted({*X, *Y}, key=lambda text: (-len(text), text))
    rank = {text: place for place, text in enumerate(order)}
    return np.array([rank[text] for text in X]), np.array([rank[text] for text in Y])


def _tasks(
    firsts: Sequence[bytes], others: Sequence[bytes], out: np.ndarray, where: Any = None
) -> list[_Task]:
    """Tasks that fill ``out[i, j]`` (where wanted) for the i-th first and j-th other text."""
    return [
        (first, others, chosen[start : start + _TOGETHER], out[i])
        for i, first in enumerate(firsts)
        for chosen in [np.arange(len(others)) if where is None else np.flatnonzero(where[i])]
        for start in range(0, len(chosen), _TOGETHER)
    ]


def _run(sizes: _Sizes, tasks: list[_Task]) -> None:
    def work(start: int, stop: int) -> None:
        for one, others, chosen, out in tasks[start:stop]:
            out[chosen] = sizes(one, [others[j] for j in chosen])

    lengths = [len(one) + len(others[chosen[0]]) for one, others, chosen, _ in tasks]
    _spread(work, len(tasks), 1, sum(lengths) / len(lengths))


def _spread(work: Callable[[int, int], None], n: int, size: int, length: float) -> None:
    """Run tasks in threads, unless the texts are so short that threads do not pay."""
    if length < _BRIEF:
        work(0, n)
    else:
        ilk.in_blocks(work, n, size)
