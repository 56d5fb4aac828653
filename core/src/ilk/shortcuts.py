"""One function per kind: ``ilk.distance("minkowski", p=1)`` and ``ilk.distances()``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from ilk.messages import an
from ilk.registries import display_name, registry

if TYPE_CHECKING:
    from ilk.interfaces.classifier import Classifier
    from ilk.interfaces.clusterer import Clusterer
    from ilk.interfaces.combiner import Combiner
    from ilk.interfaces.comparison import Comparison
    from ilk.interfaces.dataset import Dataset
    from ilk.interfaces.detector import Detector
    from ilk.interfaces.distance import Distance
    from ilk.interfaces.editor import Editor
    from ilk.interfaces.executor import Executor
    from ilk.interfaces.index import Index
    from ilk.interfaces.kernel import Kernel
    from ilk.interfaces.measure import Measure
    from ilk.interfaces.regressor import Regressor
    from ilk.interfaces.relevance import Relevance
    from ilk.interfaces.resampling import Resampling
    from ilk.interfaces.transformer import Transformer


def make(kind: str, name: str, /, **parameters: Any) -> Any:
    """Return a component of a kind by name, with checked parameters.

    Parameters
    ----------
    kind : str
        ``"distance"``, ``"classifier"``, ...
    name : str
        Registered name, or ``"distribution/name"``.
    **parameters
        Parameters of the component; see ``ilk show KIND NAME``.

    Raises
    ------
    InputTypeError
        If kind or name is not a str; `ilk.build` builds tables.
    UnknownComponentError, BrokenComponentError, AmbiguousComponentError
        If the name cannot be turned into a class.
    ParameterError
        If there is no such parameter or its value is invalid, also in components of slots.

    Examples
    --------
    >>> make("distance", "minkowski", p=1).between([0, 0], [3, 4])
    7.0
    """
    from ilk.component import opened
    from ilk.fields import unknown_parameter

    _require_text("the kind of a component", kind)
    _require_text(f"the name of {an(kind)}", name)
    cls: Any = registry(kind).get(name)
    for key in parameters:
        if key not in cls.parameters:
            raise unknown_parameter(display_name(cls), key, cls.parameters)
    component = cls(**parameters)
    component.check_parameters()
    for key, value in parameters.items():  # check names and tables now, build them at fit
        opened(component, key, value)
    return component


def _require_text(what: str, given: object) -> None:
    """Raise unless a name is text; suggest `ilk.build` for a table."""
    if isinstance(given, str):
        return
    from ilk.errors import InputTypeError

    is_table = isinstance(given, Mapping) and "use" in given
    hint = "; ilk.build(table, kind=...) builds what a table describes" if is_table else ""
    raise InputTypeError(f"{what} must be a string, got {type(given).__name__} {given!r}{hint}")


def _maker(kind: str) -> Callable[..., Any]:
    def by_name(name: str, /, **parameters: Any) -> Any:
        return make(kind, name, **parameters)

    by_name.__name__ = by_name.__qualname__ = kind
    by_name.__doc__ = (
        f"Return {an(kind)} by its registered name; see `make`.\n\n"
        f"``ilk list {kind}`` shows the names, ``ilk show {kind} NAME`` the parameters."
    )
    return by_name


def _lister(kind: str) -> Callable[[], list[str]]:
    def names() -> list[str]:
        return registry(kind).names()

    from ilk.kinds import kind_of

    names.__name__ = names.__qualname__ = kind_of(kind).plural
    names.__doc__ = f"Return the sorted names of every installed {kind}, importing none."
    return names


distance: Callable[..., Distance] = _maker("distance")
kernel: Callable[..., Kernel] = _maker("kernel")
index: Callable[..., Index] = _maker("index")
transformer: Callable[..., Transformer] = _maker("transformer")
metric_learner: Callable[..., Any] = _maker("metric_learner")
relevance: Callable[..., Relevance] = _maker("relevance")
classifier: Callable[..., Classifier] = _maker("classifier")
regressor: Callable[..., Regressor] = _maker("regressor")
detector: Callable[..., Detector] = _maker("detector")
clusterer: Callable[..., Clusterer] = _maker("clusterer")
editor: Callable[..., Editor] = _maker("editor")
combiner: Callable[..., Combiner] = _maker("combiner")
dataset: Callable[..., Dataset] = _maker("dataset")
resampling: Callable[..., Resampling] = _maker("resampling")
measure: Callable[..., Measure] = _maker("measure")
comparison: Callable[..., Comparison] = _maker("comparison")
executor: Callable[..., Executor] = _maker("executor")

distances = _lister("distance")
kernels = _lister("kernel")
indexes = _lister("index")
transformers = _lister("transformer")
metric_learners = _lister("metric_learner")
relevances = _lister("relevance")
classifiers = _lister("classifier")
regressors = _lister("regressor")
detectors = _lister("detector")
clusterers = _lister("clusterer")
editors = _lister("editor")
combiners = _lister("combiner")
datasets = _lister("dataset")
resamplings = _lister("resampling")
measures = _lister("measure")
comparisons = _lister("comparison")
executors = _lister("executor")
