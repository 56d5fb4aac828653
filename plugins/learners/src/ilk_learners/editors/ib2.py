"""ib2: instance-based learning that stores what it would get wrong."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from ilk_learners.editors.cases import (
    DISTANCE,
    ORDER,
    RANDOM_STATE,
    CaseEditor,
    Cases,
    Order,
    presented,
)
from ilk_learners.editors.cnn import Store

if TYPE_CHECKING:
    from ilk import Param


class IB2(CaseEditor):
    """Store, in one pass, the cases that the nearest stored case classifies wrongly.

    The cases are seen once, one after the other. The first is stored, and then each one that is
    of another class than the nearest of those stored so far. It is the first pass of condensed
    nearest neighbour (the editor cnn), so cases seen early may be wrong in the end; noise is
    stored almost always.

    Parameters
    ----------
    distance : distance, default="euclidean"
        Any; it is fitted on the cases.
    order : {"given", "random", "nun"}, default="given"
        In which order the cases are seen: as they come; shuffled; or those first that are
        nearest to a case of another class, ties as they come.
    random_state : None, int, RandomState or Generator, default=None
        For ``order="random"``.

    Attributes
    ----------
    sample_indices_ : ndarray of int
        Cases that were stored, ascending.
    n_cases_ : int
        Cases there were.
    reduction_ : float
        Share of the cases that was not stored.

    Notes
    -----
    Of stored cases that are equally near, the one that comes first in the data decides.

    References
    ----------
    .. [1] D. W. Aha, D. Kibler and M. K. Albert, "Instance-based learning algorithms", Machine
       Learning 6, 1991.

    Examples
    --------
    >>> import ilk
    >>> X = [[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]]
    >>> editor = ilk.editor("ib2")
    >>> X_kept, y_kept = editor.fit_resample(X, ["a", "a", "a", "b", "b", "b"])
    >>> editor.sample_indices_.tolist()  # 2 was seen before 3 was stored
    [0, 3]
    """

    parameters: ClassVar[Mapping[str, Param]] = {
        "distance": DISTANCE,
        "order": ORDER,
        "random_state": RANDOM_STATE,
    }

    def __init__(
        self, distance: Any = "euclidean", order: Order = "given", random_state: Any = None
    ) -> None:
        self.distance = distance
        self.order = order
        self.random_state = random_state

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(), cls(order="nun"), cls(order="random", random_state=0)]

    def _kept(self, cases: Cases) -> np.ndarray:
        store = Store(cases)
        store.see(presented(cases, self.order, self.random_state))
        return np.flatnonzero(store.kept)
