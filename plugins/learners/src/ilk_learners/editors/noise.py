"""The pass that some editors make first: cases that disagree with their neighbours are noise."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from ilk import Param
from ilk_learners.editors.passes import edited

if TYPE_CHECKING:
    from ilk_learners.editors.cases import Cases

Noise = Literal["enn", "renn", "none"]

NOISE = Param(
    choices=("enn", "renn", "none"),
    doc="What removes noise first: one pass of edited nearest neighbours, passes until all agree.",
)


def without_noise(cases: Cases, k: int, noise: Noise) -> np.ndarray:
    """Numbers of the cases that the editor enn or renn would keep, ascending.

    Their rule is "plurality", with ties that keep.

    Parameters
    ----------
    k : int
        How many neighbours are asked.
    """
    if noise == "none":
        cases.neighbors(k)  # says if there are too few, as the others do
        return np.arange(len(cases))
    return edited(cases, k, "plurality", "keep", 1 if noise == "enn" else None)[0]
