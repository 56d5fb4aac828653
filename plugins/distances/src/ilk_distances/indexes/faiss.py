"""Inverted files and product quantisation, over faiss."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

import ilk
from ilk import RandomState, Seed, param
from ilk_distances.indexes.approximate import MappedIndex, Sample, checked_recall

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ilk import Cases, Distance, Labels

_LEAST_CODED = 256  # rows, at least as many as words of a code book
_PER_CELL = 64  # rows of a cell, on average, from which k-means learns its centre
_CANDIDATES = 100  # rows compared again if codes have found them, because codes are coarse


class Faiss(MappedIndex):
    """Inverted file: compares a query with the rows in the nearest cells; approximate.

    k-means divides the rows into `n_cells` cells. A search looks into the `n_probes` cells whose
    centres are nearest to the query, by faiss, in float32, on rows centred and scaled by medians.
    With `code_size`, faiss keeps each row as a code of so many bytes (product quantisation: its
    difference from the centre of the cell in `code_size` parts, each replaced by the nearest of
    256 words). The distance itself compares the nearest k rows found, and a quarter as many again
    (at least 100 with codes), so that distances are exact and ties among these rows go to the lower
    index. A query whose cells have fewer than k rows is compared with all rows.

    Neighbours in other cells are missed: `fit` measures the recall on 100 rows, chooses
    `n_probes` by it, and warns if it is below 0.8; `ilk_distances.recall` measures it on other
    queries.

    Memory in addition to the rows: ``4 n_features + 8`` bytes a row, or ``code_size + 8``. A model
    file has the centres and words only; the cells are filled again at the first search.

    Attributes
    ----------
    distance_ : Distance
        As given to `fit`.
    X_ : ndarray of shape (n, n_features)
        Training rows as the distance takes them.
    centroids_ : ndarray of float32, shape (n_cells_, n_columns)
        Centres of the cells.
    words_ : ndarray of float32, shape (code_size, 256, n_columns / code_size), or None
        Words of the codes; None if rows are kept in full.
    n_probes_ : int
    recall_ : float
        Measured by `fit` on 100 training rows: the share of their 10 nearest rows that are found.
    n_distance_evaluations_ : int
        Number of distances computed by the distance since `fit`, without those of faiss.

    Warns
    -----
    RecallWarning
        If `recall_` is below 0.8.

    Raises
    ------
    IlkError
        If faiss is not installed; it comes with the extra ``ann`` of ilk.
    InputError
        If the distance is not euclidean, minkowski with p = 2, cosine or correlation (it is
        named), or k is not within 1..n.

    References
    ----------
    .. [1] H. Jégou, M. Douze and C. Schmid, "Product quantization for nearest neighbor search",
       *IEEE TPAMI* 33(1), 2011.
    .. [2] M. Douze et al., "The Faiss library", arXiv:2401.08281, 2024.

    Examples
    --------
    >>> import ilk, numpy as np
    >>> X = np.random.default_rng(0).normal(size=(1000, 8))
    >>> index = ilk.index("faiss", random_state=0).fit(X, distance=ilk.distance("euclidean"))
    >>> index.kneighbors(X[[7, 3]], 1)
    (array([[0.],
           [0.]]), array([[7],
           [3]]))
    >>> index.recall_ >= 0.95
    True
    """

    remedy: ClassVar[str] = "more n_probes, a larger code_size"
    relies_on: ClassVar[tuple[str, ...]] = ("faiss-cpu",)
    n_cells: int | None = param(
        default=None,
        type=int,
        ge=1,
        doc="Number of cells, at most that of the rows; 4 sqrt(n) if left out.",
    )
    n_probes: int | None = param(
        default=None,
        type=int,
        ge=1,
        doc="Number of cells that a search looks into. If left out, the smallest power of two "
        "whose recall on 100 training rows reaches `recall`.",
    )
    recall: float = param(
        default=0.95, gt=0, le=1, doc="Greater than 0, at most 1: the target for `n_probes`."
    )
    code_size: int | None = param(
        default=None,
        type=int,
        ge=1,
        le=256,
        doc="Bytes of the code of a row. None: faiss keeps rows in full, as it does fewer than "
        "256 rows.",
    )
    random_state: RandomState = param(default=None, type=Seed, doc="Seed of k-means.")

    @classmethod
    def examples(cls) -> list[Faiss]:
        """Return one with the defaults, and one with codes."""
        return [cls(), cls(n_cells=4, n_probes=4, code_size=4)]

    def fit(self, X: Cases, y: Labels | None = None, *, distance: Distance) -> Self:
        """Divide training rows into cells by an already fitted distance; y is ignored."""
        self.check_parameters()
        faiss = _faiss()
        places = self._take(X, distance)
        n = len(places)
        size = self.code_size if n >= _LEAST_CODED else None
        n_cells = min(int(4 * n**0.5) if self.n_cells is None else self.n_cells, n)
        places = _padded(places, size)
        seed = int(ilk.check_seed(self, self.random_state).randint(2**31 - 1))
        index = _empty(places.shape[1], n_cells, size)
        for part in (index,) if size is None else (index, index.pq):
            part.cp.seed, part.cp.min_points_per_centroid = seed, 1
        index.cp.max_points_per_centroid = _PER_CELL
        with _threads(1):  # sums depend on the number of threads
            index.train(places)
        self.centroids_ = index.quantizer.reconstruct_n(0, n_cells)
        self.words_ = None
        if size is not None:
            self.words_ = faiss.vector_to_array(index.pq.centroids).reshape(size, 256, -1)
        self._index = self._filled(places)
        sample = Sample.of_training_rows(self)
        self.n_probes_ = self._tuned(sample) if self.n_probes is None else self.n_probes
        self.recall_ = checked_recall(self, sample)
        self.n_distance_evaluations_ = 0
        return self

    def check_loaded(self) -> None:
        """Check that centres and words have the columns of the rows."""
        super().check_loaded()
        centroids = ilk.check_stored(self, "centroids_", (None, None), kinds="f")
        n_columns = self.X_.shape[1]
        if self.words_ is not None:
            words = ilk.check_stored(self, "words_", (None, 256, None), kinds="f")
            size = len(words)
            n_columns = -(-n_columns // size) * size
            if words.shape[2] * size != n_columns or not np.isfinite(words).all():
                raise ilk.stored_fault(self, "words_ do not match the features of X_")
        if centroids.shape[1] != n_columns or not np.isfinite(centroids).all():
            raise ilk.stored_fault(self, "centroids_ do not match the features of X_")
        if not len(centroids) or type(self.n_probes_) is not int or self.n_probes_ < 1:
            raise ilk.stored_fault(self, "there must be a cell, and a number of probes")

    def __getstate__(self) -> Any:
        state = super().__getstate__()
        return {**state, "_index": None} if "_index" in state else state

    def _walked(self, places: np.ndarray, k: int) -> np.ndarray:
        index, size = self._index, self._size
        if index is None:  # loaded from a file
            rows = self._distinct(self.frame_.place(self.X_))
            index = self._index = self._filled(_padded(rows, size))
        wanted = self._wanted(k)
        if size is not None:
            wanted = min(max(wanted, _CANDIDATES), self._n_places)
        parameters = _faiss().SearchParametersIVF(nprobe=min(self.n_probes_, index.nlist))
        with _threads(ilk.n_threads()):
            found = index.search(_padded(places, size), wanted, params=parameters)[1]
        return np.asarray(found)

    def _tuned(self, sample: Sample) -> int:
        """The smallest power of two of probes that reaches the recall, or that of all cells."""
        self.n_probes_ = 1
        while self.n_probes_ < len(self.centroids_) and sample.shares(self).mean() < self.recall:
            self.n_probes_ *= 2
        return self.n_probes_

    @property
    def _size(self) -> int | None:
        """Bytes of the codes; None if rows are kept in full."""
        return None if self.words_ is None else len(self.words_)

    def _filled(self, places: np.ndarray) -> Any:
        """The index of faiss with the centres, the words and all places."""
        faiss, (n_cells, n_columns) = _faiss(), self.centroids_.shape
        index = _empty(n_columns, n_cells, self._size)
        index.quantizer.add(self.centroids_)
        if self.words_ is not None:
            faiss.copy_array_to_vector(
                np.ascontiguousarray(self.words_).ravel(), index.pq.centroids
            )
            index.precompute_table()
        index.is_trained = True
        with _threads(ilk.n_threads()):
            index.add(places)
        return index


def _empty(n_columns: int, n_cells: int, size: int | None) -> Any:
    """An index of faiss that is neither trained nor filled."""
    faiss = _faiss()
    centres = faiss.IndexFlatL2(n_columns)
    if size is None:
        return faiss.IndexIVFFlat(centres, n_columns, n_cells)
    return faiss.IndexIVFPQ(centres, n_columns, n_cells, size, 8)


def _padded(places: np.ndarray, size: int | None) -> np.ndarray:
    """Places with columns of zeros, so that the parts of codes are of equal width."""
    more = 0 if size is None else -places.shape[1] % size
    return np.pad(places, ((0, 0), (0, more))) if more else np.ascontiguousarray(places)


@contextmanager
def _threads(number: int) -> Iterator[None]:
    """Let faiss use so many threads, and then as many as before."""
    faiss = _faiss()
    before = faiss.omp_get_max_threads()
    faiss.omp_set_num_threads(number)
    try:
        yield
    finally:
        faiss.omp_set_num_threads(before)


def _faiss() -> Any:
    try:
        import faiss
    except ImportError as error:
        raise ilk.IlkError(
            "faiss needs faiss-cpu, which is not installed (pip install faiss-cpu; the extra "
            "'ann' of ilk has it)"
        ) from error
    return faiss
