"""Distances composed of parts, one for each view, and pairs of training rows for learning."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import ilk
from ilk import DistanceLike, Views, ViewsLike, param, slots

if TYPE_CHECKING:
    from ilk import Cases, Distance, Labels

_SHARED = 16  # pairs that share a row, so that distances are computed several at a time


class OfParts(ilk.Distance):
    """A distance composed of the distances of parts; subclasses combine them.

    `fit` sets ``parts_``, the fitted distances by name; ``columns_``, the positions of the
    columns of each, or None if all compare whole objects; ``n_features_in_`` and
    ``feature_names_in_`` for data with columns.
    """

    parts: Mapping[str, DistanceLike] | None = slots(
        "distance",
        default=None,
        many=dict,
        doc="A distance for each view, by its name; heterogeneous for each by default.",
    )
    views: ViewsLike | None = param(
        default=None,
        type=Views,
        doc="The columns of each view: names, positions (of an array, or where no column of a data "
        'frame has this name), or patterns of names (``"shape_*"``). "data": in an experiment, '
        "the views that the data set brings. Views without a part, and columns without a view, "
        "are left out.",
    )

    @property
    def aligns_columns(self) -> bool:
        """Whether views, or the parts, look after the columns."""
        return True

    @property
    def symmetric(self) -> bool:
        """Whether all parts are symmetric."""
        return all(part.symmetric for part in self._distances().values())

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = all(p.capabilities.nan for p in self._distances().values())
        return tags

    def check_parameters(self) -> None:
        """Check that there is a view for each part."""
        super().check_parameters()
        if self.parts is not None and not self.parts:
            raise self.parameter_error("parts", "must name at least one part, got none")
        if self.views is None or isinstance(self.views, str):  # the views of a data set
            return
        ilk.check_views(self, self.views)
        for name in self.parts or ():
            if name not in self._views():
                hint = ilk.did_you_mean(name, [v for v in self._views() if isinstance(v, str)])
                raise self.parameter_error("parts", f"must name views, got {name!r}{hint}")

    def _distances(self) -> dict[str, Any]:
        """Distances of the parts by name: fitted after `fit`, unfitted before."""
        if hasattr(self, "parts_"):
            return dict(self.parts_)
        if self.parts is not None:
            return dict(self.seeded_slot("parts"))
        return {name: ilk.distance("ilk-distances/heterogeneous") for name in self._names()}

    def _names(self) -> list[str]:
        """Names of the parts."""
        if self.parts is not None:
            return list(self.parts)
        whole = self.views is None or isinstance(self.views, str)
        return ["all"] if whole else list(self._views())

    def _views(self) -> Mapping[Any, Any]:
        """Views by name; the views of a list are named by position."""
        return self.views if isinstance(self.views, Mapping) else dict(enumerate(self.views or ()))

    def _fit_parts(self, X: Cases | None, y: Labels | None) -> Viewed:
        """Fit the distance of each part on its view; return the checked views."""
        for name in ("parts_", "widths_", "feature_names_in_", "n_features_in_"):
            self.__dict__.pop(name, None)
        X = ilk.as_table(X)
        self.parts_ = self._distances()
        self.columns_: dict[str, np.ndarray] | None = None
        if self.views is not None:
            whole = isinstance(self.views, str)  # an error: no data set replaced the name
            views = self.views if whole else {name: self._views()[name] for name in self.parts_}
            ilk.learn_views(self, X, views)
        for name, view in self.views_of(X):
            with naming(self, name):
                self.parts_[name] = ilk.fit_component(self.parts_[name], view, y)
        viewed = self._viewed(X, "X")
        self.widths_ = [_width(part) for part in viewed.parts]
        return viewed

    def views_of(self, X: Any, argument: str = "X") -> Iterator[tuple[str, Any]]:
        """Yield the name of each part and its view of X, after a check of the columns."""
        ilk.refuse_sparse(self, X, argument)
        if self.columns_ is None:
            return ((name, ilk.as_table(X)) for name in self.parts_)
        return ilk.views_of(self, X, argument)

    def check_input(self, X: Cases, argument: str = "X") -> Any:
        """Return each view of X in the form in which its distance takes it."""
        from sklearn.utils.validation import check_is_fitted

        if isinstance(X, Viewed):
            return X
        check_is_fitted(self, "widths_")
        X = self._viewed(X, argument)
        for width, expected in zip(map(_width, X.parts), self.widths_, strict=True):
            if width != expected:
                name = ilk.display_name(self)
                raise ilk.InputError(
                    f"{name}: {argument} has {width} features, but {name} was fitted with "
                    f"{expected} features"
                )
        return X

    def _viewed(self, X: Cases | None, argument: str) -> Viewed:
        checked = []
        for name, view in self.views_of(X, argument):
            with naming(self, name):
                checked.append(self.parts_[name].check_input(view, argument))
        return Viewed(tuple(checked))

    def check_pair(self, X: Any, Y: Any = None) -> tuple[Any, Any]:
        """Return the views of X and Y (X again if None), each pair checked by its distance."""
        X = self.check_input(X)
        if Y is None:
            return X, X
        Y = self.check_input(Y, "Y")
        pairs = []
        for (name, part), x, y in zip(self.parts_.items(), X.parts, Y.parts, strict=True):
            with naming(self, name):
                pairs.append(part.check_pair(x, y))
        return Viewed(tuple(x for x, _ in pairs)), Viewed(tuple(y for _, y in pairs))

    def distances_of_pairs(self, X: Viewed, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        """Distances of pairs of rows, a column for each part."""
        columns = []
        for (name, part), view in zip(self.parts_.items(), X.parts, strict=True):
            with naming(self, name):
                columns.append(distances_of(part, view, first, second))
        return np.column_stack(columns)


@contextmanager
def naming(owner: OfParts, part: str) -> Iterator[None]:
    """Add the name of the part to errors on data."""
    try:
        yield
    except (ilk.InputError, ilk.InputTypeError) as error:
        name = ilk.display_name(owner)
        raise type(error)(f"{name}: part {part!r}: {error}") from error


@dataclass(frozen=True)
class Viewed:
    """The view of each part, in the form in which its distance takes it."""

    parts: tuple[Any, ...]

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and parts."""
        return ilk.n_rows(self.parts[0]), len(self.parts)

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, rows: Cases) -> Viewed:
        return Viewed(tuple(_rows(part, rows) for part in self.parts))


