"""Small components registered for the time of a test, and an experiment made of them."""

from concurrent import futures

import numpy as np
import pytest

import ilk


class Nearest(ilk.Classifier):
    """Label of the nearest training row, plainly written."""

    parameters = {"power": ilk.Param(float, gt=0)}
    fits = 0

    def __init__(self, power=2.0):
        self.power = power

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

    parameters = {"random_state": ilk.Param(ilk.Seed)}

    def __init__(self, random_state=None):
        self.random_state = random_state

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        generator = np.random.default_rng(self.random_state)
        return generator.choice(self.classes_, size=ilk.n_rows(X))


class Fussy(Shares):
    """Fails, warns or is interrupted on data with as many features as `features`."""

    parameters = {
        "features": ilk.Param(int, ge=0),
        "how": ilk.Param(choices=("raise", "warn", "interrupt")),
    }
    on = True
    calls = 0

    def __init__(self, features=0, how="raise"):
        self.features = features
        self.how = how

    def fit(self, X, y):
        Fussy.calls += 1
        if self.on and (self.features in {0, np.shape(X)[1]}):
            if self.how == "raise":
                raise ValueError(f"no appetite for {np.shape(X)[1]} features")
            if self.how == "warn":
                import warnings

                warnings.warn("not to my taste", RuntimeWarning, stacklevel=2)
            if self.how == "interrupt" and Fussy.calls == 3:
                raise KeyboardInterrupt
        return super().fit(X, y)


class Blobs(ilk.Dataset):
    """Gaussian blobs, one per class."""

    parameters = {
        "n": ilk.Param(int, ge=1),
        "p": ilk.Param(int, ge=1),
        "classes": ilk.Param(list),
        "spread": ilk.Param(float, ge=0),
    }

    def __init__(self, n=24, p=2, classes=("a", "b", "c"), spread=0.7):
        self.n = n
        self.p = p
        self.classes = classes
        self.spread = spread

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

    parameters = {"workers": ilk.Param(int, ge=1)}

    def __init__(self, workers=3):
        self.workers = workers

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
