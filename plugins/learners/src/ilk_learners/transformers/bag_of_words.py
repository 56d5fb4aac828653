"""bag_of_words: texts as sparse rows of weights of words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np

from ilk import (
    Capabilities,
    InputError,
    InputTypeError,
    Transformer,
    as_table,
    check_fitted,
    check_stored,
    display_name,
    is_sparse,
    is_table,
    n_rows,
    param,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sklearn.feature_extraction.text import CountVectorizer

    from ilk import Cases, Labels


class BagOfWords(Transformer):
    """Turn each text into a sparse row with a weight for every word of a vocabulary.

    The vocabulary are the words (or sequences of words or characters) of the training texts, as
    scikit-learn's CountVectorizer finds them: runs of two or more letters and digits. The weight
    of a word is its count, 1 + ln count, or 1, times its inverse document frequency
    ``ln((1 + n) / (1 + df)) + 1``, with df of the n training texts containing it; rows are then
    divided by their norm. Words outside the vocabulary are ignored: a text without known words is
    a row of zeros, which the distance cosine refuses. Euclidean distances of rows of norm 1 rank
    as cosine distances do, and take it.

    Attributes
    ----------
    vocabulary_ : ndarray of str, shape (p,)
        Sorted.
    idf_ : ndarray of shape (p,)
        Inverse document frequencies; ones without `idf`.

    Raises
    ------
    InputTypeError
        If X is no list of texts (names the row).
    InputError
        If no word is left for the vocabulary.

    References
    ----------
    G. Salton and C. Buckley, "Term-weighting approaches in automatic text retrieval", *Information
    Processing and Management* 24, 1988.

    Cunningham 2008: section 2.4.2.2.

    Examples
    --------
    >>> import ilk
    >>> bag = ilk.transformer("bag_of_words", idf=False, norm=None)
    >>> bag.fit_transform(["red car", "blue car, red door"]).toarray()
    array([[0., 1., 0., 1.],
           [1., 1., 1., 1.]])
    >>> bag.vocabulary_.tolist()
    ['blue', 'car', 'door', 'red']
    """

    unit: Literal["word", "character"] = param(
        default="word", choices=("word", "character"), doc="What is counted."
    )
    shortest: int = param(default=1, ge=1, doc="Units in the shortest sequence that is counted.")
    longest: int = param(default=1, ge=1, doc="Units in the longest sequence that is counted.")
    frequency: Literal["count", "log", "binary"] = param(
        default="count",
        choices=("count", "log", "binary"),
        doc="Weight of a word that occurs in a text: its count, 1 + ln count, or 1.",
    )
    idf: bool = param(default=True, doc="Whether to multiply by inverse document frequencies.")
    norm: Literal["l2", "l1"] | None = param(
        default="l2", choices=("l2", "l1"), none=True, doc="Norm that rows are divided by."
    )
    min_df: int = param(default=1, ge=1, doc="Fewest training texts that contain a word.")
    lowercase: bool = param(default=True, doc="Whether to ignore case.")
    relies_on: ClassVar[tuple[str, ...]] = ("scikit-learn",)
    capabilities: ClassVar[Capabilities] = Capabilities(inputs=("strings",))

    @classmethod
    def examples(cls) -> list[Self]:
        """Return words with their weights, and characters."""
        return [
            cls(),
            cls(unit="character", shortest=2, longest=3, frequency="log", min_df=2),
            cls(unit="character", frequency="binary", idf=False, norm=None),
        ]

    def check_parameters(self) -> None:
        """Check each parameter, and that no sequence is longer than the longest."""
        super().check_parameters()
        if self.shortest > self.longest:
            raise self.parameter_error(
                "shortest", f"must be at most longest ({self.longest}), got {self.shortest}"
            )

    def fit(self, X: Cases, y: Labels | None = None) -> Self:
        """Learn the vocabulary and document frequencies; y is ignored."""
        self._learn(X)
        return self

    def transform(self, X: Cases) -> Any:
        """Weights of words; CSR array of shape (n, p)."""
        check_fitted(self)
        counter = self._counter(self.vocabulary_.tolist())
        return self._weighted(counter.transform(_texts(self, X)))

    def _fit_transform(self, X: Cases, y: Labels | None) -> Any:
        return self._weighted(self._learn(X))

    def _learn(self, X: Cases) -> Any:
        """Learn from texts; return their counts."""
        from sklearn.feature_extraction.text import TfidfTransformer

        self.check_parameters()
        counter = self._counter(None)
        try:
            counts = counter.fit_transform(_texts(self, X))
        except ValueError as error:  # an empty vocabulary, or no word that is frequent enough
            raise InputError(f"{display_name(self)}: X: {error}") from None
        self.vocabulary_ = np.asarray(counter.get_feature_names_out(), dtype=str)
        self.idf_ = np.ones(len(self.vocabulary_))
        if self.idf:
            self.idf_ = np.asarray(TfidfTransformer().fit(counts).idf_)
        return counts

    def _counter(self, vocabulary: list[str] | None) -> CountVectorizer:
        from sklearn.feature_extraction.text import CountVectorizer

        return CountVectorizer(
            analyzer="word" if self.unit == "word" else "char",
            ngram_range=(int(self.shortest), int(self.longest)),
            lowercase=self.lowercase,
            min_df=int(self.min_df) if vocabulary is None else 1,
            binary=self.frequency == "binary",
            vocabulary=vocabulary,
        )

    def _weighted(self, counts: Any) -> Any:
        import scipy.sparse as sp

        rows = sp.csr_array(counts, dtype=float)
        rows.sort_indices()
        if self.frequency == "log":
            rows.data = 1 + np.log(rows.data)
        rows.data *= self.idf_[rows.indices]
        if self.norm is not None:
            sizes = rows.multiply(rows) if self.norm == "l2" else rows
            totals = np.ravel(sizes.sum(axis=1))
            lengths = np.sqrt(totals) if self.norm == "l2" else totals
            rows.data /= np.repeat(lengths, np.diff(rows.indptr))
        return rows

    def check_loaded(self) -> None:
        """Check that every word has a document frequency."""
        check_stored(self, "idf_", (len(self.vocabulary_),), kinds="f")

    def get_feature_names_out(self, input_features: Sequence[str] | None = None) -> Any:
        """The vocabulary."""
        check_fitted(self)
        return self.vocabulary_.astype(object)


def _texts(owner: object, X: Any) -> list[str]:
    """Return a list of texts, also from an array, a column, or a table of one column.

    Raises
    ------
    InputError, InputTypeError
        If there are no texts, or X is one text, or has something else (names the row).
    """
    name, X = display_name(owner), as_table(X)
    if isinstance(X, str | bytes):
        raise InputError(f"{name}: X must be a list of texts, got the single text {X[:40]!r}")
    if is_table(X) and X.shape[1] == 1:
        X = X.iloc[:, 0]
    if getattr(X, "ndim", 1) == 2 and X.shape[1] == 1 and not is_sparse(X):
        X = X[:, 0]
    if getattr(X, "ndim", 1) != 1 or is_table(X):
        raise InputTypeError(f"{name}: X must be a list of texts, got shape {X.shape}")
    if n_rows(X) == 0:
        raise InputError(f"{name}: X has 0 rows, at least one is needed")
    texts = list(X)
    other = next((row for row, text in enumerate(texts) if not isinstance(text, str)), None)
    if other is not None:
        kind = type(texts[other]).__name__
        raise InputTypeError(f"{name}: X must be a list of texts, got a {kind} at row {other}")
    return texts
