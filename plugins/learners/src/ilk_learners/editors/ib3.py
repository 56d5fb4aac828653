"""ib3: instance-based learning that trusts only stored cases with a good record."""

from __future__ import annotations

from typing import Literal, Self

import numpy as np

from ilk import RandomState, Seed, check_seed, param, take
from ilk_learners.editors.case_editor import (
    ORDER,
    CaseEditor,
    EditedCases,
    Order,
    presented,
)

_BLOCK = 128  # cases compared with the stored ones at a time: few distances are wasted


class IB3(CaseEditor):
    """Store misclassified cases, and keep those with a significantly good record.

    The cases are presented once, one after the other. Each stored case has a record: how many cases
    it has classified, and how many correctly. For each presented case x:

    1. the nearest *acceptable* stored case y classifies it; if none is acceptable, `fallback`
       selects y;
    2. if y is of another class, x is stored (as is the first case of all);
    3. the records of all cases stored before and no further from x than y are updated; *poor* ones
       are dropped.

    Two confidence intervals are compared: that of a stored case's accuracy, and that of the
    frequency of its class among the presented cases. The case is acceptable if its interval lies
    above the other, and poor if it lies below. The interval of a proportion p of m at confidence c
    is ``(p + z^2/2m -+ z sqrt(p (1 - p)/m + z^2/4m^2)) / (1 + z^2/m)``, where z is the (1 + c)/2
    quantile of the normal distribution, and [0, 1] for m = 0. At the end the acceptable cases are
    kept.

    Attributes
    ----------
    sample_indices_ : ndarray of int
        Numbers of the kept cases, ascending: the acceptable ones, or all stored ones if none is
        acceptable (so that the result is not empty).
    stored_indices_ : ndarray of int
        Numbers of the cases stored at the end, acceptable or not, ascending.
    n_cases_ : int
        Number of input cases.
    reduction_ : float
        Removed share of the cases.

    Notes
    -----
    Ties of distance go to the case that is first in the data. The last stored case is never
    dropped. Frequencies count the cases presented before x for its classification, and x too for
    updates of records. The source draws a random rank among the stored cases, that is, a random
    one of them. Use hundreds of cases or more: fewer seldom give significant records. A class may
    vanish.

    References
    ----------
    .. [1] D. W. Aha, D. Kibler and M. K. Albert, "Instance-based learning algorithms", Machine
       Learning 6, 1991.
    .. [2] Cunningham 2008: section 2.4.4.1.

    Examples
    --------
    >>> import ilk
    >>> X, y = ilk.dataset("iris").load().Xy
    >>> editor = ilk.editor("ib3", order="random", random_state=0)
    >>> X_kept, y_kept = editor.fit_resample(X, y)
    >>> len(y_kept) < len(editor.stored_indices_)
    True
    """

    accept: float = param(
        default=0.9,
        gt=0,
        lt=1,
        doc="Confidence level of acceptance.",
    )
    drop: float = param(default=0.7, gt=0, lt=1, doc="Confidence level of dropping.")
    fallback: Literal["nearest", "random"] = param(
        default="nearest",
        choices=("nearest", "random"),
        doc="The stored case that classifies while none is acceptable: the nearest; or a random "
        "one, as in the source.",
    )
    order: Order = ORDER
    random_state: RandomState = param(
        default=None,
        type=Seed,
        doc='For ``order="random"`` and ``fallback="random"``.',
    )

    @classmethod
    def examples(cls) -> list[Self]:
        return [
            cls(),
            cls(accept=0.5, drop=0.9, order="nun"),
            cls(fallback="random", order="random", random_state=0),
        ]

    def _kept(self, cases: EditedCases) -> np.ndarray:
        from scipy.special import ndtri

        from ilk_learners.editors.editing_kernels import Records, acceptable, see

        rng, n = check_seed(self, self.random_state), len(cases)
        order = presented(cases, self.order, rng)
        draws = rng.random_sample(n) if self.fallback == "random" else np.full(n, -1.0)
        # quantiles of two-sided intervals
        z = float(ndtri((1 + self.accept) / 2)), float(ndtri((1 + self.drop) / 2))
        tried, right = np.zeros((2, n), dtype=np.int64)
        seen = np.zeros(cases.n_classes, dtype=np.int64)
        records = Records(np.zeros(n, dtype=bool), tried, right, seen)
        known = order[:0]
        for start in range(0, n, _BLOCK):
            block = order[start : start + _BLOCK]
            known = np.concatenate([known, block])
            D = np.asarray(cases.distance.pairwise(take(cases.X, block), take(cases.X, known)))
            see(block, known, D, cases.codes, draws[start : start + _BLOCK], z, records)
            # dropped cases need no further distances
            known = known[records.stored[known]]
        self.stored_indices_ = np.sort(known)
        good = [acceptable(i, cases.codes[i], records, z[0]) for i in self.stored_indices_]
        # only acceptable cases may classify; if none is, all stored ones do
        return self.stored_indices_[good] if any(good) else self.stored_indices_
