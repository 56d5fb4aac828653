"""Component: a scikit-learn estimator whose parameters are declared as fields of its class."""

from __future__ import annotations

import copy
import hashlib
from abc import ABC
from collections.abc import Callable, Collection, Iterator, Mapping
from importlib import import_module
from typing import Any, ClassVar, Self, dataclass_transform

import numpy as np

from ilk.building import build, construct
from ilk.capabilities import Capabilities
from ilk.diagram import Block, block, parts_in_slots
from ilk.errors import ParameterError, RegistryError, SpecError
from ilk.estimators import BaseEstimator
from ilk.fields import collect_fields, constructor, unknown_parameter, with_parameters
from ilk.frames import decode_state, encode_state
from ilk.freezing import is_frozen, mark_single_use, taken
from ilk.inputs import check_fitted
from ilk.messages import did_you_mean
from ilk.params import Param, is_shared, param, slot, slots
from ilk.random_state import check_seed
from ilk.registries import display_name
from ilk.slot_values import At, map_slot, slot_members, slot_problem

_DEEPEST_SHOWN = 8


@dataclass_transform(kw_only_default=True, eq_default=False, field_specifiers=(param, slot, slots))
class Component(BaseEstimator, ABC):
    """Base class of all named components of ilk.

    A subclass declares each parameter once, as a field: ``k: int = ilk.param(default=5, ge=1,
    doc="Neighbours that vote.")``. The fields define the constructor, which takes them by
    keyword and stores them, `get_params` and `set_params`, the checks, and the section
    *Parameters* of the docstring. A subclass calls `check_parameters` when it is used.

    Attributes
    ----------
    kind : str
        The kind of this class (set by the interface it inherits from).
    parameters : mapping of str to Param
        The declarations, in the order of the fields, inherited ones first. Made from the fields.
    capabilities : Capabilities
        Capabilities of the class; the conformance kit tests each claim.
    waivers : mapping of str to str
        Conformance checks this class is known to fail, each with the reason; a waived
        check that passes is an error.
    relies_on : tuple of str
        Other distributions whose version affects its results: with another version, stored
        results of experiments do not count as done.
    late : tuple of str
        Parameters that only predictions use, so that one fit serves for all their values
        (`with_late`). A subclass with a `fit` of its own has none unless it declares them.

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
    late: ClassVar[tuple[str, ...]] = ()
    _own_fields: ClassVar[Mapping[str, Param]] = {}

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "_own_fields" in vars(cls):  # called again when scikit-learn is imported
            return
        cls._own_fields, cls.parameters = collect_fields(cls)
        cls.__init__ = constructor(cls, cls.parameters)  # type: ignore[method-assign]
        cls.__doc__ = with_parameters(cls, cls.parameters)
        renew_shortcut(cls, "late", ("fit",), ())

    @classmethod
    def examples(cls) -> list[Self]:
        """Return instances for the conformance kit to try; the first is the main one."""
        return [cls()]

    def check_parameters(self) -> None:
        """Check every parameter; subclasses add checks of combinations.

        Raises
        ------
        ParameterError
            Naming the component, the parameter and the value.
        """
        for name, declared in self.parameters.items():
            value = getattr(self, name)
            problem = (slot_problem if declared.slot else Param.problem)(declared, value)
            if problem:
                raise self.parameter_error(name, problem)

    def check_loaded(self) -> None:
        """Check the fitted state after `ilk.load` has read it from a file; for subclasses.

        Called for a fitted component after `check_parameters`. A class with compiled loops
        checks here that stored positions are in range and that shapes agree, best by
        `ilk.check_stored`: a changed file must not make a loop read foreign memory. A dataclass
        in the state of a component may have a method of this name, too.

        Raises
        ------
        InputError
            Or any other error; `ilk.load` makes one message of it.
        """

    def with_late(self, other: Component) -> Self:
        """Return this fitted component with the `late` parameters of another.

        The result is the other one, fitted to the same rows; both share the fitted state.

        Raises
        ------
        ParameterError or InputError
            Where the fit of the other one would raise it, or if it is no such component.

        Examples
        --------
        >>> import ilk
        >>> three, one = (ilk.classifier("knn", k=k) for k in (3, 1))
        >>> X, y = [[0.0], [1.0], [2.0]], ["a", "b", "b"]
        >>> three.fit(X, y).with_late(one).predict([[0.2]]).tolist()
        ['a']
        """
        if not isinstance(other, type(self)):
            raise self.parameter_error("other", f"must be a {display_name(self)}, got {other!r}")
        check_fitted(self)
        twin = object.__new__(type(self))
        vars(twin).update(vars(self), **{name: getattr(other, name) for name in self.late})
        twin.check_parameters()
        return twin

    def expect(self, X: Any) -> None:
        """Get ready for predictions for one object by copies of `with_late`; for subclasses.

        What they share is then computed once; the object must not change.
        """

    def alternatives(self) -> list[Any]:
        """Return the components that values outside slots may create, such as those of a grid.

        An experiment must know their code, because stored results depend on it.
        """
        return []

    def parameter_error(self, argument: str, problem: str) -> ParameterError:
        """Return the error ``"<component>: <argument> <problem>"``."""
        return ParameterError(f"{display_name(self)}: {argument} {problem}", argument=argument)

    def resolve_slot(self, name: str) -> Any:
        """Return the component of a slot, built from its name or table, or cloned.

        A list or dict slot gives a list or dict. A frozen component is returned itself.
        """
        from sklearn.base import clone

        return _resolved(self, name, lambda instance: clone(instance, safe=False))

    def seeded_slot(self, name: str) -> Any:
        """Like `resolve_slot`, with open random states set from ``random_state``.

        For a component that is fitted once: members of an ensemble need different seeds (`seeded`).
        """
        return seed_slot(self, name, taken_slot(self, name))

    @classmethod
    def _get_param_names(cls) -> list[str]:
        return sorted(cls.parameters)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters, with ``deep`` also those of components in slots.

        Names have the position of a member in a list (``members__0__k``), or its key in a dict
        (``parts__color__p``).
        """
        own = {name: getattr(self, name) for name in self._get_param_names()}
        return get_nested(self, own, deep)

    def set_params(self, **params: Any) -> Self:
        """Set parameters; ``slot__name=value`` also works if the slot has a name or a table.

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
        return encode_state(super().__getstate__())

    def __setstate__(self, state: Any) -> None:
        values = decode_state(state)
        for name, declared in self.parameters.items():  # default names mean components of ilk
            if name not in values or (declared.slot and _is_default(values[name], declared)):
                default = declared.default
                values[name] = copy.deepcopy(default) if is_shared(default) else default
        import_module("sklearn.base")  # a new worker unpickles before anything is fitted
        super().__setstate__(values)

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        if _is_deeper(self, _DEEPEST_SHOWN):  # for which scikit-learn takes 2^depth steps
            return f"{type(self).__name__}(...)"
        import_module("sklearn.base")
        return super().__repr__(N_CHAR_MAX)

    def _sk_visual_block_(self) -> Block:
        return block(self, "parallel", parts_in_slots(self))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        own = self.capabilities
        tags.input_tags.allow_nan = own.nan
        tags.input_tags.sparse = own.sparse
        tags.input_tags.two_d_array = "vectors" in own.inputs
        tags.input_tags.categorical = "tables" in own.inputs
        tags.input_tags.string = "strings" in own.inputs
        return tags


def _is_default(value: object, declared: Param) -> bool:
    return isinstance(value, str | tuple | list | Mapping) and value == declared.default


def renew_shortcut(cls: type, shortcut: str, methods: Collection[str], default: object) -> None:
    """Give a new class the default of a shortcut if it overrides a method that it stands for.

    A shortcut is a method that does the work of several others at once; inherited, it would
    bypass the changes of a subclass.
    """
    attributes = vars(cls)
    if shortcut not in attributes and any(name in attributes for name in methods):
        setattr(cls, shortcut, default)


def children(owner: object) -> Iterator[tuple[str, Any]]:
    """Yield ``(path, component)`` for each component in a slot of `owner`."""
    for name, declared in getattr(owner, "parameters", {}).items():
        if declared.slot:
            yield from (
                ("__".join(map(str, (name, *at))), item)
                for item, _, at in slot_members(declared, getattr(owner, name))
                if hasattr(item, "get_params") and not isinstance(item, type)
            )


def _is_deeper(owner: object, levels: int) -> bool:
    inside = (child for _, child in children(owner))
    return any(levels == 0 or _is_deeper(child, levels - 1) for child in inside)


def get_nested(owner: object, own: dict[str, Any], deep: bool) -> dict[str, Any]:
    """Extend an owner's own parameters by those of the components in its slots."""
    if not deep:
        return own
    result = dict(own)
    for path, child in children(owner):
        result[path] = child
        result.update(
            (f"{path}__{name}", value) for name, value in child.get_params(deep=True).items()
        )
    return result


