"""Friedman's robustness: ratios of a pipeline's scores to the best on each data set."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Self

import numpy as np

import ilk
from ilk import param
from ilk_evaluation.comparisons.friedman_nemenyi import friedman
from ilk_evaluation.comparisons.paired_scores import complete
from ilk_evaluation.comparisons.verdict_text import left_out, list_some

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd
    from matplotlib.axes import Axes


class Robustness(ilk.Comparison):
    """Friedman's robustness: the distribution of error ratios to the best pipeline.

    The ratio of pipeline m with error e_m on a data set is::

        b_m = e_m / min_i e_i

    It is 1 for the best pipeline and larger for others: the loss from always using m, on data
    sets that favour another pipeline. If larger scores are better, the ratio is
    ``max_i s_i / s_m``. The spread of b_m over the data sets matters: a robust pipeline is seldom
    far above 1. For each pipeline, the verdict gives the five numbers of a box plot (smallest,
    quartiles, largest; quartiles by linear interpolation) and the number of data sets on which
    it is the best.

    If the best error is 0, b_m is 1 for the pipelines without error and infinite for the
    others; `floor` keeps it finite. Data sets on which a pipeline has no score (failed cells) are
    left out and named in the verdict.

    Ratios have the same ranks as errors (which also order infinite ratios). So statistic and
    p-value are those of Friedman's test (Iman-Davenport's F, corrected for ties) of any
    difference between the pipelines. Use friedman_nemenyi to find the pairs that differ.

    Raises
    ------
    InputError
        If a score is negative, if there are fewer than two pipelines, or fewer than two data
        sets on which all pipelines have a score.

    References
    ----------
    Friedman, J. H. (1994). Flexible metric nearest neighbor classification. Technical report,
    Stanford University.

    Zaidi 2011: section 4.3.1; equation 4.16; figures 4.3, 6.2.

    Examples
    --------
    >>> import ilk, pandas as pd
    >>> means = pd.DataFrame({"a": [0.1, 0.2, 0.1], "b": [0.2, 0.3, 0.1], "c": [0.5, 0.1, 0.2]})
    >>> scores = ilk.Scores(pd.DataFrame(), "error", greater_is_better=False, means=means)
    >>> verdict = ilk.comparison("robustness").compare(scores)
    >>> verdict.details["boxes"]["a"]["median"], verdict.details["boxes"]["c"]["largest"]
    (1.0, 5.0)
    """

    floor: float = param(
        default=0.0,
        ge=0,
        lt=math.inf,
        doc="Smaller scores are raised to it, such as one error in the number of cases.",
    )

    @classmethod
    def examples(cls) -> list[Self]:
        """With unchanged errors, and with a floor."""
        return [cls(), cls(floor=0.01)]

    def compare(self, results: ilk.Scores) -> ilk.Verdict:
        self.check_parameters()
        matrix, dropped = complete(self, results)
        ratios = self._ratios(matrix, results)
        ranks = ilk.rank_rows(
            matrix.clip(lower=self.floor), greater_is_better=results.greater_is_better
        )
        test = friedman(ranks, correct_ties=True)
        boxes = {str(name): _box(ratios[name].to_numpy()) for name in ratios}
        endless = tuple(str(name) for name in ratios.index if np.isinf(ratios.loc[name]).any())
        why = "a score is 0" if results.greater_is_better else "the best is 0"
        if np.isinf(matrix.to_numpy(dtype=float)).any():
            why += " or a score is infinite"
        return ilk.Verdict(
            comparison=ilk.display_name(self),
            measure=results.measure,
            statistic=test.f,
            p_value=test.p_value,
            text=_text(boxes, results, len(matrix), endless, why) + left_out(dropped),
            ranks=dict(zip(boxes, map(float, ranks.mean(axis=0)), strict=True)),
            details={
                "boxes": boxes,
                "ratios": {name: ratios[name].to_dict() for name in ratios},
                "n_datasets": test.n,
                "n_pipelines": test.k,
                "degrees_of_freedom": test.degrees,
                "infinite": endless,
                "dropped": dropped,
            },
        )

    def _ratios(self, matrix: pd.DataFrame, results: ilk.Scores) -> pd.DataFrame:
        """Ratios to the best score, data sets by pipelines; 1 is best."""
        scores = matrix.to_numpy(dtype=float)
        if (scores < 0).any():
            row, column = (int(i) for i in np.argwhere(scores < 0)[0])
            raise ilk.InputError(
                f"{ilk.display_name(self)}: {results.measure} must not be negative to make a "
                f"ratio, got {scores[row, column]:g} of {matrix.columns[column]} on "
                f"{matrix.index[row]}"
            )
        scores = np.maximum(scores, self.floor)
        if results.greater_is_better:
            above, below = np.broadcast_to(scores.max(axis=1, keepdims=True), scores.shape), scores
        else:
            above, below = scores, np.broadcast_to(scores.min(axis=1, keepdims=True), scores.shape)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            ratios = np.where(above == below, 1.0, above / below)
        return matrix.__class__(ratios, index=matrix.index, columns=matrix.columns)

    def plot(self, verdict: ilk.Verdict, ax: Axes | None = None) -> Any:
        """Draw a box plot of the ratios of each pipeline; returns the matplotlib axes.

        Raises
        ------
        IlkError
            If matplotlib is not installed.
        """
        from ilk_evaluation.comparisons.verdict_plots import draw_box_plots

        return draw_box_plots(verdict, _by_robustness(verdict.details["boxes"]), ax)


def _by_robustness(boxes: Mapping[str, Mapping[str, float]]) -> list[str]:
    """Pipelines by ascending median ratio, ties by upper quartile."""
    order = ("median", "upper_quartile", "largest")
    return sorted(boxes, key=lambda name: [boxes[name][key] for key in order])


def _box(ratios: np.ndarray) -> dict[str, float]:
    ordered = np.sort(ratios)
    return {
        "smallest": float(ordered[0]),
        "lower_quartile": _quantile(ordered, 0.25),
        "median": _quantile(ordered, 0.5),
        "upper_quartile": _quantile(ordered, 0.75),
        "largest": float(ordered[-1]),
        "n_best": int(np.sum(ratios == 1)),
    }


def _quantile(ordered: np.ndarray, share: float) -> float:
    """Quantile by linear interpolation; infinite if an infinite ratio has a positive weight."""
    place = share * (len(ordered) - 1)
    low, part = int(place), place % 1
    if part == 0 or ordered[low] == ordered[low + 1]:
        return float(ordered[low])
    return float(ordered[low] + part * (ordered[low + 1] - ordered[low]))


def _text(
    boxes: Mapping[str, Mapping[str, float]],
    results: ilk.Scores,
    n: int,
    endless: tuple[str, ...],
    why: str,
) -> str:
    each = (
        f"{name} {boxes[name]['median']:.2f} ({boxes[name]['upper_quartile']:.2f}, "
        f"{boxes[name]['largest']:.2f})"
        for name in _by_robustness(boxes)
    )
    best, own = f"the best {results.measure} of the data set", "a pipeline's"
    more, less = (best, own) if results.greater_is_better else (own, best)
    text = (
        f"How many times {less} {more} is, by the median over {n} data sets (upper quartile, "
        f"largest): {', '.join(each)}."
    )
    if endless:
        text += f" Infinite where {why}: {list_some(endless)}."
    return text
