"""Optional libraries."""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import ilk


class MissingLibraryError(ilk.IlkError, ImportError):
    """A library that a component needs is not installed; the message names the extra."""


def library(owner: object, module: str, what: str = "") -> Any:
    """Import a module of the extra ``text``.

    Parameters
    ----------
    owner : Component
        Named in the error.
    module : str
        ``"lz4.block"``.
    what : str, optional
        The feature that needs the module; the component itself if left out.

    Raises
    ------
    MissingLibraryError
        If it is not installed.
    """
    try:
        return import_module(module)
    except ImportError as error:
        library = module.partition(".")[0]
        subject = f"{ilk.display_name(owner)}: {what}".removesuffix(": ")
        raise MissingLibraryError(
            f"{subject} needs {library}, which is not installed (pip install {library}; the extra "
            f"'text' of ilk has it)"
        ) from error


def installed(*distributions: str) -> tuple[str, ...]:
    """Return the installed ones among some distributions."""
    return tuple(name for name in distributions if _has(name))


def _has(distribution: str) -> bool:
    try:
        version(distribution)
    except PackageNotFoundError:
        return False
    return True
