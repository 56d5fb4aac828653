"""sklearn: classifiers, regressors, detectors and clusterers of scikit-learn by public names."""

from __future__ import annotations

import inspect
import warnings
from contextlib import contextmanager
from functools import cache, partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from ilk import (
    Capabilities,
    Classifier,
    Clusterer,
    Component,
    Detector,
    IlkError,
    InputError,
    InputTypeError,
    RandomState,
    Regressor,
    Seed,
    as_table,
    available_if,
    check_finite,
    check_labels,
    check_seed,
    check_vectors,
    check_weights,
    did_you_mean,
    display_name,
    is_sparse,
    is_table,
    param,
)
from ilk_learners.validation import check_columns, read_numbers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from ilk import ArrayLike, Cases, Estimator, Labels

# Modules with predictors, cheapest imports first, so that a search loads little.
_HOMES = (
    "linear_model",
    "neighbors",
    "tree",
    "svm",
    "naive_bayes",
    "discriminant_analysis",
    "dummy",
    "neural_network",
    "gaussian_process",
    "ensemble",
    "calibration",
    "multiclass",
    "multioutput",
    "semi_supervised",
    "model_selection",
)
_OTHER_HOMES = {
    "detector": ("linear_model", "neighbors", "svm", "covariance", "ensemble"),
    "clusterer": ("cluster",),
}


def _inner_has(method: str) -> Callable[[WrappedEstimator], bool]:
    def check(self: WrappedEstimator) -> bool:
        getattr(self._inner(), method)  # its AttributeError names the estimator without the method
        return True

    return check


_NESTED = "__random_state"


