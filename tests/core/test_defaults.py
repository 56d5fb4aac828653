"""Defaults mean what ships with ilk, whoever takes the same names."""

import copy
import pickle

import numpy as np
import pytest

import ilk
from ilk.kinds import kinds
from ilk.registries import registry

STRANGER = """
    import ilk

    class Far(ilk.Distance):
        def pairwise(self, X, Y=None):
            raise RuntimeError("a stranger's")

    class Index(ilk.Index):
        def fit(self, X, y=None, *, distance):
            raise RuntimeError("a stranger's")
        kneighbors = fit

    class Kernel(ilk.Kernel):
        def pairwise(self, X, Y=None):
            raise RuntimeError("a stranger's")

    class Model(ilk.Classifier):
        def fit(self, X, y):
            raise RuntimeError("a stranger's")
        predict = fit
"""
CLAIMED = """
    [ilk.distances]
    euclidean = nasty:Far
    [ilk.indexes]
    brute = nasty:Index
    [ilk.kernels]
    rbf = nasty:Kernel
    [ilk.classifiers]
    knn = nasty:Model
"""
X = np.random.default_rng(0).normal(size=(30, 3))
y = np.repeat(["a", "b"], 15)


@pytest.fixture
def stranger(installed_fakes):
    installed_fakes("nasty", CLAIMED, STRANGER)
    with pytest.raises(ilk.AmbiguousComponentError, match="ilk-core and nasty"):
        ilk.distance("euclidean")


def answers():
    """What some components with defaults say, written as text."""
    models = [
        ilk.classifier("ilk-learners/knn"),
        ilk.classifier("svm"),
        ilk.classifier("gp"),
        ilk.classifier("voting"),
        ilk.Pipeline(),
    ]
    return [model.fit(X, y).predict(X).tolist() for model in models]


def test_a_stranger_changes_no_default(installed_fakes):
    before = answers()
    installed_fakes("nasty", CLAIMED, STRANGER)
    assert answers() == before


@pytest.mark.usefixtures("stranger")
def test_every_default_stays_what_ships_with_ilk():
    shipped = [
        (kind, found)
        for kind in kinds()
        if kind != "dataset"  # of which some need a path
        for found in registry(kind).find()
        if found.distribution.startswith("ilk-") and found.distribution != "ilk-example"
    ]
    for kind, found in shipped:
        resolved = ilk.resolve(found.qualified, kind=kind)
        assert "nasty" not in resolved.versions, found


@pytest.mark.usefixtures("stranger")
def test_a_spec_with_defaults_is_written_read_and_shown():
    model = ilk.classifier("ilk-learners/knn")
    assert ilk.to_spec(model) == {"use": "ilk-learners/knn"}
    written = ilk.resolve(ilk.to_spec(model), kind="classifier")
    assert written.data["distance"]["use"] == "ilk-core/euclidean"
    assert ilk.to_spec(ilk.build(written.data, kind="classifier")) == ilk.to_spec(model)
    assert repr(model) == "KNN()"
    assert model.get_params()["distance"] == "euclidean"
    model.set_params(distance__weights=[1, 1, 2]).fit(X, y)
    assert type(model.distance_).__module__.startswith("ilk.")


@pytest.mark.usefixtures("stranger")
def test_a_name_given_plainly_is_ambiguous_still():
    with pytest.raises(ilk.ParameterError, match="euclidean.*ilk-core and nasty"):
        ilk.classifier("ilk-learners/knn", distance="euclidean")


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))])
def test_copies_keep_their_defaults(installed_fakes, copied):
    model = ilk.classifier("knn")
    installed_fakes("nasty", CLAIMED, STRANGER)
    assert copied(model).fit(X, y).predict(X).tolist() == model.fit(X, y).predict(X).tolist()


def test_a_replaced_name_is_what_specs_say_plainly_and_no_default():
    mine = type("Mine", (ilk.registry("distance").get("euclidean"),), {})
    ilk.registry("distance").register("euclidean", mine, replace=True)
    try:
        assert type(ilk.classifier("knn").fit(X, y).distance_) is not mine
        assert type(ilk.classifier("knn", distance="euclidean").fit(X, y).distance_) is mine
        assert ilk.to_spec(ilk.distance("ilk-core/euclidean"))["use"] == "ilk-core/euclidean"
    finally:
        ilk.registry("distance").unregister("euclidean")


def test_moved_names_are_read():
    for kind, name in (("distance", "euclidean"), ("index", "brute")):
        for old in (f"ilk-distances/{name}", f"Ilk_Distances/{name}"):
            assert registry(kind).get(old) is registry(kind).get(f"ilk-core/{name}")
            assert ilk.resolve(old, kind=kind).data["use"] == name
