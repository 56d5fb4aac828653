"""Option types and messages that several commands share."""

from __future__ import annotations

import math
import signal
import sys
import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

INTERRUPTED, TERMINATED = 130, 143  # as shells: 128 + SIGINT, 128 + SIGTERM


FORCE = click.option(
    "--force", is_flag=True, help="Replace a file that is no earlier output of this command."
)


@contextmanager
def hook_warnings_in_a_line() -> Iterator[None]:
    """Print warnings about listeners as one line; other warnings as usual."""
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


class Number(click.FloatRange):
    """A number in a range; NaN, which passes click's comparisons, is refused."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Return the number, or fail with a message."""
        number: float = super().convert(value, param, ctx)
        if math.isnan(number):
            self.fail(f"{value!r} is not a number", param, ctx)
        return number


@contextmanager
def written_to(path: Path) -> Iterator[None]:
    """Turn the system's errors about a file or folder into `ilk.InputError`."""
    import ilk

    try:
        yield
    except OSError as error:
        why = error.strerror or error
        raise ilk.InputError(f"{path}: cannot be written: {why}") from error


@contextmanager
def cleaned_up() -> Iterator[None]:
    """End by SIGTERM as by an exception, so that no partial file stays; the exit code is 143."""
    try:
        before = signal.signal(signal.SIGTERM, lambda *_: sys.exit(TERMINATED))
    except ValueError:  # not the main thread, which alone may handle signals
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
