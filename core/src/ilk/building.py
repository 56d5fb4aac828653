"""Build objects from specs, including nested components."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ilk.registries import registry
from ilk.resolution import Resolved, kind_from, resolve
from ilk.slot_values import At, map_slot
from ilk.spec import Spec


def build(spec: Any, *, kind: str | None = None) -> Any:
    """Turn a spec into an object, and build nested components, too.

    Parameters
    ----------
    spec : str, table or Resolved
        ``"euclidean"``, ``{"use": "knn", "k": 3}``, or a pipeline ``{"steps": [...]}``; what
        `resolve` returned is not resolved again. In Python a table may hold components,
        estimators and functions in place of names.
    kind : str, optional
        May be left out if only one kind has the name.

    Raises
    ------
    SpecError
        With all problems at once.

    Examples
    --------
    >>> build({"use": "knn", "k": 3}, kind="classifier").k
    3
    """
    data = spec.data if isinstance(spec, Spec | Resolved) else spec
    if kind is None:
        kind = kind_from(data)
    if isinstance(spec, Resolved):
        return construct(data, kind)
    resolved = resolve(spec, kind=kind, objects=True)
    # Only a file has relative paths, and resolution has completed them.
    return construct(resolved.data if isinstance(spec, Spec) else data, kind)


def construct(spec: object, kind: str, _: At = ()) -> Any:
    """Build a checked name or table; return an instance unchanged."""
    if isinstance(spec, str):
        return registry(kind).get(spec)()
    if not isinstance(spec, Mapping):
        return spec
    table = dict(spec)
    if "steps" in table:
        table.setdefault("use", "pipeline")
    cls: Any = registry(kind).get(table.pop("use"))
    return cls(
        **{key: map_slot(cls.parameters[key], value, construct) for key, value in table.items()}
    )
