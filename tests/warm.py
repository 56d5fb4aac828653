"""A Python that starts at once: it has imported the libraries that take seconds, and forks.

``python warm.py FOLDER`` imports them and makes FOLDER/python, which takes what Python takes,
``-c CODE``, ``-m MODULE`` or a script, and their arguments. Each run of it is a process of its own,
with the folder, the environment, the streams and the exit code that any other would have; what is
ours it imports itself. Who starts this ends it by closing its standard input.
"""

import atexit
import contextlib
import gc
import importlib
import json
import os
import runpy
import signal
import socket
import sys
import threading
import types
import warnings
from pathlib import Path

import numba

CLIENT = """#!{python} -IS
import json, os, socket, sys
with socket.socket(socket.AF_UNIX) as server:
    server.connect({address!r})
    text = json.dumps([sys.argv[1:], os.getcwd(), dict(os.environ)]).encode()
    socket.send_fds(server, [len(text).to_bytes(8, "big")], [0, 1, 2])
    server.sendall(text)
    code = int(server.recv(16) or 1)
if code < 0:  # of a signal
    os.kill(os.getpid(), -code)
sys.exit(code)
"""


LIBRARIES = (
    *("matplotlib.figure", "pandas", "scipy.io", "scipy.stats"),
    *("sklearn.ensemble", "sklearn.linear_model", "sklearn.model_selection", "sklearn.neighbors"),
)


def load() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # nobody would see them
        for library in LIBRARIES:
            importlib.import_module(library)
        numba.njit(lambda: None)()  # its first function takes a second


def serve(folder: Path) -> None:
    """Return in the processes that run something; in this one, never."""
    load()
    gc.freeze()  # else the first collection of each process copies all of it
    address = str(folder / "socket")
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(address)
    listener.listen()
    client = folder / "python.new"
    client.write_text(CLIENT.format(python=sys.executable, address=address), encoding="utf-8")
    client.chmod(0o755)
    client.rename(folder / "python")
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for those who wait
    threading.Thread(target=end_with_input, daemon=True).start()
    while True:
        connection, _ = listener.accept()
        if os.fork() == 0:
            listener.close()
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            return run_and_tell(connection)
        connection.close()


def end_with_input() -> None:
    os.read(0, 1)
    os._exit(0)


def run_and_tell(connection: socket.socket) -> None:
    """Return in a process that is as asked for; in this one, tell its exit code and end."""
    size, streams, _, _ = socket.recv_fds(connection, 8, 3)
    with connection.makefile("rb") as text:
        arguments, folder, environment = json.loads(text.read(int.from_bytes(size, "big")))
    child = os.fork()
    if child == 0:
        connection.close()
        return become(arguments, folder, environment, streams)
    for stream in streams:
        os.close(stream)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    with contextlib.suppress(OSError):  # who asked has been killed
        connection.sendall(str(code).encode())
    os._exit(0)


def become(
    arguments: list[str], folder: str, environment: dict[str, str], streams: list[int]
) -> None:
    """Make this process what Python would be where it is started so."""
    ours = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    others = [path for path in sys.path[1:] if path not in ours]
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    theirs = map(os.path.abspath, filter(None, environment.get("PYTHONPATH", "").split(os.pathsep)))
    sys.path[:] = ["", *theirs, *others]
    sys.dont_write_bytecode = bool(environment.get("PYTHONDONTWRITEBYTECODE"))
    if action := environment.get("PYTHONWARNINGS"):
        warnings.simplefilter(action)  # type: ignore[arg-type]
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    sys.stdin = open(0, closefd=False)  # noqa: SIM115
    sys.stdout = open(1, "w", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", buffering=1, errors="backslashreplace", closefd=False)  # noqa: SIM115
    sys.argv[:] = arguments


def run() -> None:
    """Run what the arguments say."""
    match sys.argv:
        case ["-c", code, *rest]:
            sys.argv[:] = ["-c", *rest]
            main = sys.modules["__main__"] = types.ModuleType("__main__")
            exec(compile(code, "<string>", "exec"), vars(main))
        case ["-m", module, *rest]:
            sys.argv[:] = ["-m", *rest]
            runpy.run_module(module, run_name="__main__", alter_sys=True)
        case [script, *_]:
            sys.path[0] = str(Path(script).resolve().parent)
            runpy.run_path(script, run_name="__main__")


def exit_code() -> int:
    """Run it, and return what the exit code of Python would be."""
    try:
        run()
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            return end.code or 0
        print(end.code, file=sys.stderr)
        return 1
    except BaseException:  # noqa: BLE001 - as Python does
        sys.excepthook(*sys.exc_info())
        return 1
    return 0


def end(code: int) -> None:
    """Do what is done at the end, but for taking apart the libraries, which takes a second."""
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    gc.collect()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    serve(Path(sys.argv[1]))
    end(exit_code())
