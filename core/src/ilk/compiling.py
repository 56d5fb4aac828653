"""Functions compiled by numba, and the cache of compiled code."""

from __future__ import annotations

import gc
import hashlib
import os
import sys
import tempfile
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from threading import Lock
from types import CodeType, ModuleType
from typing import Any, overload

from ilk.errors import IlkError

_F = Callable[..., Any]


@overload
def compiled(function: _F) -> _F: ...
@overload
def compiled(
    *, fastmath: Collection[str] = (), inline: bool = False, inner: bool = False
) -> Callable[[_F], _F]: ...
def compiled(
    function: _F | None = None,
    *,
    fastmath: Collection[str] = (),
    inline: bool = False,
    inner: bool = False,
) -> Any:
    """Compile a function by numba: without the interpreter lock, with numpy's division.

    Compiled code is cached for later processes in the user's cache folder, so an installation
    may be read-only. The key is a fingerprint of the function's source file and of the objects
    that it uses (compiled functions, constants), so the cache is never stale. ``ILK_CACHE`` (or
    ``NUMBA_CACHE_DIR``) names another folder. If no folder is writable, nothing is cached;
    damaged files are written again.

    Use `in_blocks` for threads instead of numba's own.

    Parameters
    ----------
    function : callable, optional
        Left out if options are given.
    fastmath : collection of str
        Flags of LLVM that keep NaN and infinity: ``"nsz"``, ``"contract"`` and ``"reassoc"``.
        With the last one, a result depends on the vectorization of a loop.
    inline : bool
        Whether callers get a copy of the function; it speeds up loops and costs compilation.
    inner : bool
        Whether only compiled functions call it: it compiles faster, and a call from Python fails.

    Returns
    -------
    callable
        A numba dispatcher, or a decorator that returns one.

    Raises
    ------
    ImportError
        If numba is not installed.

    Examples
    --------
    >>> import ilk
    >>> @ilk.compiled
    ... def double(x):
    ...     return 2 * x
    >>> double(1.5)
    3.0
    """
    # entry points for C cost a tenth of the compilation
    options: dict[str, Any] = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}
    if fastmath:
        unsafe = set(fastmath) - {"nsz", "contract", "reassoc"}
        if unsafe:
            raise IlkError(f"compiled: fastmath must not have {sorted(unsafe)}")
        options["fastmath"] = set(fastmath)
    if inline:
        options["inline"] = "always"
    if inner:
        options["no_cpython_wrapper"] = True

    def decorate(function: _F) -> Any:
        dispatcher = _dispatcher(function, options)
        return _closed(dispatcher) if inner and dispatcher is not function else dispatcher

    return decorate if function is None else decorate(function)


def cache_root() -> Path | None:
    """The cache folder of compiled functions; None if no folder is writable."""
    for root in _roots():
        try:
            root.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=root):
                return root
        except OSError:
            continue
    return None


_configured = Lock()  # numba's configuration is global to the process


def _dispatcher(function: _F, options: dict[str, Any]) -> Any:
    import numba
    from numba.core import config

    _pause_collection()
    root = cache_root()
    if root is None or not Path(function.__code__.co_filename).is_file():
        return numba.njit(**options)(function)
    stamp = _stamp(function)
    settings: Any = config
    with _configured:
        before = settings.CACHE_DIR, getattr(settings, "CACHE_LOCATOR_CLASSES", "")
        settings.CACHE_DIR = str(root / f"{function.__module__}-{stamp[:16]}")
        settings.CACHE_LOCATOR_CLASSES = f"{__name__}.{StampLocator.__qualname__}"
        try:
            dispatcher = numba.njit(cache=True, **options)(function)
        finally:
            settings.CACHE_DIR, settings.CACHE_LOCATOR_CLASSES = before
    if dispatcher is function:  # NUMBA_DISABLE_JIT
        return function
    dispatcher.ilk_stamp = stamp
    _forgive(dispatcher._cache)  # noqa: SLF001  # numba says it no other way
    return dispatcher


def _closed(dispatcher: Any) -> Any:
    """Make calls from Python fail; without this they would jump to an absent entry point."""

    def refuse(*_: Any, **__: Any) -> None:
        raise IlkError(f"{dispatcher.py_func.__qualname__}: only compiled functions may call it")

    dispatcher._insert = lambda *_: None  # noqa: SLF001  # its table of entry points stays empty
    dispatcher._compile_for_args = refuse  # noqa: SLF001
    return dispatcher


