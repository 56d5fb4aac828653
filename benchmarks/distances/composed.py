"""Distances of tables and of sets, Mahalanobis, and functions given by the user."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numba
import numpy as np
import pandas as pd
from measure import Row, compare
from scipy.spatial.distance import cdist, directed_hausdorff

import ilk

if TYPE_CHECKING:
    from collections.abc import Iterator


@numba.njit
def city_block(x: np.ndarray, y: np.ndarray) -> float:
    """Sum of absolute differences, feature by feature."""
    total = 0.0
    for f in range(len(x)):
        total += abs(x[f] - y[f])
    return total


def city_block_of_arrays(x: np.ndarray, y: np.ndarray) -> float:
    """Sum of absolute differences, as one would write it in Python."""
    return float(np.abs(x - y).sum())


def rows() -> Iterator[Row]:
    """Yield a row for each kind of work."""
    yield from _functions()
    yield _table()
    yield _value_difference()
    yield _hvdm()
    yield _mahalanobis()
    yield _sets()


def _functions() -> Iterator[Row]:
    compiled = ilk.distance("callable", function=city_block)
    for p in (8, 64):
        X = np.random.default_rng(0).normal(size=(1000, p))
        for peer, function, target in (
            ("itself in Python", city_block.py_func, 100),
            ("written with numpy", city_block_of_arrays, None),
        ):
            plain = ilk.distance("callable", function=function)
            yield compare(
                f"callable, compiled, {p} features",
                f"callable, {peer}",
                target,
                lambda X=X: compiled.pairwise(X),
                lambda X=X, plain=plain: plain.pairwise(X[:40], X[:100]),
                scale=250,
            )


def _table() -> Row:
    rng = np.random.default_rng(0)
    columns = {f"x{i}": rng.normal(size=2000) for i in range(7)}
    columns |= {f"c{i}": pd.Categorical(rng.choice(list("abcdef"), 2000)) for i in range(8)}
    X = pd.DataFrame(columns)
    d = ilk.distance("heterogeneous").fit(X)

    def by_columns() -> np.ndarray:
        total = np.zeros((2000, 2000))
        for name, column in X.items():
            nominal = str(name).startswith("c")
            values = np.asarray(column.cat.codes if nominal else column)
            if nominal:
                total += values[:, None] != values
            else:
                total += np.abs(values[:, None] - values) / np.ptp(values)
        return total

    return compare(
        "heterogeneous 2000 x 2000, 7 numeric and 8 nominal",
        "numpy column by column",
        None,
        lambda: d.pairwise(X),
        by_columns,
    )


def _value_difference() -> Row:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({f"c{i}": rng.choice(list("abcdef"), 2000) for i in range(10)})
    y = rng.choice(3, 2000)
    d = ilk.distance("value_difference").fit(X, y)
    shares = [
        {value: np.bincount(y[X[name] == value], minlength=3) / (X[name] == value).sum()
         for value in "abcdef"}
        for name in X
    ]  # fmt: skip
    rows = [[table[cell] for table, cell in zip(shares, row, strict=True)] for row in X.to_numpy()]

    def by_loop() -> list[list[float]]:
        return [
            [sum(((u - v) ** 2).sum() for u, v in zip(x, z, strict=True)) for z in rows[:100]]
            for x in rows[:40]
        ]

    assert np.allclose(by_loop(), d.pairwise(X[:40], X[:100]))  # the same distances
    return compare(
        "value_difference 2000 x 2000, 10 nominal, 3 classes",
        "a loop over pairs and columns",
        1000,
        lambda: d.pairwise(X),
        by_loop,
        scale=1000,
    )


def _hvdm() -> Row:
    rng = np.random.default_rng(0)
    columns = {f"x{i}": rng.normal(size=2000) for i in range(7)}
    columns |= {f"c{i}": rng.choice(list("abcdef"), 2000) for i in range(8)}
    X, y = pd.DataFrame(columns), rng.choice(3, 2000)
    hvdm = {"nominal": "value_difference", "numeric": "4std", "p": 2, "missing": "one"}
    d = ilk.distance("heterogeneous", **hvdm).fit(X, y)

    def by_columns() -> np.ndarray:
        total = np.zeros((2000, 2000))
        for name in X:
            column = X[name]
            if column.dtype.kind == "f":
                values = column.to_numpy() / (4 * column.std(ddof=0))
                total += (values[:, None] - values) ** 2
            else:
                shares = pd.crosstab(column, y, normalize="index").loc[column].to_numpy()
                for c in range(3):
                    total += (shares[:, None, c] - shares[:, c]) ** 2
        return np.sqrt(total)

    assert np.allclose(by_columns(), d.pairwise(X))
    return compare(
        "HVDM 2000 x 2000, 7 numeric and 8 nominal",
        "numpy column by column",
        None,
        lambda: d.pairwise(X),
        by_columns,
    )


def _mahalanobis() -> Row:
    X = np.random.default_rng(0).normal(size=(2000, 32))
    inverse = np.linalg.inv(np.cov(X.T))
    d = ilk.distance("mahalanobis").fit(X)
    return compare(
        "mahalanobis 2000 x 2000 x 32",
        "scipy cdist",
        None,
        lambda: d.pairwise(X),
        lambda: cdist(X, X, "mahalanobis", VI=inverse),
    )


def _sets() -> Row:
    rng = np.random.default_rng(0)
    X = [rng.normal(size=(rng.integers(3, 12), 8)) for _ in range(200)]
    d = ilk.distance("hausdorff")
    return compare(
        "hausdorff of 200 sets of 3 to 11 points",
        "scipy directed_hausdorff, both ways",
        None,
        lambda: d.pairwise(X),
        lambda: [
            max(directed_hausdorff(x, y)[0], directed_hausdorff(y, x)[0]) for x in X[:2] for y in X
        ],
        scale=100,
    )
