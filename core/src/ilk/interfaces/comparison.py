"""Comparison: tests whether differences between pipelines are significant."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np

from ilk.component import Component

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import pandas as pd
    from matplotlib.axes import Axes

    from ilk.interfaces.prediction import Prediction


@dataclass(frozen=True)
class Scores:
    """Scores of pipelines on datasets, the input of a comparison.

    Attributes
    ----------
    table : DataFrame
        One row per finished cell, with columns dataset, pipeline, repeat, fold, value.
    measure : str
    greater_is_better : bool
    resampling : str
        Name of the resampling scheme.
    pipelines, datasets : tuple of str
        In the order of the spec.
    means : DataFrame or None
        Datasets by pipelines, estimates of the resampling; NaN if cells failed.
    predictions : function or None
        For tests over cases: takes the names of a dataset and a pipeline, and yields repeat,
        fold and `Prediction` of each finished cell.
    sizes : DataFrame or None
        One row per planned split, with columns dataset, repeat, fold, n_train, n_test; NaN if it
        was not run.
    """

    table: pd.DataFrame
    measure: str
    greater_is_better: bool
    resampling: str = ""
    pipelines: tuple[str, ...] = ()
    datasets: tuple[str, ...] = ()
    means: Any = None
    predictions: Callable[[str, str], Iterator[tuple[int, int, Prediction]]] | None = None
    sizes: Any = None

    def matrix(self) -> pd.DataFrame:
        """Datasets by pipelines: the estimate of each, NaN if there is none.

        Without `means` it is the mean over the cells: NaN if one of them is NaN, or another
        pipeline has more cells.
        """
        if self.means is not None:
            return cast("pd.DataFrame", self.means)
        cells = self.table.groupby(["dataset", "pipeline"], sort=False)["value"]
        counts = cells.size().unstack("pipeline")
        wide = cells.agg(lambda values: float(np.mean(values.to_numpy(float)))).unstack("pipeline")
        wide = wide.where(counts.eq(counts.max(axis=1), axis=0))
        rows = list(self.datasets) or list(dict.fromkeys(self.table["dataset"]))
        columns = list(self.pipelines) or list(dict.fromkeys(self.table["pipeline"]))
        return wide.reindex(index=rows, columns=columns)


@dataclass(frozen=True)
class Verdict:
    """The result of a comparison.

    Attributes
    ----------
    comparison, measure : str
    statistic : float
    p_value : float
        Or a posterior probability; see `text`.
    text : str
        The verdict in one or two sentences.
    ranks : mapping of pipeline to float
        Average ranks, 1 is best.
    pairs : tuple of mappings
        One per pair: ``a``, ``b``, ``effect`` (how much more `a` has than `b`, of the score or
        the rank), ``p_value`` (adjusted where many pairs are tested), ``different``; optionally
        ``better``, the name of the better one or None; on each dataset, if pairs are tested
        there, then with ``dataset``.
    details : mapping
        Further results (critical difference, degrees of freedom).
    """

    comparison: str
    measure: str
    statistic: float
    p_value: float
    text: str
    ranks: Mapping[str, float] = field(default_factory=dict)
    pairs: Sequence[Mapping[str, Any]] = ()
    details: Mapping[str, Any] = field(default_factory=dict)


class Comparison(Component):
    """Tests whether differences between pipelines are significant."""

    kind: ClassVar[str] = "comparison"
    predictors: ClassVar[tuple[str, ...]] = ("classifier", "regressor", "detector", "clusterer")
    """Kinds of the predictors whose results it compares."""

    @abstractmethod
    def compare(self, results: Scores) -> Verdict:
        """Return statistic, p-values or probabilities, ranks, effect sizes.

        Raises
        ------
        InputError
            If the test does not apply to the results (too few datasets, another resampling),
            with the reason.
        """

    def misfit(self, resampling: Any, pipelines: Sequence[str]) -> str | None:
        """Return the reason why the comparison can never apply to an experiment, or None.

        It is called before the first fit; `compare` makes the final decision by the results.

        Parameters
        ----------
        resampling : Resampling
        pipelines : sequence of str
        """
        return None

    def plot(self, verdict: Verdict, ax: Axes | None = None) -> Any:
        """Draw the verdict; returns the matplotlib axes."""
        raise AttributeError(f"{type(self).__name__} has no plot")


def _twelve_digits(value: float) -> float:
    return float(f"{value:.11e}")


def rank_rows(values: object, *, greater_is_better: bool) -> np.ndarray:
    """Rank the columns of each row, 1 is best, ties share the mean rank.

    Values are ties if their first twelve digits agree: summing the same scores in another order
    changes later digits.
    """
    array = np.vectorize(_twelve_digits, otypes=[float])(np.asarray(values, dtype=float))
    one, other = array[:, :, np.newaxis], array[:, np.newaxis, :]
    better = other > one if greater_is_better else other < one
    ranks = better.sum(axis=2) + ((other == one).sum(axis=2) + 1) / 2
    return np.where(np.isnan(array).any(axis=1, keepdims=True), np.nan, ranks)
