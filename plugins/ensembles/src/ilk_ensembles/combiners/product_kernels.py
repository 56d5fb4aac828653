"""The product rule: plain products where they stay large enough, else numbers and powers."""

from __future__ import annotations

import numpy as np

from ilk import compiled
from ilk_ensembles.combiners.share_kernels import shares

_TINY, _UP = 2.0**-500, 2.0**500


@compiled
def product(outputs: np.ndarray, first: int, combined: np.ndarray) -> bool:
    """The product of the members' support, divided by its sum over the classes."""
    if not _plain(outputs, first, combined):
        return bool(_long(outputs, first, combined))
    values = combined.reshape(combined.size)
    width, one, at = np.uint64(combined.shape[1]), np.uint64(1), np.uint64(0)
    while at < np.uint64(len(values)):  # unsigned: signed ones may count from the end
        total, end, place = 0.0, at + width, at
        while place < end:
            total += values[place]
            place += one
        factor, place = 1 / total, at
        while place < end:
            values[place] *= factor
            place += one
        at = end
    return True


@compiled
def _plain(outputs: np.ndarray, first: int, combined: np.ndarray) -> bool:
    """Products; False where support is none or zero, or they become tiny."""
    products = combined.reshape(combined.size)
    spare = np.empty(len(products))
    products[:] = 1
    for member in range(len(outputs)):
        values, fine = shares(outputs, member, first, spare)
        tiny = 0
        for k in range(len(products)):
            products[k] *= values[k]
            tiny |= products[k] < _TINY
        if tiny or not fine:
            return False
    return True


@compiled
def _long(outputs: np.ndarray, first: int, combined: np.ndarray) -> bool:
    """Products as a number and a power of 2**-500, so that nothing is lost; zeros are counted."""
    products = combined.reshape(combined.size)
    spare = np.empty(len(products))
    powers = np.zeros(len(products), dtype=np.int64)
    zeros = np.zeros(len(products), dtype=np.int64)
    products[:] = 1
    for member in range(len(outputs)):
        values, fine = shares(outputs, member, first, spare)
        negative, small = 0, 0
        for k in range(len(products)):
            none = values[k] == 0
            zeros[k] += none
            negative |= values[k] < 0
            small |= values[k] < _TINY and not none
        if negative or not fine:
            return False
        if small:
            _multiply_small(products, values, powers)
        else:
            for k in range(len(products)):
                products[k] *= values[k] if values[k] > 0 else 1.0
        for k in range(len(products)):
            tiny = products[k] < _TINY
            products[k] *= _UP if tiny else 1.0
            powers[k] += tiny
    n_classes = combined.shape[1]
    for i in range(len(combined)):
        own = slice(i * n_classes, (i + 1) * n_classes)
        _settle(combined[i], powers[own], zeros[own])
    return True


@compiled
def _multiply_small(products: np.ndarray, values: np.ndarray, powers: np.ndarray) -> None:
    """Multiply by values that may be tiny, too; zeros are left out."""
    for k in range(len(products)):
        value = values[k]
        while 0 < value < _TINY:
            value *= _UP
            powers[k] += 1
        if value > 0:
            products[k] *= value


@compiled
def _settle(values: np.ndarray, powers: np.ndarray, zeros: np.ndarray) -> None:
    """Shares of the classes: those with the fewest zeros, by their products."""
    fewest = zeros.min()
    least, top = -1, 0.0
    for k in range(len(values)):
        if zeros[k] == fewest and (least < 0 or powers[k] < least):
            least, top = powers[k], values[k]
    total = 0.0
    for k in range(len(values)):
        below = powers[k] - least
        values[k] = values[k] / top if zeros[k] == fewest and below < 4 else 0.0
        for _ in range(min(below, 3)):  # values were within 2**-500 and 1
            values[k] *= _TINY
        total += values[k]
    for k in range(len(values)):
        values[k] /= total
