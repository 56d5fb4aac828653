"""Normalised compression distance in several processes."""

import subprocess
import sys

import pytest


def test_isal_gives_the_same_in_every_process():
    pytest.importorskip("isal")
    code = """
import random
import ilk
random.seed(0)
X = ["".join(random.choices("acgt", k=24)) for _ in range(40)]
print([ilk.distance("ncd", compressor="isal", level=n).pairwise(X).sum() for n in range(4)])
"""
    runs = [
        subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout
        for _ in range(2)
    ]
    assert len(set(runs)) == 1
