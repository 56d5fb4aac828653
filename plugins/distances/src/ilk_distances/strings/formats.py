"""The compressors of other methods: bzip2, LZMA, Zstandard and LZ4."""

from __future__ import annotations

import bz2
import lzma
from collections.abc import Sequence
from functools import cached_property
from typing import Any

from ilk_distances.strings.compressor import Compressor, Sizer
from ilk_distances.strings.extras import library


class Bzip2(Compressor):
    """bzip2, which Python brings along; sorts blocks, so both texts must fit into one."""

    default = 9

    def __init__(self, owner: object, level: int | None = None) -> None:
        super().__init__(owner, level)
        self.reach = self.level * 100_000 // 2 - 10

    def sizer(self) -> Sizer:
        """Return the length of the file as a function of the text."""
        level = self.level
        return lambda text: len(bz2.compress(text, level))


class Lzma(Compressor):
    """The method of xz, which Python brings along; refers back over any length."""

    levels = (0, 9)

    def sizer(self) -> Sizer:
        """Return the length of the raw stream, its dictionary the next power of 2 in length."""
        return self._size

    def _size(self, text: bytes) -> int:
        reach = 1 << min(max(_bits(len(text)), 12), 30)
        method = {"id": lzma.FILTER_LZMA1, "preset": self.level, "dict_size": reach}
        return len(lzma.compress(text, format=lzma.FORMAT_RAW, filters=[method]))


class Zstandard(Compressor):
    """Zstandard, in long mode where the texts are longer than the window of the level."""

    levels = (1, 22)
    default = 3

    def __init__(self, owner: object, level: int | None = None) -> None:
        self.library = library(owner, "zstandard", "compressor 'zstd'")
        super().__init__(owner, level)

    @cached_property
    def window(self) -> int:
        """How far back the level looks."""
        return 1 << int(self._parameters().window_log)

    def sizer(self) -> Sizer:
        """Return the length of the frame as a function of the text."""
        usual = self.library.ZstdCompressor(self.level, **_BARE)

        def size(text: bytes) -> int:
            compressor = self._long(len(text)) if len(text) > self.window else usual
            return len(compressor.compress(text))

        return size

    def given(self, known: bytes, others: Sequence[bytes]) -> list[float]:
        """C(other | known): the known text is the dictionary, unless both fill the window.

        Too large a dictionary is not searched well; then it is ``C(known other) - C(known)``.
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


_BARE = {"write_content_size": False, "write_dict_id": False}  # nothing that depends on no text


class Lz4(Compressor):
    """LZ4: level 0 is its fast mode, the others are those of its high-compression mode."""

    levels = (0, 12)
    default = 0
    reach = 2**16 - 1

    def sizer(self) -> Sizer:
        """Return the length of the block as a function of the text."""
        return self._sizer(b"")

    def given(self, known: bytes, others: Sequence[bytes]) -> list[float]:
        """C(other | known): the known text is the dictionary."""
        size = self._sizer(known)
        return [size(other) - self.empty for other in others]

    def _sizer(self, known: bytes) -> Sizer:
        compress = library(self.owner, "lz4.block", "compressor 'lz4'").compress
        options: dict[str, Any] = {"store_size": False}
        if known:
            options["dict"] = known
        if self.level:
            options |= {"mode": "high_compression", "compression": self.level}
        return lambda text: len(compress(text, **options))


def _bits(length: int) -> int:
    """Logarithm of the least power of 2 that is not less than a length."""
    return max(length - 1, 0).bit_length()
