"""The matrix of a learned metric, everywhere or at one point, and the names of its features."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

import ilk
from ilk.drawing import written
from ilk_learners.magnitude import finite


def matrix_of(learner: Any, at: Any = None) -> np.ndarray:
    """Return A of a fitted metric learner; array of shape (p, p).

    Parameters
    ----------
    learner : MetricLearner or LocalMetric
    at : array of shape (p,), optional
        Where; needed by a local metric, and of no account for others.

    Raises
    ------
    InputError
        If a local metric is not told where.
    InputTypeError
        If it is no metric learner.
    """
    check_learner(learner)
    if not isinstance(learner, ilk.LocalMetric):
        with np.errstate(over="ignore", invalid="ignore"):
            A = np.asarray(learner.metric_matrix_, dtype=float)
        return finite(learner, A, "rows vary so little that the metric")
    if at is None:
        raise ilk.InputError(
            f"{ilk.display_name(learner)}: its metric depends on the point: say where, with at="
        )
    local = np.asarray(learner.local_metric(at), dtype=float)
    return np.diag(local) if local.ndim == 1 else local


def check_learner(learner: Any) -> None:
    """Raise unless it is a fitted metric learner.

    Raises
    ------
    InputTypeError
        If it is no metric learner.
    NotFittedError
    """
    kind = None if isinstance(learner, type) else getattr(learner, "kind", None)
    if kind != "metric_learner" and not hasattr(learner, "components_"):
        raise ilk.InputTypeError(f"a picture needs a fitted metric learner, got {learner!r}")
    check_is_fitted(learner)


def names_of(learner: Any, names: Sequence[str] | None, p: int) -> list[str]:
    """Return the features' names: those given, else those of training, else x0, x1, ...

    Raises
    ------
    InputError
        If there are not as many names as features.
    """
    found = getattr(learner, "feature_names_in_", None) if names is None else names
    if found is None:
        return [f"x{i}" for i in range(p)]
    number = len(found) if hasattr(found, "__len__") and not isinstance(found, str) else found
    if number != p or number is found:
        raise ilk.InputError(
            f"{ilk.display_name(learner)}: names must be {p}, one for each feature, got {number!r}"
        )
    return [written(name) for name in found]
