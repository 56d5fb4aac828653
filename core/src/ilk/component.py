"""Component: scikit-learn's BaseEstimator with declared parameters, slots and a spec."""

from __future__ import annotations

from abc import ABC
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

from sklearn.base import BaseEstimator

from ilk.capabilities import Capabilities
from ilk.declaration import mark_defaults
from ilk.errors import ParameterError
from ilk.freezing import is_frozen
from ilk.nested import get_nested, seed_slot, set_nested
from ilk.registries import display_name
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
    relies_on : tuple of str
        Distributions beyond its own whose version decides what it computes: with another
        version, stored results of experiments do not count as done.

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
    relies_on: ClassVar[tuple[str, ...]] = ()
    marked_defaults: ClassVar[Mapping[str, Any]] = {}
    _param_names: ClassVar[list[str]]

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        mark_defaults(cls)

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

    def check_loaded(self) -> None:
        """Check what was learned, as `ilk.load` has read it from a file; for subclasses to extend.

        Called for a fitted component after `check_parameters`. A class whose answers come from
        compiled loops checks here that positions which it keeps are in range and that shapes
        agree, best by `ilk.check_stored`: a changed file must not make a loop read foreign
        memory. A dataclass that a component keeps may have a method of this name, too.

        Raises
        ------
        InputError
            Or any other error; `ilk.load` makes one message of it.
        """

    def alternatives(self) -> list[Any]:
        """Return what it may become by values that no slot holds, as those of a grid.

        An experiment must know which code they run: stored results go by that.
        """
        return []

    def parameter_error(self, argument: str, problem: str) -> ParameterError:
        """Return the error ``"<component>: <argument> <problem>"``."""
        return ParameterError(f"{display_name(self)}: {argument} {problem}", argument=argument)

    def resolve_slot(self, name: str) -> Any:
        """Return what stands in a slot, built from its name or table, or cloned.

        A list or dict slot gives a list or dict. A component made by `frozen` stays itself.
        """
        return build_slot(self.parameters[name], getattr(self, name), self, name)

    def seeded_slot(self, name: str) -> Any:
        """Return what `resolve_slot` does, each of its open random states set by ``random_state``.

        For what is learned once: the members of an ensemble need seeds of their own (`seeded`).
        """
        return seed_slot(self, name, self.resolve_slot(name))

    @classmethod
    def _get_param_names(cls) -> list[str]:
        """Names of the constructor's arguments, read from its signature once for each class."""
        if "_param_names" not in cls.__dict__:
            cls._param_names = super()._get_param_names()
        return cls._param_names

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