def set_nested(owner: Component, params: Mapping[str, Any]) -> None:
    """Set an owner's parameters, then those of the components in its slots."""
    inner: dict[str, dict[str, Any]] = {}
    for key, value in params.items():
        head, separator, tail = key.partition("__")
        if head not in owner.parameters:
            raise unknown_parameter(display_name(owner), head, owner.parameters)
        if separator:
            inner.setdefault(head, {})[tail] = value
        else:
            setattr(owner, head, value)
    for head, rest in inner.items():
        _set_inside(owner, head, rest)


def _set_inside(owner: Component, name: str, params: dict[str, Any]) -> None:
    declared = owner.parameters[name]
    if not declared.slot:
        raise ParameterError(
            f"{display_name(owner)}: {name} is not a component, it has no parameters"
        )
    open_slot(owner, name)
    value = getattr(owner, name)
    if value is None or (declared.many is None and not hasattr(value, "set_params")):
        raise ParameterError(f"{display_name(owner)}: {name} is {value!r}, it has no parameters")
    if declared.many is None:
        value.set_params(**params)
        return
    members = dict(value) if isinstance(value, Mapping) else dict(enumerate(value))
    by_key = {str(key): key for key in members}
    grouped: dict[str, dict[str, Any]] = {}
    for path, new in params.items():
        head, separator, tail = path.partition("__")
        if head not in by_key:
            raise ParameterError(
                f"{display_name(owner)}: {name} has no member {head!r}{did_you_mean(head, by_key)}"
            )
        if separator:
            grouped.setdefault(head, {})[tail] = new
        else:
            members[by_key[head]] = new
    for head, rest in grouped.items():
        step = members[by_key[head]]
        inner = next(iter(step.values())) if isinstance(step, Mapping) else step
        inner.set_params(**rest)
    setattr(owner, name, members if isinstance(value, Mapping) else list(members.values()))


