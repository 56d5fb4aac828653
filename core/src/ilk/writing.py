"""Write components as specs, without building any; the inverse of building."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ilk.errors import ParameterError, Problem, SpecError, Where
from ilk.freezing import is_frozen
from ilk.registries import find_class, registry
from ilk.resolution import kind_from, plain_value, resolve
from ilk.slot_values import At, map_slot
from ilk.steps import kind_and_component

if TYPE_CHECKING:
    from ilk.params import Param


def to_spec(obj: object, *, kind: str | None = None) -> dict[str, Any]:
    """Write an object as a spec, without parameters at their default.

    ``build(to_spec(x))`` has the same spec. Two components are equal exactly if their specs are.

    Parameters
    ----------
    obj : Component, name or table
    kind : str, optional
        For a name or a table: the kind of the component.

    Returns
    -------
    dict
        ``{"use": name, ...}`` of strings, numbers, lists and tables.

    Raises
    ------
    SpecError
        If a spec cannot represent a part: a function, a fitted (frozen) component, an object
        that no installed distribution registers.

    Examples
    --------
    >>> import ilk
    >>> to_spec(ilk.classifier("knn", k=3, distance=ilk.distance("minkowski", p=1)))
    {'use': 'knn', 'k': 3, 'distance': {'use': 'minkowski', 'p': 1}}
    """
    if isinstance(obj, str | Mapping):
        kind = kind or kind_from(obj)
        resolve(obj, kind=kind)  # reports all problems
    try:
        return _write(obj, kind, ())
    except ParameterError as error:
        raise SpecError([Problem((), str(error))]) from error
    except RecursionError as error:
        raise SpecError([Problem((), "components are nested too deeply")]) from error


def _write(obj: object, kind: str | None, path: Where) -> dict[str, Any]:
    """Write an instance, or convert a name or table to the same form."""
    if isinstance(obj, str | Mapping):
        assert kind is not None
        given = {"use": obj} if isinstance(obj, str) else dict(obj)
        if "steps" in given:
            given.setdefault("use", "pipeline")
        found = registry(kind).lookup(given.pop("use"))
        cls: Any = registry(kind).get(found.qualified)
    else:
        if is_frozen(obj):
            message = f"{obj!r} is frozen: a spec cannot hold what was learned"
            raise SpecError([Problem(path, message)])
        offered = find_class(type(obj))
        if offered is None:
            message = f"{obj!r} is not registered, so a spec cannot name it"
            raise SpecError([Problem(path, message)])
        found, cls = offered, type(obj)
        given = {name: getattr(obj, name) for name in cls.parameters}
    table: dict[str, Any] = {"use": registry(found.kind).shortest(found)}
    for name, param in cls.parameters.items():
        if name not in given or given[name] is param.default:
            continue
        value = _write_value(param, given[name], (*path, name))
        if value != _default(param):
            table[name] = value
    return table


def _default(param: Param) -> Any:
    """Write a default; None if it names a component that is not installed."""
    try:
        return _write_value(param, param.default, ())
    except SpecError:
        return None


def _write_value(param: Param, value: object, path: Where) -> Any:
    def one(item: object, kind: str, at: At) -> Any:
        if kind == "step":  # an instance whose kind is plain
            kind, item = kind_and_component(item)
            return {kind: _write(item, kind, (*path, *at, kind))}
        where = (*path, *at, kind) if param.slot == "step" else (*path, *at)
        return _write(item, kind, where)

    if param.slot:
        return plain_value(map_slot(param, value, one), path, _write_among)
    return plain_value(value, path, _write_among)


def _write_among(component: Any, path: Where) -> dict[str, Any]:
    return _write(component, component.kind, path)
