"""cost_sensitive, threshold: other decisions from the probabilities of any classifier."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from numbers import Real
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from ilk import (
    Array,
    Capabilities,
    ClassifierLike,
    IlkError,
    InputError,
    MeasureLike,
    Outputs,
    Prediction,
    RandomState,
    ResamplingLike,
    Seed,
    available_if,
    check_fitted,
    check_seed,
    display_name,
    fit_component,
    is_frozen,
    param,
    seeded,
    slot,
    take,
)
from ilk_learners.classifiers.grid_search.scores import supports
from ilk_learners.classifiers.tuned import AroundClassifier, inner_has, inner_splits

if TYPE_CHECKING:
    from ilk import ArrayLike, Cases, Estimator, FittedClassifier, Labels, Measure, Split

_CANDIDATES = 256  # most thresholds that are scored


@dataclass(frozen=True)
class _Training:
    """A classifier that is not fitted, and the rows to fit copies of it on."""

    template: Estimator
    X: Any
    codes: np.ndarray
    weights: np.ndarray | None
    classes: np.ndarray

    def fit(self, rows: np.ndarray) -> Any:
        """Fit a copy to some rows."""
        from sklearn.base import clone

        keywords = {} if self.weights is None else {"sample_weight": self.weights[rows]}
        y = self.classes[self.codes[rows]]
        return fit_component(clone(self.template), take(self.X, rows), y, **keywords)


class DecisionRule(AroundClassifier):
    """Fits a classifier, and decides otherwise than it does from the same outputs."""

    classifier: ClassifierLike = slot("classifier", default="logistic", doc="Any, also a pipeline.")
    capabilities: ClassVar[Capabilities] = replace(
        AroundClassifier.capabilities, sample_weight=True
    )
    random_state: RandomState = param(
        default=None,
        type=Seed,
        doc="Seed of the inner splits, if any, and of components of the classifier without their "
        "own.",
    )

    def fit(self, X: Cases, y: Labels, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the classifier, and prepare the decision.

        Parameters
        ----------
        X : data of n rows, of any kind that the classifier takes
        y : array of shape (n,)
        sample_weight : array of shape (n,), optional
            Only if the classifier accepts weights.
        """
        self.check_parameters()
        template = self._template()
        X, codes, weights = self._cases(template, X, y, sample_weight)
        seed = check_seed(self, self.random_state).randint(2**31 - 1)
        self._check_classes()
        training = _Training(seeded(template, seed), X, codes, weights, self.classes_)
        fitted = training.fit(np.arange(len(codes)))
        self._learn(training, seed)
        self.classifier_ = fitted
        return self

    @abstractmethod
    def _check_classes(self) -> None:
        """Check the parameters by the classes."""

    def _learn(self, training: _Training, seed: int) -> None:
        """Learn what the decision needs beside the classifier."""

    def _template(self) -> Any:
        template = super()._template()
        if is_frozen(template):
            raise self.parameter_error("classifier", "must not be frozen: it is fitted")
        return template

    def predict(self, X: Cases) -> Any:
        """Predicted label of each row; array of shape (m,)."""
        return self.outputs(X).labels()

    @available_if(inner_has("predict_proba"))
    def predict_proba(self, X: Cases) -> Any:
        """Probability of each class by the classifier; array of shape (m, n_classes)."""
        return self._fitted().predict_proba(X)

    def _position(self, label: object, argument: str) -> int:
        """Position of a class; a text names any class that is written so."""
        classes = self.classes_.tolist()
        for code, known in enumerate(classes):
            if label == known or (isinstance(label, str) and label == str(known)):
                return code
        raise self.parameter_error(
            argument, f"must name classes ({', '.join(map(repr, classes[:5]))}), got {label!r}"
        )


