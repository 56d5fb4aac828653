"""The sampling protocol: training sets drawn from a pool, one set of test cases."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from numbers import Integral
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from sklearn.base import clone
from sklearn.utils.parallel import Parallel, delayed

import ilk
from ilk import InputError, ParameterError
from ilk_evaluation.bias_variance.squared import squared_loss
from ilk_evaluation.bias_variance.zero_one import domingos, kohavi_wolpert
from ilk_evaluation.named_models import as_data, as_model

if TYPE_CHECKING:
    from ilk_evaluation.bias_variance.decomposition import Decomposition

Method = Literal["kohavi_wolpert", "domingos", "squared_loss"]
_METHODS = ("kohavi_wolpert", "domingos", "squared_loss")


def of_pipeline(
    pipeline: Any,
    data: Any,
    *,
    train_size: float = 0.5,
    test_size: float = 1 / 3,
    repeats: int = 50,
    method: Method = "kohavi_wolpert",
    unbiased: bool = True,
    probabilities: Any = None,
    n_jobs: int | None = None,
    random_state: Any = None,
) -> Decomposition:
    """Draw training sets from a pool, fit on each, and decompose the loss on one test set.

    The protocol of Kohavi and Wolpert: the test cases are put aside, the others are the pool; each
    training set is drawn from the pool without replacement. By default it is half of the pool, so
    that the sets differ enough and there are many of them. What chance a learner uses besides
    counts as variance: each fit has a seed of its own.

    Parameters
    ----------
    pipeline : classifier, name or spec
        Copied for each fit. A regressor with ``method="squared_loss"``.
    data : Data, dataset, name of one, or pair of X and y
    train_size : float or int, default=0.5
        Size of each training set: a share of the pool, or a number of cases.
    test_size : float or int, default=1/3
        Share or number of the cases that are put aside.
    repeats : int, default=50
        Training sets; at least 2.
    method : {"kohavi_wolpert", "domingos", "squared_loss"}
    unbiased : bool, default=True
        As of the method; `domingos` has no such correction.
    probabilities : array of shape (n, C), optional
        Probability of each class (sorted) for each case of the data, where it is known: the noise
        is then told from the bias.
    n_jobs : int, optional
        How many fits at once (threads); -1: one per processor. The result is the same.
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
        If data are none, or y is not as long as X; if a label is predicted that is no class of the
        data. Errors of fits have a note that says
        which training set it was.

    References
    ----------
    Kohavi & Wolpert (1996), sec. 4; Cunningham, Cord & Delany (2008), sec. 2.5.2.

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
    said = np.stack(Parallel(n_jobs=n_jobs, prefer="threads")(jobs))
    return replace(_decompose(said, loaded, test, method, unbiased, probabilities), cases=test)


def _decompose(
    said: np.ndarray,
    data: ilk.Data,
    test: np.ndarray,
    method: Method,
    unbiased: bool,
    probabilities: Any,
) -> Decomposition:
    if method == "squared_loss":
        return squared_loss(said, data.y[test], unbiased=unbiased)
    target = data.y if probabilities is None else np.asarray(probabilities)
    if target.shape[:1] != (len(data.y),):
        raise InputError(
            f"of_pipeline: probabilities must have a row for each of {len(data.y)} cases, got "
            f"shape {target.shape}"
        )
    if method == "domingos":
        return domingos(said, target[test], classes=data.classes)
    return kohavi_wolpert(said, target[test], classes=data.classes, unbiased=unbiased)


def _draw(
    rng: np.random.Generator, n: int, test_size: float, train_size: float, repeats: int
) -> tuple[np.ndarray, list[np.ndarray]]:
    """Test cases in ascending order, and training sets from the others."""
    n_test = _number("test_size", test_size, n, "cases", lambda size: 1 <= size < n)
    order = rng.permutation(n)
    test, pool = np.sort(order[:n_test]), order[n_test:]
    m = _number("train_size", train_size, len(pool), "cases of the pool", lambda size: size >= 1)
    return test, [rng.choice(pool, m, replace=False) for _ in range(repeats)]


def _number(argument: str, size: Any, total: int, what: str, fits: Callable[[int], bool]) -> int:
    """Number of cases that a share or a number means."""
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
