"""Prior probabilities of classes."""

from __future__ import annotations

from typing import Any

import numpy as np

from ilk import Array, InputError, Param, display_name

PRIORS = Param(
    Array,
    choices=("empirical", "equal"),
    doc="Prior probabilities: shares of the training cases, the same for all, or given.",
)
_ROUNDING = 1e-6  # of given ones' sum


def check_priors(owner: Any) -> None:
    """Raise unless the parameter `priors` names a rule or holds positive numbers with sum 1.

    Raises
    ------
    ParameterError
        Naming the component and the numbers.
    """
    if isinstance(owner.priors, str):
        return
    given = np.asarray(owner.priors, dtype=float)
    if given.ndim != 1 or not (np.isfinite(given).all() and (given > 0).all()):
        raise owner.parameter_error(
            "priors", f"must be one number above 0 for each class, got {given.tolist()}"
        )
    if abs(given.sum() - 1) > _ROUNDING:
        raise owner.parameter_error(
            "priors", f"must have the sum 1, got {given.tolist()} with the sum {given.sum():g}"
        )


def class_priors(owner: Any, classes: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Prior probability of each class, given the weight of its cases.

    Raises
    ------
    InputError
        If given ones are not as many as there are classes.
    """
    if isinstance(owner.priors, str):
        equal = owner.priors == "equal"
        return np.full(len(counts), 1 / len(counts)) if equal else np.asarray(counts / counts.sum())
    given = np.asarray(owner.priors, dtype=float)
    if len(given) != len(classes):
        raise InputError(
            f"{display_name(owner)}: priors has {len(given)} numbers, y has {len(classes)} classes "
            f"({', '.join(map(repr, classes.tolist()[:5]))}{', ...' if len(classes) > 5 else ''})"
        )
    return np.asarray(given / given.sum())
