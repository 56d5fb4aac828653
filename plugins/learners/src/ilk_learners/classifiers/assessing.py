"""What a fitted classifier says about test cases, as a prediction that a measure can score."""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter
from typing import Any

import numpy as np

from ilk import InputError, Prediction

_REJECTED = -1


class Constant:
    """What a classifier is that has seen cases of one class only."""

    def __init__(self, label: Any) -> None:
        self.classes_ = np.array([label])

    def predict(self, X: Any) -> np.ndarray:
        """The one label, for each row."""
        return np.repeat(self.classes_, len(X))

    def predict_proba(self, X: Any) -> np.ndarray:
        """Certainty; array of shape (m, 1)."""
        return np.ones((len(X), 1))


def predict(
    model: Any, X: Any, truth: np.ndarray, classes: np.ndarray, *, needs: str, **known: Any
) -> Prediction:
    """Ask a fitted classifier about test cases.

    Parameters
    ----------
    model : classifier
        What it has not learned of the classes counts as impossible.
    X : data of m rows
    truth : ndarray of shape (m,)
    classes : ndarray of shape (C,)
        All there are, sorted.
    needs : str
        What a measure looks at. Probabilities, or scores where there are none, are asked for
        only if they are needed.
    **known
        More of what a prediction has.

    Raises
    ------
    InputError
        If a predicted label is none of the classes and no mark of a rejection.
    """
    start = perf_counter()
    labels = np.asarray(model.predict(X))
    seconds = perf_counter() - start
    if labels.shape != truth.shape:
        raise InputError(f"predict gave labels of shape {labels.shape} for {len(truth)} cases")
    codes = codes_of(labels, classes)
    _check_strange(model, labels, codes)
    proba, scores = _supports(model, X, classes) if needs in _SUPPORTED else (None, None)
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


def codes_of(labels: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """Position of each label among the classes, -1 where it is none of them."""
    known = {label: code for code, label in enumerate(classes.tolist())}
    return np.array([known.get(label, _REJECTED) for label in labels.tolist()], dtype=int)


def _check_strange(model: Any, labels: np.ndarray, codes: np.ndarray) -> None:
    """Raise for a label that is neither a class nor declared to mark a rejection."""
    strange = labels[codes == _REJECTED].tolist()
    if not strange:
        return
    marks = [v for name, v in model.get_params(deep=True).items() if name.endswith("reject_label")]
    for label in strange:
        if label is not None and label not in marks:
            raise InputError(f"predict gave the label {label!r}, which is none of the classes")


def _supports(
    model: Any, X: Any, classes: np.ndarray
) -> tuple[np.ndarray | None, np.ndarray | None]:
    """Probabilities; without them, decision values."""
    if hasattr(model, "predict_proba"):
        return _aligned(model.predict_proba(X), model.classes_, classes, 0.0), None
    if hasattr(model, "decision_function"):
        return None, _aligned(model.decision_function(X), model.classes_, classes, -np.inf)
    return None, None


def _aligned(values: Any, own: np.ndarray, classes: np.ndarray, absent: float) -> np.ndarray | None:
    """Columns of all classes; None where values are not one for each class that was learned."""
    columns = np.asarray(values, dtype=float)
    if columns.ndim == 1:
        columns = np.column_stack([-columns, columns])
    if columns.shape[1] != len(own):
        return None
    result = np.full((len(columns), len(classes)), absent)
    result[:, codes_of(np.asarray(own), classes)] = columns
    return result


def pool(predictions: Sequence[Prediction]) -> Prediction:
    """Put predictions about different test cases together."""

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
