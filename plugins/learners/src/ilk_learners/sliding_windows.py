"""Object detection by sliding windows: histograms of the features in each, and Hough votes."""

from __future__ import annotations

from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from ilk import InputError

if TYPE_CHECKING:
    from ilk import ArrayLike
    from ilk_learners.transformers.codebook import Codebook

__all__ = ["detections", "hough_votes", "window_boxes", "window_histograms"]

_CELLS = 2**18  # distances computed at a time: 2 MiB


def window_boxes(shape: tuple[int, int], size: tuple[float, float], spacing: float) -> np.ndarray:
    """Boxes of the windows that slide over an image.

    Parameters
    ----------
    shape : tuple (height, width)
        Of the image, in pixels.
    size : tuple (width, height)
        Of a window, in pixels; at most those of the image.
    spacing : float
        Distance between neighbouring windows, in pixels.

    Returns
    -------
    ndarray of shape (m, 4)
        Left, top, right and bottom side of each window inside the image, row by row.

    Raises
    ------
    InputError
        If a size is not positive and finite, or a window larger than the image.

    References
    ----------
    Zaidi 2011: section 10.4.2 (windows an eighth of the image wide and high, 50 pixels apart).

    Examples
    --------
    >>> from ilk_learners import sliding_windows
    >>> sliding_windows.window_boxes((20, 30), size=(20, 15), spacing=10)
    array([[ 0.,  0., 20., 15.],
           [10.,  0., 30., 15.]])
    """
    height, width = _lengths("window_boxes", "shape", shape)
    across, down = _lengths("window_boxes", "size", size)
    if not isinstance(spacing, Real) or not 0 < spacing < np.inf:
        raise InputError(f"window_boxes: spacing must be a positive number, got {spacing!r}")
    if across > width or down > height:
        raise InputError(
            f"window_boxes: size must be at most that of the image, {(width, height)}, got {size}"
        )
    lefts = np.arange(int((width - across) // spacing) + 1) * spacing
    tops = np.arange(int((height - down) // spacing) + 1) * spacing
    left, top = (each.ravel().astype(float) for each in np.meshgrid(lefts, tops))
    return np.column_stack([left, top, left + across, top + down])


def window_histograms(
    codebook: Codebook, features: ArrayLike, shape: tuple[int, int], boxes: ArrayLike
) -> np.ndarray:
    """Histogram of the words of the features inside each window of an image (bag of words).

    Parameters
    ----------
    codebook : Codebook
        Fitted, with ``places=2``.
    features : array of shape (m, 2 + d)
        Local features of the image, as from dense_sift: places as shares of width and height, then
        descriptors.
    shape : tuple (height, width)
        Of the image, in pixels.
    boxes : array of shape (w, 4)
        Left, top, right and bottom side of each window; features on the left and on the top side
        are inside.

    Returns
    -------
    ndarray of shape (w, n_words)
        Of sum 1 if the codebook normalizes, but 0 for a window without features.

    Raises
    ------
    InputError
        If the codebook has not ``places=2``, or boxes are not w boxes of positive size.

    References
    ----------
    Zaidi 2011: section 10.4.2.

    Examples
    --------
    >>> import ilk
    >>> from ilk_learners import sliding_windows
    >>> features = [[0.1, 0.5, 0.0], [0.2, 0.5, 9.0], [0.8, 0.5, 9.0]]
    >>> words = ilk.transformer("codebook", n_words=2, places=2, random_state=0).fit([features])
    >>> words.words_.ravel().tolist()
    [9.0, 0.0]
    >>> boxes = [[0, 0, 50, 100], [50, 0, 100, 100]]
    >>> sliding_windows.window_histograms(words, features, (100, 100), boxes)
    array([[0.5, 0.5],
           [1. , 0. ]])
    """
    if getattr(codebook, "places", None) != 2:
        raise InputError(
            f"window_histograms: codebook must be a codebook with places=2, as windows need places "
            f"of features, got {codebook!r}"
        )
    sides = _boxes("window_histograms", boxes)
    height, width = _lengths("window_histograms", "shape", shape)
    (codes,) = codebook.assign([features])
    across, down = (np.asarray(features, dtype=float)[:, :2] * [width, height]).T
    left, top, right, bottom = sides.T[:, :, None]
    inside = (left <= across) & (across < right) & (top <= down) & (down < bottom)
    counts = inside.astype(float) @ np.eye(len(codebook.words_))[codes]
    if codebook.normalize:
        counts /= np.maximum(counts.sum(axis=1, keepdims=True), 1)
    return np.asarray(counts)


def hough_votes(boxes: ArrayLike, confidences: ArrayLike, radius: float) -> np.ndarray:
    """Votes for an object at each window: the confidences of all windows near it, added.

    A window votes for each window whose centre is at most `radius` away from its own.

    Parameters
    ----------
    boxes : array of shape (w, 4)
        Left, top, right and bottom side of each window.
    confidences : array of shape (w,)
        Of the classifier, that a window shows the object, such as a probability; at least 0.
    radius : float
        In pixels; the thesis takes three times the spacing of windows.

    Returns
    -------
    ndarray of shape (w,)

    Raises
    ------
    InputError
        If boxes are not w boxes of positive size, confidences not w finite numbers of at least 0,
        or the radius is negative.

    References
    ----------
    Zaidi 2011: section 10.4.2 (a radius of three windows).

    Examples
    --------
    >>> from ilk_learners import sliding_windows
    >>> boxes = sliding_windows.window_boxes((10, 50), size=(10, 10), spacing=10)
    >>> sliding_windows.hough_votes(boxes, [0.0, 0.5, 1.0, 0.25, 0.0], radius=10).tolist()
    [0.5, 1.5, 1.75, 1.25, 0.25]
    """
    sides = _boxes("hough_votes", boxes)
    values = _confidences("hough_votes", confidences, len(sides))
    return _votes("hough_votes", _centres(sides), values, radius)


def detections(
    boxes: ArrayLike,
    confidences: ArrayLike,
    radius: float,
    threshold: float,
    *,
    limit: int | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Objects at the windows with the most votes.

    From the window of the most votes (`hough_votes`) down, a window with more than `threshold` is
    a detection unless its circle meets that of an earlier one. The box of a detection is the mean
    of the windows that voted for it, weighted by their confidences: one step of the mean shift.

    Parameters
    ----------
    boxes, confidences, radius
        As of `hough_votes`. Of equal votes the earlier window comes first.
    threshold : float
        ``t_det``; at least 0.
    limit : int, optional
        The most detections; 1 in the thesis, whose images show one object.

    Returns
    -------
    boxes : ndarray of shape (k, 4)
    votes : ndarray of shape (k,)
        Decreasing; the scores of the detections.

    Raises
    ------
    InputError
        As of `hough_votes`, and if the threshold is negative, or the limit no integer >= 1.

    References
    ----------
    Zaidi 2011: section 10.4.2.

    D. Comaniciu and P. Meer, "Mean shift: a robust approach toward feature space analysis", *IEEE
    TPAMI* 24(5), 2002.

    Examples
    --------
    >>> from ilk_learners import sliding_windows
    >>> boxes = sliding_windows.window_boxes((10, 60), size=(10, 10), spacing=10)
    >>> confidences = [0.0, 0.5, 1.0, 0.0, 0.0, 0.9]
    >>> found, votes = sliding_windows.detections(boxes, confidences, radius=10, threshold=0.8)
    >>> found[:, 0].round(2).tolist(), votes.tolist()
    ([16.67, 50.0], [1.5, 0.9])
    """
    sides = _boxes("detections", boxes)
    values = _confidences("detections", confidences, len(sides))
    centres = _centres(sides)
    votes = _votes("detections", centres, values, radius)
    if not isinstance(threshold, Real) or not threshold >= 0:
        raise InputError(f"detections: threshold must be a number >= 0, got {threshold!r}")
    if limit is not None and (not isinstance(limit, int | np.integer) or limit < 1):
        raise InputError(f"detections: limit must be an integer >= 1 or None, got {limit!r}")
    kept: list[int] = []
    for window in np.argsort(-votes, kind="stable").tolist():
        if votes[window] <= threshold or len(kept) == limit:
            break
        if (_gaps(centres[[window]], centres[kept]) > 2 * radius).all():
            kept.append(window)
    shares = (_gaps(centres[kept], centres) <= radius) * values / votes[kept, None]
    return shares @ sides, votes[kept]


def _centres(boxes: np.ndarray) -> np.ndarray:
    return np.asarray(boxes[:, :2] / 2 + boxes[:, 2:] / 2)


def _gaps(some: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Distances of centres; shape (k, w)."""
    across, down = (some[:, None, axis] - others[:, axis] for axis in range(2))
    return np.asarray(np.hypot(across, down))


def _votes(function: str, centres: np.ndarray, values: np.ndarray, radius: float) -> np.ndarray:
    if not isinstance(radius, Real) or not radius >= 0:
        raise InputError(f"{function}: radius must be a number >= 0, got {radius!r}")
    votes, step = np.empty(len(centres)), max(_CELLS // len(centres), 1)
    for start in range(0, len(centres), step):
        rows = slice(start, start + step)
        votes[rows] = (_gaps(centres[rows], centres) <= radius) @ values
    return votes


def _boxes(function: str, boxes: ArrayLike) -> np.ndarray:
    sides = _numbers(f"{function}: boxes", boxes)
    if sides.ndim != 2 or sides.shape[1] != 4 or not len(sides):
        raise InputError(
            f"{function}: boxes must be an array of shape (w, 4), at least one box, got shape "
            f"{sides.shape}"
        )
    with np.errstate(over="ignore", invalid="ignore"):
        lengths = sides[:, 2:] - sides[:, :2]
    bad = ~(np.isfinite(lengths) & (lengths > 0)).all(axis=1)
    if bad.any():
        row = int(bad.argmax())
        raise InputError(
            f"{function}: boxes must be finite, left before right and top before bottom, got "
            f"{sides[row].tolist()} at {row}"
        )
    return np.asarray(sides)


def _confidences(function: str, given: ArrayLike, n: int) -> np.ndarray:
    values = _numbers(f"{function}: confidences", given)
    with np.errstate(over="ignore"):
        sound = values.shape == (n,) and (values >= 0).all() and np.isfinite(values.sum())
    if not sound:
        raise InputError(
            f"{function}: confidences must be {n} numbers >= 0 of finite sum, one for each box, "
            f"got {given!r}"
        )
    return values


def _lengths(function: str, argument: str, given: Any) -> tuple[float, float]:
    pair = isinstance(given, tuple | list | np.ndarray) and len(given) == 2
    if not pair or not all(isinstance(each, Real) and 0 < float(each) < np.inf for each in given):
        raise InputError(
            f"{function}: {argument} must be two positive numbers, got {given!r}"
            + ("; image.shape[:2] is that of a picture" if argument == "shape" else "")
        )
    return given[0], given[1]


def _numbers(what: str, given: ArrayLike) -> np.ndarray:
    try:
        return np.asarray(given, dtype=float)
    except (TypeError, ValueError) as error:
        raise InputError(f"{what} must be an array of numbers: {error}") from None
