"""How the components of each kind are applied to data, so that one check serves many kinds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ilk.interfaces.metric_learner import LocalMetric
from ilk.testing.data import ObjectDistance

if TYPE_CHECKING:
    from collections.abc import Callable

    from ilk.arrays import Cases, Estimator, Labels, Matrix
    from ilk.interfaces.clusterer import Clusterer
    from ilk.interfaces.editor import Editor
    from ilk.interfaces.index import Index
    from ilk.interfaces.transformer import Transformer


@dataclass(frozen=True)
class Use:
    """Operations on a component.

    Attributes
    ----------
    run : callable
        ``run(component, X, y)`` fits to X and y and returns the result.
    train : callable or None
        ``train(component, X, y)`` only fits; None if the kind has no fitted state.
    answer : callable or None
        ``answer(component, Q)`` returns the output of a fitted component for rows.
    by_row : bool
        Whether each row of an answer depends on one row of Q only.
    """

    run: Callable[..., Any]
    train: Callable[..., Any] | None = None
    answer: Callable[..., Any] | None = None
    by_row: bool = False


def trial_distance(index: Any) -> Any:
    """Return the distance for checks of an index: its own ``example_distance``, or Euclidean."""
    from ilk.neighbors.norms import Euclidean

    example = getattr(index, "example_distance", None)
    return Euclidean() if example is None else example()


def _fit(component: Estimator, X: Cases | None, y: np.ndarray) -> Any:
    return component.fit(X, y)


def _fit_index(component: Index, X: Cases, y: np.ndarray) -> Any:
    return component.fit(X, y, distance=trial_distance(component).fit(X))


def _fit_index_of_objects(component: Index, X: np.ndarray, y: Labels) -> Any:
    return component.fit(X, y, distance=ObjectDistance().fit(X))


def _neighbors(component: Index, Q: Cases) -> np.ndarray:
    return np.stack([np.asarray(part, dtype=float) for part in component.kneighbors(Q, 3)], axis=1)


def _labels(component: Clusterer, X: Cases, y: np.ndarray) -> np.ndarray:
    return np.asarray(component.fit(X, y).labels_)


def _kept(component: Editor, X: Cases, y: np.ndarray) -> np.ndarray:
    component.fit_resample(X, y)
    return np.asarray(component.sample_indices_)


def _method(name: str) -> Callable[[Any, Any], Any]:
    return lambda component, Q: getattr(component, name)(Q)


def _opinion(component: object, Q: Cases) -> Any:
    """Return the finest output of a classifier for rows: scores, probabilities or labels."""
    for method in ("predict_proba", "decision_function", "predict"):
        if hasattr(component, method):
            break
    return getattr(component, method)(Q)


def as_comparable(out: Any) -> Any:
    """Return the output of a transformer as an array; of sets and signatures, a text for each."""
    if isinstance(out, list) and any(isinstance(x, tuple) or np.ndim(x) > 1 for x in out):
        # sets differ in size, so they make no array of numbers
        parts = [item if isinstance(item, tuple) else (item,) for item in out]
        return np.array([str([np.asarray(part).tolist() for part in item]) for item in parts])
    return out.toarray() if hasattr(out, "toarray") else out


def _transformed(component: Transformer, Q: Cases) -> Any:
    return as_comparable(component.transform(Q))


PAIRS = {"distance": "pairwise", "kernel": "gram"}
_BY_ROW: dict[str, Callable[[Any, Any], Any]] = {
    "transform": _transformed,
    "kneighbors": _neighbors,
    **{
        name: _method(name)
        for name in ("predict", "predict_proba", "decision_function", "score_samples")
    },
}


def answers_by_row(component: Any, X: Matrix, Q: Matrix) -> dict[str, Any]:
    """Return all outputs by row of a component fitted to X, for the rows of Q, by method."""
    if component.kind in PAIRS:
        name = PAIRS[component.kind]
        pairs = getattr(component, name)
        return {f"{name}(Q, X)": pairs(Q, X), f"{name}(X, Q)": pairs(X, Q).T}
    methods = {name: say for name, say in _BY_ROW.items() if hasattr(component, name)}
    return {name: say(component, Q) for name, say in methods.items()}


def _trained(
    answer: Callable[[Any, Any], Any],
    train: Callable[[Any, Any, Any], Any] = _fit,
    *,
    by_row: bool = True,
) -> Use:
    def run(component: object, X: Cases, y: Labels) -> Any:
        return answer(train(component, X, y), X)

    return Use(run, train, answer, by_row)


_USES = {
    "distance": _trained(_method("pairwise"), by_row=False),
    "kernel": _trained(_method("gram"), by_row=False),
    "index": _trained(_neighbors, _fit_index),
    "index of objects": _trained(_neighbors, _fit_index_of_objects),
    "transformer": _trained(_transformed),
    "metric_learner": _trained(_transformed),
    "local_metric": _trained(_neighbors),
    "classifier": _trained(_opinion),
    "regressor": _trained(_method("predict")),
    "detector": _trained(_method("decision_function")),
    "clusterer": Use(_labels, _fit),
    "editor": Use(_kept),
    "relevance": Use(lambda component, X, y: component.scores(X, y)),
}
DATA_KINDS = tuple(kind for kind in _USES if kind not in {"local_metric", "index of objects"})
TRAINED_KINDS = tuple(kind for kind in DATA_KINDS if _USES[kind].train is not None)
ANSWERING_KINDS = tuple(kind for kind in DATA_KINDS if _USES[kind].answer is not None)


def use_of(kind: str, cls: type, *, equipped: bool = False) -> Use:
    """Return how components of a kind are applied; an equipped index by `ObjectDistance`."""
    if kind == "index" and equipped:
        kind = "index of objects"
    if kind == "metric_learner" and issubclass(cls, LocalMetric):
        kind = "local_metric"
    return _USES[kind]
