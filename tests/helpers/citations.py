"""Writes the index of what cites the source texts, which ``ilk show --source`` reads.

Run it after a change of a citation, in an environment with all distributions of the workspace:
``python tests/helpers/citations.py``.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterator
from importlib import import_module
from types import ModuleType
from typing import Any

import ilk
from ilk.cli.docstrings import citations, read_docstring, without_markup
from ilk.kinds import kinds
from pages import OURS, ROOT

INDEX = ROOT / "core/src/ilk/cli/citations.json"
PUBLIC = (
    "ilk",
    "ilk.neighbors",
    "ilk.plotting",
    "ilk.testing",
    "ilk_distances",
    "ilk_distances.plotting",
    "ilk_learners",
    "ilk_learners.plotting",
    "ilk_learners.sliding_windows",
    "ilk_ensembles.plotting",
    "ilk_evaluation",
    "ilk_evaluation.bias_variance",
    "ilk_evaluation.confusion",
    "ilk_evaluation.curves",
    "ilk_evaluation.curves.plotting",
    "ilk_evaluation.diversity",
    "ilk_evaluation.figures",
    "ilk_evaluation.intervals",
    "ilk_evaluation.object_detection",
    "ilk_evaluation.theory",
)


def documented() -> Iterator[tuple[str, str, Any]]:
    """Yield kind, name and object: components, then public functions and classes."""
    seen = set()
    for kind in kinds():
        for found in ilk.registry(kind).find():
            if found.distribution in OURS:
                cls = ilk.registry(kind).get(found.qualified)
                seen.add(cls)
                yield kind, found.name, cls
    for module in map(import_module, PUBLIC):
        for name, value in public(module):
            if value not in seen:
                seen.add(value)
                kind = "class" if isinstance(value, type) else "function"
                yield kind, f"{module.__name__}.{name}", value


def public(module: ModuleType) -> Iterator[tuple[str, Any]]:
    for name in module.__all__:
        value = getattr(module, name)
        if inspect.isfunction(value) or inspect.isclass(value):
            yield name, value


def index() -> list[dict[str, Any]]:
    """Return the records of what cites a text."""
    records = []
    for kind, name, value in documented():
        doc = read_docstring(value)
        cites = citations(doc.section("References"))
        if cites:
            summary = without_markup(doc.summary)
            records.append({"kind": kind, "name": name, "cites": cites, "summary": summary})
    return records


def text() -> str:
    lines = (json.dumps(record, ensure_ascii=False) for record in index())
    return "[\n" + ",\n".join(lines) + "\n]\n"


if __name__ == "__main__":
    INDEX.write_text(text(), encoding="utf-8")
