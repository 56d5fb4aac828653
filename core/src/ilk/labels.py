"""Validation of labels: their sorted classes and the code of each."""

from __future__ import annotations

from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from ilk.errors import InputError
from ilk.inputs import as_table, check_same_length
from ilk.registries import display_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ilk.arrays import Cases, Labels


def check_labels(
    owner: object, y: Labels | None, X: Cases | None = None, *, min_classes: int = 1
) -> tuple[np.ndarray, np.ndarray]:
    """Return the sorted classes and the code of each label.

    Parameters
    ----------
    owner : Component
        Named in errors.
    y : array of shape (n,)
        Strings, booleans or integers; -1 is a label like any other. A Dask array is computed.
    X : optional
        Must have the same number of rows.
    min_classes : int
        Minimum number of classes.

    Returns
    -------
    classes : ndarray of shape (n_classes,)
    codes : ndarray of int, shape (n,)
        Position of each label in `classes`.

    Raises
    ------
    InputError
        Naming the component and the problem of y.
    """
    if y is None:
        raise InputError(
            f"{display_name(owner)}: requires y to be passed, but the target y is None"
        )
    try:
        classes, codes = _coded(_plain_labels(y))
    except (TypeError, ValueError) as error:
        raise InputError(f"{display_name(owner)}: y: {error}") from None
    if X is not None:
        check_same_length(owner, X, codes)
    if not len(classes):
        raise InputError(f"{display_name(owner)}: y is empty, at least one label is needed")
    if len(classes) < min_classes:
        raise InputError(
            f"{display_name(owner)}: y has {len(classes)} class ({classes.tolist()[0]!r}), "
            f"at least {min_classes} classes are needed"
        )
    return classes, codes


def text_array(texts: Sequence[str] | np.ndarray) -> np.ndarray:
    """Texts as a numpy array: of one width if all are short, of objects if one is long.

    An array of one width holds four bytes for each character of the longest text, in every row.

    Examples
    --------
    >>> text_array(["a", "bc"]).dtype, text_array(["a", "b" * 200]).dtype
    (dtype('<U2'), dtype('O'))
    """
    if isinstance(texts, np.ndarray) and texts.dtype.kind == "U":
        return texts.astype(object) if texts.dtype.itemsize > 4 * _LONG else texts
    array = np.asarray(texts, dtype=object)
    return array if max(map(len, array.flat), default=0) > _LONG else array.astype(str)


_LONG = 128  # characters


def _coded(labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Sorted classes and codes of labels that are a column of one type without missing values."""
    if labels.ndim == 1 and labels.size and labels.dtype.kind in _ALWAYS_LABELS:
        classes, codes = np.unique(labels, return_inverse=True)
        if 2 * len(classes) <= len(labels):  # scikit-learn may warn about more classes
            return classes, codes
    from sklearn.utils.multiclass import check_classification_targets
    from sklearn.utils.validation import column_or_1d

    values = column_or_1d(labels, warn=True)
    _refuse_missing(values)
    with np.errstate(invalid="ignore"):  # scikit-learn casts floats of any size to integers
        check_classification_targets(values)
    return np.unique(values, return_inverse=True)


_ALWAYS_LABELS = "biuU"  # kinds of numpy types that nothing speaks against: integers, texts, ...


def _plain_labels(y: Labels) -> Any:
    """Labels of a categorical or string column as a numpy array; others unchanged."""
    y = as_table(y)
    if np.ma.isMaskedArray(y) and np.ma.getmaskarray(y).any():
        raise ValueError(f"has a masked label at row {int(np.argmax(np.ma.getmaskarray(y)))}")
    if hasattr(y, "to_numpy") and not isinstance(y, np.ndarray):
        y = y.to_numpy()
    if isinstance(y, list | tuple):
        _refuse_mixture(y)
        if any(isinstance(label, str) for label in y):
            y = np.asarray(y, dtype=object)  # otherwise NaN would become the text "nan"
    array = np.asarray(y)
    if array.dtype == object and array.ndim == 1:
        _refuse_mixture(array)
        if all(isinstance(v, str) for v in array):
            return text_array(array)
    return text_array(array) if array.dtype.kind == "U" else array


def _refuse_mixture(labels: Labels) -> None:
    """Raise if numpy would treat different labels as equal."""
    found = ((_family(label), row) for row, label in enumerate(labels))
    families = {family: row for family, row in found if family}
    if len(families) > 1:
        names = " and ".join(sorted(families))
        raise ValueError(f"mixes {names}, as in rows {sorted(families.values())}")
    for row, label in enumerate(labels):
        if isinstance(label, str | bytes) and label[-1:] in ("\0", b"\0"):
            raise ValueError(f"ends in a null character at row {row}, which arrays of text drop")


def _family(label: object) -> str | None:
    """The family of a label (numbers, texts, ...), if known."""
    if label is None or label != label:  # noqa: PLR0124  # NaN, reported elsewhere
        return None
    if isinstance(label, bool | np.bool_):
        return "true or false"
    if isinstance(label, Real):
        return "numbers"
    return "texts" if isinstance(label, str | bytes) else None


def _refuse_missing(values: np.ndarray) -> None:
    if values.dtype.kind == "f":
        bad = ~np.isfinite(values)
    elif values.dtype == object:
        bad = np.array([v is None or v != v for v in values], dtype=bool)  # noqa: PLR0124
    else:
        return
    if bad.any():
        row = int(np.argmax(bad))
        kind = "infinity (inf)" if values[row] in (np.inf, -np.inf) else "NaN or None"
        raise ValueError(f"has {kind} at row {row}")
