"""Compressors, and sizes of texts compressed alone, after another text, or given another."""

from __future__ import annotations

import bz2
import lzma
import zlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import cached_property
from math import isfinite, nan
from numbers import Real
from typing import Any, ClassVar

import ilk
from ilk_distances.strings.extras import library


class Compressor(ABC):
    """A compressor at one level; sizes are in bytes, minus the size of a compressed empty text.

    An empty text has no information; its size is the constant overhead of every output:
    headers, checksums, end marks.

    Attributes
    ----------
    levels : tuple of int
        Lowest and highest level.
    default : int
        The default level.
    level : int
    reach : float
        Length of the longest text that is fully within the window of a copy appended to it.
    """

    levels: ClassVar[tuple[int, int]] = (1, 9)
    default: ClassVar[int] = 6
    reach: float = float("inf")

    def __init__(self, owner: object, level: int | None = None) -> None:
        self.owner = owner
        self.level = self.default if level is None else int(level)
        self.empty = self.sizer()(b"")

    @abstractmethod
    def sizer(self) -> _Sizer:
        """Return a function, for one thread, that gives the length of a compressed text."""

    def alone(self, texts: Sequence[bytes]) -> list[float]:
        """C(x) of each text."""
        size = self.sizer()
        return [size(text) - self.empty for text in texts]

    def after(self, first: bytes, others: Sequence[bytes]) -> list[float]:
        """C(first other) of each other text, appended to the first."""
        size = self.sizer()
        return [size(first + other) - self.empty for other in others]

    def given(self, known: bytes, others: Sequence[bytes]) -> list[float]:
        """C(other | known) of each other text: ``C(known other) - C(known)``, at least 0.

        Compressors that can be primed with the known text override this.
        """
        alone = self.alone([known])[0]
        return [max(both - alone, 0) for both in self.after(known, others)]


class Bzip2(Compressor):
    """bzip2, of the standard library; it sorts blocks, so both texts must fit into one block."""

    default = 9

    def __init__(self, owner: object, level: int | None = None) -> None:
        super().__init__(owner, level)
        # a block holds level * 100,000 - 19 bytes, after runs are shortened, which can lengthen a
        # text
        self.reach = self.level * 100_000 // 2 - 10

    def sizer(self) -> _Sizer:
        """Return the length of the file as a function of the text."""
        level = self.level
        return lambda text: len(bz2.compress(text, level))


# DEFLATE refers back by at most 32 KiB
_REACH = 2**15


class Isal(Compressor):
    """ISA-L, which compresses nearly as well as zlib in a fraction of the time."""

    levels = (0, 3)
    default = 2
    reach = _REACH

    def sizer(self) -> _Sizer:
        """Return the length of the raw stream as a function of the text.

        The output of the library's ``compress`` depends on memory addresses.
        """
        begin, level = self._library().compressobj, self.level
        return lambda text: _finish(begin(level, zlib.DEFLATED, -15), text)

    def given(self, known: bytes, others: Sequence[bytes]) -> list[float]:
        """C(other | known): the known text is the dictionary."""
        begin, known = self._library().compressobj, known[-_REACH:]
        states = (begin(self.level, zlib.DEFLATED, -15, zdict=known) for _ in others)
        return [
            _finish(state, other) - self.empty for state, other in zip(states, others, strict=True)
        ]

    def _library(self) -> Any:
        return library(self.owner, "isal.isal_zlib", "compressor 'isal'")


class Lz4(Compressor):
    """LZ4: level 0 is its fast mode, the others are those of its high-compression mode."""

    levels = (0, 12)
    default = 0
    # offsets have 16 bits
    reach = 2**16 - 1

    def sizer(self) -> _Sizer:
        """Return the length of the block as a function of the text."""
        return self._sizer(b"")

    def given(self, known: bytes, others: Sequence[bytes]) -> list[float]:
        """C(other | known): the known text is the dictionary."""
        size = self._sizer(known)
        return [size(other) - self.empty for other in others]

    def _sizer(self, known: bytes) -> _Sizer:
        compress = library(self.owner, "lz4.block", "compressor 'lz4'").compress
        options: dict[str, Any] = {"store_size": False}
        if known:
            options["dict"] = known
        if self.level:
            options |= {"mode": "high_compression", "compression": self.level}
        return lambda text: len(compress(text, **options))


class Lzma(Compressor):
    """The method of xz, of the standard library; it looks back over any length."""

    levels = (0, 9)

    def sizer(self) -> _Sizer:
        """Return the length of the raw stream, its dictionary the next power of 2 in length."""
        return self._size

    def _size(self, text: bytes) -> int:
        # 4 KiB is the least dictionary of LZMA
        reach = 1 << min(max(_bits(len(text)), 12), 30)
        method = {"id": lzma.FILTER_LZMA1, "preset": self.level, "dict_size": reach}
        return len(lzma.compress(text, format=lzma.FORMAT_RAW, filters=[method]))


_LOOKAHEAD = 262  # bytes of the window that zlib never refers back to


