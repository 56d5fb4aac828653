"""SIFT: local features of images on a regular grid and at interest points."""

import sys

import numpy as np
import pytest

import ilk
from cases import in_one_test

cv2 = pytest.importorskip("cv2", reason="OpenCV is not installed (extra 'images')")


def sift(**parameters):
    return ilk.transformer("dense_sift", **parameters)


@pytest.fixture
def image():
    return np.random.default_rng(0).integers(0, 256, size=(90, 120), dtype=np.uint8)


def test_points_and_scales(image):
    (features,) = sift(scales=[4, 8], grid=3).transform([image])
    assert features.shape == (18, 130)
    assert features.dtype == np.float32
    third = [1 / 6, 1 / 2, 5 / 6]
    expected = [[across, down] for down in third for across in third]
    assert np.allclose(features[:9, :2], expected)
    assert np.allclose(features[9:, :2], expected)
    descriptors = features[:, 2:]
    assert ((descriptors >= 0) & (descriptors <= 255)).all()
    assert np.array_equal(descriptors, descriptors.round())
    (by_default,) = sift().transform([image])
    assert by_default.shape == (5 * 400, 130)


def test_images_of_any_size_have_as_many_features(image):
    few, more = sift(scales=[8], grid=4).transform([image[:30, :17], image])
    assert few.shape == more.shape == (16, 130)
    assert np.array_equal(few[:, :2], more[:, :2])


def test_spacing_is_in_pixels_around_the_middle(image):
    (features,) = sift(scales=[8], spacing=40).transform([image])
    places = features[:, :2] * [120, 90]
    assert np.allclose(places, [[x, y] for y in (25, 65) for x in (20, 60, 100)], atol=1e-4)
    (one,) = sift(scales=[8], spacing=500).transform([image])
    assert one[:, :2].tolist() == [[0.5, 0.5]]


def gradients(angle, size=64, sharp=20.0):
    """An edge through the middle; grey levels rise in the direction of the angle."""
    down, across = np.indices((size, size)) + 0.5 - size / 2
    along = across * np.cos(angle) + down * np.sin(angle)
    return (255 / (1 + np.exp(-along / sharp * 8))).round().astype(np.uint8)


@in_one_test
@pytest.mark.parametrize("quarter", range(4))
def test_directions_of_gradients_fall_into_their_bins(quarter):
    """A descriptor has 4 x 4 parts of 8 directions; OpenCV turns as y grows upwards."""
    features = sift(scales=[8], grid=1).transform([gradients(quarter * np.pi / 2)])[0]
    directions = features[0, 2:].reshape(16, 8).sum(axis=0)
    assert directions.argmax() == (-2 * quarter) % 8
    assert directions.max() > 0.9 * directions.sum()


def test_the_patch_is_two_scales_wide():
    """What is outside of the square (and the blur) around the point changes nothing."""
    rng = np.random.default_rng(1)
    image = rng.integers(0, 256, size=(101, 101), dtype=np.uint8)
    model = sift(scales=[10], grid=1)
    expected = model.transform([image])[0]
    for reach, same in ((20, True), (6, False)):
        other = rng.integers(0, 256, size=image.shape, dtype=np.uint8)
        inside = slice(50 - reach, 51 + reach)
        other[inside, inside] = image[inside, inside]
        assert np.array_equal(model.transform([other])[0], expected) == same


def test_a_picture_twice_as_large_at_twice_the_scale_is_alike():
    smooth = np.random.default_rng(2).normal(size=(8, 8)) * 50 + 128
    small = cv2.resize(
        np.clip(smooth, 0, 255).astype(np.uint8), (64, 64), interpolation=cv2.INTER_CUBIC
    )
    large = cv2.resize(small, (128, 128), interpolation=cv2.INTER_LINEAR)
    one = sift(scales=[12], grid=3).transform([small])[0][:, 2:]
    two = sift(scales=[24], grid=3).transform([large])[0][:, 2:]
    lengths = np.linalg.norm(one, axis=1) * np.linalg.norm(two, axis=1)
    assert ((one * two).sum(axis=1) / lengths > 0.98).all()


