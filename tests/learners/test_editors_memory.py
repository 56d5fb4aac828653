"""Memory of editors: a small share of what a matrix of distances would take."""

import tracemalloc

import numpy as np
import pytest

import ilk


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "n"),
    [
        ("competence", 6000),
        ("ib3", 15_000),
        ("icf", 6000),
        ("rt3", 3500),
    ],
)
def test_memory_is_that_of_lists_and_blocks(name, n):
    # Classes are well apart, so that local sets are as large as classes.
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, size=n)
    X = rng.normal(size=(n, 2)) + 5.0 * y[:, None]
    editor = ilk.editor(name)
    editor.fit_resample(X[:200], y[:200])  # imports and compiles
    tracemalloc.start()
    try:
        editor.fit_resample(X, y)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 40e6 + 8 * n**2 / 10
    assert len(editor.sample_indices_) >= 1
