"""Small components registered, and fake distributions installed, for the time of a test."""

import textwrap
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pytest

import ilk
from ilk.registries import refresh


class Power(ilk.Distance):
    """Sum of the p-th powers of the differences."""

    p: float = ilk.param(default=2.0, gt=0)
    capabilities = ilk.Capabilities(symmetric=True)

    def pairwise(self, X, Y=None):
        X, Y = self.check_pair(X, Y)
        return (np.abs(X[:, None, :] - Y[None, :, :]) ** self.p).sum(axis=2)


class Centre(ilk.Transformer):
    """Takes the mean away and counts how often it was fitted."""

    scale: float = ilk.param(default=1.0, gt=0)

    def fit(self, X, y=None):
        self.check_parameters()
        X = ilk.check_vectors(self, X, reset=True)
        self.mean_ = X.mean(axis=0)
        return self

    def transform(self, X):
        X = ilk.check_vectors(self, X, reset=False)
        return (X - self.mean_) * self.scale

    def get_feature_names_out(self, input_features=None):
        return np.array([f"centred{i}" for i in range(self.n_features_in_)], dtype=object)


class Nearest(ilk.Classifier):
    """One nearest neighbour, or the heaviest class; remembers what it was given."""

    distance: ilk.DistanceLike = ilk.slot("distance", default="power")
    parts: Mapping[str, ilk.DistanceLike] | None = ilk.slots("distance", default=None, many=dict)
    random_state: ilk.RandomState = ilk.param(default=None, type=ilk.Seed)
    hook: Callable[..., Any] | None = ilk.param(default=None, type=ilk.Function)
    capabilities = ilk.Capabilities(sample_weight=True)

    def fit(self, X, y, sample_weight=None):
        self.check_parameters()
        self.X_ = ilk.check_vectors(self, X, reset=True)
        self.classes_, self.codes_ = ilk.check_labels(self, y, X)
        self.distance_ = ilk.fit_component(self.resolve_slot("distance"), self.X_)
        self.sample_weight_ = sample_weight
        return self

    def predict(self, X):
        X = ilk.check_vectors(self, X, reset=False)
        _, nearest = self.distance_.kneighbors(X, self.X_, 1)
        return self.classes_[self.codes_[nearest[:, 0]]]


class Panel(ilk.Classifier):
    """Members one after the other; the first decides."""

    members: Sequence[ilk.ClassifierLike] = ilk.slots("classifier", default=("nearest",))

    def fit(self, X, y):
        self.check_parameters()
        self.members_ = [member.fit(X, y) for member in self.resolve_slot("members")]
        self.classes_ = self.members_[0].classes_
        return self

    def predict(self, X):
        return self.members_[0].predict(X)


class EveryOther(ilk.Editor):
    """Keeps the cases at even positions."""

    def fit_resample(self, X, y):
        self.n_cases_ = ilk.n_rows(X)
        self.sample_indices_ = np.arange(0, self.n_cases_, 2)
        return ilk.take(X, self.sample_indices_), ilk.take(y, self.sample_indices_)


@pytest.fixture(autouse=True)
def toys():
    """Register the toy components; take them back afterwards."""
    table = [
        ("distance", "power", Power),
        ("transformer", "centre", Centre),
        ("classifier", "nearest", Nearest),
        ("classifier", "panel", Panel),
        ("editor", "every_other", EveryOther),
    ]
    for kind, name, cls in table:
        ilk.registry(kind).register(name, cls)
    yield {name: cls for _, name, cls in table}
    for kind, name, _ in table:
        ilk.registry(kind).unregister(name)


@pytest.fixture
def blobs():
    """Two classes of 20 points each around (0, 0) and (5, 5)."""
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(0, 1, (20, 2)), rng.normal(5, 1, (20, 2))])
    return X, np.repeat(["a", "b"], 20)


@pytest.fixture
def installed_fakes(tmp_path, monkeypatch):
    """Return a function that installs a fake distribution for the time of the test."""
    monkeypatch.syspath_prepend(tmp_path)

    def install(name, entry_points, module=""):
        info = tmp_path / f"{name.replace('-', '_')}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(textwrap.dedent(entry_points))
        (tmp_path / f"{name.replace('-', '_')}.py").write_text(textwrap.dedent(module))
        refresh()

    refresh()
    yield install
    monkeypatch.undo()
    refresh()
