"""Validation of input data: rows, tables, vectors and labels; errors name the cell."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Literal, TypeGuard, overload

import numpy as np

from ilk.errors import InputError, InputTypeError
from ilk.registries import display_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd
    from numpy.typing import DTypeLike

    from ilk.arrays import Cases, Labels, Matrix

__all__ = [
    "as_table",
    "check_finite",
    "check_fitted",
    "check_same_features",
    "check_same_length",
    "check_vectors",
    "date_columns",
    "days_of",
    "is_sparse",
    "is_table",
    "n_rows",
    "nominal_columns",
    "refuse_blocks",
    "refuse_nominal",
    "refuse_sparse",
    "take",
]


def is_table(X: object) -> bool:
    """Tell whether X is a data frame (pandas or polars) without importing either."""
    return hasattr(X, "columns") and hasattr(X, "shape") and hasattr(X, "dtypes")


def is_sparse(X: object) -> bool:
    """Tell whether X has sparse rows: an array or matrix of scipy.sparse, of any format."""
    scipy = sys.modules.get("scipy.sparse")  # without it there is no such X
    return scipy is not None and bool(scipy.issparse(X))


def is_dask(X: object) -> bool:
    """Tell whether X is a Dask collection without importing Dask."""
    return type(X).__module__.partition(".")[0] in {"dask", "dask_expr"}


def refuse_blocks(owner: object, X: Cases, argument: str = "X") -> None:
    """Raise if X is a Dask collection, which would have to be loaded completely.

    Raises
    ------
    InputTypeError
        Naming the component, the argument and a remedy.
    """
    if is_dask(X):
        raise InputTypeError(f"{display_name(owner)}: {argument} {_whole(X)}")


def _whole(X: Cases | None) -> str:
    return (
        f"is a Dask collection ({type(X).__name__}), which would have to be loaded whole; give its "
        f"compute() if it fits into memory (knn with index='brute' searches a Dask array by blocks)"
    )


def as_table(X: Any) -> Any:
    """Convert a polars frame to pandas, sparse rows to CSR; return other data unchanged.

    Polars' text and categorical columns become pandas categories. CSR gets sorted columns, each
    at most once, and 32-bit indices if they fit.

    Raises
    ------
    InputTypeError
        For a Dask collection, which would have to be loaded completely, unless it has one
        column, like labels.
    """
    if is_dask(X) and getattr(X, "ndim", 2) != 1:
        raise InputTypeError(f"X {_whole(X)}")
    if is_sparse(X):
        return _canonical(X.tocsr(), X)
    if type(X).__module__.partition(".")[0] != "polars" or not is_table(X):
        return X
    import pandas as pd

    columns: dict[str, Any] = {}
    for name in X.columns:
        values = X[name]
        family = str(values.dtype).partition("(")[0]
        nominal = family in {"String", "Categorical", "Enum"}
        if family in {"Array", "List", "Object", "Struct"}:  # nested values: one object a row
            columns[name] = pd.Series(values.to_list(), dtype=object)
            continue
        cells = values.to_list() if nominal else values.to_numpy()
        columns[name] = pd.Categorical(cells, _declared(values)) if nominal else cells
    return pd.DataFrame(columns)


def _declared(column: Any) -> list[str] | None:
    """The declared values of a polars Enum, in order; None for other columns."""
    is_enum = str(column.dtype).startswith("Enum")
    return list(column.dtype.categories) if is_enum else None


def n_rows(X: Any) -> int:
    """Number of rows of an array, sparse matrix, data frame or list."""
    shape = getattr(X, "shape", None)
    if shape is None and hasattr(X, "__array__"):
        shape = np.asarray(X).shape
    if shape is not None:
        if len(shape) == 0:
            raise InputError(f"expected a sequence of rows, got the scalar {X!r}")
        return int(shape[0])
    try:
        return len(X)
    except TypeError:
        raise InputTypeError(f"expected a sequence of rows, got {type(X).__name__}") from None


def take(X: Any, indices: Any) -> Any:
    """Return rows of an array, sparse matrix, data frame, series or list, in the given order.

    Parameters
    ----------
    X : array, sparse matrix, data frame, series or list of length n
    indices : array of int, shape (m,)

    Returns
    -------
    The same type of object with m rows; CSR for sparse rows.
    """
    if hasattr(X, "iloc"):
        return X.iloc[indices]
    if is_sparse(X):
        return X.tocsr()[indices]
    if isinstance(X, np.ndarray) or hasattr(X, "shape"):
        return X[indices]
    return [X[i] for i in indices]


def nominal_columns(X: Any) -> list[Any]:
    """Names of the columns of a data frame that are not numeric, in order."""
    return [name for name, dtype in zip(X.columns, X.dtypes, strict=True) if not _numeric(dtype)]


def date_columns(X: Any) -> list[Any]:
    """Names of the columns of a data frame that hold dates, in order."""
    return [
        name
        for name, dtype in zip(X.columns, X.dtypes, strict=True)
        if getattr(dtype, "kind", "O") == "M"
    ]


def days_of(column: pd.Series[Any]) -> np.ndarray:
    """Days since 1970-01-01 of a column of dates, with fractions for times; NaN where missing.

    Examples
    --------
    >>> import pandas as pd
    >>> days_of(pd.Series(pd.to_datetime(["1970-01-02 00:00", "1970-01-01 12:00"])))
    array([1. , 0.5])
    """
    import pandas as pd

    moments = pd.to_datetime(column, utc=True)
    days = (moments - pd.Timestamp(0, tz="UTC")) / pd.Timedelta(days=1)
    return np.asarray(days, dtype=float)


def _numeric(dtype: DTypeLike) -> bool:
    kind = getattr(dtype, "kind", "O")
    return kind in "biuf" and not hasattr(dtype, "categories")


def refuse_nominal(owner: object, X: Cases, argument: str = "X") -> None:
    """Raise an error with a remedy if a data frame has nominal columns.

    Raises
    ------
    InputError
        Naming the component, the argument and the columns.
    """
    if not is_table(X):
        return
    nominal = nominal_columns(X)
    if not nominal:
        return
    dates = set(date_columns(X))
    name = f"{display_name(owner)}: {argument}"
    if dates == set(nominal):
        raise InputError(
            f"{name} has dates ({a_few(nominal)}); the transformer ordinal makes them numbers of "
            f"days, the distance heterogeneous compares them so"
        )
    ordered = [each for each in nominal if getattr(X[each].dtype, "ordered", False)]
    also = f"; ordinal keeps the order of {a_few(ordered)}" if ordered else ""
    also += f"; dates ({a_few(sorted(dates, key=str))}) become days" if dates else ""
    raise InputError(
        f"{name} has nominal columns ({a_few(nominal)}); encode them with the transformer one_hot "
        f"or ordinal, or use the distance heterogeneous{also}"
    )


def a_few(names: Sequence[Any]) -> str:
    """The first five names of columns, for an error."""
    return ", ".join(map(repr, names[:5])) + (", ..." if len(names) > 5 else "")


def refuse_unlike_numbers(owner: object, X: Cases, argument: str = "X") -> None:
    """Raise if numpy would wrongly convert an array to numbers: masked cells, dates, texts.

    Raises
    ------
    InputError, InputTypeError
        Naming the component, the argument and, if known, the cell.
    """
    if np.ma.isMaskedArray(X) and np.ma.getmaskarray(X).any():
        cell = tuple(int(i) for i in np.argwhere(np.ma.getmaskarray(X))[0])
        problem = f"has a masked value at {cell}; fill it first"
        raise InputError(f"{display_name(owner)}: {argument} {problem}")
    kind = getattr(getattr(X, "dtype", None), "kind", "")
    if kind in "mM" and kind:
        problem = "holds dates or durations, not numbers"
        raise InputTypeError(f"{display_name(owner)}: {argument} {problem}")
    if kind in "US" and kind:
        problem = "holds texts, not numbers: could not convert string"
        raise InputError(f"{display_name(owner)}: {argument} {problem}")


@overload
def check_vectors(
    owner: object,
    X: Cases,
    *,
    argument: str = "X",
    reset: bool | None = None,
    nan: bool = False,
    sparse: Literal[False] = False,
    min_rows: int = 1,
) -> np.ndarray: ...
@overload
def check_vectors(
    owner: object,
    X: Cases,
    *,
    argument: str = "X",
    reset: bool | None = None,
    nan: bool = False,
    sparse: bool,
    min_rows: int = 1,
) -> Any: ...
def check_vectors(
    owner: object,
    X: Cases,
    *,
    argument: str = "X",
    reset: bool | None = None,
    nan: bool = False,
    sparse: bool = False,
    min_rows: int = 1,
) -> Any:
    """Return X as a 2-D array of float64 or float32, or raise a precise error.

    Parameters
    ----------
    owner : Component
        Named in errors. With `reset`, its ``n_features_in_`` and ``feature_names_in_`` are set
        (True) or compared (False).
    X : array of shape (n, p), data frame of numeric columns, or sparse matrix
    argument : str
        What to call X in errors.
    reset : bool, optional
        None: `owner` is no estimator, features are not checked.
    nan : bool
        Whether NaN is accepted.
    sparse : bool
        Whether sparse rows (scipy arrays or matrices of any format) are accepted, and returned as
        CSR with sorted columns, duplicates summed.
    min_rows : int
        Minimum number of rows.

    Returns
    -------
    ndarray or csr_matrix of shape (n, p)
        float32 stays float32; everything else becomes float64. Copied only if needed.

    Raises
    ------
    InputError, InputTypeError
        Naming the component, the argument and the offending row and column.
    """
    from sklearn.utils.validation import check_array, validate_data

    if _is_plain(X) and len(X) >= min_rows and _suits(owner, X, reset):
        check_finite(owner, X, argument=argument, nan=nan)
        return X
    refuse_blocks(owner, X, argument)
    if is_table(X):
        X = as_table(X)
    refuse_nominal(owner, X, argument)
    refuse_unlike_numbers(owner, X, argument)
    if not sparse:
        refuse_sparse(owner, X, argument)
    elif is_sparse(X):
        _check_indices(owner, X, argument)
    options: dict[str, Any] = {
        "accept_sparse": "csr" if sparse else False,
        "dtype": [np.float64, np.float32],
        "ensure_all_finite": False,
        "ensure_min_samples": min_rows,
    }
    try:
        if reset is None:
            checked = check_array(X, input_name=argument, **options)
        else:
            checked = validate_data(owner, X, reset=reset, **options)
    except TypeError as error:
        raise InputTypeError(f"{display_name(owner)}: {argument}: {error}") from None
    except UnicodeError:  # a ValueError, but not about the values of X
        raise
    except (ValueError, OverflowError) as error:  # OverflowError: an integer too large for float
        raise InputError(f"{display_name(owner)}: {argument}: {error}") from None
    if is_sparse(checked):
        checked = _canonical(checked, X)
    check_finite(owner, checked, argument=argument, nan=nan)
    return checked


def refuse_sparse(owner: object, X: Cases, argument: str = "X") -> None:
    """Raise if X has sparse rows; names a component of the same kind that takes them.

    Raises
    ------
    InputTypeError
        Naming the component, the argument and remedies.
    """
    frame = is_table(X) and hasattr(X, "sparse")  # pandas has it where all columns are sparse
    if not is_sparse(X) and not frame:
        return
    dense = f"{argument}.sparse.to_dense()" if frame else f"{argument}.toarray()"
    name, kind = display_name(owner), getattr(owner, "kind", "")
    kind = kind if kind in _SPARSE else "transformer"
    raise InputTypeError(
        f"{name}: {argument} has sparse rows, but dense data is required; the {kind} "
        f"{_SPARSE[kind]} takes them; give {dense} if it is small"
    )


def _check_indices(owner: object, X: Any, argument: str) -> None:
    """Raise if the indices of sparse rows in a compressed format are out of range."""
    try:
        if hasattr(X, "check_format"):
            X.check_format(full_check=True)
    except ValueError as error:
        problem = f"{argument} has sparse rows with wrong indices: {error}"
        raise InputError(f"{display_name(owner)}: {problem}") from None


# components that take sparse rows, for the remedy in errors
_SPARSE = {
    "distance": "cosine",
    "kernel": "linear",
    "index": "brute",
    "transformer": "truncated_svd",
    "metric_learner": "truncated_svd",
    "classifier": "knn",
    "regressor": "knn",
    "detector": "one_class_svm",
    "clusterer": "dbscan",
    "editor": "enn",
}


def _canonical(X: Any, given: Any) -> Any:
    """CSR with sorted columns, each at most once; the given matrix stays as it is."""
    if X.indices.dtype == np.int64 and max(X.nnz, *X.shape) < 2**31:
        narrow = X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)
        X = type(X)(narrow, shape=X.shape)
    if X.has_canonical_format:
        return X
    if np.may_share_memory(X.data, getattr(given, "data", X.data)):
        X = X.copy()
    X.sum_duplicates()
    return X


def _is_plain(X: object) -> TypeGuard[np.ndarray]:
    """Tell whether X already has the form that `check_vectors` returns, except finiteness."""
    return type(X) is np.ndarray and X.ndim == 2 and X.size > 0 and X.dtype in _FLOATS


def _suits(owner: object, X: np.ndarray, reset: bool | None) -> bool:
    """Set the features of `owner` to those of X, or compare them; an error is left to others."""
    if reset is None:
        return True
    if reset:
        if hasattr(owner, "feature_names_in_"):
            del owner.feature_names_in_
        setattr(owner, "n_features_in_", X.shape[1])  # noqa: B010  # any object with features
        return True
    width = getattr(owner, "n_features_in_", X.shape[1])
    return width == X.shape[1] and getattr(owner, "feature_names_in_", None) is None


_FLOATS = (np.dtype(np.float64), np.dtype(np.float32))


def check_fitted(component: Any) -> None:
    """Raise scikit-learn's NotFittedError unless a component has fitted attributes.

    Like scikit-learn's `check_is_fitted`, but quick: it does not read the tags of a component
    that has been fitted, which may build the components in its slots.
    """
    from sklearn.utils.validation import check_is_fitted

    if not any(name.endswith("_") for name in vars(component)):
        check_is_fitted(component)


def check_finite(
    owner: object, X: Matrix, *, argument: str = "X", nan: bool = False, first_row: int = 0
) -> None:
    """Raise if an array has an infinite value, or a NaN unless `allow_nan` is set.

    Parameters
    ----------
    owner : Component
        Named in errors.
    X : array or sparse matrix
    argument : str
        What to call X in errors.
    nan : bool
        Whether NaN is accepted.
    first_row : int
        Number of the first row of X, if X is a block of a larger array.

    Raises
    ------
    InputError
        Naming the component, the argument, and row and column of the first such value.
    """
    matrix: Any = X
    values: Any = matrix.data if is_sparse(X) else X  # of CSR
    with np.errstate(over="ignore", invalid="ignore"):
        total = np.sum(values)  # a finite sum proves that all values are finite: one fast pass
    if np.isfinite(total):
        return
    bad = np.isinf(values) if nan else ~np.isfinite(values)
    if not bad.any():
        return
    first = tuple(int(i) for i in np.argwhere(bad)[0])
    missing = bool(np.isnan(values[first]))
    what = "NaN" if missing else "infinity (inf)"
    if is_sparse(X):
        row = int(np.searchsorted(matrix.indptr, first[0], side="right")) - 1
        place = f"row {first_row + row}, column {matrix.indices[first[0]]}"
    else:
        place = f"row {first_row + first[0]}" + (f", column {first[1]}" if len(first) > 1 else "")
    cases = argument.partition(",")[0] == "X"
    hint = "; the transformer impute fills it in" if missing and cases else ""
    raise InputError(f"{display_name(owner)}: {argument} has {what} at {place}{hint}")


def check_same_length(owner: object, X: Cases, y: Labels, argument: str = "y") -> None:
    """Raise if two inputs differ in their number of rows.

    Raises
    ------
    InputError
        Naming the component, the argument and both lengths.
    """
    if n_rows(X) != n_rows(y):
        raise InputError(
            f"{display_name(owner)}: {argument} has {n_rows(y)} values for the {n_rows(X)} "
            f"rows of X (inconsistent lengths)"
        )


def check_same_features(owner: object, X: Any, Y: Any) -> None:
    """Raise if two arrays differ in their number of columns.

    Raises
    ------
    InputError
        Naming the component and both widths.
    """
    if X.shape[1] != Y.shape[1]:
        raise InputError(
            f"{display_name(owner)}: X has {X.shape[1]} features but Y has {Y.shape[1]}"
        )


def column_labels(X: pd.DataFrame | np.ndarray | Sequence[Any]) -> list[str]:
    """Names of the columns of a table; ``x0, x1, ...`` of an array."""
    if is_table(X):
        return [str(name) for name in X.columns]  # type: ignore[union-attr]  # is_table says so
    return [f"x{i}" for i in range(np.shape(X)[1])]
