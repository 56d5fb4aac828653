"""Combiner: turns the outputs of several members into one."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar, Literal, Self

import numpy as np

from ilk.component import Component
from ilk.errors import InputError
from ilk.registries import display_name


class Combiner(Component):
    """Turns the outputs of several members into one.

    Outputs are an array of shape (L, n, C): members, samples, classes.

    Attributes
    ----------
    needs : {"probabilities", "labels"}
        What an ensemble gives it: the probabilities of its members, or 1 for the label each
        of them predicts and 0 for the others.
    """

    kind: ClassVar[str] = "combiner"
    needs: ClassVar[Literal["probabilities", "labels"]] = "probabilities"

    @abstractmethod
    def combine(self, outputs: Any, X: Any = None) -> np.ndarray:
        """Combined support for each class; array of shape (n, C).

        Raises
        ------
        InputError
            For a wrong shape, a NaN, a negative value or a row that is all zero.
        """

    def fit(self, outputs: Any, y: Any, X: Any = None) -> Self:
        """Learn from held-out outputs and their labels (as codes 0..C-1); by default nothing."""
        self.check_parameters()
        return self

    def decide(self, combined: Any) -> tuple[np.ndarray, np.ndarray]:
        """Return the winning class of each row and which rows are rejected.

        Returns
        -------
        codes : ndarray of int, shape (n,)
            Position of the class with the largest support; ties by class order.
        rejected : ndarray of bool, shape (n,)
        """
        combined = np.asarray(combined)
        return combined.argmax(axis=1), np.zeros(len(combined), dtype=bool)


def check_outputs(owner: object, outputs: Any) -> np.ndarray:
    """Return outputs as a float array of shape (L, n, C), or raise an error naming the cell.

    Raises
    ------
    InputError
        For a wrong shape, a NaN or infinity, a negative value or a row that is all zero.
    """
    name = display_name(owner)
    try:
        array = np.asarray(outputs, dtype=float)
    except (TypeError, ValueError) as error:
        raise InputError(f"{name}: outputs must be numbers of shape (L, n, C): {error}") from None
    if array.ndim != 3 or 0 in (array.shape[0], array.shape[2]):
        raise InputError(
            f"{name}: outputs must have shape (members, samples, classes), got {array.shape}"
        )
    for bad, what in (
        (~np.isfinite(array), "a value that is not finite"),
        (array < 0, "a negative value"),
    ):
        if bad.any():
            member, row, column = (int(i) for i in np.argwhere(bad)[0])
            value = array[member, row, column]
            raise InputError(
                f"{name}: outputs have {what} ({value}) at member {member}, sample {row}, "
                f"class {column}"
            )
    empty = ~array.any(axis=2)
    if empty.any():
        member, row = (int(i) for i in np.argwhere(empty)[0])
        raise InputError(f"{name}: outputs of member {member} for sample {row} are all zero")
    return array
