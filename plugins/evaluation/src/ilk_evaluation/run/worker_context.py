"""What cells of a run share: inputs, sent to a worker once, and results of equal steps."""

from __future__ import annotations

import io
import pickle
import sys
import threading
import warnings
from collections import OrderedDict
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from hashlib import blake2b
from itertools import count
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import cloudpickle
import numpy as np

import ilk
from ilk_evaluation.atomic_write import replace_file
from ilk_evaluation.executors.base import SharedInput
from ilk_evaluation.executors.worker import scratch
from ilk_evaluation.lock import HeldError, Lock

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
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
    shared : SharedSteps, optional
        Steps with which several pipelines begin; by default each cell fits all its steps.
    """

    def __init__(
        self,
        datasets: Sequence[ilk.Data],
        pipelines: Sequence[ilk.Pipeline],
        shared: SharedSteps | None = None,
    ) -> None:
        self.datasets = tuple(datasets)
        self.pipelines = tuple(pipelines)
        self.shared = SharedSteps({}) if shared is None else shared
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
                _write(self._file, self._content(folder))
        return _read, (self._file,)

    def dumps(self) -> bytes:
        """Pickle it for a worker that may be on another machine."""
        with _by_value(_session_modules()):
            return cloudpickle.dumps(_Packed(self._content()))  # type: ignore[no-any-return]

    def _content(self, folder: Path | None = None) -> tuple[Any, ...]:
        shared = SharedSteps(self.shared.prefixes, folder, families=self.shared.families)
        return ilk.session_classes(), self.datasets, self.pipelines, shared


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
    classes: np.ndarray,
    datasets: Sequence[ilk.Data],
    pipelines: Sequence[ilk.Pipeline],
    shared: SharedSteps,
) -> WorkerContext:
    """Register in a worker the classes registered by hand in the runner."""
    for kind, name, cls in classes:
        ilk.registry(kind).register(name, cls, replace=True)
    return WorkerContext(datasets, pipelines, shared)


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


MEMORY = 256 * 2**20
"""Bytes of results of shared steps that a worker keeps in memory."""
DISK = 2 * 2**30
"""Bytes of such results that the workers of a run keep in files."""
WORTH_KEEPING, WORTH_WRITING = 0.002, 0.2
"""Seconds that steps took, from which their results are kept in memory, and written to a file."""


@dataclass(frozen=True, eq=False)
class Shared:
    """The result of steps with which several pipelines begin.

    Attributes
    ----------
    carried : ilk.Carried
    warned : tuple
        Warnings that the steps gave, as arguments of `warnings.warn_explicit`.
    spent : float
        Seconds that this cell took for the result.
    """

    carried: ilk.Carried
    warned: tuple[tuple[Any, ...], ...] = ()
    spent: float = 0.0

    @property
    def saved(self) -> float:
        """Seconds saved against fitting the steps in this cell."""
        carried = self.carried
        return max(carried.fit_seconds + carried.predict_seconds - self.spent, 0.0)


class Place(NamedTuple):
    """The cases of a result: the key of their split, and how many are taken from it.

    Attributes
    ----------
    split : str
    few : bool
        Whether they are the few rows of a trial or warm-up, each worker's own.
    n_train, n_test : int
    views : bool or None
        Whether the pipeline has views, which may need named columns. None: it does not matter.
    """

    split: str
    few: bool
    n_train: int = 0
    n_test: int = 0
    views: bool | None = None


@dataclass(frozen=True, eq=False)
class Fitted:
    """A fitted pipeline, for others that differ only in parameters that predictions use.

    Attributes
    ----------
    model : ilk.Pipeline
    queries : array, data frame or list
        Cases to predict.
    warned : sequence of tuple
        Warnings of its fit.
    fit_seconds, predict_seconds : float
        Of this pipeline alone.
    """

    model: ilk.Pipeline
    queries: Any
    warned: Sequence[tuple[Any, ...]]
    fit_seconds: float
    predict_seconds: float


@dataclass(frozen=True)
class Sharing:
    """What a cell shares with other cells of its split.

    Attributes
    ----------
    steps : SharedSteps
    pipeline : int
        Position of its pipeline.
    place : Place
    """

    steps: SharedSteps
    pipeline: int
    place: Place

    @property
    def in_family(self) -> bool:
        """Whether there are pipelines that differ only in parameters that predictions use."""
        return self.pipeline in self.steps.families

    def begin(self, model: ilk.Pipeline, start: ilk.Carried) -> Shared | None:
        """Return the result of first steps; see `SharedSteps.begin`."""
        return self.steps.begin(model, self.pipeline, self.place, start)

    def fitted(self) -> Fitted | None:
        """Return a fitted pipeline of the family, if it is the latest of this process."""
        key, found = self.steps.latest
        return found if self.in_family and key == self._key else None

    def keep(self, fitted: Fitted) -> None:
        """Keep a fitted pipeline for the next cells; the one before is dropped."""
        self.steps.latest = self._key, fitted

    @property
    def _key(self) -> tuple[Place, int | None]:
        return self.place, self.steps.families.get(self.pipeline)


class SharedSteps:
    """Results of steps with which several pipelines begin, computed once for each split.

    They are kept pickled, so that each cell gets objects of its own, equal to the last bit. Those
    that have no equal copy (arrays that are views with gaps, objects that cannot be pickled) are
    computed by each cell. A process keeps the latest in memory. What took long is written into a
    folder, too, for the other workers of the run; the folder is private to the run, as reading
    pickled objects runs code.

    Parameters
    ----------
    prefixes : mapping of int to sequence of (int, int)
        Number of steps and identity of each shared beginning, shortest first, by the position of
        a pipeline.
    folder : Path, optional
        None: keep results in memory only.
    memory, disk : int
        Bytes.
    families : mapping of int to int, optional
        Identity of the pipelines that differ only in `late` parameters of the last step, by the
        position of a pipeline. Of them the latest that was fitted is kept, as it is.
    """

    def __init__(
        self,
        prefixes: Mapping[int, Sequence[tuple[int, int]]],
        folder: Path | None = None,
        *,
        memory: int = MEMORY,
        disk: int = DISK,
        families: Mapping[int, int] | None = None,
    ) -> None:
        self.prefixes = prefixes
        self.folder = folder
        self.memory = memory
        self.disk = disk
        self.families = families or {}
        self.latest: tuple[Any, Fitted | None] = (None, None)
        self._kept: OrderedDict[tuple[Place, int], bytes] = OrderedDict()
        self._waits: dict[int, bool] = {}
        self._turn = threading.Lock()  # an executor may run cells in threads

    def begin(
        self, model: ilk.Pipeline, pipeline: int, place: Place, start: ilk.Carried
    ) -> Shared | None:
        """Return the result of the steps that a pipeline shares; None: it shares none.

        Parameters
        ----------
        model : ilk.Pipeline
            Seeded.
        pipeline : int
            Its position.
        place : Place
        start : ilk.Carried
            Training cases and cases to predict.
        """
        prefixes = self.prefixes.get(pipeline)
        if not prefixes:
            return None
        began = perf_counter()
        place = place._replace(
            n_train=ilk.n_rows(start.X),
            n_test=ilk.n_rows(start.queries),
            views=ilk.uses_views(model),
        )
        found = self._result(model, prefixes, place, start)
        warn_again(found.warned)
        return replace(found, spent=perf_counter() - began)

    def _result(
        self,
        model: ilk.Pipeline,
        prefixes: Sequence[tuple[int, int]],
        place: Place,
        start: ilk.Carried,
    ) -> Shared:
        if not prefixes:
            return Shared(start)
        *before, (n_steps, identity) = prefixes
        key = place, identity
        if (known := self._find(key)) is not None:
            return known
        with self._alone(key) as waited:
            if waited and (known := self._find(key)) is not None:
                return known
            shorter = self._result(model, before, place, start)
            warned = [*shorter.warned]
            try:
                with recorded(warned):
                    carried = model.advance(shorter.carried, n_steps)
            except BaseException:
                warn_again(warned)
                raise
            found = Shared(carried, tuple(warned))
            if isinstance(start.X, list) and not carried.tables:
                key = place._replace(views=None), identity
            self._waits[identity] = self._keep(key, found)
        return found

    @contextmanager
    def _alone(self, key: tuple[Place, int]) -> Iterator[bool]:
        """Wait while another worker computes the same; give whether it did.

        Steps whose last result was not written are not waited for.
        """
        place, identity = key
        if self.folder is None or place.few or not self._waits.get(identity, True):
            yield False
            return
        waited, lock = False, None
        with suppress(OSError):
            while lock is None:
                try:
                    file = self._file((place._replace(views=None), identity))
                    lock = Lock(file.with_suffix(".lock"))
                except HeldError:
                    waited = True
        try:
            yield waited
        finally:
            if lock is not None:
                lock.release()

    def _find(self, key: tuple[Place, int]) -> Shared | None:
        place, identity = key
        found = self._content((place._replace(views=None), identity)) or self._content(key)
        return None if found is None else pickle.loads(found)  # noqa: S301  # our own

    def _content(self, key: tuple[Place, int]) -> bytes | None:
        with self._turn:
            content = self._kept.get(key)
            if content is not None:
                self._kept.move_to_end(key)
        if content is None and self.folder is not None:
            content = self._written(key)
        return content

    def _written(self, key: tuple[Place, int]) -> bytes | None:
        """Read and remember a file; None if it is missing or damaged."""
        with suppress(OSError):
            written = self._file(key).read_bytes()
            seal, content = written[:_SEAL], written[_SEAL:]
            if blake2b(content, digest_size=_SEAL).digest() == seal:
                self._remember(key, content)
                return content
        return None

    def _keep(self, key: tuple[Place, int], found: Shared) -> bool:
        """Keep a result; return whether it was written, too."""
        carried = found.carried
        seconds = carried.fit_seconds + carried.predict_seconds
        if seconds < WORTH_KEEPING or carried.queries is None:
            return False
        writes = self.folder is not None and not key[0].few and seconds >= WORTH_WRITING
        most = max(self.memory, self.disk if writes else 0)
        content = _packed(replace(found, carried=replace(carried, steps=())), most)
        if content is None:
            return False
        self._remember(key, content)
        if writes:
            with suppress(OSError):  # a full disk, say
                return self._write(key, content)
        return False

    def _remember(self, key: tuple[Place, int], content: bytes) -> None:
        with self._turn:
            self._kept[key] = content
            while sum(map(len, self._kept.values())) > self.memory:
                self._kept.popitem(last=False)

    def _write(self, key: tuple[Place, int], content: bytes) -> bool:
        assert self.folder is not None
        there = sorted((f.stat().st_mtime, f.stat().st_size, f) for f in self.folder.glob(_FILES))
        total = len(content) + sum(size for _, size, _ in there)
        for _, size, file in there:
            if total <= self.disk:
                break
            file.unlink(missing_ok=True)
            total -= size
        if total > self.disk:
            return False
        replace_file(self._file(key), blake2b(content, digest_size=_SEAL).digest() + content)
        return True

    def _file(self, key: tuple[Place, int]) -> Path:
        assert self.folder is not None
        name = blake2b(repr(key).encode(), digest_size=16).hexdigest()
        return self.folder / _FILES.replace("*", name)

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(SharedSteps, families=self.families), (self.prefixes, self.folder)


_SEAL = 16
_FILES = "steps-*.pickle"


@contextmanager
def recorded(warned: list[tuple[Any, ...]]) -> Iterator[None]:
    """Add the warnings within a block to a list, as arguments of `warnings.warn_explicit`."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        try:
            yield
        finally:
            warned += [(w.message, w.category, w.filename, w.lineno) for w in caught]


def warn_again(given: Sequence[tuple[Any, ...]]) -> None:
    """Give recorded warnings."""
    for warning in given:
        warnings.warn_explicit(*warning)


class _NotKeptError(Exception):
    """An object that is too large, or whose copy could give other results in the last bits."""


class _Bounded(io.BytesIO):
    """Bytes up to a number."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self.most = most

    def write(self, content: Any) -> int:
        if self.tell() + memoryview(content).nbytes > self.most:
            raise _NotKeptError
        return super().write(content)


class _Exact(cloudpickle.Pickler):
    def reducer_override(self, obj: Any) -> Any:
        """Refuse views with gaps: their copies have another layout, which rounds otherwise."""
        if isinstance(obj, np.ndarray) and not (obj.flags.c_contiguous or obj.flags.f_contiguous):
            raise _NotKeptError
        return super().reducer_override(obj)


def _packed(found: Shared, most: int) -> bytes | None:
    """Pickle a result; None if it takes more bytes than `most`, or has no equal copy."""
    buffer = _Bounded(most)
    try:
        _Exact(buffer, protocol=pickle.HIGHEST_PROTOCOL).dump(found)
    except Exception:  # noqa: BLE001  # components may hold anything
        return None
    return buffer.getvalue()
