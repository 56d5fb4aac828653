"""Learners of tables with nominal columns: naive_bayes, trees, stumps, forests and boosting."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.naive_bayes import CategoricalNB, GaussianNB

import ilk

COLORS = ["blue", "green", "red", "white"]
SPLITTING = {
    "decision_tree": {"random_state": 0},
    "decision_stump": {},
    "random_forest": {"n_members": 10, "random_state": 0},
    "gentleboost": {"n_rounds": 20},
    "crab": {"n_rounds": 20},
    "adaboost": {"n_members": 10},
}


def table(n=80, seed=0):
    """Two nominal columns, one of texts, and a number; the class depends on all three."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "color": pd.Categorical(rng.choice(COLORS, n), COLORS),
            "size": rng.normal(size=n),
            "shape": rng.choice(["flat", "round", "square"], n),
        }
    )
    y = np.where((X["color"] == "red") | (X["size"] + (X["shape"] == "flat") > 1), "yes", "no")
    return X, y


cells = st.tuples(st.sampled_from(COLORS), st.sampled_from(["u", "v"]), st.sampled_from("ab"))
cases = st.lists(cells, min_size=4, max_size=12).filter(lambda c: len({row[2] for row in c}) == 2)


@given(cases, st.sampled_from([0.5, 1.0, 3.0]))
def test_naive_bayes_counts_as_the_formula(rows, smoothing):
    X = pd.DataFrame([row[:2] for row in rows], columns=["f", "g"], dtype=object)
    y = np.array([row[2] for row in rows])
    model = ilk.classifier("naive_bayes", smoothing=smoothing).fit(X, y)
    for q in X.itertuples(index=False):
        joint = []
        for c in "ab":
            value = np.mean(y == c)
            for name, cell in zip("fg", q, strict=True):
                its = X[name][y == c]
                value *= (sum(its == cell) + smoothing) / (len(its) + smoothing * X[name].nunique())
            joint.append(value)
        got = model.predict_proba(pd.DataFrame([q], columns=["f", "g"], dtype=object))[0]
        np.testing.assert_allclose(got, np.array(joint) / sum(joint))


def test_naive_bayes_agrees_with_scikit_learn_on_one_kind_of_columns():
    X, y = ilk.dataset("tic_tac_toe").load().Xy
    codes = X.apply(lambda column: column.astype("category").cat.codes)
    ours = ilk.classifier("naive_bayes", smoothing=0.7).fit(X, y)
    theirs = CategoricalNB(alpha=0.7).fit(codes, y)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(codes), rtol=1e-9)
    X, y = ilk.dataset("wine").load().Xy
    ours, theirs = ilk.classifier("naive_bayes").fit(X, y), GaussianNB(var_smoothing=0).fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-9)


@pytest.mark.parametrize("density", ["gaussian", "kernel"])
def test_naive_bayes_adds_up_the_kinds_of_columns(density):
    X, y = table()
    weights = np.random.default_rng(1).integers(1, 4, len(y)).astype(float)
    both, numbers, names = (
        ilk.classifier("naive_bayes", density=density).fit(part, y, sample_weight=weights)
        for part in (X, X[["size"]], X[["color", "shape"]])
    )
    parts = numbers.decision_function(X[["size"]]) + names.decision_function(X[["color", "shape"]])
    prior = np.log(both.priors_[1] / both.priors_[0])
    np.testing.assert_allclose(both.decision_function(X), parts - prior, atol=1e-9)
    repeated = np.repeat(np.arange(len(y)), weights.astype(int))
    again = ilk.classifier("naive_bayes").fit(X.iloc[repeated], y[repeated])
    gaussian = ilk.classifier("naive_bayes").fit(X, y, sample_weight=weights)
    np.testing.assert_allclose(gaussian.predict_proba(X), again.predict_proba(X), atol=1e-9)


def test_naive_bayes_leaves_out_unseen_and_missing_categories():
    X, y = table()
    model = ilk.classifier("naive_bayes").fit(X, y)
    without = ilk.classifier("naive_bayes").fit(X[["size", "shape"]], y)
    for cell in ("violet", None):
        Q = X.assign(color=pd.Series([cell] * len(X), dtype=object))
        expected = without.predict_proba(X[["size", "shape"]])
        np.testing.assert_allclose(model.predict_proba(Q), expected)
    # a declared category that no row has is a category
    assert model.category_shares_[0].shape == (2, 4)
    some = (X["color"] != "red").to_numpy()
    model.fit(X[some], y[some])
    red = model.encoder_.categories_[0].index("red")
    counts = np.array([np.sum(y[some] == c) for c in ("no", "yes")])
    np.testing.assert_allclose(model.category_shares_[0][:, red], 1 / (counts + 4))


