"""How likely each case is drawn for a tree."""

from __future__ import annotations

from typing import Any

import numpy as np

import ilk
from ilk import Param

CLASS_WEIGHT = Param(
    dict,
    choices=("balanced",),
    none=True,
    items=Param(float, gt=0),
    doc="How likely cases of each class are drawn: 1 if left out; 'balanced': classes alike.",
)


def drawing_weights(owner: Any, sample_weight: Any, codes: np.ndarray) -> np.ndarray | None:
    """Weight of each case, times that of its class; None where all are drawn alike.

    Raises
    ------
    InputError
        If weights are wrong, zero for every case of a class, or name no class.
    """
    weights = None
    if sample_weight is not None:
        weights = ilk.check_weights(owner, sample_weight, codes)
        weights = weights / weights.max()  # whose sum cannot overflow
        lost = np.flatnonzero(np.bincount(codes, weights) <= 0)
        if len(lost):
            label = owner.classes_[lost[0]].item()
            raise ilk.InputError(
                f"{ilk.display_name(owner)}: sample_weight is zero for every case of class "
                f"{label!r}"
            )
    if owner.class_weight is None:
        return weights
    if owner.class_weight == "balanced":
        factors = 1 / np.bincount(codes, weights)
    else:
        factors = _factors(owner, owner.class_weight)
    factors = factors / factors.max()
    return np.asarray(factors[codes] if weights is None else factors[codes] * weights)


def _factors(owner: Any, given: Any) -> np.ndarray:
    """Weights of classes by their labels, which a spec can only write as texts."""
    labels = owner.classes_.tolist()
    if given and not {*given} & {*labels, *map(str, labels)}:
        raise ilk.InputError(
            f"{ilk.display_name(owner)}: class_weight names none of the classes "
            f"({', '.join(map(repr, labels[:5]))}), but {sorted(map(str, given))}"
        )
    return np.array([float(given.get(label, given.get(str(label), 1.0))) for label in labels])
