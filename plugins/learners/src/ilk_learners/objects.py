"""Objects to be compared: checked for the distance that will compare them."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import validate_data

from ilk import (
    Capabilities,
    InputError,
    as_table,
    check_vectors,
    display_name,
    is_table,
    n_rows,
)


def check_objects(owner: Any, taker: Any, X: Any, *, reset: bool) -> Any:
    """Return X in the form `taker` takes it, its features checked where it has features.

    Parameters
    ----------
    owner : Component
        Named in errors; its ``n_features_in_`` and ``feature_names_in_`` are set or compared.
    taker : distance, transformer or local metric
        Its capabilities say what X may be. Where it takes vectors only, and for any array of
        numbers where it takes vectors among others, X becomes a float array.
    X : data of n rows
    reset : bool
        Whether the features are set (else compared).

    Raises
    ------
    InputError, InputTypeError
        If X has no row, or has what `taker` cannot take.
    """
    able = getattr(taker, "capabilities", None) or Capabilities()
    vectors = set(able.inputs) & {"vectors", "histograms"}
    X = as_table(X)
    if vectors and (vectors == set(able.inputs) or _is_numbers(X)):
        return check_vectors(owner, X, reset=reset, nan=able.nan, sparse=able.sparse)
    name = display_name(owner)
    if isinstance(X, str | bytes):
        raise InputError(f"{name}: X must be a list of texts, got the single text {X[:40]!r}")
    if n_rows(X) == 0:
        raise InputError(f"{name}: X has 0 rows, at least one is needed")
    if is_table(X):
        check_columns(owner, X, reset=reset)
    return X


def check_columns(owner: Any, X: Any, *, reset: bool) -> None:
    """Set number and names of a data frame's columns on `owner`, or compare them.

    Raises
    ------
    InputError
        If they are not those that were set.
    """
    try:
        validate_data(owner, X, reset=reset, skip_check_array=True)
    except (TypeError, ValueError) as error:
        raise InputError(f"{display_name(owner)}: X: {error}") from None


def _is_numbers(X: Any) -> bool:
    if sp.issparse(X):
        return True
    return isinstance(X, np.ndarray) and X.ndim == 2 and X.dtype.kind in "biuf"
