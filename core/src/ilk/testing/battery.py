"""scikit-learn's own checks of estimators, one case each."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from ilk.interfaces.metric_learner import LocalMetric
from ilk.testing.registered import Check

if TYPE_CHECKING:
    from ilk.testing.subject import Subject

KINDS = ("transformer", "metric_learner", "classifier", "regressor", "detector", "clusterer")


def battery(kind: str, example: Any) -> Iterator[Check]:
    """Yield scikit-learn's checks of an estimator on vectors as slow checks of ours.

    They are called ``sklearn:`` and their name there; waivers refer to that.
    """
    inputs = example.capabilities.inputs
    if kind not in KINDS or isinstance(example, LocalMetric) or "vectors" not in inputs:
        return
    try:
        found = list(_generated(example))
    except Exception as error:  # noqa: BLE001  # reported as a failure where the checks run
        yield Check("sklearn:estimator_checks", _raising(error), (kind,), slow=True)
        return
    for name, run in found:
        yield Check(name, run, (kind,), slow=True)


def _generated(example: Any) -> Iterator[tuple[str, Callable[[Subject], None]]]:
    from sklearn.utils.estimator_checks import estimator_checks_generator

    for estimator, run in estimator_checks_generator(example, legacy=True):
        yield _name(run), _runner(run, estimator)


def _name(run: Any) -> str:
    """Name a check; keywords that distinguish it from others of the same function included."""
    if not isinstance(run, partial):
        return f"sklearn:{run.__name__}"
    keywords = ", ".join(f"{key}={value}" for key, value in sorted(run.keywords.items()))
    return f"sklearn:{run.func.__name__}" + (f"({keywords})" if keywords else "")


def _runner(run: Callable[[Any], Any], estimator: Any) -> Callable[[Subject], None]:
    def check(_: Subject) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # their data provoke warnings on purpose
            run(estimator)

    check.__doc__ = f"scikit-learn's {_name(run).removeprefix('sklearn:')} passes."
    return check


def _raising(error: Exception) -> Callable[[Subject], None]:
    def check(_: Subject) -> None:
        """scikit-learn can make its list of checks for the estimator."""
        raise error

    return check
