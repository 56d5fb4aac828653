"""Grids: lists of parameter values, and the candidate classifiers they define."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from ilk import Component, IlkError, Pipeline, did_you_mean

if TYPE_CHECKING:
    from ilk import Estimator

Values = dict[str, Any]

_LISTED = 5  # most problems listed in one error, so that it stays readable
_LONG = 60  # most characters of a value in a message: it then fits on a line


def combinations(grid: Any) -> list[Values]:
    """Every combination of the values of a grid; the last parameter varies fastest.

    Parameters
    ----------
    grid : mapping of str to sequence, sequence of such mappings, or None
        None: one combination that sets no parameter.

    Raises
    ------
    ValueError
        If the grid is malformed: ``"[0]: C must be a list of values, got 1"``.
    """
    if grid is None:
        return [{}]
    if isinstance(grid, Mapping):
        return list(_of_table(grid, ""))
    if not len(grid):
        raise ValueError("must have at least one table, got an empty list")
    combined: list[Values] = []
    for position, table in enumerate(grid):
        if not isinstance(table, Mapping):
            shape = "a table of lists of values"
            raise ValueError(f"[{position}] must be {shape}, got {shown(table)}")  # noqa: TRY004  # becomes a ParameterError
        combined += _of_table(table, f"[{position}]: ")
    return combined


def _of_table(table: Mapping[str, Any], where: str) -> Iterator[Values]:
    for name, given in table.items():
        values = np.atleast_1d(given) if isinstance(given, np.ndarray) else given
        if isinstance(values, str | bytes) or not isinstance(values, Sequence | np.ndarray):
            what = f"must be a list of values, got {shown(values)}"
            raise ValueError(f"{where}{name} {what}")  # noqa: TRY004  # becomes a ParameterError
        if not len(values):
            raise ValueError(f"{where}{name} must have at least one value, got an empty list")
    lists = [[_python_value(value) for value in values] for values in table.values()]
    return (dict(zip(table, chosen, strict=True)) for chosen in product(*lists))


def _python_value(value: Any) -> Any:
    """Convert a NumPy scalar to Python; return any other value unchanged."""
    return value.item() if isinstance(value, np.generic) else value


def candidate(template: Estimator, values: Values) -> Any:
    """Copy a classifier and set parameters; component values are copied too."""
    from sklearn.base import clone

    copy = clone(template)
    return copy.set_params(**{name: clone(value, safe=False) for name, value in values.items()})


def described(values: Values) -> str:
    """Format values: ``"C=10, kernel='rbf'"``."""
    return ", ".join(f"{name}={shown(value)}" for name, value in values.items()) or "as it is"


def shown(value: object) -> str:
    """The repr of a value, shortened if it is long."""
    text = " ".join(repr(value).split())
    return text if len(text) <= _LONG else text[: _LONG - 3] + "..."


def grid_problem(template: Estimator, grid: object) -> str | None:
    """Message about an invalid grid of a classifier, or None; needs no data.

    Sets each combination, checks its parameters, and builds and checks the components named in the
    grid, nested ones included.
    """
    try:
        every = combinations(grid)
    except ValueError as error:
        return str(error)
    problems: dict[str, str] = {}  # reported once per reason, for the first combination
    for values in every:
        reason = _problem(template, values)
        if reason:
            problems.setdefault(reason, f"cannot be set to {described(values)}: {reason}")
            if len(problems) == _LISTED:
                break
    return "; ".join(problems.values()) or None


def _problem(template: Estimator, values: Values) -> str | None:
    """Message about one invalid combination, or None."""
    unknown = _unknown_foreign(template, values)
    if unknown:
        return unknown
    try:
        model = candidate(template, values)
        for name in values:
            _check_owner(model, name)
        if isinstance(model, Component):
            model.check_parameters()
    except (IlkError, TypeError, ValueError) as error:
        return str(error)
    return None


def _unknown_foreign(template: Estimator, values: Values) -> str | None:
    """Message about the first unknown parameter of another library's estimator."""
    if isinstance(template, Component):
        return None
    known = template.get_params(deep=True)
    for name in values:
        if name not in known:
            kind = type(template).__name__
            return f"{kind} has no parameter {name!r}{did_you_mean(name, known)}"
    return None


def _check_owner(owner: Component, name: str) -> None:
    """Check the component that owns a nested parameter, and the new content of its slot."""
    prefix, _, last = name.rpartition("__")
    if prefix:
        owner = owner.get_params(deep=True)[prefix]
    if isinstance(owner, Component):
        _check_slots(owner, None if isinstance(owner, Pipeline) else last)
    else:
        check = getattr(owner, "_validate_params", None)  # scikit-learn checks values in fit only
        if check is not None:
            check()


def _check_slots(component: Component, only: str | None) -> None:
    """Check a component and, recursively, the components in its slots (or in one slot)."""
    component.check_parameters()
    for name, param in component.parameters.items():
        if param.slot and only in (None, name) and getattr(component, name) is not None:
            for each in _members(component.resolve_slot(name)):
                if isinstance(each, Component):
                    _check_slots(each, None)


def _members(content: object) -> Iterator[Any]:
    """List the components in a slot: one, or those of a list, a dict or steps."""
    if isinstance(content, Mapping):
        content = list(content.values())
    if isinstance(content, list | tuple):
        for each in content:
            yield from _members(each)
    else:
        yield content
