"""The competence model: which cases solve which, by their neighbours."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ilk.loaded import check_stored

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scipy.sparse import csr_matrix


@dataclass(frozen=True, eq=False)
class CompetenceModel:
    """Which cases solve which: c solves t if it is of t's class and among t's k nearest others.

    Every case solves itself. Its text lists the sizes of the sets.

    Attributes
    ----------
    k : int
        How many nearest cases may solve a case.
    coverage : CaseSets
        ``coverage[c]``: the cases that c solves, ascending.
    reachability : CaseSets
        ``reachability[t]``: the cases that solve t.
    related : CaseSets
        ``related[c]``: the union of the two.
    relative_coverage : ndarray of shape (n,)
        Sum over what a case covers of 1 / n(t), n the size of the reachability of t.
    groups : ndarray of int, shape (n,)
        Number of each case's competence group: cases one of which solves the other, or which
        are linked by a chain of such cases.

    References
    ----------
    .. [1] B. Smyth and E. McKenna, "Footprint-based retrieval", ICCBR, LNCS 1650, 1999.
    .. [2] Cunningham 2008: section 2.4.4.2.

    Examples
    --------
    >>> import ilk, numpy as np
    >>> _, neighbors = ilk.nearest([[0.0], [1.0], [7.0]], 1)
    >>> model = ilk.CompetenceModel.of(np.array([0, 0, 1]), neighbors)
    >>> model.coverage[0].tolist(), model.coverage[2].tolist()
    ([0, 1], [2])
    """

    k: int
    coverage: CaseSets
    reachability: CaseSets

    @classmethod
    def of(cls, codes: np.ndarray, neighbors: np.ndarray) -> CompetenceModel:
        """Make the model of cases; memory for about 2 (k + 1) n numbers.

        Parameters
        ----------
        codes : ndarray of int, shape (n,)
            Class of each case.
        neighbors : ndarray of int, shape (n, k)
            The k nearest others of each case, as `ilk.nearest` gives them.
        """
        from scipy.sparse import csr_matrix

        n, k = neighbors.shape
        target, place = np.nonzero(codes[neighbors] == codes[:, None])
        itself = np.arange(n)
        solver = np.concatenate([neighbors[target, place], itself])
        target = np.concatenate([target, itself])
        # a relation as a sparse matrix: its rows are coverage sets, its columns reachability sets
        solves = csr_matrix((np.ones(len(solver), dtype=bool), (solver, target)), shape=(n, n))
        return cls(k, CaseSets.of(solves), CaseSets.of(solves.T.tocsr()))

    @cached_property
    def related(self) -> CaseSets:
        """The cases that a case solves, or that solve it."""
        solves = self.coverage.matrix()
        return CaseSets.of((solves + solves.T).tocsr())

    @cached_property
    def relative_coverage(self) -> np.ndarray:
        """Sum of ``1 / |Reachability(t)|`` over the cases t that each case solves; shape (n,)."""
        shares = 1 / self.reachability.sizes
        case = np.repeat(np.arange(len(self)), self.coverage.sizes)
        return np.bincount(case, shares[self.coverage.members], minlength=len(self))

    @cached_property
    def groups(self) -> np.ndarray:
        """Number of each case's competence group; array of shape (n,)."""
        from scipy.sparse.csgraph import connected_components

        # cases that solve one another, directly or through others: connected components
        return np.asarray(connected_components(self.coverage.matrix(), directed=False)[1])

    def __len__(self) -> int:
        return len(self.coverage)

    def __repr__(self) -> str:
        sizes = np.bincount(self.groups)
        alone = np.count_nonzero(self.reachability.sizes == 1)
        share = self.relative_coverage
        return "\n".join(
            [
                f"competence model of {len(self)} cases, k = {self.k}",
                f"  coverage           {_range(self.coverage.sizes)}",
                f"  reachability       {_range(self.reachability.sizes)}",
                f"  relative coverage  {share.min():.3g} to {share.max():.3g}",
                f"  groups             {len(sizes)}, the largest of {sizes.max()} cases",
                f"  solved by no other {alone} cases",
            ]
        )


def _range(sizes: np.ndarray) -> str:
    return f"{sizes.min()} to {sizes.max()} cases, {sizes.mean():.3g} on average"


@dataclass(frozen=True, eq=False)
class CaseSets:
    """A set of cases for each case; ``sets[i]`` are the members of that of i, ascending.

    Attributes
    ----------
    starts : ndarray of int, shape (n + 1,)
        Start of each set among the members, and the end of the last one.
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

    def check_loaded(self) -> None:
        """Check that all members are existing cases."""
        check_stored(self, "starts", (None,), spans=len(self.members))
        check_stored(self, "members", (None,), least=0, below=len(self))

    @property
    def sizes(self) -> np.ndarray:
        """Number of members of each set; array of shape (n,)."""
        return np.diff(self.starts)

    def matrix(self) -> csr_matrix:
        """The sets as rows of a matrix of bool, shape (n, n)."""
        from scipy.sparse import csr_matrix

        n = len(self)
        return csr_matrix((np.ones(len(self.members), bool), self.members, self.starts), (n, n))

    def union(self, cases: np.ndarray) -> np.ndarray:
        """The cases that are in the set of any of some cases, ascending."""
        return np.unique(np.concatenate([self[case] for case in cases])).astype(np.int64)

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
