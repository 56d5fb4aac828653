"""Hierarchical navigable small worlds, over hnswlib."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

import ilk
from ilk import RandomState, Seed, param
from ilk_distances.indexes.approximate import MappedIndex, checked_recall

if TYPE_CHECKING:
    from ilk import Cases, Distance, Labels


class HNSW(MappedIndex):
    """Hierarchical navigable small worlds: walks a graph of near rows; approximate.

    Every training row has links to near rows, on a few levels; each level has fewer rows than
    the level below. A search walks from the top level down towards the query and keeps the
    `ef_search` nearest rows it visits. hnswlib's graph works in float32, on rows centred and
    scaled by medians; rows equal in float32 are one node. The distance itself compares the nearest
    k rows found, and a quarter as many again, so that distances are exact and ties among these
    rows go to the lower index. If the walk finds fewer than k rows (possible for k near n), a
    query is compared with all rows instead.

    Neighbours may be missed: `fit` measures the recall on 100 rows and warns if it is below 0.8;
    `ilk_distances.recall` measures it on other queries.

    Memory in addition to the rows: ``4 n_features + 8 n_links + 12`` bytes a row, and links of
    higher levels.

    The same seed gives the same graph: it is built by one thread.

    Attributes
    ----------
    distance_ : Distance
        As given to `fit`.
    X_ : ndarray of shape (n, n_features)
        Training rows as the distance takes them.
    recall_ : float
        Measured by `fit` on 100 training rows: the share of their 10 nearest rows that are found.
    n_distance_evaluations_ : int
        Number of distances computed by the distance since `fit`, without the distances that
        hnswlib computes in its graph.

    Warns
    -----
    RecallWarning
        If `recall_` is below 0.8.

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

    remedy: ClassVar[str] = "a larger ef_search"
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
        places = self._take(X, distance)
        seed = int(ilk.check_seed(self, self.random_state).randint(2**31 - 1))
        graph = hnswlib.Index(space="l2", dim=places.shape[1])
        graph.init_index(len(places), self.n_links, self.ef_construction, seed)
        # one thread: the graph depends on the order of insertion, which threads would vary
        graph.add_items(places, num_threads=1)
        self.graph_ = graph
        self.recall_ = checked_recall(self)
        return self

    def _walked(self, places: np.ndarray, k: int) -> np.ndarray:
        n = self._n_places
        wanted = self._wanted(k)
        # a walk that keeps fewer rows could not answer
        self.graph_.set_ef(min(max(self.ef_search, wanted), n))
        try:
            return self._visited(places, wanted)
        except RuntimeError:  # some query of the batch has too few rows: search one by one
            found = np.full((len(places), wanted), -1)
            for i in range(len(places)):
                with suppress(RuntimeError):
                    found[i] = self._visited(places[i : i + 1], wanted)
            return found

    def _visited(self, places: np.ndarray, wanted: int) -> np.ndarray:
        found = self.graph_.knn_query(places, wanted, num_threads=ilk.n_threads())[0]
        return np.asarray(found).view(np.int64)

    def __getstate__(self) -> Any:
        state = super().__getstate__()
        graph = state.get("graph_")
        return state if graph is None else {**state, "graph_": graph.__getstate__()[0]}

    def __setstate__(self, state: Any) -> None:
        if "graph_" in state:
            starts = state["starts_"]
            n = ilk.n_rows(state["X_"]) if starts is None else len(starts) - 1
            _check_graph(state["graph_"], n)
            state = {**state, "graph_": _hnswlib().Index(state["graph_"])}
        super().__setstate__(state)


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
