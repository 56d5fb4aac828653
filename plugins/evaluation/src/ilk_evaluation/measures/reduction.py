"""reduction: how many training cases instance selection saved."""

from __future__ import annotations

import ilk


class Reduction(ilk.Measure):
    """Share of the training cases that the editors of a pipeline left out.

    0 for a pipeline without an editor. Where editors follow one another it is the share that
    none of them kept.

    Examples
    --------
    >>> import ilk, numpy as np
    >>> one = np.array([1])
    >>> prediction = ilk.Prediction(one, one, classes=one, reduction=0.75)
    >>> ilk.measure("reduction")(prediction)
    0.75
    """

    greater_is_better = True
    needs = "reduction"

    def __call__(self, prediction: ilk.Prediction) -> float:
        return float(prediction.reduction)
