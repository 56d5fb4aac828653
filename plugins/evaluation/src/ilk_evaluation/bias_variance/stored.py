"""Decompositions of the predictions that an experiment has stored."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

import ilk
from ilk import InputError
from ilk_evaluation.bias_variance.shares import Shares
from ilk_evaluation.bias_variance.zero_one import domingos_of, kohavi_wolpert_of

if TYPE_CHECKING:
    from ilk_evaluation.bias_variance.decomposition import Decomposition


def of_results(
    results: Any,
    *,
    dataset: str | None = None,
    pipeline: str | None = None,
    method: Literal["kohavi_wolpert", "domingos"] = "kohavi_wolpert",
    unbiased: bool = True,
) -> Decomposition:
    """Decompose the zero-one loss of a pipeline from the predictions that were stored.

    A case that is a test case in several splits, as in repeated cross-validation, has a prediction
    from each of their training sets. Nothing is fitted.

    Parameters
    ----------
    results : Results
        Of a resampling that tests cases repeatedly: repeated_kfold, five_by_two,
        random_subsampling, bootstrap.
    dataset, pipeline : str, optional
        Labels; needed where there are several.
    method : {"kohavi_wolpert", "domingos"}
    unbiased : bool, default=True
        As of `kohavi_wolpert`.

    Returns
    -------
    Decomposition
        Of the cases that are test cases at all; see its `cases` and `n_predictions`.

    Raises
    ------
    InputError
        If cells failed, were not run, or were answered by the fallback; if answers were rejected;
        if a case was predicted only once, or by what it trained; or if it is left open which data
        set or pipeline is meant.

    Notes
    -----
    The training sets of cross-validation overlap by more than half of their cases for three folds
    and more, and the variance comes out smaller than with `of_pipeline` for sets of that size.

    References
    ----------
    Kohavi & Wolpert (1996); Webb (2000), MultiBoosting, on repeated cross-validation.

    Examples
    --------
    >>> from ilk_evaluation import bias_variance, run_experiment
    >>> results = run_experiment({
    ...     "datasets": ["iris"],
    ...     "pipelines": [{"id": "tree", "steps": [{"classifier": "decision_tree"}]}],
    ...     "evaluation": {"resampling": {"use": "repeated_kfold", "folds": 2, "repeats": 10}},
    ... })
    >>> found = bias_variance.of_results(results)
    >>> terms = found.mean
    >>> len(found.loss), abs(terms.bias + terms.variance - terms.loss) < 1e-12
    (150, True)
    """
    if method not in ("kohavi_wolpert", "domingos"):
        raise ilk.ParameterError(
            f"of_results: method must be kohavi_wolpert or domingos, got {method!r}",
            argument="method",
        )
    part = results.filter(
        dataset=_only("dataset", results.design.datasets, dataset),
        pipeline=_only("pipeline", results.design.pipelines, pipeline),
    )
    for number, what in (
        (part.n_failed, "failed"),
        (part.n_missing, "were not run"),
        (part.n_fallback, "were answered by the fallback"),
    ):
        if number:
            raise InputError(f"of_results: {number} cells {what}")
    if ilk.display_name(part.design.resampling) == "bootstrap_632" and any(
        cell.repeat == 0 for cell in part.design.cells
    ):
        raise InputError(
            "of_results: repeat 0 of bootstrap_632 tests the cases it trains with; filter it out"
        )
    shares = _counted(prediction for _, prediction in part.predictions())
    if method == "domingos":
        return domingos_of(shares)
    return kohavi_wolpert_of(shares, unbiased=unbiased)


def _only(what: str, known: Any, wanted: str | None) -> str:
    labels = [one.label for one in known]
    if wanted is None and len(labels) > 1:
        raise InputError(f"of_results: {what} must be one of {', '.join(labels)}")
    return labels[0] if wanted is None else wanted


def _counted(predictions: Iterable[ilk.Prediction]) -> Shares:
    """Count the labels predicted for each case."""
    found = list(predictions)
    classes = found[0].classes
    n = 1 + max(int(np.max(one.indices)) for one in found)
    counts, truth = np.zeros((n, len(classes))), np.zeros(n, dtype=int)
    for one in found:
        rejected = int(np.count_nonzero(~one.answered))
        if rejected:
            raise InputError(f"of_results: the pipeline declined to answer {rejected} cases")
        np.add.at(counts, (one.indices, np.searchsorted(classes, one.labels)), 1)
        truth[one.indices] = np.searchsorted(classes, one.truth)
    totals = counts.sum(axis=1).astype(int)
    cases = np.flatnonzero(totals)
    once = int(np.count_nonzero(totals == 1))
    if once:
        raise InputError(
            f"of_results: {once} cases were predicted only once; the resampling must repeat itself"
        )
    totals = totals[cases]
    return Shares(
        counts[cases] / totals[:, None], np.eye(len(classes))[truth[cases]], totals, cases
    )
