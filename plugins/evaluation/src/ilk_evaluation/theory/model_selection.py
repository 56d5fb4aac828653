"""Model selection: structural risk minimization, and the information criteria AIC and BIC."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

import ilk
from ilk import InputError
from ilk_evaluation.arguments import as_model, model_name
from ilk_evaluation.theory.domain import (
    CAPACITY,
    COUNT,
    COUNT_OR_NONE,
    FINITE,
    LEVEL,
    checked,
    log_of,
    measured,
    plain,
)
from ilk_evaluation.theory.generalization_bounds import vc_bound
from ilk_evaluation.theory.vc_dimension import svm_vc_dimension

if TYPE_CHECKING:
    import pandas as pd

    from ilk import Cases, Estimator, Labels


@dataclass(frozen=True)
class StructuralRisk:
    """Result of structural risk minimization.

    Attributes
    ----------
    table : DataFrame
        One row per model: model (its label), empirical_risk, capacity, confidence (the capacity
        term), bound (their sum, the guaranteed risk), chosen.
    model : classifier
        The selected model, fitted.
    delta : float
    """

    table: pd.DataFrame
    model: Any
    delta: float

    @property
    def chosen(self) -> str:
        """Label of the model with the least bound."""
        return str(self.table.loc[self.table["chosen"], "model"].iloc[0])


def srm(
    models: Mapping[str, Any] | Sequence[Any],
    X: Cases,
    y: Labels,
    *,
    capacity: Sequence[float] | Callable[[Any, Any], float] | None = None,
    delta: float = 0.05,
) -> StructuralRisk:
    """Structural risk minimization: choose among nested families by the least guaranteed risk.

    ``argmin_i R_emp(f_i) + sqrt((h_i (ln(2n/h_i) + 1) + ln(4/delta)) / n)``, as in `vc_bound`:
    f_i is the model of family i fitted on all cases and h_i the capacity of its family. A richer
    family fits better, but has a larger capacity term.

    Parameters
    ----------
    models : mapping of str to model, or sequence of models
        From the poorest to the richest family. A model is a classifier, its name, or a spec.
        Fitted models are used as they are, clones of the others are fitted.
    X : data of n rows
    y : array of shape (n,)
        Labels, of two classes.
    capacity : sequence of float, function or None, default=None
        VC dimensions; or a function of a fitted model and X that returns one; None:
        `svm_vc_dimension`, for support vector machines.
    delta : float, default=0.05
        Probability with which each bound may fail. For all m bounds to hold simultaneously,
        divide it by m.

    Returns
    -------
    StructuralRisk
        Ties go to the first model.

    Raises
    ------
    InputError
        If there is no model, or labels have more than two classes.
    ParameterError
        For a delta or a capacity outside its range, or the wrong number of capacities.

    Notes
    -----
    The bounds are loose: their order matters, not their size. Strictly, they hold only for
    capacities chosen before seeing the cases; `svm_vc_dimension` depends on the cases.

    References
    ----------
    Evaluation slides: Structural Risk Minimization.

    Cunningham 2008: section 2.2.3.

    Vapnik (1998), Statistical Learning Theory.

    Examples
    --------
    Polynomial machines by degree: a circle needs exactly degree 2:

    >>> import ilk, numpy as np
    >>> from ilk_evaluation import theory
    >>> X = np.random.default_rng(0).normal(size=(2000, 2))
    >>> y = (X**2).sum(axis=1) > 1.4
    >>> degrees = (1, 2, 3, 4)
    >>> family = {
    ...     f"degree {q}": ilk.classifier(
    ...         "svm", kernel=ilk.kernel("polynomial", degree=q), C=100.0
    ...     )
    ...     for q in degrees
    ... }
    >>> sizes = [theory.polynomial_vc_dimension(2, q) for q in degrees]
    >>> found = theory.srm(family, X, y, capacity=sizes)
    >>> found.chosen
    'degree 2'
    >>> found.table["capacity"].tolist()
    [3.0, 6.0, 10.0, 15.0]
    """
    labelled = _labelled(models)
    level = float(checked("srm", "delta", delta, LEVEL).item())
    truth = _two_classes(X, y)
    listed = None if capacity is None or callable(capacity) else capacity
    if listed is not None:
        _check_number(checked("srm", "capacity", listed, CAPACITY), len(labelled))
    fitted = {label: _fitted(model, X, truth) for label, model in labelled.items()}
    if listed is None:
        estimate = capacity if callable(capacity) else svm_vc_dimension
        listed = [estimate(model, X) for model in fitted.values()]
    errors = [np.mean(np.asarray(model.predict(X)) != truth) for model in fitted.values()]
    capacities = checked("srm", "capacity", listed, CAPACITY)
    return _judged(fitted, np.array(errors), capacities, len(truth), level)


def _labelled(models: Mapping[str, Any] | Sequence[Any]) -> dict[str, Any]:
    if isinstance(models, Mapping):
        labelled = {str(label): model for label, model in models.items()}
    else:
        labelled = {f"{i}: {model_name(model)}": model for i, model in enumerate(models, 1)}
    if not labelled:
        raise InputError("srm: models is empty, at least one model is needed")
    return labelled


def _two_classes(X: Cases, y: Labels) -> np.ndarray:
    truth = np.asarray(y)
    if truth.shape != (ilk.n_rows(X),):
        raise InputError(
            f"srm: y must have one label for each of the {ilk.n_rows(X)} rows of X, got shape "
            f"{truth.shape}"
        )
    classes = np.unique(truth)
    if len(classes) != 2:
        raise InputError(f"srm: y must have two classes, got {len(classes)}")
    return truth


def _check_number(capacities: np.ndarray, n_models: int) -> None:
    if capacities.shape != (n_models,):
        raise ilk.ParameterError(
            f"srm: capacity must have one number for each of the {n_models} models, got shape "
            f"{capacities.shape}",
            argument="capacity",
        )


def _fitted(model: Estimator, X: Cases, y: np.ndarray) -> Any:
    """The model itself if it is fitted, else a fitted clone."""
    from sklearn.base import clone
    from sklearn.exceptions import NotFittedError
    from sklearn.utils.validation import check_is_fitted

    model = as_model(model)
    try:
        check_is_fitted(model)
    except NotFittedError:
        return clone(model).fit(X, y)
    return model


def _judged(
    fitted: dict[str, Any], errors: np.ndarray, capacities: np.ndarray, n: int, delta: float
) -> StructuralRisk:
    import pandas as pd

    confidence = vc_bound(n, delta, capacities)
    bound = errors + confidence
    best = int(np.argmin(bound))
    table = pd.DataFrame(
        {
            "model": list(fitted),
            "empirical_risk": errors,
            "capacity": capacities,
            "confidence": confidence,
            "bound": bound,
            "chosen": np.arange(len(bound)) == best,
        }
    )
    return StructuralRisk(table, list(fitted.values())[best], delta)


def aic(log_likelihood: float, n_parameters: float) -> Any:
    """Akaike's information criterion, ``-2 L + 2 K``; smaller is better.

    Parameters
    ----------
    log_likelihood : float or array of float
        L, the maximum log-likelihood of all cases (a sum, not a mean); in nats.
    n_parameters : int or array of int
        K, the number of free parameters; at least 0.

    Returns
    -------
    float or ndarray
        In nats, doubled. Only differences between models of the same cases are meaningful.

    Raises
    ------
    ParameterError
        Names the argument and its value.

    References
    ----------
    Evaluation slides: Akaike Information Criterion.

    Akaike (1974).

    Examples
    --------
    >>> from ilk_evaluation import theory
    >>> theory.aic([-120.0, -115.0, -114.5], [2, 4, 8])  # the second
    array([244., 238., 245.])
    """
    likelihood = checked("aic", "log_likelihood", log_likelihood, FINITE)
    k = measured("aic", "n_parameters", n_parameters, COUNT_OR_NONE)
    return plain(np.asarray(-2 * likelihood + 2 * k))


def bic(log_likelihood: float, n_parameters: float, n: int) -> Any:
    """Bayesian information criterion, ``-2 L + K ln n``; smaller is better.

    Parameters
    ----------
    log_likelihood : float or array of float
        L, the maximum log-likelihood of all cases (a sum, not a mean); in nats.
    n_parameters : int or array of int
        K, the number of free parameters; at least 0.
    n : int or array of int
        Number of cases; at least 1.

    Returns
    -------
    float or ndarray
        In nats, doubled. From 8 cases on, a parameter costs more than in `aic`.

    Raises
    ------
    ParameterError
        Names the argument and its value.

    References
    ----------
    Evaluation slides: Bayesian Information Criterion.

    Schwarz (1978).

    Examples
    --------
    >>> from ilk_evaluation import theory
    >>> theory.bic([-120.0, -115.0, -114.5], [2, 4, 8], n=150).round(1)  # the first
    array([250. , 250. , 269.1])
    """
    likelihood = checked("bic", "log_likelihood", log_likelihood, FINITE)
    k = measured("bic", "n_parameters", n_parameters, COUNT_OR_NONE)
    return plain(np.asarray(-2 * likelihood + k * log_of(checked("bic", "n", n, COUNT))))
