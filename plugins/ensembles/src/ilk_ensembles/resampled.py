"""Copies of one member, each shown rows and columns that are drawn at random."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.utils import get_tags

import ilk
from ilk import Param
from ilk_ensembles.bootstrap import (
    MAX_SAMPLES,
    REPLACE,
    bootstrap_rows,
    check_share,
    draw_size,
)
from ilk_ensembles.combined import check_n_jobs
from ilk_ensembles.members import N_JOBS, ON_FAILURE, each_place, fit_each, seed_members
from ilk_ensembles.out_of_bag import out_of_bag_support, rows_left_out
from ilk_ensembles.progress import VERBOSE, Progress

N_MEMBERS = Param(int, ge=1, doc="How many members there are.")
OOB_SCORE = Param(bool, doc="Whether to estimate the error from rows that were not drawn.")
PARAMETERS: Mapping[str, Param] = {
    "max_samples": MAX_SAMPLES,
    "replace": REPLACE,
    "oob_score": OOB_SCORE,
    "on_failure": ON_FAILURE,
    "n_jobs": N_JOBS,
    "verbose": VERBOSE,
    "random_state": Param(
        ilk.Seed, none=True, doc="Of the draws; gives a seed to each member without one."
    ),
}
_OUT_OF_BAG = ("oob_decision_function_", "oob_prediction_", "oob_error_", "n_never_out_of_bag_")
_LARGE = 2**31 - 1

Fit = Callable[[Any, Any, np.ndarray, Any], Any]
"""Fits a member on what it is shown: ``fit(member, X, y, weights)``."""


class Shown(NamedTuple):
    """What of the training data one member is shown."""

    rows: np.ndarray
    columns: np.ndarray | None


class Resampled(ilk.Component):
    """Draws what each copy of a member is shown, fits them, and asks who was not shown a row.

    Attributes
    ----------
    estimators_ : list
        The fitted members.
    rows_ : list of ndarray of int
        Rows drawn for each.
    """

    max_samples: float
    replace: bool
    oob_score: bool
    n_members: int
    on_failure: str
    n_jobs: int | None
    verbose: int
    random_state: Any
    estimators_: list[Any]
    rows_: list[np.ndarray]
    features_: list[np.ndarray]

    def check_parameters(self) -> None:
        """Check each parameter, and that shares are at most 1."""
        super().check_parameters()
        check_n_jobs(self)
        check_share(self, "max_samples", self.max_samples)

    def _draw_columns(self, rng: np.random.RandomState, X: Any) -> np.ndarray | None:
        """Columns for one member; None: all of them."""
        return None

    def _draw(
        self,
        rng: np.random.RandomState,
        X: Any,
        codes: np.ndarray | None,
        weights: np.ndarray | None,
        columns: list[np.ndarray | None] | None = None,
    ) -> list[Shown]:
        """What each member is shown; the first ones' do not depend on how many there are.

        Where `columns` are given, of a part of the data, no more rows are asked for than it has.
        """
        n = ilk.n_rows(X)
        available = n if weights is None else int(np.count_nonzero(weights))
        classes = 1 if codes is None else len(np.unique(codes))
        share = self.max_samples
        if columns is not None and isinstance(share, int | np.integer):
            share = min(int(share), available)
        size = draw_size(self, share, available, replace=self.replace, at_least=classes)
        kind = np.int32 if n <= _LARGE else np.int64
        every = np.arange(n, dtype=kind)
        shown = []
        for at in range(self.n_members if columns is None else len(columns)):
            own = self._draw_columns(rng, X) if columns is None else columns[at]
            rows = every
            if self.replace or size < n:
                rows = bootstrap_rows(
                    rng, n, size, replace=self.replace, codes=codes, weights=weights
                ).astype(kind)
            shown.append(Shown(rows, own))
        return shown

    def _copies(self, member: Any, rng: np.random.RandomState) -> list[Any]:
        members = [clone(member, safe=False) for _ in range(self.n_members)]
        own = np.random.RandomState(rng.randint(_LARGE))  # so that more members change no draw
        seed_members(self, members, None if self.random_state is None else own)
        return members

    def _fit_shown(
        self,
        members: list[Any],
        shown: list[Shown],
        X: Any,
        y: np.ndarray,
        weights: np.ndarray | None,
        fit: Fit,
    ) -> None:
        """Fit each member on what it is shown, and keep those that can be."""
        progress = Progress(self, len(members), self.verbose)

        def one(at: int, member: Any) -> Any:
            return self._fit_one(member, shown[at], X, y, weights, fit)

        kept, self.estimators_ = fit_each(
            self,
            members,
            one,
            self.n_jobs,
            on_failure=self.on_failure,
            progress=progress,
            argument=[f"members[{at}], on what was drawn for it" for at in range(len(members))],
        )
        self.rows_ = [shown[at].rows for at in kept]
        columns = [own for at in kept if (own := shown[at].columns) is not None]
        if columns:
            self.features_ = columns
        self._places = [f"members[{at}]" for at in kept]

    def _fit_one(
        self,
        member: Any,
        shown: Shown,
        X: Any,
        y: np.ndarray,
        weights: np.ndarray | None,
        fit: Fit,
    ) -> Any:
        X = columns_of(X, shown.columns)
        if not self.replace and len(shown.rows) == len(y):
            return fit(member, X, y, weights)
        drawn = None if weights is None or self.replace else weights[shown.rows]
        return fit(member, ilk.take(X, shown.rows), y[shown.rows], drawn)

    def _columns_at(self, at: int) -> np.ndarray | None:
        return self.features_[at] if hasattr(self, "features_") else None

    def _support_out_of_bag(
        self,
        X: Any,
        ask: Callable[[Any, Any], np.ndarray],
        combine: Callable[[np.ndarray, np.ndarray], np.ndarray],
        width: int,
    ) -> np.ndarray:
        """As `out_of_bag_support` gives, by members that are asked in threads."""

        def ask_each(those: list[int], rows: list[np.ndarray]) -> list[np.ndarray]:
            def one(i: int, member: Any) -> np.ndarray:
                return ask(member, columns_of(ilk.take(X, rows[i]), self._columns_at(those[i])))

            return each_place(
                self,
                [self.estimators_[at] for at in those],
                one,
                self.n_jobs,
                argument=[self._places[at] for at in those],
            )

        left_out = rows_left_out(self.rows_, ilk.n_rows(X))
        return out_of_bag_support(left_out, ask_each, combine, width)

    def _forget_out_of_bag(self) -> None:
        for name in _OUT_OF_BAG:
            self.__dict__.pop(name, None)

    def _check_left_out(self, shown: list[Shown], n: int) -> None:
        if self.oob_score and not self.replace and len(shown[0].rows) == n:
            raise self.parameter_error(
                "oob_score", "needs rows that are not drawn: replace, or fewer max_samples"
            )


def columns_of(X: Any, columns: np.ndarray | None) -> Any:
    """Columns of an array or a table by position; None: X itself."""
    if columns is None:
        return X
    return X.iloc[:, columns] if hasattr(X, "iloc") else X[:, columns]


def check_cells(owner: object, X: Any, member: Any) -> None:
    """Name the first missing value by its row: members only know the rows drawn for them.

    Raises
    ------
    InputError
        If an array or a table of numbers has a NaN that the member does not take, or infinity.
    """
    if not hasattr(member, "get_params"):
        return
    if ilk.is_table(X) and all(
        isinstance(kind, np.dtype) and kind.kind in "biuf" for kind in X.dtypes
    ):
        X = np.asarray(X, dtype=float)
    if isinstance(X, np.ndarray) and X.dtype.kind == "f":
        ilk.check_finite(owner, X, nan=bool(get_tags(member).input_tags.allow_nan))


def with_tags_of(tags: Any, member: Callable[[], Any]) -> Any:
    """Tags of an ensemble that takes what its member takes."""
    try:
        own = get_tags(member()).input_tags
    except ilk.IlkError:  # said when it is fitted
        return tags
    tags.input_tags.allow_nan, tags.input_tags.sparse = own.allow_nan, own.sparse
    return tags
