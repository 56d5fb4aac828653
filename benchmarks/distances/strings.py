"""Distances by compression beside plain loops, edits beside a loop, Hamming and Jaccard."""

from __future__ import annotations

import random
import time
import zlib
from typing import TYPE_CHECKING

import numpy as np
from measure import Row, compare
from rapidfuzz.distance import Levenshtein
from scipy.spatial.distance import cdist

import ilk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def rows() -> Iterator[Row]:
    """Yield a row for each kind of work."""
    yield from _ncd()
    yield from _two_threads()
    yield _levenshtein()
    yield from _equal_or_not()


def texts(n: int, length: int) -> list[bytes]:
    """Texts of words of very different frequency, as in a language."""
    lot = random.Random(length)
    letters = "eeeetttaaooiinnsshhrrdlucmfwypvbgkjqxz"
    words = ["".join(lot.choices(letters, k=lot.randint(2, 9))) for _ in range(3000)]
    return [
        " ".join(words[int(3000 ** lot.random()) - 1] for _ in range(length // 2))[:length].encode()
        for _ in range(n)
    ]


def genes(n: int, length: int) -> list[bytes]:
    """Texts of four letters, all as frequent."""
    lot = random.Random(length)
    return ["".join(lot.choices("acgt", k=length)).encode() for _ in range(n)]


def plain_ncd(
    X: list[bytes], Y: list[bytes], compress: Callable[[bytes], bytes] = zlib.compress
) -> np.ndarray:
    """The distance as one would write it: each text compressed once, and each pair."""
    empty = len(compress(b""))
    x, y = ([len(compress(text)) - empty for text in each] for each in (X, Y))
    D = np.empty((len(X), len(Y)))
    for i, first in enumerate(X):
        for j, second in enumerate(Y):
            both = len(compress(first + second)) - empty
            D[i, j] = (both - min(x[i], y[j])) / max(x[i], y[j])
    return D


def _ncd() -> Iterator[Row]:
    for length, n, target in ((200, 60, None), (4096, 24, 1.25), (30_000, 12, 1.6)):
        for kind, make in (("prose", texts), ("four letters", genes)):
            X, Y = make(n, length), make(2 * n, length)[n:]
            yield _one_ncd("zlib", f"{length} bytes of {kind}", target, X, Y)
            yield _one_ncd("isal", f"{length} bytes of {kind}", target and 4, X, Y)


def _one_ncd(name: str, what: str, target: float | None, X: list[bytes], Y: list[bytes]) -> Row:
    d = ilk.distance("ncd", compressor=name, symmetric=False)
    same = bool(np.array_equal(d.pairwise(X, Y), plain_ncd(X, Y)))
    return compare(
        f"ncd by {name}, {what}",
        "a plain loop by zlib",
        target,
        lambda: d.pairwise(X, Y),
        lambda: plain_ncd(X, Y),
        repeats=9,
        note="the same to the last bit" if same else "",
    )


def _two_threads() -> Iterator[Row]:
    for length, n in ((4096, 24), (30_000, 12)):
        X = texts(n, length)
        d = ilk.distance("ncd", symmetric=False)

        def two(d: ilk.Distance = d, X: list[bytes] = X) -> None:
            with ilk.threads(2):
                d.pairwise(X, list(X))

        yield compare(
            f"ncd by zlib, {length} bytes, two threads",
            "itself on one thread",
            1.5,
            two,
            lambda d=d, X=X: d.pairwise(X, list(X)),
            repeats=9,
            clock=time.perf_counter,
            note="by the clock on the wall",
        )


def _levenshtein() -> Row:
    X = [text.decode() for text in texts(300, 100)]
    d = ilk.distance("levenshtein")
    return compare(
        "levenshtein of 300 texts of 100 letters",
        "a loop over rapidfuzz",
        None,
        lambda: d.pairwise(X),
        lambda: [[Levenshtein.distance(x, y) for y in X] for x in X],
    )


def _equal_or_not() -> Iterator[Row]:
    rng = np.random.default_rng(0)
    for dtype in (np.float64, np.float32, np.uint8):
        X, Y = (rng.integers(0, 5, size=(2000, 64)).astype(dtype) for _ in range(2))
        yield compare(
            f"hamming 2000 x 2000 x 64 {np.dtype(dtype).name}",
            "scipy cdist",
            None,
            lambda X=X, Y=Y: ilk.distance("hamming").pairwise(X, Y),
            lambda X=X, Y=Y: cdist(X, Y, "hamming"),
        )
    X, Y = (rng.random((2000, 64)) < 0.3 for _ in range(2))
    yield compare(
        "jaccard 2000 x 2000 x 64 binary",
        "scipy cdist",
        None,
        lambda: ilk.distance("jaccard").pairwise(X, Y),
        lambda: cdist(X, Y, "jaccard"),
    )
