"""One cell: fit a pipeline on the training cases of a split and predict the test cases."""

from __future__ import annotations

import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

import ilk
from ilk import Array, ArrayLike, ResamplingLike, param, slot
from ilk_evaluation.plan.keys import seed_from
from ilk_evaluation.run.other_predictors import detected, grouped, inliers, numbers, one_for_each
from ilk_evaluation.run.worker_context import (
    Fitted,
    Place,
    SharedSteps,
    Sharing,
    recorded,
    warn_again,
)

if TYPE_CHECKING:
    from ilk import Cases, Estimator, FittedClassifier, Labels

REJECTED = -1
"""Code of a rejected case."""
_SWALLOWED = "Training interrupted by user"
"""Warning of scikit-learn's networks, which turn Ctrl-C into an incomplete fit."""


@dataclass(frozen=True)
class Outcome:
    """The outcome of a cell, in the form in which it is stored.

    Attributes
    ----------
    codes : ndarray of int, shape (n,), or None
        Position of each predicted label among the classes of the data set (int32); -1: rejected.
        The predicted numbers of a regressor (float), or the numbers of clusters (int64).
        None: the cell failed.
    probabilities, scores : ndarray of shape (n, C) or None
        The scores of clusters are the silhouettes of the cases, of shape (n,).
    fit_seconds, predict_seconds : float
    reduction : float
        Share of the training cases that editors removed.
    warnings : tuple of str
        The distinct warnings it gave.
    error : str or None
        Type and message of the exception that ended the cell.
    traceback : str or None
    fallback : bool
        Whether the fallback answered after the pipeline failed; the error is the pipeline's.
    together : int or None
        Number of leave-one-out cases that one call answered without refitting; `fit_seconds` is
        an equal share of its time and `predict_seconds` is 0. None: the pipeline was fitted for
        this cell.
    saved_seconds : float
        Time saved as another cell had fitted the same steps, or searched for the same neighbours;
        `fit_seconds` and `predict_seconds` are those of a pipeline alone.
    """

    codes: np.ndarray | None = None
    probabilities: np.ndarray | None = None
    scores: np.ndarray | None = None
    fit_seconds: float = float("nan")
    predict_seconds: float = float("nan")
    reduction: float = float("nan")
    warnings: tuple[str, ...] = ()
    error: str | None = None
    traceback: str | None = None
    fallback: bool = False
    together: int | None = None
    saved_seconds: float = 0.0

    @property
    def n_bytes(self) -> int:
        """Memory of the predictions."""
        arrays = self.codes, self.probabilities, self.scores
        return sum(array.nbytes for array in arrays if array is not None)


_ALONE = Sharing(SharedSteps({}), 0, Place("", few=False))


def evaluate(
    pipeline: ilk.Pipeline,
    data: ilk.Data,
    split: ilk.Split,
    seed: int,
    sharing: Sharing = _ALONE,
) -> Outcome:
    """Fit a copy of a pipeline and predict; an exception becomes a failed outcome.

    A case is rejected if the predicted label is None or the `reject_label` of a component of the
    pipeline. Any other label that is no class of the data set is a failure.

    A final `tuned` or `threshold` classifier chooses parameters by the validation cases of the
    split, if any.

    Parameters
    ----------
    pipeline : ilk.Pipeline
        Not changed.
    data, split : ilk.Data, ilk.Split
    seed : int
        Seed of every random state that the pipeline leaves open.
    sharing : Sharing, optional
        Work shared with other cells; none, if left out.
    """

    def work() -> Outcome:
        if (known := sharing.fitted()) is not None:
            return _predict_alike(known, pipeline, data)
        return _fit_and_predict(pipeline, data, split, seed, sharing)

    return guarded(work)


def guarded(work: Callable[[], Outcome]) -> Outcome:
    """Return the outcome of a call with its warnings; an exception makes a failed outcome."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        try:
            outcome = work()
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001  # a component may raise anything
            outcome = Outcome(error=describe(error), traceback=_storable(traceback.format_exc()))
    if any(_SWALLOWED in str(w.message) for w in caught):
        raise KeyboardInterrupt
    messages = (_storable(f"{w.category.__name__}: {w.message}") for w in caught)
    return replace(outcome, warnings=tuple(dict.fromkeys(messages))) if caught else outcome


def describe(error: BaseException) -> str:
    """Type and message of an exception, even if its message raises or cannot be encoded."""
    try:
        message = str(error)
    except Exception:  # noqa: BLE001  # messages may run a component's code
        message = "(its message cannot be shown)"
    return _storable(f"{type(error).__name__}: {message}")


def _storable(text: str) -> str:
    """Escape characters that UTF-8 cannot encode, as in names of files."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def ready(pipeline: ilk.Pipeline, data: ilk.Data, seed: int) -> tuple[ilk.Pipeline, Any]:
    """Return a seeded copy of a pipeline, and the cases in the form that it takes."""
    model = ilk.seeded(ilk.single_use(pipeline), seed)
    if ilk.uses_views(model):
        return ilk.with_views(model, data.views), data.table()
    return model, data.X


