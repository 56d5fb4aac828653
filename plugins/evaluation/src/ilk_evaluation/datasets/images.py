"""Images in one folder per class."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar, Literal, Self

import numpy as np

import ilk
from ilk import FilePath, param
from ilk_evaluation.datasets.table_file import EXAMPLE
from ilk_evaluation.datasets.text_file import check_is_file

SUFFIXES = frozenset(
    (".bmp", ".gif", ".jpeg", ".jpg", ".pbm", ".pgm", ".png", ".ppm", ".tif", ".tiff", ".webp")
)


class Images(ilk.Dataset):
    """Images from a folder with one subfolder per class.

    X is a list of arrays of uint8; images may differ in size. Grey levels have shape
    (height, width), colours (height, width, 3), see `color`. The label is the name of the
    subfolder. Classes, and the images of a class, are sorted by name. Of an animation the first
    frame is used, and photographs are rotated by their orientation tag. Files without an image
    suffix and hidden files (names that start with a dot) are skipped.

    Raises
    ------
    IlkError
        If Pillow is not installed; it comes with the extra ``images`` of ilk.
    DataError
        If the folder does not exist, there are fewer than two classes, a class has no image, or a
        file cannot be read as an image of 8 bits per colour; names it.

    Notes
    -----
    All images are held in memory, one byte per pixel, three with colours: 2000 grey images of
    300 x 250 pixels take 150 MB. The fingerprint covers each pixel.

    Grey levels are the luminance ``(299 R + 587 G + 114 B) / 1000``. Hue is the angle on the circle
    of colours, 0 for red, 85 for green and 170 for blue, where 255 would be red again; saturation
    is ``255 (max - min) / max`` of R, G and B, and value their maximum. All are from 0 to 255 and
    rounded down: 255 times matplotlib's ``rgb_to_hsv``. OpenCV's hues are from 0 to 179 instead,
    and its channels of `rgb` in reverse. Images are shrunk before hues are computed, as hues have
    no mean.

    Examples
    --------
    >>> import ilk
    >>> data = type(ilk.dataset("images", path="images")).examples()[0].load()
    >>> len(data), data.classes.tolist(), data.X[0].shape, data.X[0].dtype
    (6, ['checks', 'stripes'], (24, 32), dtype('uint8'))
    """

    relies_on: ClassVar[tuple[str, ...]] = ("pillow",)
    path: str | Path | None = param(
        default=None,
        type=FilePath,
        none=False,
        doc="The folder; in a spec file relative to that file.",
    )
    color: Literal["grey", "rgb", "hsv"] = param(
        default="grey",
        choices=("grey", "rgb", "hsv"),
        doc="Luminance; red, green and blue; or hue, saturation and value, each from 0 to 255.",
    )
    limit: int | None = param(
        default=None,
        type=int,
        ge=1,
        doc="Maximum number of images of each class; the first ones are used.",
    )
    size: int | None = param(
        default=None,
        type=int,
        ge=1,
        doc="Images with a longer side of more pixels are shrunk to this size.",
    )

    @classmethod
    def examples(cls) -> list[Self]:
        """Six small images of two classes; some of them, shrunk; with colours."""
        path = str(EXAMPLE / "images")
        return [cls(path=path), cls(path=path, limit=2, size=16), cls(path=path, color="hsv")]

    def load(self) -> ilk.Data:
        self.check_parameters()
        assert self.path is not None
        _pillow()
        folder = Path(self.path).expanduser()
        files = self._files(folder)
        X = [self._image(path) for paths in files.values() for path in paths]
        counts = ", ".join(f"{len(paths)} {name}" for name, paths in files.items())
        return ilk.Data(
            X=X,
            y=np.repeat(list(files), [len(paths) for paths in files.values()]),
            name=folder.resolve().name,
            description=f"{len(X)} images: {counts}",
        )

    def _files(self, folder: Path) -> dict[str, list[Path]]:
        """Files of each class, both in the order of their names."""
        if not folder.is_dir():
            raise ilk.DataError(f"{folder}: there is no such folder")
        classes = sorted(place for place in _shown(folder) if place.is_dir())
        if len(classes) < 2:
            names = [place.name for place in classes]
            raise ilk.DataError(
                f"{folder}: must hold a folder of images for each of two or more classes, has "
                f"{names}"
            )
        files = {place.name: _images(place)[: self.limit] for place in classes}
        for name, paths in files.items():
            if not paths:
                known = ", ".join(sorted(SUFFIXES))
                raise ilk.DataError(f"{folder / name}: holds no image (files that end in {known})")
        return files

    def _image(self, path: Path) -> np.ndarray:
        pillow = _pillow()
        check_is_file(path)
        try:
            with pillow.open(path) as image:
                return self._pixels(image)
        except (OSError, SyntaxError, ValueError, pillow.DecompressionBombError) as error:
            raise ilk.DataError(f"{path}: cannot be read as an image: {error}") from error

    def _pixels(self, image: Any) -> np.ndarray:
        from PIL import ImageOps

        if image.mode.startswith(("I", "F")):
            raise ValueError(f"it has more than 8 bits per pixel (mode {image.mode})")
        upright = ImageOps.exif_transpose(image).convert("L" if self.color == "grey" else "RGB")
        if self.size is not None:
            upright.thumbnail((self.size, self.size))
        return np.array(upright.convert("HSV") if self.color == "hsv" else upright)

    def title(self) -> str:
        """Name of the folder, marked if only a part is used."""
        name = Path(self.path).expanduser().resolve().name if self.path is not None else ""
        marks = [
            self.color if self.color != "grey" else "",
            f"{self.limit} a class" if self.limit is not None else "",
            f"{self.size} px" if self.size is not None else "",
        ]
        suffix = ", ".join(mark for mark in marks if mark)
        return f"{name} ({suffix})" if suffix else name


def _shown(folder: Path) -> list[Path]:
    return [place for place in folder.iterdir() if not place.name.startswith(".")]


def _images(folder: Path) -> list[Path]:
    return sorted(p for p in _shown(folder) if p.suffix.lower() in SUFFIXES and p.is_file())


def _pillow() -> Any:
    try:
        from PIL import Image
    except ImportError as error:
        raise ilk.IlkError(
            "images needs Pillow, which is not installed (pip install pillow; the "
            "extra 'images' of ilk has it)"
        ) from error
    return Image
