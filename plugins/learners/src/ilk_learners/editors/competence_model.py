"""The edited set, which grows while the competence model shrinks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from ilk_learners.editors.cnn import Store

if TYPE_CHECKING:
    from ilk import CompetenceModel
    from ilk_learners.editors.cases import Cases


Add = Literal["misclassified", "unsolved"]
Delete = Literal["covered", "none"]
Update = Literal["dynamic", "static"]
_DIGITS = 10  # of relative coverage: equal sums of shares tie, in whichever order they were added


class EditedSet:
    """The cases that were added, and what is left of the training set.

    Parameters
    ----------
    cases : Cases
    model : CompetenceModel
        Of all of them.
    add : {"misclassified", "unsolved"}
        Which cases are added.

    Attributes
    ----------
    kept : ndarray of bool, shape (n,)
        What was added.
    left : ndarray of bool, shape (n,)
        The training set.
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
        """What the model orders cases by, the smallest first."""
        if order == "reach_for_cover":
            return self._sizes.reachability
        if order == "coverage":
            return -self._sizes.coverage
        return -np.round(self._sizes.relative, _DIGITS)

    def takes(self, case: int) -> bool:
        """Whether a case is to be added."""
        if self._store is None:
            return not self._solved[case]
        nearest = self._store.nearest[case]
        return bool(nearest < 0 or self._codes[nearest] != self._codes[case])

    def extend(self, case: int, delete: Delete, update: Update) -> np.ndarray:
        """Add a case that is to be added; return what leaves the training set with it."""
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
