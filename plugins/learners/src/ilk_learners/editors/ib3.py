"""ib3: instance-based learning that trusts only stored cases with a good record."""

from __future__ import annotations

from typing import Literal, Self

import numpy as np
from scipy.special import ndtri

from ilk import RandomState, Seed, check_seed, param, take
from ilk_learners.editors.cases import (
    ORDER,
    CaseEditor,
    Cases,
    Order,
    presented,
)

_BLOCK = 128  # cases that are compared with those that are stored, at a time


class IB3(CaseEditor):
    """Store what is classified wrongly, and keep of it what proves to classify well.

    The cases are seen once, one after the other. Of each stored case it is recorded how many
    cases it has classified, and how many rightly. When a case x is seen,

    1. the nearest *acceptable* stored case y classifies it; if none is acceptable, `fallback`
       says which one does;
    2. if y is of another class, x is stored (as is the first case of all);
    3. the records of all that were stored before and are no further from x than y are updated;
       those that have become *poor* are dropped.

    A stored case is acceptable if the lower end of the confidence interval of its accuracy is
    above the upper end of that of the frequency of its class among the cases seen, and poor if
    the upper end is below the lower end of that. The interval of a proportion p of m at
    confidence c, with z the (1 + c)/2 quantile of the normal distribution, is
    ``(p + z^2/2m -+ z sqrt(p (1 - p)/m + z^2/4m^2)) / (1 + z^2/m)``, and [0, 1] for m = 0.
    In the end the acceptable ones are kept.

    Attributes
    ----------
    sample_indices_ : ndarray of int
        Cases that were kept, ascending: those acceptable at the end, or, if none is, all that
        are stored (so that nothing is never kept).
    stored_indices_ : ndarray of int
        Cases stored at the end, acceptable or not, ascending.
    n_cases_ : int
        Cases there were.
    reduction_ : float
        Share of the cases that was not kept.

    Notes
    -----
    Of cases that are equally near, the one that comes first in the data decides. The last
    stored case is never dropped. Frequencies count the cases seen before x when it is
    classified, and x too when records are judged. In the source a random rank among the stored
    cases is drawn, which amounts to a random one of them. Needs cases in hundreds: records of
    fewer are seldom significant. A class may vanish.

    References
    ----------
    .. [1] D. W. Aha, D. Kibler and M. K. Albert, "Instance-based learning algorithms", Machine
       Learning 6, 1991.

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
        doc="Confidence at which a stored case is acceptable.",
    )
    drop: float = param(default=0.7, gt=0, lt=1, doc="Confidence at which one is poor.")
    fallback: Literal["nearest", "random"] = param(
        default="nearest",
        choices=("nearest", "random"),
        doc="Which stored case classifies while none is acceptable: the nearest; or one at "
        "random, as in the source.",
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

    def _kept(self, cases: Cases) -> np.ndarray:
        from ilk_learners.editors.acceptance import Records, acceptable, see

        rng, n = check_seed(self, self.random_state), len(cases)
        order = presented(cases, self.order, rng)
        draws = rng.random_sample(n) if self.fallback == "random" else np.full(n, -1.0)
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
            known = known[records.stored[known]]
        self.stored_indices_ = np.sort(known)
        good = [acceptable(i, cases.codes[i], records, z[0]) for i in self.stored_indices_]
        return self.stored_indices_[good] if any(good) else self.stored_indices_
