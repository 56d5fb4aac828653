"""The first rank of a job that `ilk run` started: it passes calls on to the other ranks.

``mpiexec -n N python -m mpi4py.futures -m`` runs this module. It talks to the runner through a
socket: calls come with a number, and answers go back with it.
"""

from __future__ import annotations

import os
import threading
from functools import partial
from multiprocessing.connection import Client
from typing import TYPE_CHECKING

import cloudpickle

from ilk_evaluation.executors import remote
from ilk_evaluation.executors.mpi_ranks import RanksPool

if TYPE_CHECKING:
    from concurrent import futures
    from multiprocessing.connection import Connection

ADDRESS = "ILK_MPI_ADDRESS"
"""Environment variable with the path of the socket."""


def main() -> None:
    """Serve the runner until it is done; abort the job if the runner is gone."""
    runner = Client(os.environ[ADDRESS], family="AF_UNIX")
    try:
        ranks = _serve(runner)
    except (EOFError, OSError):
        from mpi4py import MPI

        MPI.COMM_WORLD.Abort(1)  # nobody waits for the running calls
    else:
        ranks.shutdown()


def _serve(runner: Connection) -> RanksPool:
    """Serve the runner's requests, to keep an input or to run a call; None ends."""
    ranks, turn = RanksPool(None, None), threading.Lock()
    while (message := runner.recv()) is not None:
        what, *rest = message
        if what == "keep":
            ranks.keep(*rest)
        else:
            number, task, n_threads = rest
            future = ranks.hand_over(remote.answer, task, n_threads)
            future.add_done_callback(partial(_reply, runner, turn, number))
    return ranks


def _reply(
    runner: Connection, turn: threading.Lock, number: int, done: futures.Future[bytes]
) -> None:
    error = done.exception()
    packed = done.result() if error is None else cloudpickle.dumps((None, error))
    with turn:
        runner.send((number, packed))


if __name__ == "__main__":
    main()
