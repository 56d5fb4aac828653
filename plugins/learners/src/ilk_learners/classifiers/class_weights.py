"""Weights of classes: multiplied into the weights of their cases."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ilk import InputError, Param, display_name

if TYPE_CHECKING:
    from ilk_learners.classifiers.cases import Cases

CLASS_WEIGHT = Param(
    dict,
    choices=("balanced",),
    none=True,
    items=Param(float, gt=0),
    doc="What a case of each class counts: 1 if left out; 'balanced': classes count the same.",
)


def case_weights(owner: Any, cases: Cases) -> np.ndarray | None:
    """Weight of each case times that of its class, as the parameter `class_weight` says.

    "balanced" gives a class of weight n_c the weight n / (C n_c).

    Raises
    ------
    InputError
        If no class has the name of any that is given a weight.
    """
    given = owner.class_weight
    if given is None:
        return cases.weights
    if given == "balanced":
        factors = cases.total / (len(cases.classes) * cases.counts)
    else:
        factors = np.array([_weight(given, label) for label in cases.classes.tolist()])
        names = {*given} - {*cases.classes.tolist()} - {*map(str, cases.classes.tolist())}
        if given and len(names) == len(given):
            raise InputError(
                f"{display_name(owner)}: class_weight names none of the classes "
                f"({', '.join(map(repr, cases.classes.tolist()[:5]))}), but "
                f"{sorted(map(str, given))}"
            )
    weights = factors[cases.codes]
    return np.asarray(weights if cases.weights is None else weights * cases.weights)


def _weight(given: Any, label: Any) -> float:
    """Weight of a label, which a spec can only write as a text."""
    return float(given[label] if label in given else given.get(str(label), 1.0))