class WrappedEstimator(Component):
    """An estimator of scikit-learn by its class name; each kind has a subclass."""

    estimator: str = param(default="LogisticRegression", doc="Name of a public class.")
    params: Mapping[str, Any] | None = param(
        default=None,
        type=dict,
        form="dict or None",
        doc="Its parameters; the others keep scikit-learn's defaults.",
    )
    random_state: RandomState = param(
        default=None,
        type=Seed,
        doc="Passed to the estimator if it has a parameter of this name, unless `params` sets "
        "it, and to estimators in `params` without their own.",
    )
    relies_on: ClassVar[tuple[str, ...]] = ("scikit-learn",)
    _noun: ClassVar[str] = "classifier"
    _presets: ClassVar[Mapping[str, Any]] = {}

    @property
    def sample_weight(self) -> bool:
        """Whether `fit` and the estimator take weights; True if there is none of this name."""
        from sklearn.utils.validation import has_fit_parameter

        if not self.capabilities.sample_weight:
            return False
        cls = _find(self._noun, self.estimator)
        return cls is None or bool(has_fit_parameter(cls, "sample_weight"))

    def check_parameters(self) -> None:
        """Check that the estimator exists and accepts the parameters and values."""
        super().check_parameters()
        estimator = self._make()
        check = getattr(estimator, "_validate_params", None)  # scikit-learn checks values in fit
        if check is None:
            return
        try:
            check()
        except ValueError as error:
            raise self.parameter_error("params", f"cannot be taken: {error}") from None

    def _make(self) -> Any:
        """Return the unfitted estimator."""
        from sklearn.base import clone

        cls = _find(self._noun, self.estimator)
        if cls is None:
            hint = did_you_mean(self.estimator, _all_of(self._noun))
            raise self.parameter_error(
                "estimator",
                f"must be the name of a {self._noun} of scikit-learn, got {self.estimator!r}{hint}",
            )
        known = inspect.signature(cls).parameters
        given = {key: clone(value, safe=False) for key, value in (self.params or {}).items()}
        for key in given:
            if key not in known:
                raise self.parameter_error(
                    "params",
                    f"has {key!r}, which {self.estimator} has not{did_you_mean(key, known)} "
                    f"(it has: {', '.join(known)})",
                )
        given = {**{key: self._presets[key] for key in self._presets if key in known}, **given}
        missing = [n for n, p in known.items() if p.default is p.empty and n not in given]
        if missing:
            raise self.parameter_error(
                "params", f"must give {', '.join(missing)}, which {self.estimator} needs"
            )
        if "random_state" in known:
            seed = self.random_state
            if isinstance(seed, np.random.Generator):  # scikit-learn accepts none
                seed = check_seed(self, seed)
            given.setdefault("random_state", seed)
        return cls(**given)

    def _seed_nested(self, estimator: Any) -> None:
        """Seed nested estimators (as in `params`) whose random state is open."""
        if self.random_state is None:
            return
        rng = check_seed(self, self.random_state)
        inner = estimator.get_params(deep=True).items()
        names = sorted(key for key, value in inner if value is None and key.endswith(_NESTED))
        estimator.set_params(**{name: int(rng.randint(2**31 - 1)) for name in names})

    def _inner(self) -> Any:
        return self.estimator_ if hasattr(self, "estimator_") else self._make()

    def _fit(self, X: Cases, sample_weight: ArrayLike | None, target: Callable[[Any], Any]) -> Self:
        """Fit the estimator on checked rows and the target that they have."""
        from sklearn.utils.validation import has_fit_parameter

        self.check_parameters()
        estimator = self._make()
        self._seed_nested(estimator)
        X = self._checked(estimator, X, reset=True)
        y = target(X)
        weights = {}
        if sample_weight is not None:
            if not has_fit_parameter(estimator, "sample_weight"):
                raise InputError(
                    f"{display_name(self)}: sample_weight is given, but "
                    f"{self.estimator} accepts none"
                )
            weights["sample_weight"] = check_weights(self, sample_weight, X)
        self._sparse = is_sparse(X)
        with self._named():
            self.estimator_ = estimator.fit(X, y, **weights)
        return self

    @contextmanager
    def _named(self) -> Iterator[None]:
        """Turn errors of the estimator into errors that name it."""
        try:
            yield
        except IlkError:
            raise
        except TypeError as error:
            raise InputTypeError(f"{display_name(self)}: {self.estimator}: {error}") from error
        except (ArithmeticError, LookupError, ValueError) as error:
            raise InputError(f"{display_name(self)}: {self.estimator}: {error}") from error

    def _checked(self, estimator: Estimator, X: Cases, *, reset: bool) -> Any:
        """Check vectors; missing values and sparse X pass if the estimator accepts them.

        Tables pass unchanged to estimators with a parameter for categorical features.
        """
        from sklearn.utils import get_tags

        able = get_tags(estimator).input_tags
        X = as_table(X)
        if is_table(X) and "categorical_features" in estimator.get_params(deep=False):
            check_columns(self, X, reset=reset)
            return X
        rows: Any = check_vectors(self, X, reset=reset, nan=able.allow_nan, sparse=able.sparse)
        return rows.astype(float, copy=False)  # some sum and stop in the precision of float32

    def _call(self, method: str, X: Cases) -> Any:
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(self)
        rows = self._checked(self.estimator_, X, reset=False)
        if is_sparse(rows) and not self._sparse:  # some are particular about it
            rows = rows.toarray()
        with self._named():
            return getattr(self.estimator_, method)(rows)

    def _values(self, method: str, X: Cases) -> Any:
        """Call a method and check that its result is finite; huge numbers in X may overflow."""
        values = self._call(method, X)
        check_finite(self, values, argument=f"{self.estimator}.{method}(X)")
        return values

    def predict(self, X: Cases) -> Any:
        """Prediction for each row; array of shape (m,)."""
        return self._call("predict", X)

    @available_if(_inner_has("apply"))
    def apply(self, X: Cases) -> Any:
        """Leaf of each row in each tree, if the estimator consists of trees."""
        return self._call("apply", X)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "estimator_")

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import get_tags

        tags = super().__sklearn_tags__()
        try:
            inner = get_tags(self._inner())
        except IlkError:  # `fit` reports it
            return tags
        tags.input_tags = inner.input_tags
        if inner.classifier_tags is not None:
            tags.classifier_tags = inner.classifier_tags
            tags.classifier_tags.multi_label = False
        tags.non_deterministic = inner.non_deterministic
        return tags


