"""Code matrices: fixed codes, distances of rows and columns, checks, and the report."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

import ilk

if TYPE_CHECKING:
    from collections.abc import Callable

    from ilk import Component


def one_against_all(n_classes: int) -> np.ndarray:
    """One column for each class, which is +1 in it; one column for two classes: shape (C, L)."""
    if n_classes == 2:
        return np.array([[-1], [1]], dtype=np.int8)
    return (2 * np.eye(n_classes) - 1).astype(np.int8)


def one_against_one(n_classes: int) -> np.ndarray:
    """One column for each pair of classes: the first -1, the second +1, all others 0."""
    pairs = np.array(list(combinations(range(n_classes), 2)))
    code = np.zeros((n_classes, len(pairs)), dtype=np.int8)
    columns = np.arange(len(pairs))
    code[pairs[:, 0], columns] = -1
    code[pairs[:, 1], columns] = 1
    return code


def exhaustive(n_classes: int) -> np.ndarray:
    """Every partition of the classes in two: 2^(C-1) - 1 columns.

    Column j is -1, then the binary digits of j, for j from 1.
    """
    # the first class is always -1, because complementary columns define the same problem
    numbers = np.arange(1, 2 ** (n_classes - 1))
    bits = numbers >> np.arange(n_classes - 1, -1, -1)[:, None] & 1
    return (2 * bits - 1).astype(np.int8)


def every_sparse(n_classes: int) -> np.ndarray:
    """Every column of -1, 0 and 1 with both sides; the first nonzero entry is -1."""
    digits = np.arange(3**n_classes) // 3 ** np.arange(n_classes)[:, None] % 3
    return oriented((digits - 1).astype(np.int8), once=True)


def oriented(columns: np.ndarray, *, once: bool = False) -> np.ndarray:
    """Columns with both sides, with signs flipped so that the first nonzero entry is -1.

    Parameters
    ----------
    columns : ndarray of shape (C, L)
    once : bool
        Drop the columns that begin with 1 instead of flipping them.
    """
    first = np.take_along_axis(columns, (columns != 0).argmax(axis=0)[None], axis=0)[0]
    valid = (columns == -1).any(axis=0) & (columns == 1).any(axis=0)
    # a column and its complement are both listed: keep one of them
    if once:
        return np.ascontiguousarray(columns[:, valid & (first == -1)])
    return np.asarray(columns[:, valid] * -first[valid])


def row_distances(code: np.ndarray) -> np.ndarray:
    """Number of columns in which two classes are on opposite sides.

    Without zeros this is the Hamming distance of their code words; with zeros, the number of
    members trained to separate the two classes.

    Parameters
    ----------
    code : ndarray of -1, 0 and 1, shape (C, L), or (k, C, L) for several codes

    Returns
    -------
    ndarray of int, shape (C, C) or (k, C, C)
    """
    both, agreed = _products(code)
    return np.asarray((both - agreed) / 2, dtype=np.intp)


def column_distances(code: np.ndarray) -> np.ndarray:
    """Number of classes in which two columns differ, up to complement of one of them.

    Columns at distance 0 define the same two-class problem.

    Parameters
    ----------
    code : ndarray of -1, 0 and 1, shape (C, L), or (k, C, L) for several codes

    Returns
    -------
    ndarray of int, shape (L, L) or (k, L, L)
    """
    both, agreed = _products(np.swapaxes(code, -1, -2))
    used = np.diagonal(both, axis1=-2, axis2=-1)
    # equal entries: both 0, or both not 0 and (both + agreed) / 2 of them of the same sign; a
    # column is complemented if that gives more
    either = used[..., None] + used[..., None, :] - both
    return np.asarray(either - (both + np.abs(agreed)) / 2, dtype=np.intp)


def _products(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Places where two rows are not 0, and the sum of their products there."""
    # exact in single precision below 2^24 places
    signs = rows.astype(np.float32)
    sizes = np.abs(signs)
    return sizes @ np.swapaxes(sizes, -1, -2), signs @ np.swapaxes(signs, -1, -2)


def separation(distances: np.ndarray) -> int | None:
    """Least distance of two rows or columns; None if there is only one."""
    return None if len(distances) < 2 else int(_separations(distances))


def _separations(distances: np.ndarray) -> np.ndarray:
    """Least distances off the diagonals of matrices of shape (..., m, m) with m > 1."""
    return np.asarray(distances[..., ~np.eye(distances.shape[-1], dtype=bool)].min(axis=-1))


