"""Hierarchical navigable small worlds, over hnswlib."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

import ilk
from ilk import RandomState, Seed, param
from ilk.neighbors import training_rows
from ilk_distances.indexes.approximate import nearest
from ilk_distances.indexes.exact import paired_queries

if TYPE_CHECKING:
    from ilk import Cases, Distance, Labels

_TAKEN = ("euclidean", "minkowski", "cosine", "correlation")
_FAR = 1e15  # in units of the spread of the data: its square is within the range of float32


class HNSW(ilk.Index):
    """Hierarchical navigable small worlds: walks a graph of near rows; approximate.

    Every training row has links to near rows, on a few levels; each level has fewer rows than
    the level below. A search walks from the top level down towards the query and keeps the
    `ef_search` nearest rows it visits. hnswlib's graph works in float32, on centred and scaled
    rows. The distance itself compares the rows found again, so that distances are exact and ties
    among these rows go to the lower index. Neighbours may be missed; `ilk_distances.recall`
    measures how many. If the walk finds fewer than k rows (possible for k near n), a query is
    compared with all rows instead.

    The same seed gives the same graph: it is built by one thread.

    Attributes
    ----------
    distance_ : Distance
        As given to `fit`.
    X_ : ndarray of shape (n, n_features)
        Training rows as the distance takes them.
    n_distance_evaluations_ : int
        Number of distances computed by the distance since `fit`, without the distances that
        hnswlib computes in its graph.

    Raises
    ------
    IlkError
        If hnswlib is not installed; it comes with the extra ``ann`` of ilk.
    InputError
        If the distance is not euclidean, minkowski with p = 2, cosine or correlation (it is
        named), or k is not within 1..n.

    References
    ----------
    .. [1] Yu. A. Malkov and D. A. Yashunin, "Efficient and robust approximate nearest neighbor
       search using hierarchical navigable small world graphs", *IEEE TPAMI* 42(4), 2020.

    Examples
    --------
    >>> import ilk, numpy as np
    >>> X = np.random.default_rng(0).normal(size=(1000, 8))
    >>> index = ilk.index("hnsw", random_state=0).fit(X, distance=ilk.distance("euclidean"))
    >>> index.kneighbors(X[[7, 3]], 1)
    (array([[0.],
           [0.]]), array([[7],
           [3]]))
    """

    exact: ClassVar[bool] = False
    relies_on: ClassVar[tuple[str, ...]] = ("hnswlib",)
    n_links: int = param(
        default=16,
        ge=2,
        le=10000,
        doc="Links of a row on each level, twice as many on the lowest; 2 or more. hnswlib's M.",
    )
    ef_construction: int = param(
        default=200,
        ge=1,
        le=100000,
        doc="Number of near rows considered for the links of a new row.",
    )
    ef_search: int = param(
        default=64,
        ge=1,
        doc="Number of near rows that a search keeps; at least k.",
    )
    random_state: RandomState = param(default=None, type=Seed, doc="Seed of the levels of rows.")

    @classmethod
    def examples(cls) -> list[HNSW]:
        """Return one with the defaults, and one with a narrow search."""
        return [cls(), cls(n_links=4, ef_construction=10, ef_search=1)]

    def fit(self, X: Cases, y: Labels | None = None, *, distance: Distance) -> Self:
        """Link training rows by an already fitted distance; y is ignored."""
        self.check_parameters()
        hnswlib = _hnswlib()
        self._check_distance(distance)
        self.X_ = training_rows(self, distance, X)
        self.distance_ = distance
        self.n_distance_evaluations_ = 0
        self.frame_ = Frame.of(self.X_, distance)
        rows = self.frame_.place(self.X_)
        seed = int(ilk.check_seed(self, self.random_state).randint(2**31 - 1))
        graph = hnswlib.Index(space="l2", dim=rows.shape[1])
        graph.init_index(len(rows), self.n_links, self.ef_construction, seed)
        # one thread: the graph depends on the order of insertion, which threads would vary
        graph.add_items(rows, num_threads=1)
        self.graph_ = graph
        return self

    def kneighbors(self, Q: Any, k: int) -> tuple[np.ndarray, np.ndarray]:
        """The k nearest of the rows that a walk through the graph visits, nearest first.

        Ties go to the lower index.
        """
        check_is_fitted(self)
        n = len(self.X_)
        self.check_k(k, n)
        Q = paired_queries(self, Q)
        # a walk that keeps fewer than k rows could not answer
        self.graph_.set_ef(min(max(self.ef_search, int(k)), n))
        answers = [self._answer(Q[i : i + 1], rows, int(k)) for i, rows in enumerate(self._met(Q))]
        return np.stack([near for near, _ in answers]), np.stack([rows for _, rows in answers])

    def _met(self, Q: np.ndarray) -> list[np.ndarray | None]:
        """The rows that the walk of each query keeps, ascending; None if they are too few."""
        rows = self.frame_.place(Q)
        try:
            return list(self._walked(rows))
        except RuntimeError:  # some query of the batch has too few rows: search one by one
            visited: list[np.ndarray | None] = []
            for i in range(len(rows)):
                try:
                    visited += list(self._walked(rows[i : i + 1]))
                except RuntimeError:
                    visited.append(None)
            return visited

    def _walked(self, rows: np.ndarray) -> np.ndarray:
        visited = self.graph_.knn_query(rows, self.graph_.ef, num_threads=ilk.n_threads())[0]
        return np.sort(visited.astype(np.int64), axis=1)

    def _answer(
        self, query: np.ndarray, rows: np.ndarray | None, k: int
    ) -> tuple[np.ndarray, np.ndarray]:
        if rows is None:
            self.n_distance_evaluations_ += len(self.X_)
            near, where = self.distance_.kneighbors(query, self.X_, k)
            return near[0], where[0]
        self.n_distance_evaluations_ += len(rows)
        return nearest(self.distance_, query, self.X_, rows, k)

    def _check_distance(self, distance: Any) -> None:
        name = ilk.shipped_name(distance) or ""
        if name not in _TAKEN or (name == "minkowski" and distance.p != 2):
            raise ilk.InputError(
                f"{ilk.display_name(self)}: distance must be euclidean, minkowski with p = 2, "
                f"cosine or correlation, which hnswlib supports; got "
                f"{ilk.display_name(distance)}: {distance!r}"
            )

    def __getstate__(self) -> Any:
        state = super().__getstate__()
        graph = state.get("graph_")
        return state if graph is None else {**state, "graph_": graph.__getstate__()[0]}

    def __setstate__(self, state: Any) -> None:
        if "graph_" in state:
            _check_graph(state["graph_"], ilk.n_rows(state["X_"]))
            state = {**state, "graph_": _hnswlib().Index(state["graph_"])}
        super().__setstate__(state)


@dataclass(frozen=True)
class Frame:
    """A map of rows for hnswlib: Euclidean distances after it rank rows as the distance does.

    Attributes
    ----------
    direction : {"cosine", "correlation"} or None
        Whether only the direction of a row counts, or only that of the row minus its mean.
    center, weights : ndarray of shape (n_features,)
    scale : float
    """

    direction: str | None
    center: np.ndarray
    weights: np.ndarray
    scale: float

    @classmethod
    def of(cls, X: np.ndarray, distance: Any) -> Frame:
        """Centre and scale rows for the best precision in float32."""
        name = ilk.shipped_name(distance) or ""
        weights, zeros = np.ones(X.shape[1]), np.zeros(X.shape[1])
        if name in {"cosine", "correlation"}:
            return cls(name, zeros, weights, 1.0)
        if distance.weights is not None:
            weights = np.sqrt(np.asarray(distance.weights, dtype=float))
        # halves first: the sum of two huge numbers could overflow
        center = X.min(axis=0).astype(float) / 2 + X.max(axis=0).astype(float) / 2
        frame = cls(None, center, weights, 1.0)
        return replace(frame, scale=float(np.abs((X - center) * weights).max()) or 1.0)

    def place(self, X: np.ndarray) -> np.ndarray:
        """Return each row after the map, in float32."""
        if self.direction is not None:
            # by the largest entry first, so that squares neither overflow nor vanish
            X = X / np.maximum(np.abs(X).max(axis=1, keepdims=True), np.finfo(float).tiny)
            if self.direction == "correlation":
                X = X - X.mean(axis=1, keepdims=True)
            lengths = np.sqrt((X**2).sum(axis=1, keepdims=True))
            return np.asarray(X / np.where(lengths > 0, lengths, 1), dtype=np.float32)
        with np.errstate(over="ignore"):
            places = (X - self.center) * self.weights / self.scale
        # a query that far from all rows may lose the ranks of its neighbours, but not overflow
        return np.asarray(np.clip(places, -_FAR, _FAR), dtype=np.float32)


def _check_graph(graph: dict[str, Any], n: int) -> None:
    """Raise an error unless links lead to existing rows; hnswlib itself does not check."""
    words, wide = 1 + graph["max_M0"], 1 + graph["max_M"]  # a count, then the linked rows
    data = 4 * words
    label = data + 4 * graph["dim"]
    levels, base = graph["element_levels"], graph["data_level0"]
    expected = {
        "offset_level0": 0,
        "offset_data": data,
        "label_offset": label,
        "size_data_per_element": label + 8,
        "size_links_per_element": 4 * wide,
        "cur_element_count": n,
        "max_elements": n,
        "max_level": levels.max(),
    }
    rows = graph["label_lookup_external"], graph["label_lookup_internal"]
    fits = all(graph[name] == value for name, value in expected.items())
    fits = fits and levels.shape == (n,) and levels.min() >= 0 and graph["space"] == "l2"
    fits = fits and base.nbytes == n * (label + 8)
    fits = fits and graph["link_lists"].nbytes == 4 * wide * int(levels.sum())
    fits = fits and all(np.array_equal(np.sort(one), np.arange(n)) for one in rows)
    if not fits or levels[graph["enterpoint_node"]] != graph["max_level"]:
        raise ilk.InputError("hnsw: graph_ does not have hnswlib's memory layout")
    elements = base.view(np.uint8).reshape(n, -1)
    low = np.ascontiguousarray(elements[:, :data]).view(np.uint32)
    high = graph["link_lists"].view(np.uint32).reshape(-1, wide)
    # the levels of each row's links, as hnswlib stores them one after another
    height = np.concatenate([np.arange(1, level + 1) for level in levels.tolist()])
    labels = np.ascontiguousarray(elements[:, label:]).view(np.uint64)
    for links, least in ((low, np.zeros(n, int)), (high, height)):
        used = np.arange(links.shape[1] - 1) < links[:, :1]
        # unused places of a list are not checked
        to = np.where(used, links[:, 1:], graph["enterpoint_node"])
        if (links[:, 0] >= links.shape[1]).any() or (to >= n).any():
            raise ilk.InputError("hnsw: graph_ has links to rows out of range")
        if (levels[to] < least[:, None]).any():
            raise ilk.InputError("hnsw: graph_ has links to rows that are not on that level")
    if (labels >= n).any():
        raise ilk.InputError("hnsw: graph_ has labels out of range")


def _hnswlib() -> Any:
    try:
        import hnswlib
    except ImportError as error:
        raise ilk.IlkError(
            "hnsw needs hnswlib, which is not installed (pip install hnswlib; the "
            "extra 'ann' of ilk has it)"
        ) from error
    return hnswlib
