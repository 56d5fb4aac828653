"""Figure of calibration: whether what has probability p happens in a share p of the cases."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from ilk.drawing import written as as_is
from ilk_evaluation.figures.offer import Offer
from ilk_evaluation.figures.picture import Picture
from ilk_evaluation.figures.ranked import MOST_LINES, legend_below, some_of
from ilk_evaluation.figures.style import line_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ilk_evaluation.curves import Calibration
    from ilk_evaluation.figures.material import Material


def offers(material: Material) -> Iterator[Offer]:
    """Offer the figure of each data set; one whose pipelines give no probabilities is empty."""
    datasets = [
        dataset
        for dataset in material.datasets
        if any(material.answered(dataset, pipeline) for pipeline in material.shown)
    ]
    yield Offer(
        "calibration",
        "How often comes true on a data set what the pipelines give a probability",
        lambda dataset: picture(material, dataset),
        datasets=datasets,
        lacking="" if datasets else "there are no predictions yet",
    )


def picture(material: Material, dataset: str) -> Picture:
    """Return the figure of a data set."""
    found = _found(material, dataset)
    event = next((one.name for one in found.values()), "")
    errors = some_of([f"{p} {one.expected_error:.3f}" for p, one in found.items()])
    notes = [f"The {MOST_LINES} with the smallest are drawn." if len(found) > MOST_LINES else ""]
    notes.append(material.partly(dataset))
    return Picture(
        "calibration",
        f"Calibration on {dataset}",
        f"Share that came true against the probability of {event} on {dataset}, in ten bins over "
        f"the splits of one repeat. Expected error: {errors or 'no pipeline gives probabilities'}.",
        _numbers(found),
        lambda ax: paint(ax, found, material.order),
        (2.9, 2.6),
        dataset,
        note=" ".join(filter(None, notes)),
    )


def _found(material: Material, dataset: str) -> dict[str, Calibration]:
    """Calibrations of the pipelines that give probabilities, the best first."""
    found = {}
    for pipeline in material.shown:
        one = material.predicted(dataset, pipeline)
        if one is not None and one.calibration is not None:
            found[pipeline] = one.calibration
    return dict(sorted(found.items(), key=lambda item: item[1].expected_error))


def _numbers(found: dict[str, Calibration]) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {
                "pipeline": pipeline,
                "expected error": one.expected_error,
                "probability": probability,
                "share that came true": share,
                "cases": int(count),
            }
            for pipeline, one in found.items()
            for probability, share, count in zip(
                one.probability, one.frequency, one.counts, strict=True
            )
            if count
        ]
    )


def paint(ax: Axes, found: dict[str, Calibration], order: Sequence[str]) -> None:
    """Draw a line for each pipeline beside the diagonal of the well calibrated."""
    ax.plot([0, 1], [0, 1], color="0.8", linewidth=0.8, zorder=0)
    for pipeline, one in list(found.items())[:MOST_LINES]:
        used = one.counts > 0
        look: Any = {"marker": "o", "markersize": 3, **line_of(order.index(pipeline))}
        label = f"{as_is(pipeline)} {one.expected_error:.3f}"
        ax.plot(one.probability[used], one.frequency[used], label=label, **look)
    event = next((one.name for one in found.values()), "")
    ax.set_xlim(-0.01, 1.01)
    ax.set_ylim(-0.01, 1.01)
    ax.grid(axis="both")
    ax.set_xlabel(as_is(f"probability of {event}"))
    ax.set_ylabel("share that came true")
    if found:
        legend_below(ax, *ax.get_legend_handles_labels())
