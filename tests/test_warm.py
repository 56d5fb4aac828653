"""A warm Python does what Python does."""

import os
import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    "arguments",
    [
        ("-c", "import os, sys; print(sys.argv, os.getcwd(), os.environ['MARK'], sys.path[:2])", 1),
        ("-c", "import sys; print(sys.stdin.read() * 2, sys.stdout.isatty())"),
        ("-c", "import sys; print('said', file=sys.stderr); sys.exit(3)"),
        ("-c", "raise SystemExit('why')"),
        ("-c", "raise SystemExit"),
        ("-c", "1 / 0"),
        ("-c", "import os; os.kill(os.getpid(), 9)"),
        ("-c", "import atexit; atexit.register(print, 'last'); print('first')"),
        ("-c", "import threading, time; threading.Timer(0.1, print, ['late']).start()"),
        ("-c", "import warnings; warnings.warn('twice', DeprecationWarning)"),
        ("-c", "import module; print(module.__name__)"),
        ("-m", "module", "--option"),
        ("module.py", "--option"),
        ("-m", "json.tool", "--compact", "missing"),
    ],
    ids=lambda arguments: " ".join(map(str, arguments)),
)
def test_it_does_what_python_does(arguments, warm_python, tmp_path):
    tmp_path.joinpath("module.py").write_text("import sys; print(__name__, sys.argv[1:], end='')\n")

    def run(python):
        return subprocess.run(
            [python, *map(str, arguments)],
            cwd=tmp_path,
            env={**os.environ, "MARK": "set", "PYTHONPATH": "beside", "PYTHONWARNINGS": "default"},
            input="typed",
            capture_output=True,
            text=True,
            check=False,
        )

    warm, cold = run(warm_python), run(sys.executable)
    assert warm.stdout == cold.stdout
    assert warm.returncode == cold.returncode
    assert warm.stderr.splitlines()[-1:] == cold.stderr.splitlines()[-1:]  # tracebacks are longer


def test_what_is_loaded_is_not_ours(warm_python):
    """Else a change of ours would go unseen, and what must not be imported would be."""
    code = "import sys; print([name for name in sys.modules if name.startswith('ilk')])"
    done = subprocess.run([warm_python, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
