"""Resampling and Split: divisions into training and test cases."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ilk.component import Component

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ilk.arrays import Cases, Labels


@dataclass(frozen=True)
class Split:
    """One division of the data.

    Attributes
    ----------
    train, test : ndarray of int
        Row numbers; for a bootstrap, `train` repeats some of them.
    validation : ndarray of int or None
        Rows for model selection; used for neither training nor testing.
    repeat, fold : int
        Position in the scheme, from 0.
    """

    train: np.ndarray
    test: np.ndarray
    validation: np.ndarray | None = None
    repeat: int = 0
    fold: int = 0


class Resampling(Component):
    """Divides data into training and test cases, possibly many times.

    Attributes
    ----------
    needs_no_information : bool
        Whether `estimate` also takes ``no_information``, the score of the first split if
        predictions had nothing to do with the truth, and ``greater_is_better``, the direction.
    leaves_one_out : bool
        Whether split i tests row i, and trains on all others in their order. A fast
        `leave_one_out` of the learner then replaces the fits.
    uses_classes : bool
        Whether the splits depend on the classes, so that there are none for a numeric target.
    """

    kind: ClassVar[str] = "resampling"

    @property
    def needs_no_information(self) -> bool:
        """Whether `estimate` needs the no-information score."""
        return False

    @property
    def leaves_one_out(self) -> bool:
        """Whether each split tests one case and trains on all others."""
        return False

    @property
    def uses_classes(self) -> bool:
        """Whether splits depend on the classes: by default the value of ``stratify``, if any."""
        return bool(getattr(self, "stratify", False))

    @abstractmethod
    def splits(
        self, X: Cases, y: Labels, groups: Labels | None = None, random_state: int | None = None
    ) -> Iterator[Split]:
        """Yield the splits; the same random state gives the same splits.

        Raises
        ------
        InputError
            If the data cannot be divided, for example a class is smaller than the number of folds.
        """

    def at_least(self) -> int:
        """Return a lower bound of the number of splits, from the parameters."""
        return 1

    def estimate(self, scores: Sequence[float]) -> float:
        """Return the estimate from the score of each split; the mean unless a bootstrap.

        The scores are in the order of the splits; if one of them is NaN, so is the estimate.

        Raises
        ------
        InputError
            If these scores are not those of the splits.
        """
        return float(np.mean(scores))

    def spread(self, scores: Sequence[float]) -> float:
        """Return the standard deviation of the scores behind an estimate.

        NaN for a single score, or if one is NaN or infinite.

        Raises
        ------
        InputError
            If these scores are not those of the splits.
        """
        with np.errstate(invalid="ignore"):
            return float(np.std(scores, ddof=1)) if len(scores) > 1 else float("nan")
