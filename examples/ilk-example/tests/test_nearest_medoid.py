import numpy as np

import ilk


def test_the_medoid_is_the_most_central_row_of_its_class():
    X = np.array([[0.0], [1.0], [2.0], [40.0], [7.0], [8.0], [9.0]])
    y = ["left"] * 4 + ["right"] * 3
    model = ilk.classifier("nearest_medoid").fit(X, y)
    assert model.medoid_indices_.tolist() == [1, 5]
    assert model.predict([[4.0], [5.0]]).tolist() == ["left", "right"]


def test_it_agrees_with_all_sums_of_distances():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(600, 3)), rng.integers(0, 2, 600)
    model = ilk.classifier("nearest_medoid").fit(X, y)
    for label, found in zip(model.classes_, model.medoid_indices_, strict=True):
        rows = np.flatnonzero(y == label)
        sums = [np.linalg.norm(X[rows] - X[row], axis=1).sum() for row in rows]
        assert found == rows[np.argmin(sums)]


def test_it_takes_any_distance_by_name():
    fiji, samoa, lima, quito = [-18.1, 178.4], [-13.8, -171.8], [-12.0, -77.0], [-0.2, -78.5]
    y = ["west", "west", "east", "east"]
    for distance, nearest in (("euclidean", "east"), ("great_circle", "west")):
        model = ilk.classifier("nearest_medoid", distance=distance)
        model.fit([fiji, samoa, lima, quito], y)
        assert model.predict([[-21.1, -175.2]]).tolist() == [nearest]  # Tonga
