"""Learning curves: the score of a pipeline over the number of training cases."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

import ilk
from ilk_evaluation.curves.curve import band_text, check_band, half_width
from ilk_evaluation.named_models import as_component, as_data, as_model
from ilk_evaluation.results.scoring import pool
from ilk_evaluation.run.cell import REJECTED, Outcome, evaluate

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


@dataclass(frozen=True)
class LearningCurve:
    """Scores of a pipeline that learned from more and more cases.

    Attributes
    ----------
    sizes : ndarray of int, shape (s,)
        Training cases.
    scores : ndarray of shape (s, k)
        By size and split (by repeat, where the measure is pooled); NaN where there is none, for
        a reason that the notes say.
    mean, lower, upper : ndarray of shape (s,)
        Of the scores there are.
    n : ndarray of int, shape (s,)
        How many scores a mean is of.
    spread : str
        What the bounds are, in words.
    measure : str
    greater_is_better : bool
    notes : tuple of str
        What failed or could not be scored, and what else must be said.
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
    resampling: Any = "kfold",
    measure: Any = "error",
    random_state: int = 0,
    *,
    spread: Literal["sd", "t"] = "sd",
    confidence: float = 0.95,
) -> LearningCurve:
    """Score a pipeline on the same test cases after training on more and more cases.

    In each split the training cases are put in an order by chance in which every beginning has
    the classes in nearly the proportions of the whole; the first so many train. So a larger
    training set has the smaller one in it.

    Parameters
    ----------
    pipeline : ilk.Pipeline, classifier, name or spec
        Left as it is; a name is that of a classifier.
    data : ilk.Data, dataset, name of one, or pair of X and y
    sizes : sequence of int, or of float
        Numbers of training cases, or shares of the smallest training set of the splits, above 0
        and up to 1.
    resampling : Resampling, name or spec, default="kfold"
    measure : Measure, name or spec, default="error"
    random_state : int, default=0
        For the splits, the order and whatever else is random.
    spread : {"sd", "t"}, default="sd"
        The band: one standard deviation of the scores to either side, or Student's interval of
        their mean, which is too narrow where splits share training cases.
    confidence : float, default=0.95
        Of Student's interval.

    Returns
    -------
    LearningCurve
        A split that failed at a size has no score there: `n` counts those there are, `notes`
        say what happened.

    Raises
    ------
    InputError
        If a size is larger than the smallest training set, or smaller than 1; if the resampling
        tests cases that it trains with, as resubstitution does and bootstrap_632 in part; if data
        are none, or y is not as long as X; for another spread or confidence; or as the resampling
        does.

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
    own = as_data(data, "learning")
    scheme = as_component(resampling, "resampling")
    scorer = as_component(measure, "measure")
    splits = list(scheme.splits(own.X, own.y, own.groups, random_state))
    _check_apart(scheme, splits)
    numbers = _numbers(sizes, min(len(split.train) for split in splits))
    notes: list[str] = []
    rows = [_scores(model, own, splits, size, scorer, random_state, notes) for size in numbers]
    scores = np.array(rows)
    return _curve(numbers, scores, scorer, notes, spread, confidence)


def _check_apart(scheme: ilk.Resampling, splits: Sequence[ilk.Split]) -> None:
    """Raise InputError where a curve would show how well cases are remembered."""
    for split in splits:
        if np.isin(split.test, split.train).any():
            raise ilk.InputError(
                f"learning: {ilk.display_name(scheme)} tests cases that it trains with; take "
                f"another resampling"
            )


def _numbers(sizes: Sequence[Any], most: int) -> list[int]:
    if not len(sizes):
        raise ilk.InputError("learning: sizes is empty, at least one is needed")
    return [_number(size, most) for size in sizes]


def _number(size: Any, most: int) -> int:
    """How many training cases a number or a share of the most means."""
    whole = isinstance(size, Integral)
    number = isinstance(size, Real) and not isinstance(size, bool)
    if number and (1 <= size <= most if whole else 0 < size <= 1):
        return int(size) if whole else max(round(float(size) * most), 1)
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
    """Score the splits, or the repeats where the measure is pooled, at one size."""
    found = _predictions(model, data, splits, size, seed, notes)
    if not measure.pooled:
        return [_score(measure, prediction, size, notes) for _, prediction in found]
    scores = []
    for _, group in groupby(found, key=lambda pair: pair[0]):
        together = [prediction for _, prediction in group]
        whole = [one for one in together if one is not None]
        complete = pool(whole) if len(whole) == len(together) else None
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
    """Yield the repeat and what the pipeline said, None where it failed."""
    for number, split in enumerate(splits):
        rng = np.random.default_rng([seed, number])
        order = _nested_order(data.y[split.train], rng)
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


def _nested_order(y: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Order by chance in which every beginning has the classes about as the whole has."""
    chance = rng.permutation(len(y))
    _, codes = np.unique(y[chance], return_inverse=True)
    by_class = np.argsort(codes, kind="stable")
    counts = np.bincount(codes)
    starts = np.repeat(np.cumsum(counts) - counts, counts)
    share = np.empty(len(y))
    share[by_class] = (np.arange(len(y)) - starts + rng.random(len(y))) / np.repeat(counts, counts)
    return np.asarray(chance[np.argsort(share, kind="stable")])


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
