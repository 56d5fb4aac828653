"""Score candidates on inner splits and select the best."""

from __future__ import annotations

import copy
import json
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from ilk import (
    Carried,
    Component,
    ConstantClassifier,
    IlkError,
    InputError,
    Outputs,
    Pipeline,
    Prediction,
    Split,
    display_name,
    fit_component,
    kind_and_component,
    n_rows,
    take,
    to_spec,
)
from ilk_learners.classifiers.grid_search.grid import Values, described
from ilk_learners.svm.gram import fits, gram_key, shared_gram

if TYPE_CHECKING:
    from ilk import Cases, Estimator, FittedClassifier


@dataclass(frozen=True)
class Choice:
    """Result of a grid search.

    Attributes
    ----------
    best : int
    table : dict of str to list or ndarray
        Columns by name.
    n_failed : int
    model : classifier or None
        The best candidate, if it was fitted on all rows.
    """

    best: int
    table: dict[str, Any]
    n_failed: int
    model: Any = None


@dataclass(frozen=True)
class Trial:
    """Candidates, training rows, inner splits and the measure of a grid search.

    Attributes
    ----------
    owner : Component
        Named in errors.
    X : data of n rows
    codes : ndarray of int, shape (n,)
    classes : ndarray of shape (C,)
    weights : ndarray of shape (n,) or None
    candidates : list of classifiers
        Not fitted; only copies are.
    values : list of dict
        Parameters set in each.
    measure : measure
    splits : list of Split
    skips : bool
        Whether to skip a failing candidate instead of raising.
    """

    owner: Any
    X: Any
    codes: np.ndarray
    classes: np.ndarray
    weights: np.ndarray | None
    candidates: Sequence[Any]
    values: Sequence[Values]
    measure: Any
    splits: Sequence[Split]
    skips: bool

    def fit(self, model: Estimator, rows: np.ndarray, X: Cases | None = None) -> Any:
        """Fit a copy of a candidate on selected rows, or on their Gram matrix."""
        X = take(self.X, rows) if X is None else X
        y = self.classes[self.codes[rows]]
        if self.weights is None:
            return fit_component(model, X, y)
        return fit_component(model, X, y, sample_weight=self.weights[rows])


def choose(trial: Trial, scheme: object) -> Choice:
    """Score each candidate on each split and select the best; ties go to the first.

    Parameters
    ----------
    trial : Trial
    scheme : resampling or None
        Its `estimate` aggregates the scores of a candidate; without one, the mean does.
    """
    predictions: list[list[Prediction | None]] = [[] for _ in trial.candidates]
    errors: dict[int, str] = {}
    texts = [_texts(trial, model) for model in trial.candidates]
    for number, split in enumerate(trial.splits):
        for at, prediction in _predictions(trial, number, split, errors, texts):
            predictions[at].append(prediction)
    failed = np.array([at in errors for at in range(len(predictions))])
    if failed.any():
        _warn_failed(trial, errors)
    scores = _scores(trial, predictions, failed)
    estimates, spread = _estimates(trial, scheme, scores, failed)
    best = int(np.nanargmax(estimates if trial.measure.greater_is_better else -estimates))
    table = _table(trial, scores, estimates, spread)
    table["error"] = [errors.get(at) for at in range(len(predictions))]
    return Choice(best, table, len(errors))


def choose_by_criterion(trial: Trial, criterion: str) -> Choice:
    """Fit each candidate on all rows, and select the least criterion; ties go to the first."""
    models: list[Any] = [None] * len(trial.candidates)
    rows, errors = np.arange(len(trial.codes)), {}
    for at, candidate in enumerate(trial.candidates):
        try:
            models[at] = trial.fit(candidate, rows)
        except Exception as error:  # noqa: BLE001  # a classifier may raise anything
            errors[at] = _failure(trial, at, "all rows", error)
    if errors:
        _warn_failed(trial, errors)
    figures = [_criterion(trial, model, criterion) if model else {} for model in models]
    values = np.array([each.get(criterion, np.nan) for each in figures])
    best = int(np.nanargmin(values))
    table = _table(trial, np.empty((len(values), 0)), values, np.full(len(values), np.nan))
    for name in figures[best]:
        table[name] = [each.get(name, np.nan) for each in figures]
    table["error"] = [errors.get(at) for at in range(len(values))]
    return Choice(best, table, len(errors), models[best])


_DELTA = 0.05  # probability with which the bound of structural risk minimization may fail


