"""Sliding windows, their histograms, and Hough votes; objects found in pictures."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ilk
from cases import in_one_test
from ilk_evaluation import object_detection
from ilk_learners import sliding_windows


@given(
    st.integers(1, 60),
    st.integers(1, 60),
    st.integers(1, 20),
    st.integers(1, 20),
    st.integers(1, 9),
)
def test_windows_are_all_that_fit(height, width, down, across, spacing):
    if across > width or down > height:
        with pytest.raises(ilk.InputError, match="size must be at most that of the image"):
            sliding_windows.window_boxes((height, width), (across, down), spacing)
        return
    boxes = sliding_windows.window_boxes((height, width), (across, down), spacing)
    expected = [
        [left, top, left + across, top + down]
        for top in range(0, height - down + 1, spacing)
        for left in range(0, width - across + 1, spacing)
    ]
    assert boxes.tolist() == expected


@given(st.integers(1, 25), st.floats(0, 40), st.integers(0, 1000))
def test_votes_are_sums_over_circles(n, radius, seed):
    rng = np.random.default_rng(seed)
    corners = rng.integers(0, 50, size=(n, 2))
    boxes = np.hstack([corners, corners + rng.integers(1, 30, size=(n, 2))])
    confidences = rng.random(n)
    votes = sliding_windows.hough_votes(boxes, confidences, radius)
    centres = (boxes[:, :2] + boxes[:, 2:]) / 2
    for centre, got in zip(centres, votes, strict=True):
        near = [
            c
            for at, c in zip(centres, confidences, strict=True)
            if np.hypot(*(at - centre)) <= radius
        ]
        assert got == pytest.approx(sum(near))


@given(st.integers(1, 25), st.floats(0, 40), st.integers(0, 1000))
def test_detections_are_apart_and_all_others_near_a_better_one(n, radius, seed):
    rng = np.random.default_rng(seed)
    corners = rng.integers(0, 90, size=(n, 2))
    boxes, confidences = np.hstack([corners, corners + 10]), rng.random(n)
    votes = sliding_windows.hough_votes(boxes, confidences, radius)
    found, scores = sliding_windows.detections(boxes, confidences, radius, 0.3)
    assert (np.diff(scores) <= 0).all()
    assert (scores > 0.3).all()
    peaks = [int(np.flatnonzero(votes == score)[0]) for score in scores]
    for peak, box in zip(peaks, found, strict=True):
        near = np.hypot(*(boxes - boxes[peak])[:, :2].T) <= radius
        np.testing.assert_allclose(box, np.average(boxes[near], axis=0, weights=confidences[near]))
    for box, vote in zip(boxes[votes > 0.3], votes[votes > 0.3], strict=True):
        near = np.hypot(*(boxes[peaks] - box)[:, :2].T) <= 2 * radius
        assert scores[near].max() >= vote
    one, _ = sliding_windows.detections(boxes, confidences, radius, 0.3, limit=1)
    np.testing.assert_allclose(one, found[:1])


def test_one_sure_window_is_the_box_of_a_detection():
    """All windows near it have as many votes."""
    boxes = sliding_windows.window_boxes((40, 40), (10, 10), 5)
    sure = np.zeros(len(boxes))
    sure[24] = 1
    found, votes = sliding_windows.detections(boxes, sure, 10, 0.5)
    assert (found.tolist(), votes.tolist()) == ([boxes[24].tolist()], [1])


def test_histograms_count_the_words_inside():
    rng = np.random.default_rng(0)
    features = np.hstack([rng.random((50, 2)), rng.normal(size=(50, 3))])
    words = ilk.transformer("codebook", n_words=4, places=2, normalize=False, random_state=0)
    words.fit([features])
    (codes,) = words.assign([features])
    boxes = sliding_windows.window_boxes((30, 40), (13, 11), 6)
    counts = sliding_windows.window_histograms(words, features, (30, 40), boxes)
    for (left, top, right, bottom), row in zip(boxes, counts, strict=True):
        inside = [
            code
            for (across, down, *_), code in zip(features * [40, 30, 1, 1, 1], codes, strict=True)
            if left <= across < right and top <= down < bottom
        ]
        assert row.tolist() == np.bincount(inside, minlength=4).tolist()
    whole = sliding_windows.window_histograms(words, features, (30, 40), [[0, 0, 41, 31]])
    assert np.array_equal(whole, words.transform([features]))


def picture(rng):
    """Stripes on noise: an object of 32 by 32 pixels, and its box."""
    image = rng.integers(0, 256, size=(96, 128))
    across = np.arange(32)
    left, top = 8 * rng.integers(0, 13), 8 * rng.integers(0, 9)
    image[top : top + 32, left : left + 32] = np.where(across % 8 < 4, 30, 220)
    return image.astype(np.uint8), [left, top, left + 32, top + 32]


def test_objects_in_pictures_are_found():
    """Section 10.4.2: words in windows, a classifier, votes, and overlaps above 70 %."""
    pytest.importorskip("cv2", reason="OpenCV is not installed (extra 'images')")
    images, objects = zip(*map(picture, [np.random.default_rng(i) for i in range(16)]), strict=True)
    boxes = sliding_windows.window_boxes((96, 128), (32, 32), 8)
    features = ilk.transformer("dense_sift", scales=[6], spacing=8).transform(images)
    words = ilk.transformer("codebook", n_words=10, places=2, random_state=0).fit(features[:8])
    rows = [sliding_windows.window_histograms(words, each, (96, 128), boxes) for each in features]
    shown = [object_detection.overlap(boxes, [each])[:, 0] > 0.7 for each in objects]
    classifier = ilk.classifier("knn").fit(np.vstack(rows[:8]), np.concatenate(shown[:8]))
    found = []
    for each in rows[8:]:
        confidences = classifier.predict_proba(each)[:, 1]
        found.append(sliding_windows.detections(boxes, confidences, 24, 0, limit=1))
    matches = object_detection.match(found, [[each] for each in objects[8:]])
    assert object_detection.precision_recall(matches).area > 0.85


def test_votes_of_many_windows_are_counted_in_blocks():
    boxes = sliding_windows.window_boxes((300, 300), (10, 10), 5)  # 3481: 12 million distances
    confidences = np.arange(len(boxes)) % 7
    tracemalloc.start()
    votes = sliding_windows.hough_votes(boxes, confidences, radius=6)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2**24
    values = np.pad(confidences.reshape(59, 59), 1)
    cross = values[1:-1, 1:-1] + values[:-2, 1:-1] + values[2:, 1:-1]
    np.testing.assert_array_equal(
        votes.reshape(59, 59), cross + values[1:-1, :-2] + values[1:-1, 2:]
    )


BOX = [[0, 0, 1, 1]]


@in_one_test
@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: sliding_windows.window_boxes((9, 9), (3, 3), 0), "spacing must be a positive"),
        (lambda: sliding_windows.window_boxes((9, 9, 3), (3, 3), 1), r"shape .* image.shape\[:2\]"),
        (lambda: sliding_windows.window_boxes((9, 9), 3, 1), "size must be two .* got 3"),
        (lambda: sliding_windows.hough_votes([[0, 1], [0]], [1], 1), "boxes must be an array of"),
        (lambda: sliding_windows.hough_votes(BOX, ["a"], 1), "confidences must be an array of"),
        (lambda: sliding_windows.hough_votes(BOX * 2, [1e308] * 2, 1), "of finite sum"),
        (lambda: sliding_windows.detections(BOX, [1], 1, 0, limit=-1), "limit .* got -1"),
        (lambda: sliding_windows.hough_votes([[0, 0, 1]], [1], 1), r"boxes .* got shape \(1, 3\)"),
        (lambda: sliding_windows.hough_votes(np.empty((0, 4)), [], 1), "at least one box"),
        (lambda: sliding_windows.hough_votes(BOX, [1, 2], 1), "confidences must be 1 numbers"),
        (lambda: sliding_windows.hough_votes(BOX, [np.nan], 1), "confidences must be 1 numbers"),
        (lambda: sliding_windows.detections(BOX, [-1], 1, 0), r">= 0 of .* got \[-1\]"),
        (lambda: sliding_windows.detections(BOX, [1], 1, -1), "threshold must be a number >= 0"),
        (lambda: sliding_windows.hough_votes(BOX, [1], -1), "radius must be a number >= 0, got -1"),
        (
            lambda: sliding_windows.detections([[1, 0, 1, 1]], [1], 1, 0),
            r"got \[1\.0, 0\.0, .* at 0",
        ),
        (
            lambda: sliding_windows.window_histograms(
                ilk.transformer("codebook"), BOX, (1, 1), BOX
            ),
            "codebook must be a codebook with places=2, .* got Codebook",
        ),
    ],
)
def test_faults(call, message):
    with pytest.raises(ilk.InputError, match=message):
        call()
