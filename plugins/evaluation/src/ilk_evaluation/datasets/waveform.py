"""Breiman's waveforms: sums of two of three triangular waves, with noise."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Self

import numpy as np

import ilk
from ilk import Param
from ilk_evaluation.datasets.memory import check_memory

_POINTS = 21
_PEAKS = (11, 15, 7)  # of h1, h2, h3; points are counted from 1
_PAIRS = np.array([[0, 1], [0, 2], [1, 2]])  # the waves that each class is made of


class Waveform(ilk.Dataset):
    """Waveforms: generated, 21 numeric features (more are noise), 3 classes; Bayes error 0.14.

    A case of class 1, 2 or 3, each as probable, is ``u h_a(t) + (1 - u) h_b(t) + e_t`` at the
    points t = 1, ..., 21, with u uniform from 0 to 1, e_t standard normal, and the pair of waves
    (1, 2), (1, 3) or (2, 3). The waves are triangles of height 6, ``h1(t) = max(6 - |t - 11|, 0)``,
    ``h2(t) = h1(t - 4)`` and ``h3(t) = h1(t + 4)``.

    Parameters
    ----------
    n : int, default=5000
        Number of cases.
    noise_features : int, default=0
        Standard normal features to add that say nothing; 19 make the 40 of UCI's second version.
    random_state : int, default=0
        The same number gives the same cases.

    Raises
    ------
    DataError
        If n is so small that all cases came out of one class, or so large that memory does not hold
        them.

    References
    ----------
    Breiman, L. et al. (1984). Classification and Regression Trees. Wadsworth, pp. 49-55.

    Examples
    --------
    >>> import ilk
    >>> data = ilk.dataset("waveform", n=300, noise_features=19).load()
    >>> data.X.shape, data.classes.tolist()
    ((300, 40), [1, 2, 3])
    """

    parameters: ClassVar[Mapping[str, Param]] = {
        "n": Param(int, ge=2, doc="Number of cases."),
        "noise_features": Param(int, ge=0, doc="Features of noise to add; 19 make 40."),
        "random_state": Param(int, ge=0, doc="The same number gives the same cases."),
    }

    def __init__(self, n: int = 5000, noise_features: int = 0, random_state: int = 0) -> None:
        self.n = n
        self.noise_features = noise_features
        self.random_state = random_state

    @classmethod
    def examples(cls) -> list[Self]:
        """With and without noise features."""
        return [cls(n=300), cls(n=300, noise_features=19, random_state=1)]

    def load(self) -> ilk.Data:
        self.check_parameters()
        width = _POINTS + self.noise_features
        what = f"n = {self.n} of {width} features"
        check_memory(ilk.display_name(self), what, self.n * 8 * (width + 4 * _POINTS))
        rng = np.random.default_rng(self.random_state)
        codes = rng.integers(3, size=self.n)
        if (codes == codes[0]).all():
            raise ilk.DataError(
                f"{ilk.display_name(self)}: n = {self.n} cases came out of one class; take more, "
                f"or another random_state"
            )
        points = np.arange(1, _POINTS + 1)
        waves = np.maximum(6 - np.abs(points - np.array(_PEAKS)[:, None]), 0)
        first, second = waves[_PAIRS[codes, 0]], waves[_PAIRS[codes, 1]]
        share = rng.random((self.n, 1))
        X = rng.standard_normal((self.n, width))
        X[:, :_POINTS] += share * first + (1 - share) * second
        return ilk.Data(
            X=X,
            y=codes + 1,
            name=ilk.display_name(self),
            feature_names=tuple(f"x{i}" for i in range(1, X.shape[1] + 1)),
            description=(type(self).__doc__ or "").partition("\n")[0],
        )

    def title(self) -> str:
        """Registered name, with the number of features if some are noise."""
        name = ilk.display_name(self)
        return f"{name} ({_POINTS + self.noise_features})" if self.noise_features else name