class Wrapped(WrappedEstimator, Classifier):
    """Any classifier of scikit-learn, by its public class name.

    Attributes
    ----------
    estimator_ : scikit-learn classifier
        Fitted.
    classes_ : ndarray of shape (n_classes,)
        Sorted.
    n_features_in_ : int

    Raises
    ------
    ParameterError
        If there is no such classifier, it has no such parameter (names the closest), or a value is
        invalid.
    InputError
        If the classifier accepts no sample weights but they are given, if it rejects the data, or
        if a probability or decision value is not finite.

    Examples
    --------
    >>> import ilk
    >>> tree = ilk.classifier("sklearn", estimator="DecisionTreeClassifier",
    ...                       params={"max_depth": 1}, random_state=0)
    >>> tree.fit([[0.0], [1.0], [4.0], [5.0]], [1, 1, 2, 2]).predict([[2.0], [3.0]])
    array([1, 2])
    """

    estimator: str = param(
        default="LogisticRegression",
        doc='Name of a public classifier class, such as ``"RandomForestClassifier"``.',
    )
    capabilities: ClassVar[Capabilities] = Capabilities(sample_weight=True, probabilistic=True)

    @classmethod
    def examples(cls) -> list[Self]:
        return [
            cls(),
            cls(estimator="DecisionTreeClassifier", params={"max_depth": 3}, random_state=0),
            cls(estimator="GaussianNB"),
        ]

    def fit(self, X: Cases, y: Labels, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the classifier.

        Parameters
        ----------
        X : array of shape (n, p), or whatever the classifier takes
        y : array of shape (n,)
        sample_weight : array of shape (n,), optional
            Only if the classifier accepts weights.
        """

        def labels(X: Any) -> np.ndarray:
            classes, codes = check_labels(self, y, X, min_classes=2)
            return np.asarray(classes[codes])

        return self._fit(X, sample_weight, labels)

    @property
    def classes_(self) -> np.ndarray:  # type: ignore[override]  # delegated
        """Classes of the fitted classifier, sorted."""
        return np.asarray(self.estimator_.classes_)

    @available_if(_inner_has("predict_proba"))
    def predict_proba(self, X: Cases) -> Any:
        """Probability of each class; array of shape (m, n_classes)."""
        return self._values("predict_proba", X)

    @available_if(_inner_has("decision_function"))
    def decision_function(self, X: Cases) -> Any:
        """Decision values of the classifier."""
        return self._values("decision_function", X)


class WrappedRegressor(WrappedEstimator, Regressor):
    """Any regressor of scikit-learn, by its public class name.

    Attributes
    ----------
    estimator_ : scikit-learn regressor
        Fitted.
    n_features_in_ : int

    Raises
    ------
    ParameterError
        If there is no such regressor, it has no such parameter (names the closest), or a value is
        invalid.
    InputError
        If the regressor accepts no sample weights but they are given, if it rejects the data, or
        if a prediction is not finite.

    Examples
    --------
    >>> import ilk
    >>> line = ilk.regressor("sklearn", estimator="LinearRegression")
    >>> line.fit([[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0]).predict([[3.0]]).round(6)
    array([7.])
    """

    estimator: str = param(
        default="LinearRegression",
        doc='Name of a public regressor class, such as ``"RandomForestRegressor"``.',
    )
    capabilities: ClassVar[Capabilities] = Capabilities(sample_weight=True)
    _noun: ClassVar[str] = "regressor"

    @classmethod
    def examples(cls) -> list[Self]:
        return [
            cls(),
            cls(estimator="DecisionTreeRegressor", params={"max_depth": 3}, random_state=0),
        ]

    def fit(self, X: Cases, y: Labels, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the regressor.

        Parameters
        ----------
        X : array of shape (n, p), or whatever the regressor takes
        y : array of shape (n,)
        sample_weight : array of shape (n,), optional
            Only if the regressor accepts weights.
        """
        return self._fit(X, sample_weight, partial(read_numbers, self, y))

    def predict(self, X: Cases) -> Any:
        """Predicted value of each row; array of shape (m,)."""
        return self._values("predict", X)


class WrappedDetector(WrappedEstimator, Detector):
    """Any outlier detector of scikit-learn, by its public class name.

    ``LocalOutlierFactor`` gets ``novelty=True``, without which it judges no other rows than those
    it is fitted on. `ilk.save` refuses a fitted ``IsolationForest`` or ``EllipticEnvelope``, whose
    parts in a file cannot be checked.

    Attributes
    ----------
    estimator_ : scikit-learn detector
        Fitted.
    offset_ : float
        Score that separates outliers from inliers.
    n_features_in_ : int

    Raises
    ------
    ParameterError
        If there is no such detector, it has no such parameter (names the closest), or a value is
        invalid.
    InputError
        If the detector rejects the data, or a decision value is not finite.

    Examples
    --------
    >>> import ilk
    >>> detector = ilk.detector("sklearn", params={"n_neighbors": 2})
    >>> detector.fit([[0.0], [0.1], [0.2], [0.3]]).predict([[0.15], [5.0]])
    array([ 1, -1])
    """

    estimator: str = param(
        default="LocalOutlierFactor",
        doc='Name of a public detector class, such as ``"IsolationForest"``.',
    )
    _noun: ClassVar[str] = "detector"
    _presets: ClassVar[Mapping[str, Any]] = {"novelty": True}

    @classmethod
    def examples(cls) -> list[Self]:
        return [
            cls(),
            cls(estimator="OneClassSVM", params={"nu": 0.2}),
        ]

    def check_parameters(self) -> None:
        """Check that the detector exists, accepts the parameters, and can judge other rows."""
        super().check_parameters()
        if (self.params or {}).get("novelty") is False:
            raise self.parameter_error(
                "params",
                f"has novelty = False, by which {self.estimator} judges no other rows than those "
                f"it is fitted on; leave it out",
            )

    def fit(self, X: Cases, y: Labels | None = None) -> Self:
        """Fit the detector.

        Parameters
        ----------
        X : array of shape (n, p), or whatever the detector takes
        y : ignored
        """
        return self._fit(X, None, _no_target)

    def decision_function(self, X: Cases) -> Any:
        """Signed score of each row, negative for outliers; array of shape (m,)."""
        return self._values("decision_function", X)

    @available_if(_inner_has("score_samples"))
    def score_samples(self, X: Cases) -> Any:
        """Score of each row before `offset_` is subtracted; array of shape (m,)."""
        return self._values("score_samples", X)

    @property
    def offset_(self) -> float:
        """Score that separates outliers from inliers."""
        return float(self.estimator_.offset_)


class WrappedClusterer(WrappedEstimator, Clusterer):
    """Any clusterer of scikit-learn, by its public class name.

    ``FeatureAgglomeration`` is none: it groups columns. `ilk.save` refuses fitted clusterers of
    scikit-learn.

    Attributes
    ----------
    estimator_ : scikit-learn clusterer
        Fitted.
    labels_ : ndarray of int, shape (n,)
        Cluster of each training row; -1 is noise.
    n_features_in_ : int

    Raises
    ------
    ParameterError
        If there is no such clusterer, it has no such parameter (names the closest), or a value is
        invalid.
    InputError
        If the clusterer rejects the data.

    Examples
    --------
    >>> import ilk
    >>> clusterer = ilk.clusterer("sklearn", estimator="AgglomerativeClustering",
    ...                           params={"n_clusters": 2})
    >>> clusterer.fit_predict([[0.0], [0.1], [9.0], [9.1]])
    array([0, 0, 1, 1])
    """

    estimator: str = param(
        default="KMeans",
        doc='Name of a public clusterer class, such as ``"AgglomerativeClustering"``.',
    )
    _noun: ClassVar[str] = "clusterer"

    @classmethod
    def examples(cls) -> list[Self]:
        return [
            cls(params={"n_clusters": 3, "n_init": 1}, random_state=0),
            cls(estimator="DBSCAN"),
        ]

    def fit(self, X: Cases, y: Labels | None = None) -> Self:
        """Find the clusters of X.

        Parameters
        ----------
        X : array of shape (n, p), or whatever the clusterer takes
        y : ignored
        """
        return self._fit(X, None, _no_target)

    @property
    def labels_(self) -> np.ndarray:  # type: ignore[override]  # delegated
        """Cluster of each training row; -1 is noise."""
        return np.asarray(self.estimator_.labels_)

    @available_if(_inner_has("predict"))
    def predict(self, X: Cases) -> Any:
        """Cluster of each row, if the clusterer judges other rows; array of shape (m,)."""
        return self._call("predict", X)


def _no_target(X: Any) -> None:
    """No target: detectors and clusterers ignore y."""


_MIXINS = {
    "classifier": "ClassifierMixin",
    "regressor": "RegressorMixin",
    "detector": "OutlierMixin",
    "clusterer": "ClusterMixin",
}  # in sklearn.base
_OF_COLUMNS = "FeatureAgglomeration"  # clusters columns, not rows


@cache
def _find(noun: str, name: str) -> type | None:
    """Return the public class of that name, with as few imports as possible."""
    near = (vars(home)[name] for home in _homes(noun) if name in _public(noun, home))
    return next(near, None) or _all_of(noun).get(name)


def _homes(noun: str) -> Iterator[Any]:
    for home in _OTHER_HOMES.get(noun, _HOMES):
        yield import_module(f"sklearn.{home}")


def _public(noun: str, module: Any) -> set[str]:
    names = getattr(module, "__all__", None)
    every = names if names is not None else [n for n in vars(module) if not n.startswith("_")]
    return {n for n in every if _is_predictor(noun, vars(module).get(n))}


def _is_predictor(noun: str, cls: object) -> bool:
    mixin = getattr(import_module("sklearn.base"), _MIXINS[noun])
    return (
        isinstance(cls, type)
        and issubclass(cls, mixin)
        and not inspect.isabstract(cls)
        and cls is not mixin
        and cls.__name__ != _OF_COLUMNS
    )


@cache
def _all_of(noun: str) -> dict[str, type]:
    """Return all public classes of a kind; this imports most of scikit-learn."""
    from sklearn.utils import all_estimators

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of deprecated modules
        return {name: cls for name, cls in all_estimators() if _is_predictor(noun, cls)}
