"""Distances of parts of an object: each compares one view, a group of columns, or all of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

import ilk
from ilk import Param
from ilk_distances.composed.pairs import distances_of

PARTS = Param(slot="distance", many=dict, none=True, doc="A distance for each view, by name.")
VIEWS = Param(ilk.Views, none=True, doc="Columns that each part compares, or 'data'.")


@dataclass(frozen=True)
class Viewed:
    """Rows as seen by each part, in the form in which its distance takes them."""

    parts: tuple[Any, ...]

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and parts."""
        return ilk.n_rows(self.parts[0]), len(self.parts)

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, rows: Any) -> Viewed:
        return Viewed(tuple(_rows(part, rows) for part in self.parts))


def _rows(part: Any, rows: Any) -> Any:
    if isinstance(rows, slice) and not hasattr(part, "iloc"):
        return part[rows]
    return ilk.take(part, rows)


class OfParts(ilk.Distance):
    """A distance made of the distances of parts; subclasses say what of them.

    After `fit` there are ``parts_``, the fitted distances by name; ``columns_``, the positions of
    the columns each compares, or None where all compare whole objects; ``n_features_in_`` and
    ``feature_names_in_`` where there are columns.
    """

    parts: Any
    views: Any

    @property
    def symmetric(self) -> bool:
        """Whether all parts are."""
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
        """Distances of the parts by name: fitted ones, or those that would be."""
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
        """Views by name; those of a list by position."""
        return self.views if isinstance(self.views, Mapping) else dict(enumerate(self.views))

    def _fit_parts(self, X: Any, y: Any) -> Viewed:
        """Fit the distance of each part on its view; return the views as they take them."""
        for name in ("parts_", "widths_", "feature_names_in_", "n_features_in_"):
            self.__dict__.pop(name, None)
        X = ilk.as_table(X)
        self.parts_ = self._distances()
        self.columns_: dict[str, np.ndarray] | None = None
        if self.views is not None:
            whole = isinstance(self.views, str)  # an error, as no data set was put there
            views = self.views if whole else {name: self._views()[name] for name in self.parts_}
            ilk.learn_views(self, X, views)
        for name, view in self.views_of(X):
            with naming(self, name):
                self.parts_[name] = ilk.fit_component(self.parts_[name], view, y)
        viewed = self._viewed(X, "X")
        self.widths_ = [_width(part) for part in viewed.parts]
        return viewed

    def views_of(self, X: Any, argument: str = "X") -> Iterator[tuple[str, Any]]:
        """Yield the name of each part, and what it sees of X, whose columns are checked."""
        if self.columns_ is None:
            return ((name, ilk.as_table(X)) for name in self.parts_)
        return ilk.views_of(self, X, argument)

    def check_input(self, X: Any, argument: str = "X") -> Any:
        """Return each view of X in the form in which its distance takes it."""
        if isinstance(X, Viewed):
            return X
        check_is_fitted(self, "widths_")
        X = self._viewed(X, argument)
        for found, expected in zip(map(_width, X.parts), self.widths_, strict=True):
            if found != expected:
                name = ilk.display_name(self)
                raise ilk.InputError(
                    f"{name}: {argument} has {found} features, but {name} was fitted with "
                    f"{expected} features"
                )
        return X

    def _viewed(self, X: Any, argument: str) -> Viewed:
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


def _width(part: Any) -> int | None:
    return part.shape[1] if isinstance(part, np.ndarray) and part.ndim == 2 else None


@contextmanager
def naming(owner: OfParts, part: str) -> Iterator[None]:
    """Say in errors on data which part they come from."""
    try:
        yield
    except (ilk.InputError, ilk.InputTypeError) as error:
        name = ilk.display_name(owner)
        raise type(error)(f"{name}: part {part!r}: {error}") from error
