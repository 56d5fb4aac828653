"""Transformer: turns a table into another table; fits of steps, and what a step learns."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, Self

from ilk.component import Component, renew_shortcut, seeded
from ilk.errors import IlkError
from ilk.estimators import TransformerMixin
from ilk.freezing import fit_component, is_frozen
from ilk.steps import takes_weights

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ilk.arrays import ArrayLike, Cases, Estimator, Labels


class Transformer(TransformerMixin, Component):
    """Turns X into another table, as scikit-learn's transformers do.

    Numeric transformers reject nominal columns with an error that names alternatives. A
    transformer that learns nothing from training cases declares the capability `stateless`, or
    has a property of that name if this depends on parameters.
    """

    kind: ClassVar[str] = "transformer"

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        renew_shortcut(cls, "_fit_transform", ("fit", "transform"), Transformer._fit_transform)

    @abstractmethod
    def fit(self, X: Cases, y: Labels | None = None) -> Self:
        """Learn from training data."""

    @abstractmethod
    def transform(self, X: Cases) -> Any:
        """Return the transformed table, with as many rows as X."""

    def fit_transform(self, X: Cases, y: Labels | None = None, **keywords: Any) -> Any:
        """Fit to X and return it transformed, the same as ``fit(X, y).transform(X)``."""
        if keywords:
            return self.fit(X, y, **keywords).transform(X)
        return self._fit_transform(X, y)

    def _fit_transform(self, X: Cases, y: Labels | None) -> Any:
        """Fit and transform; a subclass that need not check X twice overrides it."""
        return self.fit(X, y).transform(X)

    def get_feature_names_out(self, input_features: Sequence[str] | None = None) -> Any:
        """Names of the features of the output, as an array of strings."""
        raise AttributeError(f"{type(self).__name__} has no get_feature_names_out")


def fit_step(
    component: Any, X: Cases, y: Labels | None, sample_weight: ArrayLike | None, *, last: bool
) -> tuple[Any, Any]:
    """Fit a step; return it with what the next step gets: X for the last one, else its output."""
    if sample_weight is not None and takes_weights(component):
        component = fit_component(component, X, y, sample_weight=sample_weight)
    elif not last and isinstance(component, Transformer) and not is_frozen(component):
        return component, component.fit_transform(X, y)
    else:
        component = fit_component(component, X, y)
    return component, X if last else component.transform(X)


def leaves_out(learner: Estimator) -> bool:
    """Tell whether a learner's `leave_one_out` equals refitting without each case.

    It does if the learner declares `fast_leave_one_out`: as a property, which depends on the
    present parameters, or as a capability of the class, and then only if no random state is
    open, because each of many fits would draw a different one.
    """
    if not hasattr(learner, "leave_one_out"):
        return False
    declared = getattr(learner, "fast_leave_one_out", None)
    if isinstance(declared, bool):
        return declared
    return _declares(learner, "fast_leave_one_out") and not _is_open(learner)


def learns_nothing(step: object) -> bool:
    """Tell whether the output of a step for a case does not depend on its training data.

    This holds for a transformer that declares `stateless`, as a property or as a capability, and
    has no open random state; and for a frozen component of ilk. An editor always depends on the
    cases it selects from.
    """
    if hasattr(step, "fit_resample") or not hasattr(step, "transform"):
        return False
    if is_frozen(step):
        return hasattr(step, "parameters")  # another library's transform may mix rows
    stateless = getattr(step, "stateless", None)
    declared = stateless if isinstance(stateless, bool) else _declares(step, "stateless")
    return declared and not _is_open(step)


def _declares(component: object, capability: str) -> bool:
    return bool(getattr(getattr(component, "capabilities", None), capability, False))


def _is_open(component: object) -> bool:
    """Tell whether any random state, at any depth, is None."""
    from sklearn.base import clone

    try:
        one, other = (_states(seeded(clone(component), seed)) for seed in (0, 1))
    except IlkError:  # reported by fit
        return True
    return one != other


def _states(component: Any) -> dict[str, Any]:
    params = component.get_params(deep=True)
    return {name: value for name, value in params.items() if name.endswith("random_state")}
