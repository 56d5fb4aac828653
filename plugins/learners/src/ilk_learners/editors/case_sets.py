"""A set of cases for each case, in two arrays."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


@dataclass(frozen=True, eq=False)
class CaseSets:
    """A set of cases for each case; ``sets[i]`` are the members of that of i, ascending.

    Attributes
    ----------
    starts : ndarray of int, shape (n + 1,)
        Where each set begins among the members, and where the last one ends.
    members : ndarray of int
        Of all sets, one set after the other.
    """

    starts: np.ndarray
    members: np.ndarray

    @classmethod
    def of(cls, matrix: csr_matrix) -> CaseSets:
        """Each row of a sparse matrix as the set of its columns."""
        matrix.sort_indices()
        return cls(matrix.indptr, matrix.indices)

    @property
    def sizes(self) -> np.ndarray:
        """How many members each set has; array of shape (n,)."""
        return np.diff(self.starts)

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __getitem__(self, case: int) -> np.ndarray:
        n = len(self)
        if not -n <= case < n:
            raise IndexError(f"there are sets of {n} cases, not of case {case}")
        return self.members[self.starts[case % n] : self.starts[case % n + 1]]

    def __iter__(self) -> Iterator[np.ndarray]:
        return (self[case] for case in range(len(self)))

    def __repr__(self) -> str:
        return f"<CaseSets of {len(self)} cases, {len(self.members)} members>"
