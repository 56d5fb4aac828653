"""A small experiment, and stores that hold parts of it."""

import pytest

from ilk_evaluation import run_experiment


def spec(**changes):
    """Two pipelines on two data sets, 2 x 3 folds: 24 cells."""
    return {
        "experiment": {"name": "parts", "seed": 1},
        "datasets": ["iris", "wine"],
        "pipelines": [
            {"id": "means", "steps": [{"classifier": "nearest_mean"}]},
            {"id": "1-NN", "steps": [{"classifier": {"use": "knn", "k": 1}}]},
        ],
        "evaluation": {"resampling": {"use": "repeated_kfold", "folds": 2, "repeats": 3}},
        **changes,
    }


@pytest.fixture(scope="session")
def make_spec():
    return spec


@pytest.fixture(scope="session")
def parts(tmp_path_factory):
    """The stores of three shards, and that of the whole."""
    folder = tmp_path_factory.mktemp("parts")
    stores = [folder / f"{i}.sqlite" for i in (1, 2, 3)]
    for i, store in enumerate(stores, 1):
        run_experiment(spec(), store=store, shard=(i, 3))
    whole = folder / "whole.sqlite"
    run_experiment(spec(), store=whole)
    return stores, whole
