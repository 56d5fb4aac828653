"""Rows of memory-mapped and of Dask arrays, read block by block."""

from __future__ import annotations

import mmap
import sys
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from ilk.errors import InputError, InputTypeError
from ilk.inputs import check_finite, is_dask
from ilk.parallel import in_this_thread
from ilk.registries import display_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ilk.arrays import Cases

T = TypeVar("T")

BLOCK_BYTES = 16 * 2**20  # bytes of a block as float64: bounds the memory
_FAN = 8  # results merged by one Dask task: keeps the tree of tasks flat
_NUMBERS = "biuf"
_FLOATS = (np.dtype(np.float64), np.dtype(np.float32))


@dataclass
class RowBlocks(ABC):
    """The rows of a numeric table, with one block at a time in memory.

    Blocks are arrays of at most 16 MiB (or one row): float32 if the numbers are, else float64.
    """

    _checked: bool = field(default=False, init=False, repr=False)

    @property
    @abstractmethod
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and columns."""

    @abstractmethod
    def __iter__(self) -> Iterator[tuple[int, np.ndarray]]:
        """Yield the number of the first row of each block, and the block."""

    @abstractmethod
    def fold(self, work: Callable[[int, np.ndarray], T], merge: Callable[[T, T], T]) -> T:
        """Map all blocks, each where it is stored, and merge the results.

        Parameters
        ----------
        work : function of the number of a block's first row, and the block
        merge : function
            Takes the results of two neighbouring runs of blocks, the earlier run first.
        """

    def __len__(self) -> int:
        return self.shape[0]

    def check(self, owner: object, *, argument: str = "X", nan: bool = False) -> None:
        """Read all blocks once and raise an InputError if a number is not finite.

        Parameters
        ----------
        owner : Component
            Named in errors.
        argument : str
            Name of the rows in errors.
        nan : bool
            Whether NaN is accepted.
        """
        if not self._checked:
            problem = self.fold(partial(_problem, owner, argument, nan), _first)
            if problem is not None:
                raise InputError(problem)
            self._checked = True


@dataclass
class MappedRows(RowBlocks):
    """The rows of an array in a file.

    Attributes
    ----------
    values : ndarray
        Shares the memory of the file.
    shared : bool
        Whether the pages that were read can be released, because the file has them.
    """

    values: np.ndarray
    shared: bool = False

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and columns."""
        n, p = self.values.shape
        return n, p

    def __iter__(self) -> Iterator[tuple[int, np.ndarray]]:
        """Yield the number of the first row of each block, and the block."""
        for first, block in _blocks(0, self.values):
            yield first, block
            self._forget()

    def fold(self, work: Callable[[int, np.ndarray], T], merge: Callable[[T, T], T]) -> T:
        """Map all blocks and merge the results, one after the other."""
        return _folded(iter(self), work, merge)

    def _forget(self) -> None:
        """Release the pages that were read; they would count as memory of this process."""
        base: Any = self.values
        while isinstance(base, np.ndarray):
            base = base.base
        if self.shared and isinstance(base, mmap.mmap) and sys.platform == "linux":
            base.madvise(mmap.MADV_DONTNEED)


