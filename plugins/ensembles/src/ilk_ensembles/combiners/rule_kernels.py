"""Compiled rules sum, max, min, median, product, borda and cascade, votes for labels, decisions.

Each rule takes `outputs` of shape (L, n, C), or codes of labels of shape (L, n), and the first of m
samples to combine, and fills in `combined` of shape (m, C). It returns False for invalid support:
NaN, infinity, a negative value, a row of zeros, or an invalid code. Weights have shape (L,), the
support of decisions (m, C).

Blocks are flattened, sample after sample. `shares` does not check for negative values: its
callers do, in loops that read the values anyway.
"""

from __future__ import annotations

import math

import numpy as np

from ilk import compiled

_HELD = 1 << 15  # values sorted at once for a median: 256 KiB, which fits in cache
_TINY, _UP = 2.0**-500, 2.0**500  # smaller products are scaled up, exactly
NEAR = 1e-14  # sums this close to 1 are not divided by
LEAST, MOST = 1e-290, 1e290  # range of sums whose reciprocal is safe


@compiled
def weighted(outputs: np.ndarray, first: int, combined: np.ndarray, weights: np.ndarray) -> bool:
    """Weighted sum of the members' support."""
    sums = combined.reshape(combined.size)
    spare = np.empty(len(sums))
    sums[:] = 0
    for member in range(len(outputs)):
        values, fine = shares(outputs, member, first, spare)
        # flags, not branches: the loop over all values can use vector instructions
        weight, negative = weights[member], 0
        for k in range(len(sums)):
            sums[k] += values[k] * weight
            negative |= values[k] < 0
        if negative or not fine:
            return False
    return True


@compiled
def gated(outputs: np.ndarray, first: int, combined: np.ndarray, weights: np.ndarray) -> bool:
    """Weighted sum with separate weights (m, L) for each sample."""
    m, n_classes = combined.shape
    spare = np.empty(combined.size)
    combined[:] = 0
    for member in range(len(outputs)):
        values, fine = shares(outputs, member, first, spare)
        if not fine:
            return False
        negative = 0
        for i in range(m):
            weight = weights[i, member]
            for k in range(n_classes):
                value = values[i * n_classes + k]
                combined[i, k] += value * weight
                negative |= value < 0
        if negative:
            return False
    return True


@compiled
def largest(outputs: np.ndarray, first: int, combined: np.ndarray) -> bool:
    """Largest support of the members."""
    most = combined.reshape(combined.size)
    spare = np.empty(len(most))
    most[:] = 0
    for member in range(len(outputs)):
        values, fine = shares(outputs, member, first, spare)
        negative = 0
        for k in range(len(most)):
            most[k] = max(most[k], values[k])
            negative |= values[k] < 0
        if negative or not fine:
            return False
    return True


@compiled
def smallest(outputs: np.ndarray, first: int, combined: np.ndarray) -> bool:
    """Smallest support of the members."""
    least = combined.reshape(combined.size)
    spare = np.empty(len(least))
    least[:] = math.inf
    for member in range(len(outputs)):
        values, fine = shares(outputs, member, first, spare)
        for k in range(len(least)):
            least[k] = min(least[k], values[k])
        if not fine:
            return False
    return bool(_alike_where_none(combined))


@compiled(inner=True)
def _alike_where_none(combined: np.ndarray) -> bool:
    """Make rows of zeros uniform; return False if a value is negative."""
    least = 0.0
    for i in range(len(combined)):
        most = 0.0
        for value in combined[i]:
            most = max(most, value)
            least = min(least, value)
        if most == 0:
            combined[i] = 1 / combined.shape[1]
    return bool(least >= 0)


