"""Public names that a package imports on first use, and errors that tell where a name is."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

PACKAGES = ("neighbors", "plotting", "testing")  # public packages beside `ilk` itself


def public_name(package: str, modules: Mapping[str, str], name: str) -> object:
    """Import a public name of a package, and set it there.

    Parameters
    ----------
    package : str
        Full name.
    modules : mapping
        Module of each public name.
    name : str

    Raises
    ------
    AttributeError
        If no public package has the name; suggests the closest of this package.
    ImportError
        If another public package has it; names that package.
    """
    if name not in modules:
        raise missing_name(package, name, modules)
    value = getattr(import_module(modules[name]), name)
    setattr(sys.modules[package], name, value)
    return value


def missing_name(package: str, name: str, known: Iterable[str]) -> Exception:
    """Return the error for a name that a package does not have."""
    message = f"module {package!r} has no attribute {name!r}"
    if name.startswith("_") or _is_module(package, name):  # tools probe for private names
        return AttributeError(message)
    place = _public_package(name)
    if place is None:
        from ilk.messages import did_you_mean

        return AttributeError(message + did_you_mean(name, known))
    # Not an AttributeError: `from package import name` would replace its message.
    return ImportError(f"{message}; it is {place}.{name} (from {place} import {name})")


def _public_package(name: str) -> str | None:
    """Return the public package that has a name."""
    places = ("ilk", *(f"ilk.{package}" for package in PACKAGES))
    return next((place for place in places if name in import_module(place).__all__), None)


def _is_module(package: str, name: str) -> bool:
    """Tell whether ``from package import name`` means a module, which has not been imported yet."""
    from importlib.util import find_spec

    return hasattr(sys.modules[package], "__path__") and bool(find_spec(f"{package}.{name}"))