@dataclass
class DaskRows(RowBlocks):
    """The rows of a Dask array; its scheduler computes and maps them.

    Attributes
    ----------
    array : dask.array.Array
        Its chunks have whole rows.
    """

    array: Any

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and columns."""
        n, p = self.array.shape
        return int(n), int(p)

    def __iter__(self) -> Iterator[tuple[int, np.ndarray]]:
        """Compute one chunk after the other; yield first rows of blocks, and blocks."""
        for first, shape, chunk in self._chunks():
            yield from _blocks(first, _as_promised(first, shape, chunk.compute()))

    def fold(self, work: Callable[[int, np.ndarray], T], merge: Callable[[T, T], T]) -> T:
        """Map all chunks and merge the results, as a tree of tasks."""
        from dask.delayed import delayed

        shared = delayed((work, merge), traverse=False)  # one node: sent once to each worker
        parts = [delayed(_work_on_chunk)(shared, *chunk) for chunk in self._chunks()]
        while len(parts) > 1:
            parts = [
                delayed(_merge_all)(shared, parts[start : start + _FAN])
                for start in range(0, len(parts), _FAN)
            ]
        return parts[0].compute()  # type: ignore[no-any-return]  # Dask does not say

    def _chunks(self) -> Iterator[tuple[int, tuple[int, int], Any]]:
        """Yield first row, shape and delayed values of each chunk with rows."""
        sizes = self.array.chunks[0]
        starts = np.cumsum((0, *sizes))[:-1]
        chunks = self.array.to_delayed()[:, 0]
        for first, size, chunk in zip(starts.tolist(), sizes, chunks, strict=True):
            if size:
                yield first, (size, self.shape[1]), chunk


def row_blocks(owner: object, X: Cases, argument: str = "X") -> RowBlocks | None:
    """Return rows for reading block by block; None for data in memory.

    Parameters
    ----------
    owner : Component
        Named in errors.
    X : anything
        A memory-mapped array of numbers with rows and columns, a Dask array, or what this
        function returned, is read by blocks.
    argument : str
        Name of X in errors.

    Raises
    ------
    InputError, InputTypeError
        If a Dask collection is not an array of numbers with rows and columns, or has an unknown
        number of rows.
    """
    if isinstance(X, RowBlocks):
        return X
    if is_dask(X):
        return DaskRows(_whole_rows(owner, X, argument))
    if isinstance(X, np.memmap) and X.ndim == 2 and X.size and X.dtype.kind in _NUMBERS:
        shared = getattr(X, "mode", None) in {"r", "r+", "w+"}
        return MappedRows(np.asarray(X), shared)
    return None


def _whole_rows(owner: object, X: Any, argument: str) -> Any:
    """Return a Dask array with chunks of whole rows."""
    name = f"{display_name(owner)}: {argument}"
    if not isinstance(getattr(X, "chunks", None), tuple):
        raise InputTypeError(
            f"{name} is a Dask collection ({type(X).__name__}) that is no array; give it as one "
            f"(of a data frame: X.to_dask_array(lengths=True))"
        )
    if X.ndim != 2 or X.shape[1] == 0:
        raise InputError(
            f"{name} must have rows and columns (2D array expected), got a Dask array of shape "
            f"{X.shape}"
        )
    if X.dtype.kind not in _NUMBERS:
        raise InputError(f"{name} must hold numbers, got a Dask array of {X.dtype}")
    if any(map(np.isnan, X.shape)):
        raise InputError(
            f"{name} is a Dask array of unknown shape {X.shape}; call X.compute_chunk_sizes() first"
        )
    if X.shape[0] == 0:
        raise InputError(f"{name} has 0 rows, at least one is needed (0 sample(s))")
    return X if X.numblocks[1] == 1 else X.rechunk({1: -1})


def _as_promised(first: int, shape: tuple[int, int], values: np.ndarray) -> np.ndarray:
    """Return a chunk after a check of its shape and type, which its array only declared."""
    if type(values) not in {np.ndarray, np.memmap}:
        raise InputTypeError(
            f"chunks of a Dask array must be plain NumPy arrays, got {type(values).__name__}"
        )
    if values.shape != shape or values.dtype.kind not in _NUMBERS:
        raise InputError(
            f"the chunk of a Dask array at row {first} should hold numbers in shape {shape}, got "
            f"{values.dtype} in shape {values.shape}; give map_blocks the chunks and dtype "
            f"of its result"
        )
    return np.asarray(values)


def _blocks(first: int, values: np.ndarray) -> Iterator[tuple[int, np.ndarray]]:
    size = max(BLOCK_BYTES // (8 * values.shape[1]), 1)
    dtype = values.dtype if values.dtype in _FLOATS else np.dtype(np.float64)
    for start in range(0, len(values), size):
        yield first + start, np.ascontiguousarray(values[start : start + size], dtype=dtype)


def _folded(
    blocks: Iterator[tuple[int, np.ndarray]],
    work: Callable[[int, np.ndarray], T],
    merge: Callable[[T, T], T],
) -> T:
    result = work(*next(blocks))
    for first, block in blocks:
        result = merge(result, work(first, block))
    return result


def _work_on_chunk(
    shared: tuple[Any, Any], first: int, shape: tuple[int, int], chunk: np.ndarray
) -> Any:
    with in_this_thread():  # Dask has threads of its own
        return _folded(_blocks(first, _as_promised(first, shape, chunk)), *shared)


def _merge_all(shared: tuple[Any, Any], parts: list[Any]) -> Any:
    _, merge = shared
    result = parts[0]
    for part in parts[1:]:
        result = merge(result, part)
    return result


def _problem(owner: object, argument: str, nan: bool, first: int, block: np.ndarray) -> str | None:
    """An error in a block; the caller raises the first one of all blocks."""
    try:
        check_finite(owner, block, argument=argument, nan=nan, first_row=first)
    except InputError as error:
        return str(error)
    return None


def _first(one: str | None, other: str | None) -> str | None:
    return other if one is None else one
