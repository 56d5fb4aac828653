"""Arrays as bytes and labels as text; reading them back can run no code."""

from __future__ import annotations

import io
import json
from typing import Any

import numpy as np


def pack(array: Any) -> bytes | None:
    """Write an array in numpy's own format; None stays None."""
    if array is None:
        return None
    buffer = io.BytesIO()
    np.save(buffer, np.asarray(array), allow_pickle=False)
    return buffer.getvalue()


def unpack(blob: bytes | None) -> Any:
    """Read an array that `pack` wrote."""
    return None if blob is None else np.load(io.BytesIO(blob), allow_pickle=False)


def pack_labels(labels: np.ndarray) -> str:
    """Write labels (strings, numbers, booleans) as JSON together with their type."""
    return json.dumps({"dtype": labels.dtype.str, "values": labels.tolist()})


def unpack_labels(text: str) -> np.ndarray:
    """Read labels that `pack_labels` wrote."""
    table = json.loads(text)
    return np.array(table["values"], dtype=np.dtype(table["dtype"]))