@cache
def _pause_collection() -> None:
    """Make compilations pause the collection of garbage, which takes a fifth of their time."""
    from numba.core import event

    class Pause(event.Listener):
        depth = 0  # compilations are nested, and one thread compiles at a time
        collects = False

        def on_start(self, _: object) -> None:
            if self.depth == 0:
                self.collects = gc.isenabled()
                gc.disable()
            self.depth += 1

        def on_end(self, _: object) -> None:
            self.depth -= 1
            if self.depth == 0 and self.collects:
                gc.enable()

    numba_events: Any = event
    numba_events.register("numba:compile", Pause())


@dataclass(eq=False)
class StampLocator:
    """Tells numba the cache folder of a function, which is named by the fingerprint.

    numba's own locators add the path of the source, so that each environment with ilk would
    compile everything again. Versions of numba without configurable locators add the path.
    """

    folder: str
    line: int

    @classmethod
    def from_function(cls, function: Callable[..., Any], _: str) -> StampLocator:
        """Return the locator of a function during decoration, independent of its path."""
        from numba.core import config

        settings: Any = config
        return cls(settings.CACHE_DIR, function.__code__.co_firstlineno)

    def ensure_cache_path(self) -> None:
        """Make the folder."""
        os.makedirs(self.folder, exist_ok=True)  # noqa: PTH103  # numba's paths are texts

    def get_cache_path(self) -> str:
        """Return the folder."""
        return self.folder

    def get_source_stamp(self) -> str:
        """Return nothing: the name of the folder contains the fingerprint."""
        return ""

    def get_disambiguator(self) -> str:
        """Return what tells functions of one name in one file apart."""
        return str(self.line)


def _forgive(cache: Any) -> None:
    """Make a cache treat unreadable files as absent, and ignore failures to write."""
    load, save = cache.load_overload, cache.save_overload

    def load_overload(*args: Any) -> Any:
        try:
            return load(*args)
        except Exception:  # noqa: BLE001  # whatever unpickling a damaged file raises
            with suppress(OSError):
                cache.flush()
            return None

    def save_overload(*args: Any) -> None:
        with suppress(OSError):
            save(*args)

    cache.load_overload, cache.save_overload = load_overload, save_overload


def _roots() -> list[Path]:
    for name in ("ILK_CACHE", "NUMBA_CACHE_DIR"):
        if os.environ.get(name):
            return [Path(os.environ[name])]
    if sys.platform == "win32":
        user = Path(os.environ.get("LOCALAPPDATA") or "~/AppData/Local")
    elif sys.platform == "darwin":
        user = Path("~/Library/Caches")
    else:
        user = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache")
    try:
        return [user.expanduser() / "ilk"]
    except RuntimeError:  # a user without a home
        return []


def _stamp(function: Callable[..., Any]) -> str:
    """Hash of a compiled function's dependencies: its file, and the values of its names."""
    digest = hashlib.sha256(_contents(function.__code__.co_filename))
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    known = {**function.__globals__, **{name: cell.cell_contents for name, cell in cells}}
    for name in sorted(_names(function.__code__) & known.keys()):
        digest.update(f"{name}={_identity(known[name])};".encode())
    return digest.hexdigest()


def _names(code: CodeType) -> set[str]:
    inner = [const for const in code.co_consts if isinstance(const, CodeType)]
    return {*code.co_names, *code.co_freevars}.union(*map(_names, inner))


def _identity(value: Any) -> str:
    """A text that identifies a value in every process."""
    if hasattr(value, "py_func"):
        return str(getattr(value, "ilk_stamp", None) or _stamp(value.py_func))
    if isinstance(value, ModuleType):
        return f"{value.__name__} {getattr(value, '__version__', '')}"
    if isinstance(value, type) or callable(value):
        return f"{value.__module__}.{getattr(value, '__qualname__', '')}"
    if hasattr(value, "tobytes"):  # repr abbreviates large arrays
        return f"{value.dtype} {value.shape} {hashlib.sha256(value.tobytes()).hexdigest()}"
    return repr(value)


@cache
def _contents(path: str) -> bytes:
    return Path(path).read_bytes()
