"""Names of a new component, its class, package and distribution, and what is wrong with them."""

from __future__ import annotations

import keyword
import re
from typing import TYPE_CHECKING

from ilk.discovery import installed
from ilk.errors import IlkError
from ilk.registries import registry

if TYPE_CHECKING:
    from ilk.kinds import Kind


def require_name(kind: Kind, name: str) -> None:
    """Raise unless a component of a kind may be called so.

    Raises
    ------
    IlkError
        If it is no lower-case identifier, or an installed distribution has the name.
    """
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name) or keyword.iskeyword(name):
        hint = _as_name(name)
        better = f"; {hint!r} would do" if hint and hint != name else ""
        raise IlkError(
            f"a name is made of lower-case letters, digits and underscores, starts with a letter "
            f"and is no Python keyword, got {name!r}{better}"
        )
    owners = [found.distribution for found in registry(kind.name).find() if found.name == name]
    if owners:
        raise IlkError(
            f"{owners[0]} has a {kind.name} {name!r} already, and a name that two distributions "
            f"offer is ambiguous; choose another"
        )


def _as_name(text: str) -> str:
    """The nearest name that may be taken."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", text).lower()
    name = re.sub(r"[^a-z0-9]+", "_", words).strip("_0123456789")
    return f"{name}_" if keyword.iskeyword(name) else name


def require_distribution(dist: str) -> None:
    """Raise unless a new distribution may be called so.

    Raises
    ------
    IlkError
        If no package can be named for it, or it is installed already.
    """
    package = package_of(dist)
    if not re.fullmatch(r"[a-z][a-z0-9_]*[a-z0-9]", package) or keyword.iskeyword(package):
        raise IlkError(
            f"a distribution's name is made of letters, digits, '-', '_' and '.', and starts with "
            f"a letter, got {dist!r}"
        )
    taken = {package_of(name) for name in installed()} | {"ilk"}
    if package in taken:
        raise IlkError(f"there is a distribution {dist!r} already; choose another name by --dist")


def package_of(dist: str) -> str:
    """The package of a distribution: ``"ilk-mine"`` has ``ilk_mine``."""
    return re.sub(r"[-_.]+", "_", dist).lower()


def class_of(name: str) -> str:
    """The class of a component: ``"my_own"`` is ``MyOwn``."""
    return "".join(part.capitalize() for part in name.split("_"))