def _criterion(trial: Trial, model: Any, criterion: str) -> dict[str, float]:
    """The criterion of a model fitted on all rows, and the numbers it is made of."""
    weights = np.ones(len(trial.codes)) if trial.weights is None else trial.weights
    n = float(weights.sum())
    outputs = Outputs.of(model, trial.X)
    if criterion == "srm":
        h = min(_capacity(trial, model, "vc_dimension_", criterion), 2 * n)
        wrong = np.asarray(outputs.labels()) != trial.classes[trial.codes]
        error = float(np.average(wrong, weights=weights))
        bound = (h * (np.log(2 * n / h) + 1) + np.log(4 / _DELTA)) / n
        return {criterion: error + float(np.sqrt(bound)), "training_error": error, "capacity": h}
    k = _capacity(trial, model, "n_parameters_", criterion)
    P, _ = supports(model, outputs, trial.classes)
    if P is None:
        raise InputError(
            f"{display_name(trial.owner)}: criterion={criterion!r} needs probabilities, "
            f"{display_name(model)} has none"
        )
    with np.errstate(divide="ignore"):
        likelihood = float(weights @ np.log(P[np.arange(len(P)), trial.codes]))
    price = 2.0 if criterion == "aic" else float(np.log(n))
    value = -2 * likelihood + price * k
    return {criterion: value, "log_likelihood": likelihood, "n_parameters": k}


def _capacity(trial: Trial, model: Any, attribute: str, criterion: str) -> float:
    """Number of parameters or VC dimension that a model, or a pipeline's last step, declares."""
    while isinstance(model, Pipeline):
        model = model[len(model) - 1]
    number = getattr(model, attribute, None)
    if number is None:
        raise InputError(
            f"{display_name(trial.owner)}: criterion={criterion!r} needs {attribute} of a fitted "
            f"classifier, which {display_name(model)} does not have with these parameters; use "
            f"criterion=None, which resamples"
        )
    return float(number)


_UNKNOWN = object()
Answers = Iterator[tuple[int, Prediction | None]]


def _predictions(
    trial: Trial, number: int, split: Split, errors: dict[int, str], texts: Sequence[Texts]
) -> Answers:
    """Yield predictions for the test rows of a split by each candidate that has not failed."""
    present = np.unique(trial.codes[split.train])
    if len(present) == 1:
        model = ConstantClassifier().fit(None, trial.classes[present])
        answer = _ask(trial, model, split, take(trial.X, split.test), 0.0)
        yield from ((at, answer) for at in range(len(trial.candidates)) if at not in errors)
        return
    keys = [_key(trial, split, each) for each in trial.candidates]
    fits_of = _Fits(trial, split, texts)
    order = sorted(range(len(keys)), key=lambda at: (keys.index(keys[at]), fits_of.order(at)))
    for key, group in groupby(order, key=lambda at: keys[at]):
        shared: Any = None if key is None else _UNKNOWN
        for at in group:
            if at in errors:
                continue
            try:
                if shared is _UNKNOWN:
                    shared = _shared(trial, trial.candidates[at], split)
                yield at, _fitted_answer(trial, at, split, shared, fits_of)
            except Exception as error:  # noqa: BLE001  # a classifier may raise anything
                errors[at] = _failure(trial, at, f"split {number}", error)


def _key(trial: Trial, split: Split, model: Estimator) -> str | None:
    """Precompute the shared Gram matrix of candidates on a split, if this one can share it."""
    key = None if trial.measure.needs == "seconds" else gram_key(model)
    return key if key and fits(model, len(split.train), len(split.test)) else None


def _shared(trial: Trial, model: Estimator, split: Split) -> Any:
    from sklearn.base import clone

    train, test = take(trial.X, split.train), take(trial.X, split.test)
    kernel = clone(model).learn_kernel(train, trial.classes[trial.codes[split.train]])
    return shared_gram(kernel, train, test)


def _fitted_answer(trial: Trial, at: int, split: Split, shared: Any, fits_of: _Fits) -> Prediction:
    """Fit on the training rows, or on their Gram matrix, and predict the test rows."""
    from sklearn.base import clone

    model, n, m = clone(trial.candidates[at]), len(split.train), len(split.test)
    fits_of.renew_queries(at)
    start = perf_counter()
    if shared is None:
        fitted = fits_of.fitted(at, model)
        seconds = perf_counter() - start
        return _ask(trial, fitted, split, fits_of.queries, seconds)
    fitted = trial.fit(model.with_kernel(shared), split.train, np.arange(n))
    return _ask(trial, fitted, split, np.arange(n, n + m), perf_counter() - start)


