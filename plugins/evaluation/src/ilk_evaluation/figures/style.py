"""How figures look in the report and in files, and how one is written."""

from __future__ import annotations

import io
import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import ilk
from ilk.drawing import COLORS
from ilk.drawing import written as as_is

if TYPE_CHECKING:
    from ilk_evaluation.figures.picture import Picture

FORMATS = ("png", "svg", "pdf")
_SHARED: dict[str, Any] = {
    "axes.axisbelow": True,
    "axes.edgecolor": "0.55",
    "axes.labelsize": 9,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlesize": 10,
    "figure.autolayout": False,
    "figure.constrained_layout.use": False,
    "font.size": 9,
    "grid.color": "0.9",
    "legend.fontsize": 8,
    "legend.framealpha": 0.7,
    "legend.edgecolor": "none",
    "lines.linewidth": 1.5,
    "pdf.fonttype": 42,
    "svg.hashsalt": "ilk",  # the same figure gives the same bytes
    "xtick.color": "0.55",
    "xtick.labelcolor": "black",
    "ytick.color": "0.55",
    "ytick.labelcolor": "black",
}
_NO_DATE: dict[str, Any] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}
_DASHES: tuple[Any, ...] = (
    *("-", (0, (5, 1.5)), (0, (1.5, 1)), (0, (6, 1.5, 1.5, 1.5)), (0, (3, 1))),
    (0, (8, 1.5, 1.5, 1, 1.5, 1.5)),
)


def line_of(number: int) -> dict[str, Any]:
    """Colour and dashes of a line, which those tell apart who see no colours.

    No two of the first 42 share both.
    """
    return {
        "color": COLORS[number % len(COLORS)],
        "linestyle": _DASHES[number % len(_DASHES)],
    }


def written(
    picture: Picture,
    format_: str,
    *,
    titled: bool = True,
    settings: Mapping[str, Any] | None = None,
) -> bytes:
    """Draw a picture and return it as a file.

    Parameters
    ----------
    picture : Picture
    format_ : {"png", "svg", "pdf"}
    titled : bool
        Whether one of a single data set has its title above.
    settings : mapping, optional
        Of matplotlib, besides those that all figures share.

    Raises
    ------
    IlkError
        If matplotlib is not installed.
    """
    try:
        from cycler import cycler
        from matplotlib import rc_context
    except ImportError as error:
        raise ilk.IlkError(
            "drawing needs matplotlib, which is not installed (pip install matplotlib; the "
            "extra 'report' of ilk has it)"
        ) from error
    buffer = io.BytesIO()
    looks: Any = {**_SHARED, "axes.prop_cycle": cycler(color=COLORS), **(settings or {})}
    with rc_context(looks):
        ax = picture.draw()
        if titled and picture.dataset is not None:
            ax.set_title(as_is(picture.title))
        figure: Any = ax.figure
        figure.set_layout_engine(None)  # it is slow, and names go beyond the axes anyway
        figure.subplots_adjust(0, 0, 1, 1)
        metadata = _NO_DATE.get(format_)
        with warnings.catch_warnings():  # letters are boxes then; those of SVG are letters anyway
            warnings.filterwarnings("ignore", "Glyph .* missing", UserWarning)
            warnings.filterwarnings("ignore", "Matplotlib currently does not support", UserWarning)
            figure.savefig(buffer, format=format_, dpi=200, bbox_inches="tight", metadata=metadata)
    return buffer.getvalue()