class CostSensitive(DecisionRule):
    """Predict the class of least expected cost, by the probabilities of any classifier.

    The expected cost of predicting class b for case x is ``R(b | x) = sum_a costs[a, b] p_a(x)``.
    The class with the least is predicted, the first of several; with `reject_cost`, a case whose
    least expected cost is larger is rejected. The classifier itself is fitted as usual, so costs
    can change without a refit (`set_params`), and probabilities are passed on unchanged.

    Attributes
    ----------
    classifier_ : classifier
        Fitted.
    classes_ : ndarray of shape (n_classes,)
        Sorted.

    Raises
    ------
    ParameterError
        If costs are no finite numbers, do not match the classes, or if `reject_label` is a class.
    InputError
        If the classifier has no ``predict_proba``.

    Notes
    -----
    Where the costs are 0 for the right and 1 for a wrong class, and rejection costs t, this is
    Chow's rule: reject if the largest probability is below 1 - t. For two classes a false alarm
    of cost c and a miss of cost d move the threshold of the probability to c / (c + d).

    The measure `cost` takes the same costs.

    References
    ----------
    .. [1] Evaluation slides: Algorithm Preference (costs of errors).
    .. [2] C. Elkan, "The foundations of cost-sensitive learning", *IJCAI*, 2001.
    .. [3] C. K. Chow, "On optimum recognition error and reject tradeoff", *IEEE Transactions on
       Information Theory* 16, 1970.

    Examples
    --------
    One neighbour of four is ill; missing an illness costs 5 false alarms:

    >>> import ilk
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["well", "well", "ill", "well"]
    >>> knn = {"use": "knn", "k": 4}
    >>> ilk.classifier("knn", k=4).fit(X, y).predict([[1.5]]).tolist()
    ['well']
    >>> careful = ilk.classifier("cost_sensitive", classifier=knn, costs={"ill": {"well": 5}})
    >>> careful.fit(X, y).predict([[1.5]]).tolist()
    ['ill']
    >>> careful.expected_costs([[1.5]])
    array([[0.75, 1.25]])
    """

    costs: ArrayLike | Mapping[str, Any] | None = param(
        default=None,
        type=(Array, dict),
        form="array of shape (n_classes, n_classes), or table of tables",
        doc="Rows true, columns predicted, in the order of the sorted classes; or ``{true: "
        "{predicted: cost}}``, where omitted pairs cost 1, and correct predictions 0. None: "
        "these costs for all pairs, which give the most probable class.",
    )
    reject_cost: float | None = param(
        default=None, type=float, doc="Finite cost of a rejection; None: nothing is rejected."
    )
    reject_label: str | float | bool | None = param(
        default=None,
        type=(str, int, float, bool),
        doc="The answer for a rejected case; must not be a class.",
    )

    @classmethod
    def examples(cls) -> list[Self]:
        return [
            cls(),
            cls(classifier={"use": "knn", "k": 5}, reject_cost=0.9),
        ]

    def check_parameters(self) -> None:
        """Check also that costs are finite numbers in a square, or in tables."""
        super().check_parameters()
        if self.reject_cost is not None and not math.isfinite(self.reject_cost):
            raise self.parameter_error("reject_cost", f"must be finite, got {self.reject_cost}")
        if isinstance(self.costs, Mapping):
            for true, row in self.costs.items():
                if not isinstance(row, Mapping) or not all(map(_is_cost, row.values())):
                    raise self.parameter_error(
                        "costs", f"[{true!r}] must be a table of finite numbers, got {row!r}"
                    )
        elif self.costs is not None:
            array = np.asarray(self.costs)
            if array.ndim != 2 or array.shape[0] != array.shape[1] or not np.isfinite(array).all():
                raise self.parameter_error(
                    "costs", f"must be a square of finite numbers, got shape {array.shape}"
                )

    def _check_classes(self) -> None:
        self._matrix()
        if self.reject_cost is not None and self.reject_label in self.classes_.tolist():
            raise self.parameter_error(
                "reject_label", f"must be no class, got {self.reject_label!r}"
            )

    def _matrix(self) -> np.ndarray:
        n = len(self.classes_)
        if self.costs is not None and not isinstance(self.costs, Mapping):
            matrix = np.asarray(self.costs, dtype=float)
            if len(matrix) != n:
                raise self.parameter_error(
                    "costs", f"is for {len(matrix)} classes, y has {n} classes"
                )
            return matrix
        matrix = 1 - np.eye(n)
        for true, row in (self.costs or {}).items():
            for predicted, cost in row.items():
                matrix[self._position(true, "costs"), self._position(predicted, "costs")] = cost
        return matrix

    def expected_costs(self, X: Cases) -> np.ndarray:
        """Expected cost of predicting each class; array of shape (m, n_classes)."""
        check_fitted(self)
        return self._expected(Outputs.of(self.classifier_, X))

    def _expected(self, outputs: Outputs) -> np.ndarray:
        if outputs.probabilities is None:
            raise InputError(
                f"{display_name(self)}: {display_name(self.classifier_)} has no predict_proba, "
                f"which expected costs need"
            )
        return np.asarray(outputs.probabilities() @ self._matrix())

    def decision_function(self, X: Cases) -> np.ndarray:
        """Negative expected cost of each class; array of shape (m, n_classes).

        With two classes: expected cost of the first minus that of the second, of shape (m,).
        """
        return _as_scores(-self.expected_costs(X))

    def outputs(self, X: Cases) -> Outputs:
        """Labels, probabilities and decision values, from the same probabilities."""
        check_fitted(self)
        inner = Outputs.of(self.classifier_, X)
        expected = self._expected(inner)
        return Outputs(
            lambda: self._labels(expected), inner.probabilities, lambda: _as_scores(-expected)
        )

    def _labels(self, expected: np.ndarray) -> np.ndarray:
        labels: np.ndarray = self.classes_[expected.argmin(axis=1)]
        if self.reject_cost is None:
            return labels
        rejected = expected.min(axis=1) > self.reject_cost
        if not rejected.any():
            return labels
        labels = labels.astype(object)
        labels[rejected] = self.reject_label
        return labels


