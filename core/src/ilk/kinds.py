"""The kinds of component: their names, interfaces and roles in a pipeline."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any, Literal

from ilk.discovery import found_in
from ilk.errors import UnknownComponentError
from ilk.messages import did_you_mean

Role = Literal["transform", "resample", "final"]


@dataclass(frozen=True)
class Kind:
    """A kind of component.

    Attributes
    ----------
    name, plural : str
        ``"distance"`` and ``"distances"``; the entry-point group is ``ilk.<plural>``.
    interfaces : tuple of str
        ``"module:Class"`` of the possible base classes of a component of this kind.
    role : {"transform", "resample", "final"} or None
        Role of a component of this kind as a step of a pipeline; None: it cannot be a step.
    methods : tuple of str
        Methods that qualify a foreign object (such as a scikit-learn estimator or splitter) for a
        slot of this kind; empty: only subclasses of the interface are accepted.
    summary : str
        One line for listings.
    function : str
        Component that makes a plain function one of this kind, and its parameter for the function
        (``"callable:function"``); ``"sklearn"``: scikit-learn's `FunctionTransformer`; empty:
        functions are not accepted.
    """

    name: str
    plural: str
    interfaces: tuple[str, ...]
    summary: str
    role: Role | None = None
    methods: tuple[str, ...] = ()
    function: str = ""

    @property
    def group(self) -> str:
        """Entry-point group in which distributions register components of this kind."""
        return f"ilk.{self.plural}"

    def interface_classes(self) -> tuple[type, ...]:
        """Import and return the base classes of this kind."""
        return tuple(_import(path) for path in self.interfaces)

    def accepts(self, value: object) -> bool:
        """Tell whether an instance is valid in a slot of this kind."""
        if isinstance(value, type):
            return False
        if isinstance(value, self.interface_classes()):
            return True
        foreign = getattr(value, "parameters", None) is None  # not a component of another kind
        return bool(self.methods) and foreign and all(hasattr(value, m) for m in self.methods)


def _import(path: str) -> Any:
    module, _, name = path.partition(":")
    return getattr(import_module(module), name)


_BUILT_IN = (
    Kind(
        "distance",
        "distances",
        ("ilk.interfaces.distance:Distance",),
        "measures the dissimilarity of two objects; small means close",
        function="callable:function",
    ),
    Kind(
        "kernel",
        "kernels",
        ("ilk.interfaces.kernel:Kernel",),
        "measures the similarity of two objects; large means close",
    ),
    Kind(
        "index",
        "indexes",
        ("ilk.interfaces.index:Index",),
        "finds the nearest neighbours of a query",
    ),
    Kind(
        "transformer",
        "transformers",
        ("ilk.interfaces.transformer:Transformer",),
        "turns a table into another table",
        "transform",
        ("fit", "transform"),
        function="sklearn",
    ),
    Kind(
        "metric_learner",
        "metric_learners",
        (
            "ilk.interfaces.metric_learner:MetricLearner",
            "ilk.interfaces.metric_learner:LocalMetric",
        ),
        "learns a distance from labelled data",
        "transform",
        ("fit", "transform"),
    ),
    Kind(
        "relevance",
        "relevances",
        ("ilk.interfaces.relevance:Relevance",),
        "scores the information of each feature about the labels",
    ),
    Kind(
        "classifier",
        "classifiers",
        ("ilk.interfaces.classifier:Classifier",),
        "predicts a label",
        "final",
        ("fit", "predict"),
    ),
    Kind(
        "regressor",
        "regressors",
        ("ilk.interfaces.regressor:Regressor",),
        "predicts a number",
        "final",
        ("fit", "predict"),
    ),
    Kind(
        "detector",
        "detectors",
        ("ilk.interfaces.detector:Detector",),
        "distinguishes inliers and outliers",
        "final",
        ("fit", "predict"),
    ),
    Kind(
        "clusterer",
        "clusterers",
        ("ilk.interfaces.clusterer:Clusterer",),
        "groups similar objects",
        "final",
        ("fit", "fit_predict"),
    ),
    Kind(
        "editor",
        "editors",
        ("ilk.interfaces.editor:Editor",),
        "selects the cases to learn from",
        "resample",
        ("fit_resample",),
    ),
    Kind(
        "combiner",
        "combiners",
        ("ilk.interfaces.combiner:Combiner",),
        "turns the outputs of several members into one",
    ),
    Kind(
        "dataset",
        "datasets",
        ("ilk.interfaces.dataset:Dataset",),
        "loads labelled data",
    ),
    Kind(
        "resampling",
        "resamplings",
        ("ilk.interfaces.resampling:Resampling",),
        "splits data into training and test cases",
        None,
        ("split", "get_n_splits"),
    ),
    Kind(
        "measure",
        "measures",
        ("ilk.interfaces.measure:Measure",),
        "scores a prediction",
    ),
    Kind(
        "comparison",
        "comparisons",
        ("ilk.interfaces.comparison:Comparison",),
        "tests whether differences between pipelines are significant",
    ),
    Kind(
        "executor",
        "executors",
        ("ilk.interfaces.executor:Executor",),
        "runs the cells of an experiment",
    ),
)


@cache
def kinds() -> dict[str, Kind]:
    """Return every kind by name: the built-in kinds and the kinds of plugins.

    A plugin adds a kind by an entry point in the group ``ilk.kinds`` that names a `Kind`.
    """
    return {kind.name: kind for kind in (*_BUILT_IN, *_added())}


def _added() -> list[Kind]:
    """Load the kinds of plugins; ignore broken ones with a warning."""
    added = []
    for found in found_in("ilk.kinds"):
        assert found.entry_point is not None
        where = f"kind {found.name!r} of {found.distribution} {found.version} ({found.value})"
        try:
            kind = found.entry_point.load()
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001  # an import may raise anything, even SystemExit
            warnings.warn(f"{where} cannot be imported: {error!r}", stacklevel=2)
            continue
        if isinstance(kind, Kind):
            added.append(kind)
        else:
            warnings.warn(f"{where} is not an ilk.Kind but {kind!r}", stacklevel=2)
    return added


def kind_of(name: str) -> Kind:
    """Return the kind called `name` (singular or plural).

    Raises
    ------
    UnknownComponentError
        If there is no such kind; names the closest kind, or all kinds.
    """
    table = kinds()
    if name in table:
        return table[name]
    plural = {kind.plural: kind for kind in table.values()}
    if name in plural:
        return plural[name]
    hint = did_you_mean(name, (*table, *plural)) or f"; the kinds are {', '.join(table)}"
    raise UnknownComponentError(f"there is no kind {name!r}{hint}")