def test_brightness_and_contrast_do_not_matter():
    image = gradients(0.7) // 2
    expected = sift(scales=[8], grid=3).transform([image])[0]
    brighter = sift(scales=[8], grid=3).transform([image + np.uint8(100)])[0]
    assert np.array_equal(brighter, expected)


def test_without_texture_descriptors_are_zero():
    features = sift(scales=[4], grid=2).transform([np.full((20, 20), 7, dtype=np.uint8)])[0]
    assert not features[:, 2:].any()


@pytest.mark.parametrize("shape", [(1, 1), (2, 3), (1, 50)])
def test_tiny_images(shape):
    (features,) = sift(grid=2).transform([np.zeros(shape, dtype=np.uint8)])
    assert features.shape == (20, 130)
    assert np.isfinite(features).all()


def test_layouts_and_integer_types(image):
    model = sift(scales=[4], grid=3)
    expected = model.transform([image])[0]
    image.flags.writeable = False
    wide = np.zeros((180, 240), dtype=np.uint8)
    wide[::2, ::2] = image
    for other in (
        image,
        wide[::2, ::2],
        np.asfortranarray(image),
        image.astype(int),
        image.tolist(),
    ):
        assert np.array_equal(model.transform([other])[0], expected)


def test_threads_change_nothing_and_are_given_back(image):
    before = cv2.getNumThreads()
    expected = sift().transform([image])[0]
    with ilk.threads(1):
        assert np.array_equal(sift().transform([image])[0], expected)
    assert cv2.getNumThreads() == before


def test_needs_no_fit_and_fit_looks_at_images(image):
    model = sift(scales=[4], grid=2)
    assert model.fit([image]) is model
    with pytest.raises(ilk.InputError, match=r"X\[0\]"):
        model.fit([image[0]])


@in_one_test
@pytest.mark.parametrize(
    ("X", "message"),
    [
        ([np.zeros((3, 3))], r"X\[0\] must be an image of grey levels, .*; got float64"),
        ([np.zeros((3, 3, 3), dtype=np.uint8)], r"shape \(height, width\), got shape \(3, 3, 3\)"),
        ([np.full((3, 3), 256)], "must have grey levels from 0 to 255, got 256"),
        ([np.full((3, 3), -1)], "must have grey levels from 0 to 255, got -1"),
        ([np.zeros((3, 0), dtype=np.uint8)], r"got shape \(3, 0\)"),
        ([np.zeros((3, 3), dtype=bool)], "got bool"),
        ([], "has 0 rows"),
        ("picture.png", "must be a list of images"),
        (None, "must be a list of images"),
        (np.array(3), "must be a list of images"),
        ([np.ma.masked_equal(np.eye(3, dtype=int), 1)], r"X\[0\] has masked values"),
    ],
)
def test_what_is_no_image(X, message):
    with pytest.raises((ilk.InputError, ilk.InputTypeError), match=f"dense_sift: .*{message}"):
        sift().transform(X)


@in_one_test
@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"scales": []}, "scales must hold at least one scale"),
        ({"scales": [0.5]}, r"scales \[0\] must be a number >= 1"),
        ({"scales": [8, 1e6]}, r"scales \[1\] must be a number >= 1, <= 10000"),
        ({"scales": [float("inf")]}, r"scales \[0\] must be a number"),
        ({"scales": [float("nan")]}, r"scales \[0\] must be a number"),
        ({"grid": 0}, "grid must be an integer >= 1"),
        ({"spacing": float("inf")}, "spacing must be finite"),
    ],
)
def test_parameters(parameters, message):
    with pytest.raises(ilk.ParameterError, match=message):
        sift(**parameters)


def test_the_missing_library_is_named(image, monkeypatch):
    monkeypatch.setitem(sys.modules, "cv2", None)
    for use in (sift().fit, sift().transform):
        with pytest.raises(ilk.IlkError, match=r"needs OpenCV, .*pip install opencv"):
            use([image])


def test_versions_that_spoil_memory_are_refused(image, monkeypatch):
    monkeypatch.setattr(cv2, "__version__", "4.10.0")
    with pytest.raises(ilk.IlkError, match=r"needs OpenCV 4\.11 or newer, got 4\.10\.0"):
        sift().transform([image])


def sparse(**parameters):
    return ilk.transformer("sparse_sift", **parameters)