def _fit_and_predict(
    pipeline: ilk.Pipeline, data: ilk.Data, split: ilk.Split, seed: int, sharing: Sharing
) -> Outcome:
    model, cases = ready(pipeline, data, seed)
    rows = _rows_to_fit(model, data, split)
    X, y = ilk.take(cases, rows), data.y[rows]
    queries = ilk.take(cases, split.test)
    start = perf_counter()
    if data.task == "clustering":
        clusters, widths, model = grouped(model, X, y, queries)
        seconds = perf_counter() - start
        return Outcome(clusters, None, widths, seconds, 0.0, model.reduction_)
    shared = sharing.begin(model, ilk.Carried(X, y, queries))
    warned, told = [*shared.warned] if shared else [], []  # type: ignore[var-annotated]
    own = perf_counter()
    with _noted(warned, sharing):
        if shared is None:
            model.fit(X, y)
        else:
            model.finish(shared.carried, queries)
        fitted = perf_counter()
        _warn_of_lost_classes(model, y)
    with _noted(told, sharing):
        if sharing.in_family:
            model.expect(queries)
        outcome = _PREDICTED[data.task](model, queries, data.classes)
    fit, predict, saved = fitted - own, perf_counter() - fitted, 0.0
    if shared is not None:
        saved = shared.saved
        fit += shared.carried.fit_seconds
        predict += shared.carried.predict_seconds
    if sharing.in_family and not told:  # warnings of predictions may depend on the parameters
        sharing.keep(Fitted(model, queries, warned, fit, predict))
    return replace(
        outcome,
        fit_seconds=fit,
        predict_seconds=predict,
        reduction=model.reduction_,
        saved_seconds=saved,
    )


@contextmanager
def _noted(warned: list[tuple[Any, ...]], sharing: Sharing) -> Iterator[None]:
    """Add the warnings within a block to a list, if the cell is of a family, and give them."""
    if not sharing.in_family:
        yield
        return
    n = len(warned)
    try:
        with recorded(warned):
            yield
    finally:
        warn_again(warned[n:])


def _predict_alike(known: Fitted, pipeline: ilk.Pipeline, data: ilk.Data) -> Outcome:
    """Predict with a fitted pipeline, under other parameters that only predictions use."""
    start = perf_counter()
    warn_again(known.warned)
    model = known.model.with_late(pipeline)
    outcome = _PREDICTED[data.task](model, known.queries, data.classes)
    alone = known.fit_seconds + known.predict_seconds
    return replace(
        outcome,
        fit_seconds=known.fit_seconds,
        predict_seconds=known.predict_seconds,
        reduction=model.reduction_,
        saved_seconds=max(alone - (perf_counter() - start), 0.0),
    )


def _warn_of_lost_classes(model: ilk.Pipeline, y: np.ndarray) -> None:
    """Warn if editors left no case of a class that had training cases."""
    if model.reduction_ and hasattr(model, "classes_"):
        lost = np.setdiff1d(y, model.classes_)
        for label in lost.tolist():
            warnings.warn(
                f"the editors left no training case of class {label!r}, so it is never predicted",
                stacklevel=2,
            )


def _classes_of(model: ilk.Pipeline, queries: Cases, classes: np.ndarray) -> Outcome:
    """Predict classes with their probabilities or decision values."""
    outputs = model.outputs(queries)
    labels = one_for_each(outputs.labels(), queries)
    return Outcome(answers(model, labels, classes), *_supports(model, outputs, classes))


