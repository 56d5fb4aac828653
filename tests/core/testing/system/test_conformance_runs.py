"""The conformance tests of a project run by pytest, in a process of its own."""

import subprocess
import sys

PROJECT = """
import numpy as np
import ilk
from ilk.testing import conformance_tests

class Gap(ilk.Distance):
    \"\"\"The largest difference.

    Examples
    --------
    >>> 1
    1
    \"\"\"

    waivers = {"check_summary": "it passes"}
    def pairwise(self, X, Y=None):
        X, Y = self.check_pair(X, Y)
        return np.abs(X[:, None] - Y).max(axis=2)

ilk.registry("distance").register("gap", Gap)
test_conformance = conformance_tests("(session)")
"""


def test_a_strangers_project(tmp_path):
    """No configuration is needed: the marker is known, the counts are printed, waivers strict."""
    (tmp_path / "test_gap.py").write_text(PROJECT)
    command = [sys.executable, "-m", "pytest", "-q", "-W", "error", "--strict-markers"]
    done = subprocess.run(
        [*command, "-p", "no:cacheprovider", str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    lines = done.stdout.splitlines()
    assert "1 failed" in lines[-1], done.stdout
    assert any("[XPASS(strict)] it passes" in line for line in lines)
    at = next(i for i, line in enumerate(lines) if line.startswith("distance (1 component, "))
    total = lines[at].removesuffix(" checks)").rpartition(" ")[2]
    assert int(total) > 50
    assert lines[at + 1] == f"  gap {total}"


SKIPPING = """
import pytest
from ilk.testing.pytest_plugin import PROPERTY

@pytest.mark.parametrize("n", [1, 2])
def test_conformance(n, request):
    request.node.user_properties.append((PROPERTY, "distance/shy"))
    pytest.skip("not today")
"""


def test_a_component_of_which_all_is_skipped_fails_the_run(tmp_path):
    (tmp_path / "test_shy.py").write_text(SKIPPING)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist"]
    done = subprocess.run(
        [*command, str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert done.returncode == 1
    assert "FAILED: no check of distance/shy ran, all were skipped" in done.stdout
