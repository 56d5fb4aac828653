"""tuned: any classifier, with hyper-parameters chosen by inner resampling."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np

import ilk
from ilk import (
    Capabilities,
    Classifier,
    ClassifierLike,
    IlkError,
    InputError,
    MeasureLike,
    Outputs,
    RandomState,
    ResamplingLike,
    Seed,
    Split,
    as_table,
    available_if,
    check_labels,
    check_seed,
    check_weights,
    display_name,
    is_frozen,
    n_rows,
    param,
    rows_of_weight,
    seeded,
    slot,
    takes_weights,
)
from ilk_learners.classifiers.grid_search.grid import candidate, combinations, grid_problem
from ilk_learners.classifiers.grid_search.scores import Choice, Trial, choose, choose_by_criterion

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ilk import ArrayLike, Cases, Estimator, Labels


def inner_has(method: str) -> Any:
    """Return a check, for `available_if`, that the classifier inside has a method."""

    def check(self: AroundClassifier) -> bool:
        getattr(self._inner(), method)  # its AttributeError names the classifier without the method
        return True

    return check


class AroundClassifier(Classifier):
    """A classifier around another, which is fitted on all rows.

    Attributes
    ----------
    classifier_ : classifier
    """

    classifier: ClassifierLike = slot("classifier", default="svm", doc="Any, also a pipeline.")
    capabilities: ClassVar[Capabilities] = Capabilities(
        inputs=("vectors", "histograms", "tables", "strings", "signatures", "sets", "views"),
    )

    def _template(self) -> Any:
        return self.resolve_slot("classifier")

    def _cases(
        self, template: Estimator, X: Cases, y: Labels, sample_weight: ArrayLike | None
    ) -> tuple[Any, np.ndarray, np.ndarray | None]:
        """Rows of positive weight, codes of their labels, and weights; sets ``classes_``."""
        X = with_rows(X)
        classes, codes = check_labels(self, y, X, min_classes=2)
        X, codes, weights = self._weighted(template, X, codes, sample_weight)
        self.classes_, codes = check_labels(self, classes[codes], X, min_classes=2)
        return X, codes, weights

    def _weighted(
        self, template: Estimator, X: Cases, codes: np.ndarray, sample_weight: ArrayLike | None
    ) -> tuple[Any, np.ndarray, np.ndarray | None]:
        """Rows of positive weight, with their labels and weights."""
        if sample_weight is None:
            return X, codes, None
        if not takes_weights(template):
            name = display_name(template)
            raise InputError(
                f"{display_name(self)}: sample_weight is given, but {name} accepts none"
            )
        weights, X, codes = rows_of_weight(check_weights(self, sample_weight, X), X, codes)
        return X, codes, weights

    def _inner(self) -> Any:
        self.classifier_: Any
        return self.classifier_ if hasattr(self, "classifier_") else self._template()

    def _fitted(self) -> Any:
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(self)
        return self.classifier_

    @available_if(inner_has("nearest_cases"))
    def nearest_cases(self, X: Cases) -> Any:
        """Nearest training cases of the fitted classifier: distances, row numbers and labels."""
        return self._fitted().nearest_cases(X)

    @property
    def n_features_in_(self) -> int:  # type: ignore[override]  # delegated
        """Number of features, if the rows have any."""
        return int(self.classifier_.n_features_in_)

    @property
    def feature_names_in_(self) -> np.ndarray:
        """Column names of a table."""
        return np.asarray(self.classifier_.feature_names_in_)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "classifier_")

    def __sklearn_tags__(self) -> Any:
        """Take the input tags of the classifier."""
        from sklearn.utils import get_tags

        tags = super().__sklearn_tags__()
        try:
            inner = get_tags(self._inner())
        except IlkError:  # `fit` reports it
            return tags
        tags.input_tags = inner.input_tags
        tags.classifier_tags = inner.classifier_tags
        tags.non_deterministic = inner.non_deterministic
        return tags


class Tuned(AroundClassifier):
    """Grid search: choose a classifier's hyper-parameters by inner resampling, then refit.

    Each combination of the grid's values is scored on the same inner splits of the training rows;
    the best one is refitted on all of them. Ties go to the first combination, so list values from
    simple to complex. Combinations follow the order of the parameters as written; the last
    parameter varies fastest.

    Attributes
    ----------
    classifier_ : classifier
        The best candidate, fitted on all rows.
    classes_ : ndarray of shape (n_classes,)
        Sorted.
    best_params_ : dict
        Parameters of the best candidate.
    best_score_ : float
        Its estimate by the inner resampling. As the maximum over candidates it is optimistic.
    best_index_ : int
    results_ : dict of columns
        A row for each combination: ``params``, ``param_<name>``, ``rank`` (1 is best), ``mean``
        (the estimate), ``std``, ``split0`` ... (``repeat0`` ... for pooled measures),
        ``error``. ``pandas.DataFrame(results_)`` shows it.
    n_splits_ : int
    n_failed_ : int
        Number of skipped combinations.

    Raises
    ------
    ParameterError
        Without data: if the classifier has no such parameter, a value is invalid, or a component
        named in the grid cannot be built.
    InputError
        If a combination cannot be fitted (names it and the split), the rows cannot be split, or no
        combination has a score.

    Warns
    -----
    FitFailedWarning
        If combinations are skipped.
    UndefinedMetricWarning
        If the measure is undefined on some splits. Splits undefined for every combination are left
        out; a combination that is undefined on another split is not chosen.

    Notes
    -----
    On a split whose training rows are all of one class, that class is predicted. Classes missing in
    the training rows of a split get probability 0 there.

    With ``sample_weight`` the classifier is fitted with weights, also on the inner splits; inner
    scores are unweighted. Rows of weight 0 are dropped.

    Combinations of a support vector machine with the same kernel share one Gram matrix per split
    (unless it exceeds 512 MiB, or the measure is a time).

    Combinations of a pipeline with equal first steps share their fits on each split, and those
    that differ only in the votes of `knn` also the search, with the same results. They do not with
    sample weights (a search is shared all the same), nor where the measure is a time.

    With a `criterion` each combination is fitted once, on all rows, and the least value of these
    is chosen, with L the log-likelihood of the training labels, n the number (or weight) of rows,
    K the number of free parameters and h the VC dimension [4]_:

    - ``aic``: ``-2 L + 2 K``;
    - ``bic``: ``-2 L + K ln n``;
    - ``srm``, structural risk minimization, for two classes: ``training error + sqrt((h (ln(2n/h)
      + 1) + ln(4/0.05)) / n)``.

    The classifier, or the last step of a pipeline, must have probabilities and ``n_parameters_``
    (`logistic`, `mlp`, `rbf_network`), or ``vc_dimension_`` (`logistic`, `lda`, `qda`, and `svm`
    with a linear or polynomial kernel). What other steps learn is not counted, and a penalty
    leaves fewer parameters free than are counted. ``results_`` then has columns of the criterion
    and its terms, in place of the splits.

    References
    ----------
    .. [1] Zaidi 2011: section 7.3 (SVM with C, and OSVM with C and sigma, by cross-validation).
    .. [2] M. Stone, "Cross-validatory choice and assessment of statistical predictions", *Journal
       of the Royal Statistical Society B* 36, 1974.
    .. [3] Arras: Cross-Validation Motivation; Evaluation Procedure; Parameter k.
    .. [4] Evaluation slides: Structural Risk Minimization; Bayesian Information Criterion; Akaike
       Information Criterion.

    Examples
    --------
    >>> import ilk
    >>> X, y = ilk.dataset("iris").load().Xy
    >>> osvm = ilk.classifier("tuned", classifier="svm", random_state=0, grid={
    ...     "C": [1, 10, 100], "kernel": [{"use": "rbf", "sigma": s} for s in (0.5, 1, 2)]})
    >>> osvm.fit(X, y).best_params_
    {'C': 1, 'kernel': {'use': 'rbf', 'sigma': 1}}
    """

    grid: Mapping[str, Any] | Sequence[Any] | None = param(
        default=None,
        type=(dict, list),
        form="table, list of tables, or None",
        doc="Parameter -> list of values; ``kernel__sigma`` is a parameter of the component in a "
        'slot, and values may be components: ``{"C": [1, 10], "kernel": ["linear", {"use": '
        '"rbf"}]}``. Several tables are searched in turn. None: only the classifier as given, '
        "which is scored too.",
    )
    resampling: ResamplingLike | None = slot(
        "resampling",
        default=None,
        doc="A resampling, or a splitter of scikit-learn. None: ``stratified_kfold`` of 5 folds, "
        "or as many as the smallest class has rows; ``kfold`` if it has only one.",
    )
    measure: MeasureLike = slot(
        "measure",
        default="error",
        doc="The measure to optimise: minimised, or maximised if it declares so.",
    )
    on_error: str = param(
        default="raise",
        choices=("raise", "skip"),
        doc="What to do if a combination cannot be fitted: raise, or skip it.",
    )
    random_state: RandomState = param(
        default=None,
        type=Seed,
        doc="Seed of the splits, and of components of the classifier without their own: the same "
        "in every combination.",
    )
    criterion: Literal["aic", "bic", "srm"] | None = param(
        default=None,
        choices=("aic", "bic", "srm"),
        none=True,
        doc="In place of measure and resampling: a penalised error of the training rows, see "
        "Notes.",
    )
    capabilities: ClassVar[Capabilities] = replace(
        AroundClassifier.capabilities, sample_weight=True
    )
    waivers: ClassVar[Mapping[str, str]] = {
        f"sklearn:check_sample_weight_equivalence_on_{rows}_data": (
            "two equal rows may fall into two folds, one row of weight 2 into one, so other "
            "parameters may be chosen"
        )
        for rows in ("dense", "sparse")
    }

    @classmethod
    def examples(cls) -> list[Self]:
        """Return examples that share Gram matrices, accept no weights, and tune a step."""
        steps = [{"transformer": "standardize"}, {"classifier": "nearest_mean"}]
        halves = {"use": "stratified_kfold", "folds": 2, "small_classes": "spread"}
        return [
            cls(grid={"C": [1, 10], "kernel": ["linear", "rbf"]}, resampling=halves),
            cls(classifier="knn", grid=[{"k": [1, 3]}, {"k": [5], "vote": ["inverse_distance"]}]),
            cls(
                classifier={"use": "pipeline", "steps": steps},
                grid={"classifier": ["nearest_mean", {"use": "knn", "k": 3}]},
                resampling=halves,
                measure="accuracy",
            ),
            cls(classifier="logistic", grid={"penalty": [None, "l2"]}, criterion="bic"),
        ]

    def check_parameters(self) -> None:
        """Check each combination of the grid, as far as possible without data."""
        super().check_parameters()
        if self.criterion is not None and self.resampling is not None:
            raise self.parameter_error(
                "resampling",
                f"must be None with criterion={self.criterion!r}: no rows are split",
            )
        if self.grid is None:
            return
        problem = grid_problem(self._template(), self.grid)
        if problem:
            raise self.parameter_error("grid", problem)

    def alternatives(self) -> list[Any]:
        """Return the candidates of the grid."""
        return [candidate(self._template(), values) for values in combinations(self.grid)]

    def _template(self) -> Any:
        template = super()._template()
        if is_frozen(template):
            raise self.parameter_error(
                "classifier", "must not be frozen: each combination is fitted"
            )
        return template

    def fit(self, X: Cases, y: Labels, sample_weight: ArrayLike | None = None) -> Self:
        """Search the grid and refit the best candidate.

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
        values = combinations(self.grid)
        trial = Trial(
            owner=self,
            X=X,
            codes=codes,
            classes=self.classes_,
            weights=weights,
            candidates=[seeded(candidate(template, each), seed) for each in values],
            values=values,
            measure=self.resolve_slot("measure"),
            splits=[],
            skips=self.on_error == "skip",
        )
        if self.criterion == "srm" and len(self.classes_) > 2:
            n = len(self.classes_)
            raise InputError(f"{display_name(self)}: criterion='srm' is for two classes, y has {n}")
        if self.criterion is not None:
            self._refit(trial, choose_by_criterion(trial, self.criterion))
            return self
        scheme = None if self.resampling is None else self.resolve_slot("resampling")
        splits = inner_splits(self, scheme, X, self.classes_[codes], seed)
        trial = replace(trial, splits=splits)
        self._refit(trial, choose(trial, scheme))
        return self

    def _refit(self, trial: Trial, choice: Choice) -> None:
        """Fit the best candidate on all rows."""
        self.results_, self.n_failed_ = choice.table, choice.n_failed
        self.n_splits_, self.best_index_ = len(trial.splits), choice.best
        self.best_params_ = choice.table["params"][choice.best]
        self.best_score_ = float(choice.table["mean"][choice.best])
        rows = np.arange(len(trial.codes))
        self.classifier_ = choice.model or trial.fit(trial.candidates[choice.best], rows)

    def predict(self, X: Cases) -> Any:
        """Predicted label of each row; array of shape (m,)."""
        return self._fitted().predict(X)

    def outputs(self, X: Cases) -> Outputs:
        """Labels, probabilities and decision values of the classifier."""
        return Outputs.of(self._fitted(), X)

    @available_if(inner_has("predict_proba"))
    def predict_proba(self, X: Cases) -> Any:
        """Probability of each class; array of shape (m, n_classes)."""
        return self._fitted().predict_proba(X)

    @available_if(inner_has("decision_function"))
    def decision_function(self, X: Cases) -> Any:
        """Decision values of the classifier."""
        return self._fitted().decision_function(X)


