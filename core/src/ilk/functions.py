"""Functions of plugins with a name in ``ilk``, from the entry-point group ``ilk.functions``."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from ilk.discovery import found_in
from ilk.errors import BrokenComponentError, UnknownComponentError

if TYPE_CHECKING:
    from pathlib import Path

GROUP = "ilk.functions"


def results(path: str | Path, **options: Any) -> Any:
    """Open the results of an experiment from its store; see `ilk_evaluation.Results`.

    Parameters
    ----------
    path : str or Path
        The SQLite file that ``ilk run`` wrote.
    **options
        ``measures``, a list of names, replaces the measures of the experiment.

    Returns
    -------
    Results
        Tables, verdicts and predictions, with methods to filter, score, aggregate and export.

    Raises
    ------
    UnknownComponentError
        If ilk-evaluation is not installed.

    Examples
    --------
    >>> import ilk
    >>> ilk.results("no.sqlite")
    Traceback (most recent call last):
    ilk_evaluation.run.database.StoreError: no.sqlite: there is no such store
    """
    return _offered("results", "ilk-evaluation")(path, **options)


def _offered(name: str, owner: str) -> Any:
    """Import a function that a distribution offers."""
    found = next((one for one in found_in(GROUP) if one.name == name), None)
    if found is None or found.entry_point is None:
        where = "which is not installed"
        if os.environ.get("ILK_PLUGINS"):
            where = "which is not among ILK_PLUGINS or not installed"
        raise UnknownComponentError(f"ilk.{name} is in {owner}, {where} (pip install {owner})")
    try:
        return found.entry_point.load()
    except Exception as error:
        raise BrokenComponentError(
            f"ilk.{name} of {found.distribution} {found.version} ({found.value}) cannot be "
            f"imported: {type(error).__name__}: {error}"
        ) from error
