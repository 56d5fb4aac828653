"""Figures of confusion matrices."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

import ilk
from ilk_evaluation.curves.drawing import draw_confusion
from ilk_evaluation.figures.offer import Offer
from ilk_evaluation.figures.picture import Picture

if TYPE_CHECKING:
    from ilk_evaluation.figures.material import Material
    from ilk_evaluation.figures.predicted import Predicted


def offers(material: Material) -> Iterator[Offer]:
    """Offer the matrix of each pipeline on each data set."""
    tried = material.table
    tried = tried[tried["n_failed"] + tried["n_missing"] == 0]
    there = list(dict.fromkeys(map(str, tried["dataset"])))
    yield Offer(
        "confusion",
        "Confusion matrix of a pipeline on a data set",
        lambda dataset, pipeline: picture(material, dataset, pipeline),
        datasets=there,
        pipelines=material.shown,
        absent={pair for pair in product(there, material.shown) if not material.answered(*pair)},
        lacking="" if there else "no pipeline has finished a data set yet",
    )


def picture(material: Material, dataset: str, pipeline: str) -> Picture:
    """Return the matrix of a pipeline on a data set."""
    found = material.predicted(dataset, pipeline)
    if found is None:
        raise ilk.IlkError(f"there is no prediction of {pipeline} on {dataset}")
    return Picture(
        "confusion",
        f"{pipeline} on {dataset}",
        text(found, dataset, pipeline),
        frame(found),
        lambda ax: draw_confusion(found.confusion, found.classes.tolist(), ax),
        _size(len(found.classes)),
        dataset,
        pipeline,
    )


def _size(n: int) -> tuple[float, float]:
    side = min(max(0.45 * n, 1.6), 14.0)
    return side, side


def text(found: Predicted, dataset: str, pipeline: str) -> str:
    """Say how many cases were right, and which confusion is the most frequent."""
    matrix = found.confusion
    right, total = int(np.trace(matrix)), int(matrix.sum())
    said = f"Confusion matrix of {pipeline} on {dataset}: {right} of {total} cases are right"
    wrong = matrix - np.diag(np.diag(matrix))
    if wrong.any():
        row, column = np.unravel_index(int(np.argmax(wrong)), wrong.shape)
        most = f"{found.classes[row]} is taken for {found.classes[column]}"
        said += f"; most often {most} ({int(wrong[row, column])} cases)"
    said += f". {found.n_rejected} cases were rejected." if found.n_rejected else "."
    return said + (f" Splits that failed or are missing: {found.n_lost}." if found.n_lost else "")


def frame(found: Predicted) -> pd.DataFrame:
    """Counts by true class (rows) and predicted class."""
    names = [str(name) for name in found.classes.tolist()]
    return pd.DataFrame(found.confusion, columns=names).assign(true=names)[["true", *names]]
