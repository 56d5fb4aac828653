"""Write the page to a file, as a whole or not at all."""

from __future__ import annotations

import os
from errno import ENOENT
from pathlib import Path
from typing import TYPE_CHECKING

import ilk
from ilk_evaluation.report.page import html_report
from ilk_evaluation.whole import replace_file

if TYPE_CHECKING:
    from ilk_evaluation.experiments.results import Results


def write_report(
    results: Results, path: str | Path, *, listeners: ilk.Listeners | None = None
) -> Path:
    """Write what an experiment found as a page of HTML; return its path.

    A file that is there is replaced once the page is complete, never in part.

    Parameters
    ----------
    results : Results
    path : str or Path
    listeners : ilk.Listeners, optional
        May add sections; those of all installed plugins if left out.

    Raises
    ------
    InputError
        If the path is the store's.
    OSError
        If it cannot be written.
    """
    path = Path(path)
    check_output(results, path)
    content = html_report(results, listeners=listeners).encode()
    replace_file(path, content)
    return path


def check_output(results: Results, path: Path) -> None:
    """Raise where there is no folder to write into, or writing would destroy the store."""
    if not path.parent.is_dir():
        raise FileNotFoundError(ENOENT, os.strerror(ENOENT), str(path))
    store = results.design.store
    if store is not None and path.exists() and store.exists() and path.samefile(store):
        raise ilk.InputError(f"{path}: is the store itself, not a place for a report of it")
