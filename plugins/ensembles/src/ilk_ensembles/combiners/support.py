"""Support for classes: outputs combined in blocks, and decisions from combined support."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np

import ilk
from ilk import Array, ArrayLike, param

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

ULPS = 1e-12  # support that differs by less, relatively, is the same up to rounding
_CELLS = 1 << 15  # of the combined output of a block: a quarter of a megabyte, which stays in cache
_COPIED = 1 << 17  # of outputs that have to be copied: a megabyte
_MANY = 8  # terms from which on numpy adds in another order


class SupportCombiner(ilk.Combiner):
    """Decides for the class of largest support or, with a cost matrix, of least expected cost."""

    ties: str = param(
        default="first",
        choices=("first", "reject"),
        doc="A tie goes to the first class, or is rejected.",
    )
    cost: ArrayLike | None = param(
        default=None,
        type=Array,
        form="array of shape (C, C)",
        doc="``cost[j][k]`` is the cost of deciding for class k where class j is true; the "
        "decision then is for the least expected cost ``sum_j combined_j cost[j][k]``.",
    )

    def check_parameters(self) -> None:
        """Check each parameter, and that the costs are a finite square matrix."""
        super().check_parameters()
        if self.cost is None:
            return
        cost = np.asarray(self.cost, dtype=float)
        if cost.ndim != 2 or cost.shape[0] != cost.shape[1] or not np.isfinite(cost).all():
            raise self.parameter_error(
                "cost", f"must be a square matrix of finite numbers, got {self.cost!r}"
            )

    def decide(self, combined: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        self.check_parameters()
        support = check_support(self, combined)
        if self.cost is not None:
            cost = np.asarray(self.cost, dtype=float)
            if len(cost) != support.shape[1]:
                raise self.parameter_error(
                    "cost", f"is for {len(cost)} classes, there are {support.shape[1]}"
                )
            # the least expected cost becomes the largest support
            support = -(support @ cost)
        codes, tied, _ = winners(self, support)
        return codes, tied & (self.ties == "reject")


def too_few(share: np.ndarray, threshold: float | str) -> np.ndarray:
    """Mask of the shares of votes that are too small to decide."""
    if threshold == "half":
        return np.asarray(share <= 0.5 + ULPS)
    least = 1.0 if threshold == "consensus" else float(threshold)
    return np.asarray(share < least - ULPS)


def leveled(support: np.ndarray) -> np.ndarray:
    """A copy in which support within rounding of the row's maximum equals the maximum."""
    from ilk_ensembles.combiners.rule_kernels import level

    support = np.array(support, dtype=float, order="C")
    level(support, ULPS)
    return support


def over_classes(ufunc: np.ufunc, array: np.ndarray) -> np.ndarray:
    """Reduce the last axis, as ``ufunc.reduce(array, axis=-1, keepdims=True)``, to the same bits.

    That is slow for a few classes, whose columns are therefore combined one by one.
    """
    if array.shape[-1] >= _MANY:
        return np.asarray(ufunc.reduce(array, axis=-1, keepdims=True))
    return np.asarray(reduce(ufunc, np.moveaxis(array, -1, 0)))[..., None]


def check_support(owner: object, combined: np.ndarray) -> np.ndarray:
    """Return combined support as a float array of shape (n, C).

    Raises
    ------
    InputError
        For a wrong shape.
    """
    support = np.asarray(combined, dtype=float)
    if support.ndim != 2 or support.shape[1] == 0:
        raise ilk.InputError(
            f"{ilk.display_name(owner)}: combined must have shape (samples, classes), "
            f"got {support.shape}"
        )
    return support


