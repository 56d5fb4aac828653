"""A cluster of Dask that is there already, perhaps on many machines."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent import futures
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from distributed import Client, WorkerPlugin

from ilk_evaluation.executors import remote
from ilk_evaluation.executors.dask_pool import DaskPool, quiet
from ilk_evaluation.executors.failure import ExecutorError

if TYPE_CHECKING:
    from distributed.scheduler import KilledWorker

_Client: Any = Client  # its constructor has no types


@contextmanager
def opened(address: str, inner_threads: int | None, patience: float) -> Iterator[DaskPool]:
    """Give a pool of the workers of a scheduler; see `Dask` for the parameters."""
    with quiet(), _joined(address, patience) as client, _Sender(client, address) as sender:
        packer = remote.Packer(sender.send)
        call = (remote.call, inner_threads)
        with DaskPool(client, packer.pack, call, _died, f"at {address}", patience) as pool:
            yield pool


@contextmanager
def _joined(address: str, patience: float) -> Iterator[Any]:
    file = Path(address).expanduser()
    if file.is_file():
        where: dict[str, Any] = {"scheduler_file": str(file)}
    elif ":" in address:
        where = {"address": address}
    else:
        raise ExecutorError(f"{address}: is neither the address nor the file of a Dask scheduler")
    try:
        client = _Client(**where, timeout=patience, set_as_default=False)
    except (OSError, TypeError, ValueError) as error:
        raise ExecutorError(f"no Dask scheduler answers at {address}: {error}") from error
    try:
        yield client
    finally:
        with suppress(Exception):  # the scheduler may be gone
            client.close(timeout=min(patience, 5.0))


class _Sender:
    """Has each worker keep what it is sent, also those that come later, until the run ends."""

    def __init__(self, client: Any, address: str) -> None:
        self._client = client
        self._address = address
        self._names: list[str] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for name in self._names if self._client.status == "running" else ():
            with suppress(Exception):  # the scheduler may go just now
                self._client.unregister_worker_plugin(name)

    def send(self, name: str, content: bytes) -> None:
        """Send a name and what is to be kept under it to all workers."""
        try:
            self._client.register_plugin(_Keep(name, content), name=name)
        except Exception as error:
            raise ExecutorError(
                f"the workers of the Dask scheduler at {self._address} cannot take the experiment: "
                f"{type(error).__name__}: {error}"
            ) from error
        self._names.append(name)


class _Keep(WorkerPlugin):
    def __init__(self, name: str, content: bytes) -> None:
        self.name = name
        self.content = content

    def setup(self, worker: Any) -> None:
        """Keep what was sent."""
        remote.keep(self.name, self.content)

    def teardown(self, worker: Any) -> None:
        """Free its memory."""
        remote.forget(self.name)


def _died(error: KilledWorker) -> Exception:
    tries = error.allowed_failures + 1
    before = f", as {tries - 1} did before that tried" if tries > 1 else ""
    said = futures.BrokenExecutor(f"the worker died{before}")
    said.add_note(f"the last one was at {error.last_worker.address}")
    return said
