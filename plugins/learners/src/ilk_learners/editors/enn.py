"""enn: edited nearest neighbours."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal, Self

import numpy as np

from ilk import (
    Capabilities,
    Editor,
    Param,
    check_labels,
    fit_component,
    take,
)
from ilk_learners.neighborhoods import neighbors_of_others
from ilk_learners.objects import check_objects
from ilk_learners.votes import first_voter, leaders, tally


class ENN(Editor):
    """Remove the cases that disagree with their neighbours (edited nearest neighbours).

    Every case is compared with its k nearest among all the other cases of the whole set;
    those that disagree are removed at the end, in one go, so that the order of the cases
    does not matter beyond ties of distance (which go to the earlier case). A case is left
    out of its own neighbours by its number: a twin, equal to it, stays among them.

    Parameters
    ----------
    k : int, default=3
        How many neighbours are asked.
    distance : distance, default="euclidean"
        Any; it is fitted on the cases.
    index : index, default="brute"
        How neighbours are found.
    rule : {"plurality", "all"}, default="plurality"
        Removed when the class most frequent among the neighbours is another (Wilson's rule),
        or already when any neighbour is of another class.
    ties : {"keep", "remove", "nearest"}, default="keep"
        What becomes, under "plurality", of a case whose class shares the most votes with
        another: it stays; it goes; or the nearest neighbour of the classes that share them
        decides.

    Attributes
    ----------
    sample_indices_ : ndarray of int
        Cases that were kept, ascending.
    n_cases_ : int
        Cases there were.
    reduction_ : float
        Share of the cases that was removed.

    Raises
    ------
    InputError
        If there are not more than k cases.

    Notes
    -----
    imbalanced-learn's EditedNearestNeighbours has "all" as its default; its
    ``kind_sel="mode"`` gives ties to the class that comes first.

    References
    ----------
    .. [1] D. L. Wilson, "Asymptotic properties of nearest neighbor rules using edited data",
       IEEE Transactions on Systems, Man and Cybernetics 2(3), 1972.

    Examples
    --------
    >>> import ilk
    >>> X = [[0.0], [0.1], [0.2], [0.3], [5.0], [5.1], [5.2], [5.3]]
    >>> y = ["a", "a", "b", "a", "b", "b", "b", "b"]
    >>> editor = ilk.editor("enn")
    >>> X_kept, y_kept = editor.fit_resample(X, y)
    >>> editor.sample_indices_.tolist(), editor.reduction_
    ([0, 1, 3, 4, 5, 6, 7], 0.125)
    """

    parameters: ClassVar[Mapping[str, Param]] = {
        "k": Param(int, ge=1, doc="How many neighbours are asked."),
        "distance": Param(slot="distance", doc="How far apart cases are."),
        "index": Param(slot="index", doc="How neighbours are found."),
        "rule": Param(
            choices=("plurality", "all"), doc="How many neighbours must be of the same class."
        ),
        "ties": Param(
            choices=("keep", "remove", "nearest"), doc="If classes share the most votes."
        ),
    }
    capabilities: ClassVar[Capabilities] = Capabilities(
        inputs=(
            "vectors",
            "histograms",
            "tables",
            "strings",
            "signatures",
            "sets",
            "views",
            "indices",
        )
    )

    def __init__(
        self,
        k: int = 3,
        distance: Any = "euclidean",
        index: Any = "brute",
        rule: Literal["plurality", "all"] = "plurality",
        ties: Literal["keep", "remove", "nearest"] = "keep",
    ) -> None:
        self.k = k
        self.distance = distance
        self.index = index
        self.rule = rule
        self.ties = ties

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(), cls(rule="all"), cls(k=2, ties="nearest"), cls(k=2, ties="remove")]

    def fit_resample(self, X: Any, y: Any) -> tuple[Any, Any]:
        """Return the cases that are kept, and their labels, of the types that were given.

        Parameters
        ----------
        X : data of n rows, of any kind that the distance takes
        y : array of shape (n,)
        """
        self.check_parameters()
        distance = self.resolve_slot("distance")
        Z = check_objects(self, distance, X, reset=True)
        classes, codes = check_labels(self, y, Z)
        distance = fit_component(distance, Z, classes[codes])
        index = fit_component(self.resolve_slot("index"), Z, classes[codes], distance=distance)
        _, rows = neighbors_of_others(self, index, Z, self.k)
        self.n_cases_ = len(codes)
        self.sample_indices_ = np.flatnonzero(self._agree(codes, codes[rows], len(classes)))
        return take(X, self.sample_indices_), take(y, self.sample_indices_)

    def _agree(self, own: np.ndarray, others: np.ndarray, n_classes: int) -> np.ndarray:
        """Mask of the cases that their neighbours agree with."""
        if self.rule == "all":
            return np.asarray((others == own[:, None]).all(axis=1))
        best = leaders(tally(others, None, n_classes))
        if self.ties == "nearest":
            return np.asarray(first_voter(best, others) == own)
        among = np.take_along_axis(best, own[:, None], axis=1)[:, 0]
        return np.asarray(among if self.ties == "keep" else among & (best.sum(axis=1) == 1))
