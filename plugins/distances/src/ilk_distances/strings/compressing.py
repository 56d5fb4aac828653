"""What the distances by compression have in common: parameters, input, compressed sizes."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

import ilk
from ilk import Param
from ilk_distances.strings.compressed import Compressed, sizes_alone, sizes_of_pairs
from ilk_distances.strings.compressors import COMPRESSORS, make_compressor
from ilk_distances.strings.documents import as_bytes
from ilk_distances.strings.extras import installed

if TYPE_CHECKING:
    import numpy as np

    from ilk_distances.strings.compressor import Compressor


class WindowWarning(UserWarning):
    """A text is longer than what its compressor looks back on, so likeness is missed."""


class CompressionBased(ilk.Distance):
    """A distance of texts, bytes or files that compares sizes of what they are compressed to."""

    parameters: ClassVar[Mapping[str, Param]] = {
        "compressor": Param(
            ilk.Function, choices=tuple(COMPRESSORS), doc="Name, or a function of bytes."
        ),
        "level": Param(int, none=True, doc="How hard to compress; None is the library's default."),
        "symmetric": Param(bool, doc="Whether pairs are put in an order of their own."),
        "encoding": Param(str, doc="How texts become bytes."),
    }
    capabilities: ClassVar[ilk.Capabilities] = ilk.Capabilities(inputs=("strings",), symmetric=True)
    relies_on: ClassVar[tuple[str, ...]] = installed("isal", "lz4", "zstandard")
    compressor: Any
    symmetric: bool = True

    def __init__(
        self,
        compressor: str | Callable[[bytes], Any] = "zlib",
        level: int | None = None,
        symmetric: bool = True,
        encoding: str = "utf-8",
    ) -> None:
        self.compressor = compressor
        self.level = level
        self.symmetric = symmetric
        self.encoding = encoding

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
                "level", f"must be None where compressor is a function, got {self.level}"
            )
        low, high = COMPRESSORS[self.compressor].levels
        if not low <= self.level <= high:
            raise self.parameter_error(
                "level",
                f"must be an integer from {low} to {high} for {self.compressor}, got {self.level}",
            )

    def check_input(self, X: Any, argument: str = "X") -> Compressed:
        """Return the bytes of each object with their compressed sizes.

        What was checked before is returned as it is.
        """
        by = (self.compressor, self.level)
        if isinstance(X, Compressed) and X.by == by:
            return X
        compressor = self._compressor()
        known = isinstance(X, Compressed)
        texts = X.texts if known else as_bytes(self, X, argument, self.encoding)
        self._warn(compressor, texts, argument)
        return Compressed(texts, sizes_alone(compressor, texts), by)

    def _compressor(self) -> Compressor:
        self.check_parameters()
        return make_compressor(self, self.compressor, self.level)

    def _warn(self, compressor: Compressor, texts: list[bytes], argument: str) -> None:
        row = max(range(len(texts)), key=lambda i: len(texts[i]))
        if len(texts[row]) > compressor.reach:
            warnings.warn(
                f"{ilk.display_name(self)}: {argument} has {len(texts[row])} bytes at row {row}; "
                f"of texts longer than {compressor.reach:.0f} bytes {self.compressor} does not "
                f"see all the likeness; use lzma or zstd, which look back over any length",
                WindowWarning,
                stacklevel=4,
            )

    def prepare(self, X: Any) -> ilk.Prepared:
        """Return a handle on X, all of which is compressed now, once."""
        return ilk.Prepared(self, self.check_input(X))

    def _joint(self, X: Compressed, Y: Compressed) -> np.ndarray:
        """C(xy) of every pair."""
        compressor = self._compressor()
        return sizes_of_pairs(compressor, X.texts, Y.texts, symmetric=self.symmetric)