class Zlib(Compressor):
    """zlib, of the standard library."""

    reach = _REACH - _LOOKAHEAD - 1

    def sizer(self) -> _Sizer:
        """Return the length of the raw stream as a function of the text."""
        level = self.level
        return lambda text: len(zlib.compress(text, level, -_window(len(text))))

    def after(self, first: bytes, others: Sequence[bytes]) -> list[float]:
        """C(first other): the state after the first text is computed once and copied."""
        level, bits, empty = self.level, -_widest(first, others), self.empty
        if len(first) < _WORTH or len(others) == 1:
            return [len(zlib.compress(first + other, level, bits)) - empty for other in others]
        state = zlib.compressobj(level, zlib.DEFLATED, bits)
        begun = len(state.compress(first)) - empty
        return [begun + _finish(state.copy(), other) for other in others]

    def given(self, known: bytes, others: Sequence[bytes]) -> list[float]:
        """C(other | known): the known text is the dictionary."""
        window = _widest(known, others)
        state = zlib.compressobj(self.level, zlib.DEFLATED, -window, zdict=known)
        return [_finish(state.copy(), other) - self.empty for other in others]


class Zstandard(Compressor):
    """Zstandard, in long mode for texts longer than the window of the level."""

    levels = (1, 22)
    default = 3

    def __init__(self, owner: object, level: int | None = None) -> None:
        self.library = library(owner, "zstandard", "compressor 'zstd'")
        super().__init__(owner, level)

    @cached_property
    def window(self) -> int:
        """The window of the level."""
        return 1 << int(self._parameters().window_log)

    def sizer(self) -> _Sizer:
        """Return the length of the frame as a function of the text."""
        usual = self.library.ZstdCompressor(self.level, **_BARE)

        def size(text: bytes) -> int:
            compressor = self._long(len(text)) if len(text) > self.window else usual
            return len(compressor.compress(text))

        return size

    def given(self, known: bytes, others: Sequence[bytes]) -> list[float]:
        """C(other | known): the known text is the dictionary, unless both fill the window.

        Zstandard searches large dictionaries badly; then it is ``C(known other) - C(known)``.
        """
        near = [len(known) + len(other) <= self.window // 4 for other in others]
        far = iter(
            super().given(
                known, [o for o, is_near in zip(others, near, strict=True) if not is_near]
            )
        )
        compressor = self._primed(known)
        return [
            len(compressor.compress(other)) - self.empty if is_near else next(far)
            for other, is_near in zip(others, near, strict=True)
        ]

    def _primed(self, known: bytes) -> Any:
        kind = self.library.DICT_TYPE_RAWCONTENT
        dictionary = self.library.ZstdCompressionDict(known, dict_type=kind) if known else None
        return self.library.ZstdCompressor(self.level, dict_data=dictionary, **_BARE)

    def _long(self, length: int) -> Any:
        window = min(_bits(length), 31)
        parameters = self._parameters(
            source_size=length, window_log=window, enable_ldm=True, **_BARE
        )
        return self.library.ZstdCompressor(compression_params=parameters)

    def _parameters(self, **options: Any) -> Any:
        return self.library.ZstdCompressionParameters.from_level(self.level, **options)


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


_Sizer = Callable[[bytes], float]


class FunctionCompressor(Compressor):
    """A function that compresses bytes, or returns their compressed size."""

    def __init__(self, owner: object, function: Callable[[bytes], Any]) -> None:
        self.function = function
        super().__init__(owner)

    def sizer(self) -> _Sizer:
        """Return the function, its result checked."""
        return self._size

    def _size(self, text: bytes) -> float:
        try:
            result = self.function(text)
        except Exception as error:
            name = ilk.display_name(self.owner)
            error.add_note(f"{name}: compressing {len(text)} bytes by {self.function!r}")
            raise
        if isinstance(result, bytes | bytearray | memoryview):
            return len(result)
        size = float(result) if isinstance(result, Real) else nan
        if isfinite(size) and size >= 0:
            return size
        raise ilk.InputError(
            f"{ilk.display_name(self.owner)}: compressor must return bytes or a finite number "
            f">= 0, got {result!r} for {text[:20]!r}"
        )


_WORTH = 1024  # bytes of a first text from which copying zlib's state pays


def _window(length: int) -> int:
    """Logarithm of the smallest window that gives zlib the same result as the largest.

    A small window is faster to set up and to copy.
    """
    return min(max((length + _LOOKAHEAD - 1).bit_length(), 9), 15)


def _widest(first: bytes, others: Sequence[bytes]) -> int:
    return _window(len(first) + max(map(len, others)))


def _finish(state: Any, text: bytes) -> int:
    return len(state.compress(text)) + len(state.flush())


_BARE = {"write_content_size": False, "write_dict_id": False}  # no headers of varying size


def _bits(length: int) -> int:
    """Logarithm of the smallest power of 2 that is at least a length."""
    return max(length - 1, 0).bit_length()
