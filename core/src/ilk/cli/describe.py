"""All there is to tell about a kind or a component, as plain data."""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from ilk.cli.docstrings import read_docstring
from ilk.registries import registry
from ilk.resolution import defaults_of

if TYPE_CHECKING:
    from ilk.discovery import Found
    from ilk.kinds import Kind


def describe_component(found: Found, cls: Any) -> dict[str, Any]:
    """Describe a component's class."""
    doc = read_docstring(cls)
    defaults = defaults_of(cls)
    return {
        "kind": found.kind,
        "name": found.name,
        "distribution": found.distribution,
        "version": found.version,
        "object": found.value,
        "summary": doc.summary,
        "description": doc.description,
        "parameters": [
            {
                "name": name,
                "accepts": param.describe(),
                "default": _plain(defaults[name]),
                "doc": param.doc,
            }
            for name, param in cls.parameters.items()
        ],
        "capabilities": asdict(cls.capabilities),
        "source": doc.section("References"),
        "example": doc.section("Examples").partition("\n\n")[0],
    }


def describe_kind(kind: Kind) -> dict[str, Any]:
    """Describe what a kind asks of its components."""
    return {
        "kind": kind.name,
        "group": kind.group,
        "summary": kind.summary,
        "role": kind.role,
        "interfaces": [_describe_interface(cls) for cls in kind.interface_classes()],
        "components": registry(kind.name).names(),
    }


def _describe_interface(cls: Any) -> dict[str, Any]:
    doc = read_docstring(cls)
    must = sorted(cls.__abstractmethods__)
    may = [
        name
        for name, member in vars(cls).items()
        if inspect.isfunction(member) and not name.startswith("_") and name not in must
    ]
    return {
        "name": f"ilk.{cls.__name__}",
        "summary": doc.summary,
        "description": doc.description,
        "must_define": _describe_methods(cls, must),
        "may_override": _describe_methods(cls, may),
    }


def _describe_methods(cls: Any, names: Iterable[str]) -> list[dict[str, str]]:
    return [
        {
            "name": name,
            "signature": _signature(getattr(cls, name)),
            "summary": read_docstring(getattr(cls, name)).summary,
        }
        for name in names
    ]


def _signature(method: Any) -> str:
    """``name(arguments)`` without self and annotations."""
    full = inspect.signature(method)
    _, *arguments = (p.replace(annotation=p.empty) for p in full.parameters.values())
    bare = full.replace(parameters=arguments, return_annotation=full.empty)
    return f"{method.__name__}{bare}"


def _plain(value: Any) -> Any:
    """A default as JSON can hold it; what it cannot hold as text."""
    try:
        return json.loads(json.dumps(value, allow_nan=False))
    except (TypeError, ValueError):
        return repr(value)
