"""Waveforms: the waves by their definition, the noise, and Bayes' error as published."""

from __future__ import annotations

import numpy as np
import pytest

import ilk


def load(**parameters):
    return ilk.dataset("waveform", **parameters).load()


def wave(t, shift):
    return max(6 - abs(t + shift - 11), 0)


WAVES = np.array([[wave(t, shift) for t in range(1, 22)] for shift in (0, -4, 4)])
PAIRS = {1: (0, 1), 2: (0, 2), 3: (1, 2)}


def test_classes_have_the_means_of_their_pairs_of_waves():
    data = load(n=30_000)
    for label, (a, b) in PAIRS.items():
        mean = data.X[data.y == label].mean(axis=0)
        np.testing.assert_allclose(mean, (WAVES[a] + WAVES[b]) / 2, atol=0.1)


def test_what_the_waves_leave_is_standard_normal():
    """Fit u by least squares: 20 of 21 squares of noise are left."""
    data = load(n=3000, random_state=3)
    for label, (a, b) in PAIRS.items():
        rest, step = data.X[data.y == label] - WAVES[b], WAVES[a] - WAVES[b]
        u = rest @ step / (step @ step)
        left = rest - u[:, None] * step
        assert (left**2).sum() / (len(rest) * 20) == pytest.approx(1, abs=0.05)
        assert u.mean() == pytest.approx(0.5, abs=0.05)
        assert u.var() == pytest.approx(1 / 12 + 1 / (step @ step), abs=0.02)


def test_bayes_error_is_the_published_one():
    """0.14 by Breiman: the posterior, integrated over u on a grid, is wrong that often."""
    data = load(n=2000, random_state=1)
    grid = np.linspace(0.005, 0.995, 100)
    likelihood = []
    for a, b in PAIRS.values():
        means = grid[:, None] * WAVES[a] + (1 - grid[:, None]) * WAVES[b]
        distances = (data.X**2).sum(axis=1)[:, None] - 2 * data.X @ means.T + (means**2).sum(axis=1)
        likelihood.append(np.exp(-distances / 2).mean(axis=1))
    wrong = np.argmax(likelihood, axis=0) + 1 != data.y
    assert wrong.mean() == pytest.approx(0.14, abs=0.02)


def test_features_of_noise_come_last_and_say_nothing():
    data = load(n=6000, noise_features=19)
    assert data.X.shape == (6000, 40)
    assert data.feature_names[20:22] == ("x21", "x22")
    noise = data.X[:, 21:]
    assert abs(noise.mean()) < 0.02
    assert noise.std() == pytest.approx(1, abs=0.02)
    for label in (1, 2, 3):
        assert np.abs(noise[data.y == label].mean(axis=0)).max() < 0.1


def test_the_seed_decides():
    assert load(n=50).fingerprint == load(n=50).fingerprint
    assert load(n=50).fingerprint != load(n=50, random_state=1).fingerprint
    shares = np.bincount(load().y)[1:] / 5000
    np.testing.assert_allclose(shares, 1 / 3, atol=0.03)


def test_titles():
    assert ilk.dataset("waveform").title() == "waveform"
    assert ilk.dataset("waveform", noise_features=19).title() == "waveform (40)"


def test_one_class_only_is_refused():
    seeds = [s for s in range(40) if len(set(np.random.default_rng(s).integers(3, size=2))) == 1]
    with pytest.raises(ilk.DataError, match="waveform: n = 2 cases are of one class"):
        load(n=2, random_state=seeds[0])


@pytest.mark.parametrize(
    ("name", "value"), [("n", 1), ("noise_features", -1), ("random_state", None)]
)
def test_other_values_are_refused(name, value):
    with pytest.raises(ilk.ParameterError, match=f"waveform: {name} must be"):
        load(**{name: value})
