"""Compression distance by conditional sizes."""

from __future__ import annotations

from typing import Any

import numpy as np

from ilk_distances.strings.compressed import sizes_given
from ilk_distances.strings.compressing import CompressionBased


class Compression(CompressionBased):
    """Compression distance: what each of two texts adds to the other, by what both tell.

    ``d(x, y) = (C(x|y) + C(y|x)) / C(xy)``, where C(xy) is the size of both texts compressed
    as one, and C(x|y) the size of x compressed by a compressor that knows y: zlib, isal, zstd
    and lz4 get y as their dictionary. bz2, lzma and functions cannot be given one; for them
    (and for zstd, if both texts are longer than a quarter of its window, 512 KiB at level 3)
    ``C(x|y) = C(yx) - C(y)``, or 0 if that is negative. Each size is less that of an empty
    text, as with `ncd`. Two empty texts are at distance 0.

    It is about 0 for texts that tell the same and about 1 for unrelated ones, and no metric,
    only close to one. Measured on English prose, d(x, x) was at most::

        bytes       zlib  isal  zstd  lz4   lzma  bz2
        500-2000    0.22  0.24  0.36  0.39  0.13  0.40
        4000-32000  0.09  0.09  0.04  0.06  0.05  0.42

    Parameters
    ----------
    compressor : {"zlib", "bz2", "lzma", "zstd", "lz4", "isal"} or callable, default="zlib"
        As for `ncd`.
    level : int, optional
        As for `ncd`.
    symmetric : bool, default=True
        Whether C(xy) is that of the longer text followed by the other, of two as long the one
        first whose bytes sort first, so that d(x, y) = d(y, x) exactly. False: x stands first.
    encoding : str, default="utf-8"
        How texts become bytes.

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
    .. [1] P. Cunningham, M. Cord and S. J. Delany, "Supervised Learning", in *Machine Learning
       Techniques for Multimedia*, Springer, 2008, equation (2.23).

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
        x_given_y = sizes_given(compressor, X.texts, Y.texts)
        y_given_x = x_given_y if same else sizes_given(compressor, Y.texts, X.texts)
        both = self._joint(X, Y)
        added = x_given_y + y_given_x.T
        return np.asarray(np.divide(added, both, out=np.zeros_like(both), where=both > 0))
