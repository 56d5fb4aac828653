"""Outputs of members, combined block by block by a compiled rule: no second copy of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import ilk
from ilk_ensembles.combiners.support import ULPS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_CELLS = 1 << 15  # of what a block combines to: a quarter of a megabyte, which stays in cache
_COPIED = 1 << 17  # of outputs that have to be copied: a megabyte


def shaped(owner: object, outputs: Any) -> np.ndarray:
    """Return outputs as an array of numbers with three axes; values are not looked at.

    Raises
    ------
    InputError
        For another shape or type.
    """
    try:
        array = np.asarray(outputs)
    except ValueError:  # members say different numbers of things
        return ilk.check_outputs(owner, outputs)
    if array.ndim != 3 or array.dtype.kind not in "fiub" or 0 in (len(array), array.shape[2]):
        return ilk.check_outputs(owner, outputs)  # an error, or numbers of another type
    return array


def combined(
    owner: object,
    outputs: Any,
    rule: Callable[..., bool],
    *arguments: Any,
    by_sample: Sequence[np.ndarray] = (),
    most: float = 1.0,
) -> np.ndarray:
    """Combine outputs by a compiled rule, such as those of `kernels`.

    Support that differs from the most of its row by rounding only becomes as much: a tie is
    one whatever the order of the members.

    Parameters
    ----------
    owner : Component
        Named in errors.
    outputs : array of shape (L, n, C)
        Copied block by block where it is not a C-ordered array of float64.
    rule : compiled function
    arguments
        What else the rule takes.
    by_sample : sequence of arrays of n rows
        What the rule takes after that: those of the block.
    most : float, default=1
        What support may be, which rounded sums of shares exceed.

    Returns
    -------
    ndarray of shape (n, C)

    Raises
    ------
    InputError
        For a wrong shape, a value that is negative or not finite, or a row of zeros; names
        the cell.
    """
    from ilk_ensembles.combiners.vote_kernels import level

    array = shaped(owner, outputs)
    _, n, n_classes = array.shape
    result = np.empty((n, n_classes))
    flags = array.flags  # rules are compiled for arrays that may be written to
    ready = flags.c_contiguous and flags.writeable and array.dtype == np.float64

    def work(start: int, stop: int) -> None:
        values, first = array, start
        if not ready:
            values, first = np.ascontiguousarray(array[:, start:stop], dtype=np.float64), 0
            values = values if values.flags.writeable else values.copy()
        block = result[start:stop]
        if not rule(values, first, block, *arguments, *(each[start:stop] for each in by_sample)):
            ilk.check_outputs(owner, array)  # says which
        np.minimum(block, most, out=block)
        level(block, ULPS)

    size = _CELLS // n_classes if ready else min(_CELLS, _COPIED // len(array)) // n_classes
    ilk.in_blocks(work, n, max(size, 1))
    return result


def combined_labels(
    owner: object, codes: Any, n_classes: int, rule: Callable[..., bool], *arguments: Any
) -> np.ndarray:
    """Combine codes of labels, an array of shape (L, n), by a rule of `vote_kernels`.

    Raises
    ------
    InputError
        For a wrong shape or a code that is no class.
    """
    from ilk_ensembles.combiners.vote_kernels import level

    codes = np.asarray(codes)
    if codes.ndim != 2 or codes.dtype.kind not in "iu" or not len(codes):
        ilk.check_codes(owner, codes, n_classes)
    n = codes.shape[1]
    result = np.empty((n, n_classes))
    flags = codes.flags
    ready = flags.c_contiguous and flags.writeable and codes.dtype == np.int64

    def work(start: int, stop: int) -> None:
        values, first = codes, start
        if not ready:
            values, first = codes[:, start:stop].astype(np.int64, order="C"), 0
        block = result[start:stop]
        if not rule(values, first, block, *arguments):
            ilk.check_codes(owner, codes, n_classes)  # says which
        np.minimum(block, 1, out=block)  # sums of shares are rounded
        level(block, ULPS)

    ilk.in_blocks(work, n, max(_CELLS // n_classes, 1))
    return result
