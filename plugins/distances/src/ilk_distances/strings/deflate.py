"""The compressors of the deflate method: zlib and ISA-L."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import Any

from ilk_distances.strings.compressor import Compressor, Sizer
from ilk_distances.strings.extras import library

REACH = 2**15
LOOKAHEAD = 262  # bytes of the window that zlib does not refer to
WORTH = 1024  # bytes of a first text from which it pays to copy what became of it


class Zlib(Compressor):
    """zlib, which Python brings along."""

    reach = REACH - LOOKAHEAD - 1

    def sizer(self) -> Sizer:
        """Return the length of the raw stream as a function of the text."""
        level = self.level
        return lambda text: len(zlib.compress(text, level, -_window(len(text))))

    def after(self, first: bytes, others: Sequence[bytes]) -> list[float]:
        """C(first other): the first text is compressed once, its state copied for each other."""
        level, bits, empty = self.level, -_widest(first, others), self.empty
        if len(first) < WORTH or len(others) == 1:
            return [len(zlib.compress(first + other, level, bits)) - empty for other in others]
        state = zlib.compressobj(level, zlib.DEFLATED, bits)
        begun = len(state.compress(first)) - empty
        return [begun + _finish(state.copy(), other) for other in others]

    def given(self, known: bytes, others: Sequence[bytes]) -> list[float]:
        """C(other | known): the known text is the dictionary."""
        window = _widest(known, others)
        state = zlib.compressobj(self.level, zlib.DEFLATED, -window, zdict=known)
        return [_finish(state.copy(), other) - self.empty for other in others]


class Isal(Compressor):
    """ISA-L, which compresses nearly as well as zlib in a fraction of the time."""

    levels = (0, 3)
    default = 2
    reach = REACH

    def sizer(self) -> Sizer:
        """Return the length of the raw stream as a function of the text.

        What the library's ``compress`` gives depends on where in memory things happen to be.
        """
        begin, level = self._library().compressobj, self.level
        return lambda text: _finish(begin(level, zlib.DEFLATED, -15), text)

    def given(self, known: bytes, others: Sequence[bytes]) -> list[float]:
        """C(other | known): the known text is the dictionary."""
        begin, known = self._library().compressobj, known[-REACH:]
        states = (begin(self.level, zlib.DEFLATED, -15, zdict=known) for _ in others)
        return [
            _finish(state, other) - self.empty for state, other in zip(states, others, strict=True)
        ]

    def _library(self) -> Any:
        return library(self.owner, "isal.isal_zlib", "compressor 'isal'")


def _window(length: int) -> int:
    """Logarithm of the least window with which zlib finds what it finds with the largest.

    A small one is quicker to set up and to copy.
    """
    return min(max((length + LOOKAHEAD - 1).bit_length(), 9), 15)


def _widest(first: bytes, others: Sequence[bytes]) -> int:
    return _window(len(first) + max(map(len, others)))


def _finish(state: Any, text: bytes) -> int:
    return len(state.compress(text)) + len(state.flush())
