"""Model files in which a number was changed: refused, where compiled loops would go astray."""

from types import SimpleNamespace

import numpy as np
import pytest

import ilk

RNG = np.random.default_rng(0)
X = np.abs(RNG.normal(size=(60, 3)))
y = np.arange(60) % 3


def index(name, distance="euclidean", **params):
    def make():
        rows = X.copy()  # changes are made in place, and an index may keep what it is given
        return ilk.index(name, **params).fit(rows, y, distance=ilk.distance(distance).fit(rows))

    return make


def classifier(name, **params):
    return lambda: ilk.classifier(name, **params).fit(X.copy(), y)


def wrapped(name, **params):
    return classifier("sklearn", estimator=name, params=params, random_state=0)


def put(path, value, where=0):
    """Set one number of an array of a model, in a record that is frozen, too."""

    def change(model):
        array = model
        for name in path.split("."):
            array = array[int(name)] if name.isdigit() else getattr(array, name)
        array[where] = value

    return change


def cut(path, rows=slice(None, -1)):
    """Leave out some of an array, so that it is shorter than others of the model."""

    def change(model):
        *owners, name = path.split(".")
        for owner in owners:
            model = getattr(model, owner)
        object.__setattr__(model, name, getattr(model, name)[rows].copy())

    return change


def set_to(path, value):
    """Set an attribute."""

    def change(model):
        *owners, name = path.split(".")
        for owner in owners:
            model = getattr(model, owner)
        object.__setattr__(model, name, value)

    return change


def stray_rows(model):
    tree = model.estimator_._tree
    state = list(tree.__getstate__())
    state[1] = np.where(np.arange(60) == 3, 10**9, state[1])
    tree.__setstate__(tuple(state))


def stray_chance(model):
    state = model.random_state.get_state(legacy=False)
    state["state"]["pos"] = 10**6
    model.random_state.set_state(state)


FAR = 10**9
TAMPERED = [
    (index("kd_tree"), put("X_", np.nan)),
    (index("kd_tree"), put("X_", np.inf)),
    (index("ball_tree"), put("tree_.rows", FAR, -1)),
    (index("ball_tree"), put("tree_.first", FAR)),
    (index("ball_tree"), put("tree_.first", 0)),
    (index("cover_tree"), put("tree_.count", FAR)),
    (index("cover_tree"), cut("tree_.radii")),
    (index("fish_and_shrink"), put("pivots_", FAR)),
    (index("fish_and_shrink"), cut("table_")),
    (index("lsh", random_state=0), put("ordered_", FAR, (0, 0))),
    (index("lsh", random_state=0), put("codes_", 2**63, (0, 0))),
    (index("lsh", random_state=0), cut("family_.directions")),
    (index("footprint"), put("related_.members", FAR)),
    (index("footprint"), put("footprint_", FAR)),
    (index("case_retrieval_net", "hamming"), put("net_.cases", FAR)),
    (index("case_retrieval_net", "hamming"), put("net_.starts", FAR, 1)),
    (classifier("knn"), put("codes_", FAR)),
    (classifier("knn"), cut("codes_")),
    (classifier("knn"), cut("classes_")),
    (classifier("decision_stump"), set_to("feature_", 7)),
    (classifier("decision_stump"), put("_leaves", 7)),
    (classifier("decision_tree"), put("estimator_.tree_.feature", FAR)),
    (classifier("decision_tree"), put("estimator_.tree_.children_left", 10**6)),
    (classifier("decision_tree"), put("estimator_.tree_.children_right", 0)),
    (classifier("decision_tree"), cut("_thresholds")),
    (classifier("random_forest", n_members=3), put("trees_.features", FAR)),
    (classifier("random_forest", n_members=3), put("trees_.left", 10**6)),
    (classifier("random_forest", n_members=3), put("trees_.roots", FAR, 1)),
    (classifier("random_forest", n_members=3), put("leaves_", 200)),
    (classifier("random_forest", n_members=3), set_to("n_features_in_", 1)),
    (classifier("gentleboost", n_rounds=2), set_to("n_features_in_", 0)),
    (classifier("crab", n_rounds=2), put("features_", FAR)),
    (classifier("crab", n_rounds=2), cut("confidences_")),
    (classifier("bagging", random_state=np.random.RandomState(0)), stray_chance),
    (wrapped("RandomForestClassifier", n_estimators=2), set_to("estimator_.n_features_in_", 1)),
    (
        wrapped("RandomForestClassifier", n_estimators=2),
        put("estimator_.estimators_.0.tree_.feature", FAR),
    ),
    (
        wrapped("GradientBoostingClassifier", n_estimators=2),
        cut("estimator_.estimators_", np.s_[:, :2]),
    ),
    (
        wrapped("HistGradientBoostingClassifier", max_iter=2, min_samples_leaf=5),
        put("estimator_._predictors.0.0.nodes", FAR, "left"),
    ),
    (wrapped("KNeighborsClassifier", algorithm="kd_tree"), stray_rows),
    (wrapped("KNeighborsClassifier", algorithm="ball_tree"), stray_rows),
    (wrapped("KNeighborsClassifier", algorithm="brute"), put("estimator_._y", FAR)),
    (wrapped("SVC"), put("estimator_._n_support", 10**6)),
    (wrapped("SVC"), cut("estimator_.support_vectors_")),
]


@pytest.mark.parametrize(("make", "change"), TAMPERED)
def test_a_changed_number_is_refused(make, change, tmp_path):
    model = make()
    path = ilk.save(model, tmp_path / "model.ilk")
    ilk.load(path)
    change(model)
    ilk.save(model, path)
    with pytest.raises(ilk.PersistError, match=r"model.ilk: refused: .*\w") as caught:
        ilk.load(path)
    assert "\n" not in str(caught.value)


def test_a_plugin_says_what_is_wrong():
    owner = SimpleNamespace(starts=np.array([0, 2, 5]), names=["a"])
    assert ilk.check_stored(owner, "starts", (3,), spans=5) is owner.starts
    for wanted, match in [
        ({"shape": (4,)}, r"must have the shape \(4\), got \(3,\)"),
        ({"shape": (None,), "spans": 6}, "must ascend from 0 to 6"),
        ({"shape": (None,), "below": 5}, "must be below 5, got 5"),
        ({"shape": (None,), "least": 1}, "must be at least 1, got 0"),
        ({"shape": (None,), "kinds": "f"}, "must be an array of dtype f"),
    ]:
        with pytest.raises(ilk.InputError, match=f"starts {match}"):
            ilk.check_stored(owner, "starts", **wanted)
    with pytest.raises(ilk.InputError, match="names must be an array"):
        ilk.check_stored(owner, "names", (1,))
