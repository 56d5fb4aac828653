"""Objects to be compared: checked for the distance that will compare them."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import validate_data

from ilk import (
    Capabilities,
    IlkError,
    InputError,
    as_table,
    check_vectors,
    display_name,
    is_table,
    n_rows,
    refuse_blocks,
)


def check_objects(owner: Any, taker: Any, X: Any, *, reset: bool) -> Any:
    """Return X in the form `taker` takes it, its features checked where it has features.

    Parameters
    ----------
    owner : Component
        Named in errors; its ``n_features_in_`` and ``feature_names_in_`` are set or compared.
    taker : distance, kernel, transformer or local metric
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
    able = getattr(_compared_by(taker), "capabilities", None) or Capabilities()
    vectors = set(able.inputs) & _VECTORS
    refuse_blocks(owner, X)
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


_VECTORS = {"vectors", "histograms"}


def takes_vectors(taker: Any) -> bool:
    """Tell whether a distance, or what else looks at rows, takes vectors."""
    able = getattr(_compared_by(taker), "capabilities", None) or Capabilities()
    return bool(_VECTORS & set(able.inputs))


def _compared_by(taker: Any) -> Any:
    """What looks at rows: for a kernel of distances, its distance."""
    while getattr(taker, "kind", None) == "kernel" and "distance" in taker.parameters:
        taker = getattr(taker, "distance_", None) or taker.resolve_slot("distance")
    return taker


def with_input_tags(owner: Any, slot: str, tags: Any) -> Any:
    """Give scikit-learn's tags of an owner the input tags of what is in one of its slots."""
    try:
        component: Any = owner.resolve_slot(slot)
    except IlkError:  # said when it is fitted
        return tags
    if hasattr(component, "__sklearn_tags__"):
        tags.input_tags = component.__sklearn_tags__().input_tags
    return tags


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
