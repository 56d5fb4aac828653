"""Functions compiled by numba, and where what was compiled is kept."""

from __future__ import annotations

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
def compiled(*, fastmath: Collection[str] = (), inline: bool = False) -> Callable[[_F], _F]: ...
def compiled(
    function: _F | None = None, *, fastmath: Collection[str] = (), inline: bool = False
) -> Any:
    """Compile a function by numba: without the interpreter lock, dividing as numpy does.

    What was compiled is kept for later processes in the user's cache folder, so an installation
    may be read-only. It is kept under a fingerprint of the function's source file and of what
    it refers to (compiled functions, constants), so it is never stale. ``ILK_CACHE`` (or
    ``NUMBA_CACHE_DIR``) names another folder; where none can be written to, nothing is kept,
    and files that were damaged are made anew.

    Threads are not numba's: give blocks of rows to `in_blocks`.

    Parameters
    ----------
    function : callable, optional
        Left out where options are given.
    fastmath : collection of str
        Flags of LLVM's, none of which may touch NaN or infinity: ``"nsz"``, ``"contract"``
        and ``"reassoc"``. The last makes a result depend on how a loop was vectorised.
    inline : bool
        Whether callers get a copy of the function, where that is worth its compilation.

    Returns
    -------
    callable
        A dispatcher of numba's, or a decorator that makes one.

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
    options: dict[str, Any] = {"nogil": True, "error_model": "numpy"}
    if fastmath:
        unsafe = set(fastmath) - {"nsz", "contract", "reassoc"}
        if unsafe:
            raise IlkError(f"compiled: fastmath must not have {sorted(unsafe)}")
        options["fastmath"] = set(fastmath)
    if inline:
        options["inline"] = "always"

    def decorate(function: _F) -> Any:
        return _dispatcher(function, options)

    return decorate if function is None else decorate(function)


def cache_root() -> Path | None:
    """The folder that holds compiled functions; None where none can be written to."""
    for root in _roots():
        try:
            root.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=root):
                return root
        except OSError:
            continue
    return None


_configured = Lock()  # numba's configuration is one for the process


def _dispatcher(function: _F, options: dict[str, Any]) -> Any:
    import numba
    from numba.core import config

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
    dispatcher.ilk_stamp = stamp
    _forgive(dispatcher._cache)  # noqa: SLF001  # numba says it no other way
    return dispatcher


@dataclass(eq=False)
class StampLocator:
    """Says where numba keeps a function: in a folder named by what the function depends on.

    numba's own locators add the path of the source, so that each environment that ilk is
    installed in would compile everything anew. Versions of numba that do not ask keep the path.
    """

    folder: str
    line: int

    @classmethod
    def from_function(cls, function: Any, _: str) -> StampLocator:
        """Return the locator of a function that is being decorated; its path does not count."""
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
        """Return nothing: the name of the folder says it."""
        return ""

    def get_disambiguator(self) -> str:
        """Return what tells functions of one name in one file apart."""
        return str(self.line)


def _forgive(cache: Any) -> None:
    """Let what is kept count as lost where it cannot be read, and do without where it is full."""
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


def _stamp(function: Any) -> str:
    """Hash of all that a compiled function depends on: its file, and what its names refer to."""
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
    """What tells one value from another in every process."""
    if hasattr(value, "py_func"):
        return str(getattr(value, "ilk_stamp", None) or _stamp(value.py_func))
    if isinstance(value, ModuleType):
        return f"{value.__name__} {getattr(value, '__version__', '')}"
    if isinstance(value, type) or callable(value):
        return f"{value.__module__}.{getattr(value, '__qualname__', '')}"
    if hasattr(value, "tobytes"):  # what is printed of an array may be a part
        return f"{value.dtype} {value.shape} {hashlib.sha256(value.tobytes()).hexdigest()}"
    return repr(value)


@cache
def _contents(path: str) -> bytes:
    return Path(path).read_bytes()