Texts = tuple[str, ...] | None
"""Specs of the steps of a candidate, the last one without `late` parameters."""


def _texts(trial: Trial, model: Any) -> Texts:
    """None: the candidate shares no fits, as times are measured or a spec cannot name a part."""
    if trial.measure.needs == "seconds":
        return None
    steps = list(map(kind_and_component, model.steps if type(model) is Pipeline else [model]))
    try:
        tables = [to_spec(step, kind=kind) for kind, step in steps]
    except IlkError:
        return None
    for name in getattr(steps[-1][1], "late", ()):
        tables[-1].pop(name, None)
    pairs = zip((kind for kind, _ in steps), tables, strict=True)
    return tuple(json.dumps(pair, sort_keys=True, default=repr) for pair in pairs)


class _Fits:
    """Fits of the candidates on one split; equal first steps are fitted once.

    Candidates that differ only in `late` parameters of the last step are fitted once, too.
    """

    def __init__(self, trial: Trial, split: Split, texts: Sequence[Texts]) -> None:
        self.trial = trial
        self.rows, self.test = split.train, split.test
        self.queries: Any = None
        self._texts = texts
        self._users: Counter[tuple[str, ...]] = Counter(
            text[:n] for text in texts if text for n in range(1, len(text) + 1)
        )
        self._begun: dict[tuple[str, ...], Carried] = {}
        self._alike: tuple[Texts, Any] = None, None

    def order(self, at: int) -> tuple[Any, ...]:
        """Sort candidates that share fits next to each other, those of largest numbers first."""
        text, model = self._texts[at], self.trial.candidates[at]
        if text is None:
            return (at,)
        beginnings = [text[:n] for n in range(1, len(text) + 1)]
        path = [
            next(i for i, other in enumerate(self._texts) if other and other[: len(part)] == part)
            for part in beginnings
        ]
        last = kind_and_component(model.steps[-1])[1] if type(model) is Pipeline else model
        late = (getattr(last, name) for name in getattr(last, "late", ()))
        return *path, *(-value for value in late if isinstance(value, int | float)), at

    def renew_queries(self, at: int) -> None:
        """Take the test rows anew unless they are expected: a step may change them in place."""
        if self._alike[0] is None or self._alike[0] != self._texts[at]:
            self.queries, self._alike = take(self.trial.X, self.test), (None, None)

    def fitted(self, at: int, model: Any) -> Any:
        """Return a candidate, fitted on the training rows."""
        text, alike = self._texts[at], self._alike
        if text is None:
            return self.trial.fit(model, self.rows)
        if alike[0] == text:
            return alike[1].with_late(model)
        carried = self._carried(model, text) if self.trial.weights is None else None
        if carried is None:
            fitted = self.trial.fit(model, self.rows)
        else:
            fitted = model.finish(carried, self.queries)
        if self._users[text] > 1 and isinstance(fitted, Component):
            fitted.expect(self.queries)
            self._alike = text, fitted
        return fitted

    def _carried(self, model: Any, text: tuple[str, ...]) -> Carried | None:
        """Return what the first steps of a pipeline give that others have, too; None: nothing."""
        wanted = [text[:n] for n in range(1, len(text)) if self._users[text[:n]] > 1]
        self._begun = {key: found for key, found in self._begun.items() if key in wanted}
        if not wanted:
            return None
        y = self.trial.classes[self.trial.codes[self.rows]]
        carried = Carried(take(self.trial.X, self.rows), y, self.queries)
        for key in wanted:
            if key in self._begun:
                carried = copy.deepcopy(self._begun[key])
                continue
            carried = replace(model.advance(carried, len(key) - carried.n_steps), steps=())
            if not _has_equal_copy(carried):
                return None
            self._begun[key] = copy.deepcopy(carried)
        return carried


def _has_equal_copy(carried: Carried) -> bool:
    """Whether copies have the same layout: numpy may round views with gaps otherwise."""
    arrays = [part for part in (carried.X, carried.queries) if isinstance(part, np.ndarray)]
    whole = all(part.flags.c_contiguous or part.flags.f_contiguous for part in arrays)
    return whole and carried.queries is not None


def _ask(trial: Trial, model: Any, split: Split, X: Cases, seconds: float) -> Prediction:
    truth = trial.classes[trial.codes[split.test]]
    return predict(
        model,
        X,
        truth,
        trial.classes,
        needs=trial.measure.needs,
        indices=split.test,
        fit_seconds=seconds,
    )


