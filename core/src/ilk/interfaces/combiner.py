"""Combiner: turns the outputs of several members into one."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, ClassVar, Literal, Self

import numpy as np

from ilk.component import Component
from ilk.errors import InputError
from ilk.registries import display_name

if TYPE_CHECKING:
    from ilk.arrays import ArrayLike, Cases, Labels


class Combiner(Component):
    """Turns the outputs of several members into one.

    Outputs are an array of shape (L, n, C): members, samples, classes.
    """

    kind: ClassVar[str] = "combiner"

    @property
    def needs(self) -> Literal["probabilities", "labels"]:
        """The type of the inputs from an ensemble.

        The probabilities of its members; or, for ``"labels"``, 1 for each member's predicted
        label and 0 for the others. A subclass may set it as an attribute.
        """
        return "probabilities"

    @property
    def needs_fit(self) -> bool:
        """Whether it learns from held-out outputs with the present parameters."""
        return self.capabilities.needs_fit

    @abstractmethod
    def combine(self, outputs: ArrayLike, X: Cases | None = None) -> np.ndarray:
        """Combined support for each class; array of shape (n, C).

        Raises
        ------
        InputError
            If outputs have a wrong shape, a value that is negative or not finite, or a row of
            zeros.
        """

    def combine_labels(
        self, codes: np.ndarray, n_classes: int, X: Cases | None = None
    ) -> np.ndarray:
        """Combined support for each class from the labels of members.

        Parameters
        ----------
        codes : array of int, shape (L, n)
            Position of each member's label among the classes; -1 for no label, which supports all
            classes equally.
        n_classes : int
        X : data of n rows, optional

        Returns
        -------
        ndarray of shape (n, n_classes)

        Raises
        ------
        InputError
            For a wrong shape or a code that is no class.
        """
        return self.combine(label_outputs(self, codes, n_classes), X)

    def fit(self, outputs: ArrayLike, y: Labels, X: Cases | None = None) -> Self:
        """Learn from held-out outputs and their labels (as codes 0..C-1); by default nothing."""
        self.check_parameters()
        return self

    def decide(self, combined: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the winning class of each row and which rows are rejected.

        Returns
        -------
        codes : ndarray of int, shape (n,)
            Position of the class with the largest support; ties by class order.
        rejected : ndarray of bool, shape (n,)
        """
        combined = np.asarray(combined)
        return combined.argmax(axis=1), np.zeros(len(combined), dtype=bool)


def label_outputs(owner: object, codes: np.ndarray, n_classes: int) -> np.ndarray:
    """Labels as outputs: 1 for the label of a member, or 1/C for each class without a label.

    Parameters
    ----------
    owner : Component
        Named in errors.
    codes : array of int, shape (L, n)
        From 0 to n_classes - 1, or -1.
    n_classes : int

    Returns
    -------
    ndarray of shape (L, n, n_classes)

    Raises
    ------
    InputError
        For a wrong shape or a code that is no class.
    """
    codes = check_codes(owner, codes, n_classes)
    rows = np.vstack([np.eye(n_classes), np.full((1, n_classes), 1 / n_classes)])
    return np.asarray(rows[codes])


def check_codes(owner: object, codes: np.ndarray, n_classes: int) -> np.ndarray:
    """Return codes of labels as an array of int, shape (L, n); errors name the cell.

    Raises
    ------
    InputError
        For a wrong shape, another type, or a code that is neither a class nor -1.
    """
    name = display_name(owner)
    array = np.asarray(codes)
    if array.ndim != 2 or not len(array) or array.dtype.kind not in "iu":
        raise InputError(
            f"{name}: codes must be integers of shape (members, samples), got {array.dtype} of "
            f"shape {array.shape}"
        )
    if array.size and (array.min() < -1 or array.max() >= n_classes):
        member, row = np.argwhere((array < -1) | (array >= n_classes))[0].tolist()
        raise InputError(
            f"{name}: code {array[member, row]} at member {member}, sample {row} is no class: "
            f"there are {n_classes}"
        )
    return array


def check_outputs(owner: object, outputs: ArrayLike) -> np.ndarray:
    """Return outputs as a float array of shape (L, n, C); errors name the cell.

    float32 stays float32; everything else becomes float64.

    Raises
    ------
    InputError
        For a wrong shape, a NaN or infinity, a negative value or a row that is all zero.
    """
    name = display_name(owner)
    try:
        array = np.asarray(outputs)
        if array.dtype.kind in "biufO" and array.dtype != np.float32:
            array = array.astype(float, copy=False)
    except (TypeError, ValueError) as error:
        raise InputError(f"{name}: outputs must be numbers of shape (L, n, C): {error}") from None
    if array.dtype.kind != "f":
        raise InputError(f"{name}: outputs must be numbers, got values of {array.dtype}")
    if array.ndim != 3 or 0 in (array.shape[0], array.shape[2]):
        raise InputError(
            f"{name}: outputs must have shape (members, samples, classes), got {array.shape}"
        )
    with np.errstate(over="ignore", invalid="ignore"):
        totals = array @ np.ones(array.shape[2], dtype=array.dtype)
    if not (np.isfinite(totals).all() and (totals > 0).all() and array.min(initial=0) >= 0):
        for member, support in enumerate(array):
            _check_support(name, member, support)
    return array


def _check_support(name: str, member: int, support: np.ndarray) -> None:
    """Raise an InputError if one member's outputs, of shape (n, C), are no valid support."""
    for bad, what in (
        (~np.isfinite(support), "a value that is not finite"),
        (support < 0, "a negative value"),
    ):
        if bad.any():
            row, column = np.argwhere(bad)[0].tolist()
            raise InputError(
                f"{name}: outputs have {what} ({support[row, column]}) at member {member}, "
                f"sample {row}, class {column}"
            )
    empty = ~support.any(axis=1)
    if empty.any():
        raise InputError(
            f"{name}: outputs of member {member} for sample {int(empty.argmax())} are all zero"
        )
