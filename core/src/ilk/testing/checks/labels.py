"""Labels of every type, the same classes under other names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

_TWO: tuple[tuple[str, Any], ...] = (
    ("strings", ("no", "yes")),
    ("booleans", (False, True)),
    ("labels -1 and +1", (-1, 1)),
    ("small unsigned integers", np.array([3, 250], dtype=np.uint8)),
)
_MANY: tuple[tuple[str, Any], ...] = (
    ("strings", ("ant", "bee", "cat", "dog")),
    ("integers far apart", (-7, 3, 10, 700)),
)


def renamings(y: np.ndarray, *, any_order: bool = False) -> Iterator[tuple[str, np.ndarray]]:
    """Yield what is special about them and the labels 0..C-1 under other names.

    Parameters
    ----------
    y : ndarray of int
        Labels 0..C-1.
    any_order : bool
        Whether to include names whose order differs from that of the codes.
    """
    classes = int(y.max()) + 1
    tables = _TWO if classes == 2 else _MANY
    for what, names in tables:
        array = np.asarray(names[:classes])
        yield what, array[y]
    if classes == 2:
        objects = np.asarray(tables[0][1], dtype=object)
        yield "strings in an object array", objects[y]
    if any_order:
        yield "strings in another order", np.asarray(tables[0][1][:classes])[::-1][y]
