"""Values of images and point sets: pixels as sets, histograms, and signatures for emd."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

import ilk
from ilk import Capabilities, RandomState, Seed, check_fitted, param
from ilk_learners.numerics import check_finite_parameters
from ilk_learners.transformers.codebook import Words, find_words
from ilk_learners.transformers.sets import (
    LocalFeatures,
    check_images,
    check_sets,
    example_images,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ilk import Cases, Labels

_MOST_BINS = 64  # of each channel of a joint histogram, which has 262144 bins then


class Pixels(LocalFeatures):
    """Pixels of an image as a set of points: grey levels, or three values of colour.

    An image of shape (height, width) or (height, width, 3) becomes an array of shape (m, 1) or
    (m, 3) in float32, of the pixels row by row. The transformers signature and codebook take such
    sets: a codebook of the pixels of HSV images is the colour feature of the thesis [1]_. With
    `places` the place of each pixel stands before, as the transformer pyramid needs it.

    Raises
    ------
    InputError, InputTypeError
        If an image is not an array of integers from 0 to 255, or some images are grey and others
        coloured; names the position.

    Notes
    -----
    The result takes 4 bytes for each number: 0.9 MB for 300 x 250 pixels of three colours.

    References
    ----------
    .. [1] Zaidi 2011: section 3.4 (colour).

    Examples
    --------
    >>> import ilk
    >>> (points,) = ilk.transformer("pixels", places=True).transform([[[10, 20], [30, 40]]])
    >>> points.tolist()
    [[0.25, 0.25, 10.0], [0.75, 0.25, 20.0], [0.25, 0.75, 30.0], [0.75, 0.75, 40.0]]
    """

    spacing: int = param(
        default=1, ge=1, doc="Distance between the pixels that are taken, in rows and columns."
    )
    places: bool = param(
        default=False,
        doc="Whether the first two columns are the place of a pixel, from the left and from the "
        "top, as a share of width and height.",
    )
    channels: ClassVar[tuple[int, ...]] = (1, 3)

    @classmethod
    def examples(cls) -> list[Self]:
        """Every third pixel; places and values of few."""
        return [cls(spacing=3), cls(spacing=7, places=True)]

    def features(self, images: list[np.ndarray]) -> list[np.ndarray]:
        """Pixels of each image."""
        return [self._points(image) for image in images]

    def _points(self, image: np.ndarray) -> np.ndarray:
        taken = image[:: self.spacing, :: self.spacing]
        values = taken.reshape(taken.shape[0] * taken.shape[1], -1).astype(np.float32)
        if not self.places:
            return values
        return np.hstack([pixel_places(image, self.spacing), values])


def pixel_places(image: np.ndarray, spacing: int) -> np.ndarray:
    """Places of every `spacing`-th pixel as shares of width and height; (m, 2) in float32."""
    height, width = image.shape[:2]
    down, across = np.mgrid[0:height:spacing, 0:width:spacing]
    places = np.column_stack([(across.ravel() + 0.5) / width, (down.ravel() + 0.5) / height])
    return places.astype(np.float32)


class Histogram(ilk.Transformer):
    """Histogram of the values of the pixels of an image: grey levels or colours.

    ``h_i`` is the number of pixels with a value from ``256 i / bins`` up to ``256 (i + 1) / bins``
    (exclusive). Images with three channels have a joint histogram of ``bins^3`` bins, one for each
    combination of the three values, or with ``joint=False`` a histogram for each channel, one
    after the other. With `normalize` a histogram sums to 1, so that images of different sizes
    compare. All distances of histograms take the result: `chi2`, `jeffrey`, `emd` and others.

    Attributes
    ----------
    channels_ : int
        1 for grey levels, 3 for colours.

    Raises
    ------
    ParameterError
        If a joint histogram would have more than 64 bins for each channel.
    InputError, InputTypeError
        If an image is not an array of integers from 0 to 255, or has another number of channels
        than the others or those of training; names the position.

    References
    ----------
    .. [1] Cunningham 2008: section 2.4.2.
    .. [2] M. J. Swain and D. H. Ballard, "Color indexing", *International Journal of Computer
       Vision* 7(1), 1991.

    Examples
    --------
    >>> import ilk
    >>> dark, light = [[0, 10], [100, 130]], [[130, 200, 255]]
    >>> ilk.transformer("histogram", bins=4).fit_transform([dark, light])
    array([[0.5       , 0.25      , 0.25      , 0.        ],
           [0.        , 0.        , 0.33333333, 0.66666667]])
    """

    bins: int = param(default=8, ge=1, le=256, doc="Number of bins, of equal width, for a channel.")
    joint: bool = param(
        default=True,
        doc="Whether colours have one histogram of all three channels, not one for each.",
    )
    normalize: bool = param(
        default=True,
        doc="Whether to divide each histogram by the number of pixels.",
    )
    capabilities: ClassVar[Capabilities] = Capabilities(inputs=("sets",), stateless=True)

    @classmethod
    def examples(cls) -> list[Self]:
        """Shares, and counts in few bins."""
        return [cls(), cls(bins=3, normalize=False)]

    @staticmethod
    def example_data(_: str, n: int, rng: np.random.Generator) -> tuple[Any, np.ndarray]:
        """Images of 24 by 32 grey levels: stripes across or down."""
        return example_images(n, rng)

    def fit(self, X: Cases, y: Labels | None = None) -> Self:
        """Check parameters and images, and note whether they are coloured; y is ignored.

        Parameters
        ----------
        X : list of n arrays of shape (height, width) or (height, width, 3)
            Integers from 0 to 255.
        """
        self.check_parameters()
        channels = 1 if check_images(self, X)[0].ndim == 2 else 3
        if channels == 3 and self.joint and self.bins > _MOST_BINS:
            raise self.parameter_error(
                "bins",
                f"must be at most {_MOST_BINS} for a joint histogram of colours, got {self.bins}; "
                f"joint=False takes more",
            )
        self.channels_ = channels
        return self

    def transform(self, X: Cases) -> np.ndarray:
        """Histogram of each image; shape (n, bins), of colours (n, bins^3) or (n, 3 bins).

        Parameters
        ----------
        X : list of n arrays of shape (height, width) or (height, width, 3)
        """
        check_fitted(self)
        images = check_images(self, X, (self.channels_,))
        return np.array([self._shares(image) for image in images])

    def _shares(self, image: np.ndarray) -> np.ndarray:
        channels = self._codes()[image.reshape(-1, self.channels_)]
        if self.joint:
            places = self.bins ** np.arange(self.channels_)[::-1]
            counts = np.bincount(channels @ places, minlength=self.bins**self.channels_)
        else:
            counts = np.concatenate([np.bincount(c, minlength=self.bins) for c in channels.T])
        return counts / len(channels) if self.normalize else counts.astype(float)

    def _codes(self) -> np.ndarray:
        """Bin of each of the 256 values."""
        return np.arange(256) * self.bins // 256

    def get_feature_names_out(self, input_features: Sequence[str] | None = None) -> Any:
        """``bin0``, ...; of colours ``bin0_0_0``, ... or ``channel0_bin0``, ..."""
        check_fitted(self)
        if self.channels_ == 1:
            names = [f"bin{i}" for i in range(self.bins)]
        elif self.joint:
            names = ["bin{}_{}_{}".format(*each) for each in np.ndindex((self.bins,) * 3)]
        else:
            names = [f"channel{c}_bin{i}" for c in range(3) for i in range(self.bins)]
        return np.array(names, dtype=object)


class Signature(ilk.Transformer):
    """Signature of a set of points: the modes of its clusters, and their weights, for `emd`.

    A set of m points (the pixels of an image, from the transformer pixels; local features) becomes
    a pair: an array of shape (j, d) of the modes ``m_j``, and an array of shape (j,) of the shares
    ``w_j`` of the points in each cluster, which sum to 1; the heaviest first. Unlike the bins of
    histograms, clusters are those of each set by itself.

    Clusters are those of k-means with `n_clusters` centres, or one for each different point where
    there are fewer. With `cell` they are the occupied cells of a grid of that width, and modes the
    means of their points: then "j is appropriate to the complexity of the image", and nothing is
    random.

    Attributes
    ----------
    seed_ : int
        Of each set's k-means.
    width_ : int
        Columns of a set.

    Raises
    ------
    InputError, InputTypeError
        If a set is empty, not an array of finite numbers, or has another number of columns (names
        its position).

    Notes
    -----
    k-means takes m x n_clusters x d operations for each of its steps; equal points count as one.
    The signature of a set does not depend on the other sets.

    References
    ----------
    .. [1] Cunningham 2008: section 2.4.2.1.
    .. [2] Y. Rubner, C. Tomasi and L. J. Guibas, "The earth mover's distance as a metric for
       image retrieval", *International Journal of Computer Vision* 40(2), 2000.

    Examples
    --------
    >>> import ilk
    >>> points = [[0, 0], [1, 0], [1, 0], [9, 8], [9, 9]]
    >>> ((modes, weights),) = ilk.transformer("signature", cell=5).fit_transform([points])
    >>> modes.round(2).tolist(), weights.tolist()
    ([[0.67, 0.0], [9.0, 8.5]], [0.6, 0.4])
    """

    n_clusters: int = param(default=8, ge=1, doc="Most clusters of a set, by k-means.")
    cell: float | None = param(
        default=None,
        type=float,
        gt=0,
        doc="Width of the cells of a grid, one corner of which lies in the origin: each cell with "
        "points is a cluster, instead of `n_clusters`.",
    )
    max_iter: int = param(default=100, ge=1, doc="Maximal iterations of k-means.")
    random_state: RandomState = param(
        default=None, type=Seed, doc="For the k-means++ initialization."
    )
    capabilities: ClassVar[Capabilities] = Capabilities(inputs=("sets", "signatures"))
    waivers: ClassVar[Mapping[str, str]] = {
        "check_rows_kept": "the output is a signature for each set, not a table",
        "check_feature_names_out": "the output is a signature for each set, not a table",
    }

    @classmethod
    def examples(cls) -> list[Self]:
        """Two clusters, and the cells of a grid."""
        return [cls(n_clusters=2), cls(cell=2.5)]

    @property
    def stateless(self) -> bool:
        """Whether signatures do not depend on the fit: on a grid, or with a fixed seed."""
        return self.cell is not None or isinstance(self.random_state, int)

    def check_parameters(self) -> None:
        """Check each parameter."""
        super().check_parameters()
        if self.cell is not None:
            check_finite_parameters(self, "cell")

    def fit(self, X: Cases, y: Labels | None = None) -> Self:
        """Check sets and draw a seed; y is ignored.

        Parameters
        ----------
        X : list of n arrays of shape (m, d), or of n pairs of such an array and m weights
        """
        self.check_parameters()
        rng = ilk.check_seed(self, self.random_state)
        self.width_ = check_sets(self, X).width
        self.seed_ = int(rng.randint(2**31 - 1))
        return self

    def transform(self, X: Cases) -> list[tuple[np.ndarray, np.ndarray]]:
        """Signature of each set: n pairs of arrays of shapes (j, d) and (j,).

        Parameters
        ----------
        X : list of n arrays of shape (m, d), or of n pairs of such an array and m weights
        """
        check_fitted(self)
        sets = check_sets(self, X, width=self.width_)
        weights = sets.weights or [np.ones(len(rows)) for rows in sets.rows]
        return [self._signature(*each) for each in zip(sets.rows, weights, strict=True)]

    def _signature(self, rows: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        points, codes = np.unique(rows[weights > 0], axis=0, return_inverse=True)
        shares = weights[weights > 0] / weights.max()  # the sum cannot overflow
        masses = np.bincount(codes.ravel(), shares)
        if self.cell is not None:
            modes, masses = self._cells(points, masses)
        elif self.n_clusters < len(points):
            modes, masses = self._clusters(points, masses)
        else:
            modes = points
        order = np.argsort(-masses, kind="stable")
        return modes[order], masses[order] / masses.sum()

    def _cells(self, points: np.ndarray, masses: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        cells = np.floor(points.astype(float) / self.cell)
        _, codes = np.unique(cells, axis=0, return_inverse=True)
        totals = np.bincount(codes.ravel(), masses)
        sums = [np.bincount(codes.ravel(), masses * column) for column in points.T]
        modes = np.column_stack(sums) / totals[:, None]
        return modes.astype(points.dtype), totals

    def _clusters(self, points: np.ndarray, masses: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        rng = np.random.RandomState(self.seed_)
        modes = find_words(self, points, masses, self.n_clusters, self.max_iter, rng)
        codes = Words.of(modes).nearest(self, points)
        totals = np.bincount(codes, masses, len(modes))
        return modes[totals > 0], totals[totals > 0]
