"""Data sets made by a rule over nominal features."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

import ilk
from ilk import Param
from ilk_evaluation.datasets.columns import categories


class RuleMade(ilk.Dataset):
    """A data set made by a rule over nominal features; no file is read.

    A subclass gives `features` and defines `cases`.

    Parameters
    ----------
    encode : "ordinal" or None, default=None
        None: a data frame of nominal columns. "ordinal": a float array of the position of
        each value among those of its feature, from 0.
    """

    features: ClassVar[tuple[str, ...]]
    parameters: ClassVar[Mapping[str, Param]] = {
        "encode": Param(
            choices=("ordinal",), none=True, doc="None: nominal columns; 'ordinal': their codes."
        )
    }

    def __init__(self, encode: str | None = None) -> None:
        self.encode = encode

    @abstractmethod
    def cases(self) -> tuple[list[tuple[str, ...]], list[Any]]:
        """Values of the features, and label, of each case."""

    def nominal(self, column: tuple[str, ...]) -> Any:
        """Values of a feature with its categories; by default those that occur."""
        return categories(column)

    def load(self) -> ilk.Data:
        self.check_parameters()
        import pandas as pd

        values, labels = self.cases()
        columns = {
            name: self.nominal(column)
            for name, column in zip(self.features, zip(*values, strict=True), strict=True)
        }
        plain = self.encode is None
        codes = [np.asarray(column.codes, dtype=float) for column in columns.values()]
        return ilk.Data(
            X=pd.DataFrame(columns) if plain else np.column_stack(codes),
            y=np.array(labels),
            name=ilk.display_name(self),
            feature_names=self.features,
            nominal=self.features if plain else (),
            description=(type(self).__doc__ or "").partition("\n")[0],
        )

    def title(self) -> str:
        """Registered name, marked if the values are encoded."""
        name = ilk.display_name(self)
        return name if self.encode is None else f"{name} ({self.encode})"
