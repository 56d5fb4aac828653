"""The competence model of cases, and the edited set of competence-guided editing."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components

from ilk_learners.editors.cnn import Store

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ilk_learners.editors.cases import Cases


@dataclass(frozen=True, eq=False)
class CompetenceModel:
    """Which cases solve which: c solves t if it is of t's class and among t's k nearest others.

    Every case solves itself. `print` shows a summary.

    Attributes
    ----------
    k : int
        Number of nearest cases that may solve a case.
    coverage : CaseSets
        ``coverage[c]``: the cases that c solves.
    reachability : CaseSets
        ``reachability[t]``: the cases that solve t.
    relative_coverage : ndarray of shape (n,)
        Sum of 1 / |reachability(t)| over the coverage of a case: its importance.
    groups : ndarray of int, shape (n,)
        Competence group of each case: the connected components of the relation "solves".
    """

    k: int
    coverage: CaseSets
    reachability: CaseSets

    @cached_property
    def relative_coverage(self) -> np.ndarray:
        """Relative coverage of each case; array of shape (n,)."""
        shares = 1 / self.reachability.sizes
        case = np.repeat(np.arange(len(self)), self.coverage.sizes)
        return np.bincount(case, shares[self.coverage.members], minlength=len(self))

    @cached_property
    def groups(self) -> np.ndarray:
        """Competence group of each case; array of shape (n,)."""
        sets, n = self.coverage, len(self)
        links = csr_matrix((np.ones(len(sets.members), bool), sets.members, sets.starts), (n, n))
        return np.asarray(connected_components(links, directed=False)[1])

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


def model_of(cases: Cases, k: int) -> CompetenceModel:
    """Build the competence model of cases; memory for about 2 (k + 1) n numbers."""
    n, neighbors = len(cases), cases.neighbors(k)[1]
    target, place = np.nonzero(cases.codes[neighbors] == cases.codes[:, None])
    itself = np.arange(n)
    solver = np.concatenate([neighbors[target, place], itself])
    target = np.concatenate([target, itself])
    solves = csr_matrix((np.ones(len(solver), dtype=bool), (solver, target)), shape=(n, n))
    return CompetenceModel(k, CaseSets.of(solves), CaseSets.of(solves.T.tocsr()))


def _range(sizes: np.ndarray) -> str:
    return f"{sizes.min()} to {sizes.max()} cases, {sizes.mean():.3g} on average"


@dataclass(frozen=True, eq=False)
class CaseSets:
    """A set of cases for each case; ``sets[i]`` holds the members for case i, ascending.

    Attributes
    ----------
    starts : ndarray of int, shape (n + 1,)
        Start of each set in `members`, and the end of the last one.
    members : ndarray of int
        Members of all sets, concatenated.
    """

    starts: np.ndarray
    members: np.ndarray

    @classmethod
    def of(cls, matrix: csr_matrix) -> CaseSets:
        """Turn each row of a sparse matrix into the set of its columns."""
        matrix.sort_indices()
        return cls(matrix.indptr, matrix.indices)

    @property
    def sizes(self) -> np.ndarray:
        """Number of members of each set; array of shape (n,)."""
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


Add = Literal["misclassified", "unsolved"]
Delete = Literal["covered", "none"]
Update = Literal["dynamic", "static"]
_DIGITS = 10  # digits of relative coverage: equal sums tie despite their order of addition


class EditedSet:
    """The edited set and the remaining training set.

    Parameters
    ----------
    cases : Cases
    model : CompetenceModel
        The model of all cases.
    add : {"misclassified", "unsolved"}
        Which cases are added.

    Attributes
    ----------
    kept : ndarray of bool, shape (n,)
        The edited set.
    left : ndarray of bool, shape (n,)
        The remaining training set.
    """

    def __init__(self, cases: Cases, model: CompetenceModel, add: Add) -> None:
        from ilk_learners.editors.competence_kernels import Shrinking

        n = len(cases)
        self.kept = np.zeros(n, dtype=bool)
        self.left = np.ones(n, dtype=bool)
        self._codes, self._model = cases.codes, model
        self._solved = np.zeros(n, dtype=bool)
        self._store = Store(cases) if add == "misclassified" else None
        coverage, reachability = model.coverage, model.reachability
        self._sizes = Shrinking(
            covered_from=coverage.starts,
            covered=coverage.members,
            reached_from=reachability.starts,
            reached=reachability.members,
            left=self.left.copy(),
            reachability=reachability.sizes,
            coverage=coverage.sizes,
            relative=model.relative_coverage.copy(),
        )

    def keys(self, order: str) -> np.ndarray:
        """Sort keys of the cases by the model, smallest first."""
        if order == "reach_for_cover":
            return self._sizes.reachability
        if order == "coverage":
            return -self._sizes.coverage
        return -np.round(self._sizes.relative, _DIGITS)

    def takes(self, case: int) -> bool:
        """Whether to add a case."""
        if self._store is None:
            return not self._solved[case]
        nearest = self._store.nearest[case]
        return bool(nearest < 0 or self._codes[nearest] != self._codes[case])

    def extend(self, case: int, delete: Delete, update: Update) -> np.ndarray:
        """Add a case; return the cases removed from the training set with it."""
        from ilk_learners.editors.competence_kernels import leave

        self.kept[case] = True
        coverage = self._model.coverage[case]
        self._solved[coverage] = True
        if self._store is not None:
            self._store.see(np.array([case]))
        gone = coverage[self.left[coverage]] if delete == "covered" else np.array([case])
        self.left[gone] = False
        if update == "dynamic":
            leave(gone, self._sizes)
        return gone
