"""The edited set, which grows while the competence model shrinks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from ilk_learners.editors.cnn import Store

if TYPE_CHECKING:
    from ilk import CompetenceModel
    from ilk_learners.editors.cases import EditedCases


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

    def __init__(self, cases: EditedCases, model: CompetenceModel, add: Add) -> None:
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
        # -1: nothing is stored yet that could classify the case
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
