"""CodeReport: how well the code words of classes are set apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ilk_ensembles.codes.separation import column_distances, row_distances, separation

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True)
class CodeReport:
    """Distances within a code matrix.

    Attributes
    ----------
    classes : ndarray of shape (C,)
    code : ndarray of -1, 0 and 1, shape (C, L)
    row_distances : ndarray of int, shape (C, C)
        In how many columns two classes are on opposite sides.
    column_distances : ndarray of int, shape (L, L)
        In how many classes two columns differ, or one from the other's complement if less.
    row_separation, column_separation : int or None
        The least of each; None where there is one column.
    corrects : int
        floor((d - 1) / 2), d being the row separation: so many wrong bits are put right,
        whichever they are, by Hamming decoding of a code without zeros. With zeros it is what
        can be hoped for: a member may say anything of a class that it never saw.
    """

    classes: np.ndarray
    code: np.ndarray
    row_distances: np.ndarray
    column_distances: np.ndarray
    row_separation: int
    column_separation: int | None
    corrects: int

    @classmethod
    def of(cls, code: np.ndarray, classes: np.ndarray) -> CodeReport:
        """Measure a code."""
        rows, columns = row_distances(code), column_distances(code)
        least = separation(rows) or 0
        corrects = max(least - 1, 0) // 2
        return cls(classes, code, rows, columns, least, separation(columns), corrects)

    def __str__(self) -> str:
        signs = {-1: "-", 0: ".", 1: "+"}
        labels = [str(label) for label in self.classes.tolist()]
        width = max(map(len, labels))
        lines = [
            f"{label:<{width}}  {''.join(signs[int(bit)] for bit in row)}"
            for label, row in zip(labels, self.code, strict=True)
        ]
        n_classes, n_bits = self.code.shape
        apart = "" if self.column_separation is None else f", columns {self.column_separation}"
        lines.append(
            f"{n_classes} classes, {n_bits} columns; rows at least {self.row_separation} "
            f"apart{apart}; corrects {self.corrects}"
        )
        return "\n".join(lines)
