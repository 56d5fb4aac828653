"""Data sets drawn at random: exclusive or with noise, and Breiman's waveforms."""

from __future__ import annotations

from itertools import product
from typing import Any, Self

import numpy as np

import ilk
from ilk import param
from ilk_evaluation.datasets.columns import check_memory
from ilk_evaluation.datasets.rule_based import RuleBased

_POINTS = 21
_PEAKS = (11, 15, 7)  # of h1, h2, h3; points are counted from 1
_PAIRS = np.array([[0, 1], [0, 2], [1, 2]])  # the waves that each class is made of
_MOST_FEATURES = 16  # of which every combination is given


class Xor(RuleBased):
    """Exclusive or: 4 cases, 2 nominal features, 2 classes; more bits, noise and cases on demand.

    Class 1 where an odd number of the first `bits` features, of 0 and 1, are 1; of two that is
    their exclusive or, which no hyperplane separates and no feature tells anything of alone.

    Raises
    ------
    ParameterError
        If `n` is left out for more than 16 features.
    DataError
        If all cases came out of one class, or they are more than memory holds.

    References
    ----------
    System Evaluation slides, the XOR problem; Minsky, M. and Papert, S. (1969). Perceptrons.

    Examples
    --------
    >>> import ilk
    >>> data = ilk.dataset("xor", encode="ordinal").load()
    >>> data.X.tolist(), data.y.tolist()
    ([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0, 1, 1, 0])
    """

    n: int | None = param(
        default=None,
        type=int,
        ge=2,
        doc="Number of cases, drawn at random from all combinations of values. None: each "
        "combination once.",
    )
    bits: int = param(default=2, ge=1, le=64, doc="Features that the class depends on.")
    irrelevant: int = param(default=0, ge=0, doc="Features to add that it does not depend on.")
    noise: float = param(
        default=0.0,
        ge=0,
        lt=0.5,
        doc="Share of the labels, rounded to a number of them, that are wrong; below 0.5.",
    )
    random_state: int = param(default=0, ge=0, doc="For the draw and the wrong labels.")
    encode: str | None = param(
        default=None,
        choices=("ordinal",),
        doc='None: a data frame of nominal columns. "ordinal": a float array of 0 and 1.',
    )

    @classmethod
    def examples(cls) -> list[Self]:
        """The four cases; and many, with noise."""
        return [cls(), cls(n=200, bits=3, irrelevant=2, noise=0.1, encode="ordinal")]

    def check_parameters(self) -> None:
        """Check each parameter, and that all combinations are not too many."""
        super().check_parameters()
        if self.n is None and self.bits + self.irrelevant > _MOST_FEATURES:
            raise self.parameter_error(
                "n", f"must be given for more than {_MOST_FEATURES} features, got None"
            )

    @property
    def features(self) -> tuple[str, ...]:  # type: ignore[override]
        """x1, x2, ... that the class depends on, then u1, u2, ..."""
        needed = (f"x{i}" for i in range(1, self.bits + 1))
        return (*needed, *(f"u{i}" for i in range(1, self.irrelevant + 1)))

    def nominal(self, column: tuple[str, ...]) -> Any:
        """0 and 1, even if a small draw has only one of them."""
        import pandas as pd

        return pd.Categorical(column, ["0", "1"])

    def cases(self) -> tuple[list[tuple[str, ...]], list[Any]]:
        """All combinations, the last feature changing fastest, or those drawn."""
        width = self.bits + self.irrelevant
        if self.n is not None:
            size = self.n * (40 * width + 200)  # numbers, then texts in rows, then in columns
            check_memory(ilk.display_name(self), f"n = {self.n} of {width} features", size)
        rng = np.random.default_rng(self.random_state)
        if self.n is None:
            values = np.array(list(product((0, 1), repeat=width)))
        else:
            values = rng.integers(2, size=(self.n, width))
        labels = values[:, : self.bits].sum(axis=1) % 2
        wrong = rng.permutation(len(labels))[: round(self.noise * len(labels))]
        labels[wrong] = 1 - labels[wrong]
        if (labels == labels[0]).all():
            raise ilk.DataError(
                f"{ilk.display_name(self)}: all {len(labels)} cases came out of one class; take "
                f"more, or another random_state"
            )
        return [tuple(map(str, row)) for row in values.tolist()], labels.tolist()


class Waveform(ilk.Dataset):
    """Waveforms: generated, 21 numeric features (more are noise), 3 classes; Bayes error 0.14.

    A case of class 1, 2 or 3, each as probable, is ``u h_a(t) + (1 - u) h_b(t) + e_t`` at the
    points t = 1, ..., 21, with u uniform from 0 to 1, e_t standard normal, and the pair of waves
    (1, 2), (1, 3) or (2, 3). The waves are triangles of height 6, ``h1(t) = max(6 - |t - 11|, 0)``,
    ``h2(t) = h1(t - 4)`` and ``h3(t) = h1(t + 4)``.

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

    n: int = param(default=5000, ge=2, doc="Number of cases.")
    noise_features: int = param(
        default=0,
        ge=0,
        doc="Standard normal features to add that say nothing; 19 make the 40 of UCI's second "
        "version.",
    )
    random_state: int = param(default=0, ge=0, doc="The same number gives the same cases.")

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
