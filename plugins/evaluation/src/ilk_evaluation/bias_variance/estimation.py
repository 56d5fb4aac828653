"""Estimates of bias and variance, from newly drawn training sets or stored predictions."""

from __future__ import annotations

from dataclasses import replace
from numbers import Integral
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

import ilk
from ilk import InputError, ParameterError
from ilk_evaluation.arguments import as_data, as_model
from ilk_evaluation.bias_variance.decomposition import squared_loss
from ilk_evaluation.bias_variance.zero_one_loss import (
    Shares,
    domingos,
    domingos_of,
    kohavi_wolpert,
    kohavi_wolpert_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ilk import RandomState
    from ilk_evaluation.bias_variance.decomposition import Decomposition


Method = Literal["kohavi_wolpert", "domingos", "squared_loss"]
_METHODS = ("kohavi_wolpert", "domingos", "squared_loss")


def of_pipeline(
    pipeline: Any,
    data: object,
    *,
    train_size: float = 0.5,
    test_size: float = 1 / 3,
    repeats: int = 50,
    method: Method = "kohavi_wolpert",
    unbiased: bool = True,
    probabilities: np.ndarray | None = None,
    n_jobs: int | None = None,
    random_state: RandomState | None = None,
) -> Decomposition:
    """Draw training sets from a pool, fit on each, and decompose the loss on one test set.

    Kohavi and Wolpert's protocol: the test cases are held out, the others form the pool; each
    training set is drawn from the pool without replacement. By default it is half of the pool, so
    that many sufficiently different sets exist. Other randomness of the learner counts as
    variance, because each fit has its own seed.

    Parameters
    ----------
    pipeline : classifier, name or spec
        Cloned for each fit. A regressor with ``method="squared_loss"``.
    data : Data, dataset, name of one, or pair of X and y
    train_size : float or int, default=0.5
        Size of each training set: a share of the pool, or a number of cases.
    test_size : float or int, default=1/3
        Share or number of the cases that are held out.
    repeats : int, default=50
        Number of training sets; at least 2.
    method : {"kohavi_wolpert", "domingos", "squared_loss"}
    unbiased : bool, default=True
        As in the method; `domingos` has no such correction.
    probabilities : array of shape (n, C), optional
        Probability of each class (sorted) for each case of the data, if known: then noise and
        bias are separated.
    n_jobs : int, optional
        Number of parallel fits (threads); -1: one per processor. Does not change the result.
    random_state : int or numpy generator, optional

    Returns
    -------
    Decomposition
        Its `cases` are row numbers of the data.

    Raises
    ------
    ParameterError
        For a size or number outside its range, or an unknown method.
    InputError, InputTypeError
        If the data are invalid, or y and X differ in length; if a predicted label is no class of
        the data. Errors of fits have a note with the number of the training set.

    References
    ----------
    Kohavi & Wolpert (1996), sec. 4.

    Cunningham 2008: section 2.5.2.

    Ntoutsi 2015: Bias and variance; figure 5.34.

    Examples
    --------
    >>> from ilk_evaluation import bias_variance
    >>> found = bias_variance.of_pipeline("decision_tree", "iris", repeats=20, random_state=0)
    >>> terms = found.mean
    >>> abs(terms.noise + terms.bias + terms.variance - terms.loss) < 1e-12
    True
    >>> stable = bias_variance.of_pipeline("nearest_mean", "iris", repeats=20, random_state=0)
    >>> stable.mean.variance < terms.variance
    True
    """
    from sklearn.base import clone
    from sklearn.utils.parallel import Parallel, delayed

    if method not in _METHODS:
        raise ParameterError(
            f"of_pipeline: method must be one of {', '.join(_METHODS)}, got {method!r}"
            f"{ilk.did_you_mean(method, _METHODS)}",
            argument="method",
        )
    _check_repeats(repeats)
    kind = "regressor" if method == "squared_loss" else "classifier"
    loaded = as_data(data, "of_pipeline")
    model, cases = as_model(pipeline, kind), loaded.X
    if ilk.uses_views(model):
        model, cases = ilk.with_views(model, loaded.views), loaded.table()
    rng = np.random.default_rng(random_state)
    test, trains = _draw(rng, len(loaded.y), test_size, train_size, repeats)
    seeds = rng.integers(2**31, size=repeats).tolist()
    queries = ilk.take(cases, test)

    def predict(number: int) -> np.ndarray:
        train = trains[number]
        try:
            fitted = ilk.seeded(clone(model), seeds[number])
            fitted.fit(ilk.take(cases, train), loaded.y[train])
            return np.asarray(fitted.predict(queries))
        except Exception as error:
            error.add_note(f"of_pipeline: with training set {number} of {repeats}")
            raise

    jobs = (delayed(predict)(number) for number in range(repeats))
    predictions = np.stack(Parallel(n_jobs=n_jobs, prefer="threads")(jobs))
    return replace(
        _decompose(predictions, loaded, test, method, unbiased, probabilities), cases=test
    )


def _decompose(
    predictions: np.ndarray,
    data: ilk.Data,
    test: np.ndarray,
    method: Method,
    unbiased: bool,
    probabilities: Any,
) -> Decomposition:
    if method == "squared_loss":
        return squared_loss(predictions, data.y[test], unbiased=unbiased)
    target = data.y if probabilities is None else np.asarray(probabilities)
    if target.shape[:1] != (len(data.y),):
        raise InputError(
            f"of_pipeline: probabilities must have a row for each of {len(data.y)} cases, got "
            f"shape {target.shape}"
        )
    if method == "domingos":
        return domingos(predictions, target[test], classes=data.classes)
    return kohavi_wolpert(predictions, target[test], classes=data.classes, unbiased=unbiased)


def _draw(
    rng: np.random.Generator, n: int, test_size: float, train_size: float, repeats: int
) -> tuple[np.ndarray, list[np.ndarray]]:
    """Draw test cases in ascending order, and training sets from the other cases."""
    n_test = _n_cases("test_size", test_size, n, "cases", lambda size: 1 <= size < n)
    order = rng.permutation(n)
    test, pool = np.sort(order[:n_test]), order[n_test:]
    m = _n_cases("train_size", train_size, len(pool), "cases of the pool", lambda size: size >= 1)
    return test, [rng.choice(pool, m, replace=False) for _ in range(repeats)]


def _n_cases(argument: str, size: float, total: int, what: str, fits: Callable[[int], bool]) -> int:
    """Turn a share or a number into a number of cases."""
    share = not isinstance(size, Integral)
    good = isinstance(size, int | float | np.number) and not isinstance(size, bool)
    if good:
        good = 0 < size < 1 if share else size <= total
    number = (round(size * total) if share else int(size)) if good else 0
    if not good or not fits(number):
        raise ParameterError(
            f"of_pipeline: {argument} must be a share between 0 and 1, or a number of the {total} "
            f"{what} that leaves some, got {size!r}",
            argument=argument,
        )
    return number


def _check_repeats(repeats: Any) -> None:
    if not isinstance(repeats, Integral) or isinstance(repeats, bool) or repeats < 2:
        raise ParameterError(
            f"of_pipeline: repeats must be an integer >= 2, got {repeats!r}", argument="repeats"
        )


def of_results(
    results: Any,
    *,
    dataset: str | None = None,
    pipeline: str | None = None,
    method: Literal["kohavi_wolpert", "domingos"] = "kohavi_wolpert",
    unbiased: bool = True,
) -> Decomposition:
    """Decompose the zero-one loss of a pipeline from stored predictions.

    A case tested in several splits, as in repeated cross-validation, has one prediction from
    each of their training sets. Nothing is fitted.

    Parameters
    ----------
    results : Results
        Of a resampling that tests cases repeatedly: repeated_kfold, five_by_two,
        random_subsampling, bootstrap.
    dataset, pipeline : str, optional
        Names; required if there are several.
    method : {"kohavi_wolpert", "domingos"}
    unbiased : bool, default=True
        As in `kohavi_wolpert`.

    Returns
    -------
    Decomposition
        For the tested cases; see its `cases` and `n_predictions`.

    Raises
    ------
    InputError
        If cells failed, were not run, or were answered by the fallback; if predictions were
        rejected; if a case was predicted only once, or was in the training set; or if the data
        set or pipeline is ambiguous.

    Notes
    -----
    With three or more folds, the training sets of cross-validation share more than half of their
    cases, so the variance is smaller than that of `of_pipeline` for sets of the same size.

    References
    ----------
    Kohavi & Wolpert (1996); Webb (2000), MultiBoosting, on repeated cross-validation.

    Examples
    --------
    >>> from ilk_evaluation import bias_variance, run_experiment
    >>> results = run_experiment({
    ...     "datasets": ["iris"],
    ...     "pipelines": [{"id": "tree", "steps": [{"classifier": "decision_tree"}]}],
    ...     "evaluation": {"resampling": {"use": "repeated_kfold", "folds": 2, "repeats": 10}},
    ... })
    >>> found = bias_variance.of_results(results)
    >>> terms = found.mean
    >>> len(found.loss), abs(terms.bias + terms.variance - terms.loss) < 1e-12
    (150, True)
    """
    if method not in ("kohavi_wolpert", "domingos"):
        raise ilk.ParameterError(
            f"of_results: method must be kohavi_wolpert or domingos, got {method!r}",
            argument="method",
        )
    part = results.filter(
        dataset=_only("dataset", results.design.datasets, dataset),
        pipeline=_only("pipeline", results.design.pipelines, pipeline),
    )
    for number, what in (
        (part.n_failed, "failed"),
        (part.n_missing, "were not run"),
        (part.n_fallback, "were answered by the fallback"),
    ):
        if number:
            raise InputError(f"of_results: {number} cells {what}")
    if ilk.display_name(part.design.resampling) == "bootstrap_632" and any(
        cell.repeat == 0 for cell in part.design.cells
    ):
        raise InputError(
            "of_results: repeat 0 of bootstrap_632 tests the cases it trains with; filter it out"
        )
    shares = _counted(prediction for _, prediction in part.predictions())
    if method == "domingos":
        return domingos_of(shares)
    return kohavi_wolpert_of(shares, unbiased=unbiased)


def _only(what: str, parts: Any, wanted: str | None) -> str:
    labels = [one.label for one in parts]
    if wanted is None and len(labels) > 1:
        raise InputError(f"of_results: {what} must be one of {', '.join(labels)}")
    return labels[0] if wanted is None else wanted


def _counted(predictions: Iterable[ilk.Prediction]) -> Shares:
    """Count the predicted labels of each case."""
    stored = list(predictions)
    classes = stored[0].classes
    n = 1 + max(int(np.max(one.indices)) for one in stored)
    counts, truth = np.zeros((n, len(classes))), np.zeros(n, dtype=int)
    for one in stored:
        rejected = int(np.count_nonzero(~one.answered))
        if rejected:
            raise InputError(f"of_results: the pipeline rejected {rejected} cases")
        np.add.at(counts, (one.indices, np.searchsorted(classes, one.labels)), 1)
        truth[one.indices] = np.searchsorted(classes, one.truth)
    totals = counts.sum(axis=1).astype(int)
    cases = np.flatnonzero(totals)
    once = int(np.count_nonzero(totals == 1))
    if once:
        raise InputError(
            f"of_results: {once} cases were predicted only once; the resampling must repeat itself"
        )
    totals = totals[cases]
    return Shares(
        counts[cases] / totals[:, None], np.eye(len(classes))[truth[cases]], totals, cases
    )
