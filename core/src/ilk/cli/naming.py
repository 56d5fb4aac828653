"""Kinds as people type them, and the first line of a component's docstring."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ilk.errors import UnknownComponentError
from ilk.kinds import Kind, kind_of, kinds
from ilk.registries import registry

if TYPE_CHECKING:
    from ilk.discovery import Found


class OfKinds(click.Command):
    """A command that takes a kind; its help names them."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the names of the kinds below the options."""
        with formatter.section("Kinds"):
            formatter.write_text(", ".join(kinds()))


def kind_named(text: str) -> Kind:
    """Return a kind by singular or plural; hyphens and capitals do not matter.

    Raises
    ------
    UnknownComponentError
        Saying which kind has a component of that name, if one has.
    """
    try:
        return kind_of(text.replace("-", "_").lower())
    except UnknownComponentError as error:
        having = [name for name in kinds() if text in registry(name)]
        if not having:
            raise
        hint = " or ".join(f"`ilk show {name} {text}`" for name in having)
        raise UnknownComponentError(
            f"there is no kind {text!r}; {text!r} is a component: {hint}"
        ) from error


def summary_of(found: Found) -> str:
    """First line of a class's docstring, read from its source so that nothing is imported.

    Empty where the class is not plainly written in the module the entry point names.
    """
    module, _, name = found.value.partition(":")
    source = _source_of(module.strip())
    pattern = rf'^class {re.escape(name.strip())}\s*(?:\([^)]*\))?\s*:\s*[rR]?"""\s*([^\n]*)'
    match = re.search(pattern, source, re.MULTILINE)
    return match.group(1).partition('"""')[0].strip() if match else ""


def _source_of(module: str) -> str:
    """Text of a module; only the path of its topmost package is asked for."""
    top, *inner = module.split(".")
    try:
        spec = find_spec(top)
    except (ImportError, ValueError):
        return ""
    if spec is None:
        return ""
    candidates = [Path(spec.origin)] if spec.origin and not inner else []
    for folder in spec.submodule_search_locations or () if inner else ():
        path = Path(folder).joinpath(*inner)
        candidates += [path.with_suffix(".py"), path / "__init__.py"]
    for path in candidates:
        if path.suffix == ".py" and path.is_file():
            return path.read_text(encoding="utf-8", errors="replace")
    return ""
