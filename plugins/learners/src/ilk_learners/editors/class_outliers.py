"""class_outliers: removes cases surrounded by cases of other classes."""

from __future__ import annotations

from typing import Self

import numpy as np

from ilk import IndexLike, param
from ilk_learners.editors.case_editor import INDEX, CaseEditor, EditedCases
from ilk_learners.neighbors import n_of_other_classes


class ClassOutliers(CaseEditor):
    """Remove the cases with more than r cases of other classes among their k nearest neighbours.

    Attributes
    ----------
    sample_indices_ : ndarray of int
        Numbers of the kept cases, ascending.
    n_cases_ : int
        Number of input cases.
    reduction_ : float
        Removed share of the cases.

    Raises
    ------
    ParameterError
        If r is not less than k: no case could be an outlier.
    InputError
        If there are not more than k cases.

    References
    ----------
    .. [1] Arras: K-NN Learning.

    Examples
    --------
    >>> import ilk
    >>> X = [[0.0], [0.1], [0.2], [0.3], [5.0], [5.1], [5.2], [5.3]]
    >>> y = ["a", "a", "b", "a", "b", "b", "b", "b"]
    >>> editor = ilk.editor("class_outliers", k=3, r=2)
    >>> X_kept, y_kept = editor.fit_resample(X, y)
    >>> editor.sample_indices_.tolist()
    [0, 1, 3, 4, 5, 6, 7]
    """

    k: int = param(
        default=5,
        ge=1,
        doc="Number of neighbours, without the case itself.",
    )
    r: int | None = param(
        default=None,
        type=int,
        ge=0,
        doc="Most neighbours of other classes for a kept case; less than k. None: k // 2.",
    )
    index: IndexLike = INDEX

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(), cls(k=3, r=0), cls(k=4, r=3)]

    def check_parameters(self) -> None:
        """Check each parameter, and that r is less than k."""
        super().check_parameters()
        if self.r is not None and self.r >= self.k:
            raise self.parameter_error("r", f"must be less than k = {self.k}, got {self.r}")

    def _kept(self, cases: EditedCases) -> np.ndarray:
        most = self.k // 2 if self.r is None else self.r
        strange = n_of_other_classes(cases.codes, cases.neighbors(self.k)[1])
        return np.flatnonzero(strange <= most)
