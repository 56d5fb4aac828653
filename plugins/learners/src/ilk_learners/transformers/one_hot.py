"""one_hot: a column of 0 and 1 for each category."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from ilk import Param
from ilk_learners.transformers.encoder import COLUMNS, MISSING, UNSEEN, Encoder

if TYPE_CHECKING:
    import pandas as pd


class OneHot(Encoder):
    """Encode each nominal column as one column of 0 and 1 for each of its categories.

    Numeric columns pass through; each encoded column is replaced, where it stands, by the
    columns of its categories: those that its category dtype declares, in that order, else
    the distinct training values, sorted.

    Parameters
    ----------
    columns : "nominal" or list of str or int, default="nominal"
        Which columns are encoded: those that are not numeric, or these names, positions or
        patterns (``"color_*"``).
    unseen : {"error", "zeros"}, default="error"
        A category that training did not know: an error, or 0 in every column.
    missing : {"error", "zeros", "category"}, default="error"
        A missing value in an encoded column: an error, 0 in every column, or a category of
        its own (``None``) in the columns that have missing values in training.

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
    Springer, 2009, section 2.2 (dummy variables).

    Examples
    --------
    >>> import ilk
    >>> import pandas as pd
    >>> X = pd.DataFrame({"size": [1.5, 2.0], "color": ["red", "blue"]})
    >>> encoder = ilk.transformer("one_hot").fit(X)
    >>> encoder.transform(X)
    array([[1.5, 0. , 1. ],
           [2. , 1. , 0. ]])
    >>> encoder.get_feature_names_out().tolist()
    ['size', 'color_blue', 'color_red']
    """

    parameters: ClassVar[Mapping[str, Param]] = {
        "columns": COLUMNS,
        "unseen": Param(choices=("error", "zeros"), doc="What to do with unknown categories."),
        "missing": Param(
            choices=("error", "zeros", "category"), doc="What to do with missing values."
        ),
    }

    def __init__(
        self,
        columns: str | Sequence[str | int] = "nominal",
        unseen: str = "error",
        missing: str = "error",
    ) -> None:
        self.columns = columns
        self.unseen = unseen
        self.missing = missing

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(), cls(unseen="zeros", missing="category")]

    def _categories(self, column: pd.Series[Any]) -> list[Any]:
        own = [None] if self.missing == "category" and column.hasnans else []
        return super()._categories(column) + own

    def _encode(self, frame: pd.DataFrame) -> np.ndarray:
        widths = self._widths()
        starts = np.concatenate([[0], np.cumsum(widths)])
        result = np.zeros((len(frame), starts[-1]), dtype=self._dtype(frame))
        for position, start in enumerate(starts[:-1]):
            if position not in self.categories_:
                result[:, start] = frame.iloc[:, position]
                continue
            codes = self._accepted(frame, position)
            rows = np.flatnonzero(codes >= 0)
            result[rows, start + codes[rows]] = 1
        return result

    def _accepted(self, frame: pd.DataFrame, position: int) -> np.ndarray:
        """Codes of a column; negative where every column stays 0."""
        codes = self._codes(frame, position)
        missing = codes == MISSING
        if self.missing == "error":
            self._refuse(frame, position, missing, "impute it, or set missing")
        if self.missing == "category":
            known = None in self.categories_[position]
            codes[missing] = len(self.categories_[position]) - 1 if known else UNSEEN
        if self.unseen == "error":
            self._refuse(frame, position, codes == UNSEEN, "unseen='zeros' lets it through")
        return codes

    def _widths(self) -> list[int]:
        return [
            len(self.categories_[i]) if i in self.categories_ else 1
            for i in range(self.n_features_in_)
        ]

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """``<column>_<category>`` for encoded columns, the others' own names.

        A name that is there already gets a number: ``<column>_<category>_2``.
        """
        names = super().get_feature_names_out(input_features)
        taken = {name for position, name in enumerate(names) if position not in self.categories_}
        every: list[str] = []
        for position, name in enumerate(names):
            categories = self.categories_.get(position)
            if categories is None:
                every.append(name)
                continue
            for category in categories:
                every.append(_free(f"{name}_{category}", taken))
                taken.add(every[-1])
        return np.array(every, dtype=object)


def _free(name: str, taken: set[str]) -> str:
    numbered = (f"{name}_{number}" for number in count(2))
    return name if name not in taken else next(each for each in numbered if each not in taken)
