"""Compiled lists of neighbours and associates, updated as cases are removed.

Every followed case has k + 1 slots with its nearest neighbours among the remaining cases. The
slots that hold a case form a doubly linked list: its associates.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import ilk

CODE, ALIVE, FOLLOWED, WHOLE, PLACE, FIRST = range(6)
NEIGHBOR, RANK, BEFORE, AFTER = range(4)


class Associates(NamedTuple):
    """Neighbours and associates of the cases, in few arrays: each one costs compilation.

    Attributes
    ----------
    cases : ndarray of int, shape (n, 6)
        CODE, class of a case; ALIVE and FOLLOWED, whether it remains, and whether its neighbours
        are tracked; WHOLE, whether its list held all remaining cases when it was built; PLACE,
        position in the list where the search for the next neighbour begins; FIRST, number of the
        first slot that holds it, -1 for none.
    listed : ndarray of int, shape (n, m)
        Candidates, nearest first; -1 if there is none.
    slots : ndarray of int, shape (n * (k + 1), 4)
        NEIGHBOR and RANK, a neighbour of case ``slot // (k + 1)`` and its position in the list, -1
        in empty slots; BEFORE and AFTER, previous and next slot that hold the same neighbour, -1
        at the ends.
    votes : ndarray of int, shape (n_classes,)
        Scratch space, all zeros between calls.
    """

    cases: np.ndarray
    listed: np.ndarray
    slots: np.ndarray
    votes: np.ndarray


@ilk.compiled(inner=True)
def fill(slot: int, S: Associates) -> bool:
    """Put the next remaining candidate into an empty slot; False if the list is exhausted."""
    case = slot // (len(S.slots) // len(S.cases))
    while S.cases[case, PLACE] < S.listed.shape[1]:
        place = S.cases[case, PLACE]
        S.cases[case, PLACE] += 1
        candidate = S.listed[case, place]
        if candidate >= 0 and S.cases[candidate, ALIVE]:
            head = S.cases[candidate, FIRST]
            S.slots[slot, NEIGHBOR], S.slots[slot, RANK] = candidate, place
            S.slots[slot, BEFORE], S.slots[slot, AFTER] = -1, head
            if head >= 0:
                # a new associate becomes the head of its neighbour's list
                S.slots[head, BEFORE] = slot
            S.cases[candidate, FIRST] = slot
            return True
    return False


@ilk.compiled(inner=True)
def empty(case: int, S: Associates) -> None:
    """Empty the slots of a case."""
    K = len(S.slots) // len(S.cases)
    for slot in range(case * K, case * K + K):
        neighbor, before, after = (
            S.slots[slot, NEIGHBOR],
            S.slots[slot, BEFORE],
            S.slots[slot, AFTER],
        )
        if neighbor < 0:
            continue
        if before >= 0:
            S.slots[before, AFTER] = after
        else:
            S.cases[neighbor, FIRST] = after
        if after >= 0:
            S.slots[after, BEFORE] = before
        S.slots[slot, NEIGHBOR] = -1


@ilk.compiled
def renew(rows: np.ndarray, lists: np.ndarray, whole: bool, S: Associates) -> None:
    """Replace the lists of cases, and fill their slots from the new ones.

    Parameters
    ----------
    rows : ndarray of int, shape (b,)
        Numbers of the cases.
    lists : ndarray of int, shape (b, at most m)
        Cases, nearest first; -1 and removed cases are skipped.
    whole : bool
        Whether the lists hold all remaining cases.
    S : Associates
        Updated in place.
    """
    K = len(S.slots) // len(S.cases)
    for i in range(len(rows)):
        case = rows[i]
        for place in range(S.listed.shape[1]):
            S.listed[case, place] = lists[i, place] if place < lists.shape[1] else -1
        S.cases[case, WHOLE] = whole
        S.cases[case, PLACE] = 0
        # all slots are emptied first, because filling stops where the list is exhausted
        empty(case, S)
        for slot in range(case * K, case * K + K):
            if not fill(slot, S):
                break


def short(reserve: int, S: Associates) -> np.ndarray:
    """Numbers of the followed cases that have an incomplete list and few candidates in it.

    Parameters
    ----------
    reserve : int
        Sufficient number of candidates beyond the neighbours.
    S : Associates
    """
    alive, positions = S.cases[:, ALIVE] > 0, np.arange(S.listed.shape[1])
    rows = np.flatnonzero((S.cases[:, FOLLOWED] > 0) & (S.cases[:, WHOLE] == 0))
    lists = S.listed[rows]
    left = alive[lists] & (lists >= 0) & (positions >= S.cases[rows, PLACE, None])
    neighbors = S.slots[:, NEIGHBOR].reshape(len(S.cases), -1)[rows]
    return np.asarray(rows[(left.sum(axis=1) < reserve) | (neighbors < 0).any(axis=1)])


@ilk.compiled
def remove(order: np.ndarray, start: int, forget: bool, S: Associates) -> int:
    """Remove cases that do not help their associates, until a list is exhausted.

    Parameters
    ----------
    order : ndarray of int, shape (m,)
        Cases to examine, from position `start` on.
    start : int
    forget : bool
        Whether a removed case stops being an associate.
    S : Associates
        Updated in place.

    Returns
    -------
    int
        Position to continue from after the lists are rebuilt.
    """
    K, n_left = len(S.slots) // len(S.cases), 0
    for case in range(len(S.cases)):
        n_left += S.cases[case, ALIVE]
    for i in range(start, len(order)):
        case = order[i]
        # the last case remains, to classify
        if n_left == 1:
            break
        if not dispensable(case, S):
            continue
        n_left -= 1
        S.cases[case, ALIVE] = 0
        if forget:
            # a forgotten case has no neighbours, so it is nobody's associate any more
            S.cases[case, FOLLOWED] = 0
            empty(case, S)
        used_up = False
        slot = S.cases[case, FIRST]
        while slot >= 0:
            following = S.slots[slot, AFTER]  # `fill` relinks the slot
            S.slots[slot, NEIGHBOR] = -1
            used_up |= not fill(slot, S) and not S.cases[slot // K, WHOLE]
            slot = following
        S.cases[case, FIRST] = -1
        if used_up:
            return i + 1
    return len(order)


@ilk.compiled(inner=True)
def dispensable(case: int, S: Associates) -> bool:
    """Whether a case's associates are classified correctly as often without it as with it."""
    # correct classifications without the case, minus those with it
    K, balance = len(S.slots) // len(S.cases), 0
    slot = S.cases[case, FIRST]
    while slot >= 0:
        # with the case, the k nearest are all slots but the furthest, if none is empty
        start = slot // K * K
        last = start
        for other in range(start, start + K):
            if S.slots[other, RANK] > S.slots[last, RANK]:
                last = other
        for other in range(start, start + K):
            if S.slots[other, NEIGHBOR] < 0:
                last = -1
        balance += classified(start, K, slot, S) - classified(start, K, last, S)
        slot = S.slots[slot, AFTER]
    return bool(balance >= 0)