def _is_cost(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)


def _as_scores(values: np.ndarray) -> np.ndarray:
    return values[:, 1] - values[:, 0] if values.shape[1] == 2 else values


class Threshold(DecisionRule):
    """Predict one class where its probability reaches a threshold, fixed or tuned.

    The positive class is predicted if its probability is at least the threshold, else the most
    probable of the others. With ``threshold="tuned"`` the threshold is the one with the best
    value of a measure on held-out predictions: every case is predicted by classifiers fitted to
    the other folds of an inner resampling, all these predictions are scored together, and then
    the classifier is fitted on all rows. Candidates lie midway between neighbouring
    probabilities; of more than 256, as many are taken evenly. Of equally good ones the nearest
    to 1/2 is taken.

    A classifier without probabilities is decided by its decision values, and 0 in place of 1/2.

    Attributes
    ----------
    classifier_ : classifier
        Fitted.
    classes_ : ndarray of shape (n_classes,)
        Sorted.
    positive_ : label
    threshold_ : float
    thresholds_, values_ : ndarray of shape (n_candidates,)
        If tuned: candidates, ascending, and the measure at each.

    Raises
    ------
    ParameterError
        If `positive` is no class, or the measure does not depend on labels.
    InputError
        If the classifier has neither probabilities nor decision values, or, tuned, if the rows
        cannot be split or the measure is undefined for every threshold.

    Notes
    -----
    Of a classifier whose probabilities are right, the threshold of least expected cost is
    known: `cost_sensitive`. Tuning helps where they are not, or for a measure that is no mean
    cost, such as `f1`. With ``sample_weight`` the classifier is fitted with weights; held-out
    predictions are scored unweighted.

    References
    ----------
    .. [1] Arras: ROC Curves.

    Examples
    --------
    >>> import ilk
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["well", "well", "ill", "well"]
    >>> knn = {"use": "knn", "k": 4}
    >>> low = ilk.classifier("threshold", classifier=knn, positive="ill", threshold=0.25)
    >>> low.fit(X, y).predict([[1.5]]).tolist()  # one neighbour of four is ill
    ['ill']
    >>> X, y = ilk.dataset("breast_cancer").load().Xy
    >>> tuned = ilk.classifier("threshold", classifier="lda", positive="malignant",
    ...                        threshold="tuned", random_state=0)
    >>> tuned.fit(X, y).threshold_ < 0.5  # lda misses too many
    True
    """

    threshold: float | str = param(
        default=0.5,
        type=float,
        choices=("tuned",),
        form='float or "tuned"',
        doc="Least probability, or decision value, at which the positive class is predicted.",
    )
    positive: str | float | bool | None = param(
        default=None,
        type=(str, int, float, bool),
        doc="The positive class. None: the last of the sorted classes, of two the second.",
    )
    measure: MeasureLike = slot(
        "measure",
        default="mean_class_accuracy",
        doc="If tuned: the measure of labels to optimise.",
    )
    resampling: ResamplingLike | None = slot(
        "resampling",
        default=None,
        doc="If tuned: a resampling, or a splitter of scikit-learn. None: ``stratified_kfold`` of "
        "5 folds, or as many as the smallest class has rows; ``kfold`` if it has only one.",
    )

    waivers: ClassVar[Mapping[str, str]] = {
        f"sklearn:check_classifiers_train{case}": (
            "the last of three classes may be the most probable, and yet below the threshold"
        )
        for case in ("", "(readonly_memmap=True)", "(X_dtype=float32, readonly_memmap=True)")
    }

    @classmethod
    def examples(cls) -> list[Self]:
        halves = {"use": "stratified_kfold", "folds": 2, "small_classes": "spread"}
        return [
            cls(),
            cls(classifier="lda", threshold="tuned", resampling=halves),
            cls(classifier="svm", threshold="tuned", measure="error", resampling=halves),
        ]

    def _check_classes(self) -> None:
        last = len(self.classes_) - 1
        self._column = last if self.positive is None else self._position(self.positive, "positive")
        self.positive_ = self.classes_[self._column]

    def _learn(self, training: _Training, seed: int) -> None:
        if self.threshold != "tuned":
            self.threshold_ = float(self.threshold)
            return
        measure = self.resolve_slot("measure")
        if measure.needs not in ("labels", "numbers"):
            raise self.parameter_error(
                "measure",
                f"must depend on labels, which a threshold changes; {display_name(measure)} needs "
                f"{measure.needs}",
            )
        scheme = None if self.resampling is None else self.resolve_slot("resampling")
        codes = training.codes
        splits = inner_splits(self, scheme, training.X, self.classes_[codes], seed)
        held_out = [
            self._held_out(training, split)
            for split in splits
            if len(np.unique(codes[split.train])) > 1
        ]
        if not held_out:
            raise InputError(f"{display_name(self)}: no inner split has two classes to train on")
        tests, supported, ordinary = zip(*held_out, strict=True)
        truth = self.classes_[codes[np.concatenate(tests)]]
        self._tune(measure, truth, np.concatenate(supported), ordinary[0])

    def _held_out(self, training: _Training, split: Split) -> tuple[np.ndarray, np.ndarray, float]:
        try:
            model = training.fit(split.train)
        except IlkError as error:
            raise InputError(f"{display_name(self)}: an inner split failed: {error}") from error
        outputs = Outputs.of(model, take(training.X, split.test))
        return split.test, *self._support(outputs, model)

    def _tune(
        self,
        measure: Measure,
        truth: np.ndarray,
        support: np.ndarray,
        ordinary: float,
    ) -> None:
        """Score the candidates on held-out support, and take the best."""
        thresholds = _candidates(support[:, self._column], ordinary)
        values = [
            float(measure(Prediction(truth, self._decided(support, at), self.classes_)))
            for at in thresholds
        ]
        self.thresholds_, self.values_ = thresholds, np.array(values)
        signed = self.values_ if measure.greater_is_better else -self.values_
        if np.isnan(signed).all():
            raise InputError(
                f"{display_name(self)}: measure {display_name(measure)} is undefined (NaN) for "
                f"every threshold"
            )
        best = np.flatnonzero(signed == np.nanmax(signed))
        self.threshold_ = float(min(thresholds[best], key=lambda at: abs(at - ordinary)))

    def _support(self, outputs: Outputs, model: FittedClassifier) -> tuple[np.ndarray, float]:
        """Probabilities or decision values, one column a class, and the ordinary threshold."""
        proba, scores = supports(model, outputs, self.classes_)
        support = scores if proba is None else proba
        if support is None:
            raise InputError(
                f"{display_name(self)}: {display_name(model)} has neither probabilities nor "
                f"decision values for each class"
            )
        return support, 0.0 if proba is None else 0.5

    def _decided(self, support: np.ndarray, threshold: float) -> np.ndarray:
        others = support.copy()
        others[:, self._column] = -np.inf
        positive = support[:, self._column] >= threshold
        return np.asarray(self.classes_[np.where(positive, self._column, others.argmax(axis=1))])

    def decision_function(self, X: Cases) -> np.ndarray:
        """Support of the positive class minus the threshold, and of others minus the best of them.

        Array of shape (m, n_classes). With two classes: the first of these numbers, negative if
        the positive class is the first; array of shape (m,).
        """
        support, _ = self._support(Outputs.of(self._fitted(), X), self.classifier_)
        return self._scores(support)

    def outputs(self, X: Cases) -> Outputs:
        """Labels, probabilities and decision values, from the same outputs of the classifier."""
        check_fitted(self)
        inner = Outputs.of(self.classifier_, X)
        support, _ = self._support(inner, self.classifier_)
        return Outputs(
            lambda: self._decided(support, self.threshold_),
            inner.probabilities,
            lambda: self._scores(support),
        )

    def _scores(self, support: np.ndarray) -> np.ndarray:
        lead = support[:, self._column] - self.threshold_
        if len(self.classes_) == 2:
            return lead if self._column else -lead
        others = support.copy()
        others[:, self._column] = -np.inf
        others -= others.max(axis=1, keepdims=True)
        others[:, self._column] = lead
        return others


def _candidates(support: np.ndarray, ordinary: float) -> np.ndarray:
    """Thresholds midway between neighbouring values and beyond them, and the ordinary one."""
    values = np.unique(support[np.isfinite(support)])
    if not len(values):
        return np.array([ordinary])
    middles = (values[1:] + values[:-1]) / 2
    every = np.r_[values[0], middles, np.nextafter(values[-1], np.inf)]
    if len(every) > _CANDIDATES:
        every = every[np.linspace(0, len(every) - 1, _CANDIDATES).round().astype(int)]
    return np.unique(np.r_[every, ordinary])
