"""Starts of commands, and the first use of every component: nothing compiled is in the cache."""

from __future__ import annotations

import json
import math
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING

import numba  # noqa: F401  # a child finds imported what components import
import sklearn.linear_model
import sklearn.svm  # noqa: F401
from measure import Row

from ilk.registries import registry
from ilk.testing.case import offered
from ilk.testing.subject import Subject
from ilk.testing.use import DATA_KINDS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ilk.discovery import Found

LIMIT = 2.0  # seconds of the first use beyond those of the second
SHOWN = 10


EXAMPLE = Path(__file__).parents[2] / "examples" / "quickstart.toml"
STARTS = {  # seconds of a command that fits nothing
    "show classifier knn": 0.5,
    "run quickstart.toml --dry-run": 0.8,
    "run quickstart.toml": 0.8,
    "report results/quickstart.sqlite": None,
}


def rows() -> Iterator[Row]:
    """Yield starts of commands, then the components whose first use takes longest."""
    yield from _starts()
    yield from _first_uses()


def _starts() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / EXAMPLE.name).write_bytes(EXAMPLE.read_bytes())
        for cache in ("an empty", "a full"):
            path = Path(folder) / "results"
            shutil.rmtree(path, ignore_errors=True)
            seconds = _command("run quickstart.toml", folder)
            yield Row(f"ilk run quickstart.toml, {cache} cache", "", None, math.nan, seconds)
        for command, limit in STARTS.items():
            seconds = min(_command(command, folder) for _ in range(5))
            peer, ratio = (f"a limit of {limit:g} s", limit / seconds) if limit else ("", math.nan)
            yield Row(f"ilk {command}, all done", peer, 1.0 if limit else None, ratio, seconds)


def _command(command: str, folder: str) -> float:
    """Processor time of a command of ilk in a folder, which also holds the cache."""
    code = "import sys; from ilk.cli import main; sys.argv = ['ilk', *sys.argv[1:]]; main()"
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = {**os.environ, "ILK_CACHE": str(Path(folder) / "cache")}
    arguments = [sys.executable, "-c", code, *command.split()]
    subprocess.run(arguments, cwd=folder, env=environment, capture_output=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _first_uses() -> Iterator[Row]:
    """Yield the components that take longest, first use without the second."""
    chosen = [found for kind in DATA_KINDS for found in offered(kind=kind) if _ours(found)]
    costs = sorted(((_cost(found), found) for found in chosen), key=lambda pair: -pair[0])
    for seconds, found in costs[:SHOWN]:
        work = f"first use of {found.kind} {found.name}, without that of its imports"
        yield Row(work, f"a limit of {LIMIT:g} s", 1.0, LIMIT / seconds, seconds)


def _ours(found: Found) -> bool:
    return found.distribution.startswith("ilk-")


def _cost(found: Found) -> float:
    """Seconds of a new process with an empty cache; 0 if the data do not fit the component."""
    receive, send = os.pipe()
    child = os.fork()
    if child == 0:
        with os.fdopen(send, "w") as out, tempfile.TemporaryDirectory() as cache:
            os.environ["ILK_CACHE"] = cache
            json.dump(_first_and_second(found), out)
        os._exit(0)
    os.close(send)
    with os.fdopen(receive) as answer:
        text = answer.read()
    os.waitpid(child, 0)
    first, second = json.loads(text or "[0, 0]")
    return max(first - second, math.ulp(0.0))


def _first_and_second(found: Found) -> tuple[float, float]:
    subject = Subject(found, registry(found.kind).get(found.qualified))
    X, y = subject.data()

    def use() -> float:
        start = process_time()
        subject.use.run(subject.seeded(), X, y)
        return process_time() - start

    return use(), use()
