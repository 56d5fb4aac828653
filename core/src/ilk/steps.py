"""Steps of a pipeline, and the cases that one hands to the next.

A step is a table with one key, the kind, or a component that implies its kind.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ilk.kinds import Role, kinds
from ilk.messages import did_you_mean, short_repr
from ilk.registries import registry

_BY_METHOD = (
    ("fit_resample", "editor"),
    ("predict", "classifier"),
    ("transform", "transformer"),
    ("fit_predict", "clusterer"),
)


@dataclass(frozen=True, eq=False)
class Carried:
    """Training cases and cases to predict, after the first steps of a pipeline.

    Attributes
    ----------
    X, y : array, data frame or list of length n, and array of shape (n,)
        Training cases, as the next step gets them.
    queries : array, data frame, list or None
        Cases to predict; None: there are none.
    n_steps : int
        Number of steps before.
    share : float
        Share of the training cases that editors left.
    tables : bool
        Whether a step got a table; a pipeline with views names the columns of its output.
    fit_seconds, predict_seconds : float
        Time that the steps took.
    steps : tuple of component
        Fitted steps, the last ones of those before; empty where others fitted them.
    """

    X: Any
    y: Any = None
    queries: Any = None
    n_steps: int = 0
    share: float = 1.0
    tables: bool = False
    fit_seconds: float = 0.0
    predict_seconds: float = 0.0
    steps: tuple[Any, ...] = ()


def step_kinds() -> list[str]:
    """Return the kinds that can be steps."""
    return [kind.name for kind in kinds().values() if kind.role]


def adapted(value: Any, kind: str) -> Any:
    """Return the component or estimator that a value in a slot means.

    Of a pair (name, estimator), as scikit-learn has them, it is the estimator. A function becomes
    a component, if there is one that calls it (`Kind.function`).

    Parameters
    ----------
    value : object
        Anything else is returned unchanged.
    kind : str
        Kind of the slot, or ``"step"``.
    """
    if isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], str):
        value = value[1]
    if not _is_function(value):
        return value
    known = kinds().get("transformer" if kind == "step" else kind)
    if known is None or not known.function:
        return value
    if known.function == "sklearn":
        from sklearn.preprocessing import FunctionTransformer

        return FunctionTransformer(value)
    name, _, parameter = known.function.partition(":")
    return registry(kind).get(name)(**{parameter: value})


def _is_function(value: object) -> bool:
    """Tell whether a value is called and is neither a class, a component nor an estimator."""
    if not callable(value) or isinstance(value, type):
        return False
    return not any(hasattr(value, name) for name in ("get_params", "fit", "parameters"))


def step_problem(step: object) -> str | None:
    """Return the problem of a step, without resolving names and tables."""
    step = adapted(step, "step")
    if isinstance(step, Mapping):
        if len(step) != 1:
            return f"must be a table with one key, its kind, got {short_repr(dict(step))}"
        ((kind, value),) = step.items()
        if kind not in step_kinds():
            hint = did_you_mean(kind, step_kinds())
            allowed = ", ".join(step_kinds())
            return f"must be of a kind that can be a step ({allowed}), got {short_repr(kind)}{hint}"
        if isinstance(value, str | Mapping) or kinds()[kind].accepts(adapted(value, kind)):
            return None
        return f"must be a {kind} (name, table with 'use', or instance), got {short_repr(value)}"
    if isinstance(step, type):
        name = step.__name__
        return f"must be a table {{kind: component}} or an instance, as {name}(); got the class"
    kind = getattr(step, "kind", None)
    if kind is None and any(hasattr(step, method) for method, _ in _BY_METHOD):
        return None
    if kind in step_kinds():
        return None
    return (
        f"must be a table {{kind: component}} or a component that can be a step, got "
        f"{short_repr(step)}"
    )


def kind_and_component(step: object) -> tuple[str, Any]:
    """Return kind and component (or its name or table) of a valid step."""
    step = adapted(step, "step")
    if isinstance(step, Mapping):
        ((kind, value),) = step.items()
        return kind, adapted(value, kind)
    kind = getattr(step, "kind", None)
    if kind:
        return kind, step
    implied = next(kind for method, kind in _BY_METHOD if hasattr(step, method))
    return _PREDICTORS.get(_estimator_type(step), implied), step


_PREDICTORS = {
    "regressor": "regressor",
    "outlier_detector": "detector",
    "clusterer": "clusterer",
}
"""Kinds of step by scikit-learn's types of estimators; others are told by their methods."""


def _estimator_type(step: Any) -> str:
    try:
        return str(step.__sklearn_tags__().estimator_type)
    except AttributeError:
        return ""


def role_of(kind: str) -> Role:
    """Return the role of steps of a kind."""
    role = kinds()[kind].role
    assert role is not None
    return role


def order_problem(steps: Sequence[Any]) -> str | None:
    """Return the problem of the order of steps: a final step must be the last one."""
    if not steps:
        return "must have at least one step, got an empty list"
    roles = [role_of(kind_and_component(step)[0]) for step in steps]
    for position, role in enumerate(roles[:-1]):
        if role == "final":
            kind, _ = kind_and_component(steps[position])
            return f"[{position}] must be the last step: a {kind} ends a pipeline"
    if roles[-1] == "resample":
        return f"[{len(roles) - 1}] must not be an editor: nothing after it learns from its cases"
    return None


def step_names(steps: Sequence[Any]) -> list[str]:
    """Name steps by their kinds, numbered if a kind occurs more than once."""
    every = [kind_and_component(step)[0] for step in steps]
    total, seen, names = Counter(every), Counter[str](), []
    for kind in every:
        seen[kind] += 1
        names.append(kind if total[kind] == 1 else f"{kind}{seen[kind]}")
    return names


def takes_weights(component: object) -> bool:
    """Tell whether the `fit` of a component takes sample weights."""
    capabilities = getattr(component, "capabilities", None)
    if capabilities is not None:
        # a property where parameters decide
        depends = isinstance(getattr(type(component), "sample_weight", None), property)
        return bool((component if depends else capabilities).sample_weight)  # type: ignore[union-attr]
    from sklearn.utils.validation import has_fit_parameter

    return bool(has_fit_parameter(component, "sample_weight"))
