"""Calls for workers that may be on other machines; shared inputs are sent there once."""

from __future__ import annotations

import io
import pickle
import platform
import threading
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import cloudpickle

import ilk
from ilk_evaluation.executors.base import ExecutorError, SharedInput, limited
from ilk_evaluation.source_version import code_of

if TYPE_CHECKING:
    from collections.abc import Callable

LIBRARIES = ("numpy", "scikit-learn", "scipy")
"""Libraries, besides distributions of ilk, whose versions may change predictions."""


class Packer:
    """Pickles calls; each `SharedInput` among their arguments is sent ahead, once.

    Parameters
    ----------
    send : function
        Takes a name, and the bytes that each worker is to keep under it.
    """

    def __init__(self, send: Callable[[str, bytes], None]) -> None:
        self._send = send
        self._names: dict[int, tuple[str, SharedInput]] = {}  # keeps ids from being reused

    def pack(self, fn: Callable[..., Any], args: Any, kwargs: Any) -> bytes:
        """Pickle a call."""
        buffer = io.BytesIO()
        _Pickler(buffer, self._name).dump((fn, args, kwargs))
        return buffer.getvalue()

    def _name(self, shared: SharedInput) -> str:
        if id(shared) not in self._names:
            name = f"ilk-{uuid4().hex}"
            self._send(name, pickle.dumps((versions(), shared.dumps())))
            self._names[id(shared)] = name, shared
        return self._names[id(shared)][0]


class _Pickler(cloudpickle.Pickler):
    def __init__(self, buffer: io.BytesIO, name: Callable[[SharedInput], str]) -> None:
        super().__init__(buffer)
        self._name = name

    def persistent_id(self, obj: object) -> str | None:
        """Return the name of a shared input; None: it is pickled as usual."""
        return self._name(obj) if isinstance(obj, SharedInput) else None


_kept: dict[str, bytes] = {}
_turn = threading.Lock()
"""Held by the running cell: thread limits and warnings are global to a process."""


def keep(name: str, content: bytes) -> None:
    """Keep a shared input in this worker."""
    _kept[name] = content


def forget(name: str) -> None:
    """Free the memory of a shared input."""
    _kept.pop(name, None)
    _shared.cache_clear()


def call(task: bytes, n_threads: int | None) -> Any:
    """Run a packed call in this worker, one at a time."""
    with _turn:
        fn, args, kwargs = _Unpickler(io.BytesIO(task)).load()
        with limited(n_threads):
            return fn(*args, **kwargs)


def answer(task: bytes, n_threads: int | None) -> bytes:
    """Run a packed call and pack its outcome: a value and None, or None and an error."""
    outcome: tuple[Any, Exception | None]
    try:
        outcome = call(task, n_threads), None
    except Exception as error:  # noqa: BLE001  # the runner raises it
        outcome = None, error
    return cloudpickle.dumps(outcome)  # type: ignore[no-any-return]


class _Unpickler(pickle.Unpickler):
    def persistent_load(self, pid: str) -> SharedInput:
        """Return a shared input by its name."""
        return _shared(pid)


@lru_cache(maxsize=1)
def _shared(name: str) -> SharedInput:
    theirs, content = pickle.loads(_kept[name])  # noqa: S301  # the runner pickled both
    ours = versions()
    for library, number in theirs.items():
        if (here := ours.get(library)) != number:
            has = f"has {library} {here}" if here else f"lacks {library}"
            raise ExecutorError(
                f"the worker on {platform.node()} {has}, the runner has {library} {number}; "
                f"the results would depend on both: install equal versions"
            )
    shared: SharedInput = pickle.loads(content)  # noqa: S301
    return shared


@lru_cache(maxsize=1)
def versions() -> dict[str, str]:
    """Return the versions of Python, libraries, and the code of each distribution of ilk."""
    numbers = {"Python": platform.python_version()}
    for name in LIBRARIES:
        try:
            numbers[name] = version(name)
        except PackageNotFoundError:
            continue
    return numbers | {name: code_of(name, number) for name, number in ilk.installed().items()}
