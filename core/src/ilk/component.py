"""Component: scikit-learn's BaseEstimator with declared parameters, slots and a spec."""

from __future__ import annotations

import copy
import inspect
from abc import ABC
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

from sklearn.base import BaseEstimator
from sklearn.frozen import FrozenEstimator

from ilk.capabilities import Capabilities
from ilk.errors import ParameterError
from ilk.nested import get_nested, set_nested
from ilk.slots import build_slot, slot_problem

if TYPE_CHECKING:
    from ilk.params import Param


class Component(BaseEstimator, ABC):
    """Base class of everything that has a name in ilk.

    A subclass stores its constructor's arguments unchanged, declares each of them once in
    `parameters`, and checks them when it is used by calling `check_parameters`.

    Attributes
    ----------
    kind : str
        The kind this class is made for (set by the interface it inherits from).
    parameters : mapping of str to Param
        One declaration for each constructor argument.
    capabilities : Capabilities
        What the class can do; each claim is tested by the conformance kit.
    waivers : mapping of str to str
        Conformance checks this class is known to fail, each with the reason; a waived
        check that passes is an error.

    Examples
    --------
    >>> import ilk
    >>> knn = ilk.classifier("knn", k=3)
    >>> knn.set_params(distance="minkowski", distance__p=1).distance.p
    1
    """

    kind: ClassVar[str] = "component"
    parameters: ClassVar[Mapping[str, Param]] = {}
    capabilities: ClassVar[Capabilities] = Capabilities()
    waivers: ClassVar[Mapping[str, str]] = {}

    @classmethod
    def examples(cls) -> list[Self]:
        """Return instances for the conformance kit to try; the first is the main one."""
        return [cls()]

    def check_parameters(self) -> None:
        """Check every parameter; subclasses add what depends on several of them.

        Raises
        ------
        ParameterError
            Naming the component, the parameter and the value.
        """
        for name, param in self.parameters.items():
            value = getattr(self, name)
            problem = slot_problem(param, value) if param.slot else param.problem(value)
            if problem:
                raise self.parameter_error(name, problem)

    def parameter_error(self, argument: str, problem: str) -> ParameterError:
        """Return the error ``"<component>: <argument> <problem>"``."""
        return ParameterError(f"{display_name(self)}: {argument} {problem}", argument=argument)

    def resolve_slot(self, name: str) -> Any:
        """Return what stands in a slot, built from its name or table, or cloned.

        A list or dict slot gives a list or dict. A component made by `frozen` stays itself.
        """
        return build_slot(self.parameters[name], getattr(self, name), self, name)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters, with ``deep`` also those of components in slots.

        The members of a list are reached by position (``members__0__k``), those of a dict
        by key (``parts__color__p``).
        """
        return get_nested(self, super().get_params(deep=False), deep)

    def set_params(self, **params: Any) -> Self:
        """Set parameters; ``slot__name=value`` works also where the slot holds a name or a table.

        Raises
        ------
        ParameterError
            If there is no such parameter; names the closest.
        """
        set_nested(self, params)
        return self

    def __sklearn_clone__(self) -> Any:
        return self if is_frozen(self) else super().__sklearn_clone__()

    def __getstate__(self) -> Any:
        from ilk.frames import encode_state

        return encode_state(super().__getstate__())

    def __setstate__(self, state: Any) -> None:
        from ilk.frames import decode_state

        super().__setstate__(decode_state(state))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        own = self.capabilities
        tags.input_tags.allow_nan = own.nan
        tags.input_tags.sparse = own.sparse
        tags.input_tags.two_d_array = "vectors" in own.inputs
        tags.input_tags.categorical = "tables" in own.inputs
        tags.input_tags.string = "strings" in own.inputs
        return tags


def display_name(component: object) -> str:
    """Return the registered name of a component, or its class name."""
    from ilk.registries import find_class

    cls = component if isinstance(component, type) else type(component)
    found = find_class(cls)
    return found.name if found else cls.__name__


def frozen(component: Any) -> Any:
    """Return a twin of a fitted component that slots and pipelines keep as it is.

    It is neither cloned nor fitted again, so a distance learned on one set of data can be
    used on another.

    Parameters
    ----------
    component : Component or scikit-learn estimator
        Already fitted.

    Returns
    -------
    Component or FrozenEstimator
        Shares the fitted state of `component`.

    Examples
    --------
    >>> import ilk
    >>> X, y = ilk.dataset("iris").load().Xy
    >>> distance = ilk.distance("heterogeneous").fit(X)
    >>> knn = ilk.classifier("knn", distance=ilk.frozen(distance)).fit(X[:100], y[:100])
    >>> knn.distance_.ranges_ is distance.ranges_
    True
    """
    if not isinstance(component, Component):
        return FrozenEstimator(component)
    twin = copy.copy(component)
    setattr(twin, _FROZEN, True)
    return twin


_FROZEN = "_frozen"


def is_frozen(component: object) -> bool:
    """Tell whether a component was made by `frozen`."""
    return isinstance(component, FrozenEstimator) or bool(getattr(component, _FROZEN, False))


def fit_component(component: Any, X: Any, y: Any = None, **keywords: Any) -> Any:
    """Fit a component unless it is frozen; return it."""
    return component if is_frozen(component) else component.fit(X, y, **keywords)


def declaration_problem(cls: type[Component]) -> str | None:
    """Return how a class's `parameters` disagree with its constructor, or None."""
    arguments = [
        parameter
        for parameter in inspect.signature(cls.__init__).parameters.values()
        if parameter.name != "self"
    ]
    if cls.__init__ is object.__init__:
        arguments = []
    variable = [p.name for p in arguments if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    if variable:
        return f"class {cls.__name__}: the constructor must not take *{variable[0]}"
    names = [p.name for p in arguments]
    undeclared = [name for name in names if name not in cls.parameters]
    if undeclared:
        return f"class {cls.__name__} does not declare its parameters {', '.join(undeclared)}"
    phantom = [name for name in cls.parameters if name not in names]
    if phantom:
        return f"class {cls.__name__} declares {', '.join(phantom)}, which its constructor lacks"
    required = [p.name for p in arguments if p.default is p.empty]
    if required:
        return f"class {cls.__name__}: parameters {', '.join(required)} need a default"
    return None
