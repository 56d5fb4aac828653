"""Subjects of checks: one example of one component, with suitable data."""

from __future__ import annotations

import copy
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any, NamedTuple
from unittest import SkipTest

import numpy as np

from ilk.component import Component, children, seeded
from ilk.registries import display_name
from ilk.testing.data import ObjectDistance, Sample, renamings, sample
from ilk.testing.use import Use, trial_distance, use_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ilk.arrays import Cases
    from ilk.discovery import Found

VECTOR_KINDS = ("vectors", "histograms")
OBJECT_KINDS = ("strings", "sets", "signatures")


@dataclass(frozen=True)
class Subject:
    """One example of one component.

    Attributes
    ----------
    found : Found
        Kind, name and distribution.
    cls : type
        The class.
    example : int
        Position in ``cls.examples()``.
    equipped : bool
        Whether distances in slots are replaced by one that accepts objects of any kind.
    """

    found: Found
    cls: Any
    example: int = 0
    equipped: bool = False

    @property
    def kind(self) -> str:
        """Kind under which it is registered."""
        return self.found.kind

    def new(self) -> Any:
        """Return a fresh instance with the parameters of the example."""
        return self.cls.examples()[self.example]

    def seeded(self) -> Any:
        """Return a fresh instance with fixed random states."""
        component = seeded(self.new(), 0)
        if self.equipped:
            _equip(component)
        return component

    @property
    def use(self) -> Use:
        """How components of the kind are applied to data."""
        return use_of(self.kind, self.cls, equipped=self.equipped)

    def require_libraries(self) -> None:
        """Raise SkipTest if a library that the class needs is not installed."""
        for name in getattr(self.cls, "relies_on", ()):
            if not _installed(name):
                raise SkipTest(f"{name} is not installed")

    def data(self, n: int = 30, *, classes: int = 2, seed: int = 0) -> Sample:
        """Return data of a kind that the example accepts.

        The first example must accept the first kind of input that the class declares.
        """
        return self.sample_of(self.data_kind, n, classes=classes, seed=seed)

    @property
    def data_kind(self) -> str:
        """Kind of input that `data` returns."""
        return self._taken(self.inputs)

    @property
    def vector_kind(self) -> str:
        """Kind of input that `vectors` returns."""
        return self._taken(tuple(kind for kind in self.inputs if kind in VECTOR_KINDS))

    @property
    def inputs(self) -> tuple[str, ...]:
        """Kinds of input that the class declares."""
        return tuple(self.cls.capabilities.inputs)

    def vectors(self, n: int = 30, *, classes: int = 2, seed: int = 0) -> Sample:
        """Return data as a float array."""
        return self.sample_of(self.vector_kind, n, classes=classes, seed=seed)

    def sample_of(
        self, kind: str, n: int = 30, *, classes: int = 2, seed: int = 0, apart: float = 1.0
    ) -> Sample:
        """Return data of one kind of input; a class can override it by ``example_data``."""
        example_data = getattr(self.cls, "example_data", None)
        if example_data is not None:
            return Sample(*example_data(kind, n, np.random.default_rng(seed)))
        return sample(kind, n, classes=classes, seed=seed, apart=apart)

    def _taken(self, kinds: tuple[str, ...]) -> str:
        """Return the first of the given kinds of input that this example accepts."""
        if self.example == 0:
            return kinds[0]
        for kind in kinds:
            if self.takes(kind):
                return kind
        raise SkipTest(f"example {self.example} ({self.new()!r}) takes no {' or '.join(kinds)}")

    def able(self, kind: str) -> Subject | None:
        """Return the first example that accepts a kind of input, or None.

        Where a distance in a slot determines the kind of input, it may be replaced.
        """
        for equipped in (False, True):
            for position in range(len(self.cls.examples())):
                example = replace(self, example=position, equipped=equipped)
                if example.takes(kind):
                    return example
        return None

    def abler(self, kinds: Iterable[str]) -> list[tuple[Subject, str]]:
        """Return, for each of the given kinds that is declared, an example that accepts it."""
        found = [(self.able(kind), kind) for kind in kinds if kind in self.inputs]
        able = [(example, kind) for example, kind in found if example is not None]
        if not able:
            raise SkipTest(f"no example takes {' or '.join(kinds)} (see check_declared_inputs)")
        return able

    def takes(self, kind: str) -> bool:
        """Tell whether the example works on a kind of input."""
        return _takes(self, kind)

    def names(self) -> tuple[str, ...]:
        """Return the names by which errors may refer to it: its own and those in its slots."""
        return _names_of(self)


