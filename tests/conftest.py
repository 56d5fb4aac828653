"""What holds for all tests."""

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


@pytest.fixture(autouse=True, scope="session")
def _plain_pytest_inside():
    """Keep options meant for this run from runs of pytest that tests start."""
    os.environ.pop("PYTEST_ADDOPTS", None)
