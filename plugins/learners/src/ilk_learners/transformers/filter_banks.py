"""mr8 and gist: responses of banks of filters, of texture and of the layout of a scene."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

import ilk
from ilk import Capabilities, check_fitted, param
from ilk_learners.transformers.histograms import pixel_places
from ilk_learners.transformers.sets import LocalFeatures, check_images, example_images

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ilk import Cases, Labels

_RADIUS = 24  # filters of 49 by 49 pixels, as those of Varma and Zisserman
_ANGLES = np.pi * np.arange(6) / 6
_WIDTHS = (1, 2, 4)  # standard deviations across edges and bars; along them three times as much
_WEBER = 0.03


class MR8(LocalFeatures):
    """Maximum responses of the 8 filters of Varma and Zisserman: local features of texture.

    An image becomes an array of shape (m, 2 + 8) in float32, with a row for every `spacing`-th
    pixel: its place, as a share of width and height, and its responses. A codebook of them makes
    textons, and their histogram the texture of an image.

    The image is moved and scaled to mean 0 and standard deviation 1. It is convolved with 38
    filters of 49 by 49 pixels: edges (first derivatives of a Gaussian across it) and bars (second
    derivatives) with standard deviations (1, 3), (2, 6) and (4, 12) across and along, each at 6
    orientations 30 degrees apart; a Gaussian and its Laplacian, both of standard deviation 10.
    Derivatives have sum 0, and all filters absolute values that sum to 1. Of the 6 orientations
    only the largest absolute response counts, so that features do not turn with the image: edges
    of the three widths, bars of the three, Gaussian, Laplacian. Last, responses r are rescaled to
    ``r log(1 + l / 0.03) / l``, with l the length of the 8 responses.

    Raises
    ------
    InputError, InputTypeError
        If an image is not an array of grey levels (names its position).

    Notes
    -----
    Beyond the border an image is continued by its reflection. The sign of an edge depends on the
    side it is seen from, so signed maxima over half a turn would not be invariant. Computation
    takes about 300 bytes for each pixel of one image.

    References
    ----------
    .. [1] Zaidi 2011: section 3.4 (texture, with a codebook of 800 words).
    .. [2] M. Varma and A. Zisserman, "A statistical approach to texture classification from
       single images", *International Journal of Computer Vision* 62, 2005.

    Examples
    --------
    >>> import ilk, numpy as np
    >>> stripes = np.tile(np.uint8([0] * 4 + [255] * 4), (64, 8))
    >>> across, down = ilk.transformer("mr8", spacing=32).transform([stripes, stripes.T])
    >>> across.shape
    (4, 10)
    >>> bool(np.allclose(across[0, 2:], down[0, 2:], atol=1e-5))
    True
    """

    spacing: int = param(
        default=4, ge=1, doc="Distance between the pixels that are taken, in rows and columns."
    )

    @classmethod
    def examples(cls) -> list[Self]:
        """Few pixels of each image."""
        return [cls(spacing=9)]

    def features(self, images: list[np.ndarray]) -> list[np.ndarray]:
        """Places and responses for each image."""
        spectra = lru_cache(maxsize=1)(_mr8_spectra)  # images of a shape share them
        return [
            np.hstack([pixel_places(image, self.spacing), self._responses(image, spectra)])
            for image in images
        ]

    def _responses(self, image: np.ndarray, spectra: Callable[..., np.ndarray]) -> np.ndarray:
        from scipy.fft import irfft2, rfft2

        grey = image - image.mean()
        grey /= grey.std() or 1
        continued = np.pad(grey.astype(np.float32), _RADIUS, mode="symmetric")
        found = irfft2(rfft2(continued) * spectra(continued.shape), continued.shape)
        # where filters do not reach over the edge of the continued image
        inside = found[:, 2 * _RADIUS :: self.spacing, 2 * _RADIUS :: self.spacing]
        responses = inside.reshape(len(found), -1)
        oriented = np.abs(responses[:-2]).reshape(-1, len(_ANGLES), responses.shape[1])
        eight = np.vstack([oriented.max(axis=1), responses[-2:]])
        lengths = np.linalg.norm(eight, axis=0)
        eight *= np.log1p(lengths / _WEBER) / np.where(lengths > 0, lengths, 1)
        return np.asarray(eight.T)


def mr8_filters() -> np.ndarray:
    """Edges at 3 widths by 6 orientations, bars likewise, Gaussian, Laplacian: (38, 49, 49)."""
    down, across = np.mgrid[-_RADIUS : _RADIUS + 1, -_RADIUS : _RADIUS + 1].astype(float)
    turned = [
        (across * np.cos(a) + down * np.sin(a), down * np.cos(a) - across * np.sin(a))
        for a in _ANGLES
    ]
    bank = []
    for order in (1, 2):
        for width in _WIDTHS:
            for along, over in turned:
                bell = np.exp(-(np.square(along / 3) + np.square(over)) / (2 * width**2))
                # the derivative across, up to a factor
                bank.append(_summing_to_0(bell * (over if order == 1 else over**2 - width**2)))
    square = (np.square(across) + np.square(down)) / 100
    bell = np.exp(-square / 2)
    laplacian = _summing_to_0(bell * (square - 2))
    return np.array([*bank, bell / bell.sum(), laplacian])


def _mr8_spectra(shape: tuple[int, int]) -> np.ndarray:
    from scipy.fft import rfft2

    return np.asarray(rfft2(mr8_filters().astype(np.float32), shape))


def _summing_to_0(values: np.ndarray) -> np.ndarray:
    """Shift a filter to sum 0 and scale its absolute values to sum 1."""
    centred = values - values.mean()
    return np.asarray(centred / np.abs(centred).sum())


_BORDER = 32  # pixels that an image is continued by
_HIGHEST = 0.3  # cycles per pixel of the finest scale
_STEP = 1.85  # between scales
_BLUR = np.sqrt(np.log(2) / 2) / (4 * np.pi)  # share of a side: half response at 4 cycles


class Gist(ilk.Transformer):
    """Gist of a scene: energies of Gabor filters in the cells of a grid, over the whole image.

    The contrast of the image is equalised first: with ``x = log(1 + grey level)``, its blur b and
    the blur v of ``(x - b)^2``, the input is ``(x - b) / (0.2 + sqrt(v))``; both blurs are Gaussian
    and halve 4 cycles per side of the image. Filters are Gaussian in frequency and orientation::

        G(f, t) = exp(-3.5 (f / f_s - 1)^2 - 2 pi (n / 8)^2 (t - t_o)^2)

    for frequencies f > 0 of direction t, at ``f_s = 0.3 / 1.85^s`` cycles per pixel for the scales
    s = 0, 1, ... and at the n directions ``t_o = pi o / n`` in which grey levels change; G(0) is 0.
    A feature is the mean of the absolute (complex) response over a cell of a grid of `grid` by
    `grid` equal parts of the image; by default there are 4 x 8 x 16 = 512.

    Attributes
    ----------
    n_features_ : int

    Raises
    ------
    InputError, InputTypeError
        If an image is not an array of grey levels (names its position).

    Notes
    -----
    Frequencies are per pixel: compare images of about the same size (``size`` of the data set
    images). Oliva and Torralba use 256 by 256 pixels. Beyond the border an image is continued by
    its reflection.

    References
    ----------
    .. [1] Zaidi 2011: section 3.4 (context, 512 numbers).
    .. [2] A. Oliva and A. Torralba, "Modeling the shape of the scene: a holistic representation
       of the spatial envelope", *International Journal of Computer Vision* 42(3), 2001.

    Examples
    --------
    >>> import ilk, numpy as np
    >>> waves = np.uint8(128 + 100 * np.sin(2 * np.pi * 0.3 * np.arange(64)))
    >>> gist = ilk.transformer("gist", orientations=2, scales=2, grid=1)
    >>> gist.fit_transform([np.tile(waves, (64, 1)), np.tile(waves, (64, 1)).T]).argmax(axis=1)
    array([0, 1])
    >>> gist.get_feature_names_out().tolist()[:2]
    ['scale0_orientation0_cell0', 'scale0_orientation1_cell0']
    """

    scales: int = param(default=4, ge=1, le=12, doc="Number of scales, the finest first.")
    orientations: int = param(default=8, ge=1, le=64, doc="Number of orientations, n.")
    grid: int = param(default=4, ge=1, le=64, doc="Number of cells per row and per column.")
    capabilities: ClassVar[Capabilities] = Capabilities(inputs=("sets",), stateless=True)

    @classmethod
    def examples(cls) -> list[Self]:
        """Few filters in few cells."""
        return [cls(scales=2, orientations=3, grid=2)]

    @staticmethod
    def example_data(_: str, n: int, rng: np.random.Generator) -> tuple[Any, np.ndarray]:
        """Images of 24 by 32 grey levels: stripes across or down."""
        return example_images(n, rng)

    def fit(self, X: Cases, y: Labels | None = None) -> Self:
        """Check parameters and images; there is nothing to learn.

        Parameters
        ----------
        X : list of n arrays of shape (height, width)
            Grey levels: integers from 0 to 255.
        """
        self.check_parameters()
        check_images(self, X, (1,))
        self.n_features_ = self.scales * self.orientations * self.grid**2
        return self

    def transform(self, X: Cases) -> np.ndarray:
        """Energies of each image; shape (n, scales x orientations x grid^2).

        Parameters
        ----------
        X : list of n arrays of shape (height, width)
        """
        check_fitted(self)
        images = check_images(self, X, (1,))
        filters = lru_cache(maxsize=1)(self._filters)  # images of a shape share them
        return np.array([self._energies(image, filters) for image in images])

    def _energies(self, image: np.ndarray, filters: Callable[..., list[np.ndarray]]) -> np.ndarray:
        from scipy.fft import fft2, ifft2

        rows, columns = (_cells(length, self.grid) for length in image.shape)
        inside = slice(_BORDER, -_BORDER)
        continued = np.pad(_equalised(image), _BORDER, mode="symmetric")
        spectrum = fft2(continued)
        energies = [
            rows @ np.abs(ifft2(spectrum * each)[inside, inside]) @ columns.T
            for each in filters(continued.shape)
        ]
        return np.ravel(energies)

    def _filters(self, shape: tuple[int, int]) -> list[np.ndarray]:
        """Transfer functions for the frequencies of an image of a shape."""
        down, across = np.meshgrid(*map(np.fft.fftfreq, shape), indexing="ij")
        frequency, angle = np.hypot(across, down), np.arctan2(down, across)
        narrow = 2 * np.pi * (self.orientations / 8) ** 2
        filters, varying = [], frequency > 0  # the mean has no direction
        for scale, orientation in np.ndindex(self.scales, self.orientations):
            apart = angle - np.pi * orientation / self.orientations
            apart = (apart + np.pi) % (2 * np.pi) - np.pi
            radial = -3.5 * np.square(frequency / (_HIGHEST / _STEP**scale) - 1)
            filters.append(varying * np.exp(radial - narrow * np.square(apart)))
        return filters

    def get_feature_names_out(self, input_features: Sequence[str] | None = None) -> Any:
        """``scale0_orientation0_cell0``, ...: cells are numbered row by row."""
        check_fitted(self)
        every = np.ndindex(self.scales, self.orientations, self.grid**2)
        return np.array(["scale{}_orientation{}_cell{}".format(*each) for each in every], object)


def _equalised(image: np.ndarray) -> np.ndarray:
    """Logarithms of grey levels with local mean 0 and about the same local variance."""
    from scipy.ndimage import gaussian_filter

    sigma = [_BLUR * length for length in image.shape]
    logs = np.log1p(image.astype(float))
    logs -= gaussian_filter(logs, sigma)
    return np.asarray(logs / (0.2 + np.sqrt(gaussian_filter(np.square(logs), sigma))))


def _cells(length: int, n: int) -> np.ndarray:
    """Weight of each pixel of a side in the mean of each of n equal parts; shape (n, length)."""
    edges = np.arange(n + 1)[:, None] * length / n
    covered = np.clip(edges - np.arange(length), 0, 1)  # share of a pixel before each edge
    return np.asarray(np.diff(covered, axis=0) * n / length)
