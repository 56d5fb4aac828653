"""Exclusive or: the simplest rule that no feature tells anything of alone."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Any, ClassVar, Self

import numpy as np

import ilk
from ilk import Param
from ilk_evaluation.datasets.memory import check_memory
from ilk_evaluation.datasets.rule_made import RuleMade

_MOST_FEATURES = 16  # of which every combination is given


class Xor(RuleMade):
    """Exclusive or: 4 cases, 2 nominal features, 2 classes; more bits, noise and cases on demand.

    Class 1 where an odd number of the first `bits` features, of 0 and 1, are 1; of two that is
    their exclusive or, which no hyperplane separates and no feature tells anything of alone.

    Parameters
    ----------
    n : int or None, default=None
        Number of cases, drawn at random from all combinations of values. None: each combination
        once.
    bits : int, default=2
        Features that the class depends on.
    irrelevant : int, default=0
        Features to add that it does not depend on.
    noise : float, default=0
        Share of the labels, rounded to a number of them, that are wrong; below 0.5.
    random_state : int, default=0
        For the draw and the wrong labels.
    encode : "ordinal" or None, default=None
        None: a data frame of nominal columns. "ordinal": a float array of 0 and 1.

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

    parameters: ClassVar[Mapping[str, Param]] = {
        "n": Param(int, ge=2, none=True, doc="Cases drawn; None: each combination once."),
        "bits": Param(int, ge=1, le=64, doc="Features that the class depends on."),
        "irrelevant": Param(int, ge=0, doc="Features that it does not depend on."),
        "noise": Param(float, ge=0, lt=0.5, doc="Share of the labels that are wrong."),
        "random_state": Param(int, ge=0, doc="For the draw and the wrong labels."),
        **RuleMade.parameters,
    }

    def __init__(
        self,
        n: int | None = None,
        bits: int = 2,
        irrelevant: int = 0,
        noise: float = 0.0,
        random_state: int = 0,
        encode: str | None = None,
    ) -> None:
        super().__init__(encode)
        self.n = n
        self.bits = bits
        self.irrelevant = irrelevant
        self.noise = noise
        self.random_state = random_state

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
