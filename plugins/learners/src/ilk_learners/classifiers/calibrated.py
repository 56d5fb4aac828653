"""calibrated: probabilities for any classifier, from its decision values on held-out rows."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from ilk import (
    Capabilities,
    InputError,
    Outputs,
    RandomState,
    Seed,
    check_labels,
    check_seed,
    display_name,
    fit_component,
    is_frozen,
    param,
    seeded,
    take,
)
from ilk_learners.classifiers.svm import LEAST, sigmoid
from ilk_learners.classifiers.tuned import AroundClassifier, with_rows
from ilk_learners.svm.machines import class_probabilities

if TYPE_CHECKING:
    from ilk import Cases, FittedClassifier, Labels


class Calibrated(AroundClassifier):
    """Probabilities for any classifier, by Platt's sigmoid of its decision values.

    ``p_c = 1 / (1 + exp(-(a_c f_c + b_c)))`` for the decision value f_c of class c against the
    rest. ``a_c >= 0`` and ``b_c`` maximise the likelihood of rows that the classifier has not seen:
    it is fitted without each of the folds in turn, then on all rows. With more than two classes the
    p_c are divided by their sum. The most probable class is predicted; as each class has its own
    sigmoid, it may differ from the class that the classifier predicts.

    A classifier with probabilities is calibrated by their log odds. A frozen one is calibrated on
    the given rows, which it should not have seen.

    Attributes
    ----------
    classifier_ : classifier
        Fitted on all rows.
    classes_ : ndarray of shape (n_classes,)
        Sorted.
    sigmoids_ : ndarray of shape (n_classes, 2)
        a_c and b_c; for two classes one row, of the second class.

    Raises
    ------
    InputError
        If there are fewer than two classes, a frozen classifier has others, or the classifier has
        not one decision value for each class.

    Notes
    -----
    The rows of each class are dealt to the folds in turn, without randomness. The only row of a
    class is never held out: its decision value is that of the classifier of all rows.

    References
    ----------
    J. C. Platt, "Probabilistic outputs for support vector machines and comparisons to regularized
    likelihood methods", *Advances in Large Margin Classifiers*, MIT Press, 1999.

    Examples
    --------
    >>> import ilk
    >>> X, y = ilk.dataset("iris").load().Xy
    >>> model = ilk.classifier("calibrated", classifier="gasvm").fit(X[::2], y[::2])
    >>> model.predict_proba(X[1:2]).round(2).tolist()
    [[0.91, 0.04, 0.05]]
    """

    folds: int = param(default=5, ge=2, doc="Most folds; a class may have fewer rows.")
    random_state: RandomState = param(
        default=None,
        type=Seed,
        doc="Seed of components of the classifier without their own.",
    )
    capabilities: ClassVar[Capabilities] = replace(
        AroundClassifier.capabilities, probabilistic=True
    )

    @classmethod
    def examples(cls) -> list[Self]:
        """Of decision values, and of probabilities."""
        return [cls(), cls(classifier="nearest_mean", folds=2), cls(classifier="decision_stump")]

    def fit(self, X: Cases, y: Labels) -> Self:
        """Fit the classifier without each fold, then on all rows, and the sigmoids.

        Parameters
        ----------
        X : data of n rows, of any kind that the classifier takes
        y : array of shape (n,)
        """
        from sklearn.base import clone

        self.check_parameters()
        X, template = with_rows(X), self._template()
        self.classes_, codes = check_labels(self, y, X, min_classes=2)
        frozen = is_frozen(template)
        if not frozen:
            template = seeded(template, check_seed(self, self.random_state).randint(2**31 - 1))
        labels = self.classes_[codes]
        self.classifier_ = fit_component(template, X, labels)
        decisions = self._decisions(self.classifier_, X)
        for out in () if frozen else self._held_out(codes):
            rows = np.flatnonzero(~out)
            fitted = clone(template, safe=False).fit(take(X, rows), labels[rows])
            decisions[out] = self._decisions(fitted, take(X, np.flatnonzero(out)))
        second = int(len(self.classes_) == 2)
        self.sigmoids_ = np.array(
            [
                sigmoid(column, np.where(codes == code, 1.0, -1.0))
                for code, column in enumerate(decisions.T, start=second)
            ]
        )
        return self

    def _held_out(self, codes: np.ndarray) -> list[np.ndarray]:
        """Mask of the rows of each fold; each leaves a row of every class."""
        fold = np.full(len(codes), -1)
        for code in range(len(self.classes_)):
            rows = np.flatnonzero(codes == code)
            if len(rows) > 1:
                fold[rows] = np.arange(len(rows)) % self.folds
        return [fold == number for number in range(int(fold.max()) + 1)]

    def _decisions(self, fitted: FittedClassifier, X: Cases) -> np.ndarray:
        """Decision values of each class; for two of the second; array of shape (n, columns)."""
        outputs, n_classes = Outputs.of(fitted, X), len(self.classes_)
        if outputs.probabilities is not None:
            p = np.clip(np.asarray(outputs.probabilities(), dtype=float), LEAST, 1 - LEAST)
            values = np.log(p) - np.log1p(-p)
            values = values[:, 1] if n_classes == 2 else values
        elif outputs.scores is not None:
            values = np.asarray(outputs.scores(), dtype=float)
        else:
            raise InputError(
                f"{display_name(self)}: {display_name(fitted)} has neither decision_function nor "
                f"predict_proba"
            )
        known = np.asarray(fitted.classes_)
        wanted = (len(values),) if n_classes == 2 else (len(values), n_classes)
        if values.shape != wanted or not np.array_equal(known, self.classes_):
            raise InputError(
                f"{display_name(self)}: {display_name(fitted)} must have one decision value for "
                f"each of the {n_classes} classes, got values of shape {values.shape} for "
                f"{len(known)} classes"
            )
        return np.asarray(values.reshape(len(values), -1))

    def predict(self, X: Cases) -> np.ndarray:
        """Most probable class of each row; array of shape (m,)."""
        return self._labels(self.predict_proba(X))

    def predict_proba(self, X: Cases) -> np.ndarray:
        """Probability of each class; array of shape (m, n_classes)."""
        from scipy.special import expit

        decisions = self._decisions(self._fitted(), X)
        slopes, offsets = self.sigmoids_.T
        positive = expit(decisions * slopes + offsets)
        positive = np.clip(positive, LEAST, 1 - LEAST)
        return class_probabilities(positive, len(self.classes_), "ova")

    def outputs(self, X: Cases) -> Outputs:
        """Labels and probabilities, from the same decision values."""
        shares = self.predict_proba(X)
        return Outputs(lambda: self._labels(shares), lambda: shares)

    def _labels(self, shares: np.ndarray) -> np.ndarray:
        return np.asarray(self.classes_[shares.argmax(axis=1)])
