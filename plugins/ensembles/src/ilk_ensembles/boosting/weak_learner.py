"""Fits fresh members to weighted cases, by passing weights or by resampling rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import ilk
from ilk import Seed, param
from ilk_ensembles.base.members import failure, seed_members
from ilk_ensembles.base.resampling import check_cells

if TYPE_CHECKING:
    from collections.abc import Callable

    from ilk import ArrayLike, Cases, Estimator, Matrix

_DRAWS = 100  # until one is accepted


RANDOM_STATE: Any = param(
    default=None, type=Seed, doc="For draws, and for each member whose own random state is None."
)
ON_FAILURE: Any = param(
    default="raise",
    choices=("raise", "drop"),
    doc="A member that cannot be fitted is an error; or its round is left out, and the "
    "next one has the same weights (and other draws and seeds).",
)


class WeakLearner:
    """Fits one fresh clone of a member after another, each to the same rows.

    Rows are sorted once for all clones if the member declares the capability ``presort``.

    Parameters
    ----------
    owner : Component
        Named in errors; its ``random_state``, unless None, seeds each member.
    member : classifier or regressor
        Not fitted.
    X : data of n rows
    method : {"weighting", "resampling"}
    rng : RandomState

    Raises
    ------
    InputError
        If the member is frozen, or does not accept weights with ``method="weighting"``.
    """

    def __init__(
        self, owner: Any, member: Any, X: Matrix, method: str, rng: np.random.RandomState
    ) -> None:
        _check_member(owner, member, method)
        if method == "resampling":
            check_cells(owner, X, member)
        self.owner, self.member, self.X, self.method, self.rng = owner, member, X, method, rng
        capable = getattr(member, "capabilities", None)
        self.handle: Any = None
        # only weights differ between rounds: one sort of the features serves all
        if method == "weighting" and capable is not None and capable.presort:
            try:
                self.handle = member.presort(X)
            except Exception as error:
                raise failure(owner, "member", member, error) from error

    def fit(
        self,
        number: int,
        y: np.ndarray,
        weights: np.ndarray,
        accept: Callable[[np.ndarray], bool] | None = None,
    ) -> Any:
        """Fit a fresh member and return it.

        Parameters
        ----------
        number : int
            Number of the round, from 0; named in errors.
        y : ndarray of shape (n,)
        weights : ndarray of shape (n,)
            They sum to 1.
        accept : callable, optional
            Tells whether a draw of targets can be learned from; if not, rows are redrawn.

        Raises
        ------
        IlkError
            If the member fails, or no draw is accepted.
        """
        from sklearn.base import clone

        member = clone(self.member, safe=False)
        if self.owner.random_state is not None:
            seed_members(self.owner, [member], self.rng)
        try:
            if self.method == "resampling":
                rows = self._draw(y, weights, accept)
                return member.fit(ilk.take(self.X, rows), y[rows])
            if self.handle is not None:
                return member.fit(self.X, y, sample_weight=weights, presorted=self.handle)
            return member.fit(self.X, y, sample_weight=weights)
        except Exception as error:
            raise self.failure(number, member, error) from error

    def query(self, number: int, member: Estimator, question: Callable[[Any, Any], Any]) -> Any:
        """Return ``question(member, X)``; errors name the round and the member.

        A member fitted on presorted rows is also queried with presorted rows.
        """
        try:
            return question(member, self.X if self.handle is None else self.handle)
        except Exception as error:
            raise self.failure(number, member, error) from error

    def failure(self, number: int, member: Estimator, error: Exception) -> ilk.IlkError:
        """Wrap the error of a member in one that names the owner, the round and the member."""
        return failure(self.owner, f"member of round {number + 1}", member, error)

    def _draw(
        self, y: np.ndarray, weights: np.ndarray, accept: Callable[[np.ndarray], bool] | None
    ) -> np.ndarray:
        for _ in range(_DRAWS):
            # frequencies in the sample take the place of weights
            rows = self.rng.choice(len(weights), len(weights), p=weights)
            if accept is None or accept(y[rows]):
                return rows
        raise ilk.InputError(f"{_DRAWS} successive draws had cases of one class only")


def _check_member(owner: object, member: Estimator, method: str) -> None:
    name = ilk.display_name(member)
    if ilk.is_frozen(member):
        raise ilk.InputError(
            f"{ilk.display_name(owner)}: member ({name}) is frozen, but each round fits it anew"
        )
    if method == "weighting" and not ilk.takes_weights(member):
        hint = "; take method='resampling', or a member that does" * hasattr(owner, "method")
        raise ilk.InputError(
            f"{ilk.display_name(owner)}: member ({name}) takes no sample_weight, which it needs "
            f"to learn{hint}"
        )


def weighted_rows(
    owner: object, X: Cases, sample_weight: ArrayLike | None, n: int
) -> tuple[np.ndarray | None, np.ndarray]:
    """Return the rows of positive weight (None: all), and their normalised weights.

    Raises
    ------
    InputError
        If weights are invalid.
    """
    if sample_weight is None:
        return None, np.full(n, 1 / n)
    weights = ilk.check_weights(owner, sample_weight, X)
    shares = weights / weights.max()  # so that no sum overflows
    shares /= np.sort(shares).sum()  # sorted: the sum is independent of row order, to the last bit
    rows = np.flatnonzero(shares)
    return (None if len(rows) == n else rows), shares[rows]
