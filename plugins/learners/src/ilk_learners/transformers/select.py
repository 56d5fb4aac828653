"""select: selected columns, in a given order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self, cast

import numpy as np
from sklearn.base import OneToOneFeatureMixin
from sklearn.utils.validation import check_is_fitted

import ilk
from ilk import Capabilities, Param, param
from ilk_learners.transformers.frames import as_frame, check_cells, positions
from ilk_learners.validation import check_columns

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from ilk import Cases, Labels


class Select(OneToOneFeatureMixin, ilk.Transformer):
    """Keep selected columns of a table or an array, in the given order.

    A data frame stays one, with its index and dtypes: numeric and nominal columns and missing
    values pass unchanged. A column that is named twice occurs once.

    Attributes
    ----------
    positions_ : ndarray of int
        Positions of the kept columns.
    n_features_in_ : int
        Number of input columns.

    Raises
    ------
    ParameterError
        If a name, position or pattern matches no column; suggests the closest name.

    Examples
    --------
    >>> import ilk
    >>> import pandas as pd
    >>> X = pd.DataFrame({"color_r": [1, 2], "size": ["s", "l"], "color_g": [3, 4]})
    >>> ilk.transformer("select", columns=["size", "color_*"]).fit_transform(X)
      size  color_r  color_g
    0    s        1        3
    1    l        2        4
    """

    columns: Sequence[str | int] = param(
        default=("*",),
        type=list,
        items=Param((str, int)),
        form="list of str or int",
        doc="Names of columns; if no column has this name, positions (from the end if negative) "
        'or shell patterns: ``*`` matches any text, ``?`` one character, as in ``"level0_*"``. '
        "Columns of a pattern are in the order of the table. The columns of an array are named "
        "x0, x1, ...",
    )
    capabilities: ClassVar[Capabilities] = Capabilities(
        inputs=("vectors", "tables", "views"), nan=True, sparse=True, stateless=True
    )

    @classmethod
    def examples(cls) -> list[Self]:
        """Examples: all columns; some by position; some of a table by pattern."""
        return [cls(), cls(columns=[-1, 0]), cls(columns=["color?"])]

    def check_parameters(self) -> None:
        """Check each parameter, and that at least one column is named."""
        super().check_parameters()
        if not len(self.columns):
            raise self.parameter_error("columns", "must name at least one column, got none")

    def fit(self, X: Cases, y: Labels | None = None) -> Self:
        """Find the columns; y is ignored."""
        self.check_parameters()
        if ilk.is_sparse(X):
            width = self._sparse(X, reset=True).shape[1]
            self.positions_ = np.array(
                positions(self, [f"x{i}" for i in range(width)], self.columns)
            )
            return self
        table = self._table(X, reset=True)
        labels = list(table.columns) if ilk.is_table(X) else ilk.column_labels(table.to_numpy())
        self.positions_ = np.array(positions(self, labels, self.columns))
        return self

    def transform(self, X: Cases) -> Any:
        """The kept columns: a data frame for a data frame, CSR for sparse rows, else an array."""
        check_is_fitted(self)
        if ilk.is_sparse(X):
            return self._sparse(X, reset=False)[:, self.positions_]
        selected = self._table(X, reset=False).iloc[:, self.positions_]
        return selected if ilk.is_table(X) else selected.to_numpy()

    def _sparse(self, X: Any, *, reset: bool) -> Any:
        return ilk.check_vectors(self, X, reset=reset, nan=True, sparse=True)

    def _table(self, X: Any, *, reset: bool) -> pd.DataFrame:
        """X as a data frame with the columns of training; cells of a data frame are not checked."""
        X = ilk.as_table(X)
        if ilk.is_table(X) and 0 not in X.shape:
            check_columns(self, X, reset=reset)
            return cast("pd.DataFrame", X)
        frame = as_frame(self, X, reset=reset, nan=True)
        for label in ilk.nominal_columns(frame):
            check_cells(self, frame[label])
        return frame

    def get_feature_names_out(self, input_features: Sequence[str] | None = None) -> Any:
        """Names of the kept columns."""
        names: Any = super().get_feature_names_out(input_features)
        return names[self.positions_]
