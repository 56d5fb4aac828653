"""Names of columns, preserved through transformers for steps that select views by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ilk.component import children
from ilk.inputs import is_table
from ilk.params import Views


def uses_views(component: object) -> bool:
    """Tell whether a component, or one in its slots at any depth, uses views."""
    for name, param in getattr(component, "parameters", {}).items():
        value = getattr(component, name)
        if Views in param.types and value is not None:
            return True
        if param.slot and _written(value):
            return True
    return any(uses_views(child) for _, child in children(component))


def _written(value: object) -> bool:
    """Tell whether the table of a component not yet built has views."""
    if isinstance(value, Mapping):
        return "views" in value or any(map(_written, value.values()))
    if isinstance(value, Sequence) and not isinstance(value, str):
        return any(map(_written, value))
    return False


def with_names(columns: Any, X: Any, transformer: Any) -> Any:
    """Return the output of a transformer as a table if X is one, else unchanged.

    Parameters
    ----------
    columns : array of shape (n, q)
        Output of the transformer.
    X : data of n rows
    transformer : Transformer
        Fitted; its ``get_feature_names_out`` names the columns.
    """
    if not is_table(X) or not isinstance(columns, np.ndarray) or columns.ndim != 2:
        return columns
    import pandas as pd

    names = list(transformer.get_feature_names_out(list(X.columns)))
    return pd.DataFrame(columns, columns=names, index=X.index, copy=False)
