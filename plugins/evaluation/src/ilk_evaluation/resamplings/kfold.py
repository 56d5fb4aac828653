"""K-fold cross-validation: plain, stratified, repeated, and 5x2."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Self

import numpy as np

import ilk
from ilk import param
from ilk_evaluation.resamplings.sampling_units import (
    Units,
    check_classes,
    check_data,
    check_folds,
    holders,
    nearest,
    units_from,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ilk import Cases, Labels


class _CrossValidation(ilk.Resampling):
    """Divides shuffled cases into folds; each is tested once per repeat."""

    folds = 2
    repeats = 1
    stratify = True
    small_classes = "refuse"

    def at_least(self) -> int:
        return self.folds * self.repeats

    def splits(
        self, X: Cases, y: Labels, groups: Labels | None = None, random_state: int | None = None
    ) -> Iterator[ilk.Split]:
        self.check_parameters()
        folds, repeats = self.folds, self.repeats
        n, group_codes = check_data(self, X, y, groups)
        check_folds(self, folds, n, group_codes)
        generator = ilk.check_seed(self, random_state)
        if not self.stratify:
            if group_codes is not None:
                return _grouped(group_codes, generator, folds=folds, repeats=repeats)
            return _shuffled(n, None, generator, folds=folds, repeats=repeats)
        fewer = "take fewer, or " if folds > 2 else ""
        why = f"stratified folds need at least {folds}; {fewer}set small_classes = 'spread'"
        least = folds if self.small_classes == "refuse" else 1
        codes = check_classes(self, y, X, group_codes, least, why)
        if group_codes is not None or holders(codes, group_codes).min() < folds:
            units = units_from(codes, group_codes)
            return _spread(units, generator, folds=folds, repeats=repeats)
        return _shuffled(n, codes, generator, folds=folds, repeats=repeats)


class KFold(_CrossValidation):
    """k-fold cross-validation: shuffled cases are divided into folds, each tested once.

    Fold sizes differ by at most one case. Cases of one group stay in one fold; then the numbers
    of groups differ by at most one, whatever the sizes of the groups.

    Raises
    ------
    InputError
        If there are fewer cases (or groups) than folds.

    References
    ----------
    M. Stone, "Cross-validatory choice and assessment of statistical predictions", Journal of the
    Royal Statistical Society B 36, 1974.

    Arras: K-Fold Cross-Validation.

    Evaluation slides: Resampling and K-Fold Cross-Validation.

    Examples
    --------
    >>> import ilk
    >>> splits = ilk.resampling("kfold", folds=3).splits([[0]] * 6, [0] * 6, random_state=0)
    >>> [len(split.test) for split in splits]
    [2, 2, 2]
    """

    folds: int = param(default=10, ge=2, doc="Number of folds; each is tested once.")
    stratify = False

    @classmethod
    def examples(cls) -> list[Self]:
        """With few folds, for small data."""
        return [cls(folds=3)]


class StratifiedKFold(KFold):
    """Stratified k-fold cross-validation: folds keep the class proportions of the data.

    The number of cases of a class differs by at most one between folds. Cases of one group stay
    in one fold; the proportions are then as close as the groups allow.

    Raises
    ------
    InputError
        If a class is too small and `small_classes` refuses it.

    Notes
    -----
    Groups are dealt class by class (each belongs to the rarest of its classes: the one in the
    fewest groups), then moved and exchanged until classes are missing from no fewer training or
    test parts, and the shares of the classes in the folds come no nearer to equal ones. Where a
    class is missing from a part, ``ilk run`` says so.

    References
    ----------
    Kohavi, R. (1995). A study of cross-validation and bootstrap for accuracy estimation and
    model selection. IJCAI.

    Examples
    --------
    >>> import ilk
    >>> y = ["a"] * 6 + ["b"] * 3
    >>> scheme = ilk.resampling("stratified_kfold", folds=3)
    >>> [sorted(y[i] for i in split.test) for split in scheme.splits(y, y, random_state=0)]
    [['a', 'a', 'b'], ['a', 'a', 'b'], ['a', 'a', 'b']]
    """

    small_classes: str = param(
        default="refuse",
        choices=("refuse", "spread"),
        doc="Treatment of a class with fewer cases than folds (or in fewer groups), which is "
        "missing from a test set: refuse it, or spread its cases over as many folds as "
        "possible. Without such a class both options are the same.",
    )
    stratify = True

    @classmethod
    def examples(cls) -> list[Self]:
        """With few folds, and with more than a class of small data has cases."""
        return [cls(folds=3), cls(folds=10, small_classes="spread")]


class RepeatedKFold(_CrossValidation):
    """Repeated k-fold cross-validation, reshuffled for each repeat.

    Raises
    ------
    InputError
        If there are fewer cases (or groups) than folds or, stratified, a class has fewer and
        `small_classes` refuses it.

    References
    ----------
    Zaidi 2011: section 4.3.1 (40 repeats of 2 folds).

    Examples
    --------
    >>> import ilk
    >>> scheme = ilk.resampling("repeated_kfold", folds=2, repeats=2)
    >>> splits = scheme.splits([[0]] * 4, ["a", "a", "b", "b"], random_state=0)
    >>> [(split.repeat, split.fold) for split in splits]
    [(0, 0), (0, 1), (1, 0), (1, 1)]
    """

    folds: int = param(
        default=10,
        ge=2,
        doc="Number of folds; each is tested once per repeat.",
    )
    repeats: int = param(default=10, ge=1, doc="Number of reshuffled repeats.")
    stratify: bool = param(
        default=True,
        doc="Whether folds keep the class proportions of the data, as in "
        "`stratified_kfold`; else folds are made as in `kfold`.",
    )
    small_classes: str = param(
        default="refuse",
        choices=("refuse", "spread"),
        doc="As in `stratified_kfold`; only for stratified folds.",
    )

    @classmethod
    def examples(cls) -> list[Self]:
        """Few folds and repeats, with and without stratification."""
        return [cls(folds=2, repeats=3), cls(folds=3, repeats=2, stratify=False)]


class FiveByTwo(_CrossValidation):
    """5x2 cross-validation: five random divisions into halves, each half trained and tested once.

    The two training sets of a repeat are disjoint, as `paired_t_5x2` and `f_5x2` require. Cases
    of one group stay in one half.

    Raises
    ------
    InputError
        If there is only one group or, stratified, a class is too small and refused.

    References
    ----------
    T. G. Dietterich, "Approximate statistical tests for comparing supervised classification
    learning algorithms", Neural Computation 10, 1998.

    Evaluation slides: 5 x 2 Cross-Validation.

    Examples
    --------
    >>> import ilk
    >>> splits = ilk.resampling("five_by_two").splits([[0]] * 6, ["a", "b"] * 3, random_state=0)
    >>> [(split.repeat, split.fold, len(split.test)) for split in splits][:3]
    [(0, 0, 3), (0, 1, 3), (1, 0, 3)]
    """

    stratify: bool = param(
        default=True,
        doc="Whether both halves keep the class proportions of the data.",
    )
    small_classes: str = param(
        default="refuse",
        choices=("refuse", "spread"),
        doc="Treatment of a class with one case (or in one group), which only one half can "
        "contain: refuse it, or assign it at random. Only for stratified "
        "halves.",
    )
    repeats = 5

    @classmethod
    def examples(cls) -> list[Self]:
        """With and without stratification."""
        return [cls(), cls(stratify=False), cls(small_classes="spread")]


def _shuffled(
    n: int, codes: np.ndarray | None, generator: Any, *, folds: int, repeats: int
) -> Iterator[ilk.Split]:
    """Yield the splits of scikit-learn's `KFold` or, with codes of classes, `StratifiedKFold`."""
    deal = partial(_dealt, n) if codes is None else partial(_dealt_by_class, codes)
    for repeat in range(repeats):
        fold_of = deal(folds, generator)
        for fold in range(folds):
            train, test = np.flatnonzero(fold_of != fold), np.flatnonzero(fold_of == fold)
            yield ilk.Split(train, test, repeat=repeat, fold=fold)


