"""Checks of seeds: a component's random state reaches random components in its slots."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from ilk.capabilities import Capabilities, InputKind
from ilk.component import Component, seeded
from ilk.inputs import n_rows, take
from ilk.interfaces.classifier import Classifier
from ilk.interfaces.clusterer import Clusterer
from ilk.interfaces.combiner import Combiner, check_outputs
from ilk.interfaces.distance import Distance
from ilk.interfaces.index import Index
from ilk.interfaces.kernel import Kernel
from ilk.interfaces.metric_learner import MetricLearner
from ilk.interfaces.regressor import Regressor
from ilk.interfaces.relevance import Relevance
from ilk.interfaces.resampling import Resampling, Split
from ilk.interfaces.transformer import Transformer
from ilk.params import Param, Seed, param
from ilk.random_state import check_seed
from ilk.testing.data import ObjectDistance
from ilk.testing.expectations import expect_same
from ilk.testing.registered import check
from ilk.testing.use import DATA_KINDS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ilk.arrays import ArrayLike, Cases, Labels, Matrix, RandomState
    from ilk.testing.subject import Subject

INPUTS: tuple[InputKind, ...] = (
    "vectors",
    "histograms",
    "tables",
    "strings",
    "sets",
    "signatures",
    "views",
)
WEIGHTED = Capabilities(inputs=INPUTS, needs_fit=True, sample_weight=True)


def _slots(component: Component) -> dict[str, Param]:
    return {name: param for name, param in component.parameters.items() if param.slot}


@check(*DATA_KINDS, on="first", when=lambda component: bool(_slots(component)))
def check_seed_reaches_slots(subject: Subject) -> None:
    """With one random state, results are reproducible even with random components in slots.

    The random state is its own if it has one; else it is passed to the slots from outside.
    """
    X, y = subject.sample_of(subject.data_kind, 24, apart=0.3)
    for name, declared in _slots(subject.cls).items():
        with suppress(_Refused):
            first, second = (_run(subject, name, declared, X, y) for _ in "12")
            what = f"a second run with random_state=0 and a random {declared.slot} in {name}"
            expect_same(second, first, what, rtol=0, atol=0)


class _Refused(Exception):  # noqa: N818  # the name states the event
    """A slot does not accept the random component."""


def _run(subject: Subject, name: str, param: Param, X: Cases | None, y: np.ndarray) -> Any:
    component = subject.new()
    value = _random_value(param, component)
    if value is None:
        raise _Refused
    component.set_params(**{name: value})
    if "random_state" in component.parameters:
        component.set_params(random_state=0)
    else:
        seeded(component, 0)
    use, some = subject.use, np.arange(16)
    try:
        if use.train is None or use.answer is None:
            return use.run(component, X, y)
        return use.answer(use.train(component, take(X, some), y[some]), X)
    except Exception as error:
        raise _Refused from error


def _random_value(param: Param, owner: Any) -> Any:
    """Return a random value for a slot, or None if there is none."""
    if param.slot == "step":
        return [{kind: PARTS[kind]()} for kind in ("metric_learner", "classifier")]
    cls = PARTS.get(param.slot or "")
    if cls is None or param.many is None:
        return cls and cls()
    if param.many is list:
        return [cls(), cls()]
    if "views" in owner.parameters and not isinstance(owner.views, dict):
        owner.set_params(views={"a": [0, 1], "b": [2, 3]})
    return {view: cls() for view in getattr(owner, "views", "ab")}


class _Random(Component):
    """Draws from its own random state, which is None unless it is set."""

    random_state: RandomState = param(default=None, type=Seed, doc="Seed.")
    capabilities: ClassVar[Capabilities] = Capabilities(inputs=INPUTS, needs_fit=True)

    def _weights(self, n: int) -> np.ndarray:
        return np.asarray(check_seed(self, self.random_state).uniform(0.1, 2, size=n))


def _numbers(X: Cases) -> np.ndarray:
    plain = isinstance(X, np.ndarray) and X.dtype.kind == "f"
    return np.asarray(X if plain else ObjectDistance().check_input(X))


class RandomDistance(_Random, Distance):
    """Euclidean distance with random feature weights."""

    capabilities: ClassVar[Capabilities] = Capabilities(
        inputs=INPUTS, needs_fit=True, symmetric=True, metric=True
    )

    def fit(self, X: Cases, y: Labels | None = None) -> RandomDistance:
        self.weights_ = self._weights(_numbers(X).shape[1])
        return self

    def check_input(self, X: Cases, argument: str = "X") -> np.ndarray:
        return _numbers(X)

    def pairwise(self, X: Cases, Y: Cases | None = None) -> np.ndarray:
        A = _numbers(X) * self.weights_
        B = A if Y is None else _numbers(Y) * self.weights_
        return np.asarray(np.sqrt(((A[:, None] - B) ** 2).sum(axis=2)))


class RandomKernel(_Random, Kernel):
    """Product of vectors with random feature weights."""

    capabilities: ClassVar[Capabilities] = RandomDistance.capabilities

    def fit(self, X: Cases, y: Labels | None = None) -> RandomKernel:
        self.weights_ = self._weights(_numbers(X).shape[1])
        return self

    def gram(self, X: Cases, Y: Cases | None = None) -> np.ndarray:
        A = _numbers(X) * self.weights_
        return np.asarray(A @ (A if Y is None else _numbers(Y) * self.weights_).T)


class RandomLearner(_Random, MetricLearner):
    """Weights features at random."""

    def fit(self, X: Cases, y: Labels | None = None) -> RandomLearner:
        self.n_features_in_ = _numbers(X).shape[1]
        self.components_ = np.diag(self._weights(self.n_features_in_))
        return self

    def transform(self, X: Cases) -> np.ndarray:
        return np.asarray(np.asarray(X) @ self.components_.T)


class RandomIndex(_Random, Index):
    """Orders rows by randomly weighted distances."""

    def fit(self, X: Cases, y: Labels | None = None, *, distance: Distance) -> RandomIndex:
        self.distance_, self.X_, self.n_distance_evaluations_ = distance, X, 0
        self.weights_ = self._weights(n_rows(X))
        return self

    def kneighbors(self, Q: Cases, k: int) -> tuple[np.ndarray, np.ndarray]:
        D = self.distance_.pairwise(Q, self.X_)
        where = np.argsort(D * self.weights_, axis=1, kind="stable")[:, :k]
        return np.take_along_axis(D, where, axis=1), where


class RandomTransformer(_Random, Transformer):
    """Weights features at random."""

    def fit(self, X: Cases, y: Labels | None = None) -> RandomTransformer:
        self.weights_ = self._weights(_numbers(X).shape[1])
        return self

    def transform(self, X: Cases) -> np.ndarray:
        return np.asarray(np.asarray(X) * self.weights_)


class RandomRelevance(_Random, Relevance):
    """Random relevance of features."""

    def scores(self, X: Cases, y: Labels | None) -> np.ndarray:
        return self._weights(_numbers(X).shape[1])


class _RandomTree(_Random):
    """A shallow tree with random splits."""

    capabilities: ClassVar[Capabilities] = WEIGHTED

    def _grow(self, cls: type, X: Cases, y: Labels | None, sample_weight: ArrayLike | None) -> None:
        seed = check_seed(self, self.random_state)
        tree = cls(splitter="random", max_depth=2, random_state=seed)
        self.tree_ = tree.fit(_numbers(X), y, sample_weight)

    def predict(self, X: Cases) -> np.ndarray:
        return np.asarray(self.tree_.predict(_numbers(X)))


class RandomClassifier(_RandomTree, Classifier):
    """A shallow tree with random splits."""

    def fit(self, X: Cases, y: Labels, sample_weight: ArrayLike | None = None) -> RandomClassifier:
        self._grow(DecisionTreeClassifier, X, y, sample_weight)
        self.classes_ = self.tree_.classes_
        return self

    def predict_proba(self, X: Matrix) -> np.ndarray:
        return np.asarray(self.tree_.predict_proba(_numbers(X)))


class RandomRegressor(_RandomTree, Regressor):
    """A shallow tree with random splits."""

    def fit(self, X: Cases, y: Labels, sample_weight: ArrayLike | None = None) -> RandomRegressor:
        self._grow(DecisionTreeRegressor, X, y, sample_weight)
        return self


class RandomClusterer(_Random, Clusterer):
    """Two clusters, separated by a random plane."""

    def fit(self, X: Cases, y: Labels | None = None) -> RandomClusterer:
        A = _numbers(X)
        self.mean_, self.weights_ = A.mean(axis=0), self._weights(A.shape[1]) - 1
        self.labels_ = self.predict(A)
        return self

    def predict(self, X: Matrix) -> np.ndarray:
        return np.asarray((_numbers(X) - self.mean_) @ self.weights_ > 0, dtype=int)


class RandomCombiner(_Random, Combiner):
    """The mean of the members with random weights."""

    def fit(self, outputs: ArrayLike, y: Labels, X: Cases | None = None) -> RandomCombiner:
        self.weights_ = self._weights(len(outputs))
        return self

    def combine(self, outputs: ArrayLike, X: Cases | None = None) -> np.ndarray:
        return np.asarray(np.average(check_outputs(self, outputs), axis=0, weights=self.weights_))


class RandomResampling(_Random, Resampling):
    """Two random folds, from the given seed."""

    def splits(
        self,
        X: Cases,
        y: Labels,
        groups: Labels | None = None,
        random_state: RandomState | None = None,
    ) -> Iterator[Split]:
        given = self.random_state if random_state is None else random_state
        half = check_seed(self, given).permutation(n_rows(X)) % 2
        for fold in (0, 1):
            yield Split(np.flatnonzero(half != fold), np.flatnonzero(half == fold), fold=fold)


PARTS: dict[str, type[Component]] = {
    cls.kind: cls
    for cls in (
        RandomDistance,
        RandomKernel,
        RandomIndex,
        RandomLearner,
        RandomTransformer,
        RandomRelevance,
        RandomClassifier,
        RandomRegressor,
        RandomClusterer,
        RandomCombiner,
        RandomResampling,
    )
}
