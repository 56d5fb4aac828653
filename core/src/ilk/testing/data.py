"""Small seeded data for every kind of input; the classes are well apart unless asked otherwise."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np


class Sample(NamedTuple):
    """Data of n rows and their labels 0..C-1."""

    X: Any
    y: np.ndarray


def sample(kind: str, n: int, *, classes: int = 2, seed: int = 0, apart: float = 1.0) -> Sample:
    """Return labelled data of one kind of input.

    Parameters
    ----------
    kind : str
        One of those of `ilk.Capabilities`.
    n, classes, seed : int
    apart : float
        Less than 1 brings the classes nearer to each other; at 0 they are alike.

    Returns
    -------
    Sample
        The same arguments give the same data.
    """
    rng = np.random.default_rng([seed, n, classes])
    y = np.arange(1, n + 1) % classes  # the first label is not the first class
    return Sample(_MAKERS[kind](rng, y, apart), y)


def _vectors(rng: np.random.Generator, y: np.ndarray, apart: float) -> np.ndarray:
    centres = np.eye(4)[y % 4] * 6 * apart
    return np.asarray(rng.normal(size=(len(y), 4)) + centres)


def _histograms(rng: np.random.Generator, y: np.ndarray, apart: float) -> np.ndarray:
    return np.array([rng.dirichlet(2 + 8 * apart * (np.arange(4) == label % 4)) for label in y])


def _tables(rng: np.random.Generator, y: np.ndarray, apart: float) -> Any:
    import pandas as pd

    vectors = _vectors(rng, y, apart)
    colors = np.array(["blue", "green", "red"])
    sizes = np.array(["large", "small"])
    return pd.DataFrame(
        {
            "height": vectors[:, 0],
            "color": pd.Categorical(colors[(y + (rng.random(len(y)) < 0.2)) % 3], colors),
            "width": vectors[:, 1],
            "size": pd.Categorical(sizes[rng.integers(0, 2, len(y))], sizes),
        }
    )


def _strings(rng: np.random.Generator, y: np.ndarray, apart: float) -> list[str]:
    """Texts of equal length over the letters a, c, g and t, one letter prevailing by class."""
    weights = 1 + 12 * apart * np.eye(4)
    return [
        "".join(rng.choice(list("acgt"), size=24, p=weights[label % 4] / weights[0].sum()))
        for label in y
    ]


def _sets(rng: np.random.Generator, y: np.ndarray, apart: float) -> list[np.ndarray]:
    """Sets of 2 to 5 points in space."""
    return [rng.normal(size=(rng.integers(2, 6), 3)) + 5 * apart * label for label in y]


def _signatures(
    rng: np.random.Generator, y: np.ndarray, apart: float
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Points with weights that sum to one."""
    return [(points, rng.dirichlet(np.full(len(points), 3.0))) for points in _sets(rng, y, apart)]


def _views(rng: np.random.Generator, y: np.ndarray, apart: float) -> Any:
    """Return a table with the columns color1, color2, shape1 and shape2."""
    import pandas as pd

    columns = ["color1", "color2", "shape1", "shape2"]
    return pd.DataFrame(_vectors(rng, y, apart), columns=columns)


def _indices(_: np.random.Generator, y: np.ndarray, _apart: float) -> np.ndarray:
    """Return a column of row numbers, for a matrix that has at least as many rows."""
    return np.arange(len(y))[:, np.newaxis]


_MAKERS: dict[str, Callable[[np.random.Generator, np.ndarray, float], Any]] = {
    "vectors": _vectors,
    "histograms": _histograms,
    "tables": _tables,
    "strings": _strings,
    "sets": _sets,
    "signatures": _signatures,
    "views": _views,
    "indices": _indices,
}
