"""Rows on which matrix products lose digits of distances."""

import numpy as np

SHAPES = ("normal", "offset", "scales", "masses", "denormal", "integer", "dominant", "line", "huge")


def adversarial(shape, n, p, seed):
    """Rows on which products lose digits, or bounds overlap."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    if shape == "offset":
        X = 1e8 + X * 10.0 ** rng.integers(-9, 3)
    elif shape == "scales":
        X *= 10.0 ** rng.integers(-12, 12, (n, 1))
    elif shape == "masses":
        X = X[rng.integers(0, max(n // 20, 1), n)]
    elif shape == "denormal":
        X *= 5e-324 * 10.0 ** rng.integers(0, 20, (n, 1))
        X[0] = 1
    elif shape == "integer":
        X = rng.integers(-2, 3, (n, p)).astype(float)
    elif shape == "dominant":
        X[:, 0] *= 1e12
    elif shape == "line":  # pairs of distances that differ in the last bits
        X = np.outer(np.arange(n) % 7 + rng.integers(0, 3, n) * 2.0**-50, np.ones(p))
    elif shape == "huge":
        X *= 10.0 ** rng.choice([-160, -150, 17, 100, 150, 160])
    return X
