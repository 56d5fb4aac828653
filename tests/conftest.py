"""What holds for all tests."""

import gc
import os
import subprocess
import sys

import pytest


@pytest.hookimpl(wrapper=True)
def pytest_collection(session):
    """Spare the garbage collector the tests themselves: there are many, and none is garbage."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()


@pytest.fixture(autouse=True, scope="session")
def _plain_pytest_inside():
    """Keep options meant for this run from runs of pytest that tests start."""
    os.environ.pop("PYTEST_ADDOPTS", None)


@pytest.fixture(autouse=True)
def _no_figure_is_kept():
    """Close pyplot's figures, which it keeps: some peer imports it, so ours belong to it."""
    yield
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is not None:
        pyplot.close("all")


@pytest.fixture
def threads_for_few_rows(monkeypatch):
    """Let a few rows be shared by threads as many are: tests of threads need not be large."""
    for module in ("ilk.neighbors.vector_distance", "ilk_distances.kernels.tiled"):
        monkeypatch.setattr(f"{module}._BRIEF", 0)


@pytest.fixture
def run_python():
    """Run Python in a process of its own; a test that does is of the tier `system`."""

    def run(*arguments, **options):
        command = [sys.executable, *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, check=False, **options)

    return run


@pytest.fixture
def count_calls():
    """Count the calls of functions in this thread: a cost that no other process changes."""

    def count(action):
        calls = 0

        def profile(frame, event, argument):
            nonlocal calls
            calls += event in {"call", "c_call"}

        before = sys.getprofile()
        sys.setprofile(profile)
        try:
            action()
        finally:
            sys.setprofile(before)
        return calls

    return count