def gini(y, weights):
    shares = np.array([weights[y == c].sum() for c in np.unique(y)]) / weights.sum()
    return weights.sum() * (1 - (shares**2).sum())


def splits_of(X):
    """Left sides of all splits: a category against the rest, or a threshold of a number."""
    for name in X:
        if X[name].dtype.kind == "f":
            for value in sorted(set(X[name]))[:-1]:
                yield (X[name] <= value).to_numpy()
        else:
            for value in set(X[name]):
                yield (X[name] != value).to_numpy()


@given(st.integers(0, 10_000))
def test_a_tree_of_one_split_is_the_best_of_all(seed):
    X, y = table(14, seed)
    if len(set(y)) < 2:
        return
    ones = np.ones(len(y))
    best = min(
        gini(y[left], ones[left]) + gini(y[~left], ones[~left])
        for left in splits_of(X)
        if 0 < left.sum() < len(y)
    )
    tree = ilk.classifier("decision_tree", max_depth=1, random_state=0).fit(X, y)
    shares = tree.predict_proba(X)
    sides = [np.all(shares == row, axis=1) for row in np.unique(shares, axis=0)]
    if len(sides) == 2:
        assert sum(gini(y[side], ones[side]) for side in sides) == pytest.approx(best, abs=1e-9)
    stump = ilk.classifier("decision_stump").fit(X, y)
    errors = [
        sum(min(np.sum(y[side] == "no"), np.sum(y[side] == "yes")) for side in (left, ~left))
        for left in splits_of(X)
    ]
    assert stump.error_ * len(y) == pytest.approx(min(errors), abs=1e-9)


def test_worked_example_of_a_stump():
    X = pd.DataFrame({"color": ["red", "blue", "green", "red", "blue"], "size": [1.0, 2, 1, 2, 1]})
    y = ["yes", "no", "no", "yes", "no"]
    stump = ilk.classifier("decision_stump").fit(X, y)
    assert (stump.feature_, stump.category_, stump.error_) == (0, "red", 0)
    queries = pd.DataFrame({"color": ["red", "violet", None], "size": [0.0, 0, 0]})
    assert stump.predict(queries).tolist() == ["yes", "no", "no"]
    boosted = ilk.classifier("adaboost").fit(X, y)
    assert boosted.feature_importances_.tolist() == [1, 0]


@pytest.mark.parametrize("name", ["naive_bayes", *SPLITTING])
def test_names_of_categories_and_kinds_of_columns_do_not_matter(name):
    X, y = table()
    model = ilk.classifier(name, **SPLITTING.get(name, {}))
    expected = model.fit(X, y).predict_proba(X)
    renamed = X.assign(
        color=X["color"].cat.rename_categories(dict(zip(COLORS, "pqrs", strict=True))),
        shape=X["shape"].astype("category"),
    )
    np.testing.assert_allclose(model.fit(renamed, y).predict_proba(renamed), expected, atol=1e-12)
    as_texts = renamed.assign(color=renamed["color"].astype(object))
    np.testing.assert_allclose(model.predict_proba(as_texts), expected, atol=1e-12)


@pytest.mark.parametrize("name", SPLITTING)
def test_indicators_made_before_give_the_same_model(name):
    """The oracle: the same learner on the columns of one_hot."""
    X, y = table()
    model = ilk.classifier(name, **SPLITTING[name])
    plain = ilk.classifier(name, **SPLITTING[name])
    indicators = ilk.transformer("one_hot").fit(X)
    plain.fit(indicators.transform(X), y)
    Q = table(seed=1)[0]
    got = model.fit(X, y).predict_proba(Q)
    np.testing.assert_allclose(got, plain.predict_proba(indicators.transform(Q)), atol=1e-12)
    if hasattr(model, "feature_importances_"):
        origins = indicators.origins_
        sums = np.bincount(origins, plain.feature_importances_)
        np.testing.assert_allclose(model.feature_importances_, sums)


