"""Random subsampling: a holdout drawn anew, many times."""

from __future__ import annotations

from typing import Self

from ilk_evaluation.resamplings.holdout import Holdout


class RandomSubsampling(Holdout):
    """A random part of the cases is held out for testing and the rest trains, many times over.

    The number of runs does not depend on the size of the parts, as it does for folds; but a case
    may be tested several times, or never. The estimate is the mean.

    Parameters
    ----------
    test_size : float or int, default=0.3
        Share of the cases (rounded up), below 1, or their number. With groups: share or
        number of the groups.
    stratify : bool, default=True
        Whether both parts have the classes in the proportions of the data, and at least one
        case of each.
    repeats : int, default=10
        How many times a part is drawn, each time from all cases.

    Raises
    ------
    InputError
        If a part would be empty; stratified, if a class has fewer than two cases (with groups:
        is in fewer than two) or a part has fewer cases than there are classes.

    Notes
    -----
    Groups are drawn whole, as in `holdout`.

    References
    ----------
    Arras, Supervised Learning slides, part 3 (random subsampling cross-validation).

    Examples
    --------
    >>> import ilk
    >>> scheme = ilk.resampling("random_subsampling", test_size=0.25, repeats=3)
    >>> splits = scheme.splits([[0]] * 8, ["a", "b"] * 4, random_state=0)
    >>> [(split.repeat, len(split.train), len(split.test)) for split in splits]
    [(0, 6, 2), (1, 6, 2), (2, 6, 2)]
    """

    def __init__(self, test_size: float = 0.3, stratify: bool = True, repeats: int = 10) -> None:
        super().__init__(test_size, stratify, repeats)

    @classmethod
    def examples(cls) -> list[Self]:
        """With a share and with a number."""
        return [cls(repeats=3), cls(test_size=5, stratify=False, repeats=2)]
