"""Members of an ensemble: seed, fit and query them in threads, with errors that name them."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import ilk
from ilk import ConstantClassifier, Seed, param

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager

    import numpy as np

    from ilk import ArrayLike, Cases, Estimator, RandomState
    from ilk_ensembles.base.progress import Progress


T = TypeVar("T")
N_JOBS: Any = param(
    default=None,
    type=int,
    doc="Number of members fitted, and queried, in parallel threads; -1: one per processor. "
    "Does not change the result.",
)
ON_FAILURE: Any = param(
    default="raise",
    choices=("raise", "drop"),
    doc="'raise': a member that fails to fit is an error. 'drop': leave it out and list it in "
    "``failures_``.",
)
MEMBER_SEEDS: Any = param(
    default=None,
    type=Seed,
    doc="Gives a seed to each member whose own random state is None.",
)
RULE: Any = param(
    default="mean",
    choices=("mean", "median"),
    doc="How the members' numbers are combined.",
)


def each_member(
    owner: object,
    members: Sequence[Any],
    work: Callable[[Any], T],
    n_jobs: int | None,
    *,
    argument: str | Sequence[str] = "members",
) -> list[T]:
    """Apply a function to every member, in threads.

    Raises
    ------
    IlkError
        If a member fails: an `InputError` or `InputTypeError` for a ValueError or a TypeError.
        Names the owner, the member and its place.
    """
    return each_place(owner, members, lambda _, member: work(member), n_jobs, argument=argument)


def each_place(
    owner: object,
    members: Sequence[Any],
    work: Callable[[int, Any], T],
    n_jobs: int | None,
    *,
    argument: str | Sequence[str] = "members",
) -> list[T]:
    """As `each_member`, for work that takes the position of the member as first argument."""

    def one(position: int, member: Estimator) -> T:
        try:
            return work(position, member)
        except Exception as error:
            raise failure(owner, _place(argument, position), member, error) from error

    return in_threads(one, members, n_jobs)


def in_threads(
    work: Callable[[int, Any], T], members: Sequence[Any], n_jobs: int | None
) -> list[T]:
    """``work(position, member)`` of each member, in up to `n_jobs` threads."""
    from joblib import effective_n_jobs
    from sklearn.utils.parallel import Parallel, delayed

    n_jobs = jobs_for(len(members), n_jobs)
    with warnings.catch_warnings():  # members may change filters, and threads race on them
        if effective_n_jobs(n_jobs) == 1:  # joblib would take longer than a light member
            return [work(position, member) for position, member in enumerate(members)]
        jobs = (delayed(work)(position, member) for position, member in enumerate(members))
        return list(Parallel(n_jobs=n_jobs, prefer="threads")(jobs))


def jobs_for(n_members: int, n_jobs: int | None) -> int | None:
    """Number of parallel jobs: no more threads than there are members."""
    return n_jobs if n_jobs is None or n_jobs < 0 else min(n_jobs, max(n_members, 1))


def _place(argument: str | Sequence[str], position: int) -> str:
    return f"{argument}[{position}]" if isinstance(argument, str) else argument[position]


def fit_each(
    owner: Any,
    members: Sequence[Any],
    fit: Callable[[int, Any], Any],
    n_jobs: int | None,
    *,
    on_failure: str = "raise",
    progress: Progress | None = None,
    argument: str | Sequence[str] = "members",
    alike: bool = False,
    block: int | None = None,
    stop: Callable[[list[int], list[Any]], int | None] = lambda *_: None,
) -> tuple[list[int], list[Any]]:
    """Fit every member, in threads; with ``on_failure="drop"``, leave out members that fail.

    Parameters
    ----------
    owner : Component
        Named in errors. Gets ``failures_``: the error of each dropped member, by position.
    members : sequence of components
    fit : callable
        ``fit(position, member)`` returns the fitted member.
    on_failure : {"raise", "drop"}
    progress : Progress, optional
        Counts each fitted member.
    argument : str or list of str
        Name of the members in errors, together or one by one.
    alike : bool
        Whether the members differ in seeds only: once one is fitted, scikit-learn need not check
        the parameters of the others.
    block : int, optional
        Members fitted before `stop` is asked; default: all.
    stop : callable, optional
        ``stop(positions, fitted)`` returns how many of the members fitted so far are enough, or
        None. The others are then left out, and no more are fitted.

    Returns
    -------
    positions : list of int
        Positions of the fitted members.
    fitted : list of components

    Raises
    ------
    IlkError
        If a member fails under "raise", or all members fail.
    """
    known, fixed = False, alike and all(map(has_fixed_parameters, members[:1]))

    def one(position: int, member: Estimator) -> tuple[Any, ilk.IlkError | None]:
        nonlocal known
        position += len(results)
        try:
            with parameters_checked(known):
                fitted = fit(position, member)
        except Exception as error:
            failed = failure(owner, _place(argument, position), member, error)
            if on_failure == "raise":
                raise failed from error
            return None, failed
        else:
            known = fixed
            return fitted, None
        finally:
            if progress is not None:
                progress.step()

    results: list[tuple[Any, ilk.IlkError | None]] = []
    step = block or max(len(members), 1)
    for start in range(0, len(members), step):
        results += in_threads(one, members[start : start + step], n_jobs)
        positions = [at for at, (_, error) in enumerate(results) if error is None]
        enough = stop(positions, [results[at][0] for at in positions])
        if enough is not None:
            results = results[: positions[enough - 1] + 1]
            break
    owner.failures_ = {at: error for at, (_, error) in enumerate(results) if error is not None}
    if len(owner.failures_) == len(results):
        first = owner.failures_[0]
        raise type(first)(f"{ilk.display_name(owner)}: every member failed; the first: {first}")
    positions = [at for at, (_, error) in enumerate(results) if error is None]
    return positions, [results[at][0] for at in positions]


def has_fixed_parameters(member: Estimator) -> bool:
    """Whether a member has no table of parameters, whose values its fit may try one by one."""
    values: list[Any] = list(member.get_params(deep=True).values())
    for value in values:
        if isinstance(value, list | tuple):
            values += [part for part in value if isinstance(part, Mapping)]
    return not any(isinstance(value, Mapping) for value in values)


def parameters_checked(known: bool) -> AbstractContextManager[None]:
    """Let scikit-learn skip the check of parameters, where an equal estimator has been fitted."""
    from sklearn import config_context

    context: AbstractContextManager[None] = config_context(skip_parameter_validation=known or None)
    return context


def failure(owner: object, where: str, member: Estimator, error: Exception) -> ilk.IlkError:
    """Wrap the error of a member in one that names the owner, its place and the member."""
    text = f"{ilk.display_name(owner)}: {where} ({ilk.display_name(member)})"
    if isinstance(error, ValueError):
        return ilk.InputError(f"{text}: {error}")
    if isinstance(error, TypeError):
        return ilk.InputTypeError(f"{text}: {error}")
    return ilk.IlkError(f"{text}: {type(error).__name__}: {error}")


def fit_member(
    member: Estimator,
    X: Any,
    y: np.ndarray,
    sample_weight: ArrayLike | None = None,
    **further: Any,
) -> Any:
    """Fit a member unless it is frozen, with weights if it accepts them; return it."""
    if sample_weight is not None and ilk.takes_weights(member):
        further["sample_weight"] = sample_weight
    return ilk.fit_component(member, X, y, **further)


def seed_members(owner: object, members: Sequence[Any], random_state: RandomState) -> None:
    """Give every member its own seed; do nothing where `random_state` is None."""
    if random_state is None:
        return
    seeds = ilk.check_seed(owner, random_state).randint(2**31 - 1, size=len(members)).tolist()
    for member, seed in zip(members, seeds, strict=True):
        if not ilk.is_frozen(member):
            ilk.seeded(member, seed)


def fit_on_drawn(
    member: Estimator, X: Cases, y: np.ndarray, sample_weight: ArrayLike | None = None
) -> Any:
    """Fit a member on drawn rows; return a `ConstantClassifier` where they have one class."""
    if isinstance(member, ConstantClassifier):
        member = member.member
    if ilk.is_frozen(member) or (y != y[0]).any():
        return fit_member(member, X, y, sample_weight)
    return ConstantClassifier(member).fit(X, y)
