"""The style of figures, and their files."""

from __future__ import annotations

import io
import re
import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import ilk
from ilk.plotting import COLORS, new_axes
from ilk.plotting import plot_label as as_is
from ilk_evaluation.atomic_write import check_no_link, check_replaceable, replace_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from matplotlib.axes import Axes

    from ilk.plotting import TextFigure
    from ilk_evaluation.figures.figure_spec import Figure, FigureSpec


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
_MARK = "Drawn by ilk"
_METADATA: dict[str, Any] = {  # no dates, so that the same figure gives the same bytes
    "png": {"Software": _MARK},
    "svg": {"Date": None, "Creator": _MARK},
    "pdf": {"CreationDate": None, "Creator": _MARK},
}
_DASHES: tuple[Any, ...] = (
    *("-", (0, (5, 1.5)), (0, (1.5, 1)), (0, (6, 1.5, 1.5, 1.5)), (0, (3, 1))),
    (0, (8, 1.5, 1.5, 1, 1.5, 1.5)),
)


def line_of(number: int) -> dict[str, Any]:
    """Colour and dashes of a line; dashes help readers who do not see colours.

    No two of the first 42 share both.
    """
    return {
        "color": COLORS[number % len(COLORS)],
        "linestyle": _DASHES[number % len(_DASHES)],
    }


def legend_below(ax: Axes, handles: Sequence[Any], labels: Sequence[str]) -> None:
    """Put the legend below the axes, where it hides no line."""
    place: Any = {"loc": "upper left", "bbox_to_anchor": (-0.02, -0.2), "handlelength": 2.8}
    ax.legend(handles, labels, borderaxespad=0, **place)


@contextmanager
def styled(settings: Mapping[str, Any] | None = None) -> Iterator[None]:
    """Draw in the style of all files; `settings` of matplotlib are added.

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
    looks: Any = {**_SHARED, "axes.prop_cycle": cycler(color=COLORS), **(settings or {})}
    with rc_context(looks):
        yield


def rendered(
    figure: Figure,
    format_: str,
    *,
    titled: bool = True,
    settings: Mapping[str, Any] | None = None,
) -> bytes:
    """Draw a figure and return the bytes of its file.

    Parameters
    ----------
    figure : Figure
    format_ : {"png", "svg", "pdf"}
    titled : bool
        Whether a figure of a single data set has a title.
    settings : mapping, optional
        Of matplotlib, in addition to the shared ones.

    Raises
    ------
    IlkError
        If matplotlib is not installed.
    """
    with styled(settings):
        ax = figure.draw(new_axes(*figure.size, detached=True))
        if titled and figure.dataset is not None:
            ax.set_title(as_is(figure.title))
        drawn: Any = ax.figure
        drawn.set_layout_engine(None)  # it is slow, and labels leave the axes anyway
        drawn.subplots_adjust(0, 0, 1, 1)
        return file_of(drawn, format_)


def file_of(drawn: Any, format_: str) -> bytes:
    """Bytes of the file of a figure of matplotlib's."""
    buffer = io.BytesIO()
    metadata = _METADATA.get(format_)
    with warnings.catch_warnings():  # missing glyphs become boxes; SVG keeps the text
        warnings.filterwarnings("ignore", "Glyph .* missing", UserWarning)
        warnings.filterwarnings("ignore", "Matplotlib currently does not support", UserWarning)
        drawn.savefig(buffer, format=format_, dpi=200, bbox_inches="tight", metadata=metadata)
    return buffer.getvalue()


def write_text_figure(figure: TextFigure, path: Path, *, force: bool = False) -> None:
    """Draw a figure of a source text into a file; its suffix gives the format.

    Raises
    ------
    InputError
        If the suffix is no format, or the file is no earlier figure, unless `force`.
    """
    format_ = path.suffix[1:].lower()
    if format_ not in FORMATS:
        raise ilk.InputError(f"{path}: must end in .png, .svg or .pdf")
    check_replaceable(path, "no figure of ilk", _is_figure, force=force)
    with styled():
        content = file_of(figure.draw(), format_)
    replace_file(path, content)


def chosen(specs: Mapping[str, FigureSpec], names: Sequence[str]) -> list[FigureSpec]:
    """Return the named figures; without names all available ones, except figures per pipeline.

    Raises
    ------
    InputError
        If there is no such figure; the message says why, or names the nearest.
    """
    if not names:
        return [spec for spec in specs.values() if spec.places and not spec.pipelines]
    for name in names:
        if name not in specs:
            hint = ilk.did_you_mean(name, specs)
            known = ", ".join(specs)
            raise ilk.InputError(f"there is no figure {name!r}{hint} (there are: {known})")
        if specs[name].lacking:
            raise ilk.InputError(f"there is no figure {name}: {specs[name].lacking}")
    return [specs[name] for name in dict.fromkeys(names)]


def write_figures(
    specs: Iterable[FigureSpec], folder: Path, format_: str, *, force: bool = False
) -> Iterator[Path]:
    """Draw figures into files one after the other; yield each path.

    Empty figures get no file. Files that are no earlier figures are replaced by `force` only.
    """
    folder.mkdir(parents=True, exist_ok=True)
    taken: set[str] = set()
    for spec in specs:
        for place in spec.places:
            figure = spec.figure(*place)
            if not len(figure.data):
                continue
            content = rendered(figure, format_)
            path = folder / f"{_distinct('-'.join([spec.name, *place]), taken)}.{format_}"
            check_no_link(path)
            check_replaceable(path, "no figure of ilk", _is_figure, force=force)
            replace_file(path, content)
            yield path


def _is_figure(ends: bytes) -> bool:
    return _MARK.encode() in ends


def _distinct(name: str, taken: set[str]) -> str:
    """Return a unique name that is valid for a file on every system."""
    plain = re.sub(r"[^\w.-]+", "_", name).strip("._")[:100] or "figure"
    number, free = 1, plain
    while free.lower() in taken:  # some file systems ignore case
        number += 1
        free = f"{plain}_{number}"
    taken.add(free.lower())
    return free
