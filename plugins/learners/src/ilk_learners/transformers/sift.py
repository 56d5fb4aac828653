"""dense_sift and sparse_sift: SIFT descriptors on a regular grid and at interest points."""

from __future__ import annotations

from abc import abstractmethod
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np

import ilk
from ilk import Param, param
from ilk_learners.numerics import check_finite_parameters
from ilk_learners.transformers.sets import LocalFeatures

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from types import ModuleType

    from ilk import Cases, Component, Labels

_OLDEST = 4, 11  # SIFT of older versions writes out of bounds (OpenCV's issue 26139)
_LEAST_BLUR = 0.5  # assumed blur of the camera, as in Lowe's paper


SCALES: Any = param(
    default=(4, 8, 16, 24, 32),
    type=list,
    items=Param(float, ge=1, le=10000),
    form="list of float",
    doc="Scales in pixels, each from 1 to 10000.",
)


class _SIFT(LocalFeatures):
    """Local features that OpenCV describes."""

    relies_on: ClassVar[tuple[str, ...]] = ("opencv-python-headless",)

    def fit(self, X: Cases, y: Labels | None = None) -> Self:
        """Check parameters, images and OpenCV; there is nothing to learn."""
        _opencv(self)
        return super().fit(X, y)

    def features(self, images: list[np.ndarray]) -> list[np.ndarray]:
        """Places and descriptors of each image: arrays of shape (m, 130)."""
        cv2 = _opencv(self)
        with _threads_limited(cv2):
            return [self._features(cv2, image) for image in images]

    @abstractmethod
    def _features(self, cv2: ModuleType, image: np.ndarray) -> np.ndarray:
        """Places and descriptors of an image; shape (m, 130)."""