def _dealt(n: int, folds: int, generator: Any) -> np.ndarray:
    """Fold of each of n shuffled cases; the first folds get the cases that are left over."""
    order, fold_of = np.arange(n), np.empty(n, dtype=int)
    generator.shuffle(order)
    fold_of[order] = np.sort(np.arange(n) % folds)
    return fold_of


def _dealt_by_class(codes: np.ndarray, folds: int, generator: Any) -> np.ndarray:
    """Fold of each case; classes are shuffled one by one, by their first appearance."""
    fold_of = np.empty(len(codes), dtype=int)
    classes, firsts, counts = np.unique(codes, return_index=True, return_counts=True)
    dealt = 0  # dealing goes on from class to class, so that fold sizes differ by at most one
    for position in np.argsort(firsts):
        places = np.sort(np.arange(dealt, dealt + counts[position]) % folds)
        generator.shuffle(places)
        fold_of[codes == classes[position]] = places
        dealt += counts[position]
    return fold_of


def _grouped(
    groups: np.ndarray, generator: Any, *, folds: int, repeats: int
) -> Iterator[ilk.Split]:
    from sklearn.model_selection import GroupKFold

    for repeat in range(repeats):
        drawn = GroupKFold(n_splits=folds, shuffle=True, random_state=generator)
        for fold, (train, test) in enumerate(drawn.split(groups, None, groups)):
            yield ilk.Split(train, test, repeat=repeat, fold=fold)


def _spread(units: Units, generator: Any, *, folds: int, repeats: int) -> Iterator[ilk.Split]:
    """Deal units to the folds class by class, so that class counts differ by at most one.

    This works for classes of any size; scikit-learn refuses data of small classes alone. Groups
    are then moved and exchanged until the shares of the classes come no nearer.
    """
    for repeat in range(repeats):
        fold_of = np.empty(units.count, dtype=int)
        # dealing goes on from class to class, so that fold sizes differ by at most one, too
        fold_of[_class_by_class(units, generator)] = np.arange(units.count) % folds
        if units.counts is not None:
            fold_of = nearest(units.counts, fold_of, np.full(folds, 1 / folds))
        for fold in range(folds):
            train, test = np.flatnonzero(fold_of != fold), np.flatnonzero(fold_of == fold)
            yield ilk.Split(units.rows(train), units.rows(test), repeat=repeat, fold=fold)


def _class_by_class(units: Units, generator: np.random.RandomState) -> np.ndarray:
    """All units sorted by class, with classes, and units within them, in random order."""
    assert units.strata is not None
    order = generator.permutation(units.count)
    place = generator.permutation(int(units.strata.max()) + 1)
    return np.asarray(order[np.argsort(place[units.strata[order]], kind="stable")])