@compiled
def median(outputs: np.ndarray, first: int, combined: np.ndarray) -> bool:
    """Median support of the members, or the mean of the two middle values."""
    n_members, _, n_classes = outputs.shape
    m = len(combined)
    size = max(_HELD // (n_members * n_classes), 1)
    for start in range(0, m, size):
        middle = combined[start : min(start + size, m)]
        columns = np.empty((n_members, middle.size))
        for member in range(n_members):
            values, fine = shares(outputs, member, first + start, columns[member])
            least = 0.0
            for k in range(len(values)):
                columns[member, k] = values[k]
                least = min(least, values[k])
            if not fine or least < 0:
                return False
        _sort(columns)
        lower, upper = columns[(n_members - 1) // 2], columns[n_members // 2]
        # the sum of the two might overflow
        flat = middle.reshape(middle.size)
        for k in range(len(flat)):
            flat[k] = lower[k] + (upper[k] - lower[k]) / 2
    return bool(_alike_where_none(combined))


@compiled(inner=True)
def _sort(columns: np.ndarray) -> None:
    """Sort all columns (L, size) at once, by merge exchange (Knuth, vol. 3, algorithm 5.2.2 M).

    A sorting network compares whole rows in a fixed order, so that the loops vectorise.
    """
    # a fixed sequence of comparisons, whatever the values: each exchanges whole rows
    n, top = len(columns), 1
    while 2 * top < n:
        top *= 2
    part = top if n > 1 else 0
    while part > 0:
        step, other, distance = top, 0, part
        while True:
            for i in range(n - distance):
                if i & part == other:
                    _exchange(columns[i], columns[i + distance])
            if step == part:
                break
            step, other, distance = step // 2, part, step - part
        part //= 2


@compiled(inner=True)
def _exchange(low: np.ndarray, high: np.ndarray) -> None:
    """Swap entries of two rows (size,) where they are out of order."""
    for k in range(len(low)):
        a, b = low[k], high[k]
        low[k], high[k] = (a, b) if a < b else (b, a)


@compiled
def borda(outputs: np.ndarray, first: int, combined: np.ndarray) -> bool:
    """For each class the number of classes it beats, and half of the number it ties with."""
    n_members, _, n_classes = outputs.shape
    combined[:] = 0
    for member in range(n_members):
        for i in range(len(combined)):
            row, beaten = outputs[member, first + i], combined[i]
            if total_of(row) < 0:
                return False
            for k in range(1, n_classes):
                for other in range(k):
                    # the lead, wins minus defeats, is a whole number: sums are exact in any order
                    # of the members
                    ahead = int(row[k] > row[other]) - int(row[k] < row[other])
                    beaten[k] += ahead
                    beaten[other] -= ahead
    for i in range(len(combined)):
        for k in range(n_classes):
            # wins plus half of the ties = (comparisons + lead) / 2
            combined[i, k] = (n_members * (n_classes - 1) + combined[i, k]) / 2
    return True


@compiled
def first_sure(
    outputs: np.ndarray,
    first: int,
    combined: np.ndarray,
    order: np.ndarray,
    thresholds: np.ndarray,
    answered_by: np.ndarray,
) -> bool:
    """Support by the first member in `order` (L,) whose largest share reaches its threshold.

    Parameters
    ----------
    thresholds : ndarray of shape (L - 1,)
        In the order of querying; the last member decides the remaining samples.
    answered_by : ndarray of int, shape (m,)
        Output: positions of the deciding members.
    """
    share = np.empty(combined.shape[1])
    answered_by[:] = -1
    for place in range(len(order)):
        member = order[place]
        # all members are checked, also the members that are not asked
        last = place == len(order) - 1
        for i in range(len(combined)):
            if not divide(outputs[member, first + i], share):
                return False
            most = 0.0
            for value in share:
                most = max(most, value)
            if answered_by[i] < 0 and (last or most >= thresholds[place]):
                for k in range(len(share)):
                    combined[i, k] = share[k]
                answered_by[i] = member
    return True


def product(outputs: np.ndarray, first: int, combined: np.ndarray) -> bool:
    """Product of the members' support, divided by its sum over the classes."""
    if not _unscaled_products(outputs, first, combined):
        return bool(_long(outputs, first, combined))  # rare: not compiled before
    _divide_by_sums(combined)
    return True


@compiled
def _divide_by_sums(combined: np.ndarray) -> None:
    """Divide positive rows by their sums."""
    values = combined.reshape(combined.size)
    width, one, at = np.uint64(combined.shape[1]), np.uint64(1), np.uint64(0)
    while at < np.uint64(len(values)):  # unsigned: no test for negative indices
        total, end, place = 0.0, at + width, at
        while place < end:
            total += values[place]
            place += one
        factor, place = 1 / total, at
        while place < end:
            values[place] *= factor
            place += one
        at = end


@compiled
def _unscaled_products(outputs: np.ndarray, first: int, combined: np.ndarray) -> bool:
    """Products; False where support is invalid or zero, or a product becomes tiny."""
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
    """Products as a number and a power of 2**-500, without underflow; zeros are counted."""
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
            # zeros are only counted: `_settle` compares their numbers first
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
        sample = slice(i * n_classes, (i + 1) * n_classes)
        _settle(combined[i], powers[sample], zeros[sample])
    return True


@compiled(inner=True)
def _multiply_small(products: np.ndarray, values: np.ndarray, powers: np.ndarray) -> None:
    """Multiply by values that may themselves be tiny; zeros are skipped. All have shape (m C,)."""
    for k in range(len(products)):
        value = values[k]
        while 0 < value < _TINY:
            value *= _UP
            powers[k] += 1
        if value > 0:
            products[k] *= value


@compiled(inner=True)
def _settle(values: np.ndarray, powers: np.ndarray, zeros: np.ndarray) -> None:
    """Normalise one sample: classes with the fewest zeros, by their products. All (C,)."""
    # the limit for zeros that are replaced by equal tiny numbers: fewer zeros beat any product
    fewest = zeros[0]
    for k in range(1, len(zeros)):
        fewest = min(fewest, zeros[k])
    least, top = -1, 0.0
    for k in range(len(values)):
        if zeros[k] == fewest and (least < 0 or powers[k] < least):
            least, top = powers[k], values[k]
    total = 0.0
    for k in range(len(values)):
        below = powers[k] - least
        # 4 powers of 2^-500 below the largest product is less than any share can show
        values[k] = values[k] / top if zeros[k] == fewest and below < 4 else 0.0
        for _ in range(min(below, 3)):  # values are between 2**-500 and 1
            values[k] *= _TINY
        total += values[k]
    for k in range(len(values)):
        values[k] /= total


@compiled(inner=True)
def shares(
    outputs: np.ndarray, member: int, first: int, spare: np.ndarray
) -> tuple[np.ndarray, bool]:
    """Support of the samples from `first` on, normalised; as many as fit in `spare` (m C,).

    Returns
    -------
    values : ndarray of shape (m C,)
        A view of the outputs if all sums are 1, as for probabilities; else `spare`.
    fine : bool
        False if support is not finite, a row is all zero, or a sum is too large or small for its
        reciprocal: `support.divided` is for such sums.
    """
    n_classes = outputs.shape[2]
    m = len(spare) // n_classes
    values = outputs[member, first : first + m].reshape(m * n_classes)
    if _sums_to_one(values, n_classes):
        return values, True
    width, one, at = np.uint64(n_classes), np.uint64(1), np.uint64(0)
    while at < np.uint64(len(values)):
        total, end, place = 0.0, at + width, at
        while place < end:
            total += values[place]
            place += one
        if not LEAST < total < MOST:
            return spare, False
        factor, place = 1 / total, at
        while place < end:
            spare[place] = values[place] * factor
            place += one
        at = end
    return spare, True


@compiled(inner=True)
def total_of(row: np.ndarray) -> float:
    """Sum of support (C,); -1 if it is invalid, infinity if only the sum overflows."""
    total, least, most = 0.0, 0.0, 0.0
    for value in row:
        total += value
        least = min(least, value)
        most = max(most, value)
    fine = least >= 0 and total > 0 and most < math.inf  # NaN fails: its sum is NaN
    return total if fine else -1.0


@compiled(inner=True)
def divide(row: np.ndarray, share: np.ndarray) -> bool:
    """Divide support (C,) by its sum, even if that overflows; False if it is invalid."""
    # a row of valid values whose sum overflows
    total = total_of(row)
    if total == math.inf:
        most, total = 0.0, 0.0
        for value in row:
            most = max(most, value)
        for k in range(len(row)):
            share[k] = row[k] / most
            total += share[k]
        for k in range(len(row)):
            share[k] /= total
        return True
    for k in range(len(row)):
        share[k] = row[k] / total
    return bool(total > 0)


@compiled(inner=True)
def _sums_to_one(values: np.ndarray, n_classes: int) -> bool:
    """Whether all rows of values (m C,) sum to 1 up to rounding.

    Four rows at a time, because the additions of one sum depend on each other. Indices are
    unsigned, which saves the test for negative ones.
    """
    width, one, four = np.uint64(n_classes), np.uint64(1), np.uint64(4)
    left = np.uint64(len(values)) // width
    at, off = np.uint64(0), 0
    while left >= four:
        # four sums at a time, which do not wait for one another
        a = b = c = d = -1.0
        end = at + width
        while at < end:
            a += values[at]
            b += values[at + width]
            c += values[at + width + width]
            d += values[at + width + width + width]
            at += one
        near = abs(a) < NEAR and abs(b) < NEAR and abs(c) < NEAR and abs(d) < NEAR
        off |= not near
        at = end + width + width + width
        left -= four
    while at < np.uint64(len(values)):
        a = -1.0
        end = at + width
        while at < end:
            a += values[at]
            at += one
        off |= not abs(a) < NEAR
    return off == 0


@compiled
def ballots(outputs: np.ndarray, first: int, combined: np.ndarray, weights: np.ndarray) -> bool:
    """Weight of the votes for each class; tied labels share the vote."""
    n_classes = outputs.shape[2]
    combined[:] = 0
    for member in range(len(outputs)):
        for i in range(len(combined)):
            row = outputs[member, first + i]
            if total_of(row) < 0:
                return False
            # one pass finds the maximum and how often it occurs
            top, count, best = row[0], 1, 0
            for k in range(1, n_classes):
                if row[k] > top:
                    top, count, best = row[k], 1, k
                elif row[k] == top:
                    count += 1
            # most rows have one maximum: no second pass over the classes
            if count == 1:
                combined[i, best] += weights[member]
                continue
            for k in range(n_classes):
                if row[k] == top:
                    combined[i, k] += weights[member] / count
    return True


@compiled
def label_ballots(codes: np.ndarray, first: int, combined: np.ndarray, weights: np.ndarray) -> bool:
    """Weight of the votes for each class, from codes; -1 supports all classes equally."""
    m, n_classes = combined.shape
    votes = combined.reshape(combined.size)
    votes[:] = 0
    width = np.uint64(n_classes)
    for member in range(len(codes)):
        weight, at = weights[member], np.uint64(0)
        for code in codes[member, first : first + m]:
            place = np.uint64(code)  # negative codes become huge: one test finds both errors
            if place < width:
                votes[at + place] += weight
            elif code == -1:
                for k in range(n_classes):
                    votes[at + np.uint64(k)] += weight / n_classes
            else:
                return False
            at += width
    return True


@compiled
def level(support: np.ndarray, ulps: float) -> None:
    """Set support within rounding of the row's maximum equal to the maximum."""
    values = support.reshape(support.size)
    width, one, at = np.uint64(support.shape[1]), np.uint64(1), np.uint64(0)
    while at < np.uint64(len(values)):
        end, place = at + width, at + one
        top, second = values[at], -math.inf
        while place < end:
            second = max(second, min(values[place], top))
            top = max(top, values[place])
            place += one
        slack, place = ulps * abs(top), at
        gap = top - second if top > second else math.inf
        if gap <= slack:  # rarely true: one predictable branch for each row
            while place < end:
                values[place] = top if values[place] >= top - slack else values[place]
                place += one
        at = end


@compiled
def winners(
    support: np.ndarray, ulps: float, codes: np.ndarray, tied: np.ndarray, most: np.ndarray
) -> bool:
    """Fill in, by row (m,), the first class of largest support, whether it ties, and its support.

    Support that differs by less than `ulps`, relatively, is tied. Returns False if a value is
    not finite.
    """
    n_classes = support.shape[1]
    for i in range(len(support)):
        top, finite = support[i, 0], 0.0
        for k in range(n_classes):
            top = max(top, support[i, k])
            # 0 times infinity or NaN is NaN: the sum detects both without a branch
            finite += 0.0 * support[i, k]
        if finite != 0:
            return False
        least = top - ulps * abs(top)
        first, near = 0, 0
        # backwards, so that the first of the near classes remains
        for k in range(n_classes - 1, -1, -1):
            is_near = support[i, k] >= least
            first = k if is_near else first
            near += is_near
        codes[i] = first
        tied[i] = near > 1
        most[i] = top
    return True


@compiled
def divide_agreeing(
    support: np.ndarray, totals: np.ndarray, codes: np.ndarray, ulps: float, shares: np.ndarray
) -> bool:
    """Fill in support divided by its total (m,); False for one below 0, or of none.

    Where only rounding makes another share larger than that of the decided class (m,), the class
    gets the largest share.
    """
    n_classes = support.shape[1]
    for i in range(len(support)):
        fine, top = totals[i] > 0, -math.inf
        for k in range(n_classes):
            fine &= support[i, k] >= 0
            shares[i, k] = support[i, k] / totals[i] if fine else 0.0
            top = max(top, shares[i, k])
        if not fine:
            return False
        code = codes[i]
        if 0 <= code < n_classes and top > shares[i, code] >= top * (1 - 2 * ulps):
            shares[i, code] = top
    return True
