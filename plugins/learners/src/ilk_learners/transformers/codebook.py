"""codebook: sets of descriptors as histograms over words (centres of k-means)."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

import ilk
from ilk import Capabilities, RandomState, Seed, check_fitted, param
from ilk_learners.numerics import common_deviations, difference
from ilk_learners.transformers.sets import Sets, check_sets, stacked

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ilk import Cases, Component, Labels

_ROWS = 1 << 14  # rows of several sets assigned in one call


class Codebook(ilk.Transformer):
    """Histogram of a set of descriptors over the words of a codebook (bag of words).

    A set of descriptors (local features of an image, instances of a bag) is an array of shape
    (m, d), where m varies. The words are the centres of k-means over the descriptors of all
    training sets. A set becomes one vector: the number of its descriptors nearest to each word.

    A set may have weights of its descriptors, as a pair ``(descriptors, weights)`` (a signature):
    then weights are summed, and k-means uses them. The columns with the places of local features
    (`places`; see dense_sift) are ignored; the transformer pyramid uses them.

    Attributes
    ----------
    words_ : ndarray of shape (n_words, d)
    width_ : int
        Columns of a set, places included.

    Raises
    ------
    InputError
        If a set is empty, not an array of finite numbers, or has another number of columns (names
        its position). If there are fewer than `n_words` different descriptors.

    Notes
    -----
    The nearest word is exact, ties go to the first, and it does not depend on the other sets. The
    words are the same for any number of threads. scikit-learn's k-means, with one start, takes
    most of the time: n_words x max_descriptors x max_iter x d operations.

    References
    ----------
    .. [1] Zaidi 2011: sections 3.4, 10.3, 10.4.1.
    .. [2] Ntoutsi 2015: Data variety; Multi-instance data (objects as vectors).

    Examples
    --------
    >>> import ilk
    >>> X = [[[0, 0], [0, 1], [9, 9]], [[9, 8]], [[8, 9], [0, 0]]]
    >>> codebook = ilk.transformer("codebook", n_words=2, normalize=False, random_state=0).fit(X)
    >>> codebook.words_.round(2).tolist()
    [[8.67, 8.67], [0.0, 0.33]]
    >>> codebook.transform(X)
    array([[1., 2.],
           [1., 0.],
           [1., 1.]])
    """

    n_words: int = param(default=200, ge=1, doc="Number of words, the centres of k-means.")
    places: int = param(
        default=0,
        ge=0,
        doc="Number of leading columns of each set with the places of descriptors: 2 after "
        "dense_sift.",
    )
    normalize: bool = param(default=True, doc="Whether to divide histograms by their sum.")
    max_descriptors: int = param(
        default=50000,
        ge=1,
        doc="Maximal number of descriptors for k-means; of more, a random sample. They are held "
        "in their dtype and in float64: 77 MB for 128 numbers in float32.",
    )
    max_iter: int = param(default=100, ge=1, doc="Maximal iterations of k-means.")
    random_state: RandomState = param(
        default=None,
        type=Seed,
        doc="For the sample and the k-means++ initialization.",
    )
    capabilities: ClassVar[Capabilities] = Capabilities(inputs=("sets", "signatures"))

    @classmethod
    def examples(cls) -> list[Self]:
        """Examples: few words; counts without places; words from a sample."""
        return [
            cls(n_words=6),
            cls(n_words=3, places=1, normalize=False),
            cls(n_words=4, max_descriptors=20),
        ]

    def check_parameters(self) -> None:
        """Check each parameter, and that the sample is large enough for the words."""
        super().check_parameters()
        if self.max_descriptors < self.n_words:
            raise self.parameter_error(
                "max_descriptors",
                f"must be at least n_words={self.n_words}, got {self.max_descriptors}",
            )

    def fit(self, X: Cases, y: Labels | None = None) -> Self:
        """Learn the words; y is ignored.

        Parameters
        ----------
        X : list of n arrays of shape (m, d), or of n pairs of such an array and m weights
        """
        self.check_parameters()
        rng = ilk.check_seed(self, self.random_state)
        sets = check_sets(self, X)
        if sets.width <= self.places:
            raise ilk.InputError(
                f"{ilk.display_name(self)}: X has {sets.width} columns, but places="
                f"{self.places}: no column of descriptors is left"
            )
        rows, weights = self._sample(sets, rng)
        self.words_ = find_words(self, rows, weights, self.n_words, self.max_iter, rng)
        self.width_ = sets.width
        return self

    def _sample(
        self, sets: Sets, rng: np.random.RandomState
    ) -> tuple[np.ndarray, np.ndarray | None]:
        """Descriptors for k-means, in the order of the sets, and their weights."""
        ends = np.cumsum([len(rows) for rows in sets.rows])
        chosen = np.arange(ends[-1])
        if len(chosen) > self.max_descriptors:
            chosen = np.sort(rng.choice(len(chosen), self.max_descriptors, replace=False))
        parts = np.split(chosen, np.searchsorted(chosen, ends[:-1]))
        within = [part - start for part, start in zip(parts, [0, *ends[:-1]], strict=True)]
        rows = np.concatenate(
            [rows[at, self.places :] for rows, at in zip(sets.rows, within, strict=True)]
        )
        if sets.weights is None:
            return rows, None
        pairs = zip(sets.weights, within, strict=True)
        return rows, np.concatenate([weights[at] for weights, at in pairs])

    def assign(self, X: Cases) -> list[np.ndarray]:
        """Word number of each descriptor: for each set an array of shape (m,).

        Parameters
        ----------
        X : list of n arrays of shape (m, d), or of n pairs of such an array and m weights
        """
        check_fitted(self)
        return self._assigned(check_sets(self, X, width=self.width_))

    def _assigned(self, sets: Sets) -> list[np.ndarray]:
        words, codes_of_sets = Words.of(self.words_), list[np.ndarray]()
        for run, rows in stacked(sets.rows, _ROWS):
            codes = words.nearest(self, rows[:, self.places :])
            codes_of_sets += np.split(codes, np.cumsum([len(each) for each in sets.rows[run]])[:-1])
        return codes_of_sets

    def transform(self, X: Cases) -> np.ndarray:
        """Histogram of each set; array of shape (n, n_words).

        Parameters
        ----------
        X : list of n arrays of shape (m, d), or of n pairs of such an array and m weights
        """
        check_fitted(self)
        sets = check_sets(self, X, width=self.width_)
        counts = np.empty((len(sets.rows), len(self.words_)))
        for i, codes in enumerate(self._assigned(sets)):
            weights = None if sets.weights is None else sets.weights[i]
            if weights is not None and self.normalize:
                weights = weights / weights.max()  # the sum cannot overflow
            counts[i] = np.bincount(codes, weights, len(self.words_))
        if self.normalize:
            counts /= counts.sum(axis=1, keepdims=True)
        return counts.astype(sets.dtype, copy=False)

    def get_feature_names_out(self, input_features: Sequence[str] | None = None) -> Any:
        """``word0``, ``word1``, ..."""
        check_fitted(self)
        return np.array([f"word{i}" for i in range(len(self.words_))], dtype=object)


_CELLS = 1 << 20  # distances between rows and words held at once: 8 MiB
_NEAR = 1e-10  # squares that differ by less, relative to squared lengths, are recomputed exactly


def find_words(
    owner: object,
    rows: np.ndarray,
    weights: np.ndarray | None,
    n_words: int,
    max_iter: int,
    seed: Any,
) -> np.ndarray:
    """Centres of k-means with k-means++ initialization; the same for any number of threads.

    Parameters
    ----------
    owner : Component
        Named in errors.
    rows : ndarray of shape (n, d)
    weights : ndarray of shape (n,) or None
        Weight of each row.
    n_words, max_iter : int
    seed : RandomState

    Raises
    ------
    InputError
        If fewer than `n_words` rows are different.
    """
    from sklearn.cluster import KMeans
    from sklearn.exceptions import ConvergenceWarning

    if weights is not None:
        weights = weights / weights.max()  # the sum cannot overflow
        rows, weights = rows[weights > 0], weights[weights > 0]
    if len(rows) < n_words:
        raise _too_few(owner, n_words, len(rows))
    mean, near_zero, exponent = common_deviations(rows)
    model = KMeans(n_words, n_init=1, max_iter=max_iter, random_state=seed)
    with warnings.catch_warnings(), ilk.library_threads(1):
        warnings.simplefilter("ignore", ConvergenceWarning)  # checked below
        labels = model.fit_predict(near_zero.astype(rows.dtype), sample_weight=weights)
    if len(np.unique(labels)) < n_words:
        different = len(np.unique(rows, axis=0))
        if different < n_words:
            raise _too_few(owner, n_words, different)
    half = int(exponent > 0)  # the mean of the largest numbers must not overflow
    centers = np.ldexp(model.cluster_centers_.astype(float), exponent - half)
    return np.asarray(np.ldexp(centers + np.ldexp(mean, -half), half), dtype=rows.dtype)


def _too_few(owner: object, n_words: int, different: int) -> ilk.InputError:
    return ilk.InputError(
        f"{ilk.display_name(owner)}: n_words={n_words} is more than there are different "
        f"descriptors to learn from: {different}"
    )


@dataclass(frozen=True)
class Words:
    """Finds the nearest word, ties go to the first.

    Attributes
    ----------
    words : ndarray of shape (k, d)
    origin : ndarray of shape (d,)
        Their mean.
    near : ndarray of shape (k, d)
        Deviations from the origin, in units of ``2**exponent``.
    exponent : int
    """

    words: np.ndarray
    origin: np.ndarray
    near: np.ndarray
    exponent: int

    @classmethod
    def of(cls, words: np.ndarray) -> Words:
        """Centre and scale words, so that squares of differences lose no digits."""
        return cls(words.astype(float), *common_deviations(words))

    def nearest(self, owner: Component, rows: np.ndarray) -> np.ndarray:
        """The word of each row, independent of the other rows.

        Matrix products of blocks give ``|w|^2 - 2 r'w``. If two words tie within rounding, their
        differences from the row are compared.

        Raises
        ------
        InputError
            If a row is so far from all words that squares overflow.
        """
        numbers = np.empty(len(rows), dtype=np.int64)
        step = max(_CELLS // len(self.words), 1)
        for start in range(0, len(rows), step):
            block = rows[start : start + step].astype(float)
            numbers[start : start + step] = self._nearest(owner, block)
        return numbers

    def _nearest(self, owner: object, rows: np.ndarray) -> np.ndarray:
        with np.errstate(over="ignore", invalid="ignore"):
            centred = difference(rows, self.origin, self.exponent)
            # |w|^2 - 2 r'w orders the words of a row as |r - w|^2 does
            squares = centred @ (-2 * self.near.T)
            squares += np.einsum("ij,ij->i", self.near, self.near)
            lengths = np.einsum("ij,ij->i", centred, centred)
        best: np.ndarray = squares.argmin(axis=1)
        least = squares[np.arange(len(rows)), best]
        if not np.isfinite(lengths).all():
            raise ilk.InputError(
                f"{ilk.display_name(owner)}: X has a descriptor too far from all of training"
            )
        close = squares <= (least + _NEAR * (1 + lengths))[:, None]
        # words within rounding of the best: exact differences decide, and ties go to the first
        for row in np.flatnonzero(np.count_nonzero(close, axis=1) > 1):
            rivals = np.flatnonzero(close[row])
            apart = difference(self.words[rivals], rows[row], self.exponent)
            best[row] = rivals[np.square(apart).sum(axis=1).argmin()]
        return best