def _failure(trial: Trial, at: int, where: str, error: Exception) -> str:
    """Describe the failure of a candidate on some rows; raise it unless failures are skipped."""
    name = display_name(trial.owner)
    cause = f"{type(error).__name__}: {error}"
    if trial.skips:
        return f"{where}: {cause}"
    if isinstance(error, IlkError):
        _check_rows(trial, at, error)
    raise InputError(
        f"{name}: candidate {at} ({described(trial.values[at])}) failed on {where}: {cause}"
    ) from error


def _check_rows(trial: Trial, at: int, error: Exception) -> None:
    """Raise if a fit on all rows fails too: then the split is not the cause.

    The message blames the candidate unless it is the first: that one fails on bad data too.
    """
    from sklearn.base import clone

    try:
        trial.fit(clone(trial.candidates[at]), np.arange(n_rows(trial.X)))
    except IlkError as cause:
        kind = type(cause) if isinstance(cause, TypeError) else InputError
        who = f"candidate {at} ({described(trial.values[at])}): " if at else ""
        raise kind(f"{display_name(trial.owner)}: {who}{cause}") from error


def _warn_failed(trial: Trial, errors: dict[int, str]) -> None:
    from sklearn.exceptions import FitFailedWarning

    at = min(errors)
    what = f"candidate {at} ({described(trial.values[at])}) on {errors[at]}"
    name = display_name(trial.owner)
    if len(errors) == len(trial.candidates):
        raise InputError(f"{name}: every candidate failed, as {what}")
    warnings.warn(
        f"{name}: {len(errors)} of {len(trial.candidates)} candidates failed and are skipped, "
        f"as {what}",
        FitFailedWarning,
        stacklevel=4,
    )


def _scores(trial: Trial, predictions: Any, failed: np.ndarray) -> np.ndarray:
    """Scores of candidates per split, or per repeat for a pooled measure."""
    parts = [[at] for at in range(len(trial.splits))]
    if trial.measure.pooled:
        repeats = np.array([split.repeat for split in trial.splits])
        parts = [np.flatnonzero(repeats == repeat).tolist() for repeat in np.unique(repeats)]
    scores = np.full((len(trial.candidates), len(parts)), np.nan)
    for at in np.flatnonzero(~failed):
        for column, part in enumerate(parts):
            selected = [predictions[at][number] for number in part]
            scores[at, column] = trial.measure(
                selected[0] if len(selected) == 1 else _pool(selected)
            )
    return scores


