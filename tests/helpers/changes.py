"""Which parts of the project git says were changed."""

from __future__ import annotations

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
    if not base:
        return PARTS
    changed = _git("diff", "--name-only", "--no-renames", "--relative", "-z", base)
    new = _git("ls-files", "--others", "--exclude-standard", "-z")
    return parts_of([path for path in (changed + new).split("\0") if path])


def parts_of(paths: list[str]) -> frozenset[str]:
    """Return the parts that some paths belong to; everything rests on the core."""
    folders = [path.split("/") for path in paths]
    found = {names[1] for names in folders if names[0] in {"plugins", "tests"}}
    shared = any(
        names[0] in {"core", "pyproject.toml", "conftest.py"}
        or (names[0] == "tests" and names[1] not in PARTS)
        for names in folders
    )
    return PARTS if shared or "core" in found else PARTS & found


def _base() -> str:
    """Return where this branch left main; on main, the commit before; else ""."""
    for main in ("origin/main", "main"):
        fork = _git("merge-base", main, "HEAD")
        if fork and fork != commit():
            return fork
    return _git("rev-parse", "--verify", "HEAD~1")


def _git(*arguments: str) -> str:
    command = ["git", "-C", str(ROOT), *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError:  # no git here
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
