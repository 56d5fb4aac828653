"""Targets that are classes or numbers, by a parameter or by their values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from ilk import InputError, check_labels, display_name, param
from ilk_learners.numerics import holds_numbers
from ilk_learners.validation import read_numbers

if TYPE_CHECKING:
    import numpy as np

    from ilk import Cases, Labels

Targets = Literal["auto", "classes", "numbers"]
TARGETS: Any = param(
    default="auto",
    choices=("auto", "classes", "numbers"),
    doc='Type of y. "auto": numbers if y has floats that are not integers, else classes.',
)


def read_targets(
    owner: object, y: Labels | None, X: Cases, targets: Targets = "auto"
) -> np.ndarray:
    """Return y as class codes or as numbers.

    Parameters
    ----------
    owner : Component
        Named in errors.
    y : array of shape (n,)
    X : data of n rows
    targets : {"auto", "classes", "numbers"}
        "auto": numbers if y has floats that are not integers, else classes.

    Returns
    -------
    ndarray of shape (n,)
        Integers 0..C-1, the codes of at least two classes; or floats, not all equal.

    Raises
    ------
    InputError
        Names the component and the fault of y.
    """
    if targets == "numbers" or (targets == "auto" and holds_numbers(y)):
        return _varied(owner, read_numbers(owner, y, X))
    return check_labels(owner, y, X, min_classes=2)[1]


def read_classes(owner: object, y: Labels | None, X: Cases) -> np.ndarray:
    """Return y as codes of at least two classes; the error for numbers names alternatives.

    Raises
    ------
    InputError
        Names the component and the fault of y.
    """
    if holds_numbers(y):
        raise InputError(
            f"{display_name(owner)}: y holds numbers that are not labels; use correlation, "
            f"mutual_information or relieff"
        )
    return check_labels(owner, y, X, min_classes=2)[1]


def _varied(owner: object, values: np.ndarray) -> np.ndarray:
    if len(values) and (values == values[0]).all():
        raise InputError(
            f"{display_name(owner)}: y is {values[0]:g} in every row, there is nothing to learn"
        )
    return values