def winners(owner: object, support: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return for each row the first class of largest support, whether it is tied, and its support.

    Support that differs by rounding only is tied.

    Raises
    ------
    InputError
        For a value that is not finite; names the cell.
    """
    from ilk_ensembles.combiners.rule_kernels import winners as search

    n = len(support)
    codes, tied, most = np.empty(n, dtype=np.intp), np.empty(n, dtype=bool), np.empty(n)
    if not search(np.ascontiguousarray(support), ULPS, codes, tied, most):
        ilk.check_finite(owner, support, argument="combined")
    return codes, tied, most


def as_outputs(owner: object, outputs: ArrayLike) -> np.ndarray:
    """Return outputs as a numeric array with three axes; values are not checked.

    Raises
    ------
    InputError
        For another shape or type.
    """
    try:
        array = np.asarray(outputs)
    except ValueError:  # ragged: members have different numbers of outputs
        return ilk.check_outputs(owner, outputs)
    if array.ndim != 3 or array.dtype.kind not in "fiub" or 0 in (len(array), array.shape[2]):
        return ilk.check_outputs(owner, outputs)  # raises, or converts another numeric type
    return array


def divided(outputs: np.ndarray) -> np.ndarray:
    """Divide support (L, m, C) by its sums of any size, as `rule_kernels.shares` does by others."""
    from ilk_ensembles.combiners.rule_kernels import LEAST, MOST, NEAR

    with np.errstate(over="ignore"):
        totals = over_classes(np.add, outputs)
    parts = np.where(np.isinf(totals), outputs / over_classes(np.maximum, outputs), outputs)
    shares = parts / over_classes(np.add, parts)
    usual = (totals > LEAST) & (totals < MOST)
    np.multiply(outputs, 1 / np.where(usual, totals, 1), out=shares, where=usual)
    one = (abs(totals - 1) < NEAR).all(axis=(1, 2), keepdims=True)
    return np.where(one, outputs, shares)


def combine_blocks(
    owner: object,
    outputs: ArrayLike,
    rule: Callable[..., bool],
    *arguments: Any,
    by_sample: Sequence[np.ndarray] = (),
    most: float = 1.0,
) -> np.ndarray:
    """Combine outputs by a compiled rule, such as those of `kernels`.

    Support within rounding of the row's maximum is set to the maximum, so that ties do not
    depend on the order of the members.

    Parameters
    ----------
    owner : Component
        Named in errors.
    outputs : array of shape (L, n, C)
        Copied block by block unless it is a C-ordered array of float64.
    rule : compiled function
    arguments
        Further arguments of the rule.
    by_sample : sequence of arrays of n rows
        Further arguments; each block gets its rows of them.
    most : float, default=1
        Cap on support, which rounded sums of shares can exceed.

    Returns
    -------
    ndarray of shape (n, C)

    Raises
    ------
    InputError
        For a wrong shape, a value that is negative or not finite, or a row of zeros; names
        the cell.
    """
    from ilk_ensembles.combiners.rule_kernels import level

    array = as_outputs(owner, outputs)
    _, n, n_classes = array.shape
    result = np.empty((n, n_classes))
    flags = array.flags  # rules are compiled for writable arrays
    ready = flags.c_contiguous and flags.writeable and array.dtype == np.float64

    def work(start: int, stop: int) -> None:
        values, first = array, start
        if not ready:
            values, first = np.ascontiguousarray(array[:, start:stop], dtype=np.float64), 0
            values = values if values.flags.writeable else values.copy()
        block = result[start:stop]
        others = *arguments, *(each[start:stop] for each in by_sample)
        if not rule(values, first, block, *others):
            checked = ilk.check_outputs(owner, array)  # raises and names the cell
            rule(divided(checked[:, start:stop]), 0, block, *others)
        # rounded sums may exceed the bound
        np.minimum(block, most, out=block)
        level(block, ULPS)

    size = _CELLS // n_classes if ready else min(_CELLS, _COPIED // len(array)) // n_classes
    ilk.in_blocks(work, n, max(size, 1))
    return result


def combine_label_blocks(
    owner: object, codes: np.ndarray, n_classes: int, rule: Callable[..., bool], *arguments: Any
) -> np.ndarray:
    """Combine codes of labels, an array of shape (L, n), by a vote of `rule_kernels`.

    Raises
    ------
    InputError
        For a wrong shape or a code that is no class.
    """
    from ilk_ensembles.combiners.rule_kernels import level

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
            ilk.check_codes(owner, codes, n_classes)  # raises and names the cell
        np.minimum(block, 1, out=block)  # rounded sums of shares can exceed 1
        level(block, ULPS)

    ilk.in_blocks(work, n, max(_CELLS // n_classes, 1))
    return result
