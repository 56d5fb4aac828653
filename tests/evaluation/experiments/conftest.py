"""Small components registered for the time of a test, and an experiment made of them."""

from collections.abc import Sequence
from concurrent import futures
from typing import Any

import numpy as np
import pytest

import ilk


class Nearest(ilk.Classifier):
    """Label of the nearest training row, plainly written."""

    power: float = ilk.param(default=2.0, gt=0)
    fits = 0

    def fit(self, X, y):
        Nearest.fits += 1
        self.classes_, self.codes_ = np.unique(y, return_inverse=True)
        self.X_ = np.asarray(X, dtype=float)
        return self

    def predict(self, X):
        gaps = np.abs(np.asarray(X, dtype=float)[:, None] - self.X_[None]) ** self.power
        return self.classes_[self.codes_[gaps.sum(axis=2).argmin(axis=1)]]


class Shares(ilk.Classifier):
    """Always the most frequent class; probabilities are the shares of the classes."""

    def fit(self, X, y):
        self.classes_, counts = np.unique(y, return_counts=True)
        self.shares_ = counts / counts.sum()
        return self

    def predict(self, X):
        return np.full(ilk.n_rows(X), self.classes_[self.shares_.argmax()])

    def predict_proba(self, X):
        return np.tile(self.shares_, (ilk.n_rows(X), 1))


class Lot(ilk.Classifier):
    """A label by lot."""

    random_state: ilk.RandomState = ilk.param(default=None, type=ilk.Seed)

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        generator = np.random.default_rng(self.random_state)
        return generator.choice(self.classes_, size=ilk.n_rows(X))


class Fussy(Shares):
    """Fails, warns or is interrupted on data with as many features as `features`."""

    features: int = ilk.param(default=0, ge=0)
    how: str = ilk.param(default="raise", choices=("raise", "warn", "interrupt"))
    on = True
    calls = 0

    def fit(self, X, y):
        Fussy.calls += 1
        if self.on and (self.features in {0, np.shape(X)[1]}):
            if self.how == "raise":
                raise ValueError(f"no appetite for {np.shape(X)[1]} features")
            if self.how == "warn":
                import warnings

                warnings.warn("not to my taste", RuntimeWarning, stacklevel=2)
            if self.how == "interrupt" and Fussy.calls == 5:  # after a trial on two sets
                raise KeyboardInterrupt
        return super().fit(X, y)


class Blobs(ilk.Dataset):
    """Gaussian blobs, one per class."""

    n: int = ilk.param(default=24, ge=1)
    p: int = ilk.param(default=2, ge=1)
    classes: Sequence[Any] = ilk.param(default=("a", "b", "c"), type=list)
    spread: float = ilk.param(default=0.7, ge=0)

    def load(self):
        generator = np.random.default_rng(self.n + 1000 * self.p)
        codes = np.arange(self.n) % len(self.classes)
        X = codes[:, None] + self.spread * generator.normal(size=(self.n, self.p))
        names = tuple(f"f{i}" for i in range(self.p))
        return ilk.Data(X, np.array(self.classes)[codes], "blobs", names)

    def title(self):
        return f"blobs{self.p}"


class Threads(ilk.Executor):
    """A pool of threads, which finish in any order."""

    workers: int = ilk.param(default=3, ge=1)

    @property
    def n_workers(self):
        return self.workers

    def open(self):
        return futures.ThreadPoolExecutor(self.workers)


MINE = {
    "classifier": {"t_nearest": Nearest, "t_shares": Shares, "t_lot": Lot, "t_fussy": Fussy},
    "dataset": {"t_blobs": Blobs},
    "executor": {"t_threads": Threads},
}


@pytest.fixture(autouse=True)
def components():
    Nearest.fits, Fussy.calls, Fussy.on = 0, 0, True
    for kind, classes in MINE.items():
        for name, cls in classes.items():
            ilk.registry(kind).register(name, cls)
    yield {name: cls for classes in MINE.values() for name, cls in classes.items()}
    for kind, classes in MINE.items():
        for name in classes:
            ilk.registry(kind).unregister(name)


@pytest.fixture
def with_component():
    """Register further components for the time of a test."""
    added = []

    def register(kind, name, cls):
        ilk.registry(kind).register(name, cls)
        added.append((kind, name))

    yield register
    for kind, name in added:
        ilk.registry(kind).unregister(name)


def pipeline(name, classifier, **parameters):
    return {"id": name, "steps": [{"classifier": {"use": classifier, **parameters}}]}


@pytest.fixture
def make_spec(tmp_path):
    """Return a function that makes an experiment of two data sets and two pipelines."""

    def make(**changes):
        spec = {
            "experiment": {"name": "tiny", "seed": 3},
            "datasets": [{"use": "t_blobs"}, {"use": "t_blobs", "p": 3, "n": 30}],
            "pipelines": [pipeline("nearest", "t_nearest"), pipeline("shares", "t_shares")],
            "evaluation": {"resampling": {"use": "repeated_kfold", "folds": 2, "repeats": 2}},
            "output": {"store": str(tmp_path / "store.sqlite")},
        }
        return {**spec, **changes}

    make.pipeline = pipeline
    return make
