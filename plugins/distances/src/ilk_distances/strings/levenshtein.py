"""Levenshtein distance of texts, bytes and other sequences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

import ilk
from ilk import Param, param
from ilk_distances.strings.documents import as_list, is_missing
from ilk_distances.strings.extras import library

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ilk import Cases, Labels

Normalization = Literal["max", "metric"]


class Levenshtein(ilk.Distance):
    """Levenshtein distance: the least cost of the edits that turn one text into the other.

    An edit inserts, deletes or substitutes one symbol: a character (code point) of a text, a
    byte, or an element of a list of hashable objects. With unit weights the
    distance counts edits.

    It is a metric if insertion and deletion cost the same and no edit is free. Divided by the
    largest distance of texts of these lengths (``normalize="max"``) it is no metric: ``"ab"``
    and ``"ba"`` are at distance 1, but both are at 1/3 from ``"aba"``. With
    ``normalize="metric"`` it is a metric.

    Raises
    ------
    ParameterError
        If there are not 3 weights, or insertion and deletion differ with
        ``normalize="metric"``.
    MissingLibraryError
        If rapidfuzz is not installed (extra ``text``).
    InputError, InputTypeError
        If X is not a sequence of texts, of bytes, or of lists of hashable symbols, or mixes
        them; names the row.

    References
    ----------
    .. [1] V. I. Levenshtein, "Binary codes capable of correcting deletions, insertions, and
       reversals", Soviet Physics Doklady 10, 1966.
    .. [2] L. Yujian and L. Bo, "A normalized Levenshtein distance metric", IEEE Transactions on
       Pattern Analysis and Machine Intelligence 29, 2007.

    Examples
    --------
    >>> import ilk
    >>> d = ilk.distance("levenshtein")
    >>> d.between("kitten", "sitting")
    3.0
    >>> d.pairwise([["the", "cat", "sat"]], [["the", "dog", "sat", "down"]])
    array([[2.]])
    """

    weights: Sequence[int] | None = param(
        default=None,
        type=list,
        items=Param(int, ge=0, le=10**6),
        schema={"minItems": 3, "maxItems": 3},
        form="list of 3 integers",
        doc="Costs of insertion, deletion and substitution, from x to y; 1 each by default.",
    )
    normalize: Normalization | None = param(
        default=None,
        choices=("max", "metric"),
        doc='None: the cost. ``"max"``: the cost divided by the largest that texts of these '
        "lengths can have, which with unit weights is the length of the longer one. "
        '``"metric"``: ``2 d / (a (|x| + |y|) + d)`` where a is the cost of an insertion '
        "or deletion, which must be the same. The last two are between 0 and 1, and 0 for "
        "two empty texts.",
    )
    capabilities: ClassVar[ilk.Capabilities] = ilk.Capabilities(
        inputs=("strings",), symmetric=True, metric=True
    )
    relies_on: ClassVar[tuple[str, ...]] = ("rapidfuzz",)

    @classmethod
    def examples(cls) -> list[Levenshtein]:
        """Return one for each normalization, and others with weights."""
        return [
            cls(),
            cls(normalize="max"),
            cls(normalize="metric"),
            cls(weights=[2, 2, 3]),
            cls(weights=[1, 2, 3], normalize="max"),
        ]

    @property
    def symmetric(self) -> bool:
        """Whether insertion and deletion cost the same."""
        insert, delete, _ = self._weights()
        return insert == delete

    @property
    def metric(self) -> bool:
        """Whether insertion and deletion cost the same, no edit is free, and not divided by max."""
        return self.symmetric and min(self._weights()) > 0 and self.normalize != "max"

    def _weights(self) -> tuple[int, int, int]:
        if self.weights is None:
            return 1, 1, 1
        insert, delete, substitute = map(int, self.weights)
        return insert, delete, substitute

    def check_parameters(self) -> None:
        """Check that there are three weights, and that two are equal for ``"metric"``."""
        super().check_parameters()
        if self.weights is not None and len(self.weights) != 3:
            raise self.parameter_error("weights", f"must be 3 integers, got {self.weights!r}")
        if self.normalize == "metric" and not self.symmetric:
            raise self.parameter_error(
                "weights",
                f"must have the same cost to insert and delete with normalize='metric', got "
                f"{self.weights!r}",
            )

    def check_input(self, X: Cases, argument: str = "X") -> Sequences:
        """Return X as texts, bytes or lists; checked input is returned unchanged."""
        return _as_sequences(self, X, argument)

    def between(self, x: object, y: Labels) -> float:
        """Distance between two single sequences."""
        return float(self.pairwise([x], [y])[0, 0])

    def prepare(self, X: Cases) -> ilk.Prepared:
        """Return a handle on X, checked once."""
        return ilk.Prepared(self, self.check_input(X))

    def pairwise(self, X: Any, Y: Any = None) -> np.ndarray:
        """Distances of every sequence of X to every one of Y (X itself if left out)."""
        self.check_parameters()
        cdist = library(self, "rapidfuzz.process").cdist
        distance = library(self, "rapidfuzz.distance").Levenshtein.distance
        X, Y = self.check_pair(X, Y)
        _check_same_kind(self, X, Y)
        x, y = (X.items, Y.items) if X.kind != "lists" else _as_texts(X.items, Y.items)
        costs = cdist(
            x,
            x if Y is X else y,  # rapidfuzz compares only half the pairs of the same list
            scorer=distance,
            scorer_kwargs={"weights": self._weights()},
            dtype=np.int64,
            workers=ilk.n_threads(),
        )
        return self._related(costs.astype(float), _lengths(X.items), _lengths(Y.items))

    def _related(self, costs: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        if self.normalize is None:
            return costs
        insert, delete, substitute = self._weights()
        x = x[:, None]
        if self.normalize == "metric":
            # Yujian and Bo's normalization, which keeps the triangle inequality
            whole = insert * (x + y) + costs
            costs *= 2
        else:
            rest = np.where(x > y, delete * (x - y), insert * (y - x))
            # the dearest way: delete all and insert all, or substitute the common length
            whole = np.minimum(delete * x + insert * y, substitute * np.minimum(x, y) + rest)
        return np.asarray(np.divide(costs, whole, out=np.zeros_like(costs), where=whole > 0))


def _lengths(items: list[Any]) -> np.ndarray:
    return np.array([len(item) for item in items], dtype=float)


_CHARACTERS = 0x110000  # number of code points: up to as many symbols fit into texts


@dataclass(frozen=True)
class Sequences:
    """Sequences of one kind.

    Attributes
    ----------
    items : list of str, of bytes, or of tuple
    kind : {"texts", "bytes", "lists"}
    """

    items: list[Any]
    kind: str

    @property
    def shape(self) -> tuple[int]:
        """The number of sequences."""
        return (len(self.items),)

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, rows: np.ndarray) -> Any:
        if isinstance(rows, int | np.integer):
            return self.items[rows]
        if isinstance(rows, slice):
            return Sequences(self.items[rows], self.kind)
        return Sequences([self.items[i] for i in np.arange(len(self))[rows]], self.kind)


def _as_sequences(owner: object, X: Cases | None, argument: str = "X") -> Sequences:
    """Return a list of texts, of bytes, or of lists of hashable symbols as `Sequences`.

    Raises
    ------
    InputError, InputTypeError
        Naming the first row that is missing, of another kind than row 0, or has a symbol that is
        not hashable or does not equal itself (NaN).
    """
    if isinstance(X, Sequences):
        return X
    if isinstance(X, np.ndarray) and X.dtype.kind in "fc":
        raise ilk.InputTypeError(
            f"{ilk.display_name(owner)}: {argument} is an array of {X.dtype}, which are no "
            f"symbols; take a distance of vectors"
        )
    items = [
        _sequence(owner, item, argument, i) for i, item in enumerate(as_list(owner, X, argument))
    ]
    kinds = [_kind(item) for item in items]
    other = next((i for i, kind in enumerate(kinds) if kind != kinds[0]), None)
    if other is not None:
        raise ilk.InputTypeError(
            f"{ilk.display_name(owner)}: {argument} has {kinds[0]} at row 0 and {kinds[other]} at "
            f"row {other}, which cannot be compared"
        )
    return Sequences(items, kinds[0])


def _check_same_kind(owner: object, X: Sequences, Y: Sequences) -> None:
    """Raise an InputTypeError if X and Y have different kinds, such as texts and bytes."""
    if X.kind != Y.kind:
        raise ilk.InputTypeError(
            f"{ilk.display_name(owner)}: X has {X.kind} but Y has {Y.kind}, which cannot be "
            f"compared"
        )


def _kind(item: object) -> str:
    return "texts" if isinstance(item, str) else "bytes" if isinstance(item, bytes) else "lists"


def _sequence(owner: object, item: Any, argument: str, row: int) -> Any:
    if isinstance(item, str | bytes):
        return item
    name = ilk.display_name(owner)
    if isinstance(item, bytearray | memoryview):
        return bytes(item)
    if is_missing(item):
        raise ilk.InputError(f"{name}: {argument} has a missing value ({item}) at row {row}")
    if not isinstance(item, list | tuple) and getattr(item, "ndim", 0) != 1:
        raise ilk.InputTypeError(
            f"{name}: {argument} has a {type(item).__name__} at row {row}, expected a text, bytes "
            f"or a list of hashable symbols"
        )
    symbols = tuple(item.tolist() if isinstance(item, np.ndarray) else item)
    try:
        odd = [symbol for symbol in set(symbols) if symbol != symbol]  # noqa: PLR0124  # NaN
    except TypeError as error:
        raise ilk.InputTypeError(f"{name}: {argument} has at row {row} an {error}") from None
    if odd:
        raise ilk.InputError(f"{name}: {argument} has a missing value ({odd[0]}) at row {row}")
    return symbols


def _as_texts(
    X: Sequence[tuple[Any, ...]], Y: Sequence[tuple[Any, ...]]
) -> tuple[Sequence[Any], Sequence[Any]]:
    """Replace each symbol of both by one character, or by a number if there are too many.

    Equal symbols get equal characters; unlike with hashes, different symbols never do.
    """
    codes: dict[Any, int] = {}
    numbers = [
        [[codes.setdefault(s, len(codes)) for s in item] for item in each] for each in (X, Y)
    ]
    if len(codes) > _CHARACTERS:
        return numbers[0], numbers[1]
    x, y = (["".join(map(chr, item)) for item in each] for each in numbers)
    return x, y