class DenseSIFT(_SIFT):
    """SIFT descriptors of an image at the points of a regular grid, at several scales.

    An image becomes a set of local features: an array of shape (m, 2 + 128) in float32, with a row
    for each point and scale. The first two columns are the place of the point in the image, from
    the left and from the top, as a share of its width and height, within 0..1. The descriptor
    follows, integers from 0 to 255. The transformer pyramid uses both, codebook with ``places=2``
    only the descriptors. Rows are ordered by scale, then from the top, then from the left.

    At scale s the descriptor is computed from a square of 2s by 2s pixels around the point, divided
    into 4 x 4 parts: a histogram of gradient directions in each, upright. As in SIFT, the image is
    blurred for each scale by a sigma of a third of the width of a part, s/6. The square counts as
    empty beyond the border. The points lie in the middle of `grid` by `grid` equal parts of the
    image, so images of any size have the same number of features.

    Raises
    ------
    IlkError
        If OpenCV is not installed, or older than 4.11; the extra ``images`` of ilk installs it.
    InputError, InputTypeError
        If an image is not an array of grey levels (names its position).

    Notes
    -----
    "A regular grid of size 20 x 20" (section 10.4.1) is interpreted as 20 by 20 points; for points
    every 20 pixels, set ``spacing=20``. The result takes 520 bytes per feature: 1 MB per image by
    default. Images are held in memory. Results do not depend on the number of threads.

    References
    ----------
    .. [1] Zaidi 2011: sections 3.4, 10.4.1; appendix C; figures 10.7, C.1.
    .. [2] D. G. Lowe, "Distinctive image features from scale-invariant keypoints", *International
       Journal of Computer Vision* 60(2), 2004.
    .. [3] A. Bosch, A. Zisserman and X. Munoz, "Scene classification via pLSA", *ECCV* 2006:
       scales as radii of patches.

    Examples
    --------
    >>> import ilk, numpy as np
    >>> stripes = np.tile(np.uint8([0, 0, 0, 255, 255, 255]), (60, 15))
    >>> sift = ilk.transformer("dense_sift", scales=[8], grid=3)
    >>> (features,) = sift.transform([stripes])
    >>> features.shape
    (9, 130)
    >>> (features[:4, :2] * 6).round().tolist()
    [[1.0, 1.0], [3.0, 1.0], [5.0, 1.0], [1.0, 3.0]]
    """

    scales: Sequence[float] = SCALES
    grid: int = param(default=20, ge=1, doc="Number of points per row and per column.")
    spacing: float | None = param(
        default=None,
        type=float,
        ge=1,
        doc="Distance between points in pixels, instead of `grid`; as many points as fit, centred "
        "in the image.",
    )

    @classmethod
    def examples(cls) -> list[Self]:
        """A coarse grid; points some pixels apart."""
        return [cls(scales=(4, 8), grid=3), cls(scales=[6], spacing=7.5)]

    def check_parameters(self) -> None:
        """Check each parameter, and that at least one scale is given."""
        super().check_parameters()
        _check_scales(self)
        if self.spacing is not None:
            check_finite_parameters(self, "spacing")

    def _features(self, cv2: ModuleType, image: np.ndarray) -> np.ndarray:
        height, width = image.shape
        across, down = np.meshgrid(self._points(width), self._points(height))
        points = np.column_stack([across.ravel(), down.ravel()])
        return _at_points(cv2, image, points, self.scales)

    def _points(self, length: int) -> np.ndarray:
        """Positions of the points along a side, in pixels."""
        if self.spacing is None:
            # the middles of equal cells
            return (np.arange(self.grid) + 0.5) * length / self.grid
        n = max(int(length // self.spacing), 1)
        # in the middle: the same margin on both sides
        return length / 2 + (np.arange(n) - (n - 1) / 2) * self.spacing


class SparseSIFT(_SIFT):
    """SIFT descriptors of an image at its interest points.

    An image becomes a set of local features as from dense_sift: an array of shape (m, 2 + 128) in
    float32 of the places of points and of descriptors, the strongest points first.

    The detectors are OpenCV's. `dog`: extrema of differences of Gaussians in space and scale, as
    in Lowe's paper, described at their scale and direction; so descriptors turn with the image.
    `harris`: local maxima of Harris and Stephens' corner measure
    ``det M - 0.04 (trace M)^2``, M the second moments of gradients in 3 by 3 pixels, of at least
    1 % of the largest in the image and 5 pixels apart; they are described upright, from 2s by 2s
    pixels for each scale s, as by dense_sift.

    An image without interest points, such as one of a single grey level, has one feature, at its
    middle, so that no set is empty.

    Raises
    ------
    IlkError
        If OpenCV is not installed, or older than 4.11; the extra ``images`` of ilk installs it.
    InputError, InputTypeError
        If an image is not an array of grey levels (names its position).

    Notes
    -----
    The texts use the Harris-Affine detector, which also fits an ellipse to each corner; OpenCV's
    main modules do not offer it. "Dense features perform better than sparse features on most
    categorization tasks" (section 3.4; appendix C of [1]_).

    References
    ----------
    .. [1] Zaidi 2011: section 10.3; appendix C.
    .. [2] D. G. Lowe, "Distinctive image features from scale-invariant keypoints", *International
       Journal of Computer Vision* 60(2), 2004.
    .. [3] C. Harris and M. Stephens, "A combined corner and edge detector", *Alvey Vision
       Conference*, 1988.

    Examples
    --------
    >>> import ilk, numpy as np
    >>> square = np.zeros((60, 60), dtype=np.uint8)
    >>> square[20:40, 20:40] = 200
    >>> sift = ilk.transformer("sparse_sift", detector="harris", scales=[8])
    >>> (features,) = sift.transform([square])
    >>> features.shape
    (4, 130)
    >>> sorted((features[:, :2] * 3).round(1).tolist())
    [[1.0, 1.0], [1.0, 2.0], [2.0, 1.0], [2.0, 2.0]]
    """

    detector: Literal["dog", "harris"] = param(
        default="dog",
        choices=("dog", "harris"),
        doc="Differences of Gaussians, or Harris corners.",
    )
    max_points: int = param(default=500, ge=1, doc="The strongest points of an image that count.")
    scales: Sequence[float] = SCALES

    @classmethod
    def examples(cls) -> list[Self]:
        """Few points of each detector."""
        return [cls(max_points=5), cls(detector="harris", scales=(4, 6), max_points=6)]

    def check_parameters(self) -> None:
        """Check each parameter, and that at least one scale is given."""
        super().check_parameters()
        _check_scales(self)

    def _features(self, cv2: ModuleType, image: np.ndarray) -> np.ndarray:
        found = self._blobs(cv2, image) if self.detector == "dog" else self._corners(cv2, image)
        if len(found):
            return found
        height, width = image.shape
        middle = np.array([[width / 2, height / 2]])
        return _at_points(cv2, image, middle, self.scales[:1])

    def _blobs(self, cv2: ModuleType, image: np.ndarray) -> np.ndarray:
        # of all points at once: OpenCV's blurred images depend on the points to describe
        keypoints, descriptors = cv2.SIFT_create().detectAndCompute(image, None)
        order = sorted(range(len(keypoints)), key=lambda i: _strongest_first(keypoints[i]))
        order = order[: self.max_points]
        features = np.empty((len(order), 2 + 128), dtype=np.float32)
        if order:
            places = (np.array([keypoints[i].pt for i in order]) + 0.5) / image.shape[::-1]
            features[:, :2] = np.clip(places, 0, 1)
            features[:, 2:] = descriptors[order]
        return features

    def _corners(self, cv2: ModuleType, image: np.ndarray) -> np.ndarray:
        corners = cv2.goodFeaturesToTrack(
            image, self.max_points, 0.01, 5, blockSize=3, useHarrisDetector=True, k=0.04
        )
        if corners is None:
            return np.empty((0, 2 + 128), dtype=np.float32)
        return _at_points(cv2, image, corners[:, 0].astype(float) + 0.5, self.scales)


def _strongest_first(keypoint: Any) -> tuple[float, ...]:
    across, down = keypoint.pt
    return -keypoint.response, down, across, keypoint.size, keypoint.angle


def _check_scales(owner: DenseSIFT | SparseSIFT) -> None:
    if not len(owner.scales):
        raise owner.parameter_error("scales", "must hold at least one scale, got none")


def _at_points(
    cv2: ModuleType, image: np.ndarray, points: np.ndarray, scales: Sequence[float]
) -> np.ndarray:
    """Places and upright descriptors of points at each scale, one scale after the other."""
    features = np.empty((len(scales) * len(points), 2 + 128), dtype=np.float32)
    features[:, :2] = np.tile(points / image.shape[::-1], (len(scales), 1))
    for i, scale in enumerate(scales):
        rows = slice(i * len(points), (i + 1) * len(points))
        features[rows, 2:] = _descriptors(cv2, image, points, float(scale))
    return features


def _descriptors(
    cv2: ModuleType, image: np.ndarray, points: np.ndarray, scale: float
) -> np.ndarray:
    """Upright SIFT descriptors of patches of 2 scale by 2 scale pixels around points.

    OpenCV's patch is six times the size of a keypoint, and its pixel centres have integer
    coordinates. Only the first layer of its blurred images is used.
    """
    # a keypoint of size s has the scale s / 2, to which the image is blurred; OpenCV's bins are 3 /
    # 2 s wide, so that the four of a side span 2 scale
    sift = cv2.SIFT_create(nOctaveLayers=1, sigma=max(scale / 6, _LEAST_BLUR))
    # OpenCV places the middle of the first pixel at 0, not at 1/2
    keypoints = [cv2.KeyPoint(x - 0.5, y - 0.5, scale / 3, 0.0) for x, y in points.tolist()]
    _, descriptors = sift.compute(image, keypoints)
    return np.asarray(descriptors)


@contextmanager
def _threads_limited(cv2: ModuleType) -> Iterator[None]:
    """Limit OpenCV to the number of threads of ilk's compiled code."""
    before = cv2.getNumThreads()
    cv2.setNumThreads(min(before, ilk.n_threads()))
    try:
        yield
    finally:
        cv2.setNumThreads(before)


def _opencv(owner: Component) -> Any:
    try:
        import cv2
    except ImportError as error:
        raise ilk.IlkError(
            f"{ilk.display_name(owner)} needs OpenCV, which is not installed "
            "(pip install opencv-python-headless; the extra 'images' of ilk has it)"
        ) from error
    if tuple(int(part) for part in cv2.__version__.split(".")[:2]) < _OLDEST:
        oldest = ".".join(map(str, _OLDEST))
        raise ilk.IlkError(
            f"{ilk.display_name(owner)} needs OpenCV {oldest} or newer, got {cv2.__version__}"
        )
    return cv2