def taken_slot(owner: Any, name: str) -> Any:
    """Like `resolve_slot`, but the components of a `single_use` clone are returned themselves."""
    return _resolved(owner, name, taken)


def _resolved(owner: Any, name: str, copied: Callable[[Any], Any]) -> Any:
    value = getattr(owner, name)
    problem = slot_problem(owner.parameters[name], value)
    if problem:
        raise owner.parameter_error(name, problem)
    return _made(owner, name, value, copied)


def open_slot(owner: object, name: str) -> None:
    """Replace names and tables in a slot by components."""
    setattr(owner, name, opened(owner, name, getattr(owner, name)))


def opened(owner: object, name: str, value: object) -> Any:
    """Return a value of a slot with names and tables built; instances stay.

    Raises
    ------
    ParameterError
        If something cannot be built; names the component and the parameter.
    """
    return _made(owner, name, value, lambda instance: instance)


def _made(owner: Any, name: str, value: Any, keep: Callable[[Any], Any]) -> Any:
    def one(item: Any, kind: str, _: At) -> Any:
        if not isinstance(item, str | Mapping):
            return keep(item)
        try:
            return construct(item, kind) if isinstance(item, str) else build(item, kind=kind)
        except (RegistryError, SpecError) as error:
            raise owner.parameter_error(name, f"cannot be built: {error}") from error

    return map_slot(owner.parameters[name], value, one)


def seeded(component: object, seed: int) -> Any:
    """Set every random state that is None to a different seed, at any depth.

    Parameters
    ----------
    component : Component
        Changed in place; names and tables in its slots become components.
    seed : int
        The same seed gives the same random states, independent of the order.

    Returns
    -------
    Component
        The component itself.
    """
    _seed(component, seed, "")
    return component


def single_use(component: Any) -> Any:
    """Return a clone for one fit, which fits the components in its slots themselves.

    An ordinary fit clones them, so that parameters stay unfitted and the component can be fitted
    again; for a clone that is fitted once and then dropped, that is work for nothing.

    Parameters
    ----------
    component : Component
        Its random states, at any depth, are set to numbers before the fit (`seeded`).

    Examples
    --------
    >>> import ilk
    >>> knn = ilk.single_use(ilk.classifier("knn", k=1, distance=ilk.distance("euclidean")))
    >>> knn.fit([[0.0], [1.0]], ["a", "b"]).distance_ is knn.distance
    True
    """
    from sklearn.base import clone

    copied = clone(component)
    _mark_inside(copied)
    return copied


def _mark_inside(component: Any) -> None:
    for _, child in children(component):
        if isinstance(child, Component) and not is_frozen(child):
            mark_single_use(child)
            _mark_inside(child)


def seed_slot(owner: Component, name: str, value: Any) -> Any:
    """Seed the components built for a slot from the random state of the owner, if it has one."""
    state = getattr(owner, "random_state", None)
    if state is None:
        return value
    whole = isinstance(state, int | np.integer)
    seed = int(state) if whole else int(check_seed(owner, state).randint(2**31 - 1))
    for member, _, at in slot_members(owner.parameters[name], value):
        if hasattr(member, "get_params") and not is_frozen(member):
            _seed(member, seed, f"/{name}__{at[0] if at else ''}")
    return value


def _seed(component: Any, seed: int, path: str) -> None:
    for name, declared in getattr(component, "parameters", {}).items():
        if declared.slot and getattr(component, name) is not None:
            open_slot(component, name)
    parameters = component.get_params(deep=False)
    if "random_state" in parameters and parameters["random_state"] is None:
        digest = hashlib.sha256(f"{seed}:{path}".encode()).digest()
        component.set_params(random_state=int.from_bytes(digest[:4], "big") >> 1)
    for name, child in children(component):
        if not is_frozen(child):
            _seed(child, seed, f"{path}/{name}")
