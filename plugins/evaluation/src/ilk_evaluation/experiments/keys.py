"""Keys that say what a cell is made of: content hashes and the seeds that follow from them."""

from __future__ import annotations

import hashlib
import inspect
import json
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.metadata import Distribution, PackageNotFoundError, distribution, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

import ilk
from ilk.known import plain_name
from ilk.registries import replaced

FORMAT = 1
"""Part of every key: to be raised when the meaning of a stored prediction changes."""


def canonical(value: Any) -> str:
    """Write a value as JSON in the one form that hashes go by."""
    return json.dumps(_plain(value), sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def _plain(value: Any) -> Any:
    """Bring equal values to one form: 2.0 is 2, a tuple is a list, an array is nested lists."""
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


def plain_names(spec: Any) -> Any:
    """Write what ships with ilk by its plain name, whatever else is installed under that name."""
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
    """Return a random state (31 bits) that follows from the parts."""
    return int(digest(*parts)[:8], 16) >> 1


def split_key(fingerprint: str, split: ilk.Split) -> str:
    """SHA-256 of a data set and the rows that train, test and validate; their order counts."""
    content = hashlib.sha256(fingerprint.encode())
    for rows in (split.train, split.test, split.validation):
        part = np.ascontiguousarray(() if rows is None else rows, dtype="<i8")
        content.update(f"[{len(part)}]".encode())
        content.update(part.data)
    return content.hexdigest()


def cell_key(pipeline: str, split: str, seed: int) -> str:
    """SHA-256 of all that decides what comes of a cell.

    Parameters
    ----------
    pipeline, split : str
        Their keys.
    seed : int
        Of the experiment.
    """
    content = f'[{FORMAT},"{pipeline}","{split}",{seed}]'  # as `digest` writes it, in no time
    return hashlib.sha256(content.encode()).hexdigest()


def code_versions(pipeline: Any, versions: dict[str, str]) -> dict[str, str]:
    """Say which code a pipeline runs: versions, and hashes of source that has none.

    Parameters
    ----------
    pipeline : ilk.Pipeline
        With a component in every slot.
    versions : dict
        Version of each distribution whose components it names.
    """
    code = {name: code_of(name, number) for name, number in versions.items()}
    inside = [v for v in pipeline.get_params().values() if isinstance(v, ilk.Component)]
    for cls in {type(component) for component in inside}:
        code.update((name, _version(name)) for name in cls.relies_on)
        found = ilk.registry(cls.kind).found_for(cls)
        if found is not None and found.distribution not in versions:
            code[found.qualified] = _class_source(cls)
    for found in replaced():  # which may be used without standing in a slot
        code[f"{found.kind}/{found.qualified}"] = _class_source(
            ilk.registry(found.kind).get(found.qualified)
        )
    for other in (other for component in inside for other in component.alternatives()):
        resolved = ilk.resolve(ilk.to_spec(other), kind=type(other).kind)
        built = ilk.build(resolved.data, kind=type(other).kind)
        code |= code_versions(built, resolved.versions)
    return code


def code_of(distribution: str, version: str) -> str:
    """Version of a distribution of ilk, with a hash of the source where that can be edited."""
    return version + _source_suffix(distribution)


def _version(distribution: str) -> str:
    """Version of a library; one that is missing is no error before it is needed."""
    try:
        return version(distribution)
    except PackageNotFoundError:
        return "not installed"


def _class_source(cls: type) -> str:
    """Hash of a class made by hand; its name where the source is out of reach."""
    try:
        return hashlib.sha256(inspect.getsource(cls).encode()).hexdigest()
    except (OSError, TypeError):
        return f"{cls.__module__}:{cls.__qualname__}"


@cache
def _source_suffix(name: str) -> str:
    """``"+<hash of the source>"`` for an editable distribution, else ``""``."""
    dist = distribution(name)
    if not _is_editable(dist):
        return ""
    content = hashlib.sha256()
    for path, place in _files(dist):
        content.update(place.encode())
        content.update(hashlib.sha256(path.read_bytes()).digest())
    return f"+{content.hexdigest()[:16]}"


def _is_editable(dist: Distribution) -> bool:
    text = dist.read_text("direct_url.json")
    return bool(text and json.loads(text).get("dir_info", {}).get("editable"))


def _files(dist: Distribution) -> Iterator[tuple[Path, str]]:
    """Yield the files of the packages and modules in which a distribution's components live."""
    values = (point.value for point in dist.entry_points if point.group.startswith("ilk."))
    for name in sorted({value.partition(":")[0].partition(".")[0] for value in values}):
        spec = find_spec(name)
        folders = [Path(place) for place in (spec and spec.submodule_search_locations) or ()]
        if spec is not None and spec.origin and not folders:
            yield Path(spec.origin), name
        for folder in folders:
            for path in sorted(folder.rglob("*")):
                parts = path.relative_to(folder.parent).parts
                made = any(part == "__pycache__" or part.startswith(".") for part in parts)
                if path.is_file() and not made:  # what Python and numba keep there is no source
                    yield path, "/".join(parts)
