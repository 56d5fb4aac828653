"""What the member of a column says of its two sides."""

from __future__ import annotations

from typing import Any

import numpy as np

import ilk
from ilk_ensembles.base.outputs import member_probabilities, number_each, numbers, one_each


def check_speaks(member: Any, decoding: str) -> Any:
    """Return a fitted member that knows the sides 0 and 1 and gives what decoding needs.

    Raises
    ------
    InputError
        If it does not.
    """
    classes = np.asarray(member.classes_).tolist()
    if classes != [0, 1]:
        raise ilk.InputError(f"knows the classes {classes}, not the sides 0 and 1 of a column")
    if decoding == "probability" and not hasattr(member, "predict_proba"):
        raise ilk.InputError(
            "has no predict_proba, which decoding='probability' needs; take 'hamming' or 'loss'"
        )
    if decoding == "loss" and not (
        hasattr(member, "decision_function") or hasattr(member, "predict_proba")
    ):
        raise ilk.InputError(
            "has neither decision_function nor predict_proba, of which decoding='loss' needs "
            "one; take 'hamming'"
        )
    return member


def side_bits(member: Any, X: Any) -> np.ndarray:
    """1 and -1 by the label predicted; 0 where that is neither; array of shape (n,)."""
    labels = one_each(member.predict(X), ilk.n_rows(X))
    return np.asarray((labels == 1).astype(float) - (labels == 0).astype(float))


def side_margins(member: Any, X: Any) -> np.ndarray:
    """Positive for the side 1, the larger the surer; array of shape (n,)."""
    if hasattr(member, "decision_function"):
        margins = numbers(member.decision_function(X), "scores")
        if margins.ndim == 2 and margins.shape[1]:
            margins = margins[:, -1] - (margins[:, 0] if margins.shape[1] == 2 else 0)
        return number_each(margins, ilk.n_rows(X), "scores")
    return 2 * side_probabilities(member, X) - 1


def side_probabilities(member: Any, X: Any) -> np.ndarray:
    """Probability of the side 1; array of shape (n,)."""
    return member_probabilities(member, X, np.arange(2))[:, 1].astype(float, copy=False)