@dataclass(frozen=True)
class CodeReport:
    """Distances within a code matrix.

    Attributes
    ----------
    classes : ndarray of shape (C,)
    code : ndarray of -1, 0 and 1, shape (C, L)
    row_distances : ndarray of int, shape (C, C)
        Number of columns in which two classes are on opposite sides.
    column_distances : ndarray of int, shape (L, L)
        Number of classes in which two columns differ, up to complement.
    row_separation, column_separation : int or None
        The least off-diagonal distance; None if there is one column.
    corrects : int
        floor((d - 1) / 2), where d is the row separation: Hamming decoding of a code without
        zeros corrects any so many wrong bits. With zeros this is not guaranteed: the output of
        a member is arbitrary for a class unseen in its training.
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
        # with rows d apart, floor((d - 1) / 2) wrong entries leave the right one nearest
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


def check_entries(owner: Component, code: Any) -> np.ndarray:
    """Return a code as an array of -1, 0 and 1; in a code of 0 and 1 alone, 0 means -1.

    Raises
    ------
    ParameterError
        If it is not a matrix of these, has equal rows, or a column without both sides.
    """
    matrix = np.asarray(code)
    if matrix.ndim != 2 or not matrix.size:
        raise owner.parameter_error(
            "code", f"must have a row for each class and a column for each member, got {code!r}"
        )
    wrong = matrix[~np.isin(matrix, (-1, 0, 1))]
    if len(wrong):
        raise owner.parameter_error("code", f"must hold -1, 0 and 1 only, got {wrong[0]}")
    matrix = matrix.astype(np.int8)
    if not (matrix == -1).any():
        matrix = 2 * matrix - 1
    lacking = np.flatnonzero(~((matrix == -1).any(axis=0) & (matrix == 1).any(axis=0)))
    if len(lacking):
        raise owner.parameter_error(
            "code", f"must have both sides in each column, but column {lacking[0]} is constant"
        )
    for a, b in combinations(range(len(matrix)), 2):
        if np.array_equal(matrix[a], matrix[b]):
            raise owner.parameter_error("code", f"must not have equal rows, as {a} and {b} are")
    return matrix


def check_rows(owner: object, code: np.ndarray, classes: np.ndarray) -> None:
    """Check a code after columns were dropped.

    Raises
    ------
    InputError
        If two classes have equal rows, or a class takes part in no column.
    """
    name = ilk.display_name(owner)
    for label, row in zip(classes.tolist(), code, strict=True):
        if not row.any():
            raise ilk.InputError(f"{name}: class {label!r} is in none of the remaining columns")
    for a, b in combinations(range(len(code)), 2):
        if np.array_equal(code[a], code[b]):
            raise ilk.InputError(
                f"{name}: the remaining columns do not separate the classes "
                f"{classes.item(a)!r} and {classes.item(b)!r}"
            )


def possible_bits(n_classes: int, sparse: bool) -> tuple[int, int]:
    """Fewest and most columns of a code without equal rows or equal or complementary columns.

    Fewer than ``log2 C`` columns cannot separate C classes. There are ``2^(C-1) - 1`` partitions
    of all classes in two, and ``(3^C - 2^(C+1) + 1) / 2`` of any subset of them.
    """
    # 2^C columns, in complementary pairs, without the constant ones
    most = 2 ** (n_classes - 1) - 1
    if sparse:
        # 3^C columns without the columns that lack a side, 2 * 2^C - 1 by inclusion and exclusion,
        # up to sign
        most = (3**n_classes - 2 ** (n_classes + 1) + 1) // 2
    return (n_classes - 1).bit_length(), most


def usual_bits(n_classes: int, sparse: bool) -> int:
    """``10 log2 C`` columns, or ``15 log2 C`` for sparse codes; at most the possible number."""
    wanted = math.ceil((15 if sparse else 10) * math.log2(n_classes))
    return min(wanted, possible_bits(n_classes, sparse)[1])


def best_of(
    draw: Callable[[int], np.ndarray], n_draws: int, tries: int = 0, block: int = 1
) -> np.ndarray | None:
    """Of n draws without constant columns, the code of largest row, then column separation.

    Parameters
    ----------
    draw : callable
        Returns a number of codes, as an array of shape (k, C, L).
    n_draws : int
    tries : int
        Continue to draw up to this number while no code is valid.
    block : int
        Codes drawn at a time.

    Returns
    -------
    ndarray or None
        The first of the best; None if no draw has positive row separation.
    """
    best, reached, number = None, (0, 0), 0
    while number < n_draws or (best is None and number < tries):
        codes = draw(min(block, n_draws - number) if number < n_draws else 1)
        number += len(codes)
        split = ((codes == 1).any(axis=1) & (codes == -1).any(axis=1)).all(axis=1)
        rows = np.where(split, _separations(row_distances(codes)), 0)
        # rows that are nearer to one another cannot win, whatever the columns
        for least in np.unique(rows[rows >= max(reached[0], 1)])[::-1]:
            some = codes[rows == least]
            columns = np.full(len(some), codes.shape[1])
            if codes.shape[2] > 1:
                columns = _separations(column_distances(some))
            if columns.any():
                if (least, columns.max()) > reached:
                    best, reached = some[columns.argmax()], (int(least), int(columns.max()))
                break
    return best
