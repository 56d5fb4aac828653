import numpy as np
import pytest

import ilk

QUARTER = np.pi / 2


@pytest.mark.parametrize(
    ("one", "other", "angle"),
    [
        ([0, 0], [0, 90], QUARTER),
        ([0, 0], [90, 123], QUARTER),
        ([0, 179], [0, -179], np.radians(2)),
        ([90, 10], [-90, 200], 2 * QUARTER),
        ([0, 0], [0, 180], 2 * QUARTER),
        ([0, -10], [0, 350], 0),
        ([60, 0], [60, 180], np.radians(60)),
    ],
)
def test_angles_on_the_unit_sphere(one, other, angle):
    distance = ilk.distance("great_circle", radius=1)
    assert distance.between(one, other) == pytest.approx(angle, abs=1e-12)


def test_it_agrees_with_the_angle_between_points_in_space():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.uniform(-90, 90, 50), rng.uniform(-180, 180, 50)])
    u, s = np.radians(X).T
    points = np.column_stack([np.cos(u) * np.cos(s), np.cos(u) * np.sin(s), np.sin(u)])
    angles = np.arccos(np.clip(points @ points.T, -1, 1))
    ours = ilk.distance("great_circle", radius=1).pairwise(X)
    np.testing.assert_allclose(ours, angles, atol=1e-7)


def test_london_to_new_york_in_kilometres():
    assert ilk.distance("great_circle").between([51.51, -0.13], [40.71, -74.01]) == pytest.approx(
        5570, abs=5
    )


def test_a_latitude_beyond_the_pole_is_named():
    with pytest.raises(ilk.InputError, match="latitude 91 at row 1"):
        ilk.distance("great_circle").pairwise([[0, 0], [91, 0]])


def test_three_columns_are_too_many():
    with pytest.raises(ilk.InputError, match="must have 2 columns, latitude and longitude, got 3"):
        ilk.distance("great_circle").pairwise([[0, 0, 0]])
