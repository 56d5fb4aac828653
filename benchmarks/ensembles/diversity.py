"""Diversity of all pairs of members, beside DESlib's pair by pair and plain numpy."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from deslib.util.diversity import disagreement_measure
from measure import Row, compare

from ilk_evaluation import diversity

if TYPE_CHECKING:
    from collections.abc import Iterator

MEMBERS, CASES, PAIRS = 50, 20_000, 10


def rows() -> Iterator[Row]:
    """Yield rows for 50 members and 20,000 cases of 10 classes."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 10, CASES)
    answers = np.where(rng.random((MEMBERS, CASES)) < 0.7, y, rng.integers(0, 10, (MEMBERS, CASES)))
    right = answers == y
    every_pair = MEMBERS * (MEMBERS - 1) // 2

    def deslib() -> None:
        for other in range(1, PAIRS + 1):
            disagreement_measure(y, answers[0], answers[other])

    def numpy() -> np.ndarray:
        numbers = right.astype(np.float32)
        both = numbers @ numbers.T
        return np.diagonal(both)[:, None] + np.diagonal(both) - 2 * both

    shape = f"{MEMBERS} x {CASES}"
    yield compare(
        f"fail_disagreement, {shape}",
        "DESlib's disagreement_measure",
        1000,
        lambda: diversity.fail_disagreement(answers, y),
        deslib,
        repeats=3,
        scale=every_pair / PAIRS,
    )
    yield compare(
        f"fail_disagreement, {shape}",
        "numpy, of indicators that are there",
        None,
        lambda: diversity.fail_disagreement(answers, y),
        numpy,
        repeats=15,
    )
    yield compare(
        f"plain_disagreement, {shape}, 10 classes",
        "numpy, pair by pair",
        None,
        lambda: diversity.plain_disagreement(answers),
        lambda: [(answers[i] != answers[:i]).mean(axis=1) for i in range(1, MEMBERS)],
    )
