"""Growing training parts: the splits of another resampling, and smaller parts of each."""

from __future__ import annotations

from numbers import Integral
from typing import TYPE_CHECKING, Self

import numpy as np

import ilk
from ilk import Param, param, slot

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ilk import Cases, Labels, ResamplingLike


class LearningCurveSplits(ilk.Resampling):
    """The splits of another resampling, each also with smaller training parts.

    A pipeline is fitted to the whole training part of each split and to beginnings of it, put in
    a random order in which every beginning has nearly the class proportions of the whole. So a
    larger part contains the smaller ones, and all are tested on the same cases.

    Estimates, ranks and comparisons of an experiment use the whole training parts only, as if the
    other resampling stood alone; cells of these two are the same. `Results.learning_curves` and
    the report have the smaller parts.

    Raises
    ------
    InputError
        If a size is larger than a training part, or the other resampling raises it or tests
        training cases, as resubstitution does and bootstrap_632 in part.

    Notes
    -----
    The whole part is the first of each `n_sizes` splits. The fold of a split is ``f * n_sizes + i``
    for fold f of the other resampling and the i-th size.

    References
    ----------
    Cortes, Jackel, Solla, Vapnik & Denker (1994), Learning curves.

    Examples
    --------
    >>> import ilk
    >>> scheme = ilk.resampling("learning_curve", sizes=[0.25, 0.5],
    ...                         resampling={"use": "kfold", "folds": 2})
    >>> [len(split.train) for split in scheme.splits([[0]] * 16, ["a", "b"] * 8, random_state=0)]
    [8, 2, 4, 8, 2, 4]
    """

    sizes: Sequence[float] = param(
        default=(0.1, 0.25, 0.5),
        type=list,
        items=Param((int, float), gt=0),
        schema={"minItems": 1},
        form="list of numbers",
        doc="Numbers of training cases, or shares of the training part up to 1.0. The whole part "
        "is always there.",
    )
    resampling: ResamplingLike = slot(
        "resampling", default="repeated_kfold", doc="Gives the test cases and the training parts."
    )

    @classmethod
    def examples(cls) -> list[Self]:
        """With shares and with numbers."""
        folds = {"use": "kfold", "folds": 2}
        return [cls(resampling=folds), cls(sizes=[3, 1.0], resampling=folds)]

    def check_parameters(self) -> None:
        """Check each parameter, the sizes, and that the other resampling is another one."""
        super().check_parameters()
        for size in self.sizes:
            if size > 1 and not isinstance(size, Integral):
                raise self.parameter_error(
                    "sizes", f"must be whole numbers or shares up to 1.0, got {size!r}"
                )
        if not len(self.sizes):
            raise self.parameter_error("sizes", "must be one or more, got an empty list")
        if len(set(map(str, self.sizes))) < len(self.sizes):
            raise self.parameter_error("sizes", f"must be different, got {list(self.sizes)}")
        if isinstance(self.whole(), LearningCurveSplits):
            raise self.parameter_error("resampling", "must be another resampling, got its own")

    def whole(self) -> ilk.Resampling:
        """Return the other resampling, which divides into test cases and whole training parts."""
        return self.resolve_slot("resampling")  # type: ignore[no-any-return]  # Any

    @property
    def smaller(self) -> list[float]:
        """Sizes of the smaller parts."""
        return [size for size in self.sizes if isinstance(size, Integral) or size < 1]

    @property
    def n_sizes(self) -> int:
        """Number of training parts of each split of the other resampling, the whole one first."""
        return 1 + len(self.smaller)

    @property
    def uses_classes(self) -> bool:
        """Whether the other resampling does."""
        return self.whole().uses_classes

    def at_least(self) -> int:
        return self.n_sizes * self.whole().at_least()

    def splits(
        self, X: Cases, y: Labels, groups: Labels | None = None, random_state: int | None = None
    ) -> Iterator[ilk.Split]:
        self.check_parameters()
        ilk.check_seed(self, random_state)
        try:
            whole = self.whole().splits(X, y, groups, random_state)
            for number, split in enumerate(whole):
                yield from self._parts(split, np.asarray(y), random_state, number)
        except ilk.InputError as error:
            raise ilk.InputError(f"{ilk.display_name(self)}: {error}") from error

    def _parts(
        self, split: ilk.Split, y: np.ndarray, seed: int | None, number: int
    ) -> Iterator[ilk.Split]:
        check_apart(split, self.whole())
        n = len(split.train)
        rng = np.random.default_rng(None if seed is None else [seed, number])
        order = nested_order(y[split.train], rng)
        for i, size in enumerate([n, *(_number(size, n) for size in self.smaller)]):
            rows = split.train if i == 0 else split.train[np.sort(order[:size])]
            fold = split.fold * self.n_sizes + i
            yield ilk.Split(rows, split.test, split.validation, split.repeat, fold)

    def estimate(self, scores: Sequence[float]) -> float:
        """Return the estimate of the other resampling for the whole training parts."""
        if np.isnan(scores).any():
            return float("nan")
        return self.whole().estimate(scores[:: self.n_sizes])

    def spread(self, scores: Sequence[float]) -> float:
        """Return the standard deviation for the whole training parts."""
        return self.whole().spread(scores[:: self.n_sizes])


def whole_parts(scheme: ilk.Resampling) -> ilk.Resampling:
    """Return the resampling of the whole training parts, which comparisons are about."""
    return scheme.whole() if isinstance(scheme, LearningCurveSplits) else scheme


def check_apart(split: ilk.Split, scheme: ilk.Resampling, asker: str = "") -> None:
    """Raise InputError for a split that tests training cases, which would measure memorizing."""
    if np.isin(split.test, split.train).any():
        raise ilk.InputError(
            f"{asker}{ilk.display_name(scheme)} tests cases that it trains with; take another "
            f"resampling"
        )


def _number(size: float, n: int) -> int:
    """Number of training cases for a number, or for a share of n."""
    if not isinstance(size, Integral):
        return max(round(float(size) * n), 1)
    if size > n:
        raise ilk.InputError(f"sizes has {size}, but a training part has {n} cases")
    return int(size)


def nested_order(y: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Random order in which every beginning has about the class proportions of the whole."""
    chance = rng.permutation(len(y))
    _, codes = np.unique(y[chance], return_inverse=True)
    by_class = np.argsort(codes, kind="stable")
    counts = np.bincount(codes)
    starts = np.repeat(np.cumsum(counts) - counts, counts)
    share = np.empty(len(y))
    share[by_class] = (np.arange(len(y)) - starts + rng.random(len(y))) / np.repeat(counts, counts)
    return np.asarray(chance[np.argsort(share, kind="stable")])
