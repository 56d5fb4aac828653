"""Whole groups divided or drawn so that each part has its share of each class."""

from __future__ import annotations

import numpy as np

_MISSING = 1e3  # a class missing from a part weighs more than any deviation of shares
_MOST_STEPS = 200
_MOST_PAIRS = 150**2  # pairs of groups whose exchange is tried at each step
_LEAST_GAIN = 1e-9


def class_counts(codes: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """Cases of each class in each group.

    Parameters
    ----------
    codes, groups : ndarray of int, shape (n,)

    Returns
    -------
    ndarray of int, shape (n_groups, n_classes)
    """
    shape = int(groups.max()) + 1, int(codes.max()) + 1
    return np.bincount(groups * shape[1] + codes, minlength=shape[0] * shape[1]).reshape(shape)


def nearest(counts: np.ndarray, part: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """Move and exchange groups between parts while classes come nearer to their shares.

    Minimises the number of classes missing from a part or from all other parts and, among equals,
    the sum of ``(n_kc / n_c - s_k)^2`` over parts k and classes c, where the sum over all classes
    counts as one more class. The result is a local minimum.

    Parameters
    ----------
    counts : ndarray of shape (n_groups, n_classes)
    part : ndarray of int, shape (n_groups,)
        The part of each group to start from.
    shares : ndarray of shape (n_parts,)
        Wanted share of each part; they sum to 1.

    Returns
    -------
    ndarray of int, shape (n_groups,)
    """
    part, weights = part.copy(), _weights(counts)
    for _ in range(_MOST_STEPS):
        totals = _totals(weights, part, len(shares))
        if not (_move(weights, part, totals, shares) or _exchange(weights, part, totals, shares)):
            break
    return part


def without_missing(counts: np.ndarray, part: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """Exchange groups while fewer classes are missing from a part; sizes of parts stay."""
    part, weights = part.copy(), _weights(counts)
    for _ in range(_MOST_STEPS):
        totals = _totals(weights, part, len(shares))
        if _losses(totals, shares[:, None]).sum() < _MISSING:
            break
        if not _exchange(weights, part, totals, shares, least=_MISSING / 2):
            break
    return part


def nearest_draw(counts: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Change how often groups are drawn, while the sample comes nearer to the data.

    First a copy of a group is replaced by another group, or it is exchanged how often two groups
    are drawn, while fewer classes are missing from the drawn groups (which counts twice) or from
    the others. Then groups are exchanged while the sum of ``(m_c / n_c - 1)^2`` over the classes
    becomes smaller, where m_c is the number of cases of class c in the sample and the sum over all
    classes counts as one more class.

    Parameters
    ----------
    counts : ndarray of shape (n_groups, n_classes)
    times : ndarray of int, shape (n_groups,)
        How often each group is drawn.

    Returns
    -------
    ndarray of int, shape (n_groups,)
        Of the same sum. The result is a local minimum.
    """
    times, weights, holds = times.copy(), _weights(counts), (counts > 0).astype(np.int16)
    if len(times) ** 2 > _MOST_PAIRS:
        return times
    least = _MISSING / 2
    for _ in range(_MOST_STEPS):
        exchange = times[None] - times[:, None]  # what the first group of a pair gains
        replace = -np.minimum(times[:, None], 1 - np.eye(len(times), dtype=int))
        kinds = [exchange, replace] if least > _LEAST_GAIN else [exchange]
        losses = np.array([_draw_losses(times, gain, weights, holds) for gain in kinds])
        kind, a, b = np.unravel_index(int(losses.argmin()), losses.shape)
        if losses[kind, a, b] < losses[0, 0, 0] - least:  # a group with itself changes nothing
            gain = kinds[kind][a, b]
            times[a], times[b] = times[a] + gain, times[b] - gain
        elif least > _LEAST_GAIN:
            least = _LEAST_GAIN
        else:
            break
    return times


def _draw_losses(
    times: np.ndarray, gain: np.ndarray, weights: np.ndarray, holds: np.ndarray
) -> np.ndarray:
    """Loss of a sample in which the first group of each pair gains, and the second loses, draws."""
    off = times @ weights - 1
    toward, inner = weights @ off, weights @ weights.T
    apart = np.add.outer(np.diag(inner), np.diag(inner)) - 2 * inner
    squares = off @ off + 2 * gain * np.subtract.outer(toward, toward) + gain**2 * apart
    now = (times > 0).astype(np.int16)
    first = (times[:, None] + gain > 0) - now[:, None]
    second = (times[None] - gain > 0) - now[None]
    drawn = now @ holds + first[..., None] * holds[:, None] + second[..., None] * holds[None]
    missing = 2 * (drawn == 0) + (drawn == holds.sum(axis=0))
    losses: np.ndarray = squares + _MISSING * missing.sum(axis=-1)
    return losses


def _weights(counts: np.ndarray) -> np.ndarray:
    """Share of each class, and of all cases, that is in each group."""
    weights: np.ndarray = np.column_stack([counts, counts.sum(axis=1)]).astype(float)
    weights /= weights.sum(axis=0)
    return weights


def _totals(weights: np.ndarray, part: np.ndarray, n_parts: int) -> np.ndarray:
    totals = np.zeros((n_parts, weights.shape[1]))
    np.add.at(totals, part, weights)
    return totals


def _losses(totals: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """Loss of parts, given their shares of the classes in the last axis."""
    missing = (totals < _LEAST_GAIN) | (totals > 1 - _LEAST_GAIN)
    loss: np.ndarray = ((totals - shares) ** 2 + _MISSING * missing).sum(axis=-1)
    return loss


def _move(weights: np.ndarray, part: np.ndarray, totals: np.ndarray, shares: np.ndarray) -> bool:
    """Move the group that gains most to another part; tell whether one gains."""
    now = _losses(totals, shares[:, None])
    left = _losses(totals[part] - weights, shares[part, None])  # (groups,)
    joined = _losses(totals[None] + weights[:, None], shares[None, :, None])  # (groups, parts)
    change = (left - now[part])[:, None] + joined - now[None]
    change[np.arange(len(part)), part] = 0.0
    group, to = np.unravel_index(int(change.argmin()), change.shape)
    if change[group, to] > -_LEAST_GAIN:
        return False
    part[group] = to
    return True


def _exchange(
    weights: np.ndarray,
    part: np.ndarray,
    totals: np.ndarray,
    shares: np.ndarray,
    least: float = _LEAST_GAIN,
) -> bool:
    """Exchange the pair of groups that gains most; tell whether one gains at least `least`."""
    if len(part) ** 2 > _MOST_PAIRS:
        return False
    now = _losses(totals, shares[:, None])
    others = weights[None] - weights[:, None]  # gain of the part of the first group
    after = _losses(totals[part][:, None] + others, shares[part][:, None, None])
    change = after - now[part][:, None]
    change = change + change.T
    change[part[:, None] == part[None]] = 0.0
    a, b = np.unravel_index(int(change.argmin()), change.shape)
    if change[a, b] > -least:
        return False
    part[a], part[b] = part[b], part[a]
    return True