def _rows(part: Any, rows: Cases | None) -> Any:
    if isinstance(rows, slice) and not hasattr(part, "iloc"):
        return part[rows]
    return ilk.take(part, rows)


def _width(part: Any) -> int | None:
    return part.shape[1] if isinstance(part, np.ndarray) and part.ndim == 2 else None


def any_pairs(n: int, n_pairs: int, rng: np.random.RandomState) -> tuple[np.ndarray, np.ndarray]:
    """All pairs of n rows, or about `n_pairs` random ones, without repeats for a first row."""
    if n * (n - 1) // 2 <= n_pairs:
        return np.triu_indices(n, 1)
    first = _first(np.arange(n), n_pairs, rng)
    second = rng.randint(n - 1, size=len(first))
    # a number among the others: those from the first row on are shifted by one
    return first, second + (second >= first)


def labelled_pairs(
    owner: object, codes: np.ndarray, n_pairs: int, rng: np.random.RandomState
) -> Pairs:
    """All pairs of rows, or about `n_pairs` random ones, half of them of equal class.

    Raises
    ------
    InputError
        If no class has two rows.
    """
    n, counts = len(codes), np.bincount(codes)
    if counts.max() < 2:
        raise ilk.InputError(
            f"{ilk.display_name(owner)}: y has no class of two rows, so there is no pair of equal "
            f"class to learn from"
        )
    if n * (n - 1) // 2 <= n_pairs:
        first, second = np.triu_indices(n, 1)
        return Pairs(first, second, codes[first] != codes[second])
    order = np.argsort(codes, kind="stable")
    place = np.empty(n, dtype=int)
    place[order] = np.arange(n)
    begin = np.cumsum(counts) - counts
    alike = _first(np.flatnonzero(counts[codes] > 1), n_pairs // 2, rng)
    within = place[alike] - begin[codes[alike]]
    # a random step along the members of the class, cyclically: any member but the row itself
    step = 1 + rng.randint(0, counts[codes[alike]] - 1)
    same = order[begin[codes[alike]] + (within + step) % counts[codes[alike]]]
    unlike = _first(np.arange(n), n_pairs // 2, rng)
    code = codes[unlike]
    # likewise a random step behind the end of the class, cyclically: any row of another class
    other = order[(begin[code] + counts[code] + rng.randint(0, n - counts[code])) % n]
    return Pairs(
        np.concatenate([alike, unlike]),
        np.concatenate([same, other]),
        np.repeat([False, True], [len(alike), len(unlike)]),
    )


class Pairs(NamedTuple):
    """Positions of both rows, sorted by the first, and whether their classes differ."""

    first: np.ndarray
    second: np.ndarray
    differ: np.ndarray


def _first(rows: np.ndarray, n_pairs: int, rng: np.random.RandomState) -> np.ndarray:
    """First rows of pairs: some of the rows given, each several times."""
    size = min(len(rows), -(-n_pairs // _SHARED))
    chosen = np.sort(rng.choice(rows, size, replace=False))
    return np.repeat(chosen, max(n_pairs // size, 1))


def distances_of(distance: Distance, X: Cases, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Distances of pairs of rows; pairs with the same first row are computed together."""
    if not len(first):  # a single row has no pairs
        return np.zeros(0)
    rows, columns = np.unique(first), np.unique(second)
    if len(rows) * len(columns) <= _SPARE * len(first):
        D = distance.pairwise(ilk.take(X, rows), ilk.take(X, columns))
        return np.asarray(D[np.searchsorted(rows, first), np.searchsorted(columns, second)])
    distances = np.empty(len(first))
    ends = np.flatnonzero(np.diff(first)) + 1
    for start, stop in zip([0, *ends], [*ends, len(first)], strict=True):
        one, others = ilk.take(X, first[start : start + 1]), ilk.take(X, second[start:stop])
        distances[start:stop] = distance.pairwise(one, others)[0]
    return distances


_SPARE = 4  # a whole matrix is computed if at most this many entries per wanted one result