@pytest.mark.parametrize("name", ["naive_bayes", *SPLITTING])
def test_saved_and_bad_tables(name, tmp_path):
    X, y = table()
    model = ilk.classifier(name, **SPLITTING.get(name, {})).fit(X, y)
    again = ilk.load(ilk.save(model, tmp_path / "model.ilk"))
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    unlike = X.assign(color=pd.Series([None, "violet"] * (len(X) // 2), dtype=object))
    assert np.isfinite(model.predict_proba(unlike)).all()
    with pytest.raises(ilk.InputError, match=rf"{name}.*size.*NaN"):
        model.predict(X.assign(size=np.nan))
    with pytest.raises(ilk.InputError, match=name):
        model.predict(X[["color", "size"]])
    with pytest.raises(ilk.IlkError, match=rf"{name}.*'color'"):
        ilk.classifier(name).fit(X.assign(color=[[1]] * len(X)), y)
    fresh = ilk.classifier(name, **SPLITTING.get(name, {}))
    expected = fresh.fit(X[["size"]].to_numpy(), y).predict_proba(X[["size"]].to_numpy())
    got = model.fit(X[["size"]], y).predict_proba(
        X[["size"]]
    )  # what it learned before is forgotten
    np.testing.assert_array_equal(got, expected)


def test_missing_categories_of_training_are_a_category_of_trees():
    X = pd.DataFrame({"color": ["red", None, "blue", None, "red", "blue"]})
    y = ["no", "yes", "no", "yes", "no", "no"]
    tree = ilk.classifier("decision_tree").fit(X, y)
    assert tree.predict(X).tolist() == y
    assert tree.predict(pd.DataFrame({"color": [None, "violet"]})).tolist() == ["yes", "no"]


@pytest.mark.parametrize("name", SPLITTING)
def test_ordered_categories_are_split_by_rank(name):
    sizes = ["xs", "s", "m", "l", "xl"]
    X = pd.DataFrame({"size": pd.Categorical(sizes * 8, sizes, ordered=True)})
    y = np.where(X["size"].cat.codes < 2, "small", "large")
    model = ilk.classifier(name, **SPLITTING[name]).fit(X, y)
    assert model.predict(X).tolist() == y.tolist()
    if name == "decision_stump":
        assert (model.feature_, model.threshold_, model.category_) == (0, 1.5, None)


def test_forests_of_tables():
    X, y = table(200)
    forest = ilk.classifier("random_forest", random_state=0).fit(X, y)
    assert forest.oob_error_ < 0.1
    names = forest.encoder_.get_feature_names_out().tolist()
    mean = forest.importances(X, y).mean
    assert len(mean) == len(names) == 8
    assert mean[names.index("color_red")] > mean[names.index("color_blue")]
    d = ilk.distance("forest", forest=forest).fit(X, y)
    assert ilk.classifier("knn", k=1, distance=d).fit(X, y).score(X, y) > 0.9


def test_monks_are_learned_by_their_rules():
    """monks1: two attributes equal, or jacket_color is 1; a tree of categories finds it."""
    X, y = ilk.dataset("monks1").load().Xy
    tree = ilk.classifier("decision_tree", random_state=0).fit(X, y)
    assert tree.score(X, y) == 1


@pytest.mark.parametrize(
    ("name", "parameters"),
    [*SPLITTING.items(), ("naive_bayes", {}), ("adaboost", {"member": "decision_tree"})],
    ids=str,
)
def test_categories_of_cases_of_weight_0_are_absent(name, parameters):
    X, y = table()
    X = X.assign(shape=X["shape"].astype(object))
    weights = np.where(np.arange(len(y)) % 5, 1.0, 0.0)
    X.loc[weights == 0, "shape"] = "angular"  # sorted first, and nowhere else
    model = ilk.classifier(name, **parameters)
    if "random_state" in model.parameters:
        model.set_params(random_state=0)
    weighted = model.fit(X, y, sample_weight=weights).predict_proba(X)
    some = weights > 0
    assert np.array_equal(weighted, model.fit(X[some], y[some]).predict_proba(X))


@pytest.mark.parametrize(
    ("name", "parameter"),
    [("naive_bayes", "smoothing"), ("gentleboost", "learning_rate"), ("crab", "epsilon")],
)
def test_infinite_parameters_are_named(name, parameter):
    with pytest.raises(ilk.ParameterError, match=f"{parameter} must be a number > 0, < inf"):
        ilk.classifier(name, **{parameter: np.inf}).fit(*table())
