"""The section of comparisons: verdicts, their figures, and matrices of all differences."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

from ilk_evaluation.figures import score_figures
from ilk_evaluation.figures.figure_data import FigureData, direction
from ilk_evaluation.report.blocks import (
    MOST_DATASETS,
    MOST_PIPELINES,
    Choice,
    Facts,
    Figures,
    Folded,
    Group,
    Heading,
    Matrix,
    MatrixCell,
    Section,
    Text,
    count,
    shortened,
    texts,
)
from ilk_evaluation.report.report_tables import short_value, table_of, words

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import ilk

    Pair = Mapping[str, Any]

_BESIDE = 8
"""Pipelines up to which a matrix has room beside the figure."""
_ROUNDING = 1e-12
"""Differences up to this come from rounding and are shown as 0."""


def comparison_section(figure_data: FigureData, figures: Figures) -> Section:
    """Return the verdict of each comparison, or why it has none."""
    specs = {spec.name: spec for spec in score_figures.comparison_figures(figure_data)}
    found = {label: verdict for label, _, verdict in figure_data.comparisons()}
    parts = []
    for label, comparison in figure_data.results.design.comparisons.items():
        id_ = figures.id_for(f"comparison-{label}")
        inside: list[Any] = [Heading(score_figures.test_name(comparison), id_, label)]
        if label not in found:
            inside.append(Text(score_figures.reason(figure_data, label)))
        else:
            use = score_figures.use_of(comparison)
            name = label.replace(use, score_figures.name_of(comparison), 1)
            verdict = found[label]
            ranked = bool(verdict.ranks)  # the table of pairs is below, in any case
            drawn = [figures.embed(specs[name].figure(), data=ranked)] if name in specs else []
            matrices = _matrices(figure_data, verdict)
            beside = len({pair["a"] for pair in verdict.pairs}) < _BESIDE
            if beside:
                both = Group("beside", [*drawn, *matrices])
            else:
                both = Group("beside many", [*matrices, *drawn])
            inside += [*_told(verdict.text), both, *_behind(label, verdict, figures)]
        parts.append(Group("comparison", inside))
    none = [] if parts else texts("The experiment has no comparison.")
    return Section("comparisons", "Comparisons", [*parts, *none])


def _told(text: str) -> list[Any]:
    """Return a verdict; a very long one is collapsed behind its beginning."""
    begin = shortened(text, 900)
    return [Text(begin), *([Folded("The whole verdict", [Text(text)])] if begin != text else [])]


def _matrices(figure_data: FigureData, verdict: ilk.Verdict) -> list[Group]:
    """Return a matrix of pipelines by pipelines, for each data set if each is tested."""
    if not {pair["b"] for pair in verdict.pairs} & set(figure_data.order):
        return []  # no pairs, or pairs of a pipeline and a number
    panels: list[tuple[Sequence[str], Sequence[Any]]] = []
    for dataset, pairs in groupby(verdict.pairs, key=lambda pair: pair.get("dataset", "")):
        matrix = _matrix(figure_data, verdict, list(pairs), str(dataset))
        panels.append(((str(dataset),), [matrix]))
    cut = panels[:MOST_DATASETS]
    notes = [figure_data.left_out]
    if len(cut) < len(panels):
        notes.append(f"Matrices of {len(cut)} of {len(panels)} data sets; the pairs are below.")
    single = len(panels) == 1
    shown: list[Any] = list(cut[0][1]) if single else [Choice(["Data set"], cut)]
    return [Group("matrices", [*shown, *texts(" ".join(filter(None, notes)), class_="note")])]


def _matrix(
    figure_data: FigureData, verdict: ilk.Verdict, pairs: Sequence[Pair], dataset: str
) -> Matrix:
    """Return the differences of pairs: row minus column, each marked as better or worse."""
    cells = {(pair["a"], pair["b"]): _cell(pair, 1) for pair in pairs}
    cells |= {(pair["b"], pair["a"]): _cell(pair, -1) for pair in pairs}
    tested = {name for both in cells for name in both}
    names = [name for name in figure_data.order if name in tested][:MOST_PIPELINES]
    common = set.intersection(*({pair["a"], pair["b"]} for pair in pairs))
    columns = list(common) if len(common) == 1 else names  # a baseline: all pairs are with it
    none = MatrixCell("")
    at = {name: place for place, name in enumerate(names, start=1)}
    rows = [
        (f"{at[name]}. {name}", [cells.get((name, other), none) for other in columns])
        for name in names
        if name not in columns or len(columns) > 1
    ]
    heads = [MatrixCell(f"{at[name]}.", "", "", name) for name in columns]
    bayesian = "p_a_better" in pairs[0]
    below = "the posterior probability that the row is better" if bayesian else "the p-value"
    where = f" on {dataset}" if dataset else ""
    what = "mean rank" if verdict.comparison == "friedman_nemenyi" else words(verdict.measure)
    aim = "lower is better" if what == "mean rank" else direction(figure_data)
    caption = (
        f"Difference of {what}{where}, row minus column ({aim}): ▲ the row is better, ▼ worse; "
        f"below it {below}. Shaded: different at {verdict.details.get('alpha', 0.05):g}."
    )
    label = f"Differences between pipelines by {verdict.comparison}{where}"
    return Matrix(caption, label, "differences", "pipeline", heads, rows)


def _cell(pair: Pair, sign: int) -> MatrixCell:
    """Return the cell of a pair, seen from its first pipeline or, with sign -1, its second."""
    row = pair["a"] if sign > 0 else pair["b"]
    effect = sign * pair["effect"]
    winner = pair.get("better") if abs(effect) > _ROUNDING else None
    sense = "" if winner is None else "better" if winner == row else "worse"
    mark = {"better": "▲ ", "worse": "▼ "}.get(sense, "")
    text = f"{effect:+.2g}".replace("-", "−") if abs(effect) > _ROUNDING else "0"
    if "p_a_better" in pair:
        small = f"P {pair['p_a_better'] if sign > 0 else pair['p_b_better']:.3f}"
    else:
        small = f"p {pair['p_value']:.3f}" if pair["p_value"] >= 0.001 else "p < 0.001"
    class_ = sense if pair["different"] else ""
    return MatrixCell(f"{mark}{text}", class_, small, f" {sense}" if sense else "")


def _behind(label: str, verdict: ilk.Verdict, figures: Figures) -> Iterator[Folded]:
    import pandas as pd

    if verdict.pairs:
        frame = pd.DataFrame(list(verdict.pairs)).drop(columns="differences", errors="ignore")
        first = [name for name in ("dataset", "a", "b", "better", "different") if name in frame]
        ordered = frame[[*first, *(name for name in frame if name not in first)]]
        pairs = table_of(
            ordered.rename(columns={"p_value": "p-value"}),
            f"Pairs by {label}; effect is how much more a has than b, marked if different",
            figures.id_for(f"pairs-{label}"),
            best=lambda row: bool(row["different"]),
            filter_names={key: key for key in ("dataset",) if key in frame},
        )
        yield Folded(count(len(frame), "pair"), [pairs])
    known = {
        "statistic": verdict.statistic,
        "p-value or probability": verdict.p_value,
        **{
            words(str(name)): value
            for name, value in verdict.details.items()
            if not isinstance(value, dict)
        },
    }
    facts = {name: short_value(value) for name, value in known.items()}
    yield Folded("Statistics", [Facts(facts)])
