"""What every compressor can do: the information of a text alone, after, or given another."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from math import isfinite, nan
from numbers import Real
from typing import Any, ClassVar

import ilk

Sizer = Callable[[bytes], float]


class Compressor(ABC):
    """A compressor at one level; sizes are in bytes, less the size of a compressed empty text.

    An empty text has no information, so what is taken off is what every output has whatever
    it holds: headers, checksums, end marks.

    Attributes
    ----------
    levels : tuple of int
        Lowest and highest level.
    default : int
        The level if none is given.
    level : int
    reach : float
        Length of the longest text that is seen as a whole from within a copy behind it.
    """

    levels: ClassVar[tuple[int, int]] = (1, 9)
    default: ClassVar[int] = 6
    reach: float = float("inf")

    def __init__(self, owner: object, level: int | None = None) -> None:
        self.owner = owner
        self.level = self.default if level is None else int(level)
        self.empty = self.sizer()(b"")

    @abstractmethod
    def sizer(self) -> Sizer:
        """Return a function, for one thread, that gives the length of a compressed text."""

    def alone(self, texts: Sequence[bytes]) -> list[float]:
        """C(x) of each text."""
        size = self.sizer()
        return [size(text) - self.empty for text in texts]

    def after(self, first: bytes, others: Sequence[bytes]) -> list[float]:
        """C(first other) of each other text, put behind the first."""
        size = self.sizer()
        return [size(first + other) - self.empty for other in others]

    def given(self, known: bytes, others: Sequence[bytes]) -> list[float]:
        """C(other | known) of each other text: ``C(known other) - C(known)``, at least 0.

        Compressors that can be primed with the known text override this.
        """
        alone = self.alone([known])[0]
        return [max(both - alone, 0) for both in self.after(known, others)]


class FunctionCompressor(Compressor):
    """A function that compresses bytes, or tells the size of what it would compress them to."""

    def __init__(self, owner: object, function: Callable[[bytes], Any]) -> None:
        self.function = function
        super().__init__(owner)

    def sizer(self) -> Sizer:
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