def rectangles(seed=3, size=120):
    """Rectangles of random grey levels, blurred: corners and blobs."""
    rng = np.random.default_rng(seed)
    image = np.full((size, size), 128, dtype=np.uint8)
    for across, down, width, height in rng.integers(8, 60, size=(12, 4)):
        image[down : down + height, across : across + width] = rng.integers(0, 256)
    return cv2.GaussianBlur(image, (0, 0), 1)


def test_blobs_are_those_of_opencv_strongest_first():
    image = rectangles()
    expected = sorted(cv2.SIFT_create().detect(image, None), key=lambda each: -each.response)
    _, descriptors = cv2.SIFT_create().compute(image, expected)
    (features,) = sparse().transform([image])
    assert len(features) == len(expected) > 20
    assert set(map(tuple, features[:, 2:])) == set(map(tuple, descriptors))
    (few,) = sparse(max_points=5).transform([image])
    assert np.array_equal(few, features[:5])
    places = np.array([each.pt for each in expected[:5]])
    assert np.allclose(np.sort(few[:, :2] * 120 - 0.5, axis=0), np.sort(places, axis=0), atol=1e-3)


def test_descriptors_of_blobs_turn_with_the_image():
    image = rectangles()
    (upright,) = sparse(max_points=10).transform([image])
    (turned,) = sparse().transform([np.ascontiguousarray(np.rot90(image))])
    gaps = np.linalg.norm(upright[:, None, 2:] - turned[None, :, 2:], axis=2).min(axis=1)
    assert np.median(gaps / np.linalg.norm(upright[:, 2:], axis=1)) < 0.15
    (dense,) = sift(scales=[8], grid=1).transform([image])
    (other,) = sift(scales=[8], grid=1).transform([np.ascontiguousarray(np.rot90(image))])
    assert np.linalg.norm(dense - other) > 0.5 * np.linalg.norm(dense)


def test_corners_maximise_the_measure_of_harris():
    image = rectangles()
    (features,) = sparse(detector="harris", scales=[6, 9]).transform([image])
    half = len(features) // 2
    assert np.array_equal(features[:half, :2], features[half:, :2])
    columns, rows = (features[:half, :2] * 120 - 0.5).round().astype(int).T
    strength = cv2.cornerHarris(image, 3, 3, 0.04)
    assert (np.diff(strength[rows, columns]) <= 0).all()
    assert strength[rows[0], columns[0]] == strength[1:-1, 1:-1].max()
    for row, column in zip(rows, columns, strict=True):
        assert strength[row, column] == strength[row - 1 : row + 2, column - 1 : column + 2].max()
    (dense,) = sift(scales=[6], spacing=1).transform([image])
    assert np.array_equal(features[:half], dense[rows * 120 + columns])


@pytest.mark.parametrize("detector", ["dog", "harris"])
@pytest.mark.parametrize("shape", [(1, 1), (1, 50), (20, 20)])
def test_images_without_interest_points_have_one_feature(detector, shape):
    (features,) = sparse(detector=detector).transform([np.full(shape, 9, dtype=np.uint8)])
    assert features.tolist() == [[0.5, 0.5, *[0] * 128]]


def test_bags_of_words_of_interest_points():
    """Section 10.3: descriptors at interest points, quantised and counted."""
    words = {"use": "codebook", "n_words": 5, "places": 2, "random_state": 0}
    pipeline = ilk.Pipeline([{"transformer": "sparse_sift"}, {"transformer": words}])
    images = [rectangles(seed) for seed in range(3)]
    assert np.allclose(pipeline.fit(images).transform(images).sum(axis=1), 1)


def test_faults_name_the_component(image, monkeypatch):
    with pytest.raises(ilk.ParameterError, match="sparse_sift: scales must hold at least one"):
        sparse(scales=[])
    with pytest.raises(ilk.ParameterError, match="sparse_sift: detector must be .*'dog'"):
        sparse(detector="mser")
    with pytest.raises(ilk.InputError, match=r"got shape \(3, 3, 3\); .* color='grey'"):
        sparse().transform([np.zeros((3, 3, 3), dtype=np.uint8)])
    monkeypatch.setitem(sys.modules, "cv2", None)
    with pytest.raises(ilk.IlkError, match="sparse_sift needs OpenCV"):
        sparse().transform([image])
