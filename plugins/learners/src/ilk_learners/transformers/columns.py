"""Columns of a table, chosen by name, position or pattern."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import Any

from ilk import did_you_mean


def positions(owner: Any, labels: Sequence[Any], columns: Sequence[str | int]) -> list[int]:
    """Positions of chosen columns, in the order of the choice, each once.

    Parameters
    ----------
    owner : Component
        Named in errors.
    labels : sequence
        Names of all columns.
    columns : sequence of str or int
        Names; positions where no column has this name, from the end if negative; or patterns as
        in a shell, with ``*`` or ``?``, where no column has this name.

    Raises
    ------
    ParameterError
        If one of `columns` is no column; names the closest.
    """
    labels = list(labels)
    return list(dict.fromkeys(at for each in columns for at in _found(owner, labels, each)))


def _found(owner: Any, labels: list[Any], column: str | int) -> list[int]:
    if column in labels:
        return [labels.index(column)]
    if isinstance(column, int) and -len(labels) <= column < len(labels):
        return [column % len(labels)]
    if isinstance(column, str) and {"*", "?"} & set(column):
        names = enumerate(labels)
        found = [at for at, name in names if isinstance(name, str) and fnmatchcase(name, column)]
        if found:
            return found
    hint = did_you_mean(column, [label for label in labels if isinstance(label, str)])
    raise owner.parameter_error("columns", f"names {column!r}, which X does not have{hint}")
