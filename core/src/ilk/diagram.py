"""The diagram of a component in notebooks: scikit-learn's, with the components in slots opened."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ilk.building import build, construct
from ilk.errors import IlkError
from ilk.slot_values import slot_members

if TYPE_CHECKING:
    from ilk.params import Param


@dataclass
class Block:
    """What scikit-learn draws; its own class for this is private and moves between versions."""

    kind: str
    estimators: Any
    names: Any
    name_details: Any
    name_caption: str | None = None
    doc_link_label: str | None = None
    dash_wrapped: bool = True


def block(owner: object, kind: str, parts: list[tuple[str, Any]]) -> Block:
    """Draw parts beside each other (``"parallel"``) or one after the other (``"serial"``)."""
    if not parts:
        return Block("single", owner, type(owner).__name__, str(owner))
    labels = [f"{name}: {_title(part)}" for name, part in parts]
    return Block(kind, [part for _, part in parts], labels, [str(part) for _, part in parts])


def parts_in_slots(owner: Any) -> list[tuple[str, Any]]:
    """Return the components in slots, by path; fitted copies where there are any."""
    parts: list[tuple[str, Any]] = []
    for name, declared in owner.parameters.items():
        if declared.slot:
            fitted = _parts_of_slot(declared, name, vars(owner).get(f"{name}_"))
            estimators = all(hasattr(part, "get_params") for _, part in fitted)
            given = getattr(owner, name)
            parts += fitted if fitted and estimators else _parts_of_slot(declared, name, given)
    return parts


def _parts_of_slot(declared: Param, name: str, value: object) -> list[tuple[str, Any]]:
    return [
        ("__".join(map(str, (name, *at))), named(item, kind))
        for item, kind, at in slot_members(declared, value)
    ]


def named(item: object, kind: str) -> Any:
    """Return the component that a name or table means; where there is none, the name."""
    if isinstance(item, type):  # which is an error when the component is used
        return repr(item)
    try:
        if isinstance(item, str):
            return construct(item, kind)
        return build(item, kind=kind) if isinstance(item, Mapping) else item
    except IlkError:
        return str(item.get("use")) if isinstance(item, Mapping) else str(item)


def _title(part: object) -> str:
    return part if isinstance(part, str) else type(part).__name__
