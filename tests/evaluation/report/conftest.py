"""Stores of experiments to be reported: one whose names and texts are hostile, and its page."""

import shutil
from collections.abc import Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

import ilk
from ilk_evaluation import run_experiment
from ilk_evaluation.report import html_report

SCRIPT = "<script>alert(1)</script>"
QUOTES = '"it\'s" & <b>'
TRACE = "</pre><img src=x onerror=alert(2)>"


class Means(ilk.Classifier):
    """Nearest class mean, with probabilities; fails or warns where it is told to."""

    fails_at: int = ilk.param(default=0, ge=0)
    warn: str = ilk.param(default="")

    def fit(self, X, y):
        X = np.asarray(X, dtype=float)
        if X.shape[1] == self.fails_at:
            raise ValueError(TRACE)
        if self.warn:
            import warnings

            warnings.warn(self.warn, RuntimeWarning, stacklevel=2)
        self.classes_ = np.unique(y)
        self.means_ = np.array([X[y == name].mean(axis=0) for name in self.classes_])
        return self

    def predict_proba(self, X):
        gaps = ((np.asarray(X, dtype=float)[:, None] - self.means_[None]) ** 2).sum(axis=2)
        weights = np.exp(-gaps)
        return weights / weights.sum(axis=1, keepdims=True)

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


class First(ilk.Classifier):
    """Always the first class, as labels only."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(ilk.n_rows(X), self.classes_[0])


class Clouds(ilk.Dataset):
    """Two or more Gaussian clouds under any name."""

    name: str = ilk.param(default="clouds")
    p: int = ilk.param(default=2, ge=1)
    classes: Sequence[Any] = ilk.param(default=("a", "b"), type=list)
    spread: float = ilk.param(default=0.8, ge=0)

    def load(self):
        codes = np.arange(24) % len(self.classes)
        noise = np.random.default_rng(self.p).normal(size=(24, self.p))
        return ilk.Data(codes[:, None] + self.spread * noise, np.array(self.classes)[codes], "c")

    def title(self):
        return self.name


MINE = {
    "classifier": {"r_means": Means, "r_first": First},
    "dataset": {"r_clouds": Clouds},
}


@contextmanager
def registered():
    """Register the components for a while: tests of other folders list what a session has."""
    for kind, classes in MINE.items():
        for name, cls in classes.items():
            ilk.registry(kind).register(name, cls)
    yield
    for kind, classes in MINE.items():
        for name in classes:
            ilk.registry(kind).unregister(name)


@pytest.fixture(autouse=True)
def components():
    with registered():
        yield


def pipeline(name, classifier="r_means", **parameters):
    return {"id": name, "steps": [{"classifier": {"use": classifier, **parameters}}]}


def experiment(store, datasets, pipelines, **evaluation):
    return {
        "experiment": {"name": f"hostile {SCRIPT}", "seed": 3},
        "datasets": [{"use": "r_clouds", **dataset} for dataset in datasets],
        "pipelines": pipelines,
        "evaluation": {
            "resampling": {"use": "repeated_kfold", "folds": 2, "repeats": 2},
            "comparisons": ["friedman_nemenyi", "robustness"],
            **evaluation,
        },
        "output": {"store": str(store)},
    }


def hostile(store):
    """Eleven data sets, four pipelines, one of which fails on a data set; all names hostile."""
    datasets = [{"name": f"set {i}", "p": 2 + i, "spread": 1 + i / 4} for i in range(8)]
    datasets += [
        {"name": SCRIPT, "p": 12, "classes": ["</option>", "b'\"", "$x^$"]},
        {"name": "10 & more", "p": 13},
        {"name": "9 less", "p": 14},
    ]
    pipelines = [
        pipeline(QUOTES, fails_at=12),
        pipeline("mean | means", warn="<i>mind</i>"),
        pipeline("$\\frac{$", "r_first"),
        pipeline("other means", "nearest_mean"),
    ]
    return experiment(
        store, datasets, pipelines, measures=["error", "mean_class_accuracy", "fit_seconds"]
    )


@pytest.fixture(scope="session")
def results(tmp_path_factory):
    with registered():
        return run_experiment(
            hostile(tmp_path_factory.mktemp("store") / "hostile.sqlite"), keep_going=True
        )


@pytest.fixture(scope="session")
def page(results):
    with registered():
        return html_report(results, listeners=ilk.Listeners())


@pytest.fixture(scope="session")
def tiny_store(tmp_path_factory):
    datasets = [{"name": "one"}, {"name": "two", "p": 3}]
    path = tmp_path_factory.mktemp("store") / "tiny.sqlite"
    with registered():
        run_experiment(experiment(path, datasets, [pipeline("A"), pipeline("B", "r_first")]))
    return path


@pytest.fixture
def tiny(tiny_store, tmp_path):
    """Results of two data sets and two pipelines in a store of their own."""
    return ilk.results(shutil.copy(tiny_store, tmp_path))


@pytest.fixture
def plain(monkeypatch):
    """Leave figures out of pages, as where matplotlib is not installed: they take longest."""
    monkeypatch.setattr("ilk_evaluation.report.blocks.find_spec", lambda _: None)


@pytest.fixture(scope="session")
def make_experiment():
    experiment.pipeline, experiment.registered = pipeline, registered
    return experiment
