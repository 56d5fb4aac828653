"""How much all members together differ."""

from __future__ import annotations

from typing import Any

import numpy as np

from ilk_evaluation.diversity.answers import answer_codes, checked_answers


def entropy(answers: Any) -> float:
    """Mean entropy of the votes for a case, in nats.

    ``(1/n) sum_i sum_k -(N_ik/L) ln(N_ik/L)`` with N_ik the members that predict class k for
    case i; 0 where all agree.

    Parameters
    ----------
    answers : array of shape (L, n)

    Raises
    ------
    InputError
        For another shape, or no answers.

    References
    ----------
    Cunningham, Cord & Delany (2008), equation 2.30.

    Examples
    --------
    >>> from ilk_evaluation import diversity
    >>> round(diversity.entropy([["a", "b"], ["b", "b"]]), 4)  # ln 2 and 0
    0.3466
    """
    shares = _shares(answers)
    logs = np.log(np.where(shares > 0, shares, 1))
    return float(-(shares * logs).sum(axis=1).mean() + 0.0)


def ambiguity(answers: Any, *, normalize: bool = False) -> float:
    """Variance of the votes, over the classes as regression problems of 0 and 1.

    ``1/(C n) sum_c sum_i sum_l (Is(member l predicts c for i) - N_ic/L)^2``. As printed the sum
    over the L members is not divided by L, so that larger ensembles have larger values;
    ``normalize=True`` divides.

    Parameters
    ----------
    answers : array of shape (L, n)
    normalize : bool, default=False

    Raises
    ------
    InputError
        For another shape, or no answers.

    Notes
    -----
    C counts the classes that some member predicts. A class that none predicts adds nothing
    to the sum.

    References
    ----------
    Cunningham, Cord & Delany (2008), equation 2.31.

    Examples
    --------
    >>> from ilk_evaluation import diversity
    >>> diversity.ambiguity([["a", "b"], ["b", "b"]])
    0.25
    """
    shares = _shares(answers)
    n_members = len(checked_answers(answers))
    spread = float((shares * (1 - shares)).mean())  # of an indicator: p (1 - p)
    return spread if normalize else n_members * spread


def _shares(answers: Any) -> np.ndarray:
    """Share of the members that predict each class for each case; shape (n, C)."""
    codes, n_classes = answer_codes(answers)
    n_members, n = codes.shape
    counts = np.zeros((n, n_classes))
    cases = np.arange(n)
    for own in codes:
        counts[cases, own] += 1
    return np.asarray(counts / n_members)
