"""Members of an ensemble: seeded, fitted and asked one by one, named where they fail."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from sklearn.utils.parallel import Parallel, delayed

import ilk

if TYPE_CHECKING:
    import numpy as np

T = TypeVar("T")


def each_member(
    owner: object, members: Sequence[Any], work: Callable[[Any], T], n_jobs: int | None
) -> list[T]:
    """Do something with every member, in threads.

    Raises
    ------
    IlkError
        Where a member fails: an `InputError` or `InputTypeError` if it raised a ValueError or
        a TypeError. Names the owner, the member and its position.
    """

    def one(position: int, member: Any) -> T:
        try:
            return work(member)
        except Exception as error:
            raise _failure(owner, position, member, error) from error

    jobs = (delayed(one)(position, member) for position, member in enumerate(members))
    return list(Parallel(n_jobs=n_jobs, prefer="threads")(jobs))


def _failure(owner: object, position: int, member: Any, error: Exception) -> ilk.IlkError:
    where = f"{ilk.display_name(owner)}: members[{position}] ({ilk.display_name(member)})"
    if isinstance(error, ValueError):
        return ilk.InputError(f"{where}: {error}")
    if isinstance(error, TypeError):
        return ilk.InputTypeError(f"{where}: {error}")
    return ilk.IlkError(f"{where}: {type(error).__name__}: {error}")


def fit_member(member: Any, X: Any, y: np.ndarray, sample_weight: Any = None) -> Any:
    """Fit a member unless it is frozen, with weights where it takes them; return it."""
    if sample_weight is not None and ilk.takes_weights(member):
        return ilk.fit_component(member, X, y, sample_weight=sample_weight)
    return ilk.fit_component(member, X, y)


def seed_members(owner: object, members: Sequence[Any], random_state: Any) -> None:
    """Give every member a seed of its own; nothing happens where `random_state` is None."""
    if random_state is None:
        return
    seeds = ilk.check_seed(owner, random_state).randint(2**31 - 1, size=len(members)).tolist()
    for member, seed in zip(members, seeds, strict=True):
        if not ilk.is_frozen(member):
            ilk.seeded(member, seed)
