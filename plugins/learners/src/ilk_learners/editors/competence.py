"""competence: editing guided by which cases solve which; and the model itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np

from ilk import CompetenceModel, IndexLike, RandomState, check_seed, param
from ilk_learners.editors.agreement import NOISE, Noise, without_noise
from ilk_learners.editors.cases import INDEX, RANDOM_STATE, CaseEditor, Cases
from ilk_learners.editors.competence_model import (
    Add,
    Delete,
    EditedSet,
    Update,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

CompetenceOrder = Literal["relative_coverage", "reach_for_cover", "coverage", "nun", "random"]


class Competence(CaseEditor):
    """Choose cases by a model of which ones solve which (competence-guided editing).

    Case c *solves* t if it is of t's class and among the k nearest other cases of t; every case
    solves itself. With ``Coverage(c) = {t : c solves t}`` and
    ``Reachability(t) = {c : c solves t}`` the members of the family differ in four rules:

    - `order`: who is shown first;
    - `add`: which of the cases shown are added to the edited set, which is empty at first;
    - `delete`: which cases leave the training set with a case that is added;
    - `update`: whether they also leave the sets of the others, and so change the order.

    What is neither added nor deleted is shown again, until a pass adds nothing. So with
    ``add="misclassified", delete="none"`` the nearest of the kept cases classifies every case
    rightly that is no noise (and no twin of a case of another class); with ``add="unsolved"``
    every case that is no noise is solved by a kept case.

    Attributes
    ----------
    sample_indices_ : ndarray of int
        Cases that were kept, ascending.
    n_cases_ : int
        Cases there were.
    reduction_ : float
        Share of the cases that was removed.
    n_passes_ : int
        How often cases were shown; nothing was added the last time.

    Raises
    ------
    InputError
        If there are not more than k cases.

    Notes
    -----
    ``order="relative_coverage", add="unsolved", update="static"`` is the footprint (CNN-FP) of
    the index footprint. The model is of `ilk_learners.competence_model`; a model that is updated
    loses cases, but no new neighbours come in for them. Of added cases that are equally near,
    the one that comes first in the data classifies. Memory for about (3k + 20) n numbers and a
    block of distances.

    References
    ----------
    .. [1] E. McKenna and B. Smyth, "Competence-guided editing methods for lazy learning", ECAI,
       2000.
    .. [2] B. Smyth and E. McKenna, "Footprint-based retrieval", ICCBR, LNCS 1650, 1999.
    .. [3] P. Cunningham, M. Cord and S. J. Delany, "Supervised Learning", in *Machine Learning
       Techniques for Multimedia*, Springer, 2008, section 2.4.4.

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
        doc='"relative_coverage": large sum of ``1 / |Reachability(t)|`` over t in Coverage '
        'first; "reach_for_cover": few cases that reach them first (small '
        '``|Reachability|``); "coverage": large ``|Coverage|`` first; "nun": those nearest '
        'to a case of another class first; "random": shuffled. Ties as they come.',
    )
    add: Add = param(
        default="misclassified",
        choices=("misclassified", "unsolved"),
        doc="A case that the nearest added case classifies wrongly; or one that no added case "
        "solves.",
    )
    delete: Delete = param(
        default="covered",
        choices=("covered", "none"),
        doc="The added case and what it covers leaves the training set; or the added case only.",
    )
    update: Update = param(
        default="dynamic",
        choices=("dynamic", "static"),
        doc="Orders follow the sets of what is left of the training set; or of all.",
    )
    k: int = param(
        default=3,
        ge=1,
        doc="How many nearest cases may solve a case, and are asked what is noise; all others, "
        "where fewer are left without the noise.",
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

    def _kept(self, cases: Cases) -> np.ndarray:
        rows = without_noise(cases, self.k, self.noise)
        if len(rows) < len(cases):
            cases = cases.only(rows)
        self.n_passes_ = 0
        if len(rows) < 2:  # nobody to solve, or to be solved by
            return rows
        edited = EditedSet(cases, _model_of(cases, min(self.k, len(rows) - 1)), self.add)
        fixed = self._fixed_keys(cases)
        added = True
        while added:
            added = False
            self.n_passes_ += 1
            shown = edited.left.copy()
            for case in self._presented(edited, fixed, shown):
                shown[case] = False
                if edited.takes(case):
                    gone = edited.extend(case, self.delete, self.update)
                    shown[gone] = False
                    added = True
        return rows[edited.kept]

    def _presented(
        self, edited: EditedSet, fixed: np.ndarray | None, shown: np.ndarray
    ) -> Iterator[int]:
        """Yield the cases that are to be shown, in order, while others leave them."""
        from ilk_learners.editors.competence_kernels import first_of

        if self.update == "static" or fixed is not None:
            keys = edited.keys(self.order) if fixed is None else fixed
            yield from (case for case in np.argsort(keys, kind="stable").tolist() if shown[case])
            return
        while (case := first_of(edited.keys(self.order), shown)) >= 0:
            yield case

    def _fixed_keys(self, cases: Cases) -> np.ndarray | None:
        """What cases are ordered by, where the model has no say."""
        if self.order == "nun":
            return cases.nun[0]
        if self.order == "random":
            return check_seed(self, self.random_state).permutation(len(cases))
        return None


def _model_of(cases: Cases, k: int) -> CompetenceModel:
    return CompetenceModel.of(cases.codes, cases.neighbors(k)[1])


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
    editor = Competence(k=k, distance=distance, index=index)
    return _model_of(editor.cases(X, y), int(k))
