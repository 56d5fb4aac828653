"""Tables as CSV, Parquet, Markdown and LaTeX; the same results give the same bytes."""

from __future__ import annotations

import io
import re
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import pandas as pd

import ilk
from ilk_evaluation.results.presented import Tex

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ilk_evaluation.results.experiment_results import Results

_TEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
}
_MARKDOWN = re.compile(r"[\\`*\[\]<>|~]|&(?=#?\w+;)|(?<![^\W_])_|_(?![^\W_])")
"""Characters that Markdown needs escaped; an underscore within a word is literal."""
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""First characters by which a spreadsheet takes a text for a formula."""


def frame_of(results: Results, what: str, *, timings: bool = True) -> pd.DataFrame:
    """Return a table of results for export.

    Parameters
    ----------
    results : Results
    what : str
        A table of `Results.to_pandas`, or ``"pivot"``: data sets by pipelines.
    timings : bool
        Whether to keep measured times, which differ from run to run.
    """
    if what == "pivot":
        return results.pivot().reset_index()
    frame = results.to_pandas(what)  # type: ignore[arg-type]  # checked there
    return frame if timings else _without_timings(results, frame)


def _without_timings(results: Results, frame: pd.DataFrame) -> pd.DataFrame:
    """Drop the columns and rows of measured times."""
    clocked = [name for name, m in results.design.measures.items() if m.needs == "seconds"]
    columns = {"fit_seconds", "predict_seconds", *clocked, *(f"{m}_spread" for m in clocked)}
    if results.measure in clocked:
        columns.add("rank")
    if "measure" in frame:
        frame = frame[~frame["measure"].isin(clocked)]
    return frame.drop(columns=[name for name in frame if name in columns])


def write(frame: pd.DataFrame, format_: str) -> bytes:
    """Write a table in one of the formats of `FORMATS`.

    Raises
    ------
    InputError
        If there is no such format, or the library that writes it is not installed.
    """
    if format_ not in FORMATS:
        hint = ilk.did_you_mean(format_, FORMATS)
        known = ", ".join(FORMATS)
        raise ilk.InputError(f"there is no format {format_!r}{hint} (there are: {known})")
    return FORMATS[format_](frame)


def _csv(frame: pd.DataFrame) -> bytes:
    texts = [str(name) for name in frame if not pd.api.types.is_numeric_dtype(frame[name])]
    cells = {name: pd.Series(map(_guarded, frame[name]), frame.index, object) for name in texts}
    guarded = frame.assign(**cells)
    guarded.columns = [_guarded(name) for name in frame]  # may be labels
    return guarded.to_csv(index=False, lineterminator="\n").encode()


def _guarded(value: object) -> Any:
    """Put an apostrophe before a text that a spreadsheet would evaluate, unless it is a number."""
    if not isinstance(value, str) or not value.startswith(_FORMULA):
        return value
    try:
        float(value)
    except ValueError:
        return f"'{value}"
    return value


def _parquet(frame: pd.DataFrame) -> bytes:
    if find_spec("pyarrow") is None:
        raise ilk.InputError(
            "Parquet is written by pyarrow, which is not installed (pip install pyarrow)"
        )
    buffer = io.BytesIO()
    _plain(frame).to_parquet(buffer, engine="pyarrow", index=False)
    return buffer.getvalue()


def _plain(frame: pd.DataFrame) -> pd.DataFrame:
    """Write labels of mixed types as text: a Parquet column has one type."""
    mixed = [
        name
        for name in frame.columns
        if frame[name].dtype == object and len(set(map(type, frame[name].dropna()))) > 1
    ]
    texts = {name: frame[name].map(str, na_action="ignore") for name in mixed}
    return frame.assign(**texts)


def _markdown(frame: pd.DataFrame) -> bytes:
    figures = _figures(frame)
    heads = [_MARKDOWN.sub(r"\\\g<0>", str(name)) for name in frame]
    rules = ["---:" if name in figures else "---" for name in frame]
    rows = [[_MARKDOWN.sub(r"\\\g<0>", cell) for cell in row] for row in _texts(frame)]
    lines = (f"| {' | '.join(row)} |" for row in (heads, rules, *rows))
    return ("\n".join(lines) + "\n").encode()


def _latex(frame: pd.DataFrame) -> bytes:
    figures = _figures(frame) | {name for name in frame if _is_tex(frame[name])}
    columns = "".join("r" if name in figures else "l" for name in frame)
    heads = [_escape(str(name), _TEX) for name in frame]
    rows = [
        [cell if isinstance(cell, Tex) else _escape(cell, _TEX) for cell in row]
        for row in _texts(frame)
    ]
    lines = [
        "% needs \\usepackage{booktabs}",
        f"\\begin{{tabular}}{{{columns}}}",
        "\\toprule",
        _tex_row(heads),
        "\\midrule",
        *map(_tex_row, rows),
        "\\bottomrule",
        "\\end{tabular}",
    ]
    return ("\n".join(lines) + "\n").encode()


def _is_tex(cells: pd.Series) -> bool:
    return len(cells) > 0 and all(isinstance(cell, Tex) for cell in cells)


def _tex_row(cells: Iterable[str]) -> str:
    """Write a row; LaTeX would take a leading bracket or star as an argument of the line before."""
    return f"{' & '.join('{}' * cell.startswith(('[', '*')) + cell for cell in cells)} \\\\"


def _figures(frame: pd.DataFrame) -> set[Any]:
    return {name for name in frame if pd.api.types.is_numeric_dtype(frame[name])}


def _texts(frame: pd.DataFrame) -> list[list[str]]:
    """Format every value: four decimals, a dash for a missing one."""
    return [[_text(value) for value in row] for row in frame.itertuples(index=False, name=None)]


def _text(value: object) -> str:
    if isinstance(value, Tex):
        return value
    if value is None or value != value:  # noqa: PLR0124  # NaN
        return "-"
    return f"{value:.4f}" if isinstance(value, float) else " ".join(str(value).split())


def _escape(text: str, signs: dict[str, str]) -> str:
    return "".join(signs.get(sign, sign) for sign in text)


FORMATS: dict[str, Callable[[pd.DataFrame], bytes]] = {
    "csv": _csv,
    "parquet": _parquet,
    "markdown": _markdown,
    "latex": _latex,
}
