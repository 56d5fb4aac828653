"""Parameters of components inside components: ``distance__p``, ``members__0__k``."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ilk.errors import ParameterError
from ilk.suggest import did_you_mean

if TYPE_CHECKING:
    from ilk.component import Component


def children(owner: Any) -> Iterator[tuple[str, Any]]:
    """Yield ``(path, component)`` for each component standing in a slot of `owner`."""
    for name, param in getattr(owner, "parameters", {}).items():
        value = getattr(owner, name)
        if not param.slot or value is None:
            continue
        if param.many is None:
            members: Any = [(name, value)]
        else:
            pairs = value.items() if isinstance(value, Mapping) else enumerate(value)
            members = [(f"{name}__{key}", _content(owner, name, item)) for key, item in pairs]
        yield from ((path, item) for path, item in members if hasattr(item, "get_params"))


def _content(owner: Any, name: str, item: Any) -> Any:
    """The component of a step, which is a table with one key; anything else is itself."""
    if owner.parameters[name].slot == "step" and isinstance(item, Mapping) and len(item) == 1:
        return next(iter(item.values()))
    return item


def get_nested(owner: Component, own: dict[str, Any], deep: bool) -> dict[str, Any]:
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
            raise _unknown(owner, head)
        if separator:
            inner.setdefault(head, {})[tail] = value
        else:
            setattr(owner, head, value)
    for head, rest in inner.items():
        _set_inside(owner, head, rest)


def _set_inside(owner: Component, name: str, params: dict[str, Any]) -> None:
    param = owner.parameters[name]
    if not param.slot:
        raise ParameterError(f"{_label(owner)}: {name} is not a component, it has no parameters")
    open_slot(owner, name)
    value = getattr(owner, name)
    if value is None or (param.many is None and not hasattr(value, "set_params")):
        raise ParameterError(f"{_label(owner)}: {name} is {value!r}, it has no parameters")
    if param.many is None:
        value.set_params(**params)
        return
    members = dict(value) if isinstance(value, Mapping) else dict(enumerate(value))
    by_key = {str(key): key for key in members}
    grouped: dict[str, dict[str, Any]] = {}
    for path, new in params.items():
        head, separator, tail = path.partition("__")
        if head not in by_key:
            raise ParameterError(
                f"{_label(owner)}: {name} has no member {head!r}{did_you_mean(head, by_key)}"
            )
        if separator:
            grouped.setdefault(head, {})[tail] = new
        else:
            members[by_key[head]] = new
    for head, rest in grouped.items():
        _content(owner, name, members[by_key[head]]).set_params(**rest)
    setattr(owner, name, members if isinstance(value, Mapping) else list(members.values()))


def open_slot(owner: Any, name: str) -> None:
    """Replace names and tables in a slot by the components they mean."""
    from ilk.slots import maker_for, open_value

    value = getattr(owner, name)
    setattr(owner, name, open_value(owner.parameters[name], value, maker_for(owner, name)))


def seeded(component: Any, seed: int) -> Any:
    """Give every random state that is still None a seed of its own, however deep.

    Parameters
    ----------
    component : Component
        Changed in place; names and tables in its slots become components.
    seed : int
        The same seed gives the same random states whatever the order.

    Returns
    -------
    Component
        The component itself.
    """
    _seed(component, seed, "")
    return component


def seed_slot(owner: Any, name: str, value: Any) -> Any:
    """Seed the components that were made for a slot by the random state of its owner, if any."""
    from ilk.chance import check_seed
    from ilk.freezing import is_frozen

    state = getattr(owner, "random_state", None)
    if state is None:
        return value
    whole = isinstance(state, int | np.integer)
    seed = int(state) if whole else int(check_seed(owner, state).randint(2**31 - 1))
    if owner.parameters[name].many is None:
        members: Any = [("", value)]
    else:
        members = value.items() if isinstance(value, Mapping) else enumerate(value)
    for key, member in members:
        if hasattr(member, "get_params") and not is_frozen(member):
            _seed(member, seed, f"/{name}__{key}")
    return value


def _seed(component: Any, seed: int, path: str) -> None:
    from ilk.freezing import is_frozen

    for name, param in getattr(component, "parameters", {}).items():
        if param.slot and getattr(component, name) is not None:
            open_slot(component, name)
    own = component.get_params(deep=False)
    if "random_state" in own and own["random_state"] is None:
        digest = hashlib.sha256(f"{seed}:{path}".encode()).digest()
        component.set_params(random_state=int.from_bytes(digest[:4], "big") >> 1)
    for name, child in children(component):
        if not is_frozen(child):
            _seed(child, seed, f"{path}/{name}")


def _unknown(owner: Component, name: str) -> ParameterError:
    hint = did_you_mean(name, owner.parameters)
    names = ", ".join(owner.parameters) or "none"
    return ParameterError(
        f"{_label(owner)} has no parameter {name!r}{hint} (it has: {names})", argument=name
    )


def _label(owner: object) -> str:
    from ilk.registries import display_name

    return display_name(owner)
