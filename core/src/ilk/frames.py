"""Data frames: the names of their columns; frames and sparse rows in the state of components."""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from types import FunctionType
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np

from ilk.errors import InputError
from ilk.inputs import a_few, is_sparse, is_table
from ilk.registries import display_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_Method = TypeVar("_Method", bound="Callable[..., Any]")
_NAMES = "feature_names_in_"

_MARK = "__ilk_frame__"
_SPARSE = "__ilk_sparse__"
_saving: ContextVar[bool] = ContextVar("_saving", default=False)


@contextmanager
def frames_as_arrays() -> Iterator[None]:
    """Within this context, the state of components has arrays for data frames and sparse rows."""
    token = _saving.set(True)
    try:
        yield
    finally:
        _saving.reset(token)


def encode_state(state: dict[str, Any]) -> dict[str, Any]:
    """Convert frames and sparse rows among a component's attributes to dicts, while saving."""
    if not _saving.get():
        return state
    return {key: _encoded(value) for key, value in state.items()}


def _encoded(value: Any) -> Any:
    if is_sparse(value):
        rows = value.tocsr()
        parts = {"data": rows.data, "indices": rows.indices, "ends": rows.indptr}
        return {_SPARSE: 1, "shape": list(rows.shape), **parts}
    return _encode(value) if is_table(value) else value


def decode_state(state: dict[str, Any]) -> dict[str, Any]:
    """Undo `encode_state`."""
    return {key: _decoded(value) for key, value in state.items()}


def _decoded(value: Any) -> Any:
    import scipy.sparse as sp

    if not isinstance(value, dict):
        return value
    if _SPARSE in value:
        parts = value["data"], value["indices"], value["ends"]
        rows = sp.csr_array(parts, shape=tuple(value["shape"]))
        rows.check_format(full_check=True)  # compiled loops trust indices
        return rows
    return _decode(value) if _MARK in value else value


def _encode(frame: Any) -> dict[str, Any]:
    columns = [_encode_column(frame.iloc[:, i]) for i in range(frame.shape[1])]
    index = _array_or_list(frame.index)
    return {_MARK: 1, "names": list(frame.columns), "index": index, "columns": columns}


def _encode_column(column: Any) -> dict[str, Any]:
    if hasattr(column.dtype, "categories"):
        return {
            "codes": np.asarray(column.cat.codes),
            "categories": _array_or_list(column.dtype.categories),
            "ordered": bool(column.dtype.ordered),
        }
    return {"dtype": str(column.dtype), "values": _array_or_list(column)}


def _array_or_list(values: Any) -> Any:
    array = values.to_numpy()
    return array if array.dtype.kind in "biuf" else array.tolist()


def _decode(state: dict[str, Any]) -> Any:
    import pandas as pd

    columns = [_decode_column(column, state["index"]) for column in state["columns"]]
    frame = pd.concat(columns, axis=1) if columns else pd.DataFrame(index=state["index"])
    frame.columns = pd.Index(state["names"])
    return frame


def _decode_column(column: dict[str, Any], index: Any) -> Any:
    import pandas as pd

    if "codes" in column:
        values: Any = pd.Categorical.from_codes(
            column["codes"], categories=column["categories"], ordered=column["ordered"]
        )
        return pd.Series(values, index=index)
    return pd.Series(column["values"], index=index, dtype=column["dtype"])


def guard_columns(cls: Any, *methods: str) -> None:
    """Let methods that a new class defines refuse data frames of other columns.

    `fit` records the names of the columns, ``feature_names_in_``; the other methods compare them
    with those of their data.
    """
    for name in methods:
        method = vars(cls).get(name)
        if isinstance(method, FunctionType):
            setattr(cls, name, keeps_columns(method) if name == "fit" else same_columns(method))


def same_columns(method: _Method) -> _Method:
    """Let a method refuse a frame with other columns than in `fit`, or than its first argument."""

    @wraps(method)
    def call(self: Any, *given: Any, **named: Any) -> Any:
        if self.aligns_columns:
            return method(self, *given, **named)
        first, second, *_ = (*given, *named.values(), None)
        known, said = vars(self).get(_NAMES), "the data of fit"
        first_name = second if isinstance(second, str) else "X"  # of `check_input`
        for argument, data in ((first_name, first), ("Y", second)):
            names = column_names(data)
            if names is None:
                continue
            if known is not None:
                check_names(self, names, list(known), argument, said)
            known, said = names, argument
        return method(self, *given, **named)

    return cast("_Method", call)


def keeps_columns(method: _Method) -> _Method:
    """Let a `fit` record the names of the columns of a data frame, if they are texts."""

    @wraps(method)
    def fit(self: Any, *given: Any, **named: Any) -> Any:
        vars(self).pop(_NAMES, None)
        fitted = method(self, *given, **named)
        if self.aligns_columns:
            return fitted
        names = column_names(given[0] if given else named.get("X"))
        if names is not None:
            setattr(self, _NAMES, np.array(names, dtype=object))
        return fitted

    return cast("_Method", fit)


def column_names(X: object) -> list[str] | None:
    """Names of the columns of a data frame; None unless all are texts, as in scikit-learn."""
    if isinstance(X, np.ndarray | str | list | int) or not is_table(X):
        return None
    names = list(cast("Any", X).columns)
    return names if all(isinstance(name, str) for name in names) else None


def check_names(owner: object, names: list[str], known: list[str], argument: str, of: str) -> None:
    """Raise unless the columns of a data frame have the known names, in their order.

    Raises
    ------
    InputError
        Naming the component, the argument, a column and a remedy.
    """
    if names == known:
        return
    name = display_name(owner)
    if sorted(names) == sorted(known):
        at = next(i for i, each in enumerate(names) if each != known[i])
        raise InputError(
            f"{name}: {argument} has the columns of {of} in another order ({names[at]!r} stands "
            f"for {known[at]!r}); select them in that order"
        )
    odd = {
        "lacks": [each for each in known if each not in names],
        "has besides": [each for each in names if each not in known],
    }
    differences = " and ".join(f"{verb} {a_few(which)}" for verb, which in odd.items() if which)
    raise InputError(
        f"{name}: {argument} has other columns than {of}: it {differences or 'repeats some'}; "
        f"select the same columns, or give arrays"
    )
