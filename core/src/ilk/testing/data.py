"""Small seeded data for every kind of input, label renamings, and a distance on objects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from ilk.capabilities import Capabilities
from ilk.errors import InputError
from ilk.inputs import as_table, check_vectors, is_table, n_rows, nominal_columns
from ilk.interfaces.distance import Distance
from ilk.interfaces.metric_learner import MetricLearner
from ilk.registries import display_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ilk.arrays import Cases


class Sample(NamedTuple):
    """Data of n rows and their labels 0..C-1."""

    X: Any
    y: np.ndarray


def sample(kind: str, n: int, *, classes: int = 2, seed: int = 0, apart: float = 1.0) -> Sample:
    """Return labelled data of one kind of input.

    Parameters
    ----------
    kind : str
        A kind of input of `ilk.Capabilities`.
    n, classes, seed : int
    apart : float
        Class separation: less than 1 brings the classes closer; at 0 they coincide.

    Returns
    -------
    Sample
        Deterministic: the same arguments give the same data.
    """
    rng = np.random.default_rng([seed, n, classes])
    y = np.arange(1, n + 1) % classes  # so that the first row is not of the first class
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
    """Texts of equal length over the letters a, c, g and t; the most frequent depends on class."""
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
    """Return a column of row numbers, for a precomputed matrix with at least as many rows."""
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


class ObjectDistance(Distance):
    """Euclidean distance of numeric descriptions of objects.

    A text is described by its letter counts, a set or signature by the mean of its points, a row
    of a table by its numbers and category codes.
    """

    capabilities: ClassVar[Capabilities] = Capabilities(
        inputs=("tables", "strings", "sets", "signatures"), symmetric=True
    )

    def pairwise(self, X: Cases, Y: Cases | None = None) -> np.ndarray:
        """Distances of every object in X to every object in Y (X itself if left out)."""
        X, Y = self.check_pair(X, Y)
        return np.asarray(np.sqrt(((X[:, None, :] - Y[None, :, :]) ** 2).sum(axis=2)))

    def check_input(self, X: Any, argument: str = "X") -> np.ndarray:
        """Return a row of numbers for each object; checked input is returned unchanged."""
        X = as_table(X)
        if isinstance(X, np.ndarray) and X.ndim == 2 and X.dtype == float:
            return X
        if n_rows(X) == 0:
            raise InputError(f"{display_name(self)}: {argument} has no rows, at least 1 is needed")
        if is_table(X):
            return _numbers_of(X)
        return np.array([_describe(item) for item in X], dtype=float)


def _numbers_of(table: Any) -> np.ndarray:
    coded = {name: table[name].astype("category").cat.codes for name in nominal_columns(table)}
    return np.asarray(table.assign(**coded).to_numpy(dtype=float))


def _describe(item: Any) -> Any:
    if isinstance(item, str):
        return [item.count(letter) for letter in "acgt"]
    if isinstance(item, tuple):
        points, weights = item
        return np.average(points, axis=0, weights=weights)
    return np.mean(item, axis=0)


class Standardizing(MetricLearner):
    """Divides each feature by its deviation, so that the map does not depend on units."""

    def fit(self, X: Cases, y: Any = None) -> Standardizing:
        """Learn the deviations."""
        rows = check_vectors(self, X, reset=True)
        self.components_ = np.diag(1 / rows.std(axis=0)).astype(rows.dtype)
        return self

    def transform(self, X: Cases) -> Any:
        """Scaled rows."""
        return check_vectors(self, X, reset=False) @ self.components_


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
    """Yield descriptions of renamings, and the labels 0..C-1 renamed.

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
