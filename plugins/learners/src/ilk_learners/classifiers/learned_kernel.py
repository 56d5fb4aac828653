"""A learned metric as a kernel, and what classifiers with such a kernel have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ilk import (
    Classifier,
    InputError,
    MetricLearnerLike,
    check_labels,
    check_vectors,
    display_name,
    fit_component,
    param,
    slot,
)
from ilk_learners.metric_learners.soft_votes import squared_bandwidths

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ilk import Cases, Component, Labels, MetricLearner


class LearnedMap:
    """L of a metric learner, with the scale of its kernel folded in.

    The printed kernel ``exp(-|L(x - z)|^2)`` has no bandwidth, but L was learned with one for each
    row. Its global form is folded into L: ``sigma^2``, the mean over the training rows of the
    mean squared distance to the nearer half of the ``floor(log2 n)`` nearest others, after L. So
    the kernel does not depend on the unit of X, nor on the length of L. Learners with ``widths_``
    (megm and related learners) have already folded it in and stay unchanged.

    Parameters
    ----------
    owner : Component
        Named in errors; has the slot `learner`.
    learner : MetricLearner
        Fitted here, unless it is frozen.
    X : ndarray of shape (n, p)
    y : array of shape (n,)

    Attributes
    ----------
    learner : MetricLearner
        Fitted.
    factor : float
        Factor of L.

    Raises
    ------
    ParameterError
        If the learner has no transform (is local).
    InputError
        If all rows are equal after L, or too far apart for a finite scale.
    """

    def __init__(
        self, owner: Component, learner: MetricLearner, X: np.ndarray, y: np.ndarray
    ) -> None:
        if not hasattr(learner, "transform"):
            name = display_name(learner)
            raise owner.parameter_error("learner", f"must have a transform, got {name}")
        self.learner = fit_component(learner, X, y)
        self.factor = 1.0
        if not hasattr(self.learner, "widths_"):
            Z = np.asarray(self.learner.transform(X), dtype=float)
            with np.errstate(over="ignore"):
                s = float(squared_bandwidths(owner, Z).mean())
            if not 0 < s < np.inf or (Z[0] == Z).all():
                raise InputError(
                    f"{display_name(owner)}: the rows of X are all equal, or too far apart, after "
                    f"the learner's map, so the kernel has no scale; standardize X first"
                )
            # exp(-|u - v|^2 / (2 s)) of the transformed rows, with s the mean squared bandwidth
            self.factor = float(1 / np.sqrt(2 * s))

    def __call__(self, X: np.ndarray) -> np.ndarray:
        """Transform rows, so that ``exp(-|u - v|^2)`` of two images is the kernel.

        Returns
        -------
        ndarray of shape (n, n_components)
        """
        return mapped(self.learner, self.factor, X)


def mapped(learner: MetricLearner, factor: float, X: np.ndarray) -> np.ndarray:
    """Transform rows by a learner and the factor of its kernel; float32 stays float32."""
    return np.asarray(np.asarray(learner.transform(X)) * X.dtype.type(factor))


def metric_problems(codes: np.ndarray, n_classes: int, *, per_class: bool) -> Iterator[np.ndarray]:
    """Yield the labels of each problem with its own metric.

    All classes at once; or each against the rest, for two classes one problem.
    """
    # the two problems of two classes have the same metric
    if not per_class or n_classes == 2:
        yield codes
    else:
        yield from ((codes == c).astype(codes.dtype) for c in range(n_classes))


class LearnedKernelClassifier(Classifier):
    """A classifier by the kernel ``exp(-|L(x - z)|^2)`` of a metric, or one of each class.

    Attributes
    ----------
    learners_ : list of metric learners
        One, or one for each class.
    factors_ : ndarray
        What L of each is multiplied by.
    """

    kernel: ClassVar[Mapping[str, Any]] = {"use": "rbf", "sigma": 0.5**0.5}  # exp(-|u - v|^2)
    learner: MetricLearnerLike = slot("metric_learner", default="megm", doc="Any that transforms.")
    per_class: bool = param(default=False, doc="Whether each class has a metric of its own.")

    def _fit_each(self, X: Cases, y: Labels | None, model: Classifier) -> list[Any]:
        """Learn the metric or metrics, and fit a copy of a classifier under each."""
        from sklearn.base import clone

        self.check_parameters()
        X = check_vectors(self, X, reset=True)
        self.classes_, codes = check_labels(self, y, X, min_classes=2)
        learned, models = [], []
        for labels in metric_problems(codes, len(self.classes_), per_class=self.per_class):
            learned.append(LearnedMap(self, self.resolve_slot("learner"), X, labels))
            models.append(clone(model).fit(learned[-1](X), labels))
        self.learners_ = [each.learner for each in learned]
        self.factors_ = np.array([each.factor for each in learned])
        return models

    def _mapped(self, X: Cases, models: list[Any]) -> Iterator[tuple[Any, np.ndarray]]:
        """Each of the fitted classifiers, with the rows as its learner maps them."""
        X = check_vectors(self, X, reset=False)
        for learner, factor, model in zip(self.learners_, self.factors_, models, strict=True):
            yield model, mapped(learner, factor, X)

    def _decisions(self, X: Cases, models: list[Any]) -> np.ndarray:
        values = [model.decision_function(rows) for model, rows in self._mapped(X, models)]
        return np.asarray(values[0]) if len(values) == 1 else np.stack(values, axis=1)