@ilk.compiled(inner=True)
def classified(start: int, K: int, without: int, S: Associates) -> int:
    """1 if the neighbours of a case, without one slot, vote for its class; else 0.

    Its slots begin at `start`. A tie goes to the tied class with the nearest neighbour.
    """
    # the rank of the nearest neighbour of the case's class, to break ties
    mine, nearest = S.cases[start // K, CODE], S.listed.shape[1]
    for slot in range(start, start + K):
        neighbor = S.slots[slot, NEIGHBOR]
        if neighbor >= 0 and slot != without:
            S.votes[S.cases[neighbor, CODE]] += 1
            if S.cases[neighbor, CODE] == mine:
                nearest = min(nearest, S.slots[slot, RANK])
    votes = S.votes[mine]
    right = votes > 0
    for slot in range(start, start + K):
        neighbor = S.slots[slot, NEIGHBOR]
        if neighbor >= 0 and slot != without and S.cases[neighbor, CODE] != mine:
            others = S.votes[S.cases[neighbor, CODE]]
            if others > votes or (others == votes and S.slots[slot, RANK] < nearest):
                right = False
    # zeroed entry by entry: there may be many more classes than neighbours
    for slot in range(start, start + K):
        if S.slots[slot, NEIGHBOR] >= 0:
            S.votes[S.cases[S.slots[slot, NEIGHBOR], CODE]] = 0
    return 1 if right else 0
