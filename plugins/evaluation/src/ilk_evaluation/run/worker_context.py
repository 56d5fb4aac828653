"""The inputs that all cells of a run share, sent to a worker once and not with every cell."""

from __future__ import annotations

import io
import pickle
import sys
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import lru_cache
from itertools import count
from typing import TYPE_CHECKING, Any, Self

import cloudpickle
import numpy as np

import ilk
from ilk_evaluation.executors.base import SharedInput
from ilk_evaluation.executors.scratch import scratch

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path
    from types import ModuleType

MAPPED = 2**16
"""Bytes; larger arrays are memory-mapped by workers, as mapping pays off from some pages on."""


class WorkerContext(SharedInput):
    """Data and pipelines of a run, in this process or in a worker.

    In this process it holds the objects themselves. Pickled, it is the name of a file that is
    written once and read once per worker. The file also holds the classes registered by hand;
    large arrays are memory-mapped, so workers share them.

    Parameters
    ----------
    datasets : sequence of ilk.Data
    pipelines : sequence of ilk.Pipeline
    """

    def __init__(self, datasets: Sequence[ilk.Data], pipelines: Sequence[ilk.Pipeline]) -> None:
        self.datasets = tuple(datasets)
        self.pipelines = tuple(pipelines)
        self._stack = ExitStack()
        self._file: Path | None = None
        self._used: set[tuple[Any, ...]] = set()

    def is_new(self, task: str, pipeline: int, data: ilk.Data) -> bool:
        """Tell whether this process has not yet run a pipeline on data of this form.

        Parameters
        ----------
        task : str
            Which code of the pipeline is run.
        pipeline : int
            Its position.
        data : ilk.Data
            Data of one form have the same compiled code: equal types of their values.
        """
        types = getattr(data.X, "dtypes", None)  # of the columns of a frame
        form = str(getattr(data.X, "dtype", "")) if types is None else "".join(map(str, types))
        used = (task, pipeline, type(data.X), form, len(data.classes) > 2)
        if used in self._used:
            return False
        self._used.add(used)
        return True

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()
        self._file = None

    def __reduce__(self) -> tuple[Any, ...]:
        if self._file is None:
            folder = self._stack.enter_context(scratch())
            self._file = folder / "context"
            with _by_value(_session_modules()):
                _write(self._file, self._content())
        return _read, (self._file,)

    def dumps(self) -> bytes:
        """Pickle it for a worker that may be on another machine."""
        with _by_value(_session_modules()):
            return cloudpickle.dumps(_Packed(self._content()))  # type: ignore[no-any-return]

    def _content(self) -> tuple[Any, ...]:
        return ilk.session_classes(), self.datasets, self.pipelines


@dataclass(eq=False, repr=False)
class _Packed:
    """The content of a context; unpickling it gives a context."""

    content: tuple[Any, ...]

    def __reduce__(self) -> tuple[Any, ...]:
        return _opened, self.content


@lru_cache(maxsize=1)
def _read(file: Path) -> WorkerContext:
    """Open a context in a worker."""
    return _opened(*_Reader(file).load())


def _opened(
    classes: np.ndarray, datasets: Sequence[ilk.Data], pipelines: Sequence[ilk.Pipeline]
) -> WorkerContext:
    """Register in a worker the classes registered by hand in the runner."""
    for kind, name, cls in classes:
        ilk.registry(kind).register(name, cls, replace=True)
    return WorkerContext(datasets, pipelines)


def _write(file: Path, content: object) -> None:
    with file.open("wb") as opened:
        _Writer(opened, file).dump(content)


class _Writer(cloudpickle.Pickler):
    """Puts large arrays into files of their own."""

    def __init__(self, opened: io.BufferedWriter, file: Path) -> None:
        super().__init__(opened)
        self._names = (file.with_suffix(f".{number}.npy") for number in count())
        self._written: dict[int, tuple[Path, np.ndarray]] = {}  # arrays too: keeps ids unique

    def persistent_id(self, obj: object) -> Path | None:
        """Return the file of a large array; None: it is pickled as usual."""
        if type(obj) is not np.ndarray or obj.dtype.hasobject or obj.nbytes < MAPPED:
            return None
        if id(obj) not in self._written:
            path = next(self._names)
            np.save(path, obj, allow_pickle=False)
            self._written[id(obj)] = path, obj
        return self._written[id(obj)][0]


class _Reader(pickle.Unpickler):
    """Maps large arrays into memory, read only."""

    def __init__(self, file: Path) -> None:
        super().__init__(io.BytesIO(file.read_bytes()))

    def persistent_load(self, pid: Path) -> np.ndarray:
        """Open an array."""
        return np.asarray(np.load(pid, mmap_mode="r", allow_pickle=False))


def _session_modules() -> list[ModuleType]:
    """Modules of these classes that a worker could not import."""
    names = {cls.__module__ for _, _, cls in ilk.session_classes()} - {"__main__"}
    modules = (sys.modules.get(name) for name in sorted(names))
    return [module for module in modules if module is not None and not _importable(module)]


def _importable(module: ModuleType) -> bool:
    """Tell whether a fresh process would import a module from the same file."""
    parts = module.__name__.split(".")
    path: Sequence[str] | None = None
    for last in range(1, len(parts) + 1):
        name = ".".join(parts[:last])
        specs = (finder.find_spec(name, path, None) for finder in sys.meta_path)
        spec = next((found for found in specs if found is not None), None)
        if spec is None:
            return False
        path = spec.submodule_search_locations
    return spec is not None and spec.origin == getattr(module, "__file__", None)


@contextmanager
def _by_value(modules: Sequence[ModuleType]) -> Iterator[None]:
    """Pickle the definitions of some modules by value, not by name."""
    already = cloudpickle.list_registry_pickle_by_value()
    ours = [module for module in modules if module.__name__ not in already]
    for module in ours:
        cloudpickle.register_pickle_by_value(module)
    try:
        yield
    finally:
        for module in ours:
            cloudpickle.unregister_pickle_by_value(module)
