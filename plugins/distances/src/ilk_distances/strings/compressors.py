"""Compressors by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ilk_distances.strings.compressor import Compressor, FunctionCompressor
from ilk_distances.strings.deflate import Isal, Zlib
from ilk_distances.strings.formats import Bzip2, Lz4, Lzma, Zstandard

COMPRESSORS: dict[str, type[Compressor]] = {
    "zlib": Zlib,
    "bz2": Bzip2,
    "lzma": Lzma,
    "zstd": Zstandard,
    "lz4": Lz4,
    "isal": Isal,
}


def make_compressor(
    owner: object, compressor: str | Callable[[bytes], Any], level: int | None
) -> Compressor:
    """Return the compressor of that name and level, or one that calls the function.

    Raises
    ------
    MissingLibraryError
        If its library is not installed; names what to install.
    """
    if isinstance(compressor, str):
        return COMPRESSORS[compressor](owner, level)
    return FunctionCompressor(owner, compressor)
