"""Learning curves: the score of a pipeline against the number of training cases."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

import ilk
from ilk_evaluation.arguments import as_component, as_data, as_model
from ilk_evaluation.curves.curve import band_text, check_band, half_width
from ilk_evaluation.resamplings.learning_curve import check_apart, nested_order, whole_parts
from ilk_evaluation.results.scoring import pool
from ilk_evaluation.run.cell import REJECTED, Outcome, evaluate

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ilk import MeasureLike, ResamplingLike


@dataclass(frozen=True)
class LearningCurve:
    """Scores of a pipeline for training sets of growing size.

    Attributes
    ----------
    sizes : ndarray of int, shape (s,)
        Training cases.
    scores : ndarray of shape (s, k)
        By size and split (by repeat if the measure is pooled); NaN for a missing score, which the
        notes explain.
    mean, lower, upper : ndarray of shape (s,)
        Mean and bounds of the scores that are not NaN.
    n : ndarray of int, shape (s,)
        Number of scores in each mean.
    spread : str
        Meaning of the bounds, in words.
    measure : str
    greater_is_better : bool
    notes : tuple of str
        Failures, missing scores and remarks of the measure.
    """

    sizes: np.ndarray
    scores: np.ndarray
    mean: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    n: np.ndarray
    spread: str
    measure: str
    greater_is_better: bool
    notes: tuple[str, ...] = ()


def learning(
    pipeline: Any,
    data: Any,
    sizes: Sequence[int] | Sequence[float],
    resampling: ResamplingLike = "kfold",
    measure: MeasureLike = "error",
    random_state: int = 0,
    *,
    spread: Literal["sd", "t"] = "sd",
    confidence: float = 0.95,
) -> LearningCurve:
    """Score a pipeline on the same test cases after training on growing training sets.

    In each split the training cases are put in a random order in which every beginning has nearly
    the class proportions of the whole, and the first cases train. So a larger training set
    contains the smaller ones.

    Parameters
    ----------
    pipeline : ilk.Pipeline, classifier, name or spec
        Not changed; a name means a classifier.
    data : ilk.Data, dataset, name of one, or pair of X and y
    sizes : sequence of int, or of float
        Numbers of training cases, or shares of the smallest training set of the splits, above 0
        and up to 1.
    resampling : Resampling, name or spec, default="kfold"
    measure : Measure, name or spec, default="error"
    random_state : int, default=0
        Seeds the splits, the order and all other randomness.
    spread : {"sd", "t"}, default="sd"
        The band: one standard deviation of the scores to either side, or Student's interval of
        their mean, which is too narrow if splits share training cases.
    confidence : float, default=0.95
        Of Student's interval, between 0 and 1.

    Returns
    -------
    LearningCurve
        A split that failed at a size has no score there: `n` counts the scores, and `notes` explain
        failures.

    Raises
    ------
    InputError
        If a size is larger than the smallest training set, or smaller than 1; if the resampling
        tests training cases, as resubstitution does and bootstrap_632 in part; for invalid data,
        spread or confidence; or if the resampling raises it.

    References
    ----------
    Cortes, Jackel, Solla, Vapnik & Denker (1994), Learning curves.

    Examples
    --------
    >>> import ilk
    >>> from ilk_evaluation import curves
    >>> iris = ilk.dataset("iris").load()
    >>> curve = curves.learning("nearest_mean", iris, [6, 90], "stratified_kfold")
    >>> curve.sizes.tolist(), bool(curve.mean[0] > curve.mean[1])
    ([6, 90], True)
    """
    check_band("learning", spread, confidence)
    step = as_model(pipeline)
    model = step if isinstance(step, ilk.Pipeline) else ilk.Pipeline([step])
    loaded = as_data(data, "learning")
    scheme = whole_parts(as_component(resampling, "resampling"))
    scorer = as_component(measure, "measure")
    splits = list(scheme.splits(loaded.X, loaded.y, loaded.groups, random_state))
    for split in splits:
        check_apart(split, scheme, "learning: ")
    numbers = _training_sizes(sizes, min(len(split.train) for split in splits))
    notes: list[str] = []
    rows = [_scores(model, loaded, splits, size, scorer, random_state, notes) for size in numbers]
    scores = np.array(rows)
    return _curve(numbers, scores, scorer, notes, spread, confidence)


def _training_sizes(sizes: Sequence[Any], most: int) -> list[int]:
    if not len(sizes):
        raise ilk.InputError("learning: sizes is empty, at least one is needed")
    return [_training_size(size, most) for size in sizes]


def _training_size(size: float, most: int) -> int:
    """Number of training cases for a number, or for a share of the largest."""
    is_count = isinstance(size, Integral)
    number = isinstance(size, Real) and not isinstance(size, bool)
    if number and (1 <= size <= most if is_count else 0 < size <= 1):
        return int(size) if is_count else max(round(float(size) * most), 1)
    raise ilk.InputError(
        f"learning: sizes must be from 1 to {most}, the smallest training set, or shares "
        f"of it above 0 and up to 1, got {size!r}"
    )


def _scores(
    model: ilk.Pipeline,
    data: ilk.Data,
    splits: Sequence[ilk.Split],
    size: int,
    measure: ilk.Measure,
    seed: int,
    notes: list[str],
) -> list[float]:
    """Score the splits, or the repeats if the measure is pooled, at one size."""
    predicted = _predictions(model, data, splits, size, seed, notes)
    if not measure.pooled:
        return [_score(measure, prediction, size, notes) for _, prediction in predicted]
    scores = []
    for _, group in groupby(predicted, key=lambda pair: pair[0]):
        together = [prediction for _, prediction in group]
        finished = [one for one in together if one is not None]
        complete = pool(finished) if len(finished) == len(together) else None
        scores.append(_score(measure, complete, size, notes))
    return scores


def _predictions(
    model: ilk.Pipeline,
    data: ilk.Data,
    splits: Sequence[ilk.Split],
    size: int,
    seed: int,
    notes: list[str],
) -> Iterator[tuple[int, ilk.Prediction | None]]:
    """Yield the repeat and the prediction of each split, None if the pipeline failed."""
    for number, split in enumerate(splits):
        rng = np.random.default_rng([seed, number])
        order = nested_order(data.y[split.train], rng)
        part = ilk.Split(np.sort(split.train[order[:size]]), split.test)
        outcome = evaluate(model, data, part, int(rng.integers(2**31)))
        if outcome.error is not None:
            notes.append(
                f"with {size} training cases, repeat {split.repeat} fold {split.fold} failed: "
                f"{outcome.error}"
            )
        yield split.repeat, _prediction(outcome, data, part)


def _prediction(outcome: Outcome, data: ilk.Data, split: ilk.Split) -> ilk.Prediction | None:
    if outcome.codes is None:
        return None
    return ilk.Prediction(
        data.y[split.test],
        data.classes[np.maximum(outcome.codes, 0)],
        data.classes,
        outcome.probabilities,
        outcome.scores,
        outcome.codes == REJECTED,
        split.test,
        outcome.fit_seconds,
        outcome.predict_seconds,
        outcome.reduction,
    )


def _score(
    measure: ilk.Measure, prediction: ilk.Prediction | None, size: int, notes: list[str]
) -> float:
    if prediction is None:
        return float("nan")
    try:
        value = float(measure(prediction))
        notes.extend(
            f"with {size} training cases: {remark}" for remark in measure.remarks(prediction)
        )
    except ilk.IlkError as error:
        notes.append(f"with {size} training cases: {error}")
        return float("nan")
    return value


def _curve(
    sizes: list[int],
    scores: np.ndarray,
    measure: ilk.Measure,
    notes: list[str],
    spread: str,
    confidence: float,
) -> LearningCurve:
    there = [row[~np.isnan(row)] for row in scores]
    mean = np.array([row.mean() if len(row) else np.nan for row in there])
    half = np.array([float(half_width(row[:, None], spread, confidence)[0]) for row in there])
    return LearningCurve(
        np.array(sizes),
        scores,
        mean,
        mean - half,
        mean + half,
        np.array([len(row) for row in there]),
        band_text(spread, confidence),
        ilk.display_name(measure),
        measure.greater_is_better,
        tuple(dict.fromkeys(notes)),
    )
