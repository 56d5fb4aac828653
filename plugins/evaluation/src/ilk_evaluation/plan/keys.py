"""Keys of cells: content hashes, and the seeds derived from them."""

from __future__ import annotations

import hashlib
import inspect
import json
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

import ilk
from ilk import plain_name, replaced_components
from ilk_evaluation.source_version import code_of

FORMAT = 1
"""Part of every key: raise it when the meaning of a stored prediction changes."""


def canonical(value: object) -> str:
    """Write a value as JSON in the single form that is hashed."""
    return json.dumps(_plain(value), sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def _plain(value: Any) -> Any:
    """Normalize equal values to one form: 2.0 to 2, tuples to lists, arrays to nested lists."""
    if hasattr(value, "tolist"):  # numpy arrays and numbers
        value = value.tolist()
    if isinstance(value, float):
        return int(value) if value.is_integer() else value
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    raise TypeError(f"{type(value).__name__} {value!r} cannot be part of a key")


def plain_names(spec: object) -> Any:
    """Write components that ship with ilk by their plain name, even if it is claimed twice."""
    if isinstance(spec, Mapping):
        return {
            key: plain_name(item) if key == "use" and isinstance(item, str) else plain_names(item)
            for key, item in spec.items()
        }
    return [plain_names(item) for item in spec] if isinstance(spec, list | tuple) else spec


def digest(*parts: Any) -> str:
    """SHA-256 of the canonical JSON of the parts."""
    return hashlib.sha256(canonical(parts).encode()).hexdigest()


def seed_from(*parts: Any) -> int:
    """Return a random state (31 bits) derived from the parts."""
    return int(digest(*parts)[:8], 16) >> 1


def split_key(fingerprint: str, split: ilk.Split) -> str:
    """SHA-256 of a data set and its training, test and validation rows; their order counts."""
    content = hashlib.sha256(fingerprint.encode())
    for rows in (split.train, split.test, split.validation):
        part = np.ascontiguousarray(() if rows is None else rows, dtype="<i8")
        content.update(f"[{len(part)}]".encode())
        content.update(part.data)
    return content.hexdigest()


def cell_key(pipeline: str, split: str, seed: int) -> str:
    """SHA-256 of all that decides the outcome of a cell.

    Parameters
    ----------
    pipeline, split : str
        Their keys.
    seed : int
        Of the experiment.
    """
    content = f'[{FORMAT},"{pipeline}","{split}",{seed}]'  # as `digest` writes it, but quick
    return hashlib.sha256(content.encode()).hexdigest()


def code_versions(pipeline: ilk.Pipeline, versions: dict[str, str]) -> dict[str, str]:
    """Return the code that a pipeline runs: versions, or hashes of unversioned source.

    Parameters
    ----------
    pipeline : ilk.Pipeline
        With a component in every slot.
    versions : dict
        Version of each distribution that its components come from.
    """
    code = {name: code_of(name, number) for name, number in versions.items()}
    inside = [v for v in pipeline.get_params().values() if isinstance(v, ilk.Component)]
    for cls in {type(component) for component in inside}:
        code.update((name, _version(name)) for name in cls.relies_on)
        found = ilk.registry(cls.kind).found_for(cls)
        if found is not None and found.distribution not in versions:
            code[found.qualified] = _class_source(cls)
    for found in replaced_components():  # a replaced name may be used outside a slot
        code[f"{found.kind}/{found.qualified}"] = _class_source(
            ilk.registry(found.kind).get(found.qualified)
        )
    for other in (other for component in inside for other in component.alternatives()):
        resolved = ilk.resolve(ilk.to_spec(other), kind=type(other).kind)
        built = ilk.build(resolved.data, kind=type(other).kind)
        code |= code_versions(built, resolved.versions)
    return code


def _version(distribution: str) -> str:
    """Version of a library; a missing library is no error until a component needs it."""
    try:
        return version(distribution)
    except PackageNotFoundError:
        return "not installed"


def _class_source(cls: type) -> str:
    """Hash of the source of a class registered by hand; its name if there is no source."""
    try:
        return hashlib.sha256(inspect.getsource(cls).encode()).hexdigest()
    except (OSError, TypeError):
        return f"{cls.__module__}:{cls.__qualname__}"
