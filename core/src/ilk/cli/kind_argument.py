"""The argument KIND of commands."""

from __future__ import annotations

import click

from ilk.errors import UnknownComponentError
from ilk.kinds import Kind, kind_of, kinds
from ilk.registries import registry


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
        With a hint if a component has that name.
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
