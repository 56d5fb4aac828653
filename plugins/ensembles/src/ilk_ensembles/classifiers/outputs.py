"""What members say about samples, as support for the classes of the ensemble."""

from __future__ import annotations

from typing import Any

import numpy as np

import ilk


def member_support(member: Any, X: Any, classes: np.ndarray, *, labels: bool) -> np.ndarray:
    """Support of one fitted member for each class.

    Parameters
    ----------
    member : classifier
    X : data of n rows
    classes : ndarray of shape (C,)
        Of the ensemble, sorted.
    labels : bool
        Look at predicted labels only; else at probabilities where the member has them.

    Returns
    -------
    ndarray of shape (n, C)
    """
    predict_proba = None if labels else getattr(member, "predict_proba", None)
    if predict_proba is None:
        return one_hot(member.predict(X), classes)
    return aligned(np.asarray(predict_proba(X)), np.asarray(member.classes_), classes)


def one_hot(labels: Any, classes: np.ndarray) -> np.ndarray:
    """Give the predicted class support 1; a label that is no class is no vote: 1/C for each."""
    labels = np.asarray(labels)
    support = np.column_stack([labels == label for label in classes]).astype(float)
    support[~support.any(axis=1)] = 1 / len(classes)
    return support


def aligned(probabilities: np.ndarray, own: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """Order columns as `classes`; a class that the member does not know has probability 0."""
    if np.array_equal(own, classes):
        return probabilities
    unknown = own[~np.isin(own, classes)]
    if len(unknown):
        raise ilk.InputError(f"knows the class {unknown[0].item()!r}, which y does not have")
    support = np.zeros((len(probabilities), len(classes)))
    support[:, np.searchsorted(classes, own)] = probabilities
    return support
