"""What a file may write: a store, in its own folder or the working folder."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import ilk

SUFFIX = ".sqlite"


def store_of(spec: ilk.Spec, tables: Any) -> Path | None:
    """Return the store a file names, or ``results/<stem>.sqlite`` beside it."""
    chosen = tables["output"].get("store")
    if chosen is not None:
        return Path(chosen)
    return spec.path.parent / "results" / f"{spec.path.stem}{SUFFIX}" if spec.path else None


def output_problems(spec: ilk.Spec, tables: Any, *, trust: bool) -> Iterator[ilk.Problem]:
    """Yield what is wrong with the store of a file; links are followed, so they lead nowhere else.

    Parameters
    ----------
    spec : ilk.Spec
    tables : mapping
        Canonical.
    trust : bool
        Whether it may lie anywhere.
    """
    store = store_of(spec, tables)
    if spec.path is None or store is None:  # tables of Python, which are the caller's own
        return
    real = Path(os.path.realpath(store))
    if real.suffix != SUFFIX:
        yield ilk.Problem(("output", "store"), f"must end in {SUFFIX}, got {str(real)!r}")
    allowed = {os.path.realpath(folder) for folder in (spec.path.parent, Path.cwd())}
    if not trust and not any(map(real.is_relative_to, allowed)):
        yield ilk.Problem(
            ("output", "store"),
            f"{str(real)!r} is neither in the folder of the file nor in the working folder: "
            f"name it on the command line (--store), or say --trust",
        )


def data_outside(spec: ilk.Spec, datasets: list[dict[str, Any]]) -> list[str]:
    """Return the paths of data sets that lie outside the folder of their file."""
    if spec.path is None:
        return []
    folder = os.path.realpath(spec.path.parent)
    paths = [os.path.realpath(path) for table in datasets for path in _paths(table)]
    return [path for path in dict.fromkeys(paths) if not Path(path).is_relative_to(folder)]


def _paths(table: dict[str, Any]) -> Iterator[str]:
    cls: Any = ilk.registry("dataset").get(table["use"])
    parameters = cls.parameters
    for name, value in table.items():
        if value is not None and name in parameters and ilk.FilePath in parameters[name].types:
            yield value