def _estimates(
    trial: Trial, scheme: object, scores: np.ndarray, failed: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Estimate and standard deviation of each candidate; NaN excludes a candidate."""
    undefined = np.isnan(scores)
    defined = ~undefined[~failed].all(axis=0)
    if undefined[~failed].any():
        _warn_undefined(trial, undefined & ~failed[:, None], defined)
    estimate = getattr(scheme, "estimate", np.mean)
    usable = scores[:, defined]
    whole = ~np.isnan(usable).any(axis=1)
    estimates = np.array(
        [
            float(estimate(row)) if fine and row.size else np.nan
            for row, fine in zip(usable, whole, strict=True)
        ]
    )
    if np.isnan(estimates).all():
        raise InputError(
            f"{display_name(trial.owner)}: measure {display_name(trial.measure)} is undefined "
            f"(NaN) for every candidate"
        )
    spread = np.full(len(usable), np.nan)
    if usable.shape[1] > 1:
        with np.errstate(invalid="ignore"):  # infinite scores, as of log_loss, give NaN
            spread[whole] = usable[whole].std(axis=1, ddof=1)
    return estimates, spread


def _warn_undefined(trial: Trial, undefined: np.ndarray, defined: np.ndarray) -> None:
    from sklearn.exceptions import UndefinedMetricWarning

    some = int(undefined[:, defined].any(axis=1).sum())
    warnings.warn(
        f"{display_name(trial.owner)}: measure {display_name(trial.measure)} is undefined (NaN) "
        f"on {int((~defined).sum())} splits for every candidate, which are left out, and for "
        f"{some} candidates on others, which are not chosen",
        UndefinedMetricWarning,
        stacklevel=5,
    )


def _table(
    trial: Trial, scores: np.ndarray, estimates: np.ndarray, spread: np.ndarray
) -> dict[str, Any]:
    """Build the columns of the results."""
    names = dict.fromkeys(name for values in trial.values for name in values)
    signed = -estimates if trial.measure.greater_is_better else estimates
    rank = [int(np.sum(signed < value)) + 1 if value == value else None for value in signed]  # noqa: PLR0124  # NaN has none
    what = "repeat" if trial.measure.pooled else "split"
    return {
        "params": [dict(values) for values in trial.values],
        **{f"param_{name}": [values.get(name) for values in trial.values] for name in names},
        "rank": rank,
        "mean": estimates,
        "std": spread,
        **{f"{what}{number}": column for number, column in enumerate(scores.T)},
    }


_REJECTED = -1  # index of labels that are not classes


def predict(
    model: FittedClassifier,
    X: Cases,
    truth: np.ndarray,
    classes: np.ndarray,
    *,
    needs: str,
    **known: Any,
) -> Prediction:
    """Predict test cases by a fitted classifier.

    Parameters
    ----------
    model : classifier
        Classes unseen in training get probability 0.
    X : data of m rows
    truth : ndarray of shape (m,)
    classes : ndarray of shape (C,)
        All classes, sorted.
    needs : str
        Kind of prediction that the measure needs. Probabilities, or else scores, are computed only
        if needed.
    **known
        Further fields of the prediction.

    Raises
    ------
    InputError
        If a predicted label is neither a class nor the classifier's reject label.
    """
    start = perf_counter()
    outputs = Outputs.of(model, X)
    labels = np.asarray(outputs.labels())
    seconds = perf_counter() - start
    if labels.shape != truth.shape:
        raise InputError(f"predict gave labels of shape {labels.shape} for {len(truth)} cases")
    codes = _codes_of(labels, classes)
    _check_strange(model, labels, codes)
    proba, scores = supports(model, outputs, classes) if needs in _SUPPORTED else (None, None)
    return Prediction(
        truth,
        classes[codes],
        classes,
        probabilities=proba,
        scores=scores,
        rejected=codes == _REJECTED,
        predict_seconds=seconds,
        reduction=float(getattr(model, "reduction_", 0.0)),
        **known,
    )


_SUPPORTED = ("scores", "probabilities")


def _codes_of(labels: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """Index of each label in the classes; -1 for other labels."""
    known = {label: code for code, label in enumerate(classes.tolist())}
    return np.array([known.get(label, _REJECTED) for label in labels.tolist()], dtype=int)


def _check_strange(model: Estimator, labels: np.ndarray, codes: np.ndarray) -> None:
    """Raise for a label that is neither a class nor the declared reject label."""
    strange = labels[codes == _REJECTED].tolist()
    if not strange:
        return
    marks = [v for name, v in model.get_params(deep=True).items() if name.endswith("reject_label")]
    for label in strange:
        if label is not None and label not in marks:
            raise InputError(f"predict gave the label {label!r}, which is none of the classes")


def supports(
    model: FittedClassifier, outputs: Outputs, classes: np.ndarray
) -> tuple[np.ndarray | None, np.ndarray | None]:
    """Probabilities, or else decision values."""
    if outputs.probabilities is not None:
        return _aligned(outputs.probabilities(), model.classes_, classes, 0.0), None
    if outputs.scores is not None:
        return None, _aligned(outputs.scores(), model.classes_, classes, -np.inf)
    return None, None


def _aligned(
    values: np.ndarray, learned: np.ndarray, classes: np.ndarray, absent: float
) -> np.ndarray | None:
    """Expand columns to all classes; None unless there is one per learned class."""
    columns = np.asarray(values, dtype=float)
    if columns.ndim == 1:
        columns = np.column_stack([-columns, columns])
    if columns.shape[1] != len(learned):
        return None
    result = np.full((len(columns), len(classes)), absent)
    result[:, _codes_of(np.asarray(learned), classes)] = columns
    return result


def _pool(predictions: Sequence[Prediction]) -> Prediction:
    """Concatenate predictions for different test cases."""

    def joined(name: str) -> Any:
        parts = [getattr(each, name) for each in predictions]
        return None if any(part is None for part in parts) else np.concatenate(parts)

    return Prediction(
        joined("truth"),
        joined("labels"),
        predictions[0].classes,
        probabilities=joined("probabilities"),
        scores=joined("scores"),
        rejected=joined("rejected"),
        indices=joined("indices"),
        fit_seconds=sum(each.fit_seconds for each in predictions),
        predict_seconds=sum(each.predict_seconds for each in predictions),
        reduction=float(np.mean([each.reduction for each in predictions])),
    )
