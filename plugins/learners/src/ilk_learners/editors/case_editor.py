"""Shared by editors: the cases, their cached neighbours, and the order of presentation."""

from __future__ import annotations

from abc import abstractmethod
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from ilk import (
    INPUT_KINDS,
    Capabilities,
    DistanceLike,
    Editor,
    Seed,
    check_labels,
    check_seed,
    fit_component,
    is_frozen,
    param,
    slot,
    take,
)
from ilk.neighbors import Brute
from ilk_learners.neighbors import neighbors_of_others
from ilk_learners.validation import check_objects, with_input_tags

if TYPE_CHECKING:
    from ilk import Cases, Component, Distance, Labels, RandomState

Order = Literal["given", "random", "nun"]

INDEX: Any = slot("index", default="brute", doc="Search for the neighbours.")
RANDOM_STATE: Any = param(default=None, type=Seed, doc='For ``order="random"``.')
ORDER: Any = param(
    default="given",
    choices=("given", "random", "nun"),
    doc="In which order the cases are seen: as they come; shuffled; or those first that "
    "are nearest to a case of another class, ties as they come.",
)


class EditedCases:
    """The cases of an editor and the distances between them.

    With an asymmetric distance the case to be classified is the query: distances are measured from
    it to the others.

    Attributes
    ----------
    X : data of n rows
        In the form checked by the distance.
    codes : ndarray of int, shape (n,)
        Class of each case, 0 .. n_classes - 1.
    n_classes : int
    distance : Distance
        Fitted on the cases.
    """

    def __init__(
        self,
        owner: Component,
        X: Cases,
        codes: np.ndarray,
        n_classes: int,
        distance: Distance,
        *,
        part: bool = False,
    ) -> None:
        self.owner = owner
        self.X = X
        self.codes = codes
        self.n_classes = n_classes
        self.distance = distance
        self._part = part
        self._near: tuple[np.ndarray, np.ndarray] | None = None

    def __len__(self) -> int:
        return len(self.codes)

    @cached_property
    def index(self) -> Any:
        """The owner's index, fitted on the cases."""
        index = self.owner.seeded_slot("index")
        if self._part and is_frozen(index):  # a frozen index holds other cases
            index = Brute()
        return fit_component(index, self.X, self.codes, distance=self.distance)

    def neighbors(self, k: int) -> tuple[np.ndarray, np.ndarray]:
        """Distances and numbers of the k nearest other cases of each, ties by lower number.

        Cached: asking again for as many or fewer costs nothing.
        """
        if self._near is None or self._near[1].shape[1] < k:
            self._near = neighbors_of_others(self.owner, self.index, self.X, k)
        return self._near[0][:, :k], self._near[1][:, :k]

    def only(self, rows: np.ndarray) -> EditedCases:
        """Restrict to a subset of the cases, perhaps of fewer classes."""
        classes, codes = np.unique(self.codes[rows], return_inverse=True)
        X = take(self.X, rows)
        return EditedCases(self.owner, X, codes, len(classes), self.distance, part=True)

    @cached_property
    def nun(self) -> tuple[np.ndarray, np.ndarray]:
        """Distance to the nearest unlike neighbour of each case, and its number.

        The nearest unlike neighbour is the nearest case of another class, ties by lower number;
        infinity and -1 if there is no other class. Memory: the result and one block.
        """
        distances = np.full(len(self), np.inf)
        numbers = np.full(len(self), -1, dtype=np.intp)
        for code in range(self.n_classes if self.n_classes > 1 else 0):
            members, others = np.flatnonzero(self.codes == code), np.flatnonzero(self.codes != code)
            near, nearest = self.distance.kneighbors(take(self.X, members), take(self.X, others), 1)
            distances[members], numbers[members] = near[:, 0], others[nearest[:, 0]]
        return distances, numbers


def presented(cases: EditedCases, order: Order, random_state: RandomState) -> np.ndarray:
    """Numbers of the cases in their order of presentation.

    "given": in data order; "random": shuffled; "nun": by the distance to the nearest case of
    another class (nearest unlike neighbour), ties in data order.
    """
    if order == "random":
        return check_seed(cases.owner, random_state).permutation(len(cases))
    if order == "nun":
        return np.argsort(cases.nun[0], kind="stable")
    return np.arange(len(cases))


class CaseEditor(Editor):
    """An editor that selects cases of any kind by the distances between them.

    A subclass gives `_kept`, and declares `index` where it asks for neighbours.
    """

    distance: DistanceLike = slot(
        "distance", default="euclidean", doc="Any; it is fitted on the cases."
    )

    capabilities: ClassVar[Capabilities] = Capabilities(inputs=INPUT_KINDS, sparse=True)

    def __sklearn_tags__(self) -> Any:
        tags = with_input_tags(self, "distance", super().__sklearn_tags__())
        index = self.resolve_slot("index") if "index" in self.parameters else None
        tags.input_tags.sparse &= index is None or index.capabilities.sparse
        return tags

    @abstractmethod
    def _kept(self, cases: EditedCases) -> np.ndarray:
        """Numbers of the cases to keep, ascending."""

    def fit_resample(self, X: Cases, y: Labels) -> tuple[Any, Any]:
        """Return the kept cases and their labels, in the types of the input.

        Parameters
        ----------
        X : data of n rows, of any kind that the distance takes
        y : array of shape (n,)
        """
        cases = self.cases(X, y)
        self.n_cases_ = len(cases)
        self.sample_indices_ = self._kept(cases)
        return take(X, self.sample_indices_), take(y, self.sample_indices_)

    def cases(self, X: Cases, y: Labels | None) -> EditedCases:
        """Check the cases and their labels, and fit the distance on them."""
        self.check_parameters()
        distance: Any = self.seeded_slot("distance")
        Z = check_objects(self, distance, X, reset=True)
        classes, codes = check_labels(self, y, Z)
        distance = fit_component(distance, Z, classes[codes])
        distance.check_input(Z)  # check all rows here: errors then name the row in X
        return EditedCases(self, Z, codes, len(classes), distance)
