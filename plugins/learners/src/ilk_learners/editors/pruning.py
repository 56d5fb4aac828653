"""Compiled lists of neighbours and associates, updated as cases are removed.

Every followed case has k + 1 slots with its nearest neighbours among the remaining cases. The
slots that hold a case form a doubly linked list: its associates.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import ilk


class Associates(NamedTuple):
    """Neighbours and associates of the cases.

    Attributes
    ----------
    codes : ndarray of int, shape (n,)
        Class of each case.
    alive, followed : ndarray of bool, shape (n,)
        Whether a case remains, and whether its neighbours are tracked.
    listed : ndarray of int, shape (n, m)
        Candidates, nearest first; -1 if there is none.
    whole : ndarray of bool, shape (n,)
        Whether a list held all remaining cases when it was built.
    place : ndarray of int, shape (n,)
        Position in the list where the search for the next neighbour begins.
    slots, ranks : ndarray of int, shape (n, k + 1)
        Neighbours, unordered, and their positions in the list; -1 in empty slots.
    first : ndarray of int, shape (n,)
        Flat index of the first slot that holds a case; -1 for none.
    before, after : ndarray of int, shape (n * (k + 1),)
        Previous and next slot that hold the same case, as flat indices; -1 at the ends.
    votes : ndarray of int, shape (n_classes,)
        Scratch space, all zeros between calls.
    """

    codes: np.ndarray
    alive: np.ndarray
    followed: np.ndarray
    listed: np.ndarray
    whole: np.ndarray
    place: np.ndarray
    slots: np.ndarray
    ranks: np.ndarray
    first: np.ndarray
    before: np.ndarray
    after: np.ndarray
    votes: np.ndarray


@ilk.compiled
def link(case: int, slot: int, neighbor: int, rank: int, S: Associates) -> None:
    """Put a neighbour into an empty slot of a case."""
    # slots of all cases are numbered through, so that one number names a node of the linked list
    here = case * S.slots.shape[1] + slot
    S.slots[case, slot], S.ranks[case, slot] = neighbor, rank
    S.before[here], S.after[here] = -1, S.first[neighbor]
    if S.first[neighbor] >= 0:
        # a new associate becomes the head of its neighbour's list
        S.before[S.first[neighbor]] = here
    S.first[neighbor] = here


@ilk.compiled
def unlink(case: int, slot: int, S: Associates) -> None:
    """Empty a slot."""
    here = case * S.slots.shape[1] + slot
    neighbor = S.slots[case, slot]
    if neighbor < 0:
        return
    if S.before[here] >= 0:
        S.after[S.before[here]] = S.after[here]
    else:
        S.first[neighbor] = S.after[here]
    if S.after[here] >= 0:
        S.before[S.after[here]] = S.before[here]
    S.slots[case, slot] = -1


@ilk.compiled
def fill(case: int, slot: int, S: Associates) -> bool:
    """Put the next remaining candidate into an empty slot; False if the list is exhausted."""
    while S.place[case] < S.listed.shape[1]:
        place = S.place[case]
        S.place[case] += 1
        candidate = S.listed[case, place]
        if candidate >= 0 and S.alive[candidate]:
            link(case, slot, candidate, place, S)
            return True
    return False


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
    for i in range(len(rows)):
        case = rows[i]
        S.listed[case] = -1
        for place in range(lists.shape[1]):
            S.listed[case, place] = lists[i, place]
        S.whole[case] = whole
        S.place[case] = 0
        for slot in range(S.slots.shape[1]):
            # all slots are emptied first, because filling stops where the list is exhausted
            unlink(case, slot, S)
        for slot in range(S.slots.shape[1]):
            if not fill(case, slot, S):
                break


@ilk.compiled
def short(reserve: int, S: Associates) -> np.ndarray:
    """Tell which followed cases have an incomplete list and few candidates in it.

    Parameters
    ----------
    reserve : int
        Sufficient number of candidates beyond the neighbours.
    S : Associates
    """
    is_short = np.zeros(len(S.alive), dtype=np.bool_)
    for case in range(len(S.alive)):
        if S.whole[case] or not S.followed[case]:
            continue
        left = 0
        for place in range(S.place[case], S.listed.shape[1]):
            candidate = S.listed[case, place]
            left += candidate >= 0 and S.alive[candidate]
        is_short[case] = left < reserve
        for slot in range(S.slots.shape[1]):
            is_short[case] |= S.slots[case, slot] < 0
    return is_short


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
    K, n_left = S.slots.shape[1], 0
    for alive in S.alive:
        n_left += alive
    for i in range(start, len(order)):
        case = order[i]
        # the last case remains, to classify
        if n_left == 1:
            break
        if not dispensable(case, S):
            continue
        n_left -= 1
        S.alive[case] = False
        if forget:
            S.followed[case] = False
            for slot in range(K):
                # a forgotten case has no neighbours, so it is nobody's associate any more
                unlink(case, slot, S)
        used_up = False
        here = S.first[case]
        while here >= 0:
            following, associate = S.after[here], here // K  # `fill` relinks the slot
            S.slots[associate, here % K] = -1
            used_up |= not fill(associate, here % K, S) and not S.whole[associate]
            here = following
        S.first[case] = -1
        if used_up:
            return i + 1
    return len(order)


@ilk.compiled
def dispensable(case: int, S: Associates) -> bool:
    """Whether a case's associates are classified correctly as often without it as with it."""
    # correct classifications without the case, minus those with it
    K, balance = S.slots.shape[1], 0
    here = S.first[case]
    while here >= 0:
        associate, slot = here // K, here % K
        # with the case, the k nearest are all slots but the furthest
        balance += classified(associate, slot, S)
        balance -= classified(associate, furthest(associate, S), S)
        here = S.after[here]
    return bool(balance >= 0)


@ilk.compiled
def furthest(case: int, S: Associates) -> int:
    """Slot of the (k+1)-th neighbour of a case; -1 if it has fewer."""
    last = 0
    for slot in range(S.slots.shape[1]):
        if S.slots[case, slot] < 0:
            return -1
        if S.ranks[case, slot] > S.ranks[case, last]:
            last = slot
    return last


@ilk.compiled
def classified(case: int, without: int, S: Associates) -> bool:
    """Whether the neighbours of a case, without one slot, vote for its class.

    A tie goes to the tied class with the nearest neighbour.
    """
    # the rank of the nearest neighbour of the case's class, to break ties
    mine, nearest = S.codes[case], S.listed.shape[1]
    for slot in range(S.slots.shape[1]):
        neighbor = S.slots[case, slot]
        if neighbor >= 0 and slot != without:
            S.votes[S.codes[neighbor]] += 1
            if S.codes[neighbor] == mine:
                nearest = min(nearest, S.ranks[case, slot])
    votes = S.votes[mine]
    right = votes > 0
    for slot in range(S.slots.shape[1]):
        neighbor = S.slots[case, slot]
        if neighbor >= 0 and slot != without and S.codes[neighbor] != mine:
            others = S.votes[S.codes[neighbor]]
            if others > votes or (others == votes and S.ranks[case, slot] < nearest):
                right = False
    # zeroed entry by entry: there may be many more classes than neighbours
    for slot in range(S.slots.shape[1]):
        if S.slots[case, slot] >= 0:
            S.votes[S.codes[S.slots[case, slot]]] = 0
    return bool(right)
