"""Bytes of a store changed at random: it is refused, or gives what the untouched store gives."""

import numpy as np
import pytest

from ilk.cli.shell import run as ilk_command
from ilk_evaluation import run_experiment
from ilk_evaluation.results.export import frame_of, write
from ilk_evaluation.results.opening import results

COPIES = 200
TABLES = ("table", "cells", "predictions", "failures")


@pytest.fixture
def store(tmp_path):
    pipelines = [
        {"id": "near", "steps": [{"classifier": "knn"}]},
        {"id": "fails", "steps": [{"classifier": {"use": "knn", "k": 140}}]},
    ]
    spec = {
        "datasets": ["iris"],
        "pipelines": pipelines,
        "evaluation": {"resampling": {"use": "kfold", "folds": 3}, "measures": ["error", "brier"]},
    }
    path = tmp_path / "store.sqlite"
    run_experiment(spec, store=path, keep_going=True)
    return path


def exported(path):
    found = results(path)
    return [write(frame_of(found, table), "csv") for table in TABLES], found.notes


def test_a_store_with_changed_bytes_is_refused_or_gives_the_same(store, tmp_path, capsys):
    content, expected = store.read_bytes(), exported(store)
    copy = tmp_path / "copy.sqlite"
    refused = 0
    for seed in range(COPIES):
        rng = np.random.default_rng(seed)
        changed = np.frombuffer(content, dtype=np.uint8).copy()
        used = np.flatnonzero(changed)  # much of a small file is empty
        places = rng.choice(used, size=rng.integers(1, 21), replace=False)
        changed[places] ^= rng.integers(1, 256, size=len(places), dtype=np.uint8)
        copy.write_bytes(changed.tobytes())
        code = ilk_command(["results", "export", str(copy)])
        said = capsys.readouterr().err
        refused += code
        if code == 0:
            assert exported(copy) == expected, seed
        else:
            assert code == 2, seed
            assert said.startswith(f"Error: {copy}: "), seed
            assert said.count("\n") == 1, seed
        for left in tmp_path.glob("copy.sqlite-*"):
            left.unlink()
    assert refused > COPIES
