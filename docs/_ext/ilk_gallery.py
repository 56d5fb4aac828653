"""Choose the examples of the gallery that a build executes; sphinx-gallery does the rest.

A build executes a sample, so that it stays quick. With ``ILK_GALLERY=all`` it executes all, as a
site for readers needs; ``ILK_GALLERY=imbalanced,report`` names some. Executed examples are kept
until they change.
"""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path

SAMPLE = 5


def chosen(folder: Path) -> str:
    """Return the pattern of the paths to execute."""
    asked = os.environ.get("ILK_GALLERY", "sample")
    scripts = sorted(folder.rglob("*.py"), key=_digest)
    names = [path.stem for path in scripts]
    if asked == "sample":
        names = names[:SAMPLE]
    elif asked != "all":
        unknown = set(asked.split(",")) - set(names)
        if unknown:
            raise ValueError(f"ILK_GALLERY: there is no example {', '.join(sorted(unknown))}")
        names = asked.split(",")
    return rf"[/\\](?:{'|'.join(map(re.escape, names))})\.py$"


def _digest(path: Path) -> str:
    """Order scripts by their content: a changed one may enter the sample."""
    return hashlib.sha256(path.read_bytes()).hexdigest()