def fit_on_all(pipeline: ilk.Pipeline, data: ilk.Data, seed: int) -> ilk.Pipeline:
    """Fit a copy of a pipeline on all cases, as a cell fits one on its training cases.

    Parameters
    ----------
    pipeline : ilk.Pipeline
        Not changed.
    data : ilk.Data
    seed : int
        Of the experiment; decides the random states that the pipeline leaves open.
    """
    model, cases = ready(pipeline, data, seed_from("fit", seed))
    last = _component(model.steps[-1])
    resampling = last.get_params(deep=False).get("resampling")
    rows = _rows_to_fit(model, data, ilk.Split(np.arange(len(data)), np.empty(0, dtype=int)))
    if len(rows) < len(data):
        cases = ilk.take(cases, rows)
    model.fit(cases, data.y[rows])
    if last.get_params(deep=False).get("resampling") is not resampling:  # cannot be saved
        for tuned in (last, model[-1]):
            tuned.set_params(resampling=resampling)
    return model


def label_codes(labels: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """Position of each label among the sorted classes; -1 for any other label."""
    if labels.dtype.kind == classes.dtype.kind != "O":
        at = np.minimum(np.searchsorted(classes, labels), len(classes) - 1)
        return np.where(classes[at] == labels, at, REJECTED).astype(np.int32)
    table = {label: code for code, label in enumerate(classes.tolist())}
    return np.array([table.get(label, REJECTED) for label in labels.tolist()], dtype=np.int32)


def answers(model: Estimator, labels: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """Codes of predicted labels.

    Raises
    ------
    ilk.InputError
        For a label that is neither a class of the data set nor a declared rejection.
    """
    codes = label_codes(labels, classes)
    strange = np.flatnonzero(codes == REJECTED)
    if strange.size:
        params = model.get_params(deep=True)
        marks = [value for name, value in params.items() if name.endswith("reject_label")]
        for label in labels[strange].tolist():
            if label is not None and label not in marks:
                raise ilk.InputError(
                    f"predict gave the label {label!r}, which is none of the classes of the data "
                    f"set and no reject_label"
                )
    return codes


def _supports(
    model: FittedClassifier, outputs: ilk.Outputs, classes: np.ndarray
) -> tuple[np.ndarray | None, np.ndarray | None]:
    """Probabilities, or else decision values."""
    if outputs.probabilities is not None:
        return _aligned(outputs.probabilities(), model.classes_, classes, 0.0), None
    if outputs.scores is not None:
        return None, _aligned(outputs.scores(), model.classes_, classes, -np.inf)
    return None, None


def supports(
    model: Estimator, prediction: ilk.Prediction, classes: np.ndarray
) -> tuple[np.ndarray | None, np.ndarray | None]:
    """Align the probabilities and decision values of a model as `predict` after a fit would.

    Raises
    ------
    ilk.InputError
        If a fitted model would give probabilities or decision values, and they are missing.
    """
    if hasattr(model, "predict_proba"):
        name, values, absent = "probabilities", prediction.probabilities, 0.0
    elif hasattr(model, "decision_function"):
        name, values, absent = "scores", prediction.scores, -np.inf
    else:
        return None, None
    if values is None:
        raise ilk.InputError(f"leave_one_out gave no {name}, which there are after a fit")
    columns = _aligned(values, prediction.classes, classes, absent)
    return (columns, None) if name == "probabilities" else (None, columns)


def _aligned(
    values: np.ndarray, learned: np.ndarray, classes: np.ndarray, absent: float
) -> np.ndarray | None:
    """Align columns to the classes of the data set; None unless there is one column per class."""
    columns = np.asarray(values, dtype=float)
    if columns.ndim == 1:
        columns = np.column_stack([-columns, columns]) if len(learned) == 2 else columns[:, None]
    if columns.shape[1] != len(learned):  # one-versus-one decision values, say
        return None
    if len(learned) == len(classes):
        return columns
    result = np.full((len(columns), len(classes)), absent)
    result[:, label_codes(np.asarray(learned), classes)] = columns
    return result


_PREDICTED: dict[str, Callable[[ilk.Pipeline, Any, np.ndarray], Outcome]] = {
    "classification": _classes_of,
    "regression": lambda model, queries, _: Outcome(numbers(model.predict(queries), queries)),
    "detection": lambda model, queries, _: Outcome(*detected(model, queries)),
    "one_class": lambda model, queries, _: Outcome(*detected(model, queries)),
}
"""Predictions by the task of the data."""
_TUNES = "tuned"
_FOLDS = 5


def _rows_to_fit(model: ilk.Pipeline, data: ilk.Data, split: ilk.Split) -> np.ndarray:
    """Return the training rows of a pipeline, and give its `tuned` step its resampling.

    A final `tuned` classifier, or a tuned `threshold`, chooses by the validation cases, if there
    are any, and then learns from them too. Otherwise its inner resampling does not divide the
    groups of the data, nor the copies of a case that a bootstrap drew several times: a case in
    training and validation at once would favour memorizing. Test cases are never used. Other
    pipelines learn from the training cases; detectors of one class from the inliers among them.

    Parameters
    ----------
    model : ilk.Pipeline
        With a component in every slot; its last step is modified.
    data, split : ilk.Data, ilk.Split

    Warns
    -----
    UserWarning
        If an editor before `tuned` makes this impossible, as it decides which cases `tuned` gets.
    """
    steps = [_component(step) for step in model.steps]
    last = steps[-1]
    if data.task == "one_class":
        return inliers(data, split.train)
    if not _splits_inside(last):
        return split.train
    together = _together(data, split.train)
    if split.validation is None and together is None:
        return split.train
    if any(hasattr(step, "fit_resample") for step in steps[:-1]):
        lost = "validation cases are unused"
        if split.validation is None:
            lost = f"{'copies of cases' if data.groups is None else 'groups'} are divided"
        warnings.warn(
            f"{ilk.display_name(last)}: an editor before it chooses the cases that it sees, so "
            f"where it chooses parameters {lost}; the editor can be part of the pipeline that is "
            f"tuned instead",
            stacklevel=2,
        )
        return split.train
    if split.validation is None:
        last.set_params(
            resampling=_InGroups(
                resampling=last.resampling, known=together, copies=data.groups is None
            )
        )
        return split.train
    from sklearn.model_selection import PredefinedSplit  # slow import, rarely needed

    part = np.repeat([-1, 0], [len(split.train), len(split.validation)])
    last.set_params(resampling=PredefinedSplit(part))
    return np.concatenate([split.train, split.validation])


def _splits_inside(last: object) -> bool:
    """Tell whether a last step chooses parameters on inner splits of its cases."""
    if not hasattr(last, "resampling"):
        return False
    name = ilk.display_name(last)
    if name == "threshold":
        return getattr(last, "threshold", None) == _TUNES
    return name == _TUNES and getattr(last, "criterion", None) is None


def _together(data: ilk.Data, train: np.ndarray) -> np.ndarray | None:
    """Return the group code of each training case; None if there are no groups or copies."""
    names = train if data.groups is None else np.asarray(data.groups)[train]
    values, codes = np.unique(names, return_inverse=True)
    return None if data.groups is None and len(values) == len(names) else codes


def _component(step: object) -> Any:
    return next(iter(step.values())) if isinstance(step, Mapping) else step


class _InGroups(ilk.Resampling):
    """Another resampling, with groups that the data do not contain.

    Raises
    ------
    InputError
        If the other resampling cannot keep groups together.
    """

    resampling: ResamplingLike | None = slot(
        "resampling",
        default=None,
        doc="None: ``stratified_kfold`` of at most 5 folds, small classes spread.",
    )
    known: ArrayLike | None = param(
        default=(),
        type=Array,
        form="array of int, shape (n,)",
        doc="Group of each case.",
    )
    copies: bool = param(default=False, doc="Whether groups are copies of a case.")

    def splits(
        self, X: Cases, y: Labels, groups: Labels | None = None, random_state: int | None = None
    ) -> Iterator[ilk.Split]:
        scheme = self._scheme()
        if hasattr(scheme, "splits"):
            try:
                yield from scheme.splits(X, y, self.known, random_state=random_state)
            except ilk.InputError as error:
                if not self.copies:
                    raise
                raise ilk.InputError(
                    f"{_TUNES}: copies of a case that was drawn several times are a group: {error}"
                ) from None
            return
        drawn = scheme.split(np.zeros(ilk.n_rows(X)), y, self.known)
        for fold, (train, test) in enumerate(drawn):
            yield ilk.Split(train, test, fold=fold)

    def estimate(self, scores: Sequence[float]) -> float:
        scheme = self._scheme()
        if hasattr(scheme, "estimate"):
            return float(scheme.estimate(scores))
        return super().estimate(scores)

    def _scheme(self) -> Any:
        """Return the inner resampling; scikit-learn's splitters are wrapped to take groups."""
        scheme = self.resampling
        if scheme is None:
            folds = max(2, min(_FOLDS, len(np.unique(np.asarray(self.known)))))
            return ilk.resampling(
                "ilk-evaluation/stratified_kfold", folds=folds, small_classes="spread"
            )
        scheme = self.resolve_slot("resampling")
        if hasattr(scheme, "splits"):
            return scheme
        from ilk_evaluation.resamplings.sklearn_splitters import table_of

        table = table_of(scheme)
        return scheme if table is None else ilk.build(table, kind="resampling")
