"""What holds for all tests."""

import os

import pytest


@pytest.fixture(autouse=True, scope="session")
def _plain_pytest_inside():
    """Keep options meant for this run from runs of pytest that tests start."""
    os.environ.pop("PYTEST_ADDOPTS", None)
