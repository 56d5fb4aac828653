"""The first use of every component on a new machine: nothing compiled is in the cache."""

from __future__ import annotations

import json
import math
import os
import tempfile
from time import process_time
from typing import TYPE_CHECKING

import numba  # noqa: F401  # a child finds imported what components import
import scipy.optimize
import scipy.spatial
import scipy.special
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


def rows() -> Iterator[Row]:
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
