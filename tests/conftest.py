"""What holds for all tests."""

import gc
import os

import hypothesis
import pytest

# Machines are shared: how long an example takes says nothing about it.
hypothesis.settings.register_profile(
    "ilk", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
# A change is judged by the same examples whenever it is judged; developers look for new ones.
hypothesis.settings.register_profile("ci", hypothesis.settings.get_profile("ilk"), derandomize=True)
hypothesis.settings.load_profile("ci" if os.environ.get("CI") else "ilk")


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


@pytest.fixture
def threads_for_few_rows(monkeypatch):
    """Let a few rows be shared by threads as many are: tests of threads need not be large."""
    for module in ("engine.distance", "kernels.tiled"):
        monkeypatch.setattr(f"ilk_distances.{module}._BRIEF", 0)
