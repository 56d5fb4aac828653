"""The version of a distribution's code, with a hash of the source if it is editable."""

from __future__ import annotations

import hashlib
import json
from functools import cache
from importlib.metadata import Distribution, distribution
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


def code_of(distribution: str, version: str) -> str:
    """Version of a distribution of ilk, with a hash of the source if it is editable."""
    return version + _source_suffix(distribution)


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
                if path.is_file() and not made:  # skip the caches of Python and numba
                    yield path, "/".join(parts)
