"""dense_sift: local features of images on a regular grid."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

import ilk
from ilk import Capabilities, Param, param
from ilk_learners.numerics import check_finite_parameters
from ilk_learners.transformers.sets import is_list

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from types import ModuleType

    from ilk import Cases, Labels

_OLDEST = 4, 11  # SIFT of older versions writes out of bounds (OpenCV's issue 26139)
_LEAST_BLUR = 0.5  # assumed blur of the camera, as in Lowe's paper


class DenseSIFT(ilk.Transformer):
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
    .. [3] A. Bosch, A. Zisserman and X. Munoz, "Scene classification via pLSA", *ECCV* 2006: scales
       as radii of patches.

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

    scales: Sequence[float] = param(
        default=(4, 8, 16, 24, 32),
        type=list,
        items=Param(float, ge=1, le=10000),
        form="list of float",
        doc="Scales in pixels, each from 1 to 10000.",
    )
    grid: int = param(default=20, ge=1, doc="Number of points per row and per column.")
    spacing: float | None = param(
        default=None,
        type=float,
        ge=1,
        doc="Distance between points in pixels, instead of `grid`; as many points as fit, centred "
        "in the image.",
    )
    capabilities: ClassVar[Capabilities] = Capabilities(inputs=("sets",), stateless=True)
    relies_on: ClassVar[tuple[str, ...]] = ("opencv-python-headless",)
    waivers: ClassVar[Mapping[str, str]] = {
        "check_rows_kept": "the output is a set of features for each image, not a table",
        "check_feature_names_out": "the output is a set of features for each image, not a table",
    }

    @classmethod
    def examples(cls) -> list[Self]:
        """A coarse grid; points some pixels apart."""
        return [cls(scales=(4, 8), grid=3), cls(scales=[6], spacing=7.5)]

    @staticmethod
    def example_data(_: str, n: int, rng: np.random.Generator) -> tuple[Any, np.ndarray]:
        """Images of 24 by 32 grey levels: stripes across or down."""
        y = np.arange(n) % 2
        noise = rng.integers(0, 60, size=(n, 24, 32))
        down, across = np.indices((24, 32))
        waves = [np.where((across if label else down) % 8 < 4, 40, 180) for label in y]
        return [(n + w).astype(np.uint8) for n, w in zip(noise, waves, strict=True)], y

    def check_parameters(self) -> None:
        """Check each parameter, and that at least one scale is given."""
        super().check_parameters()
        if not len(self.scales):
            raise self.parameter_error("scales", "must hold at least one scale, got none")
        if self.spacing is not None:
            check_finite_parameters(self, "spacing")

    def fit(self, X: Cases, y: Labels | None = None) -> Self:
        """Check parameters and images; there is nothing to learn."""
        self.check_parameters()
        _opencv()
        self._images(X)
        return self

    def transform(self, X: Cases) -> list[np.ndarray]:
        """Features of each image: n arrays of shape (m, 130).

        Parameters
        ----------
        X : list of n arrays of shape (height, width)
            Grey levels: integers from 0 to 255.
        """
        self.check_parameters()
        cv2 = _opencv()
        images = self._images(X)
        with _threads_limited(cv2):
            return [self._features(cv2, image) for image in images]

    def _images(self, X: Any) -> list[np.ndarray]:
        name = ilk.display_name(self)
        if not is_list(X):
            raise ilk.InputTypeError(f"{name}: X must be a list of images, arrays of grey levels")
        if ilk.n_rows(X) == 0:
            raise ilk.InputError(f"{name}: X has 0 rows (images), at least one is needed")
        return [_grey(name, image, i) for i, image in enumerate(X)]

    def _features(self, cv2: ModuleType, image: np.ndarray) -> np.ndarray:
        height, width = image.shape
        across, down = np.meshgrid(self._points(width), self._points(height))
        points = np.column_stack([across.ravel(), down.ravel()])
        features = np.empty((len(self.scales) * len(points), 2 + 128), dtype=np.float32)
        features[:, :2] = np.tile(points / [width, height], (len(self.scales), 1))
        for i, scale in enumerate(self.scales):
            rows = slice(i * len(points), (i + 1) * len(points))
            features[rows, 2:] = _descriptors(cv2, image, points, float(scale))
        return features

    def _points(self, length: int) -> np.ndarray:
        """Positions of the points along a side, in pixels."""
        if self.spacing is None:
            # the middles of equal cells
            return (np.arange(self.grid) + 0.5) * length / self.grid
        n = max(int(length // self.spacing), 1)
        # in the middle: the same margin on both sides
        return length / 2 + (np.arange(n) - (n - 1) / 2) * self.spacing

    def __sklearn_is_fitted__(self) -> bool:
        return True


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


def _grey(name: str, image: np.ndarray, position: int) -> np.ndarray:
    array = np.asarray(image)
    if array.dtype.kind not in "iu":
        raise ilk.InputTypeError(
            f"{name}: X[{position}] must be an image of grey levels, integers from 0 to 255; got "
            f"{array.dtype}"
        )
    if array.ndim != 2 or 0 in array.shape:
        raise ilk.InputError(
            f"{name}: X[{position}] must be an image of shape (height, width), got shape "
            f"{array.shape}"
        )
    if np.ma.is_masked(image):
        raise ilk.InputError(f"{name}: X[{position}] has masked values; fill them first")
    low, high = int(array.min()), int(array.max())
    if low < 0 or high > 255:
        raise ilk.InputError(
            f"{name}: X[{position}] must have grey levels from 0 to 255, got "
            f"{low if low < 0 else high}"
        )
    return np.ascontiguousarray(array, dtype=np.uint8)


@contextmanager
def _threads_limited(cv2: ModuleType) -> Iterator[None]:
    """Limit OpenCV to the number of threads of ilk's compiled code."""
    before = cv2.getNumThreads()
    cv2.setNumThreads(min(before, ilk.n_threads()))
    try:
        yield
    finally:
        cv2.setNumThreads(before)


def _opencv() -> Any:
    try:
        import cv2
    except ImportError as error:
        raise ilk.IlkError(
            "dense_sift needs OpenCV, which is not installed "
            "(pip install opencv-python-headless; the extra 'images' of ilk has it)"
        ) from error
    if tuple(int(part) for part in cv2.__version__.split(".")[:2]) < _OLDEST:
        oldest = ".".join(map(str, _OLDEST))
        raise ilk.IlkError(f"dense_sift needs OpenCV {oldest} or newer, got {cv2.__version__}")
    return cv2