@cache
def _installed(library: str) -> bool:
    try:
        version(library)
    except PackageNotFoundError:
        return False
    return True


# Cached, because nearly every check of an example needs these constant answers.
@lru_cache(maxsize=64)
def _takes(subject: Subject, kind: str) -> bool:
    data = subject.sample_of(kind, 12)
    try:
        subject.use.run(subject.seeded(), data.X, data.y)
    except Exception:  # noqa: BLE001  # for any reason: it does not accept the input
        return False
    return True


@lru_cache(maxsize=64)
def _names_of(subject: Subject) -> tuple[str, ...]:
    distances = [trial_distance(subject.cls), ObjectDistance()] if subject.kind == "index" else []
    return tuple(
        dict.fromkeys(name for each in (subject.seeded(), *distances) for name in _names(each))
    )


def _equip(component: Component) -> None:
    """Put a distance for objects of any kind into every distance slot."""
    for name, param in component.parameters.items():
        if param.slot == "distance" and param.many is None:
            component.set_params(**{name: ObjectDistance()})
    for _, child in children(component):
        if isinstance(child, Component):
            _equip(child)


def _names(component: object) -> Iterator[str]:
    yield display_name(component)
    if isinstance(component, Component):
        for _, child in children(component):
            yield from _names(child)


def takes_vectors(component: Component) -> bool:
    """Tell whether a component declares that it accepts float arrays."""
    return bool(set(component.capabilities.inputs) & set(VECTOR_KINDS))


def takes_tables(component: Component) -> bool:
    """Tell whether a component declares that it accepts data frames."""
    return "tables" in component.capabilities.inputs


def takes_objects(component: Component) -> bool:
    """Tell whether a component declares that it accepts lists of objects."""
    return bool(set(component.capabilities.inputs) & set(OBJECT_KINDS))


# Results that most checks use are computed once and cached. Checks run one subject after
# another, so only the latest few are stored; they depend on nothing but the subject.


def result(subject: Subject, kind: str | None = None) -> Any:
    """Return the result of a fresh instance on the standard data of a kind of input.

    The object is shared: compare with it, do not change it.
    """
    return _result(subject, kind or subject.data_kind)


def learned(subject: Subject, kind: str | None = None) -> Any:
    """Return an instance fitted to the standard data of a kind of input.

    It is a copy, so that no check sees the effects of another one.
    """
    return copy.deepcopy(_training(subject, kind or subject.data_kind).component)


def fit_returned(subject: Subject) -> tuple[Any, Any]:
    """Return an instance fitted to the standard data, and the return value of its `fit`."""
    return _training(subject, subject.data_kind)


class Named(NamedTuple):
    """Outputs of a classifier for renamed classes."""

    what: str
    labels: np.ndarray
    classes: np.ndarray
    training: np.ndarray
    queries: np.ndarray


def named(subject: Subject, classes: int) -> tuple[Named, ...]:
    """Return the outputs of a classifier for the standard data under many label names.

    The first names are codes.
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


def _one_named(subject: Subject, X: Cases, labels: np.ndarray, Q: Cases, what: str) -> Named:
    model = subject.seeded().fit(X, labels)
    predicted = (np.asarray(model.predict(rows)) for rows in (X, Q))
    return Named(what, labels, np.asarray(model.classes_), *predicted)
