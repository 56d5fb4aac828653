"""precision_at_recall: how clean the answers are if so many of the cases must be found."""

from __future__ import annotations

from typing import Any, Self

import ilk
from ilk_evaluation.curves.ranking import rank_class, rates
from ilk_evaluation.measures.averages import POSITIVE


class PrecisionAtRecall(ilk.Measure):
    """Highest precision of the thresholds that find at least a given share of the cases.

    ``max {precision(t): recall(t) >= r}`` over the scores t that occur as thresholds.

    Parameters
    ----------
    recall : float, default=0.75
        r, from 0 to 1.
    positive : label, optional
        The second of two classes by default; of more it must be named.
    pooled : bool, default=False
        Whether to rank the cases of all folds of a repeat together, as leave-one-out needs.

    Raises
    ------
    InputError
        If no answered case is positive, if the pipeline gives neither scores nor probabilities,
        or if `positive` is no class.

    References
    ----------
    Arras, Supervised Learning part 3, F-measure: "precision at recall of 0.75".

    Examples
    --------
    >>> import ilk, numpy as np
    >>> truth, chance = np.array([0, 0, 1, 1]), np.array([0.1, 0.4, 0.35, 0.8])
    >>> P = np.column_stack([1 - chance, chance])
    >>> prediction = ilk.Prediction(truth, truth, np.array([0, 1]), probabilities=P)
    >>> ilk.measure("precision_at_recall", recall=0.5)(prediction)
    1.0
    """

    parameters = {
        "recall": ilk.Param(float, ge=0, le=1, doc="The share that must be found."),
        "positive": POSITIVE,
        "pooled": ilk.Param(bool, doc="Rank the cases of all folds of a repeat together."),
    }
    greater_is_better = True
    needs = "scores"

    def __init__(self, recall: float = 0.75, positive: Any = None, pooled: bool = False) -> None:
        self.recall = recall
        self.positive = positive
        self.pooled = pooled

    @classmethod
    def examples(cls) -> list[Self]:
        """Some cases to be found, and all."""
        return [cls(), cls(recall=1.0)]

    def __call__(self, prediction: ilk.Prediction) -> float:
        """Return the precision."""
        self.check_parameters()
        name = ilk.display_name(self)
        ranking, what = rank_class(prediction, self.positive, name)
        precision, recall = rates(ranking, f"{name} ({what})")
        return float(precision[recall >= self.recall * (1 - 1e-12)].max())
