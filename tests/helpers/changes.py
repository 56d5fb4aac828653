"""Which parts of the project git says were changed."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]
PARTS = frozenset({"core", "distances", "learners", "ensembles", "evaluation"})


def commit() -> str:
    """Return the commit that is checked out, or "" where git knows none."""
    return _git("rev-parse", "HEAD")


def changed_parts() -> frozenset[str]:
    """Return the parts changed since the base; all of them where there is no base."""
    base = _base()
    return parts_of(_git("diff", "--name-only", base).splitlines()) if base else PARTS


def parts_of(paths: list[str]) -> frozenset[str]:
    """Return the parts that some paths belong to; everything rests on the core."""
    found = set()
    for path in paths:
        if re.match(r"core/|tests/core/|tests/helpers/|tests/[^/]+$|conftest\.py$", path):
            return PARTS
        if match := re.match(r"(?:plugins|tests)/(\w+)/", path):
            found.add(match[1])
    return PARTS & found


def _base() -> str:
    """Return where this branch left main; on main, the commit before; else ""."""
    fork = _git("merge-base", "origin/main", "HEAD")
    return fork if fork and fork != commit() else _git("rev-parse", "--verify", "HEAD~1")


def _git(*arguments: str) -> str:
    command = ["git", "-C", str(ROOT), *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError:  # no git here
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
