"""``ilk doctor``: a description of the installation for bug reports."""

from __future__ import annotations

import os
import platform
import sys
import warnings
from collections import Counter
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal

import click

from ilk.cli import commands
from ilk.cli.layout import hanging, heading
from ilk.compiling import cache_root
from ilk.discovery import Found, found_in, groups
from ilk.errors import AmbiguousComponentError, IlkError
from ilk.kinds import Kind, kinds
from ilk.messages import did_you_mean
from ilk.parallel import n_threads
from ilk.registries import registry

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

_LIBRARIES = (
    *("numpy", "scipy", "scikit-learn", "pandas", "joblib", "click", "pluggy", "skops", "loky"),
    *("numba", "polars", "matplotlib", "pyarrow", "dask", "mpi4py"),
    *("rapidfuzz", "zstandard", "lz4", "isal", "hnswlib", "faiss-cpu"),
)
_VARIABLES = (
    *(
        "ILK_PLUGINS",
        "ILK_DATA",
        "ILK_THREADS",
        "ILK_CACHE",
        "OMP_NUM_THREADS",
        "OPENBLAS_NUM_THREADS",
        "MKL_NUM_THREADS",
    ),
    *("NUMBA_NUM_THREADS", "NUMBA_CACHE_DIR", "NUMBA_DISABLE_JIT", "OPENBLAS_CORETYPE"),
)
_OTHER_GROUPS = ("ilk.figures", "ilk.functions", "ilk.grammars", "ilk.kinds", "ilk.plugins")

Status = Literal["ok", "broken", "ambiguous"]


@click.command()
@click.pass_context
def doctor(ctx: click.Context) -> None:
    """Describe the installation and its problems: versions, plugins, threads, caches.

    Exits with 1 if a component, command or listener is broken or ambiguous.
    """
    for title, lines in (("Versions", _versions()), ("Libraries", _libraries())):
        _print(title, lines)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        plugins = list(_plugins())
        listeners = list(_listeners())
    _print("Plugins", iter([*plugins, *listeners]))
    sick = any(label in {"broken", "ambiguous"} for label, _ in (*plugins, *listeners))
    _print("Threads", _threads())
    _print("numba", _numba())
    _print("Warnings", ((w.category.__name__, " ".join(str(w.message).split())) for w in caught))
    ctx.exit(int(sick))


def _print(title: str, lines: Iterator[tuple[str, str]]) -> None:
    printed = list(lines)
    if not printed:
        return
    click.echo(heading(title))
    for label, text in printed:
        first, *others = text.splitlines() or [""]
        click.echo("\n".join([*hanging(f"  {label}", first, 24), *others]))


def _versions() -> Iterator[tuple[str, str]]:
    from ilk import __version__
    from ilk.discovery import installed

    yield "ilk", __version__
    yield "Python", f"{platform.python_version()} ({sys.executable})"
    yield "platform", platform.platform()
    yield from installed().items()


def _libraries() -> Iterator[tuple[str, str]]:
    for name in _LIBRARIES:
        try:
            yield name, version(name)
        except PackageNotFoundError:
            yield name, "-"


def _plugins() -> Iterator[tuple[str, str]]:
    """The number of working offers of each distribution, and each broken offer."""
    tried = [*try_components(kinds().values()), *try_commands_and_strays()]
    fine = Counter(one.found.distribution for one in tried if one.status == "ok")
    for distribution, count in sorted(fine.items()):
        yield distribution, f"{count} fine"
    for one in tried:
        if one.status != "ok":
            yield one.status, f"{one.found.kind} {one.found.qualified}: {one.problem}"


def _listeners() -> Iterator[tuple[str, str]]:
    from ilk.hooks import HookWarning, Listeners

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", HookWarning)
        listeners = Listeners()
    for name, _ in listeners.manager.list_name_plugin():
        yield "listener", name
    for warning in caught:
        yield "broken", str(warning.message)


def _threads() -> Iterator[tuple[str, str]]:
    from threadpoolctl import threadpool_info

    import_module("numpy")  # loads the BLAS, so that threadpoolctl finds it
    cores = getattr(os, "process_cpu_count", os.cpu_count)()
    try:
        yield "ilk", f"{n_threads()} threads for compiled code"
    except IlkError as error:
        yield "ilk", str(error)
    yield "processors", f"{cores} for this process, {os.cpu_count()} in all"
    for pool in threadpool_info():
        about = (pool.get(key) for key in ("version", "architecture", "threading_layer"))
        detail = ", ".join(str(part) for part in about if part)
        yield pool["internal_api"], f"{pool['num_threads']} threads" + (detail and f" ({detail})")
    for name in _VARIABLES:
        if name in os.environ:
            yield name, os.environ[name]


def _numba() -> Iterator[tuple[str, str]]:
    """Threads of numba, and the cache of compiled kernels."""
    if find_spec("numba") is None:
        yield "state", "not installed"
        return
    config: Any = import_module("numba.core.config")
    yield "threads", f"{config.NUMBA_NUM_THREADS} ({config.THREADING_LAYER} threading layer)"
    place = cache_root()
    if place is None:
        yield "cache", "no writable folder: every process compiles again"
        return
    kernels = sum(1 for _ in place.rglob("*.nbi"))
    yield "cache", f"{place}: {kernels} functions cached"


@dataclass(frozen=True)
class Attempt:
    """An offer, and whether it could be imported."""

    found: Found
    status: Status
    problem: str = ""


def try_components(chosen: Iterable[Kind]) -> Iterator[Attempt]:
    """Try every component of some kinds."""
    for kind in chosen:
        offers = registry(kind.name)
        for found in offers.find():
            yield _try(found, offers.get)


def try_commands_and_strays() -> Iterator[Attempt]:
    """Try every command, and report entry points in unknown groups."""
    for found in found_in(commands.GROUP):
        yield _try(found, commands.load)
    read = {kind.group for kind in kinds().values()} | {commands.GROUP, *_OTHER_GROUPS}
    for group in sorted(groups() - read):
        problem = f"there is no group {group!r}{did_you_mean(group, read)}"
        yield from (Attempt(stray, "broken", problem) for stray in found_in(group))


def _try(found: Found, get: Callable[[str], object]) -> Attempt:
    try:
        get(found.qualified)
    except IlkError as error:
        return Attempt(found, "broken", str(error))
    try:
        get(found.name)
    except AmbiguousComponentError as error:
        return Attempt(found, "ambiguous", str(error))
    return Attempt(found, "ok")
