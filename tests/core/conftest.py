"""Small components registered, and fake distributions installed, for the time of a test."""

import textwrap

import numpy as np
import pytest

import ilk
from ilk.registries import refresh


class Power(ilk.Distance):
    """Sum of the p-th powers of the differences."""

    parameters = {"p": ilk.Param(float, gt=0)}
    capabilities = ilk.Capabilities(symmetric=True)

    def __init__(self, p=2.0):
        self.p = p

    def pairwise(self, X, Y=None):
        X, Y = self.check_pair(X, Y)
        return (np.abs(X[:, None, :] - Y[None, :, :]) ** self.p).sum(axis=2)


class Centre(ilk.Transformer):
    """Takes the mean away and counts how often it was fitted."""

    parameters = {"scale": ilk.Param(float, gt=0)}

    def __init__(self, scale=1.0):
        self.scale = scale

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

    parameters = {
        "distance": ilk.Param(slot="distance"),
        "parts": ilk.Param(slot="distance", many=dict, none=True),
        "random_state": ilk.Param(ilk.Seed, none=True),
        "hook": ilk.Param(ilk.Function, none=True),
    }
    capabilities = ilk.Capabilities(sample_weight=True)

    def __init__(self, distance="power", parts=None, random_state=None, hook=None):
        self.distance = distance
        self.parts = parts
        self.random_state = random_state
        self.hook = hook

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

    parameters = {"members": ilk.Param(slot="classifier", many=list)}

    def __init__(self, members=("nearest",)):
        self.members = members

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
