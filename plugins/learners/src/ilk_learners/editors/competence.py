"""competence: competence-guided editing, and the competence model of a training set."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Self

import numpy as np

from ilk import CompetenceModel, IndexLike, RandomState, check_seed, param
from ilk_learners.editors.agreement import NOISE, Noise, without_noise
from ilk_learners.editors.case_editor import INDEX, RANDOM_STATE, CaseEditor, EditedCases
from ilk_learners.editors.cnn import Store

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ilk import Cases, DistanceLike, Labels
    from ilk_learners.editors.case_editor import EditedCases

CompetenceOrder = Literal["relative_coverage", "reach_for_cover", "coverage", "nun", "random"]
Add = Literal["misclassified", "unsolved"]
Delete = Literal["covered", "none"]
Update = Literal["dynamic", "static"]
_DIGITS = 10  # digits of relative coverage: equal sums tie despite their order of addition


class Competence(CaseEditor):
    """Select cases by a competence model: which case solves which (competence-guided editing).

    Case c *solves* t if it is of t's class and among the k nearest other cases of t; every case
    solves itself. With ``Coverage(c) = {t : c solves t}`` and
    ``Reachability(t) = {c : c solves t}`` the members of the family differ in four rules:

    - `order`: the order of presentation;
    - `add`: which presented cases are added to the edited set, which is empty at first;
    - `delete`: which cases are removed from the training set with an added case;
    - `update`: whether they are also removed from the sets of the others, and so change the order.

    Cases neither added nor deleted are presented again, until a pass adds nothing. So with
    ``add="misclassified", delete="none"`` the nearest kept case correctly classifies every case
    that is not noise (nor equal to a case of another class); with ``add="unsolved"`` a kept case
    solves every case that is not noise.

    Attributes
    ----------
    sample_indices_ : ndarray of int
        Numbers of the kept cases, ascending.
    n_cases_ : int
        Number of input cases.
    reduction_ : float
        Removed share of the cases.
    n_passes_ : int
        Number of passes; the last one added nothing.

    Raises
    ------
    InputError
        If there are not more than k cases.

    Notes
    -----
    ``order="relative_coverage", add="unsolved", update="static"`` is the footprint (CNN-FP) of
    the index footprint. `ilk_learners.competence_model` builds the model; updating removes cases
    but adds no new neighbours. Ties of distance go to the added case that is first in the data.
    Memory: about (3k + 20) n numbers and a block of distances.

    References
    ----------
    .. [1] E. McKenna and B. Smyth, "Competence-guided editing methods for lazy learning", ECAI,
       2000.
    .. [2] B. Smyth and E. McKenna, "Footprint-based retrieval", ICCBR, LNCS 1650, 1999.
    .. [3] Cunningham 2008: section 2.4.4.2.

    Examples
    --------
    >>> import ilk
    >>> X = [[0.0], [1.0], [2.0], [3.0], [6.0], [7.0], [8.0], [9.0]]
    >>> editor = ilk.editor("competence", k=2)
    >>> X_kept, y_kept = editor.fit_resample(X, list("aaaabbbb"))
    >>> editor.sample_indices_.tolist()
    [1, 5]
    """

    order: CompetenceOrder = param(
        default="relative_coverage",
        choices=("relative_coverage", "reach_for_cover", "coverage", "nun", "random"),
        doc='"relative_coverage": decreasing sum of ``1 / |Reachability(t)|`` over t in Coverage; '
        '"reach_for_cover": increasing ``|Reachability|``; "coverage": decreasing ``|Coverage|``; '
        '"nun": increasing distance to the nearest case of another class; "random": shuffled. '
        "Ties in data order.",
    )
    add: Add = param(
        default="misclassified",
        choices=("misclassified", "unsolved"),
        doc="Add a case that the nearest added case misclassifies; or one that no added case "
        "solves.",
    )
    delete: Delete = param(
        default="covered",
        choices=("covered", "none"),
        doc="Remove the added case and its coverage from the training set; or only the added case.",
    )
    update: Update = param(
        default="dynamic",
        choices=("dynamic", "static"),
        doc="Compute the order from the remaining training set; or from all cases.",
    )
    k: int = param(
        default=3,
        ge=1,
        doc="Number of nearest cases that may solve a case, and of neighbours in the noise "
        "filter; all others if fewer remain after it.",
    )
    noise: Noise = NOISE
    index: IndexLike = INDEX
    random_state: RandomState = RANDOM_STATE

    @classmethod
    def examples(cls) -> list[Self]:
        return [
            cls(),
            cls(order="reach_for_cover", add="unsolved", noise="none"),
            cls(order="coverage", delete="none", update="static"),
            cls(order="nun", delete="none", k=1),
            cls(order="random", random_state=0),
        ]

    def _kept(self, cases: EditedCases) -> np.ndarray:
        rows = without_noise(cases, self.k, self.noise)
        if len(rows) < len(cases):
            cases = cases.only(rows)
        self.n_passes_ = 0
        if len(rows) < 2:  # a single case has no neighbours
            return rows
        edited = EditedSet(cases, _model_of(cases, min(self.k, len(rows) - 1)), self.add)
        fixed = self._fixed_keys(cases)
        added = True
        # a case that was classified correctly may be misclassified after others were added: repeat
        while added:
            added = False
            self.n_passes_ += 1
            waiting = edited.left.copy()
            for case in self._presented(edited, fixed, waiting):
                waiting[case] = False
                if edited.takes(case):
                    # cases that the new one covers need not be added
                    gone = edited.extend(case, self.delete, self.update)
                    waiting[gone] = False
                    added = True
        return rows[edited.kept]

    def _presented(
        self, edited: EditedSet, fixed: np.ndarray | None, waiting: np.ndarray
    ) -> Iterator[int]:
        """Yield the cases in order of presentation, skipping removed ones."""
        from ilk_learners.editors.editing_kernels import first_of

        # keys that do not change are sorted once; else the first case is looked up each time
        if self.update == "static" or fixed is not None:
            keys = edited.keys(self.order) if fixed is None else fixed
            yield from (case for case in np.argsort(keys, kind="stable").tolist() if waiting[case])
            return
        while (case := first_of(edited.keys(self.order), waiting)) >= 0:
            yield case

    def _fixed_keys(self, cases: EditedCases) -> np.ndarray | None:
        """Sort keys of the orders that do not use the model."""
        if self.order == "nun":
            return cases.nun[0]
        if self.order == "random":
            return check_seed(self, self.random_state).permutation(len(cases))
        return None


def _model_of(cases: EditedCases, k: int) -> CompetenceModel:
    return CompetenceModel.of(cases.codes, cases.neighbors(k)[1])


def competence_model(
    X: Cases,
    y: Labels,
    *,
    k: int = 3,
    distance: DistanceLike = "euclidean",
    index: IndexLike = "brute",
) -> CompetenceModel:
    """Build the competence model: the k nearest others of a case's class solve it.

    Parameters
    ----------
    X : data of n rows, of any kind that the distance takes
    y : array of shape (n,)
        Classes.
    k : int, default=3
        Number of nearest cases that may solve a case.
    distance : distance, default="euclidean"
        A name, a specification or a component; fitted on the cases.
    index : index, default="brute"
        Finds the neighbours.

    Returns
    -------
    CompetenceModel
        Memory: about 2 (k + 1) n numbers.

    Raises
    ------
    InputError
        If there are not more than k cases, or labels do not fit.

    Notes
    -----
    The index footprint and the editor competence use this definition. The editor icf uses another:
    there all cases nearer than the nearest case of another class solve a case.

    References
    ----------
    .. [1] B. Smyth and E. McKenna, "Footprint-based retrieval", ICCBR, LNCS 1650, 1999.
    .. [2] Cunningham 2008: section 2.4.4.2.

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
    editor = Competence(k=k, distance=distance, index=index)
    return _model_of(editor.cases(X, y), int(k))


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
        from ilk_learners.editors.editing_kernels import Shrinking

        n = len(cases)
        self.kept = np.zeros(n, dtype=bool)
        self.left = np.ones(n, dtype=bool)
        self._model = model
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
        return bool(self._store.misclassifies(np.array([case]))[0])

    def extend(self, case: int, delete: Delete, update: Update) -> np.ndarray:
        """Add a case; return the cases removed from the training set with it."""
        from ilk_learners.editors.editing_kernels import leave

        self.kept[case] = True
        coverage = self._model.coverage[case]
        self._solved[coverage] = True
        if self._store is not None:
            self._store.see(np.array([case]))
            # of all at once: one after the other would take longer
            self._store.misclassifies(np.flatnonzero(~self._store.kept))
        gone = coverage[self.left[coverage]] if delete == "covered" else np.array([case])
        self.left[gone] = False
        if update == "dynamic":
            leave(gone, self._sizes)
        return gone
