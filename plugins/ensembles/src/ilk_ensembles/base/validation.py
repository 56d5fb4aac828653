"""Input validation: indexable rows, the columns seen in training, numeric targets."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Any

import numpy as np

import ilk

if TYPE_CHECKING:
    from sklearn.utils import Tags

    from ilk import Cases, Labels, Matrix


def n_encoded(owner: Any) -> int:
    """Number of columns of the rows that `ilk.encoded_vectors` gives a fitted component."""
    return int(owner.n_features_in_ if owner.encoder_ is None else len(owner.encoder_.origins_))


def by_feature(owner: Any, values: np.ndarray) -> np.ndarray:
    """Sums of values of encoded columns over the columns of each feature."""
    if owner.encoder_ is None:
        return values
    return np.bincount(owner.encoder_.origins_, values, minlength=owner.n_features_in_)


def indexable(X: Cases) -> Any:
    """Return data whose rows, and columns if any, can be indexed by position."""
    X = ilk.as_table(X)
    if not hasattr(X, "shape") and hasattr(X, "__array__"):
        return np.asarray(X)
    return X


def beside(columns: np.ndarray, X: Matrix) -> Any:
    """Columns and X side by side: an array, or CSR if X has sparse rows."""
    blocks: Any = [columns, X]
    if not ilk.is_sparse(X):
        return np.hstack(blocks)
    import scipy.sparse as sp

    return sp.hstack(blocks, format="csr")


def row_blocks(X: Cases, size: int) -> Iterator[Any]:
    """Yield the rows of X in blocks of at most `size`; X itself if it has no more."""
    n = ilk.n_rows(X)
    if n <= size:
        yield X
        return
    for start in range(0, n, size):
        yield ilk.take(X, np.arange(start, min(start + size, n)))


def check_features(owner: object, X: Any, *, reset: bool) -> None:
    """Check the columns of X, if any, against those of training; with `reset`, record them.

    Raises
    ------
    InputError, InputTypeError
        If X is not an array, a table or a list, or its columns differ.
    """
    from sklearn.utils import get_tags
    from sklearn.utils.validation import validate_data

    if hasattr(X, "tocsr"):  # members are given draws: their errors would name other rows
        ilk.check_finite(owner, X, nan=get_tags(owner).input_tags.allow_nan)
    if isinstance(X, Mapping | AbstractSet) and not hasattr(X, "shape"):
        kind = type(X).__name__
        raise ilk.InputTypeError(
            f"{ilk.display_name(owner)}: X must be an array, a table or a list, got a {kind}"
        )
    if getattr(X, "ndim", 2) < 2 or (isinstance(X, list | tuple) and not _are_vectors(X)):
        return  # no columns: texts, sets, or an error for members to raise
    if type(X) is np.ndarray and _suits(owner, X, reset=reset):
        return  # scikit-learn would ask for tags, for which the members are built
    try:
        validate_data(owner, X, reset=reset, skip_check_array=True)
    except (TypeError, ValueError) as error:
        raise ilk.InputError(f"{ilk.display_name(owner)}: X: {error}") from None


def _suits(owner: Any, X: np.ndarray, *, reset: bool) -> bool:
    """Record the columns of an array, or tell whether they are those of training."""
    if reset:
        vars(owner).pop("feature_names_in_", None)
        owner.n_features_in_ = X.shape[1]
        return True
    return not hasattr(owner, "feature_names_in_") and owner.n_features_in_ == X.shape[1]


def _are_vectors(rows: Sequence[Any]) -> bool:
    """Tell whether the rows of a list can be vectors: flat and of equal length."""
    try:
        flat = not rows or np.ndim(rows[0]) == 1
    except ValueError:  # ragged rows, such as points with weights
        return False
    return flat and len(set(map(len, rows))) < 2


def common_tags(tags: Tags, members: Callable[[], Sequence[Any]]) -> Any:
    """Tags of an ensemble that accepts NaN and sparse matrices if all of its members do."""
    from sklearn.utils import get_tags

    try:
        member_tags = [get_tags(member).input_tags for member in members()]
    except ilk.IlkError:  # `fit` raises it
        return tags
    tags.input_tags.allow_nan = all(each.allow_nan for each in member_tags)
    tags.input_tags.sparse = all(each.sparse for each in member_tags)
    return tags


def check_numbers(owner: object, y: Labels | None, X: Cases) -> np.ndarray:
    """Return y as finite floats, one for each row of X.

    Raises
    ------
    InputError
        Names the component and the fault in y.
    """
    from sklearn.utils.validation import column_or_1d

    if y is None:
        raise ilk.InputError(
            f"{ilk.display_name(owner)}: requires y to be passed, but the target y is None"
        )
    try:
        values = np.asarray(ilk.as_table(y))
        if values.dtype.kind != "c":
            values = column_or_1d(values.astype(float, copy=False), warn=True)
    except (TypeError, ValueError) as error:
        raise ilk.InputError(f"{ilk.display_name(owner)}: y: {error}") from None
    if values.dtype.kind == "c":
        raise ilk.InputError(
            f"{ilk.display_name(owner)}: y must be real numbers (Complex data not supported)"
        )
    ilk.check_same_length(owner, X, values)
    if not len(values):
        raise ilk.InputError(
            f"{ilk.display_name(owner)}: y is empty, at least one number is needed"
        )
    bad = np.flatnonzero(~np.isfinite(values))
    if bad.size:
        raise ilk.InputError(
            f"{ilk.display_name(owner)}: y has {values[bad[0]]} at row {bad[0]}, it must be finite"
        )
    return np.asarray(values)
