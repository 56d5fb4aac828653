"""The competence model of cases: which ones solve which, and how much depends on each."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components

from ilk_learners.editors.case_sets import CaseSets

if TYPE_CHECKING:
    from ilk_learners.editors.cases import Cases


@dataclass(frozen=True, eq=False)
class CompetenceModel:
    """Which cases solve which: c solves t if it is of t's class and among t's k nearest others.

    Every case solves itself. Printed, it says what there is.

    Attributes
    ----------
    k : int
        How many nearest cases may solve a case.
    coverage : CaseSets
        ``coverage[c]``: the cases that c solves.
    reachability : CaseSets
        ``reachability[t]``: the cases that solve t.
    relative_coverage : ndarray of shape (n,)
        Sum of 1 / |reachability(t)| over what a case covers: how much depends on it.
    groups : ndarray of int, shape (n,)
        Number of each case's competence group: cases one of which solves the other, or which
        are linked by a chain of such cases.
    """

    k: int
    coverage: CaseSets
    reachability: CaseSets

    @cached_property
    def relative_coverage(self) -> np.ndarray:
        """How much depends on each case; array of shape (n,)."""
        shares = 1 / self.reachability.sizes
        case = np.repeat(np.arange(len(self)), self.coverage.sizes)
        return np.bincount(case, shares[self.coverage.members], minlength=len(self))

    @cached_property
    def groups(self) -> np.ndarray:
        """Number of each case's competence group; array of shape (n,)."""
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


def competence_model(
    X: Any, y: Any, *, k: int = 3, distance: Any = "euclidean", index: Any = "brute"
) -> CompetenceModel:
    """Say which cases solve which: the k nearest others of a case that are of its class solve it.

    Parameters
    ----------
    X : data of n rows, of any kind that the distance takes
    y : array of shape (n,)
        Classes.
    k : int, default=3
        How many nearest cases may solve a case.
    distance : distance, default="euclidean"
        A name, a specification or a component; it is fitted on the cases.
    index : index, default="brute"
        How neighbours are found.

    Returns
    -------
    CompetenceModel
        Its sets take memory for about 2 (k + 1) n numbers.

    Raises
    ------
    InputError
        If there are not more than k cases, or labels do not fit.

    Notes
    -----
    The definition is that of the index footprint and of the editor competence. The editor icf
    has another: there everyone nearer than the nearest case of another class solves a case.

    References
    ----------
    .. [1] B. Smyth and E. McKenna, "Footprint-based retrieval", ICCBR, LNCS 1650, 1999.
    .. [2] P. Cunningham, M. Cord and S. J. Delany, "Supervised Learning", in *Machine Learning
       Techniques for Multimedia*, Springer, 2008, section 2.4.4.

    Examples
    --------
    >>> from ilk_learners import competence_model
    >>> X, y = [[0.0], [1.0], [2.0], [7.0], [8.0]], ["a", "a", "a", "b", "b"]
    >>> model = competence_model(X, y, k=2)
    >>> model.coverage[1], model.reachability[4]
    (array([0, 1, 2], dtype=int32), array([3, 4], dtype=int32))
    >>> model
    competence model of 5 cases, k = 2
      coverage           2 to 3 cases, 2.6 on average
      reachability       2 to 3 cases, 2.6 on average
      relative coverage  1 to 1
      groups             2, the largest of 3 cases
      solved by no other 0 cases
    """
    from ilk_learners.editors.competence import Competence

    editor = Competence(k=k, distance=distance, index=index)
    return model_of(editor.cases(X, y), int(k))


def model_of(cases: Cases, k: int) -> CompetenceModel:
    """Make the competence model of cases; memory for about 2 (k + 1) n numbers."""
    n, neighbors = len(cases), cases.neighbors(k)[1]
    target, place = np.nonzero(cases.codes[neighbors] == cases.codes[:, None])
    itself = np.arange(n)
    solver = np.concatenate([neighbors[target, place], itself])
    target = np.concatenate([target, itself])
    solves = csr_matrix((np.ones(len(solver), dtype=bool), (solver, target)), shape=(n, n))
    return CompetenceModel(k, CaseSets.of(solves), CaseSets.of(solves.T.tocsr()))


def _range(sizes: np.ndarray) -> str:
    return f"{sizes.min()} to {sizes.max()} cases, {sizes.mean():.3g} on average"
