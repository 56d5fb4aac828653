"""Tables as CSV, Parquet, Markdown and LaTeX; the same results give the same bytes.

Tables for papers have mean and spread in a cell, the best in bold, and rounded ranks.
"""

from __future__ import annotations

import io
import re
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

import ilk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    import pandas as pd

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
        A table of `Results.to_pandas`, ``"pivot"`` (data sets by pipelines) or ``"learning"``.
    timings : bool
        Whether to keep measured times, which differ from run to run.
    """
    if what == "pivot":
        return results.pivot().reset_index()
    if what == "learning":
        return results.learning_curves()
    frame = results.to_pandas(what)  # type: ignore[arg-type]  # checked there
    return frame if timings else _without_timings(results, frame)


def _without_timings(results: Results, frame: pd.DataFrame) -> pd.DataFrame:
    """Drop the columns and rows of measured times."""
    clocked = [name for name, m in results.design.measures.items() if m.needs == "seconds"]
    columns = {
        "fit_seconds",
        "predict_seconds",
        "saved_seconds",
        *clocked,
        *(f"{m}_spread" for m in clocked),
    }
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
    import pandas as pd

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
    _with_mixed_as_text(frame).to_parquet(buffer, engine="pyarrow", index=False)
    return buffer.getvalue()


def _with_mixed_as_text(frame: pd.DataFrame) -> pd.DataFrame:
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


_BOOKTABS = "% needs \\usepackage{booktabs}"


def _latex(frame: pd.DataFrame) -> bytes:
    figures = _figures(frame) | {name for name in frame if _is_tex(frame[name])}
    columns = "".join("r" if name in figures else "l" for name in frame)
    heads = [_escape(str(name), _TEX) for name in frame]
    rows = [
        [cell if isinstance(cell, Tex) else _escape(cell, _TEX) for cell in row]
        for row in _texts(frame)
    ]
    lines = [
        _BOOKTABS,
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
    import pandas as pd

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


_BEGINNINGS = tuple(
    f"{begin}{name}".encode() for begin in ("", "| ") for name in ("dataset", "pipeline")
)


def is_export(ends: bytes) -> bool:
    """Tell by its ends whether a file may be a table that `write` made, in any format."""
    if ends.startswith(b"PAR1"):
        return b'"dataset"' in ends or b'"pipeline"' in ends
    return ends.startswith((*_BEGINNINGS, _BOOKTABS.encode()))


class Tex(str):
    """Text that is LaTeX, not escaped again."""

    __slots__ = ()


def for_paper(results: Results, what: str, frame: pd.DataFrame) -> pd.DataFrame:
    """Return a table of `Results.to_pandas`, or ``"pivot"``, with cells in LaTeX.

    The best of each data set (of all pipelines, in the summary) is bold. Spreads are standard
    deviations over the splits, in the summary over the data sets. Other tables are unchanged.
    """
    import pandas as pd

    if what == "pivot":
        return _pivot(results, frame)
    if what not in {"table", "summary"}:
        return frame
    groups = frame["dataset"] if what == "table" else pd.Series(0, frame.index)
    spreads = frame if what == "table" else summary_spreads(results)
    cells: dict[str, Any] = {}
    for name, measure in results.design.measures.items():
        if name in frame:
            around = spreads.get(f"{name}_spread", pd.Series(np.nan, frame.index))
            by_group = frame[name].groupby(groups)
            best = by_group.transform("max" if measure.greater_is_better else "min")
            cells[name] = _cells(frame[name], around, frame[name] == best, 4)
    if "rank" in frame:
        best = frame["rank"].groupby(groups).transform("min")
        nothing = pd.Series(np.nan, frame.index)
        digits = 1 if what == "table" else 2
        cells["rank"] = _cells(frame["rank"], nothing, frame["rank"] == best, digits)
    return frame.assign(**cells).drop(columns=[f"{name}_spread" for name in cells], errors="ignore")


def summary_spreads(results: Results) -> pd.DataFrame:
    """Return the spread of each measure for each row of the summary.

    It is the standard deviation over the data sets, over the splits if there is one data set; NaN
    where the mean is not finite.
    """
    summary, table = results.summary(), results.table()
    names = list(results.design.measures)
    around = [f"{name}_spread" for name in names]
    by_pipeline = table.set_index("pipeline")
    if len(results.design.datasets) == 1:
        spreads = by_pipeline.reindex(columns=around)
    else:
        finite = by_pipeline[names].replace([np.inf, -np.inf], np.nan)
        spreads = finite.groupby("pipeline").std().set_axis(around, axis=1)
    spreads = spreads.reindex(summary["pipeline"]).reset_index(drop=True)
    return spreads.where(np.isfinite(summary[names].to_numpy(float)))


def _pivot(results: Results, frame: pd.DataFrame) -> pd.DataFrame:
    """Data sets by pipelines, the best of each row in bold."""
    values = results.pivot().reset_index(drop=True)
    spreads = results.pivot(spread=True).reset_index(drop=True)
    up = results.design.measures[results.measure].greater_is_better
    best = values.max(axis=1) if up else values.min(axis=1)
    cells: dict[str, Any] = {
        str(name): _cells(values[name], spreads[name], values[name] == best, 4) for name in values
    }
    return frame.assign(**cells)


def _cells(values: pd.Series, spreads: pd.Series, best: pd.Series, digits: int) -> pd.Series:
    import pandas as pd

    rows = zip(values, spreads, best, strict=True)
    return pd.Series([_cell(*row, digits) for row in rows], values.index, dtype=object)


def _cell(value: float, spread: float, best: bool, digits: int) -> Tex:
    import pandas as pd

    if pd.isna(value):
        return Tex("-")
    text = f"{value:.{digits}f}"
    if np.isinf(value):
        text = r"$\infty$" if value > 0 else r"$-\infty$"
    text = rf"\textbf{{{text}}}" if best else text
    return Tex(text if pd.isna(spread) else rf"{text} $\pm$ {spread:.{digits}f}")
