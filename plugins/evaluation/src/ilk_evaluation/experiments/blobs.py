"""Arrays as bytes and labels as text; reading them back can run no code."""

from __future__ import annotations

import json
from typing import Any

import numpy as np


def pack(array: Any) -> bytes | None:
    """Write an array: a line with its type and shape, then its bytes; None stays None."""
    if array is None:
        return None
    values = np.asarray(array)
    if values.dtype.hasobject:
        raise TypeError(f"objects cannot be stored, got an array of {values.dtype}")
    head = f"{values.dtype.str} {' '.join(map(str, values.shape))}\n"
    return head.encode() + values.tobytes()


def unpack(blob: bytes | None) -> Any:
    """Read an array that `pack` wrote; it cannot be written to."""
    if blob is None:
        return None
    head, _, content = blob.partition(b"\n")
    dtype, *shape = head.decode().split()
    return np.frombuffer(content, dtype=np.dtype(dtype)).reshape(tuple(map(int, shape)))


def pack_labels(labels: np.ndarray) -> str:
    """Write labels (strings, numbers, booleans) as JSON together with their type."""
    return json.dumps({"dtype": labels.dtype.str, "values": labels.tolist()})


def unpack_labels(text: str) -> np.ndarray:
    """Read labels that `pack_labels` wrote."""
    table = json.loads(text)
    return np.array(table["values"], dtype=np.dtype(table["dtype"]))
