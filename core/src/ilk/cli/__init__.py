"""The command line; each command is imported when it is called."""

from __future__ import annotations

import sys
import warnings
from typing import NoReturn


def main() -> NoReturn:
    """Run the command line on this process's arguments and exit."""
    try:
        from ilk.cli.shell import run

        warnings.formatwarning = lambda message, category, *_, **__: (
            f"{category.__name__}: {message}\n"
        )
        sys.exit(run(sys.argv[1:]))
    except KeyboardInterrupt:  # commands handle their own interrupts
        sys.exit(130)
