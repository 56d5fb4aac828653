"""Decision values of rows that are told apart by machines which each know only some classes."""

from __future__ import annotations

import numpy as np


def no_decision(m: int, n_classes: int) -> np.ndarray:
    """Value -1 of each class for each of m rows: of a machine without a case of the class."""
    return np.full((m, n_classes), -1.0)


def put(decisions: np.ndarray, members: np.ndarray, present: np.ndarray, f: np.ndarray) -> None:
    """Write the values of the classes that a machine knows; the others' stay below them.

    Parameters
    ----------
    decisions : ndarray of shape (m, n_classes)
    members : ndarray of int
        Rows that the machine answers.
    present : ndarray of int
        Classes it knows.
    f : ndarray of shape (len(members), len(present))
    """
    below = np.minimum(-1.0, np.nextafter(f.min(axis=1), -np.inf))
    decisions[members] = below[:, None]
    decisions[np.ix_(members, present)] = f


def as_scores(decisions: np.ndarray) -> np.ndarray:
    """Values as `decision_function` gives them: with two classes that of the second alone."""
    return decisions[:, 1] if decisions.shape[1] == 2 else decisions
