"""icf: iterative case filtering."""

from __future__ import annotations

from typing import Self

import numpy as np

from ilk import IndexLike, param, slot, take
from ilk_learners.editors.agreement import NOISE, Noise, without_noise
from ilk_learners.editors.case_editor import CaseEditor, EditedCases

_BLOCK = 2**21  # distances held at once (16 MiB), of at least one case


class ICF(CaseEditor):
    """Remove noise, then cases with more solvers than solved cases (iterative case filtering).

    The local set of a case x holds the other cases of its class that are nearer to it than its
    nearest unlike neighbour (the nearest case of another class):
    ``L(x) = {c : class(c) = class(x), d(x, c) < min over other classes of d(x, z)}``.

    - ``Reachability(x) = L(x)``: the cases that can solve x;
    - ``Coverage(c) = {x : c in L(x)}``: the cases that c can solve.

    After the noise filter, all cases with ``|Reachability(x)| > |Coverage(x)|`` are removed
    together. This repeats with the sets of the remaining cases until there are none. Cases far
    inside a class are removed first. The order of the cases matters only for ties of distance in
    the noise filter: they go to the earlier case.

    Attributes
    ----------
    sample_indices_ : ndarray of int
        Numbers of the kept cases, ascending.
    n_cases_ : int
        Number of input cases.
    reduction_ : float
        Removed share of the cases.
    n_passes_ : int
        Number of passes after the noise filter; the last one removed nothing.

    Raises
    ------
    InputError
        If there are not more than k cases.

    Notes
    -----
    Here a case is not in its own sets; the rule does not depend on that. Equal cases of different
    classes have empty local sets: the nearest other class is at distance 0. Each pass computes all
    distances among the remaining cases in blocks, and only counts. Sets may be as large as classes,
    but none is stored: memory for n numbers and a block.

    References
    ----------
    .. [1] H. Brighton and C. Mellish, "Advances in instance selection for instance-based learning
       algorithms", Data Mining and Knowledge Discovery 6, 2002.
    .. [2] Cunningham 2008: section 2.4.4.2 (with a noise pass like "renn").

    Examples
    --------
    >>> import ilk
    >>> X = [[0.0], [1.0], [2.0], [3.0], [6.0], [7.0], [8.0], [9.0]]
    >>> editor = ilk.editor("icf")
    >>> X_kept, y_kept = editor.fit_resample(X, list("aaaabbbb"))
    >>> editor.sample_indices_.tolist(), editor.n_passes_
    ([1, 2, 3, 4, 5, 6], 2)
    """

    k: int = param(default=3, ge=1, doc="Number of neighbours of the noise filter.")
    index: IndexLike = slot(
        "index", default="brute", doc="Search for the neighbours of the noise filter."
    )
    noise: Noise = NOISE

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(), cls(k=2, noise="renn"), cls(noise="none")]

    def _kept(self, cases: EditedCases) -> np.ndarray:
        rows = without_noise(cases, self.k, self.noise)
        self.n_passes_ = 0
        while True:
            self.n_passes_ += 1
            reachability, coverage = local_set_sizes(cases, rows)
            # a case solved by more cases than it solves is redundant; all are judged before any is
            # removed
            stays = reachability <= coverage
            if stays.all():
                return rows
            rows = rows[stays]


def local_set_sizes(cases: EditedCases, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Sizes of the reachability and coverage sets of the cases in `rows`, among these.

    Returns
    -------
    reachability, coverage : ndarrays of int, shape (len(rows),)
    """
    from ilk_learners.editors.editing_kernels import count_local_sets

    X, codes = take(cases.X, rows), cases.codes[rows]
    reachability, coverage = np.zeros((2, len(rows)), dtype=np.int64)
    size = max(_BLOCK // max(len(rows), 1), 1)
    for start in range(0, len(rows), size):
        block = take(X, np.arange(start, min(start + size, len(rows))))
        D = np.asarray(cases.distance.pairwise(block, X))
        count_local_sets(D, start, codes, reachability, coverage)
    return reachability, coverage
