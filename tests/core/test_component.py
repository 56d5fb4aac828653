"""Parameters, slots, cloning, freezing and seeding of components."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler

import ilk
from cases import in_one_test


def test_constructors_only_store(toys):
    parts = {"a": "power"}
    assert toys["nearest"](parts=parts).parts is parts


@in_one_test
@pytest.mark.parametrize(
    ("kind", "name", "parameters", "said"),
    [
        ("distance", "power", {"p": "two"}, "power: p must be a number > 0, got 'two'"),
        ("classifier", "nearest", {"distance": 3}, "nearest: distance must be a distance .*got 3"),
        (
            "classifier",
            "nearest",
            {"distance": StandardScaler()},
            "nearest: distance must be a distance",
        ),
        ("classifier", "nearest", {"parts": ["power"]}, "nearest: parts must be a table"),
        (
            "classifier",
            "nearest",
            {"parts": {"a": 1}},
            r"nearest: parts \['a'\] must be a distance",
        ),
        ("classifier", "panel", {"members": "nearest"}, "panel: members must be a list"),
        ("classifier", "panel", {"members": [None]}, r"panel: members \[0\] must be a classifier"),
    ],
)
def test_a_wrong_value_is_named(kind, name, parameters, said):
    with pytest.raises(ilk.ParameterError, match=said):
        ilk.make(kind, name, **parameters)


@pytest.mark.parametrize(
    ("kind", "name", "said"),
    [
        (
            "distance",
            {"use": "power", "p": 1},
            r"must be a string, got dict .*; ilk.build\(table, kind=...\) builds what a table desc",
        ),
        ("index", ["brute"], r"the name of an index must be a string, got list \['brute'\]$"),
        ("distance", None, "the name of a distance must be a string, got NoneType None$"),
        ("distance", 3, "the name of a distance must be a string, got int 3$"),
        ({"use": "power"}, "power", "the kind of a component must be a string, got dict"),
    ],
)
def test_what_is_no_name_is_said(toys, kind, name, said):
    with pytest.raises(ilk.InputTypeError, match=said):
        ilk.make(kind, name)


def test_a_component_of_another_kind_is_named(toys):
    with pytest.raises(ilk.ParameterError, match="got the transformer Centre"):
        ilk.classifier("nearest", distance=toys["centre"]())


def test_wrong_values_set_later_are_found_at_fit(blobs):
    model = ilk.classifier("nearest").set_params(random_state=-1)
    with pytest.raises(ilk.ParameterError, match="nearest: random_state must be a random seed"):
        model.fit(*blobs)


def test_a_name_in_a_slot_that_nothing_offers(toys, blobs):
    with pytest.raises(ilk.ParameterError, match="distance cannot be built.*did you mean 'power'"):
        toys["nearest"](distance="powwer").fit(*blobs)


@in_one_test
@pytest.mark.parametrize(
    ("kind", "name", "parameters", "said"),
    [
        ("classifier", "nearest", {"distance": "powwer"}, "did you mean 'power'"),
        ("classifier", "nearest", {"distance": {"use": "power", "q": 1}}, "has no parameter 'q'"),
        ("classifier", "nearest", {"distance": {"use": "power", "p": 0}}, "p: must be"),
        ("classifier", "nearest", {"distance": {"p": 1}}, "'use' is missing"),
        ("classifier", "nearest", {"parts": {"a": "powwer"}}, "did you mean 'power'"),
        ("classifier", "panel", {"members": ["nearest", "nerest"]}, "did you mean 'nearest'"),
        (
            "classifier",
            "panel",
            {"members": [{"use": "nearest", "distance": {"use": "power", "q": 1}}]},
            "has no parameter 'q'",
        ),
        ("classifier", "pipeline", {"steps": [{"classifier": "nerest"}]}, "mean 'nearest'"),
    ],
)
def test_what_cannot_be_built_in_a_slot_is_refused_at_once(kind, name, parameters, said):
    """However deep: a name, a table and a list of them, before anything is fitted."""
    with pytest.raises(ilk.ParameterError, match=f"cannot be built: .*{said}"):
        ilk.make(kind, name, **parameters)


def test_what_stands_in_a_slot_is_kept_as_it_was_given(toys):
    for given in ("power", {"use": "power", "p": 2}, toys["power"](p=3)):
        assert ilk.classifier("nearest", distance=given).distance is given


@pytest.mark.parametrize("slot", ["power", {"use": "power", "p": 2}, None])
def test_parameters_of_what_stands_in_a_slot(slot, toys):
    model = toys["nearest"](distance=slot or toys["power"]())
    assert model.set_params(distance__p=1) is model
    assert model.distance.p == 1
    assert model.get_params()["distance__p"] == 1


def test_setting_a_slot_and_its_parameters_at_once():
    model = ilk.classifier("nearest").set_params(distance__p=3, distance="power")
    assert model.distance.p == 3


def test_parameters_of_members_and_parts():
    model = ilk.classifier(
        "panel", members=["nearest", {"use": "nearest", "parts": {"a": "power"}}]
    )
    model.set_params(members__0__distance__p=5, members__1__parts__a__p=7)
    assert model.members[0].distance.p == 5
    params = model.get_params()
    assert params["members__1__parts__a__p"] == 7
    model.set_params(members__1="nearest")
    assert model.members[1] == "nearest"


@in_one_test
@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({"distanc": 1}, "nearest has no parameter 'distanc'; did you mean 'distance'"),
        ({"distance__q": 1}, "power has no parameter 'q'"),
        ({"random_state__x": 1}, "random_state is not a component"),
        ({"parts__a__p": 1}, "parts has no member 'a'"),
    ],
)
def test_parameters_that_are_not_there(params, said):
    with pytest.raises(ilk.ParameterError, match=said):
        ilk.classifier("nearest", parts={}).set_params(**params)


def test_a_slot_without_anything_in_it():
    with pytest.raises(ilk.ParameterError, match="parts"):
        ilk.classifier("nearest").set_params(parts__a__p=1)


def test_cloning_copies_parameters_not_fits(blobs):
    model = ilk.classifier("nearest", distance=ilk.distance("power", p=1)).fit(*blobs)
    twin = clone(model)
    assert twin.distance is not model.distance
    assert twin.distance.p == 1
    assert not hasattr(twin, "X_")


def test_fitting_leaves_the_parameters_alone(blobs):
    distance = ilk.distance("power")
    model = ilk.classifier("nearest", distance=distance).fit(*blobs)
    assert model.distance is distance
    assert model.distance_ is not distance


def test_what_is_frozen_stays_as_it_is(blobs):
    X, y = blobs
    kept = ilk.frozen(ilk.transformer("centre").fit(X))
    pipeline = ilk.Pipeline([{"transformer": kept}, {"classifier": "nearest"}])
    fitted = clone(pipeline).fit(X[::2] + 100, y[::2])
    assert fitted["transformer"] is kept
    assert np.array_equal(kept.mean_, X.mean(axis=0))


def test_freezing_leaves_the_original_free(blobs):
    X, _ = blobs
    centre = ilk.transformer("centre").fit(X)
    twin = ilk.frozen(centre)
    assert ilk.is_frozen(twin)
    assert not ilk.is_frozen(centre)
    assert ilk.is_frozen(pickle.loads(pickle.dumps(twin)))
    assert clone(centre) is not centre


def test_foreign_estimators_can_be_frozen(blobs):
    X, y = blobs
    kept = ilk.frozen(KNeighborsClassifier(1).fit(X, y))
    fitted = ilk.Pipeline([{"classifier": kept}]).fit(X[:2], ["u", "v"])
    assert np.array_equal(fitted.predict(X), y)


def test_seeds_reach_every_depth_and_differ():
    spec = {"use": "panel", "members": ["nearest", {"use": "nearest", "random_state": 5}, "panel"]}
    first = ilk.seeded(ilk.build(spec), 1).get_params()
    seeds = {key: value for key, value in first.items() if key.endswith("random_state")}
    assert seeds["members__1__random_state"] == 5
    assert len(set(seeds.values())) == 3
    assert {
        k: v for k, v in ilk.seeded(ilk.build(spec), 1).get_params().items() if k in seeds
    } == seeds
    other = ilk.seeded(ilk.build(spec), 2).get_params()
    assert other["members__0__random_state"] != first["members__0__random_state"]


def test_seeds_reach_the_steps_of_a_pipeline():
    pipeline = ilk.seeded(ilk.Pipeline([{"classifier": "nearest"}]), 0)
    assert isinstance(pipeline.get_params()["classifier__random_state"], int)


def test_capabilities_become_tags(toys):
    tags = toys["nearest"]().__sklearn_tags__()
    assert tags.estimator_type == "classifier"
    assert tags.input_tags.two_d_array
    assert not tags.input_tags.allow_nan


def test_an_incomplete_component_cannot_be_made():
    with pytest.raises(TypeError, match="pairwise"):
        type("Half", (ilk.Distance,), {})()


@in_one_test
@pytest.mark.parametrize(
    ("give", "said"),
    [
        (lambda X, Y: np.zeros((len(X), len(Y) + 1)), r"shape \(1, 3\) for 1 queries and 2"),
        (lambda X, Y: np.zeros(len(Y)), r"shape \(2,\) for 1 queries and 2"),
        (lambda X, Y: -np.ones((len(X), len(Y))), "query 0 to training row 0 is negative"),
        (lambda X, Y: np.full((len(X), len(Y)), np.nan), "is NaN"),
    ],
)
def test_wrong_distances_are_found_in_a_search(give, said):
    wrong = type(
        "Wrong",
        (ilk.Distance,),
        {"pairwise": lambda self, X, Y=None: give(X, X if Y is None else Y)},
    )()
    with pytest.raises(ilk.InputError, match=f"Wrong: .*{said}"):
        wrong.kneighbors(np.zeros((1, 1)), np.zeros((2, 1)), 1)


def test_a_clone_for_one_fit_fits_its_own_components():
    frozen = ilk.frozen(ilk.distance("euclidean").fit([[0.0]]))
    inner = ilk.classifier("knn", k=1, distance=ilk.distance("manhattan"))
    given = ilk.Pipeline([{"classifier": inner}])
    once = ilk.single_use(given)
    X, y = [[0.0], [1.0]], ["a", "b"]
    model = once.fit(X, y)[0]
    assert model is once.steps[0]["classifier"]
    assert model.distance_ is model.distance
    assert model is not inner
    assert not hasattr(inner, "classes_")
    again = once.fit(X, y)[0]  # a second fit clones, as any other does
    assert again is not model
    assert again.distance_ is not model.distance_
    assert ilk.single_use(inner.set_params(distance=frozen)).fit(X, y).distance_ is frozen
