"""Data frames and sparse rows in the state of fitted components, as plain arrays for saving."""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from ilk.inputs import is_sparse, is_table

if TYPE_CHECKING:
    from collections.abc import Iterator

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