def with_rows(X: Cases) -> Any:
    """Convert X to a form that rows can be selected from."""
    X = as_table(X)
    if hasattr(X, "tocsr"):
        return X.tocsr()
    return np.asarray(X) if hasattr(X, "__array__") and not hasattr(X, "shape") else X


_FOLDS = 5  # the usual number of folds in cross-validation


def inner_splits(owner: object, scheme: object, X: Cases, y: np.ndarray, seed: int) -> list[Split]:
    """Split rows by a resampling, a scikit-learn splitter, or the default cross-validation.

    Parameters
    ----------
    owner : Component
        Named in errors.
    scheme : resampling, splitter or None
    X : data of n rows
    y : ndarray of shape (n,)
    seed : int
        For a random splitter without its own seed.

    Raises
    ------
    InputError
        If the rows cannot be split, or a split has no training row or no test row.
    """
    scheme = _default(y) if scheme is None else scheme
    try:
        if hasattr(scheme, "splits"):
            splits = list(scheme.splits(X, y, random_state=seed))
        else:
            parts = _seeded(scheme, seed).split(np.zeros(n_rows(X)), y)
            splits = [Split(train, test, fold=fold) for fold, (train, test) in enumerate(parts)]
    except (TypeError, ValueError) as error:
        raise InputError(f"{display_name(owner)}: resampling: {error}") from error
    if not splits or any(not len(s.train) or not len(s.test) for s in splits):
        raise InputError(
            f"{display_name(owner)}: resampling must give splits with training and test rows"
        )
    return splits


def _default(y: np.ndarray) -> Any:
    least = int(np.unique(y, return_counts=True)[1].min())
    if least == 1:
        return ilk.resampling("ilk-evaluation/kfold", folds=min(_FOLDS, len(y)))
    return ilk.resampling("ilk-evaluation/stratified_kfold", folds=min(_FOLDS, least))


def _seeded(splitter: Any, seed: int) -> Any:
    draws = getattr(splitter, "shuffle", True) and hasattr(splitter, "random_state")
    if not draws or splitter.random_state is not None:
        return splitter
    splitter = copy.copy(splitter)
    splitter.random_state = seed
    return splitter
