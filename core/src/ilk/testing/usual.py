"""What a subject makes of the data that most checks use, worked out once for all of them.

Checks run one subject after another, so that only the latest few are kept. What is kept depends
on nothing but the subject: it is as if each check had worked it out by itself.
"""

from __future__ import annotations

import copy
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ilk.testing.checks.labels import renamings

if TYPE_CHECKING:
    from ilk.testing.subject import Subject


def result(subject: Subject, kind: str | None = None) -> Any:
    """Return what comes of a fresh instance on the usual data of a kind of input.

    It is the same object every time: to be compared with, not to be changed.
    """
    return _result(subject, kind or subject.data_kind)


def learned(subject: Subject, kind: str | None = None) -> Any:
    """Return an instance that has learned from the usual data of a kind of input.

    It is a copy, so that no check meets what another one has asked it.
    """
    return copy.deepcopy(_training(subject, kind or subject.data_kind).component)


def fit_returned(subject: Subject) -> tuple[Any, Any]:
    """Return an instance that has learned from the usual data, and what its `fit` returned."""
    return _training(subject, subject.data_kind)


class Named(NamedTuple):
    """What a classifier makes of classes of some names."""

    what: str
    labels: np.ndarray
    classes: np.ndarray
    training: np.ndarray
    queries: np.ndarray


def named(subject: Subject, classes: int) -> tuple[Named, ...]:
    """Return what a classifier makes of the usual data, the classes called in many ways.

    The first are codes.
    """
    return _named(subject, classes)


class _Training(NamedTuple):
    component: Any
    returned: Any


@lru_cache(maxsize=6)
def _result(subject: Subject, kind: str) -> Any:
    X, y = subject.sample_of(kind)
    return subject.use.run(subject.seeded(), X, y)


@lru_cache(maxsize=6)
def _training(subject: Subject, kind: str) -> _Training:
    X, y = subject.sample_of(kind)
    component = subject.seeded()
    assert subject.use.train is not None
    return _Training(component, subject.use.train(component, X, y))


@lru_cache(maxsize=6)
def _named(subject: Subject, classes: int) -> tuple[Named, ...]:
    X, y = subject.data(classes=classes)
    Q = subject.data(classes=classes, seed=1).X
    return tuple(
        _one_named(subject, X, labels, Q, what) for what, labels in (("codes", y), *renamings(y))
    )


def _one_named(subject: Subject, X: Any, labels: np.ndarray, Q: Any, what: str) -> Named:
    model = subject.seeded().fit(X, labels)
    predicted = (np.asarray(model.predict(rows)) for rows in (X, Q))
    return Named(what, labels, np.asarray(model.classes_), *predicted)
