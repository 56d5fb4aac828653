"""Validation of sets of descriptors (an array per set, with optional weights) and of images."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

import numpy as np

import ilk
from ilk import Capabilities

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ilk import Cases, Component, Labels


class Sets(NamedTuple):
    """Checked sets.

    Attributes
    ----------
    rows : list of ndarray of shape (m, d)
        All float32 or all float64; m varies and is at least 1.
    weights : list of ndarray of shape (m,), or None
        Weights of the rows, if given.
    """

    rows: list[np.ndarray]
    weights: list[np.ndarray] | None

    @property
    def dtype(self) -> np.dtype[Any]:
        """Dtype of all rows."""
        return self.rows[0].dtype

    @property
    def width(self) -> int:
        """Number of columns, common to all sets."""
        return int(self.rows[0].shape[1])


def check_sets(owner: Component, X: Any, *, width: int | None = None) -> Sets:
    """Return sets as arrays of one dtype.

    Parameters
    ----------
    owner : Component
        Named in errors.
    X : list of arrays of shape (m, d), or of pairs of such an array and m weights
        A pair is a tuple.
    width : int, optional
        The expected d; None: that of the first set.

    Raises
    ------
    InputError, InputTypeError
        Names the position of the set and the fault.
    """
    name = ilk.display_name(owner)
    if not is_list(X):
        raise ilk.InputTypeError(f"{name}: X must be a list of sets, each an array of descriptors")
    n = ilk.n_rows(X)
    if n == 0:
        raise ilk.InputError(f"{name}: X has 0 rows (sets), at least one is needed")
    paired = [_is_pair(item) for item in X]
    if any(paired) != all(paired):
        lacking = paired.index(False)
        raise ilk.InputError(f"{name}: X[{lacking}] has no weights, but other sets have")
    rows = [_rows(owner, item[0] if paired[0] else item, f"X[{i}]") for i, item in enumerate(X)]
    _check_widths(owner, rows, width)
    single = all(array.dtype == np.float32 for array in rows)
    rows = [array.astype(np.float32 if single else float, copy=False) for array in rows]
    if not paired[0]:
        return Sets(rows, None)
    pairs = zip(X, rows, strict=True)
    return Sets(rows, [_weights(owner, x[1], len(r), f"X[{i}]") for i, (x, r) in enumerate(pairs)])


def is_list(X: Cases) -> bool:
    """Whether X may be a list of arrays: it has a length, and is not a table or text."""
    if ilk.is_table(X) or isinstance(X, str | bytes) or hasattr(X, "tocsr"):
        return False
    return hasattr(X, "__len__") and getattr(X, "ndim", 1) > 0


def _is_pair(item: object) -> bool:
    return isinstance(item, tuple) and len(item) == 2 and np.ndim(item[1]) == 1


def _rows(owner: object, item: Any, argument: str) -> np.ndarray:
    name = ilk.display_name(owner)
    try:
        array = np.asarray(item)
        if array.dtype.kind not in "biuf":
            array = np.asarray(item, dtype=float) if array.dtype.kind == "O" else np.empty(0)
    except (TypeError, ValueError) as error:
        raise ilk.InputTypeError(
            f"{name}: {argument} must be an array of numbers: {error}"
        ) from None
    if array.ndim != 2 or 0 in array.shape:
        remedy = "; of images, the transformer pixels makes sets" if array.ndim == 3 else ""
        raise ilk.InputError(
            f"{name}: {argument} must be an array of shape (m, d), m descriptors of d numbers, "
            f"at least 1 of each; got shape {np.shape(item)}{remedy}"
        )
    if np.ma.is_masked(item):
        raise ilk.InputError(f"{name}: {argument} has masked values; fill them first")
    ilk.check_finite(owner, array, argument=argument)
    return array


def _check_widths(owner: object, rows: Sequence[np.ndarray], width: int | None) -> None:
    expected = rows[0].shape[1] if width is None else width
    for i, array in enumerate(rows):
        if array.shape[1] != expected:
            there = (
                f"X[0] has {expected}" if width is None else f"there were {expected} in training"
            )
            name = ilk.display_name(owner)
            raise ilk.InputError(f"{name}: X[{i}] has {array.shape[1]} columns, {there}")


def _weights(owner: object, given: object, m: int, argument: str) -> np.ndarray:
    weights = np.asarray(given, dtype=float)
    if weights.shape != (m,):
        raise ilk.InputError(
            f"{ilk.display_name(owner)}: {argument} has weights of shape {weights.shape} for {m} "
            f"descriptors"
        )
    bad = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0)))
    if bad.size:
        raise ilk.InputError(
            f"{ilk.display_name(owner)}: {argument} must have weights that are finite and at "
            f"least 0, got {weights[bad[0]]} at {bad[0]}"
        )
    if not weights.any():
        raise ilk.InputError(f"{ilk.display_name(owner)}: {argument} has weights that are all 0")
    return weights


def stacked(rows: Sequence[np.ndarray], size: int) -> Iterator[tuple[slice, np.ndarray]]:
    """Yield concatenations of consecutive sets, of about `size` rows or one larger set."""
    start = total = 0
    for i, array in enumerate(rows):
        if total and total + len(array) > size:
            yield slice(start, i), np.concatenate(rows[start:i])
            start, total = i, 0
        total += len(array)
    yield slice(start, len(rows)), np.concatenate(rows[start:])


_SHAPES = {1: "(height, width)", 3: "(height, width, 3)"}  # by number of channels


def check_images(owner: Component, X: Any, channels: Sequence[int] = (1, 3)) -> list[np.ndarray]:
    """Return images as contiguous arrays of bytes.

    Parameters
    ----------
    owner : Component
        Named in errors.
    X : list of arrays of integers from 0 to 255
        Grey levels of shape (height, width), or colours of shape (height, width, 3).
    channels : sequence of int
        Accepted numbers of channels: 1 for grey levels, 3 for colours.

    Raises
    ------
    InputError, InputTypeError
        Names the position of the image and the fault; also if some are grey and others are not.
    """
    name = ilk.display_name(owner)
    if not is_list(X):
        what = "grey levels" if tuple(channels) == (1,) else "pixels"
        raise ilk.InputTypeError(f"{name}: X must be a list of images, arrays of {what}")
    if ilk.n_rows(X) == 0:
        raise ilk.InputError(f"{name}: X has 0 rows (images), at least one is needed")
    images = [_image(f"{name}: X[{i}]", image, channels) for i, image in enumerate(X)]
    for i, image in enumerate(images):
        if image.ndim != images[0].ndim:
            raise ilk.InputError(
                f"{name}: X[{i}] has shape {image.shape}, but X[0] {images[0].shape}; images must "
                f"be all grey or all coloured"
            )
    return images


def _image(what: str, given: Any, channels: Sequence[int]) -> np.ndarray:
    levels = "grey levels" if tuple(channels) == (1,) else "pixels"
    try:
        array = np.asarray(given)
    except ValueError as error:  # rows of different lengths
        raise ilk.InputTypeError(f"{what} must be an image of {levels}: {error}") from None
    if array.dtype.kind not in "iu":
        floats = array.dtype.kind == "f" and array.ndim > 1
        shares = "; np.uint8(255 * image) makes them of shares" if floats else ""
        raise ilk.InputTypeError(
            f"{what} must be an image of {levels}, integers from 0 to 255; got "
            f"{array.dtype}{shares}"
        )
    depth = (
        1 if array.ndim == 2 else array.shape[2] if array.ndim == 3 and array.shape[2] > 1 else 0
    )
    if depth not in channels or 0 in array.shape:
        shapes = " or ".join(_SHAPES[each] for each in channels)
        remedy = ""
        if depth == 4 and 3 in channels:
            remedy = "; image[..., :3] leaves out transparency"
        elif depth in (3, 4):
            remedy = "; the data set images loads grey levels with color='grey'"
        raise ilk.InputError(
            f"{what} must be an image of shape {shapes}, got shape {array.shape}{remedy}"
        )
    if np.ma.is_masked(given):
        raise ilk.InputError(f"{what} has masked values; fill them first")
    low, high = int(array.min()), int(array.max())
    if low < 0 or high > 255:
        raise ilk.InputError(
            f"{what} must have {levels} from 0 to 255, got {low if low < 0 else high}"
        )
    return np.ascontiguousarray(array, dtype=np.uint8)


def example_images(n: int, rng: np.random.Generator) -> tuple[list[np.ndarray], np.ndarray]:
    """Images of 24 by 32 grey levels and their classes: stripes across or down."""
    y = np.arange(n) % 2
    noise = rng.integers(0, 60, size=(n, 24, 32))
    down, across = np.indices((24, 32))
    waves = [np.where((across if label else down) % 8 < 4, 40, 180) for label in y]
    return [(n + w).astype(np.uint8) for n, w in zip(noise, waves, strict=True)], y


class LocalFeatures(ilk.Transformer):
    """Base of transformers of images to sets of local features, which learn nothing.

    A set is an array of shape (m, 2 + d) in float32. The first two columns are the place of a
    feature in the image, from the left and from the top, as a share of its width and height.
    """

    channels: ClassVar[tuple[int, ...]] = (1,)
    capabilities: ClassVar[Capabilities] = Capabilities(inputs=("sets",), stateless=True)
    waivers: ClassVar[Mapping[str, str]] = {
        "check_rows_kept": "the output is a set of features for each image, not a table",
        "check_feature_names_out": "the output is a set of features for each image, not a table",
    }

    @staticmethod
    def example_data(_: str, n: int, rng: np.random.Generator) -> tuple[Any, np.ndarray]:
        """Images of 24 by 32 grey levels: stripes across or down."""
        return example_images(n, rng)

    @abstractmethod
    def features(self, images: list[np.ndarray]) -> list[np.ndarray]:
        """Local features of each checked image."""

    def fit(self, X: Cases, y: Labels | None = None) -> Self:
        """Check parameters and images; there is nothing to learn."""
        self.check_parameters()
        check_images(self, X, self.channels)
        return self

    def transform(self, X: Cases) -> list[np.ndarray]:
        """Local features of each image: n arrays of shape (m, 2 + d).

        Parameters
        ----------
        X : list of n arrays of shape (height, width)
            Grey levels: integers from 0 to 255.
        """
        self.check_parameters()
        return self.features(check_images(self, X, self.channels))

    def __sklearn_is_fitted__(self) -> bool:
        return True
