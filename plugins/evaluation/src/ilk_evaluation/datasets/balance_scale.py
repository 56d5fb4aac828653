"""Balance scale: the way it tips."""

from __future__ import annotations

from itertools import product

import numpy as np

import ilk


class BalanceScale(ilk.Dataset):
    """Balance scale: 625 cases, 4 numeric features; tips left, balanced or tips right.

    Every combination of weights and distances from 1 to 5. The label compares
    left_weight * left_distance with right_weight * right_distance: L (288 cases), B (49) or
    R (288).

    References
    ----------
    Siegler, R. S. (1976). Three aspects of cognitive development. Cognitive Psychology 8,
    481-520.

    Examples
    --------
    >>> import ilk
    >>> data = ilk.dataset("balance_scale").load()
    >>> [int((data.y == label).sum()) for label in data.classes]
    [49, 288, 288]
    """

    def load(self) -> ilk.Data:
        X = np.array(list(product(range(1, 6), repeat=4)), dtype=float)
        tilt = np.sign(X[:, 0] * X[:, 1] - X[:, 2] * X[:, 3]).astype(int)
        return ilk.Data(
            X=X,
            y=np.array(["R", "B", "L"])[tilt + 1],
            name=ilk.display_name(self),
            feature_names=("left_weight", "left_distance", "right_weight", "right_distance"),
            description=(type(self).__doc__ or "").partition("\n")[0],
        )
