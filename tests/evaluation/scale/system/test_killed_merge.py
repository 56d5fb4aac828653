"""A merge that is killed leaves nothing behind for ever."""

import os
import signal

import pytest

from ilk_evaluation import merge_stores

KILLED = """
import os, signal, sys
from pathlib import Path
from ilk_evaluation.results import merging

take = merging._take

def take_and_die(connection, target, path):
    take(connection, target, path)
    os.kill(os.getpid(), signal.SIGKILL)

merging._take = take_and_die
merging.merge_stores(sys.argv[1], sys.argv[2:])
"""


@pytest.mark.skipif(os.name != "posix", reason="there is no SIGKILL")
def test_the_next_merge_sweeps(parts, tmp_path, run_python):
    stores, _ = parts
    out = tmp_path / "out.sqlite"
    done = run_python("-c", KILLED, str(out), *map(str, stores))
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert not out.exists()
    assert [path for path in tmp_path.iterdir() if path.suffix == ".part"]
    assert merge_stores(out, stores).n_missing == 0
    assert [path.name for path in tmp_path.iterdir()] == ["out.sqlite"]
