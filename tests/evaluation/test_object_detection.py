"""Overlap of boxes, matches of detections and objects, and their precision and recall."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score

import ilk
from cases import in_one_test
from ilk_evaluation import curves, object_detection

boxes = st.tuples(*[st.integers(0, 12)] * 2, *[st.integers(1, 8)] * 2).map(
    lambda each: [each[0], each[1], each[0] + each[2], each[1] + each[3]]
)


def pixels(box):
    left, top, right, bottom = box
    return {(x, y) for x in range(left, right) for y in range(top, bottom)}


@given(st.lists(boxes, min_size=1, max_size=4), st.lists(boxes, min_size=1, max_size=4))
def test_overlap_counts_pixels(some, others):
    expected = [
        [len(pixels(a) & pixels(b)) / len(pixels(a) | pixels(b)) for b in others] for a in some
    ]
    np.testing.assert_allclose(object_detection.overlap(some, others), expected)
    assert (np.diag(object_detection.overlap(some, some)) == 1).all()


@given(boxes, boxes, st.integers(-1000, 1000), st.integers(-1000, 1000))
def test_overlap_has_no_unit(box, other, across, down):
    unit = np.ldexp(1.0, [across, down, across, down])
    scaled = object_detection.overlap(unit * [box], unit * [other])
    np.testing.assert_array_equal(scaled, object_detection.overlap([box], [other]))


def test_each_object_is_detected_once_by_the_highest_score():
    near, exact, other, nowhere = [0, 0, 10, 9], [0, 0, 10, 10], [20, 0, 30, 8], [50, 50, 60, 60]
    found = [([near, nowhere, exact, other], [0.9, 0.5, 0.8, 0.7]), ([], []), ([other], [0.6])]
    objects = [[exact, [20, 0, 30, 10]], [near], []]
    matches = object_detection.match(found, objects)
    assert matches.correct.tolist() == [True, False, False, True, False]
    assert matches.scores.tolist() == [0.9, 0.5, 0.8, 0.7, 0.6]
    assert matches.n_objects == 3
    strict = object_detection.match(found, objects, least_overlap=0.8)  # not more than 80 %
    assert strict.correct.tolist() == [True, False, False, False, False]


@given(
    st.lists(st.tuples(st.integers(0, 6), st.booleans()), min_size=1, max_size=12),
    st.integers(0, 3),
)
def test_average_precision_is_scikit_learns_where_recall_is_1(detections, missed):
    scores, correct = map(np.array, zip(*detections, strict=True))
    if not correct.any():
        return
    n = int(correct.sum())
    curve = object_detection.precision_recall(object_detection.Matches(scores, correct, n + missed))
    assert curve.area == pytest.approx(average_precision_score(correct, scores) * n / (n + missed))
    for x, y, threshold in zip(curve.x, curve.y, curve.thresholds, strict=True):
        above = scores >= threshold
        if np.isfinite(threshold):
            assert (x, y) == pytest.approx(
                (correct[above].sum() / (n + missed), correct[above].mean())
            )
    assert curve.x[-1] == 1
    assert (curve.y[-1] == 0) == bool(missed)
    assert curves.averaged([curve], points=3).mean[-1] in curve.y[curve.x == 1]


def test_without_detections_the_area_is_0():
    matches = object_detection.match([([], [])], [[[0, 0, 1, 1]]])
    curve = object_detection.precision_recall(matches)
    assert (curve.area, curve.x.tolist(), curve.y.tolist()) == (0, [0, 1], [0, 0])


BOX = [0, 0, 1, 1]


@in_one_test
@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: object_detection.overlap([[0, 0, 0, 1]], [BOX]),
            r"overlap: boxes .* \[0\.0, .* at 0",
        ),
        (
            lambda: object_detection.overlap([[0, 0, 1, "a"]], [BOX]),
            "boxes must be an array of num",
        ),
        (lambda: object_detection.match([([BOX], ["a"])], [[]]), r"scores of detections\[0\] must"),
        (lambda: object_detection.match([[BOX]], [[]]), r"detections\[0\] must be a pair"),
        (lambda: object_detection.overlap([BOX], [[0, 0, 1]]), r"others .* got shape \(1, 3\)"),
        (lambda: object_detection.match([], [[BOX]]), "of the same images, got 0 and 1"),
        (
            lambda: object_detection.match([([BOX], [])], [[]]),
            r"detections\[0\] must have 1 finite",
        ),
        (lambda: object_detection.match([([BOX], [np.nan])], [[]]), r"detections\[0\] must have 1"),
        (
            lambda: object_detection.match([([BOX], [1])], [[[0] * 4]]),
            r"objects\[0\] must have finite",
        ),
        (
            lambda: object_detection.match([], [], 1),
            "least_overlap must be from 0 to below 1, got 1",
        ),
        (
            lambda: object_detection.precision_recall(object_detection.match([([BOX], [1])], [[]])),
            "not defined, as the images hold no object",
        ),
    ],
)
def test_faults(call, message):
    with pytest.raises(ilk.InputError, match=message):
        call()
