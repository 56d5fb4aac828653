"""ordinal: the place of each category as a number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from ilk import Param
from ilk_learners.numerics import check_finite_parameters
from ilk_learners.transformers.encoder import COLUMNS, MISSING, UNSEEN, Encoder

if TYPE_CHECKING:
    import pandas as pd


class Ordinal(Encoder):
    """Encode each nominal column as the places of its categories: 0, 1, 2, ...

    Numeric columns pass through. The order is the one that the column's category dtype
    declares, else that of the sorted distinct training values.

    Parameters
    ----------
    columns : "nominal" or list of str or int, default="nominal"
        Which columns are encoded: those that are not numeric, or these names, positions or
        patterns (``"color_*"``).
    unseen : "error" or float, default="error"
        A category that training did not know: an error, or this number.
    missing : "error", "keep" or float, default="error"
        A missing value in an encoded column: an error, NaN, or this number.

    Attributes
    ----------
    categories_ : dict of int to list
        Categories of each encoded column, by position.

    Raises
    ------
    InputError
        Naming column and row of a missing value or an unseen category that is not let
        through; a missing value in a numeric column always is one (see ``impute``).

    References
    ----------
    T. Hastie, R. Tibshirani and J. Friedman, *The Elements of Statistical Learning*, 2nd ed.,
    Springer, 2009, section 2.2 (numeric codes).

    Examples
    --------
    >>> import ilk
    >>> import pandas as pd
    >>> size = pd.Categorical(["large", "small"], categories=["small", "medium", "large"])
    >>> X = pd.DataFrame({"size": size, "price": [9.5, 4.0]})
    >>> ilk.transformer("ordinal").fit_transform(X)
    array([[2. , 9.5],
           [0. , 4. ]])
    """

    parameters: ClassVar[Mapping[str, Param]] = {
        "columns": COLUMNS,
        "unseen": Param(float, choices=("error",), doc="Number that stands for them, if let in."),
        "missing": Param(
            float, choices=("error", "keep"), doc="Number that stands for them, or keep as NaN."
        ),
    }

    def __init__(
        self,
        columns: str | Sequence[str | int] = "nominal",
        unseen: str | float = "error",
        missing: str | float = "error",
    ) -> None:
        self.columns = columns
        self.unseen = unseen
        self.missing = missing

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(), cls(unseen=-1, missing="keep")]

    def check_parameters(self) -> None:
        """Check each parameter, and that the numbers are finite."""
        super().check_parameters()
        check_finite_parameters(self, "unseen", "missing")

    def _encode(self, frame: pd.DataFrame) -> np.ndarray:
        result = np.empty(frame.shape, dtype=self._dtype(frame))
        for position in range(frame.shape[1]):
            encoded = position in self.categories_
            column: Any = frame.iloc[:, position]
            result[:, position] = self._numbers(frame, position) if encoded else column
        return result

    def _numbers(self, frame: pd.DataFrame, position: int) -> np.ndarray:
        codes = self._codes(frame, position)
        numbers = codes.astype(float)
        for code, value, name in (
            (MISSING, self.missing, "missing"),
            (UNSEEN, self.unseen, "unseen"),
        ):
            if value == "error":
                self._refuse(frame, position, codes == code, f"a number as {name} lets it through")
            else:
                numbers[codes == code] = np.nan if value == "keep" else value
        return numbers
