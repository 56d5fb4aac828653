"""Object detection: overlap of boxes, matches of detections and objects, precision and recall."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING

import numpy as np

from ilk import InputError
from ilk_evaluation.curves.curve import Curve
from ilk_evaluation.curves.ranking import rank_cases, steps

if TYPE_CHECKING:
    from ilk import ArrayLike

__all__ = ["Matches", "match", "overlap", "precision_recall"]


@dataclass(frozen=True)
class Matches:
    """Detections of several images, each correct or false.

    Attributes
    ----------
    scores : ndarray of shape (d,)
        Of the detections, image by image.
    correct : ndarray of bool, shape (d,)
    n_objects : int
        Objects in all images.
    """

    scores: np.ndarray
    correct: np.ndarray
    n_objects: int


def overlap(boxes: ArrayLike, others: ArrayLike) -> np.ndarray:
    """Overlap of boxes: the area of their intersection over that of their union.

    Parameters
    ----------
    boxes, others : arrays of shape (k, 4) and (t, 4)
        Left, top, right and bottom side of each box.

    Returns
    -------
    ndarray of shape (k, t)
        From 0 to 1, for equal boxes.

    Raises
    ------
    InputError
        If a box is not finite or has no area.

    References
    ----------
    Zaidi 2011: section 10.4.2.

    Everingham et al., "The PASCAL visual object classes (VOC) challenge", *International Journal of
    Computer Vision* 88, 2010, section 4.2.

    Examples
    --------
    >>> from ilk_evaluation import object_detection
    >>> object_detection.overlap([[0, 0, 2, 2]], [[0, 0, 2, 2], [1, 0, 3, 2], [2, 0, 4, 2]])
    array([[1.        , 0.33333333, 0.        ]])
    """
    A, B = _boxes("overlap", "boxes", boxes), _boxes("overlap", "others", others)
    low = np.maximum(A[:, None, :2], B[None, :, :2])
    high = np.minimum(A[:, None, 2:], B[None, :, 2:])
    sides = [each[:, 2:] - each[:, :2] for each in (A, B)]
    # in units of the longer side, a power of two: areas neither overflow nor vanish
    _, units = np.frexp(np.maximum(sides[0][:, None], sides[1]))
    first, second, common = (
        np.prod(np.ldexp(each, -units), axis=2)
        for each in (sides[0][:, None], sides[1][None], np.maximum(high - low, 0))
    )
    return np.asarray(common / (first + second - common))


def match(
    detections: Sequence[tuple[ArrayLike, ArrayLike]],
    objects: Sequence[ArrayLike],
    least_overlap: float = 0.7,
) -> Matches:
    """Decide which detections are correct.

    From the highest score of an image down, a detection is correct if the object that it overlaps
    most is overlapped by more than `least_overlap`, and no earlier detection was correct for it: a
    second one of the same object is false.

    Parameters
    ----------
    detections : sequence of pairs (boxes, scores)
        For each image, arrays of shapes (k, 4) and (k,), k = 0 included.
    objects : sequence of arrays of shape (t, 4)
        True boxes of each image, t = 0 included.
    least_overlap : float, default=0.7
        At least 0 and less than 1; 0.7 in the thesis, 0.5 in the PASCAL challenge.

    Returns
    -------
    Matches

    Raises
    ------
    InputError
        If numbers of images, or of boxes and scores, differ; for a box without area, a score that
        is not finite, or an invalid `least_overlap`.

    References
    ----------
    Zaidi 2011: section 10.4.2 (an overlap above 70 %).

    Everingham et al. 2010, section 4.2, for several detections of an object.

    Examples
    --------
    >>> from ilk_evaluation import object_detection
    >>> found = [[0, 0, 10, 10], [1, 0, 11, 10], [30, 0, 40, 10]]
    >>> object_detection.match([(found, [0.9, 0.8, 0.7])], [[[0, 0, 10, 11]]]).correct
    array([ True, False, False])
    """
    if len(detections) != len(objects):
        raise InputError(
            f"match: detections and objects must be of the same images, got {len(detections)} and "
            f"{len(objects)}"
        )
    if not isinstance(least_overlap, Real) or not 0 <= least_overlap < 1:
        raise InputError(f"match: least_overlap must be from 0 to below 1, got {least_overlap!r}")
    scores, correct, n_objects = [np.empty(0)], [np.empty(0, dtype=bool)], 0
    for i, (pair, truth) in enumerate(zip(detections, objects, strict=True)):
        if not isinstance(pair, Sequence) or len(pair) != 2:
            raise InputError(
                f"match: detections[{i}] must be a pair of boxes and scores, got {pair!r}"
            )
        boxes, given = pair
        found = _boxes("match", f"detections[{i}]", boxes)
        true = _boxes("match", f"objects[{i}]", truth)
        scores.append(_scores(given, len(found), i))
        correct.append(_correct(found, scores[-1], true, least_overlap))
        n_objects += len(true)
    return Matches(np.concatenate(scores), np.concatenate(correct), n_objects)


def _correct(
    found: np.ndarray, scores: np.ndarray, true: np.ndarray, least_overlap: float
) -> np.ndarray:
    correct = np.zeros(len(found), dtype=bool)
    if not len(found) or not len(true):
        return correct
    shared = overlap(found, true)
    detected: set[int] = set()
    for detection in np.argsort(-scores, kind="stable").tolist():
        most = int(shared[detection].argmax())
        correct[detection] = shared[detection, most] > least_overlap and most not in detected
        if correct[detection]:
            detected.add(most)
    return correct


def precision_recall(matches: Matches) -> Curve:
    """Precision over recall of detections, for each score as the threshold.

    Precision is the share of correct ones among the detections of at least that score, recall the
    share of all objects that they detect. Objects that no detection matches keep recall below 1:
    the curve ends there, at precision 0. The area is the average precision
    ``sum_k (R_k - R_(k-1)) P_k``.

    Parameters
    ----------
    matches : Matches
        From `match`.

    Returns
    -------
    Curve
        x is recall, y precision; `n_positive` are the objects, `n_negative` the false detections.

    Raises
    ------
    InputError
        If there is no object.

    References
    ----------
    Everingham et al., "The PASCAL visual object classes (VOC) challenge", *International Journal
    of Computer Vision* 88, 2010.

    Examples
    --------
    >>> import numpy as np
    >>> from ilk_evaluation import object_detection
    >>> correct = np.array([True, False, True])
    >>> matches = object_detection.Matches(np.array([0.9, 0.8, 0.7]), correct, n_objects=4)
    >>> curve = object_detection.precision_recall(matches)
    >>> curve.x.tolist(), curve.y.round(2).tolist(), round(curve.area, 4)
    ([0.0, 0.25, 0.25, 0.5, 1.0], [1.0, 1.0, 0.5, 0.67, 0.0], 0.4167)
    """
    if not matches.n_objects:
        raise InputError("precision_recall: not defined, as the images hold no object")
    recall, precision = np.zeros(1), np.zeros(1)
    thresholds, area, n_false = np.array([np.inf]), 0.0, 0
    if len(matches.scores):
        ranking = rank_cases(matches.scores, matches.correct)
        hits, n_false = ranking.true_positives, ranking.n_negative
        shares = hits / (hits + ranking.false_positives)
        recall = np.append(0.0, hits / matches.n_objects)
        precision = np.append(shares[0], shares)
        thresholds = np.append(np.inf, ranking.thresholds)
        area = steps(shares, recall[1:])
    if recall[-1] < 1:
        recall, precision = np.append(recall, 1.0), np.append(precision, 0.0)
        thresholds = np.append(thresholds, -np.inf)
    return Curve(
        *(recall, precision, thresholds, area, "objects"),
        shape="precision_recall",
        n_positive=matches.n_objects,
        n_negative=n_false,
    )


def _boxes(function: str, argument: str, given: ArrayLike) -> np.ndarray:
    boxes = _numbers(f"{function}: {argument}", given)
    if boxes.size == 0:
        return np.empty((0, 4))
    if boxes.ndim != 2 or boxes.shape[1] != 4:
        raise InputError(
            f"{function}: {argument} must have boxes of shape (k, 4), got shape {boxes.shape}"
        )
    with np.errstate(over="ignore", invalid="ignore"):
        sides = boxes[:, 2:] - boxes[:, :2]
    bad = ~(np.isfinite(sides) & (sides > 0)).all(axis=1)
    if bad.any():
        row = int(bad.argmax())
        raise InputError(
            f"{function}: {argument} must have finite boxes, left before right and top before "
            f"bottom, got {boxes[row].tolist()} at {row}"
        )
    return np.asarray(boxes)


def _scores(given: ArrayLike, n: int, image: int) -> np.ndarray:
    scores = _numbers(f"match: scores of detections[{image}]", given)
    if scores.shape != (n,) or not np.isfinite(scores).all():
        raise InputError(
            f"match: detections[{image}] must have {n} finite scores, one for each box, got shape "
            f"{scores.shape}"
        )
    return scores


def _numbers(what: str, given: ArrayLike) -> np.ndarray:
    try:
        return np.asarray(given, dtype=float)
    except (TypeError, ValueError) as error:
        raise InputError(f"{what} must be an array of numbers: {error}") from None
