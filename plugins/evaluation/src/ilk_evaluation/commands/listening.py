"""What commands say of listeners that are broken."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click


@contextmanager
def hook_warnings_in_a_line() -> Iterator[None]:
    """Let warnings about listeners be said in a line; others go their usual way."""
    import ilk

    usual = warnings.showwarning

    def show(message: Any, category: type[Warning], *rest: Any, **more: Any) -> None:
        if issubclass(category, ilk.HookWarning):
            click.echo(f"Warning: {message}", err=True)
        else:
            usual(message, category, *rest, **more)

    warnings.showwarning = show
    try:
        yield
    finally:
        warnings.showwarning = usual
