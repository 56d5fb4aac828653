"""Confusion matrices: how often each class was taken for each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ilk import InputError, Prediction
from ilk_evaluation.measures.class_codes import codes_of

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["confusion_matrix", "normalized", "per_class"]


def confusion_matrix(prediction: Prediction) -> np.ndarray:
    """Count the answered cases by true and predicted class.

    Parameters
    ----------
    prediction : ilk.Prediction

    Returns
    -------
    ndarray of int, shape (C, C)
        ``M[i, j]``: cases of class i that were predicted as class j, in the order of
        `prediction.classes`. Rejected cases are left out. A class without cases has a row of zeros,
        a class never predicted a column of zeros.

    Raises
    ------
    InputError
        If the label of an answered case is not one of the classes.

    Notes
    -----
    Rows are true, as in scikit-learn. The thesis of Zaidi (2011) and the tables of Arras use the
    transpose.

    References
    ----------
    Arras: Error Types.

    Evaluation slides: Measuring Error.

    Zaidi 2011: figure 4.13.

    Examples
    --------
    >>> import ilk, numpy as np
    >>> from ilk_evaluation import confusion
    >>> truth, labels = np.array(list("aabbb")), np.array(list("abbba"))
    >>> confusion.confusion_matrix(ilk.Prediction(truth, labels, np.array(["a", "b"])))
    array([[1, 1],
           [1, 2]])
    """
    truth, labels = answered_codes(prediction)
    n_classes = len(prediction.classes)
    pairs = np.bincount(truth * n_classes + labels, minlength=n_classes * n_classes)
    return pairs.reshape(n_classes, n_classes)


def answered_codes(prediction: Prediction) -> tuple[np.ndarray, np.ndarray]:
    """Codes of the true and of the predicted classes of the answered cases."""
    labels = np.asarray(prediction.labels)
    if np.any(prediction.rejected):
        labels = labels[prediction.answered]
    return answered_truth(prediction), codes_of(labels, prediction.classes)


def answered_truth(prediction: Prediction) -> np.ndarray:
    """Codes of the true classes of the answered cases."""
    truth = np.asarray(prediction.truth)
    if np.any(prediction.rejected):
        truth = truth[prediction.answered]
    return codes_of(truth, prediction.classes)


def normalized(matrix: np.ndarray, by: Literal["true", "predicted", "all"] = "true") -> np.ndarray:
    """Normalize the counts of a confusion matrix to shares.

    Parameters
    ----------
    matrix : array of shape (C, C)
        Rows true, columns predicted.
    by : {"true", "predicted", "all"}
        The denominator: the cases of the true class (rows sum to 1, up to rounding; the diagonal is
        the recall), the cases of the predicted class (columns sum to 1; the diagonal is the
        precision), or all cases.

    Returns
    -------
    ndarray of shape (C, C)
        NaN where the denominator is 0.

    Raises
    ------
    InputError
        For another `by`.

    Examples
    --------
    >>> from ilk_evaluation import confusion
    >>> confusion.normalized([[1, 1], [1, 3]])
    array([[0.5 , 0.5 ],
           [0.25, 0.75]])
    """
    counts = np.asarray(matrix, dtype=float)
    totals = {
        "true": counts.sum(axis=1, keepdims=True),
        "predicted": counts.sum(axis=0, keepdims=True),
        "all": counts.sum(keepdims=True),
    }
    if by not in totals:
        raise InputError(f"normalized: by must be 'true', 'predicted' or 'all', got {by!r}")
    return ratio(counts, totals[by])


def ratio(parts: object, totals: Any) -> np.ndarray:
    """Divide; NaN where the total is 0."""
    parts, totals = np.asarray(parts, dtype=float), np.asarray(totals, dtype=float)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(totals > 0, parts / totals, np.nan))


def per_class(prediction: Prediction) -> pd.DataFrame:
    """Counts and rates of each class.

    Parameters
    ----------
    prediction : ilk.Prediction

    Returns
    -------
    DataFrame
        One row per class, with columns cases, rejected, predicted, right (counts; all but rejected
        count answered cases), precision, recall, specificity and f1. Undefined rates are NaN, such
        as the precision of a class that was never predicted.

    Examples
    --------
    >>> import ilk, numpy as np
    >>> from ilk_evaluation import confusion
    >>> truth, labels = np.array(list("aabbb")), np.array(list("abbba"))
    >>> table = confusion.per_class(ilk.Prediction(truth, labels, np.array(["a", "b"])))
    >>> table.loc["a", ["cases", "predicted", "right", "recall"]].tolist()
    [2.0, 2.0, 1.0, 0.5]
    """
    import pandas as pd

    matrix = confusion_matrix(prediction)
    right, cases, predicted = np.diag(matrix), matrix.sum(axis=1), matrix.sum(axis=0)
    left_out = np.asarray(prediction.truth)[np.asarray(prediction.rejected, dtype=bool)]
    total = matrix.sum()
    columns = {
        "cases": cases,
        "rejected": np.bincount(
            codes_of(left_out, prediction.classes), minlength=len(prediction.classes)
        ),
        "predicted": predicted,
        "right": right,
        "precision": ratio(right, predicted),
        "recall": ratio(right, cases),
        "specificity": ratio(total - cases - predicted + right, total - cases),
        "f1": ratio(2 * right, cases + predicted),
    }
    return pd.DataFrame(columns, index=pd.Index(prediction.classes, name="class"))
